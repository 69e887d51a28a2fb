#pragma once
/// \file
/// Options of the cache and of its compaction: plain data with units, ranges and sources.

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/kv/kv_values.h"
#include "engine/values/compaction_values.h"

namespace lacuna {

/// Keys that an eviction keeps, by their names in the literature. The right norm direction is an
/// open question for each model family, so both exist besides their controls (arXiv:2406.11430
/// keeps low norms; KeyDiff: arXiv:2504.15364). Other policies use the attention of the newest
/// queries (SnapKV, arXiv:2404.14469), of all queries (H2O, arXiv:2306.14048), of a repetition of
/// the text (KVzip, arXiv:2505.23416), of expected queries (arXiv:2510.00636), or of query centres
/// alone (TriAttention, arXiv:2604.04921). Auto is the policy with the best recall for the model's
/// family.
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

/// Names in settings and tables, in the order of the policies.
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

/// Returns true if a policy needs the queries of the conversation, which are then observed;
/// TriAttention needs none if query centres were calibrated for the model.
[[nodiscard]] constexpr bool watchesQueries(EvictionPolicy policy) {
    return policy == EvictionPolicy::SnapKV || policy == EvictionPolicy::H2O ||
           policy == EvictionPolicy::ExpectedAttention || policy == EvictionPolicy::TriAttention;
}
/// Returns true if it judges keys by queries: those of the conversation, a repetition or a
/// calibration.
[[nodiscard]] constexpr bool scoresByQueries(EvictionPolicy policy) {
    return watchesQueries(policy) || policy == EvictionPolicy::Reconstruct;
}
/// Returns true if its scores are attention shares, which are comparable between heads and layers.
[[nodiscard]] constexpr bool usesAttention(EvictionPolicy policy) {
    return scoresByQueries(policy) && policy != EvictionPolicy::TriAttention;
}

/// Heads that choose their slots jointly (docs/eviction.md, "Joint selection").
enum class LayerCoherence { PerHead, PerLayer, CrossLayer };

/// Division of slots by an eviction (docs/eviction.md, "Slots per head"): equally; among the heads
/// of a layer, with a safe share for each (Ada-KV, arXiv:2407.11550); or among all heads of the
/// model (KVzip). Auto is WholeModel for Reconstruct, otherwise Equal.
enum class EvictionBudgets { Auto, Equal, Adaptive, WholeModel };

/// Division of slots by attention matching (docs/attention-matching.md, "Slots per head"): equally,
/// by the breadth of attention, by the error curve, by a measurement of the model without a task or
/// with questions, or by a repetition of the text. Auto is TaskFree if the model was measured,
/// otherwise Coverage.
enum class HeadBudgets { Auto, Uniform, Entropy, Coverage, TaskFree, Questions, Reconstruction };

/// Source of reconstruction scores: a repetition of the text, or a surrogate that was fitted to the
/// model and predicts them while the text is read (docs/eviction.md, "Predicted scores"). Auto is
/// the surrogate if the model has one.
enum class ScoreSource { Auto, Repetition, Surrogate };

/// Queries that an attention matching is fitted to (docs/attention-matching.md, "Reference
/// queries"). Captured: those of the model so far. Context: those of the text, read a second time.
/// Repeat: those of a second reading after an instruction to repeat the text (arXiv:2505.23416,
/// arXiv:2602.16284). Random: synthetic ones, as a control.
enum class QuerySource { Captured, Context, Repeat, Random };

/// Time of the compaction when a budget or ratio is exceeded. TurnLate: at the end of a turn,
/// covering the text before that turn and fitted to the queries of the turn (arXiv:2608.00902).
enum class CompactWhen { AtBudget, TurnLate };

/// Selects whether sliding-window layers keep only their window (docs/cache-contracts.md, "Lists of
/// caches").
enum class LayerCaches { Auto, Uniform };

/// Rotation of rows before rotated coding: random signs and a Hadamard matrix, or a rotation
/// calibrated on the model (docs/number-formats.md, "Calibrated rotations"). Auto is Calibrated if
/// available.
enum class KvRotation { Auto, Hadamard, Calibrated };

/// Permitted loss of information about the text in a compaction (docs/quality.md, "A limit on the
/// loss"). Strict and Balanced stand for measured thresholds, Share for a share of kept
/// information.
struct LossLimit {
    enum class Level { Off, Strict, Balanced, Share };
    Level level = Level::Balanced;
    double share = 0;  ///< [0, 1]; least kept information, with Share
    [[nodiscard]] bool on() const { return level != Level::Off; }
    friend bool operator==(const LossLimit&, const LossLimit&) = default;
};

/// Names of the named levels, in order.
inline constexpr std::array<std::string_view, 3> kLossLimitNames{"off", "strict", "balanced"};

struct KvOptions {
    CompactionMethod method = CompactionMethod::None;
    /// Slots per head. At most this many stay after a compaction, as the mean over heads if these
    /// get unequal shares.
    std::optional<int> budget;
    /// [1, 50]; attention matching keeps tokens / ratio slots per head on average, including first
    /// and newest ones, but no more than `budget`. With 1 only `budget` applies. Protected tokens
    /// may need more slots.
    double amRatio = 4.0;
    int keepRecent = 16;  ///< number of newest tokens that are never changed
    int nSink = 4;        ///< number of first tokens that are never changed (attention sinks,
                          ///< arXiv:2309.17453)
    /// Number of tokens below which a conversation is not compacted, except by the cache limit; 0:
    /// none.
    int compactionFloor = 1024;
    /// Limits the loss if a ratio or budget would exceed it, except for the cache limit.
    LossLimit lossLimit = {};
    std::optional<int> margin;  ///< slots above target before compaction fires; unset:
                                ///< clamp(target/8, 16, 256)
    EvictionPolicy evictionPolicy = EvictionPolicy::Auto;
    LayerCoherence coherence = LayerCoherence::PerHead;
    EvictionBudgets evictionBudgets = EvictionBudgets::Auto;
    ScoreSource scoreSource = ScoreSource::Auto;  ///< source of reconstruction scores
    bool demoteStructure = false;  ///< lowers the scores of punctuation and blanks; policies by
                                   ///< attention
    HeadBudgets headBudgets = HeadBudgets::Auto;  ///< attention matching only
    double pinPercent = 0;  ///< attention matching only: share of the rarest tokens, which stay
                            ///< verbatim with their neighbours
    QuerySource querySource = QuerySource::Captured;  ///< attention matching only
    CompactWhen compactWhen = CompactWhen::AtBudget;
    bool background = true;  ///< attention matching only: runs while the conversation continues
    std::vector<int> skipLayers;  ///< layers that a compaction leaves uncompressed
    DType type = DType::F16;
    KvQuant quant = {};  ///< group codes of keys and values; by default numbers of `type`
    std::optional<KvRowType> values;  ///< format of the values if it differs from that of the keys
    /// [0, 1024]; number of newest tokens whose rows of rotated codes are also kept in 16 bits, as
    /// are those of the first nSink tokens; 0: none (KIVI, arXiv:2402.02750, keeps 128).
    int exactWindow = 128;
    KvRotation rotation = KvRotation::Auto;  ///< rotation for rotated codes
    /// [0, 4]; additional bits per number, on average over all rotated codes, assigned to the
    /// layers where they reduce the error of the model most (engine/kv/layer_bits.h).
    double extraBits = 0;
    /// Number of tokens that every layer keeps, including the first nSink; unset: all
    /// (arXiv:2309.17453).
    std::optional<int> window;
    LayerCaches layerCaches = LayerCaches::Auto;
    /// Limit of the checkpoints of recurrent states that a conversation keeps, MiB; 0: none.
    double stateMemoryMiB = 256;
    StateType stateType = StateType::Int8;  ///< number format of these checkpoints
    [[nodiscard]] bool rotated() const {
        return quant.rotated() || (values && values->quant.rotated());
    }
    [[nodiscard]] bool keepsExact() const { return rotated() && exactWindow > 0; }
    friend bool operator==(const KvOptions&, const KvOptions&) = default;
};

/// Division of slots by an eviction with these options, with Auto resolved.
[[nodiscard]] constexpr EvictionBudgets sharedOut(const KvOptions& options) {
    if (options.evictionBudgets != EvictionBudgets::Auto) return options.evictionBudgets;
    const bool whole = options.evictionPolicy == EvictionPolicy::Reconstruct &&
                       options.coherence == LayerCoherence::PerHead;
    return whole ? EvictionBudgets::WholeModel : EvictionBudgets::Equal;
}

}  // namespace lacuna
