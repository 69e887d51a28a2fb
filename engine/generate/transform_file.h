#pragma once
/// \file
/// The transform bundle of a model (engine/compress/transform_bundle.h) as a file next to it,
/// `model.transform`, or below the person's own data where that folder cannot be written.
/// docs/stored-caches.md, "The bundle".

#include <filesystem>
#include <memory>
#include <string>

#include "engine/base/result.h"
#include "engine/compress/transform_codec.h"
#include "engine/format/model_spec.h"

namespace lacuna {

/// What a bundle must have been made of to serve this model.
[[nodiscard]] TransformIdentity transformIdentityOf(const ModelSpec& spec);

/// model.gguf -> model.transform in the same folder; a folder's lies inside it.
[[nodiscard]] std::filesystem::path transformPath(const std::filesystem::path& model);
/// Where that of a model whose folder cannot be written is kept below a folder of our own.
[[nodiscard]] std::filesystem::path keptTransformPath(const std::filesystem::path& folder,
                                                      const std::string& fingerprint);

/// Writes it next to the model, or below `own` where that folder cannot be written, and says where.
/// Errors: Write.
[[nodiscard]] Result<std::filesystem::path> keepTransform(const std::filesystem::path& model,
                                                          const TransformBundle& bundle,
                                                          const std::filesystem::path& own);
/// The one next to a model, else the one below `kept`, ready to code with; null where there is
/// none. Errors: those of transformFrom.
[[nodiscard]] Result<std::shared_ptr<const TransformCodec>> loadTransform(
    const std::filesystem::path& model, const ModelSpec& spec,
    const std::filesystem::path& kept = {});
/// That of a file, ready to code with. Any thread; one that somebody holds is not made a second
/// time. Errors: as transformFromBytes, Incompatible (of another model), those of readFile, with
/// the file's name.
[[nodiscard]] Result<std::shared_ptr<const TransformCodec>> transformFrom(
    const std::filesystem::path& file, const ModelSpec& spec);

}  // namespace lacuna
