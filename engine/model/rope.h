#pragma once
/// \file
/// Rotary position embedding: frequencies of a model and the cosine and sine of the running rows.
/// Frequencies and angles are float64; tables are float. Owned by one thread.
/// Sources: Su et al. 2021 (RoPE); the scaling of Llama 3.1 as in Hugging Face transformers.

#include <vector>

#include "engine/base/ids.h"
#include "engine/format/model_spec.h"
#include "engine/kernels/kernels.h"

namespace lacuna {

/// How exactly the frequencies are kept.
enum class RopeRounding {
    None,
    /// To bfloat16, as a reference program has them that casts a whole model, buffers included, to
    /// bfloat16 and back. Only for comparing with such a reference: at position 55 the logits move
    /// by about 1 %.
    Bfloat16,
};

/// Radians per token of each pair [dim / 2], scaling and the file's own factors applied.
[[nodiscard]] std::vector<double> ropeFrequencies(const RopeSpec& spec,
                                                  RopeRounding rounding = RopeRounding::None);

/// Cosine and sine for up to `maxRows` rows, filled once per step and read by every layer.
class RopeRows {
  public:
    RopeRows(const RopeSpec& spec, int maxRows, RopeRounding rounding = RopeRounding::None);
    /// @pre row < maxRows
    void set(int row, Position position);
    [[nodiscard]] Rotation row(int row) const;
    [[nodiscard]] std::size_t bytes() const;

  private:
    std::vector<double> frequencies_;  ///< [pairs]
    std::vector<float> cosines_;       ///< [rows, pairs]
    std::vector<float> sines_;         ///< [rows, pairs]
};

}  // namespace lacuna
