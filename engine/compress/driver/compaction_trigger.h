#pragma once
/// \file
/// Decides when a cache is compacted and to what size. Pure functions: they read lengths of a cache
/// and change nothing. docs/eviction.md, "When a compaction fires"; docs/attention-matching.md,
/// "One turn late" (arXiv:2608.00902), "Rules" (AM-2, AM-16).

#include <cstdint>
#include <optional>
#include <span>

#include "engine/kv/eviction/kept_spans.h"
#include "engine/kv/kv_cache.h"
#include "engine/kv/kv_options.h"
#include "engine/values/compaction_values.h"

namespace lacuna {

/// Average number of slots per head that a ratio leaves besides the protected ones. It is twice the
/// minimum of every head, so that half of them can still move to the heads that need them.
inline constexpr int kMinOwnSlots = 16;

/// Returns the options with budget and ratio replaced so that `share` of `tokens` tokens is kept,
/// in (0, 1], including the first and newest ones; more if these need it.
[[nodiscard]] KvOptions keepingShare(const KvOptions& options, double share, std::int64_t tokens);

/// Position of the newest turn in the conversation.
struct TurnPosition {
    std::int64_t before = 0;  ///< number of tokens before the newest turn
    bool over = false;        ///< the newest turn has ended
    std::int64_t answer = 0;  ///< number of tokens before its answer; 0 if unknown
    TokenSpan question = {};  ///< its user message with the surrounding template text; empty if
                              ///< unknown
    bool plainText = false;   ///< no message was found in it: only the end of the question is
                              ///< protected

    /// Returns the part of the question within the first `tokens` tokens while the question is
    /// unanswered.
    [[nodiscard]] TokenSpan unanswered(std::int64_t tokens) const;
};

struct CompactionLimits {
    int target = 0;                 ///< slots per head after a compaction
    int trigger = 0;                ///< fires if a head has more slots
    int nSink = 0, keepRecent = 0;  ///< number of first and newest tokens that are not changed
    int open = 0;  ///< number of newest tokens that can be rolled back afterwards; openTokens
    TokenSpan question = {};  ///< the unanswered question, which is not changed either
    int protectedTokens = 0;  ///< first and newest tokens and the question together
    /// Tokens per slot according to the settings alone; the target gives fewer if protected tokens
    /// need the slots.
    double requestedRatio = 0;
};

/// Returns nullopt if the options never compact: no method, L2 without a budget, or attention
/// matching with a ratio of 1 and no budget. A ratio includes the first and newest tokens. An
/// unanswered question is added on top, so that the text before it is not compacted further than
/// requested.
[[nodiscard]] std::optional<CompactionLimits> compactionLimits(const KvOptions& options,
                                                               std::int64_t tokens,
                                                               const TurnPosition& turn = {});
/// Returns nullopt if `tokens` tokens reach the requested ratio, or nearly so.
[[nodiscard]] std::optional<ProtectedLimit> limitedRatio(const CompactionLimits& limits,
                                                         std::int64_t tokens);
/// Mean number of slots per head over the heads that a compaction with these options changes.
[[nodiscard]] double meanSlots(const KvCache& cache, std::span<const int> skipLayers);
/// Number of slots compared with the limits: those of the largest head among the layers that a
/// compaction with these options changes. If heads differ on purpose (attention matching, evictions
/// that divide slots among heads), their mean, rounded up.
[[nodiscard]] int compactableSlots(const KvCache& cache, const KvOptions& options);
/// Returns true if a compaction with these options would leave every layer uncompressed.
[[nodiscard]] bool skipsEveryLayer(const KvCache& cache, const KvOptions& options);

/// Returns how many of the newest `tokens` tokens a compaction to these limits leaves unchanged, so
/// that the newest turn can be regenerated or edited without reading the text before it again.
/// These are the tokens of the turn; if there are too many, those of its answer and the token
/// before it, which is always evaluated again. First tokens and these take at most three eighths of
/// the target, without the unanswered question, unless `keepRecent` is larger anyway. Returns 0 if
/// neither fits, since nothing would be gained.
[[nodiscard]] int openTokens(const CompactionLimits& limits, std::int64_t tokens,
                             const TurnPosition& turn);

/// A compaction that failed, or that the loss limit stopped short of the requested ratio. With
/// these settings it is not retried before the text has `until` tokens.
struct FailedCompaction {
    std::int64_t until = 0;
    KvOptions settings;
};
/// A compaction that failed at `tokens` tokens.
[[nodiscard]] FailedCompaction failedAt(std::int64_t tokens, const KvOptions& settings);
/// A compaction that was limited at `tokens` tokens. The loss is measured over the full text, so a
/// few more tokens change little.
[[nodiscard]] FailedCompaction limitedAt(std::int64_t tokens, const KvOptions& settings);

/// Off: never with these settings, or not now. Waits: until the end of the turn, or until the text
/// has as many tokens as compaction_floor. TooEarly: it recently failed or was limited
/// (FailedCompaction).
enum class Trigger { Off, Waits, Below, TooEarly, Due };

struct TriggerDecision {
    Trigger trigger = Trigger::Off;
    CompactionLimits limits = {};                  ///< not set if Off
    std::optional<KvOptions> late = std::nullopt;  ///< options to compact with instead of the
                                                   ///< settings
    CompactionNote reason = {};  ///< reason given by decideRequested, whenever it is not Due
};

/// Decides after a step. Heads are not counted if the text is shorter than the trigger.
[[nodiscard]] TriggerDecision decideAfterStep(const KvCache& cache, const KvOptions& settings,
                                              const TurnPosition& turn,
                                              const std::optional<FailedCompaction>& failed);
/// Decides after the last step of a turn whether the text before it is compacted one turn late.
[[nodiscard]] TriggerDecision decideAfterTurn(const KvCache& cache, const KvOptions& settings,
                                              const TurnPosition& turn,
                                              const std::optional<FailedCompaction>& failed);
/// Decides for a requested compaction: Due if it would gain anything, whatever the margin. Nothing
/// is compacted below the floor, unless the options have none.
[[nodiscard]] TriggerDecision decideRequested(const KvCache& cache, const KvOptions& settings,
                                              const TurnPosition& turn);

/// Returns the options of a compaction one turn late, at the end of a turn that extended the text
/// from `before` to `tokens` tokens, for a trigger that knows nothing of turns: the turn is
/// protected. The AM ratio applies to the text before the turn, and the turn is added on top. A
/// budget covers all slots as usual, but is never too small for the turn.
[[nodiscard]] KvOptions lateOptions(const KvOptions& options, std::int64_t tokens,
                                    std::int64_t before);

/// Returns the same compaction of `cache`, but to `ratio` tokens per slot only. The limits keep the
/// requested ratio. @pre decision is Due
[[nodiscard]] TriggerDecision withRatio(const TriggerDecision& decision, const KvCache& cache,
                                        const KvOptions& settings, const TurnPosition& turn,
                                        double ratio);

/// With TurnLate nothing is due before the turn has ended, because the turn is not interrupted.
[[nodiscard]] CompactionState describeState(const KvCache& cache, const KvOptions& options,
                                            const TurnPosition& turn = {});

}  // namespace lacuna
