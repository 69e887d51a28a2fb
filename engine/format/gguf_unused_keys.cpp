#include "engine/format/gguf_unused_keys.h"

#include <algorithm>
#include <array>
#include <optional>
#include <variant>

#include "engine/base/string_format.h"
#include "engine/format/printable.h"

namespace lacuna {
namespace {

/// Values of a key under which it does not change the computation.
enum class Neutral {
    Any,          ///< it never changes the computation
    Zero,         ///< 0, false, or a list of them
    NotPositive,  ///< 0 or less: "not given"
    One,          ///< a factor
    ZeroOrOne,    ///< 0 means "not given"
    True,
    HeadSize,
    HiddenSize,
    RotaryDimension,
    KnownLayout,  ///< the single value that exists in files
    Activation,   ///< the name of the model's own activation
    SharedExpert  ///< any number if all tokens use a shared expert, otherwise 0
};

struct KeyRule {
    std::string_view suffix;  ///< follows the architecture; with a final '.' all keys below it
    Neutral neutral;
};

constexpr auto kRules = std::to_array<KeyRule>({
    {"vocab_size", Neutral::Any},
    {"attention.layer_norm_epsilon", Neutral::Any},  // epsilon of norms that these models do not
                                                     // have
    {"attention.temperature_length", Neutral::Any},  // matters only with temperature_scale
    {"rope.scaling.finetuned", Neutral::Any},
    {"rope.scaling.yarn_beta_fast", Neutral::Any},  // matters only with type yarn, whose reader
                                                    // uses them
    {"rope.scaling.yarn_beta_slow", Neutral::Any},
    {"attention.sliding_window_pattern", Neutral::Any},  // matters only with a window, whose reader
                                                         // uses it
    {"expert_used_count", Neutral::Any},  // matters only with experts, whose reader uses these
    {"expert_feed_forward_length", Neutral::Any},
    {"expert_shared_feed_forward_length", Neutral::Any},
    {"expert_weights_norm", Neutral::Any},
    {"expert_weights_scale", Neutral::Any},
    {"expert_gating_func", Neutral::Any},
    {"expert_group_count", Neutral::Any},

    {"expert_group_used_count", Neutral::ZeroOrOne},
    {"expert_shared_count", Neutral::SharedExpert},
    {"expert_chunk_feed_forward_length", Neutral::Zero},
    {"expert_group_scale", Neutral::ZeroOrOne},
    {"expert_latent_length", Neutral::Zero},
    {"experts_per_group", Neutral::Zero},
    {"moe_latent_size", Neutral::Zero},
    {"moe_every_n_layers", Neutral::ZeroOrOne},
    {"interleave_moe_layer_step", Neutral::ZeroOrOne},
    {"leading_dense_block_count", Neutral::Zero},
    {"nextn_predict_layers", Neutral::Zero},
    {"router_logit_softcapping", Neutral::Zero},
    {"swiglu_clamp_exp", Neutral::Zero},
    {"swiglu_clamp_shexp", Neutral::Zero},
    {"activation_sparsity_scale", Neutral::Zero},
    {"hidden_activation", Neutral::Activation},

    {"attention.causal", Neutral::True},
    {"attention.max_alibi_bias", Neutral::Zero},
    {"attention.clamp_kqv", Neutral::Zero},
    {"attention.temperature_scale", Neutral::Zero},
    {"attention.value_scale", Neutral::ZeroOrOne},
    {"attention.output_scale", Neutral::ZeroOrOne},
    {"attention.key_length_mla", Neutral::Zero},
    {"attention.value_length_mla", Neutral::Zero},
    {"attention.key_length_swa", Neutral::HeadSize},
    {"attention.value_length_swa", Neutral::HeadSize},
    {"attention.q_lora_rank", Neutral::Zero},
    {"attention.kv_lora_rank", Neutral::Zero},
    {"attention.shared_kv_layers", Neutral::Zero},
    {"attention.relative_buckets_count", Neutral::Zero},
    {"attention.group_norm_epsilon", Neutral::Zero},
    {"attention.group_norm_groups", Neutral::Zero},
    {"full_attention_interval", Neutral::ZeroOrOne},

    {"rope.scaling.attn_factor", Neutral::One},
    {"rope.scaling.yarn_attn_factor", Neutral::One},
    {"rope.scaling.yarn_ext_factor", Neutral::NotPositive},
    {"rope.scaling.yarn_log_multiplier", Neutral::Zero},
    {"rope.scaling.alpha", Neutral::ZeroOrOne},
    {"rope.dimension_count_swa", Neutral::RotaryDimension},
    {"rope.dimension_sections", Neutral::Zero},

    {"use_parallel_residual", Neutral::Zero},
    {"tensor_data_layout", Neutral::KnownLayout},
    {"swin_norm", Neutral::Zero},
    {"rescale_every_n_layers", Neutral::Zero},
    {"token_shift_count", Neutral::Zero},
    {"time_mix_extra_dim", Neutral::Zero},
    {"time_decay_extra_dim", Neutral::Zero},
    {"embedding_length_out", Neutral::HiddenSize},
    {"embedding_length_per_layer_input", Neutral::Zero},
    {"features_length", Neutral::Zero},
    {"n_deepstack_layers", Neutral::Zero},
    {"deepstack_mapping", Neutral::Zero},
    {"decoder_block_count", Neutral::Zero},
    {"decoder_start_token_id", Neutral::Zero},
    {"num_loops", Neutral::ZeroOrOne},
    {"skip_loop_final_norm", Neutral::Zero},
    {"hash_layer_count", Neutral::Zero},
    {"target_layers", Neutral::Zero},
    {"target_hidden_size", Neutral::Zero},
    {"norm_before_residual", Neutral::Zero},
    {"norm_before_fc", Neutral::Zero},

    {"activation.", Neutral::Zero},
    {"adapters.", Neutral::Zero},
    {"altup.", Neutral::Zero},
    {"attn_res.", Neutral::Zero},
    {"attention.indexer.", Neutral::Zero},
    {"convnext.", Neutral::Zero},
    {"hyper_connection.", Neutral::Zero},
    {"kda.", Neutral::Zero},
    {"posnet.", Neutral::Zero},
    {"shortconv.", Neutral::Zero},
    {"ssm.", Neutral::Zero},
    {"wkv.", Neutral::Zero},
});

/// Keys of the tokenizer that are read elsewhere or do not affect text; a final '.' covers all keys
/// below it.
constexpr auto kTokenizerKeys = std::to_array<std::string_view>({
    "tokenizer.chat_template",
    "tokenizer.chat_template.",
    "tokenizer.chat_templates",
    "tokenizer.huggingface.json",
    "tokenizer.rwkv.world",
    "tokenizer.ggml.model",
    "tokenizer.ggml.pre",
    "tokenizer.ggml.tokens",
    "tokenizer.ggml.token_type",
    "tokenizer.ggml.token_type_count",
    "tokenizer.ggml.scores",
    "tokenizer.ggml.merges",
    "tokenizer.ggml.add_bos_token",
    "tokenizer.ggml.add_eos_token",
    "tokenizer.ggml.add_space_prefix",
    "tokenizer.ggml.remove_extra_whitespaces",
    "tokenizer.ggml.precompiled_charsmap",
    "tokenizer.ggml.normalizer.lowercase",
    "tokenizer.ggml.normalizer.strip_accents",
    "tokenizer.ggml.bos_token_id",
    "tokenizer.ggml.eos_token_id",
    "tokenizer.ggml.eot_token_id",
    "tokenizer.ggml.eom_token_id",
    "tokenizer.ggml.unknown_token_id",
    "tokenizer.ggml.padding_token_id",
    "tokenizer.ggml.cls_token_id",
    "tokenizer.ggml.seperator_token_id",
    "tokenizer.ggml.mask_token_id",
    "tokenizer.ggml.prefix_token_id",
    "tokenizer.ggml.middle_token_id",
    "tokenizer.ggml.suffix_token_id",
    "tokenizer.ggml.fim_pre_token_id",
    "tokenizer.ggml.fim_mid_token_id",
    "tokenizer.ggml.fim_suf_token_id",
    "tokenizer.ggml.fim_pad_token_id",
    "tokenizer.ggml.fim_rep_token_id",
    "tokenizer.ggml.fim_sep_token_id",
});

bool covers(std::string_view name, std::string_view key) {
    return name.ends_with('.') ? key.starts_with(name) : key == name;
}

/// Returns a value that is one number, with a bool as 0 or 1.
std::optional<double> numberOf(const GgufValue& value) {
    if (const auto* one = std::get_if<std::uint64_t>(&value.value))
        return static_cast<double>(*one);
    if (const auto* one = std::get_if<std::int64_t>(&value.value)) return static_cast<double>(*one);
    if (const auto* one = std::get_if<bool>(&value.value)) return *one ? 1.0 : 0.0;
    if (const auto* one = std::get_if<double>(&value.value)) return *one;
    return std::nullopt;
}

/// Returns true for a list without nonzero numbers, including an empty one.
bool isListOfZeros(const GgufFile& file, std::string_view key) {
    const auto isZero = [](float one) { return one == 0.0F; };
    if (const auto floats = file.getFloats(key); floats && *floats)
        return std::ranges::all_of(**floats, isZero);
    if (const auto flags = file.getFlags(key); flags && *flags)
        return std::ranges::find(**flags, true) == (*flags)->end();
    return false;
}

class KeyCheck {
  public:
    KeyCheck(const GgufFile& file, const ModelSpec& spec) : file_(file), spec_(spec) {}

