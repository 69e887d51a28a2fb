#pragma once
/// \file
/// Estimates from a head's own queries how many slots it needs, before any fit: how widely it
/// attends, and how its error falls with the number of kept slots (docs/attention-matching.md,
/// "Slots per head"). Pure, one head at a time.

#include "engine/base/result.h"
#include "engine/compress/head_budgets.h"
#include "engine/compress/matching/span_attention.h"

namespace lacuna {

enum class SurveyKind { Entropy, Coverage };

struct HeadSurvey {
    double support = 1;  ///< effective number of attended slots: exp of a query's mean attention
                         ///< entropy within the span
    ErrorCurve curve;    ///< Coverage only: squared error of scores, weighted by attention
};

/// Number of queries for a survey of `slots` slots: as many as distinguish its keys (kLongSpan).
[[nodiscard]] constexpr int surveyQueries(int slots) {
    return slots > kLongSpan ? kMetricQueries / 4 : kMetricQueries;
}
/// Step of the curves in slots.
constexpr int kSurveyStep = 32;

/// Number of slots sampled from long spans (kLongSpan). A curve only serves to divide slots, and a
/// part of the text is sufficient for that.
constexpr int kSurveySlots = 1024;

/// Surveys a head; its curve reaches to `most` slots. Errors: as attendSpan. @pre a span with slots
/// and queries
[[nodiscard]] Result<HeadSurvey> surveyHead(const HeadSpan& span, SurveyKind kind, int most);

}  // namespace lacuna
