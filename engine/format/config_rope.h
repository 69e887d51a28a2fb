#pragma once
/// \file
/// What a `config.json` says of rotary position embedding: `rope_parameters` (transformers 5, also
/// one for each kind of layer), or `rope_theta` and `rope_scaling`. Pure function. Source:
/// `modeling_rope_utils` of transformers 5.

#include <optional>

#include "engine/base/result.h"
#include "engine/format/architectures.h"
#include "engine/format/config_fields.h"
#include "engine/format/model_spec.h"

namespace lacuna {

struct ConfigRope {
    RopeSpec rope;
    std::optional<RopeSpec> local;  ///< of sliding layers, where the file or the family has one
};

/// `spec` holds the head size and the context. Errors: Config, ModelMissingKey, ModelBadRope.
[[nodiscard]] Result<ConfigRope> ropeFromConfig(const ConfigFields& config,
                                                const Architecture& architecture,
                                                const ModelSpec& spec);

}  // namespace lacuna
