#pragma once
/// \file
/// Rotary position embedding: the frequencies of a model, and cosine and sine of the current rows.
/// Frequencies and angles are float64; tables are float. Owned by one thread. Sources: Su et al.
/// 2021 (RoPE); the scalings of RopeSpec as in Hugging Face transformers, `modeling_rope_utils`.

#include <cstdint>
#include <vector>

#include "engine/base/ids.h"
#include "engine/format/model_spec.h"
#include "engine/kernels/kernels.h"

namespace lacuna {

/// Returns radians per token for each pair [dim / 2] in a sequence of `length` tokens (used by
/// LongRope and Dynamic), including scaling and the file's own factors.
[[nodiscard]] std::vector<double> ropeFrequencies(const RopeSpec& spec, std::int64_t length = 0);

/// Cosine and sine, times RopeSpec::magnitude, for up to `maxRows` rows, filled once per step and
/// read by every layer. Allocates nothing after creation.
class RopeRows {
  public:
    RopeRows(const RopeSpec& spec, int maxRows);
    /// Rows set after this call belong to a sequence of `length` tokens.
    void beginSequence(std::int64_t length);
    /// @pre row < maxRows
    void set(int row, Position position);
    [[nodiscard]] RotaryStep row(int row) const;
    [[nodiscard]] std::size_t bytes() const;

  private:
    RopeSpec spec_;
    std::int64_t length_ = 0;  ///< length for which the frequencies are valid, see decidingLength
    std::vector<double> frequencies_;  ///< [pairs]
    std::vector<float> cosines_;       ///< [rows, pairs]
    std::vector<float> sines_;         ///< [rows, pairs]
};

}  // namespace lacuna
