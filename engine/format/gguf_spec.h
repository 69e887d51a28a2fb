#pragma once
/// \file
/// GGUF metadata to ModelSpec. Pure function of the file.

#include "engine/base/result.h"
#include "engine/format/gguf.h"
#include "engine/format/model_spec.h"

namespace lacuna {

/// What the metadata says, checked (ModelSpec::check), without the facts that only tensors tell.
/// Errors: GgufNoArch, GgufMetaType, GgufSplit, Model*, Unsupported.
[[nodiscard]] Result<ModelSpec> specFromGguf(const GgufFile& file);

}  // namespace lacuna
