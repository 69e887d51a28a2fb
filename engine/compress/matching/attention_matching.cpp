#include "engine/compress/matching/attention_matching.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "engine/base/clock.h"
#include "engine/base/string_format.h"
#include "engine/compress/matching/answer_pursuit.h"
#include "engine/compress/matching/few_key_fit.h"
#include "engine/compress/matching/value_prior.h"

namespace lacuna {
namespace {

/// Returns the span unchanged.
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

// Candidates per kept key. With four or eight candidates per key the selection is as good as among
// all keys (ten divisions of the golden head, twelve heads of three generated kinds).
constexpr std::int64_t kCandidates = 8;

/// Selects keys by a pursuit among the first picks of coverage.
Result<KeySelection> chooseByAnswers(SpanAttention& span, int target) {
    const auto most = std::min(kCandidates * target, std::max<std::int64_t>(span.queries, target));
    const KeySelection wide = selectKeys(span, KeySelector::Coverage, static_cast<int>(most));
    if (std::ssize(wide.slots) <= target) return wide;
    LACUNA_TRY_STATUS(attendRows(span, wide.slots));
    LACUNA_TRY(const auto picks, pursueAnswers(span, wide.slots, target));
    if (picks.empty()) return selectKeys(span, KeySelector::Coverage, target);
    return withOwners(span, picks);
}

// Estimates from the folds have an error of some hundredths. If they differ by less, the pursuit is
// better on other queries (56 fits of 28 heads: 0.4 % less error, 12 instead of 15 of them no
// better than the best variant of the reference implementation).
constexpr double kClearly = 1.04;

/// The coverage selectors need only the rows of the kept slots.
SpanRows rowsFor(const MatchingOptions& options) {
    const bool coverage = options.selector == KeySelector::Auto ||
                          options.selector == KeySelector::Answers ||
                          options.selector == KeySelector::Coverage ||
                          options.selector == KeySelector::DistinctCoverage;
    return coverage ? SpanRows::OnDemand : SpanRows::All;
}

/// Keys that keep their own values are chosen with their biases: of these combinations the one with
/// the smallest error on held-out queries. All rows must be present.
Result<FittedHead> bestWithOwnValues(SpanAttention& span, int target) {
    constexpr std::pair<KeySelector, MassFit> kAttempts[] = {
        {KeySelector::Coverage, MassFit::Cluster},
        {KeySelector::Coverage, MassFit::Shift},
        {KeySelector::HighestMean, MassFit::Redistribute},
        {KeySelector::HighestMean, MassFit::Shift}};
    std::optional<FittedHead> best;
    for (const auto& [selector, fit] : kAttempts) {
        const MassOf mass = [fit = fit](const SpanAttention& seen, const KeySelection& chosen) {
            return fitMass(seen, chosen, fit);
        };
        LACUNA_TRY(FittedHead one, fitChosen(span, selectKeys(span, selector, target), mass,
                                             {.fit = ValueFit::Direct}));
        if (!best || one.values.heldOutError < best->values.heldOutError) best = std::move(one);
    }
    return std::move(*best);
}

Status checkRequest(const HeadSpan& span, int target) {
    if (span.queries.extent(0) < 1)
        return fail(ErrorCode::InvalidArgument, "no reference queries, expected at least one");
    if (target < 1)
        return fail(ErrorCode::InvalidArgument,
                    format("{} slots to keep, expected at least 1", target));
    if (span.first < 0 || span.first >= span.last || span.last > span.head.slots)
        return fail(ErrorCode::InvalidArgument, format("slots {} to {} of {} are not a valid span",
                                                       span.first, span.last, span.head.slots));
    return {};
}

}  // namespace

bool fewKeys(const SpanAttention& span, int target) {
    return target <= kFewKeys && span.queries >= kQueriesPerFewKey * target &&
           span.queries >= kMinFitQueries;
}

Result<KeySelection> chooseKeys(SpanAttention& span, KeySelector selector, int target) {
    if (selector == KeySelector::Answers) return chooseByAnswers(span, target);
    return selectKeys(span, selector, target);
}

Result<FittedHead> fitChosen(SpanAttention& span, KeySelection chosen, const MassOf& mass,
                             const ValueFitOptions& values) {
    FittedHead out{std::move(chosen)};
    if (out.chosen.slots.empty()) return out;
    LACUNA_TRY_STATUS(attendRows(span, out.chosen.slots));
    out.selectedNs = SteadyClock().nowNs();
    out.bias = mass(span, out.chosen);
    LACUNA_TRY(out.values, fitValues(span, out.chosen, out.bias, values));
    return out;
}

Result<FittedHead> bestOfFew(SpanAttention& span, int target, const MassOf& mass,
                             const ValueFitOptions& values) {
    LACUNA_TRY(KeySelection answers, chooseByAnswers(span, target));
    std::array<FittedHead, 2> attempts{FittedHead{selectKeys(span, KeySelector::Coverage, target)},
                                       FittedHead{std::move(answers)}};
    for (FittedHead& one : attempts) {
        if (one.chosen.slots.empty()) return attempts.front();
        LACUNA_TRY_STATUS(attendRows(span, one.chosen.slots));
        one.selectedNs = SteadyClock().nowNs();
        one.bias = mass(span, one.chosen);
        LACUNA_TRY(one.values, values.fit == ValueFit::RidgeCluster
                                   ? fitFewKeys(span, one.chosen, one.bias, values)
                                   : fitValues(span, one.chosen, one.bias, values));
    }
    // attendRows was last called for this attempt, so its rows are present.
    if (attempts[1].values.heldOutError < kClearly * attempts[0].values.heldOutError)
        return std::move(attempts[1]);
    LACUNA_TRY_STATUS(attendRows(span, attempts[0].chosen.slots));
    return std::move(attempts[0]);
}

Result<MatchedHead> matchHead(const HeadSpan& span, int target, const MatchingOptions& options) {
    if (span.valuesInKeys)
        return matchHeadBy(span, target, SpanRows::All, [target](SpanAttention& attention) {
            return bestWithOwnValues(attention, target);
        });
    const MassOf mass = [&options](const SpanAttention& seen, const KeySelection& chosen) {
        return fitMass(seen, chosen, options.mass);
    };
    return matchHeadBy(
        span, target, rowsFor(options), [&](SpanAttention& attention) -> Result<FittedHead> {
            if (options.selector == KeySelector::Auto && fewKeys(attention, target))
                return bestOfFew(attention, target, mass, options.values);
            LACUNA_TRY(KeySelection chosen, chooseKeys(attention, options.selector, target));
            return fitChosen(attention, std::move(chosen), mass, options.values);
        });
}

Result<MatchedHead> matchHeadBy(const HeadSpan& span, int target, SpanRows rows,
                                const HeadFit& fit) {
    LACUNA_TRY_STATUS(checkRequest(span, target));
    if (target >= span.last - span.first) return identity(span);
    const SteadyClock clock;
    const std::int64_t start = clock.nowNs();
    LACUNA_TRY(SpanAttention attention, attendSpan(span, rows));
    LACUNA_TRY(FittedHead found, fit(attention));
    if (found.chosen.slots.empty())
        return fail(ErrorCode::KvNonFinite, "no key of the span is a finite number");
    const KeySelection& chosen = found.chosen;
    FittedValues& fitted = found.values;
    MatchedHead out;
    out.bias = std::move(found.bias);
    for (const std::int32_t slot : chosen.slots) out.keep.push_back(slot + span.first);
    out.values = std::move(fitted.values);
    out.keys = std::move(found.keys);
    out.queries = attention.queries;
    out.badSlots = attention.badSlots;
    out.fitUsed = fitted.fitUsed;
    out.heldOutError = fitted.heldOutError;
    out.logMassError =
        found.logMassError ? *found.logMassError : logMassError(attention, chosen, out.bias);
    out.selectMs = milliseconds(start, found.selectedNs);
    out.fitMs = milliseconds(found.selectedNs, clock.nowNs());
    return out;
}

}  // namespace lacuna
