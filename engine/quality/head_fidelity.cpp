#include "engine/quality/head_fidelity.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace lacuna {
namespace {

struct Answer {
    std::vector<double> output;
    double logMass = 0;
};

Answer answer(const AttendedHead& head, std::span<const float> query, double scale) {
    const auto slots = static_cast<std::size_t>(head.keys.extent(0));
    std::vector<double> scores(slots);
    for (std::size_t j = 0; j < slots; ++j) {
        const auto key = head.keys.row(static_cast<std::int64_t>(j));
        double dot = 0;
        for (std::size_t d = 0; d < query.size(); ++d)
            dot += static_cast<double>(query[d]) * static_cast<double>(key[d]);
        scores[j] = dot * scale + (head.bias.empty() ? 0.0 : static_cast<double>(head.bias[j]));
    }
    const double top = *std::ranges::max_element(scores);
    Answer out;
    out.output.assign(static_cast<std::size_t>(head.values.extent(1)), 0.0);
    double sum = 0;
    for (std::size_t j = 0; j < slots; ++j) {
        const double weight = std::exp(scores[j] - top);
        const auto value = head.values.row(static_cast<std::int64_t>(j));
        for (std::size_t d = 0; d < out.output.size(); ++d)
            out.output[d] += weight * static_cast<double>(value[d]);
        sum += weight;
    }
    for (double& x : out.output) x /= sum;
    out.logMass = top + std::log(sum);
    return out;
}

}  // namespace

HeadFidelity headFidelity(const AttendedHead& whole, const AttendedHead& compacted,
                          View<const float, 2> queries, double scale) {
    HeadFidelity out;
    double error = 0;
    double size = 0;
    const auto n = static_cast<double>(queries.extent(0));
    for (std::int64_t i = 0; i < queries.extent(0); ++i) {
        const Answer a = answer(whole, queries.row(i), scale);
        const Answer b = answer(compacted, queries.row(i), scale);
        double both = 0;
        double left = 0;
        double right = 0;
        for (std::size_t d = 0; d < a.output.size(); ++d) {
            both += a.output[d] * b.output[d];
            left += a.output[d] * a.output[d];
            right += b.output[d] * b.output[d];
            error += (a.output[d] - b.output[d]) * (a.output[d] - b.output[d]);
        }
        size += left;
        out.cosine += left > 0 && right > 0 ? both / std::sqrt(left * right) / n : 0.0;
        out.logMassError += std::abs(a.logMass - b.logMass) / n;
    }
    out.outputError = size > 0 ? std::sqrt(error / size) : 0.0;
    return out;
}

}  // namespace lacuna
