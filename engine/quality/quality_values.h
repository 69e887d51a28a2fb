#pragma once
/// \file
/// What is asked and said of quality outside of the room that measures it: settings to try, and the
/// figures of an estimate, a comparison, a sweep and a live sample. Plain data.

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/ids.h"
#include "engine/kv/kv_options.h"
#include "engine/kv/kv_values.h"
#include "engine/values/compaction_values.h"
#include "engine/values/turn_values.h"

namespace lacuna {

class TrialRows;  // trial_cache.h

/// One sample of a conversation's quality while it goes on.
struct LiveQuality {
    std::int64_t tokens = 0;  ///< of the conversation, when it was measured
    double kl = 0;            ///< of the next-token distribution, nats
    bool sameTop = false;     ///< the likeliest next token is the same
    /// Relative attention-output error, mean over a few heads that change from sample to sample,
    /// for the newest token's queries.
    std::optional<double> outputError;
    double costMs = 0;    ///< wall time of measuring beside steps since the sample before
    double decodeMs = 0;  ///< wall time of the steps since then
    double pauseMs = 0;   ///< wall time of measuring in the pause after the answer
    std::int64_t shadowBytes = 0;

    /// Of the time since the sample before, 0..1.
    [[nodiscard]] double costShare() const {
        return costMs + decodeMs > 0 ? costMs / (costMs + decodeMs) : 0;
    }
};

/// Many positions as a few figures.
struct DivergenceFigures {
    std::int64_t positions = 0;
    double klMean = 0, klMedian = 0, klP99 = 0, klLargest = 0;  ///< nats
    double top1 = 0;  ///< share of positions whose likeliest token is the same, 0..1
};

/// What a compaction is thought to do, before it is done.
struct CompactionPreview {
    std::int64_t tokens = 0;  ///< of the conversation when it was tried
    bool compacts = false;    ///< something would go; the figures after it are those of now if not
    CompactionNotes notes = {};  ///< why nothing would go, or what to know of the compaction
    /// Heads that an attention matching would shrink, and those of them that were fitted to see it.
    std::int64_t heads = 0, headsFitted = 0;
    std::int64_t slotsNow = 0, slotsAfter = 0;  ///< over layers and heads; the latter estimated
    std::int64_t liveBytesNow = 0, liveBytesAfter = 0;
    std::int64_t logicalBytes = 0;
    /// Relative output error on queries held out of the fit, mean over the heads fitted; attention
    /// matching only. What CompactionReport::heldOutError is afterwards.
    std::optional<double> outputError;
    /// Its standard error where some heads were not fitted; 0 where all were.
    double outputErrorSpread = 0;
    double seconds = 0;        ///< that the estimate took
    bool keptFollows = false;  ///< what it keeps is being measured, and said later
    /// What the compacted copy keeps of the text's information; nothing: it was not measured.
    std::optional<KeptInformation> kept = std::nullopt;
};

/// What one side did.
struct ComparedRun {
    std::vector<TokenId> tokens;  ///< of the answer, the end token included when one came
    std::string text;
    FinishReason finish = FinishReason::Stop;
    std::int64_t compactions = 0;
    std::int64_t evictions = 0;                  ///< slots evicted or merged, over layers and heads
    double compactionMs = 0;                     ///< of all compactions
    std::optional<CompactionReport> compaction;  ///< the newest, or why there was none
    KvStats kv;                                  ///< at the end
    double prefillSeconds = 0, decodeSeconds = 0;  ///< of steps; measuring is not in them
    std::int64_t prefillTokens = 0, decodeTokens = 0;
    std::optional<DivergenceFigures> divergence;  ///< of the tokens drawn after an eviction
    std::string whyNoDivergence;                  ///< when there is none

    [[nodiscard]] double ratio() const;  ///< logical over live bytes
    [[nodiscard]] double decodeTokensPerSecond() const;
};

/// First token at which two answers differ.
struct FirstDivergence {
    std::int64_t index = 0;             ///< in the answers, from 0
    std::array<std::string, 2> pieces;  ///< text of each token there; empty: that answer has ended
};

struct Comparison {
    std::int64_t promptTokens = 0;
    std::array<ComparedRun, 2> runs;        ///< A and B
    std::optional<FirstDivergence> parted;  ///< none: the same tokens
};

/// What one copy is compacted with.
struct ShadowSetting {
    KvOptions kv;
    /// Slots as a share of the context, in (0, 1], first and newest ones included; takes the
    /// place of kv.budget and kv.amRatio.
    std::optional<double> budgetShare;
    /// What makes a cache in place of the formats of `kv`; nothing is compacted then, and no heads
    /// are compared. Null: those formats.
    std::shared_ptr<const TrialRows> rows = {};
};

/// One of the settings of a sweep.
struct GridSetting {
    std::string method;    ///< "am", "keydiff"; settings of a name make one curve
    std::string asked;     ///< how much of the cache it was to keep: "4x", "512 slots"
    std::string settings;  ///< everything that differs from the defaults: "method=am"
    ShadowSetting setting;
    std::string refused = {};  ///< why it cannot be tried with this model, a sentence; or empty
};

/// What was measured under one setting.
struct GridRow {
    std::string method, asked;
    std::string kind;          ///< empty: all items
    std::int64_t items = 0;    ///< measured
    std::int64_t refused = 0;  ///< items from which nothing was evicted; in no figure
    std::int64_t evictions = 0;
    double liveShare = 0;  ///< live of logical bytes, over all items
    DivergenceFigures divergence;
    double perplexityChange = 0;  ///< exp(mean nll' - mean nll) - 1, every position counts alike
    std::optional<double> outputError, logMassError;  ///< means over the items that have them
    std::int64_t asks = 0, wholeHits = 0, hits = 0;   ///< questions with a right answer
    std::int64_t answers = 0, sameAnswers = 0;        ///< greedy answers equal to the last token
    double agreedMedian = 0;                          ///< tokens before the first that differs
    double compactionMs = 0;                          ///< median
    bool onFront = false;  ///< no other setting has both fewer live bytes and less divergence

    [[nodiscard]] double recall() const {
        return asks == 0 ? 0 : static_cast<double>(hits) / static_cast<double>(asks);
    }
};

}  // namespace lacuna
