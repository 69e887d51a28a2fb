#pragma once
/// \file
/// Measures what codes of each layer cost a model (engine/kv/layer_bits.h): a text is read once
/// with 16 bits, and once for the keys and the values of every layer with that side of it in
/// rotated codes, and the next-token distributions are compared over its second half. One thread at
/// a time. docs/number-formats.md, "Bits by layer".

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "engine/base/ids.h"
#include "engine/base/result.h"
#include "engine/kv/layer_bits.h"
#include "engine/model/transformer.h"

namespace lacuna {

struct LayerDamageMeasure {
    int bits = 3;             ///< of the codes
    int chunk = 128;          ///< tokens of a forward pass, at most the model's
    DType type = DType::F16;  ///< of what is not coded
    std::function<bool()> cancelled = {};
    std::function<void(std::int64_t done, std::int64_t total)> progress = {};  ///< readings
};

/// Rows are turned by the rotations of the model, where they were calibrated. Logits of the second
/// half are held: tokens / 2 x vocabulary floats. Errors: InvalidArgument (a text of fewer than two
/// tokens or longer than the context; heads that rotated codes have no rotation for), Unsupported
/// (logits that are not finite), Cancelled, NoMemory, those of Transformer::forward.
[[nodiscard]] Result<LayerDamage> measureLayerDamage(Transformer& model,
                                                     std::span<const TokenId> text,
                                                     const LayerDamageMeasure& measure);

}  // namespace lacuna
