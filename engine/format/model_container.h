#pragma once
/// \file
/// An opened model before its weights are loaded: its tensors, its spec with all facts, and the
/// location of its tokenizer and chat template. Shared by loading, describing and converting. Owned
/// by one thread until it is moved elsewhere.

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

/// True if `path` is a model folder or a file of one (`model.safetensors`, `config.json`).
[[nodiscard]] bool isModelFolder(const std::filesystem::path& path);
/// Returns the folder itself, or that of the file.
[[nodiscard]] std::filesystem::path modelFolder(const std::filesystem::path& path);

/// Returns the files that a model at `path` is read from: all parts of a split GGUF file; for a
/// folder its shards and, whether they exist or not, configuration, index, tokenizer and template
/// files. Uses only names and opens nothing.
[[nodiscard]] std::vector<std::filesystem::path> modelFiles(const std::filesystem::path& path);

/// Opens the model and checks everything except the shapes of single weights. Errors: NotFound,
/// NotAFile, Denied, Gguf*, St*, Config, Model*, NoMemory.
[[nodiscard]] Result<ModelContainer> openModel(const std::filesystem::path& path);

/// Adds the facts to `spec` that only tensors provide: tied embeddings and biases (GGUF), commonest
/// type, parameters, bytes, and the fingerprint over `metadata` and the tensors. No tensor is read
/// if the weights exceed the machine's memory. Errors: ModelBadLayers, ModelBadRope, Unsupported,
/// NoMemory.
[[nodiscard]] Result<ModelSpec> withTensorFacts(ModelSpec spec, const TensorSource& source,
                                                Container container,
                                                std::span<const std::byte> metadata);

/// Returns the chat template of a GGUF file or of a folder (`chat_template.jinja`, or
/// tokenizer_config.json). Errors: GgufMetaType, TplLimit, Read, Config.
[[nodiscard]] Result<std::optional<std::string>> templateTextOf(const ModelContainer& model);

}  // namespace lacuna
