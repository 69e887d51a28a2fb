#pragma once
/// \file
/// File of a reconstruction surrogate (engine/kv/eviction/reconstruction_surrogate.h):
/// `model.surrogate.safetensors` next to the model. Tensors `weight` F32 [layers, KV heads, hidden]
/// and `bias` F32 [layers, KV heads]; metadata `format` (lacuna-reconstruction-surrogate-1),
/// `fingerprint` of the fitted model, `model` and `how`. Any mismatch or non-finite number rejects
/// the file.

#include <filesystem>
#include <memory>
#include <string>

#include "engine/base/result.h"
#include "engine/compress/head_profile.h"
#include "engine/format/model_spec.h"
#include "engine/kv/eviction/reconstruction_surrogate.h"

namespace lacuna {

/// Returns model.gguf -> model.surrogate.safetensors in the same folder; for a model folder, the
/// file inside it.
[[nodiscard]] std::filesystem::path surrogatePath(const std::filesystem::path& model);

/// Serialises to the bytes of the file and back. Errors: St*, Config (naming the problem).
[[nodiscard]] std::string surrogateBytes(const ReconstructionSurrogate& surrogate);
[[nodiscard]] Result<ReconstructionSurrogate> surrogateFromBytes(std::string_view bytes);

/// Path of an automatically fitted surrogate, below the program's data folder.
[[nodiscard]] std::filesystem::path storedSurrogatePath(const std::filesystem::path& folder,
                                                        const std::string& fingerprint);
/// Loads the surrogate next to the model, otherwise the one below `kept`; null if there is none. An
/// unusable surrogate next to the model is an error only if there is none below `kept`. Errors: as
/// surrogateFromBytes, Incompatible (fitted to another model), those of readFile, with the file
/// name.
[[nodiscard]] Result<std::shared_ptr<const ReconstructionSurrogate>> loadSurrogate(
    const std::filesystem::path& model, const ModelSpec& spec,
    const std::filesystem::path& kept = {});
/// Loads only the automatically fitted surrogate; null if there is none.
[[nodiscard]] Result<std::shared_ptr<const ReconstructionSurrogate>> loadStoredSurrogate(
    const std::filesystem::path& folder, const ModelSpec& spec);

/// Loads all measurements of a model: head profiles (loadHeadProfiles), the surrogate and the query
/// centres. Errors: those of all three.
[[nodiscard]] Result<HeadProfiles> loadMeasuredOf(const std::filesystem::path& model,
                                                  const ModelSpec& spec,
                                                  const std::filesystem::path& kept = {});

}  // namespace lacuna
