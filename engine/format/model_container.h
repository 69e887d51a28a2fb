#pragma once
/// \file
/// A model on disk, opened but not yet turned into weights: its tensors, its spec with all facts,
/// and where its tokenizer and chat template stand. What loading, describing and converting share.
/// Owned by one thread until it is handed on.

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/format/gguf.h"
#include "engine/format/model_spec.h"
#include "engine/format/safetensors.h"
#include "engine/format/tensor_names.h"
#include "engine/format/tensor_source.h"

namespace lacuna {

/// Exactly one of `gguf` and `safetensors` is set.
struct ModelContainer {
    Container kind = Container::Gguf;
    std::unique_ptr<GgufFile> gguf;
    std::unique_ptr<Safetensors> safetensors;
    std::filesystem::path path;  ///< the GGUF file, or the folder
    ModelSpec spec;

    [[nodiscard]] const TensorSource& source() const;
};

/// True when `path` is a model folder or a file of one (`model.safetensors`, `config.json`).
[[nodiscard]] bool isModelFolder(const std::filesystem::path& path);
/// The folder itself, or that of the file.
[[nodiscard]] std::filesystem::path modelFolder(const std::filesystem::path& path);

/// The files that a model at `path` is read from: all parts of a split GGUF file; of a folder its
/// shards and, whether they are there or not, configuration, index, tokenizer and template files.
/// By their names alone, nothing is opened.
[[nodiscard]] std::vector<std::filesystem::path> modelFiles(const std::filesystem::path& path);

/// Opens and checks all but the shapes of single weights.
/// Errors: NotFound, NotAFile, Denied, Gguf*, St*, Config, Model*, NoMemory.
[[nodiscard]] Result<ModelContainer> openModel(const std::filesystem::path& path);

/// `spec` with the facts that only tensors tell: tied embeddings and biases (GGUF), commonest type,
/// parameters, bytes, and the fingerprint over `metadata` and the tensors. Errors: ModelBadLayers,
/// ModelBadRope, Unsupported.
[[nodiscard]] Result<ModelSpec> withTensorFacts(ModelSpec spec, const TensorSource& source,
                                                Container container,
                                                std::span<const std::byte> metadata);

/// The chat template of a GGUF file or of a folder (`chat_template.jinja`, or
/// tokenizer_config.json). Errors: GgufMetaType, TplLimit, Read, Config.
[[nodiscard]] Result<std::optional<std::string>> templateTextOf(const ModelContainer& model);

}  // namespace lacuna