    [[nodiscard]] bool isNeutral(Neutral neutral, std::string_view key,
                                 const GgufValue& value) const {
        if (neutral == Neutral::Any) return true;
        if (const auto* text = std::get_if<std::string_view>(&value.value))
            return textIsNeutral(neutral, *text);
        const auto number = numberOf(value);
        if (!number) return neutral == Neutral::Zero && isListOfZeros(file_, key);
        switch (neutral) {
            case Neutral::Zero:
                return *number == 0;
            case Neutral::NotPositive:
                return *number <= 0;
            case Neutral::One:
            case Neutral::True:
                return *number == 1;
            case Neutral::ZeroOrOne:
                return *number == 0 || *number == 1;
            case Neutral::HeadSize:
                return *number == spec_.headDim;
            case Neutral::HiddenSize:
                return *number == spec_.hidden;
            case Neutral::RotaryDimension:
                return *number == spec_.rope.dim;
            case Neutral::SharedExpert:
                return *number == 0 || spec_.experts.sharedFeedForward > 0;
            case Neutral::Any:
            case Neutral::KnownLayout:
            case Neutral::Activation:
                break;
        }
        return false;
    }

  private:
    [[nodiscard]] bool textIsNeutral(Neutral neutral, std::string_view text) const {
        if (neutral == Neutral::KnownLayout) return text == "Meta AI original pth";
        if (neutral != Neutral::Activation) return false;
        switch (spec_.activation) {
            case Activation::Silu:
                return text == "silu" || text == "swish";
            case Activation::GeluTanh:
                return text == "gelu" || text == "gelu_pytorch_tanh" || text == "gelu_new";
            case Activation::ReluSquared:
                return text == "relu2";
            case Activation::Xielu:
                return text == "xielu";
            case Activation::SwigluClamped:
                return text == "silu" || text == "swish";
        }
        return false;
    }

