#pragma once
/// \file
/// Measures how much coding each layer costs a model (engine/kv/layer_bits.h). A text is read once
/// in 16 bits, and once for the keys and the values of every layer with only these in rotated
/// codes; the next-token distributions of its second half are compared. Not thread-safe.
/// docs/number-formats.md, "Bits by layer".

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "engine/base/ids.h"
#include "engine/base/result.h"
#include "engine/kv/layer_bits.h"
#include "engine/model/transformer.h"

namespace lacuna {

struct LayerLossMeasure {
    int bits = 3;             ///< bits of the codes
    int chunk = 128;          ///< tokens per forward pass, at most the model's limit
    DType type = DType::F16;  ///< number type of uncoded rows
    std::function<bool()> cancelled = {};
    std::function<void(std::int64_t done, std::int64_t total)> progress = {};  ///< counts readings
                                                                               ///< of the text
};

/// Uses the model's calibrated rotations if there are any. Holds the logits of the second half:
/// tokens / 2 x vocabulary floats. Errors: InvalidArgument (fewer than two tokens, or longer than
/// the context; heads without a rotation for rotated codes), Unsupported (logits that are not
/// finite), Cancelled, NoMemory, those of Transformer::forward.
[[nodiscard]] Result<LayerLoss> measureLayerLoss(Transformer& model, std::span<const TokenId> text,
                                                 const LayerLossMeasure& measure);

}  // namespace lacuna
