#include "engine/compress/attention_matching.h"

#include <numeric>
#include <utility>

#include "engine/base/clock.h"
#include "engine/base/string_format.h"

namespace lacuna {
namespace {

/// The span as it is.
MatchedHead identity(const HeadSpan& span) {
    MatchedHead out;
    for (int slot = span.first; slot < span.last; ++slot) {
        out.keep.push_back(slot);
        out.bias.push_back(span.head.bias == nullptr ? 0.0F : span.head.bias[slot]);
    }
    return out;
}

double milliseconds(std::int64_t fromNs, std::int64_t toNs) {
    return static_cast<double>(toNs - fromNs) * 1e-6;
}

/// The coverage orders ask for the rows of no slot but those that stay; bounded weights are fitted
/// to sums that only whole rows come with.
SpanRows rowsFor(const MatchingOptions& options) {
    const bool coverage = options.selector == KeySelector::Coverage ||
                          options.selector == KeySelector::DistinctCoverage;
    return coverage && options.mass != MassFit::Nnls ? SpanRows::OnDemand : SpanRows::All;
}

Status checkRequest(const HeadSpan& span, int target) {
    if (span.queries.extent(0) < 1)
        return fail(ErrorCode::InvalidArgument, "no reference queries, expected at least one");
    if (target < 1)
        return fail(ErrorCode::InvalidArgument,
                    format("{} slots to keep, expected at least 1", target));
    if (span.first < 0 || span.first >= span.last || span.last > span.head.slots)
        return fail(ErrorCode::InvalidArgument, format("slots {} to {} of {} are no span",
                                                       span.first, span.last, span.head.slots));
    return {};
}

}  // namespace

Result<MatchedHead> matchHead(const HeadSpan& span, int target, const MatchingOptions& options) {
    LACUNA_TRY_STATUS(checkRequest(span, target));
    if (target >= span.last - span.first) return identity(span);
    const SteadyClock clock;
    const std::int64_t start = clock.nowNs();
    LACUNA_TRY(SpanAttention attention, attendSpan(span, rowsFor(options)));
    const KeySelection chosen = selectKeys(attention, options.selector, target);
    if (chosen.slots.empty())
        return fail(ErrorCode::KvNonFinite, "no key of the span is a finite number");
    LACUNA_TRY_STATUS(attendRows(attention, chosen.slots));
    const std::int64_t selected = clock.nowNs();
    MatchedHead out;
    out.bias = fitMass(attention, chosen, options.mass, options.bounds);
    LACUNA_TRY(FittedValues fitted, fitValues(attention, chosen, out.bias, options.values));
    for (const std::int32_t slot : chosen.slots) out.keep.push_back(slot + span.first);
    out.values = std::move(fitted.values);
    out.queries = attention.queries;
    out.badSlots = attention.badSlots;
    out.fitUsed = fitted.fitUsed;
    out.heldOutError = fitted.heldOutError;
    out.logMassError = logMassError(attention, chosen, out.bias);
    out.selectMs = milliseconds(start, selected);
    out.fitMs = milliseconds(selected, clock.nowNs());
    return out;
}

}  // namespace lacuna
