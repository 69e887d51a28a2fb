#include "engine/compress/driver/compaction_trigger.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/kv/eviction/eviction_plan.h"

namespace lacuna {
namespace {

constexpr int kMinTarget = 8;
constexpr int kMinFree = 8;  // slots that a budget leaves besides first and newest tokens
// A turn that can be rolled back may take this many eighths of a target.
constexpr std::int64_t kOpenEighths = 3;
// Tolerance for quotients that exceed a whole number only by rounding.
constexpr double kRounding = 1e-9;
constexpr int kMinMargin = 16;
constexpr int kMaxMargin = 256;
// A fit to fewer slots is not worthwhile (docs/attention-matching.md, "Degenerate cases").
constexpr int kMinMatched = 64;
constexpr std::int64_t kForeseen = 1 << 20;  // number of tokens that a forecast looks ahead
// A failed compaction is not retried with every token.
constexpr std::int64_t kRetryAfterTokens = 64;
// A limited compaction is measured again when the text has grown by one part in this many.
constexpr std::int64_t kMoreText = 4;
constexpr std::int64_t kLeastMoreText = 256;

std::int64_t slotsAt(double ratio, std::int64_t tokens) {
    return static_cast<std::int64_t>(std::ceil(static_cast<double>(tokens) / ratio - kRounding));
}

/// Number of first tokens, newest tokens and the question, each token counted once.
std::int64_t protectedOf(const KvOptions& options, std::int64_t tokens, const TokenSpan& question) {
    const std::int64_t first = std::min<std::int64_t>(options.nSink, tokens);
    const std::int64_t newest = std::max(tokens - options.keepRecent, first);
    const std::int64_t between = std::min(question.last, newest) - std::max(question.first, first);
    return first + (tokens - newest) + std::max<std::int64_t>(between, 0);
}

/// Returns the protected part of the question. In plain text the question may be as long as a book,
/// so it gets no more slots than kept spans may take, which bounds the cache while the text is
/// read.
TokenSpan protectedQuestion(const KvOptions& options, std::int64_t tokens,
                            const TurnPosition& turn) {
    TokenSpan question = turn.unanswered(tokens);
    if (!turn.plainText || question.tokens() == 0) return question;
    std::int64_t slots = options.budget.value_or(tokens);
    if (options.method == CompactionMethod::AttentionMatching && options.amRatio > 1.0)
        slots = std::min(slots, slotsAt(options.amRatio, tokens));
    const std::int64_t most = roomForSpans(slots, options.nSink + options.keepRecent);
    question.first = std::max(question.first, turn.question.last - most);
    return question.first < question.last ? question : TokenSpan{};
}

/// Number of slots according to the ratio alone.
std::int64_t slotsByRatio(double ratio, std::int64_t tokens, const TokenSpan& question) {
    return slotsAt(ratio, tokens - question.tokens()) + question.tokens();
}

void limitByBudget(const KvOptions& options, std::int64_t tokens, CompactionLimits& limits) {
    limits.target = *options.budget;
    // Rule BUD-MIN leaves room for first and newest tokens, but not for a question: the room for
    // kept spans is left to the rest of the text.
    if (limits.question.tokens() > 0) {
        const auto left =
            static_cast<int>(roomForSpans(*options.budget, limits.nSink + limits.keepRecent));
        limits.target = std::max(limits.target, limits.protectedTokens + left + 1);
    }
    if (options.method == CompactionMethod::AttentionMatching)
        limits.target = std::max({limits.target, limits.protectedTokens + kMinFree,
                                  limits.nSink + limits.keepRecent + kMinFree, kMinTarget});
    limits.requestedRatio = static_cast<double>(tokens) / std::max(*options.budget, 1);
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

/// Number of tokens until a compaction starts, if it is in sight.
std::optional<std::int64_t> tokensUntilDue(const KvOptions& options, std::int64_t tokens, int slots,
                                           const TurnPosition& turn) {
    const auto due = [&](std::int64_t more) {
        const auto limits = compactionLimits(options, tokens + more, turn);
        return slots + more > limits->trigger && tokens + more >= options.compactionFloor;
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

CompactionReason neverDueReason(const KvOptions& options) {
    switch (options.method) {
        case CompactionMethod::None:
            return CompactionReason::NoMethod;
        case CompactionMethod::Eviction:
            return CompactionReason::NoBudget;
        case CompactionMethod::AttentionMatching:
            break;
    }
    return CompactionReason::RatioOne;
}

CompactionPhase idlePhase(const KvOptions& options) {
    switch (options.method) {
        case CompactionMethod::None:
            return CompactionPhase::NoMethod;
        case CompactionMethod::Eviction:
            return CompactionPhase::NoBudget;
        case CompactionMethod::AttentionMatching:
            break;
    }
    return CompactionPhase::RatioOne;
}

/// State of a cache that is compacted as soon as it passes its trigger.
CompactionState stateAtBudget(const KvCache& cache, const KvOptions& options,
                              const TurnPosition& turn) {
    CompactionState state;
    const std::int64_t tokens = cache.offset().value;
    state.enabled = options.method != CompactionMethod::None;
    state.slots = compactableSlots(cache, options);
    const auto limits = compactionLimits(options, tokens, turn);
    if (!limits) {
        state.phase = idlePhase(options);
        return state;
    }
    const auto more = tokensUntilDue(options, tokens, state.slots, turn);
    state.target = limits->target;
    state.trigger = more ? state.slots + static_cast<int>(*more) : limits->trigger + 1;
    state.due = more == 0;
    if (skipsEveryLayer(cache, options)) {
        state.phase = CompactionPhase::LayersSkipped;
    } else if (state.due) {
        state.phase = CompactionPhase::Due;
        state.limit = limitedRatio(*limits, tokens);
    } else if (more) {
        state.phase = CompactionPhase::Waiting;
        state.limit =
            limitedRatio(*compactionLimits(options, tokens + *more, turn), tokens + *more);
    } else {
        state.phase = CompactionPhase::NotNear;
    }
    return state;
}

/// Limits of a cache whose turns are known.
std::optional<CompactionLimits> limitsWithin(const KvCache& cache, const KvOptions& options,
                                             const TurnPosition& turn) {
    const std::int64_t tokens = cache.offset().value;
    auto limits = compactionLimits(options, tokens, turn);
    if (limits) limits->open = openTokens(*limits, tokens, turn);
    return limits;
}

/// Decides with `options`, which are the settings or their one-turn-late version.
TriggerDecision decideBy(const KvCache& cache, const KvOptions& options, const KvOptions& settings,
                         const TurnPosition& turn, const std::optional<FailedCompaction>& failed) {
    const std::int64_t tokens = cache.offset().value;
    const auto limits = limitsWithin(cache, options, turn);
    if (!limits) return {};
    // No head holds more slots than tokens were processed, so a short text need not be counted by
    // head.
    if (tokens < options.compactionFloor) return {Trigger::Waits, *limits};
    if (tokens <= limits->trigger || compactableSlots(cache, options) <= limits->trigger)
        return {Trigger::Below, *limits};
    const bool tooEarly = failed && failed->settings == settings && tokens < failed->until;
    return {tooEarly ? Trigger::TooEarly : Trigger::Due, *limits};
}

}  // namespace

TokenSpan TurnPosition::unanswered(std::int64_t tokens) const {
    const std::int64_t last = std::min(question.last, tokens);
    if (over || question.first >= last) return {};
    return {question.first, last};
}

KvOptions keepingShare(const KvOptions& options, double share, std::int64_t tokens) {
    KvOptions kept = options;
    kept.budget.reset();
    kept.amRatio = 1 / share;
    if (options.method != CompactionMethod::Eviction) return kept;
    const std::int64_t slots =
        std::max(slotsAt(kept.amRatio, tokens), protectedOf(options, tokens, {}) + kMinOwnSlots);
    kept.amRatio = options.amRatio;
    kept.budget = static_cast<int>(slots);
    return kept;
}

std::optional<CompactionLimits> compactionLimits(const KvOptions& options, std::int64_t tokens,
                                                 const TurnPosition& turn) {
    if (neverCompacts(options)) return std::nullopt;
    CompactionLimits limits{.nSink = options.nSink,
                            .keepRecent = options.keepRecent,
                            .question = protectedQuestion(options, tokens, turn)};
    limits.protectedTokens = static_cast<int>(protectedOf(options, tokens, limits.question));
    const bool matched = options.method == CompactionMethod::AttentionMatching;
    // Guards against an unvalidated ratio; with NaN only the budget counts.
    const bool byRatio = matched && options.amRatio > 1.0;
    const std::int64_t wanted =
        byRatio ? slotsByRatio(options.amRatio, tokens, limits.question) : 0;
    if (byRatio && !(options.budget && *options.budget <= wanted)) {
        limits.target =
            static_cast<int>(std::max<std::int64_t>(wanted, limits.protectedTokens + kMinOwnSlots));
        limits.requestedRatio = options.amRatio;
    } else {
        limitByBudget(options, tokens, limits);
    }
    const int margin =
        options.margin.value_or(std::clamp(limits.target / 8, kMinMargin, kMaxMargin));
    limits.trigger = limits.target + std::max(margin, 0);
    if (matched) limits.trigger = std::max(limits.trigger, kMinMatched - 1);
    return limits;
}

std::optional<ProtectedLimit> limitedRatio(const CompactionLimits& limits, std::int64_t tokens) {
    constexpr double kWorthSaying = 0.95;
    const double possible = static_cast<double>(tokens) / std::max(limits.target, 1);
    if (limits.requestedRatio <= 1 || possible >= limits.requestedRatio * kWorthSaying)
        return std::nullopt;
    return ProtectedLimit{.possible = std::max(possible, 1.0),
                          .asked = limits.requestedRatio,
                          .protectedTokens = limits.protectedTokens};
}

double meanSlots(const KvCache& cache, std::span<const int> skipLayers) {
    std::int64_t sum = 0;
    std::int64_t heads = 0;
    for (int layer = 0; layer < cache.shape().layers; ++layer) {
        if (isKeptFull(cache, skipLayers, layer)) continue;
        for (int head = 0; head < cache.shape().heads(LayerIndex(layer)); ++head, ++heads)
            sum += cache.slots(LayerIndex(layer), HeadIndex(head));
    }
    return heads == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(heads);
}

int compactableSlots(const KvCache& cache, const KvOptions& options) {
    const bool unequal = options.method == CompactionMethod::AttentionMatching ||
                         sharedOut(options) != EvictionBudgets::Equal;
    if (unequal)
        return static_cast<int>(std::ceil(meanSlots(cache, options.skipLayers) - kRounding));
    int largest = 0;
    for (int layer = 0; layer < cache.shape().layers; ++layer) {
        if (isKeptFull(cache, options.skipLayers, layer)) continue;
        for (int head = 0; head < cache.shape().heads(LayerIndex(layer)); ++head)
            largest = std::max(largest, cache.slots(LayerIndex(layer), HeadIndex(head)));
    }
    return largest;
}

bool skipsEveryLayer(const KvCache& cache, const KvOptions& options) {
    for (int layer = 0; layer < cache.shape().layers; ++layer)
        if (!isKeptFull(cache, options.skipLayers, layer)) return false;
    return true;
}

int openTokens(const CompactionLimits& limits, std::int64_t tokens, const TurnPosition& turn) {
    const TokenSpan& question = limits.question;  // protected in any case
    const std::int64_t share = (limits.target - question.tokens()) * kOpenEighths / 8;
    const std::int64_t most = std::max<std::int64_t>(share - limits.nSink, limits.keepRecent);
    for (const std::int64_t first : {turn.before, turn.answer - 1}) {
        const std::int64_t staying =
            std::max<std::int64_t>(question.last - std::max(question.first, first), 0);
        if (first > 0 && tokens - first - staying <= most)
            return std::max(static_cast<int>(tokens - first), limits.keepRecent);
    }
    return 0;
}

TriggerDecision decideAfterStep(const KvCache& cache, const KvOptions& settings,
                                const TurnPosition& turn,
                                const std::optional<FailedCompaction>& failed) {
    if (settings.compactWhen != CompactWhen::TurnLate)
        return decideBy(cache, settings, settings, turn, failed);
    const auto limits = compactionLimits(settings, cache.offset().value);
    return limits ? TriggerDecision{Trigger::Waits, *limits} : TriggerDecision{};
}

TriggerDecision decideAfterTurn(const KvCache& cache, const KvOptions& settings,
                                const TurnPosition& turn,
                                const std::optional<FailedCompaction>& failed) {
    if (settings.compactWhen != CompactWhen::TurnLate || turn.before == 0) return {};
    KvOptions late = lateOptions(settings, cache.offset().value, turn.before);
    TriggerDecision decision = decideBy(cache, late, settings, turn, failed);
    if (const auto asked = compactionLimits(settings, cache.offset().value))
        decision.limits.requestedRatio = asked->requestedRatio;
    decision.late = std::move(late);
    return decision;
}

TriggerDecision decideRequested(const KvCache& cache, const KvOptions& settings,
                                const TurnPosition& turn) {
    const auto limits = limitsWithin(cache, settings, turn);
    if (!limits) return {.reason = {.reason = neverDueReason(settings)}};
    const std::int64_t tokens = cache.offset().value;
    if (tokens < settings.compactionFloor)
        return {.trigger = Trigger::Waits,
                .limits = *limits,
                .reason = noteOf(CompactionReason::ShortText, tokens, settings.compactionFloor)};
    const int slots = compactableSlots(cache, settings);
    if (slots > limits->target) return {Trigger::Due, *limits};
    return {.trigger = Trigger::Below,
            .limits = *limits,
            .reason = noteOf(CompactionReason::NothingToGain, slots, limits->target)};
}

FailedCompaction failedAt(std::int64_t tokens, const KvOptions& settings) {
    return {tokens + kRetryAfterTokens, settings};
}

FailedCompaction limitedAt(std::int64_t tokens, const KvOptions& settings) {
    return {tokens + std::max(tokens / kMoreText, kLeastMoreText), settings};
}

TriggerDecision withRatio(const TriggerDecision& decision, const KvCache& cache,
                          const KvOptions& settings, const TurnPosition& turn, double ratio) {
    const std::int64_t tokens = cache.offset().value;
    const std::int64_t target = slotsAt(ratio, tokens);
    const std::int64_t question = decision.limits.question.tokens();
    TriggerDecision other = decision;
    other.late = decision.late.value_or(settings);
    const bool byRatio = other.late->method == CompactionMethod::AttentionMatching &&
                         other.late->amRatio > 1.0 && target > question;
    if (byRatio) {
        other.late->amRatio =
            static_cast<double>(tokens - question) / static_cast<double>(target - question);
        other.late->budget.reset();
    } else {
        other.late->budget = static_cast<int>(target);
    }
    if (const auto limits = limitsWithin(cache, *other.late, turn)) other.limits = *limits;
    other.limits.requestedRatio = decision.limits.requestedRatio;
    return other;
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
    const std::int64_t least = options.nSink + (late.keepRecent - turn) + kMinOwnSlots;
    const std::int64_t target = std::max(slotsAt(options.amRatio, before), least) + turn;
    late.amRatio = 1.0;
    late.budget =
        static_cast<int>(options.budget ? std::min<std::int64_t>(target, *options.budget) : target);
    return late;
}

CompactionState describeState(const KvCache& cache, const KvOptions& options,
                              const TurnPosition& turn) {
    if (options.compactWhen != CompactWhen::TurnLate) return stateAtBudget(cache, options, turn);
    const std::int64_t tokens = cache.offset().value;
    CompactionState state = stateAtBudget(cache, lateOptions(options, tokens, turn.before), {});
    state.due = false;
    if (state.trigger == 0 || skipsEveryLayer(cache, options)) return state;  // it never compacts
    state.limit.reset();
    if (tokens > 0 && tokens < options.compactionFloor) {
        state.phase = CompactionPhase::ShortText;
        state.tokens = tokens;
        state.floor = options.compactionFloor;
    } else if (turn.over || tokens == 0) {
        state.phase = CompactionPhase::NextTurnDecides;
    } else if (turn.before == 0) {
        state.phase = CompactionPhase::FirstTurnOpen;
    } else {
        state.phase = CompactionPhase::TurnOpen;
        state.tokens = turn.before;
    }
    return state;
}

}  // namespace lacuna
