#pragma once
/// \file
/// Describes a model file as data. It is loaded with its weights left in the file, so that the
/// result always agrees with loadModel; nothing is computed. A file that would not load is
/// described as far as it can be read, with the reason. Pure functions.

#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/format/model_spec.h"
#include "engine/tensor/dtype.h"

namespace lacuna {

/// Architecture, shape, element types with bytes, context, cache bytes per token, tokenizer, chat
/// template, licence, notes, fingerprint. `supported` is false, with `reason`, if it would not
/// load. Errors: those of a container that cannot be read at all (NotFound, Gguf*, St*, Config).
[[nodiscard]] Result<OrderedJson> describeModel(const std::filesystem::path& path);
/// Returns the bytes of keys and values per token in an uncompacted cache of unquantised numbers.
[[nodiscard]] std::uint64_t kvBytesPerToken(const ModelSpec& spec, DType type);

}  // namespace lacuna
