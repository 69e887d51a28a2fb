#include "app/bench/slow_fit.h"

#include <utility>
#include <vector>

#include "app/bench/moved_keys.h"
#include "app/bench/thorough_fit.h"
#include "engine/base/clock.h"

namespace lacuna {
namespace {

bool fitsThoroughly(const SlowFitOptions& options) {
    return options.effort != FitEffort::Live && options.pursuit == 0 && !options.bounded &&
           options.matching.selector == KeySelector::Auto &&
           options.matching.mass == MassFit::Cluster &&
           options.matching.values.fit == ValueFit::RidgeCluster;
}

MassOf massOf(const SlowFitOptions& options) {
    if (!options.bounded)
        return
            [mass = options.matching.mass](const SpanAttention& span, const KeySelection& chosen) {
                return fitMass(span, chosen, mass);
            };
    return [bounds = *options.bounded](const SpanAttention& span, const KeySelection& chosen) {
        std::vector<float> bias = fitMass(span, chosen, MassFit::None);
        if (allKept(span, chosen) || bias.empty()) return bias;
        const std::vector<float> weights = massWeights(span, chosen.slots, bounds);
        for (std::size_t a = 0; a < weights.size(); ++a) bias[a] += weights[a];
        return bias;
    };
}

KeySelection pursued(const SpanAttention& span, int target, int perStep) {
    const auto slots =
        pursueKeys(span, target, {.perStep = perStep, .refitEvery = perStep > 1 ? 2 : 1});
    if (!slots.empty()) return withOwners(span, slots);
    // No query sees any of the slots, so any usable one will do.
    return selectKeys(span, KeySelector::HighestMean, 1);
}

/// Fits as in a conversation, or as the reference does.
Result<FittedHead> fitLive(SpanAttention& span, int target, const SlowFitOptions& options) {
    const MassOf mass = massOf(options);
    const MatchingOptions& matching = options.matching;
    if (options.pursuit > 0)
        return fitChosen(span, pursued(span, target, options.pursuit), mass, matching.values);
    if (matching.selector == KeySelector::Auto && fewKeys(span, target))
        return bestOfFew(span, target, mass, matching.values);
    LACUNA_TRY(KeySelection chosen, chooseKeys(span, matching.selector, target));
    return fitChosen(span, std::move(chosen), mass, matching.values);
}

/// Moves keys, starting from the selection by coverage or, if they are few, by a pursuit. Returns
/// nullopt if there are too few queries to validate them.
Result<std::optional<FittedHead>> fitMoved(const HeadSpan& head, SpanAttention& span, int target,
                                           const SlowFitOptions& options) {
    const auto started = [mass = massOf(options)](SpanAttention& seen, KeySelection chosen) {
        KeyStart start{std::move(chosen), {}};
        if (!start.chosen.slots.empty()) start.bias = mass(seen, start.chosen);
        return start;
    };
    std::vector<StartChoice> choices{[&](SpanAttention& seen) -> Result<KeyStart> {
        return started(seen, selectKeys(seen, KeySelector::Coverage, target));
    }};
    if (fewKeys(span, target))
        choices.emplace_back([&](SpanAttention& seen) -> Result<KeyStart> {
            LACUNA_TRY(KeySelection chosen, chooseKeys(seen, KeySelector::Answers, target));
            return started(seen, std::move(chosen));
        });
    LACUNA_TRY(std::optional<MovedKeys> moved,
               moveKeys(head, span, choices, options.matching.values));
    if (!moved) return std::optional<FittedHead>{};
    return std::optional(FittedHead{.chosen = std::move(moved->chosen),
                                    .bias = std::move(moved->bias),
                                    .values = std::move(moved->values),
                                    .keys = std::move(moved->keys),
                                    .logMassError = moved->logMassError,
                                    .selectedNs = SteadyClock().nowNs()});
}

/// Fits the keys of the live fit, moved if requested, with thoroughly fitted biases and values.
Result<FittedHead> fitSlowly(const HeadSpan& head, SpanAttention& span, int target,
                             const SlowFitOptions& options) {
    if (options.effort == FitEffort::Moved) {
        LACUNA_TRY(auto moved, fitMoved(head, span, target, options));
        if (moved) return std::move(*moved);
    }
    LACUNA_TRY(FittedHead found, fitLive(span, target, options));
    if (found.chosen.slots.empty()) return found;
    LACUNA_TRY(ThoroughFit fit,
               fitThoroughly(span, found.chosen, massOf(options)(span, found.chosen),
                             options.matching.values));
    found.bias = std::move(fit.bias);
    found.values = std::move(fit.values);
    return found;
}

}  // namespace

Result<MatchedHead> matchHeadSlowly(const HeadSpan& span, int target,
                                    const SlowFitOptions& options) {
    const bool thorough = fitsThoroughly(options);
    if (!thorough && options.pursuit == 0 && !options.bounded)
        return matchHead(span, target, options.matching);
    // Pursuits and bounded weights need sums that are computed only with all rows.
    return matchHeadBy(span, target, SpanRows::All, [&](SpanAttention& attention) {
        return thorough ? fitSlowly(span, attention, target, options)
                        : fitLive(attention, target, options);
    });
}

}  // namespace lacuna
