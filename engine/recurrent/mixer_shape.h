#pragma once
/// \file
/// Kinds and sizes of recurrent mixers. All are one scheme: a causal depthwise convolution over the
/// inputs of the newest tokens, and, except in ShortConvolution, a matrix [keyDim, valueDim] for
/// each value head that decays and receives an outer product with each token.

#include <cstddef>
#include <cstdint>

#include "engine/base/result.h"

namespace lacuna {

enum class MixerKind {
    ShortConvolution,  ///< only the convolution, without activation: lfm2
    DeltaNet,          ///< gated delta rule (arXiv:2412.06464): qwen3next, qwen35
    KimiDelta,         ///< the same with a decay for each key element (arXiv:2510.26692)
    Mamba2,            ///< state-space duality (arXiv:2405.21060)
};

/// The key head that value head j reads, with r = valueHeads / keyHeads.
enum class ValueHeadOrder {
    Grouped,  ///< j / r: safetensors, GGUF of qwen3next, Mamba-2
    Tiled,    ///< j mod keyHeads: GGUF of qwen35
};

/// Inputs of a token are one column of `channels` numbers: queries, keys, values in DeltaNet and
/// KimiDelta; values x, keys B, queries C in Mamba-2.
struct MixerShape {
    MixerKind kind = MixerKind::ShortConvolution;
    int kernel = 0;      ///< tokens that the convolution spans, including the newest
    int width = 0;       ///< channels of ShortConvolution, otherwise 0
    int keyHeads = 0;    ///< heads of keys and queries; Mamba-2: groups
    int valueHeads = 0;  ///< heads of values, each with a matrix
    int keyDim = 0;      ///< Mamba-2: state size
    int valueDim = 0;
    ValueHeadOrder order = ValueHeadOrder::Grouped;

    /// Numbers of a column.
    [[nodiscard]] std::int64_t channels() const {
        return width + std::int64_t{2} * keyHeads * keyDim + std::int64_t{valueHeads} * valueDim;
    }
    /// Decays of a token, which come first in its gates.
    [[nodiscard]] std::int64_t decays() const {
        return std::int64_t{valueHeads} * (kind == MixerKind::KimiDelta ? keyDim : 1);
    }
    /// Gates of a token: decays, then one strength for each value head (beta, or Mamba-2's dt).
    [[nodiscard]] std::int64_t gates() const { return decays() + valueHeads; }
    /// Numbers of the output of a token.
    [[nodiscard]] std::int64_t outputs() const {
        return width + std::int64_t{valueHeads} * valueDim;
    }
    /// Numbers of the matrices, [valueHeads, keyDim, valueDim].
    [[nodiscard]] std::int64_t matrixNumbers() const {
        return std::int64_t{valueHeads} * keyDim * valueDim;
    }
    /// Numbers of the columns before the next token, [kernel - 1, channels].
    [[nodiscard]] std::int64_t historyNumbers() const { return (kernel - 1) * channels(); }
    [[nodiscard]] std::int64_t stateNumbers() const { return historyNumbers() + matrixNumbers(); }
    [[nodiscard]] int keyHeadOf(int valueHead) const {
        return order == ValueHeadOrder::Tiled ? valueHead % keyHeads
                                              : valueHead / (valueHeads / keyHeads);
    }
    /// Errors: InvalidArgument, naming the size.
    [[nodiscard]] Status check() const;
    friend bool operator==(const MixerShape&, const MixerShape&) = default;
};

}  // namespace lacuna
