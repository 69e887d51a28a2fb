#include "engine/compress/compaction_trigger.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/base/string_format.h"
#include "engine/kv/eviction/eviction_plan.h"

namespace lacuna {
namespace {

constexpr int kMinTarget = 8;
constexpr int kMinMargin = 16;
constexpr int kMaxMargin = 256;
// Fewer slots are not worth fitting (docs/attention-matching.md, "When there is nothing to match
// by").
constexpr int kMinMatched = 64;
constexpr std::int64_t kForeseen = 1 << 20;  // tokens ahead that a forecast looks
// A compaction that failed is not tried again with every token.
constexpr std::int64_t kRetryAfterTokens = 64;

int targetOf(const KvOptions& options, std::int64_t tokens) {
    if (options.method != CompactionMethod::AttentionMatching) return *options.budget;
    // Guards against a ratio that no rule has checked; a NaN keeps everything.
    const double ratio = options.amRatio >= 1.0 ? options.amRatio : 1.0;
    auto target = static_cast<std::int64_t>(std::ceil(static_cast<double>(tokens) / ratio));
    if (ratio == 1.0) target = *options.budget;
    if (options.budget) target = std::min<std::int64_t>(target, *options.budget);
    const int least = std::max(options.nSink + options.keepRecent + 8, kMinTarget);
    return static_cast<int>(std::max<std::int64_t>(target, least));
}

bool neverCompacts(const KvOptions& options) {
    switch (options.method) {
        case CompactionMethod::None:
            return true;
        case CompactionMethod::Eviction:
            return !options.budget;
        case CompactionMethod::AttentionMatching:
            return !options.budget && !(options.amRatio > 1.0);
    }
    return true;
}

/// Tokens until the trigger is passed, when that is in sight.
std::optional<std::int64_t> tokensUntilDue(const KvOptions& options, std::int64_t tokens,
                                           int slots) {
    const auto due = [&](std::int64_t more) {
        return slots + more > compactionLimits(options, tokens + more)->trigger;
    };
    if (!due(kForeseen)) return std::nullopt;
    std::int64_t low = 0;
    std::int64_t high = kForeseen;
    while (low < high) {
        const std::int64_t middle = low + (high - low) / 2;
        if (due(middle)) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

std::string whyNever(const KvOptions& options) {
    switch (options.method) {
        case CompactionMethod::None:
            return "off: no method chosen";
        case CompactionMethod::Eviction:
            return "idle: no budget is set, so nothing is ever evicted";
        case CompactionMethod::AttentionMatching:
            break;
    }
    return "idle: an AM ratio of 1 keeps every token and no budget is set";
}

/// Of a cache that is compacted as soon as it passes its trigger.
CompactionState stateAtBudget(const KvCache& cache, const KvOptions& options) {
    CompactionState state;
    state.enabled = options.method != CompactionMethod::None;
    state.slots = compactableSlots(cache, options);
    const auto limits = compactionLimits(options, cache.offset().value);
    if (!limits) {
        state.explanation = whyNever(options);
        return state;
    }
    state.target = limits->target;
    state.trigger = limits->trigger;
    state.due = state.slots > limits->trigger;
    const std::string count =
        format("{} of {} slots", grouped(state.slots), grouped(state.trigger));
    if (skipsEveryLayer(cache, options)) {
        state.explanation =
            "idle: every layer is listed in skip_layers or keeps a window of its own";
    } else if (state.due) {
        state.explanation = format("due: {}, compacting to {}", count, grouped(state.target));
    } else if (const auto more = tokensUntilDue(options, cache.offset().value, state.slots)) {
        state.explanation = format("idle: {}, compaction starts after {} more {}", count,
                                   grouped(*more), *more == 1 ? "token" : "tokens");
    } else {
        state.explanation = format("idle: {}, no compaction in sight at this ratio", count);
    }
    return state;
}

/// With `options`, which are the settings or their like one turn late.
TriggerDecision decideBy(const KvCache& cache, const KvOptions& options, const KvOptions& settings,
                         const std::optional<FailedCompaction>& failed) {
    const std::int64_t tokens = cache.offset().value;
    const auto limits = compactionLimits(options, tokens);
    if (!limits) return {};
    // No head holds more slots than tokens were seen: a short text need not be counted by head.
    if (tokens <= limits->trigger || compactableSlots(cache, options) <= limits->trigger)
        return {Trigger::Below, *limits};
    const bool tooEarly =
        failed && failed->settings == settings && tokens < failed->tokens + kRetryAfterTokens;
    return {tooEarly ? Trigger::TooEarly : Trigger::Due, *limits};
}

}  // namespace

std::optional<CompactionLimits> compactionLimits(const KvOptions& options, std::int64_t tokens) {
    if (neverCompacts(options)) return std::nullopt;
    CompactionLimits limits;
    limits.target = targetOf(options, tokens);
    const int margin =
        options.margin.value_or(std::clamp(limits.target / 8, kMinMargin, kMaxMargin));
    limits.trigger = limits.target + std::max(margin, 0);
    if (options.method == CompactionMethod::AttentionMatching)
        limits.trigger = std::max(limits.trigger, kMinMatched - 1);
    return limits;
}

int compactableSlots(const KvCache& cache, const KvOptions& options) {
    int largest = 0;
    std::int64_t sum = 0;
    std::int64_t heads = 0;
    for (int layer = 0; layer < cache.shape().layers; ++layer) {
        if (staysWhole(cache, options.skipLayers, layer)) continue;
        for (int head = 0; head < cache.shape().kvHeads; ++head) {
            const int slots = cache.slots(LayerIndex(layer), HeadIndex(head));
            largest = std::max(largest, slots);
            sum += slots;
            ++heads;
        }
    }
    const bool unequal = options.method == CompactionMethod::AttentionMatching ||
                         sharedOut(options) != EvictionBudgets::Equal;
    if (!unequal || heads == 0) return largest;
    return static_cast<int>((sum + heads - 1) / heads);
}

bool skipsEveryLayer(const KvCache& cache, const KvOptions& options) {
    for (int layer = 0; layer < cache.shape().layers; ++layer)
        if (!staysWhole(cache, options.skipLayers, layer)) return false;
    return true;
}

TriggerDecision decideAfterStep(const KvCache& cache, const KvOptions& settings,
                                const std::optional<FailedCompaction>& failed) {
    if (settings.compactWhen != CompactWhen::TurnLate)
        return decideBy(cache, settings, settings, failed);
    const auto limits = compactionLimits(settings, cache.offset().value);
    return limits ? TriggerDecision{Trigger::Waits, *limits} : TriggerDecision{};
}

TriggerDecision decideAfterTurn(const KvCache& cache, const KvOptions& settings,
                                const TurnPlace& turn,
                                const std::optional<FailedCompaction>& failed) {
    if (settings.compactWhen != CompactWhen::TurnLate || turn.before == 0) return {};
    KvOptions late = lateOptions(settings, cache.offset().value, turn.before);
    TriggerDecision decision = decideBy(cache, late, settings, failed);
    decision.late = std::move(late);
    return decision;
}

TriggerDecision decideAsked(const KvCache& cache, const KvOptions& settings) {
    const auto limits = compactionLimits(settings, cache.offset().value);
    if (!limits) return {.why = whyNever(settings)};
    const int slots = compactableSlots(cache, settings);
    if (slots > limits->target) return {Trigger::Due, *limits};
    return {.trigger = Trigger::Below,
            .limits = *limits,
            .why = format("nothing to gain: {} slots, the target is {}", grouped(slots),
                          grouped(limits->target))};
}

KvOptions lateOptions(const KvOptions& options, std::int64_t tokens, std::int64_t before) {
    KvOptions late = options;
    late.compactWhen = CompactWhen::AtBudget;
    const std::int64_t turn = std::max<std::int64_t>(tokens - before, 0);
    late.keepRecent = static_cast<int>(std::max<std::int64_t>(options.keepRecent, turn));
    if (options.method == CompactionMethod::Eviction && options.budget)
        late.budget = std::max(*options.budget, late.nSink + late.keepRecent + 1);
    if (options.method != CompactionMethod::AttentionMatching || !(options.amRatio > 1.0))
        return late;
    const auto earlier =
        static_cast<std::int64_t>(std::ceil(static_cast<double>(before) / options.amRatio));
    const std::int64_t target = earlier + turn;
    late.amRatio = 1.0;
    late.budget =
        static_cast<int>(options.budget ? std::min<std::int64_t>(target, *options.budget) : target);
    return late;
}

CompactionState describeState(const KvCache& cache, const KvOptions& options,
                              const TurnPlace& turn) {
    if (options.compactWhen != CompactWhen::TurnLate) return stateAtBudget(cache, options);
    const std::int64_t tokens = cache.offset().value;
    CompactionState state = stateAtBudget(cache, lateOptions(options, tokens, turn.before));
    state.due = false;
    // It never compacts, and the explanation says why.
    if (state.trigger == 0 || skipsEveryLayer(cache, options)) return state;
    const std::string slots = grouped(state.slots);
    if (turn.over || tokens == 0)
        state.explanation =
            format("idle: {} slots, the end of the next turn decides on a compaction", slots);
    else if (turn.before == 0)
        state.explanation = format(
            "idle: {} slots, the first turn stays whole until the next one has ended", slots);
    else
        state.explanation = format(
            "idle: {} slots, waits for the end of this turn to compact the {} tokens before it",
            slots, grouped(turn.before));
    return state;
}

}  // namespace lacuna
