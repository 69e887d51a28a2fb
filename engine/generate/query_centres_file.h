#pragma once
/// \file
/// File of query centres (engine/kv/eviction/tri_attention.h): `model.centres.safetensors` next to
/// the model, or below the user's data folder if the model's folder is read-only. Tensors `means`
/// F32 [layers, heads, length] and `lengths` F32 [layers, heads, bands]; metadata `format`
/// (lacuna-query-centres-1), `fingerprint` of the calibrated model, `model`, `how` and `tokens`.
/// Any mismatch or non-finite number rejects the file.

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/format/model_spec.h"
#include "engine/kv/eviction/tri_attention.h"

namespace lacuna {

/// Returns model.gguf -> model.centres.safetensors in the same folder; for a model folder, the file
/// inside it.
[[nodiscard]] std::filesystem::path queryCentresPath(const std::filesystem::path& model);

/// Serialises to the bytes of the file and back. Errors: St*, Config (naming the problem).
[[nodiscard]] std::string queryCentresBytes(const QueryCentres& centres);
[[nodiscard]] Result<QueryCentres> queryCentresFromBytes(std::string_view bytes);

/// Writes the file next to the model, or below `own` if that folder is read-only, and returns its
/// path. Errors: Write.
[[nodiscard]] Result<std::filesystem::path> storeQueryCentres(const std::filesystem::path& model,
                                                              const QueryCentres& centres,
                                                              const std::filesystem::path& own);

/// Loads the centres next to the model, otherwise those below `kept`; null if there are none.
/// Errors: as queryCentresFromBytes, Incompatible (of another model), those of readFile, with the
/// file name.
[[nodiscard]] Result<std::shared_ptr<const QueryCentres>> loadQueryCentres(
    const std::filesystem::path& model, const ModelSpec& spec,
    const std::filesystem::path& kept = {});

}  // namespace lacuna
