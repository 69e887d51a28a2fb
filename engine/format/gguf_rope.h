#pragma once
/// \file
/// What a GGUF file says of rotary position embedding, in its metadata and in its tensors of
/// factors. Pure function.

#include <optional>

#include "engine/base/result.h"
#include "engine/format/architectures.h"
#include "engine/format/gguf_keys.h"
#include "engine/format/model_spec.h"

namespace lacuna {

struct GgufRope {
    RopeSpec rope;
    std::optional<RopeSpec> local;  ///< of sliding layers, where the file or the family has one
};

/// `spec` holds the head size and the context. Errors: GgufMetaType, ModelBadRope.
[[nodiscard]] Result<GgufRope> ropeFromGguf(const GgufKeys& keys, const Architecture& architecture,
                                            const ModelSpec& spec);

/// What a YaRN file multiplies cosine and sine by before its own factor: 1 + 0.1 ln(factor).
[[nodiscard]] double ggufYarnMagnitude(double factor);

}  // namespace lacuna
