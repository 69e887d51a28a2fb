#include "engine/format/tensor_names.h"

#include <charconv>

#include "engine/base/string_format.h"

namespace lacuna {
namespace {

struct RoleNames {
    TensorRole role;
    std::string_view gguf;
    std::string_view huggingFace;
    bool perLayer;
};

// Names of a layer stand without their prefix, "blk.N." and "model.layers.N.".
constexpr std::array<RoleNames, kTensorRoles> kNames{{
    {TensorRole::Embedding, "token_embd.weight", "model.embed_tokens.weight", false},
    {TensorRole::Output, "output.weight", "lm_head.weight", false},
    {TensorRole::FinalNorm, "output_norm.weight", "model.norm.weight", false},
    {TensorRole::RopeFactors, "rope_freqs.weight", "", false},
    {TensorRole::AttentionNorm, "attn_norm.weight", "input_layernorm.weight", true},
    {TensorRole::Query, "attn_q.weight", "self_attn.q_proj.weight", true},
    {TensorRole::Key, "attn_k.weight", "self_attn.k_proj.weight", true},
    {TensorRole::Value, "attn_v.weight", "self_attn.v_proj.weight", true},
    {TensorRole::AttentionOutput, "attn_output.weight", "self_attn.o_proj.weight", true},
    {TensorRole::QueryBias, "attn_q.bias", "self_attn.q_proj.bias", true},
    {TensorRole::KeyBias, "attn_k.bias", "self_attn.k_proj.bias", true},
    {TensorRole::ValueBias, "attn_v.bias", "self_attn.v_proj.bias", true},
    {TensorRole::QueryNorm, "attn_q_norm.weight", "self_attn.q_norm.weight", true},
    {TensorRole::KeyNorm, "attn_k_norm.weight", "self_attn.k_norm.weight", true},
    {TensorRole::FeedForwardNorm, "ffn_norm.weight", "post_attention_layernorm.weight", true},
    {TensorRole::Gate, "ffn_gate.weight", "mlp.gate_proj.weight", true},
    {TensorRole::Up, "ffn_up.weight", "mlp.up_proj.weight", true},
    {TensorRole::Down, "ffn_down.weight", "mlp.down_proj.weight", true},
}};

constexpr std::string_view prefixOf(Container container) {
    return container == Container::Gguf ? "blk." : "model.layers.";
}

constexpr std::string_view nameIn(Container container, const RoleNames& names) {
    return container == Container::Gguf ? names.gguf : names.huggingFace;
}

const RoleNames& namesOf(TensorRole role) {
    return kNames[static_cast<std::size_t>(role)];
}

}  // namespace

std::string tensorName(Container container, TensorRole role, int layer) {
    const RoleNames& names = namesOf(role);
    if (!names.perLayer) return std::string(nameIn(container, names));
    return format("{}{}.{}", prefixOf(container), layer, nameIn(container, names));
}

std::optional<NamedRole> roleOfTensor(Container container, std::string_view name) {
    NamedRole found;
    const bool inLayer = name.starts_with(prefixOf(container));
    if (inLayer) {
        name.remove_prefix(prefixOf(container).size());
        int layer = 0;
        const auto [rest, error] = std::from_chars(name.data(), name.data() + name.size(), layer);
        if (error != std::errc() || layer < 0 || rest == name.data() + name.size() || *rest != '.')
            return std::nullopt;
        name.remove_prefix(static_cast<std::size_t>(rest - name.data()) + 1);
        found.layer = layer;
    }
    for (const RoleNames& names : kNames) {
        if (names.perLayer != inLayer || nameIn(container, names) != name || name.empty()) continue;
        found.role = names.role;
        return found;
    }
    return std::nullopt;
}

bool isLayerRole(TensorRole role) {
    return namesOf(role).perLayer;
}

bool isIgnorableTensor(std::string_view name) {
    return name.ends_with(".rotary_emb.inv_freq");
}

}  // namespace lacuna
