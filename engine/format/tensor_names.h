#pragma once
/// \file
/// What each weight is for, and its name in both containers, as a table. Pure functions.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/format/architectures.h"
#include "engine/format/tensor_role.h"
#include "engine/format/tensor_source.h"

namespace lacuna {

/// Where weights come from.
enum class Container { Gguf, HuggingFace };

struct NamedRole {
    TensorRole role = TensorRole::Embedding;
    std::optional<int> layer;   ///< nothing for tensors of the whole model
    std::optional<int> expert;  ///< of ExpertGate, ExpertUp, ExpertDown
};

/// The names that one architecture uses in one container.
class TensorNames {
  public:
    TensorNames(Container container, const Architecture& architecture)
        : container_(container), architecture_(&architecture) {}
    /// Finds out from the embedding which prefix a Hugging Face file gives its names: "model.", or
    /// those of a language model inside a larger one.
    [[nodiscard]] static TensorNames of(Container container, const Architecture& architecture,
                                        const TensorSource& source);

    /// Every name that a tensor may have, the usual one first; none when there is no such tensor.
    [[nodiscard]] std::vector<std::string> all(TensorRole role, int layer = 0,
                                               int expert = 0) const;
    /// The usual name, or "".
    [[nodiscard]] std::string first(TensorRole role, int layer = 0, int expert = 0) const;
    /// The reverse; nothing for names that mean nothing in this architecture.
    [[nodiscard]] std::optional<NamedRole> roleOf(std::string_view name) const;
    /// The layer that a name stands in, also one that means nothing in this architecture.
    [[nodiscard]] std::optional<int> layerOf(std::string_view name) const;
    /// True for tensors that say nothing new (saved rotary frequencies) or belong to another part
    /// of a larger model (its image encoder), or are for inputs rounded to four bits
    /// (".input_scale" of GGUF).
    [[nodiscard]] bool isIgnorable(std::string_view name) const;
    /// True for tensors of the image encoder of a larger model.
    [[nodiscard]] bool isOfOtherPart(std::string_view name) const;

    /// "X.weight" for "X.scale", a number of a GGUF file that multiplies that matrix; else "".
    [[nodiscard]] std::string matrixOfScale(std::string_view name) const;

    [[nodiscard]] Container container() const { return container_; }
    [[nodiscard]] const Architecture& architecture() const { return *architecture_; }

  private:
    Container container_;
    const Architecture* architecture_;
    std::string_view prefix_ = "model.";
    std::string_view headPrefix_;
};

/// True for tensors of layers behind the last that foretell further tokens.
[[nodiscard]] bool isOfDraft(const ModelSpec& spec, const TensorNames& names,
                             std::string_view name);
/// Saved rotary frequencies, which other programs leave in files.
[[nodiscard]] bool isIgnorableTensor(std::string_view name);
[[nodiscard]] bool isNormRole(TensorRole role);
/// True for tensors of an expert, of all experts, of the shared one, or of their router.
[[nodiscard]] bool isExpertRole(TensorRole role);
/// True for the numbers of Activation::Xielu, which belong to the specification.
[[nodiscard]] bool isXieluRole(TensorRole role);
/// True for tensors of the one feed-forward of a dense layer.
[[nodiscard]] bool isDenseFeedForwardRole(TensorRole role);

}  // namespace lacuna
