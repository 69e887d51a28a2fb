#pragma once
/// \file
/// File of a model's transform bundle (engine/compress/transform/transform_bundle.h):
/// `model.transform` next to the model, or below the user's data folder if the model's folder is
/// read-only. docs/stored-caches.md, "The bundle".

#include <filesystem>
#include <memory>
#include <string>

#include "engine/base/result.h"
#include "engine/compress/transform/transform_codec.h"
#include "engine/format/model_spec.h"

namespace lacuna {

/// Returns the identity that a bundle must have to fit this model.
[[nodiscard]] TransformIdentity transformIdentityOf(const ModelSpec& spec);

/// Returns model.gguf -> model.transform in the same folder; for a model folder, the file inside
/// it.
[[nodiscard]] std::filesystem::path transformPath(const std::filesystem::path& model);
/// Path below the program's data folder, for a model in a read-only folder.
[[nodiscard]] std::filesystem::path storedTransformPath(const std::filesystem::path& folder,
                                                        const std::string& fingerprint);

/// Writes the file next to the model, or below `own` if that folder is read-only, and returns its
/// path. Errors: Write.
[[nodiscard]] Result<std::filesystem::path> storeTransform(const std::filesystem::path& model,
                                                           const TransformBundle& bundle,
                                                           const std::filesystem::path& own);
/// Loads the bundle next to the model, otherwise the one below `kept`, as a codec; null if there is
/// none. Errors: those of transformFrom.
[[nodiscard]] Result<std::shared_ptr<const TransformCodec>> loadTransform(
    const std::filesystem::path& model, const ModelSpec& spec,
    const std::filesystem::path& kept = {});
/// Loads the bundle in a file as a codec. Any thread; a codec that is still in use is shared.
/// Errors: as transformFromBytes, Incompatible (of another model), those of readFile, with the file
/// name.
[[nodiscard]] Result<std::shared_ptr<const TransformCodec>> transformFrom(
    const std::filesystem::path& file, const ModelSpec& spec);

}  // namespace lacuna
