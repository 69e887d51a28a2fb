#pragma once
/// \file
/// The role of each weight and its name in both containers, as a table. Pure functions.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/format/architectures.h"
#include "engine/format/tensor_role.h"
#include "engine/format/tensor_source.h"

namespace lacuna {

/// The file format of the weights.
enum class Container { Gguf, HuggingFace };

struct NamedRole {
    TensorRole role = TensorRole::Embedding;
    std::optional<int> layer;   ///< nullopt for tensors of the entire model
    std::optional<int> number;  ///< of an expert, or of a head whose norm is a tensor of its own
};

/// The tensor names of one architecture in one container.
class TensorNames {
  public:
    TensorNames(Container container, const Architecture& architecture)
        : container_(container), architecture_(&architecture) {}
    /// Derives from the embedding the prefix of names in a Hugging Face file: "model.", or that of
    /// a language model inside a larger one.
    [[nodiscard]] static TensorNames of(Container container, const Architecture& architecture,
                                        const TensorSource& source);

    /// Returns the same names in a Hugging Face file with another prefix, a literal.
    [[nodiscard]] TensorNames withPrefix(std::string_view prefix) const {
        TensorNames names = *this;
        names.prefix_ = prefix;
        return names;
    }

    /// Returns every name that a tensor may have, the usual one first; empty if there is no such
    /// tensor.
    [[nodiscard]] std::vector<std::string> all(TensorRole role, int layer = 0,
                                               int number = 0) const;
    /// The usual name, or "".
    [[nodiscard]] std::string first(TensorRole role, int layer = 0, int number = 0) const;
    /// The reverse; nullopt for names unknown in this architecture.
    [[nodiscard]] std::optional<NamedRole> roleOf(std::string_view name) const;
    /// Returns the layer of a name, even of a name that is unknown in this architecture.
    [[nodiscard]] std::optional<int> layerOf(std::string_view name) const;
    /// True for redundant tensors (saved rotary frequencies), those of another part of a larger
    /// model (its image encoder), and those for inputs rounded to four bits (".input_scale" of
    /// GGUF).
    [[nodiscard]] bool isIgnorable(std::string_view name) const;
    /// True for tensors of the image encoder of a larger model.
    [[nodiscard]] bool isImageTensor(std::string_view name) const;

    /// Returns "X.weight" for "X.scale", a number of a GGUF file that multiplies that matrix;
    /// otherwise "".
    [[nodiscard]] std::string matrixOfScale(std::string_view name) const;

    [[nodiscard]] Container container() const { return container_; }
    [[nodiscard]] const Architecture& architecture() const { return *architecture_; }

  private:
    Container container_;
    const Architecture* architecture_;
    std::string_view prefix_ = "model.";
    std::string_view headPrefix_;
};

/// The names of a draft block (DraftBlock) and the number of its layer in them.
struct DraftNames {
    TensorNames names;
    int layer = 0;
};
/// Returns nullopt if the file has no draft block.
[[nodiscard]] std::optional<DraftNames> draftNamesOf(const ModelSpec& spec,
                                                     const TensorNames& names,
                                                     const TensorSource& source);
/// True for tensors of the draft layers after the last layer.
[[nodiscard]] bool isDraftTensor(const ModelSpec& spec, const TensorNames& names,
                                 std::string_view name);
/// True for tensors of the draft block, which is the first of these layers or a part of its own.
[[nodiscard]] bool isDraftBlockTensor(const ModelSpec& spec, const TensorNames& names,
                                      std::string_view name);
/// True for keys and values in a layer that reads the cache of another one.
[[nodiscard]] bool isUnusedInLayer(const ModelSpec& spec, const NamedRole& named);
/// True for saved rotary frequencies, which other programs leave in files.
[[nodiscard]] bool isIgnorableTensor(std::string_view name);
[[nodiscard]] bool isNormRole(TensorRole role);
/// True for tensors of an expert, of all experts, of the shared one, or of their router.
[[nodiscard]] bool isExpertRole(TensorRole role);
/// True for the numbers of Activation::Xielu, which belong to the specification.
[[nodiscard]] bool isXieluRole(TensorRole role);
/// True for tensors of embeddings that belong to each layer.
[[nodiscard]] bool isLayerEmbeddingRole(TensorRole role);
/// True for tensors of the feed-forward of a dense layer.
[[nodiscard]] bool isDenseFeedForwardRole(TensorRole role);

}  // namespace lacuna
