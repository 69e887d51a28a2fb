#pragma once
/// \file
/// The hyperparameters of a model as metadata of a GGUF file. Pure function.

#include "engine/format/architectures.h"
#include "engine/format/gguf_writer.h"
#include "engine/format/model_spec.h"

namespace lacuna {

/// Keys begin with the architecture's GGUF name. What an architecture says by itself (gemma's
/// pattern of windows) is not written, as readers that do not expect a key may refuse it.
/// @pre checkConvertible(spec)
void addHyperparameters(GgufMetadata& metadata, const ModelSpec& spec,
                        const Architecture& architecture);

}  // namespace lacuna
