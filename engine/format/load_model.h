#pragma once
/// \file
/// Loads a path to a LoadedModel: a GGUF file, or a folder with config.json, tokenizer.json and
/// safetensors. All or nothing: on any error nothing is kept. A LoadedModel is immutable and shared
/// by sessions.

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "engine/format/load_weights.h"
#include "engine/format/model_spec.h"
#include "engine/format/tensor_source.h"
#include "engine/format/weights.h"
#include "engine/template/chat_template.h"
#include "engine/text/tokenizer.h"

namespace lacuna {

class CalibratedRotations;  // engine/kv/calibrated_rotations.h
struct LayerLoss;           // engine/kv/layer_bits.h

struct LoadedModel {
    std::filesystem::path path;
    ModelSpec spec;
    Weights weights;
    Tokenizer tokenizer;
    std::optional<std::string> templateText;  ///< the file's own chat template
    /// Compiled from templateText, or a named built-in if the file has none or it is unsupported.
    ChatTemplate chatTemplate;
    std::string templateNote;  ///< empty, or the reason for a built-in, shown in the interface
    std::unique_ptr<TensorSource> source;  ///< keeps the mapping alive
    LargePages weightMemory{};             ///< memory of matrices that were copied from it
    /// Rotations from the file next to the model (engine/model/rotation_file.h); may be null.
    std::shared_ptr<const CalibratedRotations> rotations{};
    std::string rotationsNote{};  ///< the reason why a file is present but unusable; may be empty
    /// Predicted errors from the file next to the model (engine/model/layer_loss_file.h); may be
    /// null.
    std::shared_ptr<const LayerLoss> layerLoss{};
    std::string layerLossNote{};  ///< the reason why a file is present but unusable; may be empty
};

struct LoadOptions {
    std::function<void(double share)> progress;  ///< 0..1, called on the loading thread
    std::stop_token stop;
    WeightPlacement placement{};
    std::filesystem::path measured{};            ///< folder of measurements of models; may be empty
    std::function<void(LoadedModel&)> finish{};  ///< called when everything else is loaded
};

/// Errors: NotFound, NotAFile, Denied, Gguf*, St*, Model*, Tok*, Cancelled.
[[nodiscard]] Result<std::shared_ptr<const LoadedModel>> loadModel(
    const std::filesystem::path& path, const LoadOptions& options = {});
/// Loads only the tokenizer of a GGUF file (which may have only a vocabulary), a folder, or a
/// tokenizer.json.
[[nodiscard]] Result<Tokenizer> loadTokenizer(const std::filesystem::path& path,
                                              std::stop_token stop = {});

}  // namespace lacuna
