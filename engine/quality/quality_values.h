#pragma once
/// \file
/// Inputs and results of quality measurements, for callers outside of engine/quality: settings to
/// try, and the figures of an estimate, a comparison, a sweep and a live sample. Plain data.

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

/// One quality sample of a running conversation.
struct LiveQuality {
    std::int64_t tokens = 0;  ///< length of the conversation at the time of the sample
    double kl = 0;            ///< divergence of the next-token distribution, nats
    bool sameTop = false;     ///< the top next token is the same
    /// Relative attention-output error, mean over a few heads that change from sample to sample,
    /// for the newest token's queries.
    std::optional<double> outputError;
    double costMs = 0;    ///< wall time spent measuring between steps since the previous sample
    double decodeMs = 0;  ///< wall time of the steps since then
    double pauseMs = 0;   ///< wall time spent measuring in the pause after the answer
    std::int64_t shadowBytes = 0;

    /// Share of the time since the previous sample, 0..1.
    [[nodiscard]] double costShare() const {
        return costMs + decodeMs > 0 ? costMs / (costMs + decodeMs) : 0;
    }
};

/// Divergence over many positions, as summary figures.
struct DivergenceFigures {
    std::int64_t positions = 0;
    double klMean = 0, klMedian = 0, klP99 = 0, klLargest = 0;  ///< nats
    double top1 = 0;  ///< share of positions with the same top token, 0..1
};

/// Predicted effect of a compaction.
struct CompactionPreview {
    std::int64_t tokens = 0;  ///< length of the conversation at the time of the estimate
    bool compacts = false;    ///< something would be evicted; otherwise the figures below describe
                              ///< the current state
    CompactionNotes notes = {};  ///< why nothing would be evicted, or remarks about the compaction
    /// Heads that attention matching would compact, and how many of them were fitted as a sample.
    std::int64_t heads = 0, headsFitted = 0;
    std::int64_t slotsNow = 0, slotsAfter = 0;  ///< sums over layers and heads; slotsAfter is an
                                                ///< estimate
    std::int64_t liveBytesNow = 0, liveBytesAfter = 0;
    std::int64_t logicalBytes = 0;
    /// Relative output error on held-out queries, mean over the fitted heads; attention matching
    /// only. Predicts CompactionReport::heldOutError.
    std::optional<double> outputError;
    /// Standard error of outputError if only some heads were fitted; 0 if all were.
    double outputErrorSpread = 0;
    double seconds = 0;        ///< duration of the estimate
    bool keptFollows = false;  ///< kept information is still being measured and is published later
    /// Information about the text that the compacted copy keeps; nullopt if not measured.
    std::optional<KeptInformation> kept = std::nullopt;
};

/// Result of one side of a comparison.
struct ComparedRun {
    std::vector<TokenId> tokens;  ///< tokens of the answer, including the end token if there is one
    std::string text;
    FinishReason finish = FinishReason::Stop;
    std::int64_t compactions = 0;
    std::int64_t evictions = 0;                  ///< slots evicted or merged, over layers and heads
    double compactionMs = 0;                     ///< total of all compactions
    std::optional<CompactionReport> compaction;  ///< the latest one, or why there was none
    KvStats kv;                                  ///< statistics at the end of the run
    double prefillSeconds = 0, decodeSeconds = 0;  ///< duration of the steps, excluding
                                                   ///< measurements
    std::int64_t prefillTokens = 0, decodeTokens = 0;
    std::optional<DivergenceFigures> divergence;  ///< covers the tokens sampled after an eviction
    std::string divergenceBlocker;                ///< empty if there is a divergence

    [[nodiscard]] double ratio() const;  ///< logical over live bytes
    [[nodiscard]] double decodeTokensPerSecond() const;
};

/// The first token at which two answers differ.
struct FirstDivergence {
    std::int64_t index = 0;             ///< index in the answers, from 0
    std::array<std::string, 2> pieces;  ///< text of each token there; empty if that answer has
                                        ///< ended
};

struct Comparison {
    std::int64_t promptTokens = 0;
    std::array<ComparedRun, 2> runs;            ///< A and B
    std::optional<FirstDivergence> divergence;  ///< nullopt if the tokens are equal
};

/// Settings of one compacted copy.
struct ShadowSetting {
    KvOptions kv;
    /// Slots as a share of the context, in (0, 1], including sinks and newest tokens; overrides
    /// kv.budget and kv.amRatio.
    std::optional<double> budgetShare;
    /// Makes the cache in place of the formats of `kv`; nothing is compacted then, and heads are
    /// not compared. Null uses those formats.
    std::shared_ptr<const TrialRows> rows = {};
};

/// One setting of a sweep.
struct GridSetting {
    std::string method;    ///< "am", "keydiff"; settings with the same name form one curve
    std::string asked;     ///< requested cache size: "4x", "512 slots"
    std::string settings;  ///< everything that differs from the defaults: "method=am"
    ShadowSetting setting;
    std::string refused = {};  ///< why this model cannot use it; empty if it can
};

/// Measurements of one setting.
struct GridRow {
    std::string method, asked;
    std::string kind;          ///< empty for all items
    std::int64_t items = 0;    ///< number of measured items
    std::int64_t refused = 0;  ///< items from which nothing was evicted; excluded from all figures
    std::int64_t evictions = 0;
    double liveShare = 0;  ///< live over logical bytes, over all items
    DivergenceFigures divergence;
    double perplexityChange = 0;  ///< exp(mean nll' - mean nll) - 1, weighted by positions
    std::optional<double> outputError, logMassError;      ///< means over the items that have them
    std::int64_t answerable = 0, fullHits = 0, hits = 0;  ///< questions with a right answer, and
                                                          ///< how many the full and the compacted
                                                          ///< cache answer
    std::int64_t answers = 0, sameAnswers = 0;  ///< greedy answers, and how many are equal to the
                                                ///< last token
    double agreedMedian = 0;  ///< median number of tokens before the first difference
    double compactionMs = 0;  ///< median
    bool onFront = false;  ///< Pareto-optimal: no other setting has both fewer live bytes and less
                           ///< divergence

    [[nodiscard]] double recall() const {
        return answerable == 0 ? 0 : static_cast<double>(hits) / static_cast<double>(asks);
    }
};

}  // namespace lacuna
