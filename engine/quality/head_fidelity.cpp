#include "engine/quality/head_fidelity.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace lacuna {
namespace {

double scoreOf(std::span<const float> query, std::span<const float> key,
               const HeadScoring& scoring) {
    double dot = 0;
    for (std::size_t d = 0; d < query.size(); ++d)
        dot += static_cast<double>(query[d]) * static_cast<double>(key[d]);
    const double score = dot * scoring.scale;
    return scoring.softCap > 0 ? scoring.softCap * std::tanh(score / scoring.softCap) : score;
}

/// Appends the output for one query to `out`; `scores` is scratch [slots].
void answerQuery(const AttendedHead& head, std::span<const float> query, const HeadScoring& scoring,
                 std::vector<double>& scores, HeadAnswers& out) {
    for (std::size_t j = 0; j < scores.size(); ++j) {
        const auto key = head.keys.row(static_cast<std::int64_t>(j));
        scores[j] = scoreOf(query, key, scoring) +
                    (head.bias.empty() ? 0.0 : static_cast<double>(head.bias[j]));
    }
    const double top = *std::ranges::max_element(scores);
    const auto dim = static_cast<std::size_t>(head.values.extent(1));
    const std::size_t at = out.outputs.size();
    out.outputs.resize(at + dim, 0.0);
    double sum = 0;
    for (std::size_t j = 0; j < scores.size(); ++j) {
        const double weight = std::exp(scores[j] - top);
        const auto value = head.values.row(static_cast<std::int64_t>(j));
        for (std::size_t d = 0; d < dim; ++d)
            out.outputs[at + d] += weight * static_cast<double>(value[d]);
        sum += weight;
    }
    const std::size_t number = out.logMass.size();
    out.logMass.push_back(top + std::log(sum));
    if (!scoring.sinks.empty())
        sum += std::exp(static_cast<double>(scoring.sinks[number % scoring.sinks.size()]) - top);
    for (std::size_t d = 0; d < dim; ++d) out.outputs[at + d] /= sum;
}

}  // namespace

HeadAnswers headAnswers(const AttendedHead& head, View<const float, 2> queries,
                        const HeadScoring& scoring) {
    HeadAnswers out;
    std::vector<double> scores(static_cast<std::size_t>(head.keys.extent(0)));
    for (std::int64_t i = 0; i < queries.extent(0); ++i)
        answerQuery(head, queries.row(i), scoring, scores, out);
    return out;
}

HeadFidelity headFidelity(const HeadAnswers& full, const HeadAnswers& compacted) {
    HeadFidelity out;
    double error = 0;
    double size = 0;
    const std::size_t queries = full.logMass.size();
    const std::size_t dim = full.outputs.size() / queries;
    const auto n = static_cast<double>(queries);
    for (std::size_t i = 0; i < queries; ++i) {
        double both = 0;
        double left = 0;
        double right = 0;
        for (std::size_t d = i * dim; d < (i + 1) * dim; ++d) {
            const double a = full.outputs[d];
            const double b = compacted.outputs[d];
            both += a * b;
            left += a * a;
            right += b * b;
            error += (a - b) * (a - b);
        }
        size += left;
        out.cosine += left > 0 && right > 0 ? both / std::sqrt(left * right) / n : 0.0;
        out.logMassError += std::abs(full.logMass[i] - compacted.logMass[i]) / n;
    }
    out.outputError = size > 0 ? std::sqrt(error / size) : 0.0;
    return out;
}

HeadFidelity headFidelity(const AttendedHead& full, const AttendedHead& compacted,
                          View<const float, 2> queries, double scale) {
    return headFidelity(headAnswers(full, queries, {.scale = scale}),
                        headAnswers(compacted, queries, {.scale = scale}));
}

}  // namespace lacuna
