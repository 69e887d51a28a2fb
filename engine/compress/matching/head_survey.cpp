#include "engine/compress/matching/head_survey.h"

#include <cmath>

#include "engine/compress/matching/gathered_span.h"
#include "engine/compress/matching/key_selection.h"

namespace lacuna {
namespace {

/// Mean over queries of -sum p ln p, in nats.
double meanEntropy(const SpanAttention& span) {
    std::vector<double> sums(static_cast<std::size_t>(span.queries), 0.0);
    for (std::int64_t j = 0; j < span.slots; ++j) {
        const float* row = span.row(j);
        for (std::size_t i = 0; i < sums.size(); ++i) {
            const auto p = static_cast<double>(row[i]);
            if (p > 0) sums[i] -= p * std::log(p);
        }
    }
    double entropy = 0;
    double total = 0;
    for (std::size_t i = 0; i < sums.size(); ++i) {
        entropy += static_cast<double>(span.weights[i]) * sums[i];
        total += static_cast<double>(span.weights[i]);
    }
    return total > 0 ? entropy / total : 0.0;
}

}  // namespace

Result<HeadSurvey> surveyHead(const HeadSpan& span, SurveyKind kind, int most) {
    const int slots = span.last - span.first;
    if (slots > kLongSpan) {
        const int step = (slots + kSurveySlots - 1) / kSurveySlots;
        const GatheredSpan part = thinned(span, step);
        LACUNA_TRY(HeadSurvey survey, surveyHead(part.span, kind, most / step));
        survey.support *= step;
        survey.curve.step *= step;
        return survey;
    }
    LACUNA_TRY(const SpanAttention attention, attendSpan(span));
    HeadSurvey survey;
    if (kind == SurveyKind::Entropy) {
        survey.support = std::exp(meanEntropy(attention));
        return survey;
    }
    survey.curve.step = kSurveyStep;
    survey.curve.errors = coverageCurve(attention, most, kSurveyStep);
    for (float& error : survey.curve.errors) error *= static_cast<float>(attention.meanShare);
    return survey;
}

}  // namespace lacuna
