#pragma once
/// \file
/// What a head's own queries say about how many slots it needs, before any fit: how widely it looks
/// and how its error falls with the slots it keeps (docs/attention-matching.md, "Slots by head").
/// Pure, one head at a time.

#include "engine/base/result.h"
#include "engine/compress/head_budgets.h"
#include "engine/compress/span_attention.h"

namespace lacuna {

enum class SurveyKind { Entropy, Coverage };

struct HeadSurvey {
    double support = 1;  ///< exp of the mean entropy of a query's attention within the span: slots
    ErrorCurve curve;    ///< Coverage only: squared error of scores, weighted by attention
};

/// Queries that a survey of so many slots looks at: as many as tell its keys apart (kLongSpan).
[[nodiscard]] constexpr int surveyQueries(int slots) {
    return slots > kLongSpan ? kMetricQueries / 4 : kMetricQueries;
}
/// Curves are followed in steps of so many slots.
constexpr int kSurveyStep = 32;

/// Of long spans (kLongSpan) only so many slots are looked at: a curve is to divide slots, and a
/// part of the text says as much of that as the whole.
constexpr int kSurveySlots = 1024;

/// Curves reach to `most` slots. Errors: as attendSpan. @pre a span with slots and queries
[[nodiscard]] Result<HeadSurvey> surveyHead(const HeadSpan& span, SurveyKind kind, int most);

}  // namespace lacuna
