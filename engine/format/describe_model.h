#pragma once
/// \file
/// What a model file is, as data. Whether it loads is found out by loading it with its weights left
/// in the file, so that this and loadModel never differ; nothing is computed. A file that would not
/// load is described as far as it can be read, with the reason. Pure functions.

#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/format/model_spec.h"
#include "engine/tensor/dtype.h"

namespace lacuna {

/// Architecture, shape, element types with bytes, context, cache bytes per token, tokenizer, chat
/// template, licence, notes, fingerprint. `supported` is false, with `reason`, when it would not
/// load. Errors: those of a container that cannot be read at all (NotFound, Gguf*, St*, Config).
[[nodiscard]] Result<OrderedJson> describeModel(const std::filesystem::path& path);
/// Bytes of keys and values that one token needs in an uncompacted cache of plain numbers.
[[nodiscard]] std::uint64_t kvBytesPerToken(const ModelSpec& spec, DType type);

}  // namespace lacuna