    const GgufFile& file_;
    const ModelSpec& spec_;
};

std::string valueText(const GgufValue& value) {
    if (const auto* text = std::get_if<std::string_view>(&value.value))
        return format("\"{}\"", printable(*text, 60));
    if (const auto* flag = std::get_if<bool>(&value.value)) return *flag ? "true" : "false";
    if (const auto number = numberOf(value)) return format("{}", *number);
    return "(a list)";
}

}  // namespace

Result<std::vector<std::string>> unusedKeys(const GgufFile& file, std::string_view prefix,
                                            const std::set<std::string, std::less<>>& used,
                                            const ModelSpec& spec) {
    const std::string own = format("{}.", prefix);
    const KeyCheck check(file, spec);
    std::vector<std::string> unknown;
    for (const GgufEntry& entry : file.header().metadata) {
        if (entry.key.starts_with("tokenizer.")) {
            const auto known = [&](std::string_view name) { return covers(name, entry.key); };
            if (std::ranges::none_of(kTokenizerKeys, known))
                unknown.push_back(printable(entry.key, 100));
            continue;
        }
        if (!entry.key.starts_with(own) || used.contains(entry.key)) continue;
        const std::string_view suffix = entry.key.substr(own.size());
        const auto rule = std::ranges::find_if(
            kRules, [&](const KeyRule& one) { return covers(one.suffix, suffix); });
        if (rule == kRules.end())
            unknown.push_back(printable(entry.key, 100));
        else if (!check.isNeutral(rule->neutral, entry.key, entry.value))
            return fail(ErrorCode::Unsupported,
                        format("{} {} is not supported in {} models", printable(entry.key, 100),
                               valueText(entry.value), spec.architecture));
    }
    return unknown;
}

}  // namespace lacuna
