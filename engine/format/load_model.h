#pragma once
/// \file
/// Path to LoadedModel: a GGUF file, or a folder with config.json, tokenizer.json and safetensors.
/// All or nothing: on any error nothing is kept. A LoadedModel is immutable and shared by sessions.

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
struct LayerDamage;         // engine/kv/layer_bits.h

struct LoadedModel {
    std::filesystem::path path;
    ModelSpec spec;
    Weights weights;
    Tokenizer tokenizer;
    std::optional<std::string> templateText;  ///< the file's own chat template
    /// Compiled from templateText, or a named built-in when the file has none or it is not
    /// understood.
    ChatTemplate chatTemplate;
    std::string templateNote;              ///< empty, or why a built-in is used: shown on screen
    std::unique_ptr<TensorSource> source;  ///< keeps the mapping alive
    LargePages weightMemory{};             ///< of matrices that were copied out of it
    /// Those that lie next to it (engine/model/rotation_file.h), or null.
    std::shared_ptr<const CalibratedRotations> rotations{};
    std::string rotationsNote{};  ///< why they are null although a file lies there, or empty
    /// That lies next to it (engine/model/layer_damage_file.h), or null.
    std::shared_ptr<const LayerDamage> layerDamage{};
    std::string layerDamageNote{};  ///< why it is null although a file lies there, or empty
};

struct LoadOptions {
    std::function<void(double share)> progress;  ///< 0..1, called on the loading thread
    std::stop_token stop;
    WeightPlacement placement{};
    std::filesystem::path measured{};  ///< folder of what was measured of models, or empty
    std::function<void(LoadedModel&)> finish{};  ///< called once everything else is there
};

/// Errors: NotFound, NotAFile, Denied, Gguf*, St*, Model*, Tok*, Cancelled.
[[nodiscard]] Result<std::shared_ptr<const LoadedModel>> loadModel(
    const std::filesystem::path& path, const LoadOptions& options = {});
/// Only the tokenizer of a GGUF file (also a vocabulary-only one), a folder, or a tokenizer.json.
[[nodiscard]] Result<Tokenizer> loadTokenizer(const std::filesystem::path& path,
                                              std::stop_token stop = {});

}  // namespace lacuna
