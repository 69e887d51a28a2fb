#pragma once
/// \file
/// Attention of one head written down plainly in double: the judge of every fit.

#include <cmath>
#include <cstdint>
#include <vector>

namespace lacuna::test {

/// A head as rows of float32, with a bias per key.
struct PlainHead {
    std::vector<float> keys;    ///< [slots, keyDim]
    std::vector<float> values;  ///< [slots, valueDim]
    std::vector<float> bias;    ///< [slots]
    int keyDim = 0;
    int valueDim = 0;
};

struct PlainAnswer {
    std::vector<double> output;  ///< [valueDim]
    double logMass = 0;
};

inline PlainAnswer attend(const PlainHead& head, const float* query, double scale) {
    const std::size_t slots = head.bias.size();
    std::vector<double> scores(slots);
    double top = -1e300;
    for (std::size_t j = 0; j < slots; ++j) {
        double dot = 0;
        for (int d = 0; d < head.keyDim; ++d)
            dot += static_cast<double>(query[d]) *
                   static_cast<double>(head.keys[j * static_cast<std::size_t>(head.keyDim) +
                                                 static_cast<std::size_t>(d)]);
        scores[j] = dot * scale + static_cast<double>(head.bias[j]);
        top = std::max(top, scores[j]);
    }
    PlainAnswer answer;
    answer.output.assign(static_cast<std::size_t>(head.valueDim), 0.0);
    double sum = 0;
    for (std::size_t j = 0; j < slots; ++j) {
        const double weight = std::exp(scores[j] - top);
        sum += weight;
        for (int d = 0; d < head.valueDim; ++d)
            answer.output[static_cast<std::size_t>(d)] +=
                weight *
                static_cast<double>(head.values[j * static_cast<std::size_t>(head.valueDim) +
                                                static_cast<std::size_t>(d)]);
    }
    for (double& x : answer.output) x /= sum;
    answer.logMass = top + std::log(sum);
    return answer;
}

struct Fidelity {
    double outputError = 0;   ///< Frobenius norm of the difference over that of the original
    double logMassError = 0;  ///< mean |difference|
};

inline Fidelity compare(const PlainHead& whole, const PlainHead& compact,
                        const std::vector<float>& queries, double scale) {
    double error = 0;
    double norm = 0;
    double mass = 0;
    const std::size_t count = queries.size() / static_cast<std::size_t>(whole.keyDim);
    for (std::size_t i = 0; i < count; ++i) {
        const float* query = queries.data() + i * static_cast<std::size_t>(whole.keyDim);
        const PlainAnswer a = attend(whole, query, scale);
        const PlainAnswer b = attend(compact, query, scale);
        for (std::size_t d = 0; d < a.output.size(); ++d) {
            error += (a.output[d] - b.output[d]) * (a.output[d] - b.output[d]);
            norm += a.output[d] * a.output[d];
        }
        mass += std::abs(a.logMass - b.logMass);
    }
    return {std::sqrt(error / norm), mass / static_cast<double>(count)};
}

}  // namespace lacuna::test
