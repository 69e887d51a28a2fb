#pragma once
/// \file
/// What each weight is for, and its name in both containers, as a table. Pure functions.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lacuna {

/// Where weights come from.
enum class Container { Gguf, HuggingFace };

enum class TensorRole {
    Embedding,
    Output,
    FinalNorm,
    RopeFactors,
    AttentionNorm,
    Query,
    Key,
    Value,
    AttentionOutput,
    QueryBias,
    KeyBias,
    ValueBias,
    QueryNorm,
    KeyNorm,
    FeedForwardNorm,
    Gate,
    Up,
    Down,
};
inline constexpr std::size_t kTensorRoles = 18;

struct NamedRole {
    TensorRole role = TensorRole::Embedding;
    std::optional<int> layer;  ///< nothing for tensors of the whole model
};

/// Name of a tensor; `layer` is used by the roles of a layer only. Empty when the container has no
/// such tensor.
[[nodiscard]] std::string tensorName(Container container, TensorRole role, int layer = 0);
/// The reverse; nothing for names that mean nothing here.
[[nodiscard]] std::optional<NamedRole> roleOfTensor(Container container, std::string_view name);
/// True for roles that exist once per layer.
[[nodiscard]] bool isLayerRole(TensorRole role);
/// Tensors that other programs leave in files and that say nothing new (saved rotary frequencies).
[[nodiscard]] bool isIgnorableTensor(std::string_view name);

}  // namespace lacuna
