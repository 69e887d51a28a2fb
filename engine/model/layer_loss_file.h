#pragma once
/// \file
/// Predicted errors of codes in each layer (engine/kv/layer_bits.h) as a file next to the model,
/// `model.layers.json`, or in the user's data folder if the model's folder is not writable. Read
/// strictly, all or nothing. docs/number-formats.md, "Bits by layer".

#include <filesystem>
#include <memory>
#include <string>

#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/format/model_spec.h"
#include "engine/kv/layer_bits.h"

namespace lacuna {

/// model.gguf -> model.layers.json in the same folder; inside a model folder.
[[nodiscard]] std::filesystem::path layerLossPath(const std::filesystem::path& model);
[[nodiscard]] std::filesystem::path savedLayerLossPath(const std::filesystem::path& folder,
                                                       const std::string& fingerprint);

[[nodiscard]] OrderedJson layerLossJson(const LayerLoss& loss);
/// Errors: Config, naming the member.
[[nodiscard]] Result<LayerLoss> layerLossFromJson(const Json& json);

/// Writes it next to the model, or below `own` if that folder is not writable, and returns the
/// path. Errors: Write.
[[nodiscard]] Result<std::filesystem::path> saveLayerLoss(const std::filesystem::path& model,
                                                          const LayerLoss& loss,
                                                          const std::filesystem::path& own);
/// Loads the file next to the model, or below `kept`; null if there is none. Errors: Json, Config,
/// Incompatible (another model), with the file's name.
[[nodiscard]] Result<std::shared_ptr<const LayerLoss>> loadLayerLoss(
    const std::filesystem::path& model, const ModelSpec& spec, const std::filesystem::path& kept);

}  // namespace lacuna
