#pragma once
/// \file
/// The bundle of calibrated rotations (engine/kv/calibrated_rotations.h): a safetensors file next
/// to the model, `model.rotations.safetensors`, or in the user's data folder if the model's folder
/// is not writable. Tensors: `keys` and `values` F32 [layers, KV heads, length, length], `centres`
/// F32 [layers, KV heads, length] of the keys, and `ranges` F32 [layers, KV heads, 2, 8]. Metadata:
/// `format` (lacuna-rotations-1), `fingerprint` of the calibrated model, `model`, `how`, and `hash`
/// of all numbers. Read strictly: a file with another shape or hash, or with matrices that are not
/// finite and orthogonal, is refused entirely.

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/format/model_spec.h"
#include "engine/kv/calibrated_rotations.h"

namespace lacuna {

/// model.gguf -> model.rotations.safetensors in the same folder; inside a model folder.
[[nodiscard]] std::filesystem::path rotationPath(const std::filesystem::path& model);
/// Returns the path below our own folder for a model whose folder is not writable.
[[nodiscard]] std::filesystem::path storedRotationPath(const std::filesystem::path& folder,
                                                       const std::string& fingerprint);

/// Converts to the bytes of the file and back. Errors: St*, Config (naming the cause).
[[nodiscard]] std::string rotationBytes(const RotationMatrices& matrices);
[[nodiscard]] Result<RotationMatrices> rotationsFromBytes(std::string_view bytes);

/// Writes them next to the model, or below `own` if that folder is not writable, and returns the
/// path. Errors: Write.
[[nodiscard]] Result<std::filesystem::path> storeRotations(const std::filesystem::path& model,
                                                           const RotationMatrices& matrices,
                                                           const std::filesystem::path& own);

/// Loads the rotations next to a model, otherwise those below `kept`; null if there are none.
/// Errors: as rotationsFromBytes, Incompatible (another model), InvalidArgument (not orthogonal),
/// those of readFile, with the file's name.
[[nodiscard]] Result<std::shared_ptr<const CalibratedRotations>> loadRotations(
    const std::filesystem::path& model, const ModelSpec& spec,
    const std::filesystem::path& kept = {});

}  // namespace lacuna
