#include "engine/compress/attention_matching.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "engine/base/clock.h"
#include "engine/base/string_format.h"
#include "engine/compress/answer_pursuit.h"
#include "engine/compress/few_key_fit.h"
#include "engine/compress/moved_keys.h"
#include "engine/compress/thorough_fit.h"
#include "engine/compress/value_prior.h"

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

// Candidates for every key that stays: with four or eight times as many the choice is as good as
// among all (ten divisions of the golden head, twelve heads of three generated kinds).
constexpr std::int64_t kCandidates = 8;

/// Few keys, and queries enough to judge every step by.
bool fewKeys(const SpanAttention& span, int target) {
    return target <= kFewKeys && span.queries >= kQueriesPerFewKey * target &&
           span.queries >= kMinFitQueries;
}

/// The order of a pursuit among the keys that coverage takes first.
Result<KeySelection> chooseByAnswers(SpanAttention& span, int target) {
    const auto most = std::min(kCandidates * target, std::max<std::int64_t>(span.queries, target));
    const KeySelection wide = selectKeys(span, KeySelector::Coverage, static_cast<int>(most));
    if (std::ssize(wide.slots) <= target) return wide;
    LACUNA_TRY_STATUS(attendRows(span, wide.slots));
    LACUNA_TRY(const auto picks, pursueAnswers(span, wide.slots, target));
    if (picks.empty()) return selectKeys(span, KeySelector::Coverage, target);
    return withOwners(span, picks);
}

/// Keys with all that is fitted to them.
struct Attempt {
    KeySelection chosen;
    std::vector<float> bias = {};
    FittedValues values = {};
    std::vector<float> keys = {};             ///< where they moved
    std::optional<double> logMassError = {};  ///< of keys that moved
    std::int64_t selectedNs = 0;              ///< when the choice was made
};

/// Keys by one order. None where no key is usable.
Result<Attempt> attempt(SpanAttention& span, int target, const MatchingOptions& options) {
    Attempt out;
    LACUNA_TRY(out.chosen, options.selector == KeySelector::Answers
                               ? chooseByAnswers(span, target)
                               : selectKeys(span, options.selector, target));
    if (out.chosen.slots.empty()) return out;
    LACUNA_TRY_STATUS(attendRows(span, out.chosen.slots));
    out.selectedNs = SteadyClock().nowNs();
    out.bias = fitMass(span, out.chosen, options.mass, options.bounds);
    LACUNA_TRY(out.values, fitValues(span, out.chosen, out.bias, options.values));
    return out;
}

// What the folds say of two orders is off by some hundredths, and where they differ by less the
// pursuit is the better one on other queries (56 fits of 28 heads: 0.4 % less error, 12 of them no
// better than the best variant of the reference, in place of 15).
constexpr double kClearly = 1.04;

/// Few keys by a pursuit, or by coverage where that answers held-out queries clearly better.
Result<Attempt> bestOfFew(SpanAttention& span, int target, const MatchingOptions& options) {
    LACUNA_TRY(KeySelection answers, chooseByAnswers(span, target));
    std::array<Attempt, 2> attempts{Attempt{selectKeys(span, KeySelector::Coverage, target)},
                                    Attempt{std::move(answers)}};
    for (Attempt& one : attempts) {
        if (one.chosen.slots.empty()) return attempts.front();
        LACUNA_TRY_STATUS(attendRows(span, one.chosen.slots));
        one.selectedNs = SteadyClock().nowNs();
        one.bias = fitMass(span, one.chosen, options.mass, options.bounds);
        LACUNA_TRY(one.values, options.values.fit == ValueFit::RidgeCluster
                                   ? fitFewKeys(span, one.chosen, one.bias, options.values)
                                   : fitValues(span, one.chosen, one.bias, options.values));
    }
    // Those that were looked at last have their rows at hand.
    if (attempts[1].values.heldOutError < kClearly * attempts[0].values.heldOutError)
        return std::move(attempts[1]);
    LACUNA_TRY_STATUS(attendRows(span, attempts[0].chosen.slots));
    return std::move(attempts[0]);
}

bool fitsThoroughly(const MatchingOptions& options) {
    return options.effort != FitEffort::Live && options.selector == KeySelector::Auto &&
           options.mass == MassFit::Cluster && options.values.fit == ValueFit::RidgeCluster;
}

/// Keys that move from where coverage finds them or, where they are few, a pursuit. Nothing where
/// there is too little to judge them by.
Result<std::optional<Attempt>> attemptMoved(const HeadSpan& head, SpanAttention& span, int target,
                                            const MatchingOptions& options) {
    const auto started = [&options](SpanAttention& seen, KeySelection chosen) {
        KeyStart start{std::move(chosen), {}};
        if (!start.chosen.slots.empty())
            start.bias = fitMass(seen, start.chosen, options.mass, options.bounds);
        return start;
    };
    std::vector<StartChoice> choices{[&](SpanAttention& seen) -> Result<KeyStart> {
        return started(seen, selectKeys(seen, KeySelector::Coverage, target));
    }};
    if (fewKeys(span, target))
        choices.emplace_back([&](SpanAttention& seen) -> Result<KeyStart> {
            LACUNA_TRY(KeySelection chosen, chooseByAnswers(seen, target));
            return started(seen, std::move(chosen));
        });
    LACUNA_TRY(std::optional<MovedKeys> moved, moveKeys(head, span, choices, options.values));
    if (!moved) return std::optional<Attempt>{};
    return std::optional(Attempt{.chosen = std::move(moved->chosen),
                                 .bias = std::move(moved->bias),
                                 .values = std::move(moved->values),
                                 .keys = std::move(moved->keys),
                                 .logMassError = moved->logMassError,
                                 .selectedNs = SteadyClock().nowNs()});
}

/// The keys of a conversation's fit, moved where that is asked for, with biases and values of a
/// thorough one.
Result<Attempt> attemptThoroughly(const HeadSpan& head, SpanAttention& span, int target,
                                  const MatchingOptions& options) {
    if (options.effort == FitEffort::Moved) {
        LACUNA_TRY(auto moved, attemptMoved(head, span, target, options));
        if (moved) return std::move(*moved);
    }
    LACUNA_TRY(Attempt found, fewKeys(span, target) ? bestOfFew(span, target, options)
                                                    : attempt(span, target, options));
    if (found.chosen.slots.empty()) return found;
    LACUNA_TRY(
        ThoroughFit fit,
        fitThoroughly(span, found.chosen, fitMass(span, found.chosen, options.mass, options.bounds),
                      options.values));
    found.bias = std::move(fit.bias);
    found.values = std::move(fit.values);
    return found;
}

/// The coverage orders ask for the rows of no slot but those that stay; bounded weights are fitted
/// to sums that only whole rows come with.
SpanRows rowsFor(const MatchingOptions& options) {
    const bool coverage = options.selector == KeySelector::Auto ||
                          options.selector == KeySelector::Answers ||
                          options.selector == KeySelector::Coverage ||
                          options.selector == KeySelector::DistinctCoverage;
    return coverage && options.mass != MassFit::Nnls && !fitsThoroughly(options)
               ? SpanRows::OnDemand
               : SpanRows::All;
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
    const bool few = options.selector == KeySelector::Auto && fewKeys(attention, target);
    LACUNA_TRY(Attempt found, fitsThoroughly(options)
                                  ? attemptThoroughly(span, attention, target, options)
                              : few ? bestOfFew(attention, target, options)
                                    : attempt(attention, target, options));
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
