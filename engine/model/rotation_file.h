#pragma once
/// \file
/// The bundle of calibrated rotations (engine/kv/calibrated_rotations.h): a safetensors file next
/// to the model, `model.rotations.safetensors`, or below the person's own data where that folder
/// cannot be written. Tensors `keys` and `values` F32 [layers, KV heads, length, length], `centres`
/// F32 [layers, KV heads, length] of the keys and `ranges` F32 [layers, KV heads, 2, 8]; in its
/// metadata `format` (lacuna-rotations-1), `fingerprint` of the model they were calibrated on,
/// `model`, `how` and `hash` of all numbers. Read strictly: what does not fit, has another hash, is
/// no finite number or not orthogonal is refused as a whole.

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/format/model_spec.h"
#include "engine/kv/calibrated_rotations.h"

namespace lacuna {

/// model.gguf -> model.rotations.safetensors in the same folder; a folder's lies inside it.
[[nodiscard]] std::filesystem::path rotationPath(const std::filesystem::path& model);
/// Where those of a model whose folder cannot be written are kept below a folder of our own.
[[nodiscard]] std::filesystem::path keptRotationPath(const std::filesystem::path& folder,
                                                     const std::string& fingerprint);

/// The bytes of the file and back. Errors: St*, Config (naming what is wrong).
[[nodiscard]] std::string rotationBytes(const RotationMatrices& matrices);
[[nodiscard]] Result<RotationMatrices> rotationsFromBytes(std::string_view bytes);

/// Writes them next to the model, or below `own` where that folder cannot be written, and says
/// where. Errors: Write.
[[nodiscard]] Result<std::filesystem::path> keepRotations(const std::filesystem::path& model,
                                                          const RotationMatrices& matrices,
                                                          const std::filesystem::path& own);

/// Those next to a model, else those below `kept`; null where there are none. Errors: as
/// rotationsFromBytes, Incompatible (of another model), InvalidArgument (not orthogonal), those of
/// readFile, with the file's name.
[[nodiscard]] Result<std::shared_ptr<const CalibratedRotations>> loadRotations(
    const std::filesystem::path& model, const ModelSpec& spec,
    const std::filesystem::path& kept = {});

}  // namespace lacuna
