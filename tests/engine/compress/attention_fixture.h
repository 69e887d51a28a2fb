#pragma once
/// \file
/// Reference attention of one head in double, against which every fit is checked, and generated
/// heads.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "engine/base/random.h"
#include "engine/compress/matching/attention_matching.h"

namespace lacuna::test {

/// A head as rows of float32, with a bias per key.
struct PlainHead {
    double softCap = 0;         ///< soft cap of the scores before the bias; 0 = none
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
        double score = dot * scale;
        if (head.softCap > 0) score = head.softCap * std::tanh(score / head.softCap);
        scores[j] = score + static_cast<double>(head.bias[j]);
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

/// Returns the span over all slots of a head. @pre the head outlives the span
inline HeadSpan spanOf(const PlainHead& head, const std::vector<float>& queries, float scale) {
    HeadSpan span;
    span.head.type = DType::F32;
    span.head.keys = reinterpret_cast<const std::byte*>(head.keys.data());
    span.head.values = reinterpret_cast<const std::byte*>(head.values.data());
    span.head.slots = static_cast<int>(head.bias.size());
    span.head.bias = head.bias.data();
    span.keyDim = head.keyDim;
    span.valueDim = head.valueDim;
    span.last = span.head.slots;
    span.scale = scale;
    span.softCap = static_cast<float>(head.softCap);
    span.queries = {queries.data(),
                    {static_cast<std::int64_t>(queries.size()) / head.keyDim, head.keyDim}};
    return span;
}

inline PlainHead compacted(const PlainHead& head, const MatchedHead& matched) {
    PlainHead out;
    out.softCap = head.softCap;
    out.keyDim = head.keyDim;
    out.valueDim = head.valueDim;
    out.bias = matched.bias;
    out.values = matched.values;
    out.keys = matched.keys;
    if (!out.keys.empty()) return out;
    for (const std::int32_t slot : matched.keep)
        out.keys.insert(out.keys.end(), head.keys.begin() + slot * head.keyDim,
                        head.keys.begin() + (slot + 1) * head.keyDim);
    return out;
}

inline std::vector<float> randomRows(std::uint64_t seed, int rows, int columns,
                                     double deviation = 1.0) {
    RandomStream random(seed, 0);
    std::vector<float> out(static_cast<std::size_t>(rows * columns));
    for (float& x : out) x = static_cast<float>(deviation * random.normal());
    return out;
}

/// Returns a head with `clusters` groups of similar keys. Values within a group are equal.
inline PlainHead clusteredHead(std::uint64_t seed, int slots, int clusters, double jitter) {
    PlainHead head;
    head.keyDim = 32;
    head.valueDim = 16;
    head.bias.assign(static_cast<std::size_t>(slots), 0.0F);
    const std::vector<float> centres = randomRows(seed, clusters, head.keyDim, 2.0);
    const std::vector<float> answers = randomRows(seed + 1, clusters, head.valueDim);
    RandomStream random(seed + 2, 0);
    for (int j = 0; j < slots; ++j) {
        const auto c =
            static_cast<std::ptrdiff_t>(random.below(static_cast<std::uint64_t>(clusters)));
        for (std::ptrdiff_t d = 0; d < head.keyDim; ++d)
            head.keys.push_back(centres[static_cast<std::size_t>(c * head.keyDim + d)] +
                                static_cast<float>(jitter * random.normal()));
        for (std::ptrdiff_t d = 0; d < head.valueDim; ++d)
            head.values.push_back(answers[static_cast<std::size_t>(c * head.valueDim + d)] +
                                  static_cast<float>(jitter * random.normal()));
    }
    return head;
}

/// Returns queries that each match one key of a head with a key dimension of 32.
inline std::vector<float> aimedQueries(const PlainHead& head, std::uint64_t seed, int count) {
    std::vector<float> queries = randomRows(seed, count, 32);
    RandomStream random(seed, 1);
    for (std::size_t i = 0; i < queries.size(); i += 32) {
        const std::size_t key = random.below(head.keys.size() / 32) * 32;
        for (std::size_t d = 0; d < 32; ++d) queries[i + d] += 0.4F * head.keys[key + d];
    }
    return queries;
}

inline MatchedHead match(const HeadSpan& span, int target, const MatchingOptions& options = {}) {
    auto matched = matchHead(span, target, options);
    EXPECT_TRUE(matched) << describe(matched.error());
    return matched.value_or(MatchedHead{});
}

}  // namespace lacuna::test
