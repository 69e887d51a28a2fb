#pragma once
/// \file
/// When a cache is compacted and to what size. Pure
/// functions: they read lengths of a cache and change nothing. docs/eviction.md, "When a compaction
/// fires"; docs/attention-matching.md, "One turn late" (arXiv 2608.00902), "Rules" (AM-2, AM-16).

#include <cstdint>
#include <optional>
#include <span>

#include "engine/kv/eviction/kept_spans.h"
#include "engine/kv/kv_cache.h"
#include "engine/kv/kv_options.h"
#include "engine/values/compaction_values.h"

namespace lacuna {

/// Slots that a ratio leaves each head besides the protected ones, on average: twice what every
/// head keeps in any case, so that half of them can still go to the heads that need them.
inline constexpr int kMinOwnSlots = 16;

/// The options that keep `share` of `tokens` tokens, in (0, 1], first and newest ones included,
/// instead of a budget or ratio of their own; more where these need it.
[[nodiscard]] KvOptions keepingShare(const KvOptions& options, double share, std::int64_t tokens);

/// Where the turns of a conversation stand.
struct TurnPlace {
    std::int64_t before = 0;  ///< tokens that stood before the newest turn
    bool over = false;        ///< it has ended
    std::int64_t answer = 0;  ///< tokens in front of its answer; 0: not known
    TokenSpan question = {};  ///< its user message with the template text around it; empty: unknown
    bool plainText = false;  ///< no message was found in it: of the question only its end is spared

    /// The question, as far as it is among the first `tokens` tokens, while it is not answered.
    [[nodiscard]] TokenSpan unanswered(std::int64_t tokens) const;
};

struct CompactionLimits {
    int target = 0;                 ///< slots per head after a compaction
    int trigger = 0;                ///< fires when a head has more
    int nSink = 0, keepRecent = 0;  ///< first and newest tokens that it does not touch
    int open = 0;                   ///< newest tokens that can be taken back after it; openTokens
    TokenSpan question = {};        ///< the unanswered question, which it does not touch either
    int protectedTokens = 0;        ///< of first, newest and question together
    /// Tokens per slot by the settings alone; the target gives fewer where protected tokens need
    /// the slots.
    double askedRatio = 0;
};

/// Nothing when the options never compact: no method, L2 without a budget, or attention matching
/// with a ratio of 1 and no budget. A ratio counts first and newest tokens; an unanswered question
/// comes on top, so that the text before it is not compacted further than asked.
[[nodiscard]] std::optional<CompactionLimits> compactionLimits(const KvOptions& options,
                                                               std::int64_t tokens,
                                                               const TurnPlace& turn = {});
/// Nothing where `tokens` tokens reach the ratio that is asked for, or nearly so.
[[nodiscard]] std::optional<ProtectedLimit> limitedRatio(const CompactionLimits& limits,
                                                         std::int64_t tokens);
/// Slots of a head, on average over those that a compaction with these options touches.
[[nodiscard]] double meanSlots(const KvCache& cache, std::span<const int> skipLayers);
/// Slots that are held against the limits: of the largest head among the layers that a compaction
/// with these options touches; where heads get different numbers on purpose (attention matching,
/// evictions that share slots out), their mean, rounded up.
[[nodiscard]] int compactableSlots(const KvCache& cache, const KvOptions& options);
/// Whether a compaction with these options would leave every layer whole.
[[nodiscard]] bool skipsEveryLayer(const KvCache& cache, const KvOptions& options);

/// Newest tokens of `tokens` that a compaction to these limits leaves as they are, so that the
/// newest turn can be asked again or edited without what stood before it being read again: those of
/// the turn; where these are too many, those of its answer and the last one before it, which is
/// always evaluated again. First tokens and these take three eighths of the target at most, the
/// unanswered question aside, unless `keepRecent` is more anyway; 0 where neither fits, since
/// nothing would be gained.
[[nodiscard]] int openTokens(const CompactionLimits& limits, std::int64_t tokens,
                             const TurnPlace& turn);

/// A compaction that failed, or that the limit on the loss kept from going as far as the settings
/// ask. Under these settings it is not tried again before the text has `until` tokens.
struct FailedCompaction {
    std::int64_t until = 0;
    KvOptions settings;
};
/// A compaction that failed at `tokens` tokens.
[[nodiscard]] FailedCompaction failedAt(std::int64_t tokens, const KvOptions& settings);
/// One that was limited at `tokens` tokens: what is measured is the whole text, so that a little
/// more of it changes little.
[[nodiscard]] FailedCompaction limitedAt(std::int64_t tokens, const KvOptions& settings);

/// Off: never with these settings, or not now. Waits: for the end of the turn, or for as many
/// tokens as compaction_floor says. TooEarly: it failed or was limited lately (FailedCompaction).
enum class Trigger { Off, Waits, Below, TooEarly, Due };

struct TriggerDecision {
    Trigger trigger = Trigger::Off;
    CompactionLimits limits = {};                  ///< unless Off
    std::optional<KvOptions> late = std::nullopt;  ///< what to compact with instead of the settings
    CompactionNote why = {};                       ///< of decideAsked, whenever it is not Due
};

/// After a step. No head is counted where the text is shorter than the trigger.
[[nodiscard]] TriggerDecision decideAfterStep(const KvCache& cache, const KvOptions& settings,
                                              const TurnPlace& turn,
                                              const std::optional<FailedCompaction>& failed);
/// After the last step of a turn: whether what stood before it is compacted one turn late.
[[nodiscard]] TriggerDecision decideAfterTurn(const KvCache& cache, const KvOptions& settings,
                                              const TurnPlace& turn,
                                              const std::optional<FailedCompaction>& failed);
/// For a compaction that is requested: Due when it would gain anything, whatever the margin. Below
/// the floor nothing is compacted, unless the options have none.
[[nodiscard]] TriggerDecision decideAsked(const KvCache& cache, const KvOptions& settings,
                                          const TurnPlace& turn);

/// The options of a compaction one turn late, at the end of a turn that made `tokens` tokens of
/// `before`, for a trigger that knows nothing of turns: the turn is protected. The AM ratio counts
/// for what stood before it, and the turn comes on top; a budget is of all slots, as it always is,
/// but never so small that the turn does not fit.
[[nodiscard]] KvOptions lateOptions(const KvOptions& options, std::int64_t tokens,
                                    std::int64_t before);

/// The same compaction of `cache` to `ratio` tokens per slot only. The ratio that is asked for
/// stays in the limits. @pre decision is Due
[[nodiscard]] TriggerDecision withRatio(const TriggerDecision& decision, const KvCache& cache,
                                        const KvOptions& settings, const TurnPlace& turn,
                                        double ratio);

/// One turn late nothing is due before the turn has ended, since it
/// is not interrupted.
[[nodiscard]] CompactionState describeState(const KvCache& cache, const KvOptions& options,
                                            const TurnPlace& turn = {});

}  // namespace lacuna
