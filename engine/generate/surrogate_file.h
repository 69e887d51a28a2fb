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

/// Where one that was fitted by itself is kept, below a folder of our own.
[[nodiscard]] std::filesystem::path keptSurrogatePath(const std::filesystem::path& folder,
                                                      const std::string& fingerprint);
/// The surrogate next to a model, else the one that was kept below `kept`; null where there is
/// none. One next to the model that cannot be used is an error only where none was kept. Errors: as
/// surrogateFromBytes, Incompatible (fitted to another model), those of readFile, with the file's
/// name.
[[nodiscard]] Result<std::shared_ptr<const ReconstructionSurrogate>> loadSurrogate(
    const std::filesystem::path& model, const ModelSpec& spec,
    const std::filesystem::path& kept = {});
/// The kept one alone; null where there is none.
[[nodiscard]] Result<std::shared_ptr<const ReconstructionSurrogate>> loadKeptSurrogate(
    const std::filesystem::path& folder, const ModelSpec& spec);

/// Everything that was measured of a model: head profiles (loadHeadProfiles), the surrogate
/// and the query centres. Errors: those of all three.
[[nodiscard]] Result<HeadProfiles> loadMeasuredOf(const std::filesystem::path& model,
                                                  const ModelSpec& spec,
                                                  const std::filesystem::path& kept = {});

}  // namespace lacuna
