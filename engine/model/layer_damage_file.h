#pragma once
/// \file
/// What codes of each layer cost a model (engine/kv/layer_bits.h), as a file next to it,
/// `model.layers.json`, or below the person's own data where that folder cannot be written. Read
/// strictly and as a whole. docs/number-formats.md, "Bits by layer".

#include <filesystem>
#include <memory>
#include <string>

#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/format/model_spec.h"
#include "engine/kv/layer_bits.h"

namespace lacuna {

/// model.gguf -> model.layers.json in the same folder; a folder's lies inside it.
[[nodiscard]] std::filesystem::path layerDamagePath(const std::filesystem::path& model);
[[nodiscard]] std::filesystem::path keptLayerDamagePath(const std::filesystem::path& folder,
                                                        const std::string& fingerprint);

[[nodiscard]] OrderedJson layerDamageJson(const LayerDamage& damage);
/// Errors: Config, naming the member.
[[nodiscard]] Result<LayerDamage> layerDamageFromJson(const Json& json);

/// Writes it next to the model, or below `own` where that folder cannot be written, and says where.
/// Errors: Write.
[[nodiscard]] Result<std::filesystem::path> keepLayerDamage(const std::filesystem::path& model,
                                                            const LayerDamage& damage,
                                                            const std::filesystem::path& own);
/// What lies next to the model, or below `kept`; null: nothing does. Errors: Json, Config,
/// Incompatible (of another model), with the file's name.
[[nodiscard]] Result<std::shared_ptr<const LayerDamage>> loadLayerDamage(
    const std::filesystem::path& model, const ModelSpec& spec, const std::filesystem::path& kept);

}  // namespace lacuna
