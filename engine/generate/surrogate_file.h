#pragma once
/// \file
/// The file of a reconstruction surrogate (engine/kv/eviction/reconstruction_surrogate.h): a small
/// safetensors next to the model, `model.surrogate.safetensors`, with the tensors `weight` F32
/// [layers, KV heads, hidden] and `bias` F32 [layers, KV heads], and in its metadata `format`
/// (lacuna-reconstruction-surrogate-1), `fingerprint` of the model it was fitted to, `model` and
/// `how`. Read strictly: what does not fit, or is no finite number, is refused as a whole.

#include <filesystem>
#include <memory>
#include <string>

#include "engine/base/result.h"
#include "engine/compress/head_profile.h"
#include "engine/format/model_spec.h"
#include "engine/kv/eviction/reconstruction_surrogate.h"

namespace lacuna {

/// model.gguf -> model.surrogate.safetensors in the same folder; a folder's lies inside it.
[[nodiscard]] std::filesystem::path surrogatePath(const std::filesystem::path& model);

/// The bytes of the file and back. Errors: St*, Config (naming what is wrong).
[[nodiscard]] std::string surrogateBytes(const ReconstructionSurrogate& surrogate);
[[nodiscard]] Result<ReconstructionSurrogate> surrogateFromBytes(std::string_view bytes);

/// The surrogate next to a model; null where there is none. Errors: as surrogateFromBytes,
/// Incompatible (fitted to another model), those of readFile, with the file's name.
[[nodiscard]] Result<std::shared_ptr<const ReconstructionSurrogate>> loadSurrogate(
    const std::filesystem::path& model, const ModelSpec& spec);

/// Everything that was measured of a model: head profiles (loadHeadProfiles), the surrogate
/// and the query centres. Errors: those of all three.
[[nodiscard]] Result<HeadProfiles> loadMeasuredOf(const std::filesystem::path& model,
                                                  const ModelSpec& spec,
                                                  const std::filesystem::path& kept = {});

}  // namespace lacuna
