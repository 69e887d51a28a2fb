#pragma once
/// \file
/// The file of query centres (engine/kv/eviction/tri_attention.h): a small safetensors file next to
/// the model, `model.centres.safetensors`, or below the user's own data where that folder cannot be
/// written. Tensors `means` F32 [layers, heads, length] and `lengths` F32 [layers, heads, bands];
/// in its metadata `format` (lacuna-query-centres-1), `fingerprint` of the model that was
/// calibrated, `model`, `how` and `tokens`. Read strictly: what does not fit, or is no finite
/// number, is refused as a whole.

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/format/model_spec.h"
#include "engine/kv/eviction/tri_attention.h"

namespace lacuna {

/// model.gguf -> model.centres.safetensors in the same folder; a folder's lies inside it.
[[nodiscard]] std::filesystem::path queryCentresPath(const std::filesystem::path& model);

/// The bytes of the file and back. Errors: St*, Config (naming what is wrong).
[[nodiscard]] std::string queryCentresBytes(const QueryCentres& centres);
[[nodiscard]] Result<QueryCentres> queryCentresFromBytes(std::string_view bytes);

/// Writes the file next to the model, or below `own` where that folder cannot be written, and
/// returns where. Errors: Write.
[[nodiscard]] Result<std::filesystem::path> keepQueryCentres(const std::filesystem::path& model,
                                                             const QueryCentres& centres,
                                                             const std::filesystem::path& own);

/// The centres next to a model, else those below `kept`; null where there are none. Errors: as
/// queryCentresFromBytes, Incompatible (of another model), those of readFile, with the file's name.
[[nodiscard]] Result<std::shared_ptr<const QueryCentres>> loadQueryCentres(
    const std::filesystem::path& model, const ModelSpec& spec,
    const std::filesystem::path& kept = {});

}  // namespace lacuna
