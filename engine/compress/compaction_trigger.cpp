#include "engine/compress/compaction_trigger.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/base/string_format.h"
#include "engine/kv/eviction/eviction_plan.h"

namespace lacuna {
namespace {

constexpr const char* kShortTextRule = "AM-SHORT";  // first word of the refusal's sentence
constexpr int kMinTarget = 8;
constexpr int kMinFree = 8;  // slots that a budget leaves alongside first and newest tokens
// Of the slots that are left, so many eighths are for first and newest tokens at most, and one in
// so many of those for the first. A fit speaks for what it takes; what an eviction takes is gone.
constexpr std::int64_t kMatchedGuardedEighths = 1;
constexpr std::int64_t kEvictedGuardedEighths = 3;
constexpr int kSinksOneIn = 3;
// Of a target so many eighths may be a turn that can be taken back.
constexpr std::int64_t kOpenEighths = 3;
// A quotient that is whole but for its last bits is no slot more.
constexpr double kRounding = 1e-9;
constexpr int kMinMargin = 16;
constexpr int kMaxMargin = 256;
// Fewer slots are not worth fitting (docs/attention-matching.md, "When there is nothing to match
// by").
constexpr int kMinMatched = 64;
constexpr std::int64_t kForeseen = 1 << 20;  // tokens ahead that a forecast looks
// A compaction that failed is not tried again with every token.
constexpr std::int64_t kRetryAfterTokens = 64;

std::int64_t slotsAt(double ratio, std::int64_t tokens) {
    return static_cast<std::int64_t>(std::ceil(static_cast<double>(tokens) / ratio - kRounding));
}

/// Fewest slots that a ratio may leave.
std::int64_t leastSlots(const KvOptions& options) {
    std::int64_t slots = kMinOwnSlots;
    while (slotShare(options, slots).own() < kMinOwnSlots) ++slots;
    return slots;
}

/// "24", "2.4": a ratio that is possible for so many tokens, rounded down.
std::string possibleRatio(std::int64_t tokens, std::int64_t least) {
    constexpr double kTenths = 10;
    const double most = static_cast<double>(tokens) / static_cast<double>(least);
    return most >= kTenths ? format("{:.0f}", std::floor(most))
                           : format("{:.1f}", std::floor(most * kTenths) / kTenths);
}

/// Why the ratio is too large for so many tokens; empty: it is not.
std::string shortText(const KvOptions& options, std::int64_t tokens) {
    const SlotShare share = slotShare(options, slotsAt(options.amRatio, tokens));
    if (share.own() >= kMinOwnSlots) return {};
    const std::int64_t least = leastSlots(options);
    const std::string others =
        share.nSink + share.keepRecent == 0
            ? std::string()
            : format(" next to {} first and {} newest tokens", share.nSink, share.keepRecent);
    const std::string possible =
        10 * tokens >= 11 * least
            ? format("{}x is possible", possibleRatio(tokens, least))
            : format("no ratio is possible below {} tokens", (11 * least + 9) / 10);
    return format(
        "{}: am_ratio is {}, and {} tokens would leave a head {} {} of its own{}; "
        "{} are the least, {}",
        kShortTextRule, options.amRatio, grouped(tokens), std::max(share.own(), 0),
        share.own() == 1 ? "slot" : "slots", others, kMinOwnSlots, possible);
}

/// Of a budget, which always has room for what it must not touch.
void limitBy(int budget, const KvOptions& options, CompactionLimits& limits) {
    limits.byBudget = true;
    limits.nSink = options.nSink;
    limits.keepRecent = options.keepRecent;
    limits.target = std::max({budget, options.nSink + options.keepRecent + kMinFree, kMinTarget});
}

CompactionLimits matchingLimits(const KvOptions& options, std::int64_t tokens) {
    CompactionLimits limits;
    // Guards against a ratio that no rule has checked; with a NaN only the budget counts.
    if (!(options.amRatio > 1.0)) {
        limitBy(*options.budget, options, limits);
        return limits;
    }
    limits.tooShort = shortText(options, tokens);
    const SlotShare share = slotShare(options, slotsAt(options.amRatio, tokens));
    if (options.budget && (!limits.tooShort.empty() || *options.budget <= share.slots)) {
        limitBy(*options.budget, options, limits);
        return limits;
    }
    limits.target = std::max(share.slots, 1);
    limits.nSink = share.nSink;
    limits.keepRecent = share.keepRecent;
    return limits;
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

/// Tokens until the trigger is passed and the text is long enough, when that is in sight.
std::optional<std::int64_t> tokensUntilDue(const KvOptions& options, std::int64_t tokens,
                                           int slots) {
    const auto due = [&](std::int64_t more) {
        const auto limits = compactionLimits(options, tokens + more);
        return slots + more > limits->trigger && !limits->refused();
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

/// Why the ratio is refused for what stood before the newest turn; empty: it is not.
std::string tooShortOneTurnLate(const KvOptions& settings, std::int64_t before) {
    const bool byRatio =
        settings.method == CompactionMethod::AttentionMatching && settings.amRatio > 1.0;
    return byRatio ? shortText(settings, before) : std::string();
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
    state.due = state.slots > limits->trigger && !limits->refused();
    const std::string count =
        format("{} of {} slots", grouped(state.slots), grouped(state.trigger));
    if (skipsEveryLayer(cache, options)) {
        state.explanation =
            "idle: every layer is listed in skip_layers or keeps a window of its own";
    } else if (state.due) {
        state.explanation = format("due: {}, compacting to {}", count, grouped(state.target));
    } else if (const auto more = tokensUntilDue(options, cache.offset().value, state.slots)) {
        const bool refused = state.slots > limits->trigger;
        state.explanation = format("idle: {}, compaction starts after {} more {}",
                                   refused ? limits->tooShort : count, grouped(*more),
                                   *more == 1 ? "token" : "tokens");
    } else {
        state.explanation = format("idle: {}, no compaction in sight at this ratio", count);
    }
    return state;
}

TriggerDecision refusedBy(const CompactionLimits& limits) {
    return {.trigger = Trigger::Refused,
            .limits = limits,
            .why = limits.tooShort + "; the cache stays as it is"};
}

/// The limits of a cache in which turns began.
std::optional<CompactionLimits> limitsWithin(const KvCache& cache, const KvOptions& options,
                                             const TurnPlace& turn) {
    const std::int64_t tokens = cache.offset().value;
    auto limits = compactionLimits(options, tokens);
    if (limits) limits->open = openTokens(*limits, tokens, turn);
    return limits;
}

/// With `options`, which are the settings or their like one turn late.
TriggerDecision decideBy(const KvCache& cache, const KvOptions& options, const KvOptions& settings,
                         const TurnPlace& turn, const std::optional<FailedCompaction>& failed) {
    const std::int64_t tokens = cache.offset().value;
    const auto limits = limitsWithin(cache, options, turn);
    if (!limits) return {};
    // No head holds more slots than tokens were seen: a short text need not be counted by head.
    if (tokens <= limits->trigger || compactableSlots(cache, options) <= limits->trigger)
        return {Trigger::Below, *limits};
    if (limits->refused()) return refusedBy(*limits);
    const bool tooEarly =
        failed && failed->settings == settings && tokens < failed->tokens + kRetryAfterTokens;
    return {tooEarly ? Trigger::TooEarly : Trigger::Due, *limits};
}

}  // namespace

SlotShare slotShare(const KvOptions& options, std::int64_t slots) {
    const std::int64_t eighths = options.method == CompactionMethod::AttentionMatching
                                     ? kMatchedGuardedEighths
                                     : kEvictedGuardedEighths;
    const auto guarded = static_cast<int>(eighths * slots / 8);
    SlotShare share{.slots = static_cast<int>(slots)};
    share.nSink = std::min(options.nSink, guarded / kSinksOneIn);
    share.keepRecent = std::min(options.keepRecent, guarded - share.nSink);
    return share;
}

KvOptions keepingShare(const KvOptions& options, double share, std::int64_t tokens) {
    KvOptions kept = options;
    kept.budget.reset();
    kept.amRatio = 1 / share;
    if (options.method != CompactionMethod::Eviction) return kept;
    const SlotShare slots = slotShare(options, slotsAt(kept.amRatio, tokens));
    kept.amRatio = options.amRatio;
    kept.budget = std::max(slots.slots, 1);
    kept.nSink = slots.nSink;
    kept.keepRecent = slots.keepRecent;
    return kept;
}

std::optional<CompactionLimits> compactionLimits(const KvOptions& options, std::int64_t tokens) {
    if (neverCompacts(options)) return std::nullopt;
    CompactionLimits limits;
    if (options.method == CompactionMethod::AttentionMatching) {
        limits = matchingLimits(options, tokens);
    } else {
        limits.byBudget = true;
        limits.target = *options.budget;
        limits.nSink = options.nSink;
        limits.keepRecent = options.keepRecent;
    }
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

int openTokens(const CompactionLimits& limits, std::int64_t tokens, const TurnPlace& turn) {
    const std::int64_t most =
        std::max<std::int64_t>(limits.target * kOpenEighths / 8 - limits.nSink, limits.keepRecent);
    for (const std::int64_t first : {turn.before, turn.answer - 1})
        if (first > 0 && tokens - first <= most)
            return std::max(static_cast<int>(tokens - first), limits.keepRecent);
    return 0;
}

TriggerDecision decideAfterStep(const KvCache& cache, const KvOptions& settings,
                                const TurnPlace& turn,
                                const std::optional<FailedCompaction>& failed) {
    if (settings.compactWhen != CompactWhen::TurnLate)
        return decideBy(cache, settings, settings, turn, failed);
    const auto limits = compactionLimits(settings, cache.offset().value);
    return limits ? TriggerDecision{Trigger::Waits, *limits} : TriggerDecision{};
}

TriggerDecision decideAfterTurn(const KvCache& cache, const KvOptions& settings,
                                const TurnPlace& turn,
                                const std::optional<FailedCompaction>& failed) {
    if (settings.compactWhen != CompactWhen::TurnLate || turn.before == 0) return {};
    KvOptions late = lateOptions(settings, cache.offset().value, turn.before);
    TriggerDecision decision = decideBy(cache, late, settings, turn, failed);
    if (decision.trigger == Trigger::Due) {
        decision.limits.tooShort = tooShortOneTurnLate(settings, turn.before);
        decision.limits.byBudget = settings.budget.has_value();
        if (decision.limits.refused()) return refusedBy(decision.limits);
    }
    decision.late = std::move(late);
    return decision;
}

TriggerDecision decideAsked(const KvCache& cache, const KvOptions& settings,
                            const TurnPlace& turn) {
    const auto limits = limitsWithin(cache, settings, turn);
    if (!limits) return {.why = whyNever(settings)};
    const int slots = compactableSlots(cache, settings);
    if (slots > limits->target && limits->refused()) return refusedBy(*limits);
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
    const SlotShare earlier = slotShare(options, slotsAt(options.amRatio, before));
    const bool tooShort = !shortText(options, before).empty();
    const int recent = std::clamp<int>(late.keepRecent - static_cast<int>(turn), 0,
                                       tooShort ? options.keepRecent : earlier.keepRecent);
    late.amRatio = 1.0;
    late.keepRecent = static_cast<int>(turn) + recent;
    const std::int64_t target = earlier.slots + turn;
    if (tooShort && options.budget) {
        late.budget = options.budget;
        return late;
    }
    late.nSink = earlier.nSink;
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
    else if (const auto why = tooShortOneTurnLate(options, turn.before);
             !why.empty() && !options.budget)
        state.explanation = "idle: " + why;
    else
        state.explanation = format(
            "idle: {} slots, waits for the end of this turn to compact the {} tokens before it",
            slots, grouped(turn.before));
    return state;
}

}  // namespace lacuna
