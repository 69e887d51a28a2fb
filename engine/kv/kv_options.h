#pragma once
/// \file
/// Options of the cache and its compaction, as plain data with units, ranges and sources.

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/kv/kv_values.h"
#include "engine/values/compaction_values.h"

namespace lacuna {

/// Which keys an eviction keeps, under the names of the field. The norm direction is an open
/// question per model family, so both are offered alongside their controls (arXiv 2406.11430 keeps
/// low norms; KeyDiff: arXiv 2504.15364), and with the attention that the newest queries (SnapKV,
/// arXiv 2404.14469), all queries (H2O, arXiv 2306.14048) or those of a repetition of the text
/// (KVzip, arXiv 2505.23416) give, or queries to come are expected to give (arXiv 2510.00636), also
/// by the centres of the model's queries alone (TriAttention, arXiv 2604.04921). Auto is what
/// recall was best with for the model's family.
enum class EvictionPolicy {
    KeepLowNorm,
    KeepHighNorm,
    KeyDiff,
    StreamingLLM,
    Random,
    SnapKV,
    H2O,
    Reconstruct,
    ExpectedAttention,
    TriAttention,
    Auto
};

/// In the order of the policies, as settings and tables write them.
inline constexpr std::array<std::string_view, 11> kEvictionPolicyNames{"keep_low",
                                                                       "keep_high",
                                                                       "keydiff",
                                                                       "recent_only",
                                                                       "random",
                                                                       "observation_window",
                                                                       "accumulated_attention",
                                                                       "reconstruct",
                                                                       "expected_attention",
                                                                       "tri_attention",
                                                                       "auto"};

/// Whether a policy needs the queries of the conversation, which are then watched; TriAttention
/// needs none where the centres of the model's queries were calibrated.
[[nodiscard]] constexpr bool watchesQueries(EvictionPolicy policy) {
    return policy == EvictionPolicy::SnapKV || policy == EvictionPolicy::H2O ||
           policy == EvictionPolicy::ExpectedAttention || policy == EvictionPolicy::TriAttention;
}
/// Whether it judges keys by queries, of the conversation, a repetition or a calibration.
[[nodiscard]] constexpr bool judgesByQueries(EvictionPolicy policy) {
    return watchesQueries(policy) || policy == EvictionPolicy::Reconstruct;
}
/// Whether its scores are shares of attention, which mean the same in every head and layer.
[[nodiscard]] constexpr bool usesAttention(EvictionPolicy policy) {
    return judgesByQueries(policy) && policy != EvictionPolicy::TriAttention;
}

/// Which heads choose together (docs/eviction.md, "Heads that choose together").
enum class LayerCoherence { PerHead, PerLayer, CrossLayer };

/// How an eviction shares its slots out (docs/eviction.md, "Slots by head"): every head the same;
/// among the heads of a layer, with a safe share for each (Ada-KV, arXiv 2407.11550); or among all
/// heads of the model (KVzip). Auto is WholeModel for Reconstruct, else Equal.
enum class EvictionBudgets { Auto, Equal, Adaptive, WholeModel };

/// Who gets the slots of a compaction by attention matching (docs/attention-matching.md, "Slots by
/// head"): every head the same, by how widely it looks, by how its error falls, by what was
/// measured of the model, without a task or with questions, or by what a repetition of this very
/// text looks at. Auto is TaskFree where the model was measured so, else Coverage.
enum class HeadBudgets { Auto, Uniform, Entropy, Coverage, TaskFree, Questions, Reconstruction };

/// Where reconstruction scores come from: a repetition of the text, or a surrogate that was fitted
/// to the model and foretells them while the text is read (docs/eviction.md, "Scores foretold").
/// Auto is the surrogate where the model has one.
enum class ScoreSource { Auto, Repetition, Surrogate };

/// Whose queries an attention matching is fitted to (docs/attention-matching.md, "Reference
/// queries"). Captured: those the model asked so far. Context: those of the text, read once more.
/// Repeat: those of a second reading, after an instruction to repeat the text (arXiv 2505.23416,
/// 2602.16284). Random: nobody's, a control.
enum class QuerySource { Captured, Context, Repeat, Random };

/// When a budget or ratio that is passed leads to a compaction. TurnLate: at the end of a turn, of
/// what stood before that turn, judged by the queries of the turn itself (arXiv 2608.00902).
enum class CompactWhen { AtBudget, TurnLate };

/// Whether layers that see a window of the text keep only that window (docs/cache-contracts.md,
/// "Lists of caches").
enum class LayerCaches { Auto, Uniform };

/// What turns the rows of rotated codes: random signs and a Hadamard matrix, or what was calibrated
/// on the model (docs/number-formats.md, "Calibrated rotations"). Auto is Calibrated where that was
/// done.
enum class KvRotation { Auto, Hadamard, Calibrated };

/// How much a compaction may lose of what the model knows of the text (docs/quality.md, "A limit on
/// the loss"). Strict and Balanced stand for measured thresholds, Share for kept information.
struct LossLimit {
    enum class Level { Off, Strict, Balanced, Share };
    Level level = Level::Balanced;
    double share = 0;  ///< [0, 1]; least kept information, with Share
    [[nodiscard]] bool on() const { return level != Level::Off; }
    friend bool operator==(const LossLimit&, const LossLimit&) = default;
};

/// The levels that settings call by name, in order.
inline constexpr std::array<std::string_view, 3> kLossLimitNames{"off", "strict", "balanced"};

struct KvOptions {
    CompactionMethod method = CompactionMethod::None;
    /// Slots per head; at most this many stay after a compaction, as the mean over heads where they
    /// get unequal shares.
    std::optional<int> budget;
    /// [1, 50]; attention matching keeps tokens / ratio slots a head on average, first and newest
    /// ones included, no more than `budget`; 1: only `budget` says how many. Protected tokens may
    /// need more slots than that.
    double amRatio = 4.0;
    int keepRecent = 32;  ///< newest tokens never touched
    int nSink = 4;        ///< first tokens never touched (attention sinks, arXiv 2309.17453)
    /// Tokens of a conversation below which it is not compacted, except by the cache limit; 0:
    /// none.
    int compactionFloor = 1024;
    /// What the program keeps where a ratio or budget asks for more, except by the cache limit.
    LossLimit lossLimit = {};
    std::optional<int> margin;  ///< slots above target before compaction fires; off:
                                ///< clamp(target/8, 16, 256)
    EvictionPolicy evictionPolicy = EvictionPolicy::Auto;
    LayerCoherence coherence = LayerCoherence::PerHead;
    EvictionBudgets evictionBudgets = EvictionBudgets::Auto;
    ScoreSource scoreSource = ScoreSource::Auto;  ///< of reconstruction scores
    bool demoteStructure = false;  ///< punctuation and blanks count less; policies by attention
    HeadBudgets headBudgets = HeadBudgets::Auto;  ///< attention matching only
    double pinPercent = 0;  ///< attention matching only: rarest tokens that stay verbatim, with
                            ///< neighbours
    QuerySource fitQueries = QuerySource::Captured;  ///< attention matching only
    CompactWhen compactWhen = CompactWhen::AtBudget;
    bool background = true;       ///< attention matching only: while the conversation goes on
    std::vector<int> skipLayers;  ///< layers a compaction leaves whole
    DType type = DType::F16;
    KvQuant quant = {};               ///< group codes of keys and values; plain: numbers of `type`
    std::optional<KvRowType> values;  ///< format of the values where it differs from the keys'
    /// [0, 1024]; newest tokens whose rows of rotated codes are kept in 16 bits as well, together
    /// with those of the first nSink; 0: none (KIVI, arXiv 2402.02750, keeps 128).
    int exactWindow = 128;
    KvRotation rotation = KvRotation::Auto;  ///< of rotated codes
    /// [0, 4]; so many bits a number more, on average over what has rotated codes, in the layers
    /// where they save the model most (engine/kv/layer_bits.h).
    double extraBits = 0;
    /// Tokens that every layer keeps, the first nSink among them; off: all (arXiv 2309.17453).
    std::optional<int> window;
    LayerCaches layerCaches = LayerCaches::Auto;
    [[nodiscard]] bool rotated() const {
        return quant.rotated() || (values && values->quant.rotated());
    }
    [[nodiscard]] bool keepsExact() const { return rotated() && exactWindow > 0; }
    friend bool operator==(const KvOptions&, const KvOptions&) = default;
};

/// How an eviction with these options shares its slots out, Auto resolved.
[[nodiscard]] constexpr EvictionBudgets sharedOut(const KvOptions& options) {
    if (options.evictionBudgets != EvictionBudgets::Auto) return options.evictionBudgets;
    const bool whole = options.evictionPolicy == EvictionPolicy::Reconstruct &&
                       options.coherence == LayerCoherence::PerHead;
    return whole ? EvictionBudgets::WholeModel : EvictionBudgets::Equal;
}

}  // namespace lacuna
