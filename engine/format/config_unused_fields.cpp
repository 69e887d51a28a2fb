#include "engine/format/config_unused_fields.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "engine/format/printable.h"

namespace lacuna {
namespace {

/// Values of a field under which it does not change the computation; null never does.
enum class Neutral { Zero, One, ZeroOrOne, True, Softmax, Rope };

struct FieldRule {
    std::string_view name;
    Neutral neutral;
};

constexpr auto kRules = std::to_array<FieldRule>({
    {"alibi", Neutral::Zero},
    {"attention_chunk_size", Neutral::Zero},
    {"attention_k_eq_v", Neutral::Zero},
    {"attention_multiplier", Neutral::Zero},
    {"attention_scale", Neutral::ZeroOrOne},
    {"attn_logit_softcapping", Neutral::Zero},
    {"attn_scale", Neutral::ZeroOrOne},
    {"attn_temperature_tuning", Neutral::Zero},
    {"bias", Neutral::Zero},
    {"causal", Neutral::True},
    {"clip_qkv", Neutral::Zero},
    {"dim_model_base", Neutral::Zero},
    {"embedding_multiplier", Neutral::One},
    {"embedding_scale", Neutral::ZeroOrOne},
    {"enable_moe_block", Neutral::Zero},
    {"final_logit_softcapping", Neutral::Zero},
    {"first_k_dense_replace", Neutral::Zero},
    {"hidden_size_per_layer_input", Neutral::Zero},
    {"is_causal", Neutral::True},
    {"kv_lora_rank", Neutral::Zero},
    {"logit_scale", Neutral::One},
    {"logits_scaling", Neutral::One},
    {"mlp_only_layers", Neutral::Zero},
    {"moe_layer_freq", Neutral::ZeroOrOne},
    {"n_group", Neutral::ZeroOrOne},
    {"n_routed_experts", Neutral::Zero},
    {"n_shared_experts", Neutral::Zero},
    {"num_kv_shared_layers", Neutral::Zero},
    {"num_nextn_predict_layers", Neutral::Zero},
    {"num_shared_experts", Neutral::Zero},
    {"parallel_attn", Neutral::Zero},
    {"position_embedding_type", Neutral::Rope},
    {"q_lora_rank", Neutral::Zero},
    {"qk_layernorm", Neutral::Zero},
    {"qk_norm", Neutral::Zero},
    {"qkv_bias", Neutral::Zero},
    {"query_pre_attn_scalar", Neutral::Zero},
    {"residual_multiplier", Neutral::One},
    {"rope_interleaved", Neutral::Zero},
    {"rotary_pct", Neutral::One},
    {"routed_scaling_factor", Neutral::One},
    {"scale_depth", Neutral::ZeroOrOne},
    {"scale_emb", Neutral::ZeroOrOne},
    {"scoring_func", Neutral::Softmax},
    {"shared_expert_intermediate_size", Neutral::Zero},
    {"topk_group", Neutral::ZeroOrOne},
    {"swiglu_limit", Neutral::Zero},
    {"use_alibi", Neutral::Zero},
    {"use_bias", Neutral::Zero},
    {"use_cla", Neutral::Zero},
    {"use_double_wide_mlp", Neutral::Zero},
    {"use_gated_activation", Neutral::True},
    {"use_mrope", Neutral::Zero},
    {"use_parallel_block", Neutral::True},
    {"use_parallel_residual", Neutral::Zero},
    {"use_qk_norm", Neutral::Zero},
});

/// Names, training, generation, and fields that matter only together with others that were read.
constexpr auto kHarmless = std::to_array<std::string_view>({
    "_attn_implementation",
    "_attn_implementation_autoset",
    "_name_or_path",
    "_sliding_window_pattern",
    "add_cross_attention",
    "architectures",
    "attention_dropout",
    "attn_implementation",
    "attn_pdrop",
    "auto_map",
    "bad_words_ids",
    "begin_suppress_tokens",
    "boi_token_index",
    "bos_token_id",
    "cache_implementation",
    "chunk_size_feed_forward",
    "cross_attention_hidden_size",
    "decoder_sparse_step",
    "decoder_start_token_id",
    "diversity_penalty",
    "do_sample",
    "dtype",
    "early_stopping",
    "embd_pdrop",
    "embedding_dropout",
    "encoder_no_repeat_ngram_size",
    "eoi_token_index",
    "eos_token_id",
    "exponential_decay_length_penalty",
    "finetuning_task",
    "forced_bos_token_id",
    "forced_eos_token_id",
    "hidden_act",
    "hidden_activation",
    "hidden_dropout",
    "id2label",
    "image_token_index",
    "initializer_range",
    "is_decoder",
    "is_encoder_decoder",
    "is_llama_config",
    "label2id",
    "length_penalty",
    "max_length",
    "max_window_layers",
    "min_length",
    "model_type",
    "moe_intermediate_size",
    "no_repeat_ngram_size",
    "no_rope_layer_interval",
    "norm_topk_prob",
    "num_beam_groups",
    "num_beams",
    "num_experts_per_tok",
    "num_return_sequences",
    "original_max_position_embeddings",
    "output_attentions",
    "output_hidden_states",
    "output_router_logits",
    "output_scores",
    "pad_token_id",
    "prefix",
    "pretraining_tp",
    "problem_type",
    "pruned_heads",
    "remove_invalid_values",
    "repetition_penalty",
    "resid_pdrop",
    "residual_dropout",
    "return_dict",
    "return_dict_in_generate",
    "rms_norm_eps",
    "rope_local_base_freq",
    "router_aux_loss_coef",
    "router_jitter_noise",
    "sep_token_id",
    "sliding_window",
    "sliding_window_pattern",
    "suppress_tokens",
    "task_specific_params",
    "temperature",
    "text_config",
    "tf_legacy_loss",
    "tie_encoder_decoder",
    "tokenizer_class",
    "top_k",
    "top_p",
    "torch_dtype",
    "torchscript",
    "transformers.js_config",
    "transformers_version",
    "typical_p",
    "unk_token_id",
    "unsloth_fixed",
    "unsloth_version",
    "use_bfloat16",
    "use_cache",
    "use_return_dict",
});

constexpr auto kRopeFields = std::to_array<std::string_view>({
    "attention_factor",
    "beta_fast",
    "beta_slow",
    "factor",
    "finetuned",
    "full_attention",
    "high_freq_factor",
    "long_factor",
    "low_freq_factor",
    "mscale",
    "mscale_all_dim",
    "original_max_position_embeddings",
    "partial_rotary_factor",
    "rope_theta",
    "rope_type",
    "short_factor",
    "sliding_attention",
    "truncate",
    "type",
});

bool isNeutral(Neutral neutral, const Json& value) {
    if (value.is_null()) return true;
    if (value.is_array()) return value.empty();
    if (value.is_string())
        return (neutral == Neutral::Softmax && value == "softmax") ||
               (neutral == Neutral::Rope && value.get<std::string>().starts_with("rope"));
    if (!value.is_boolean() && !value.is_number()) return false;
    const double number =
        value.is_boolean() ? (value.get<bool>() ? 1.0 : 0.0) : value.get<double>();
    switch (neutral) {
        case Neutral::Zero:
            return number == 0;
        case Neutral::One:
        case Neutral::True:
            return number == 1;
        case Neutral::ZeroOrOne:
            return number == 0 || number == 1;
        case Neutral::Softmax:
        case Neutral::Rope:
            break;
    }
    return false;
}

}  // namespace

Result<std::vector<std::string>> unusedFields(const ConfigFields& config) {
    std::vector<std::string> unknown;
    for (const auto& [name, value] : config.object().items()) {
        if (config.used(name)) continue;
        const auto rule = std::ranges::find(kRules, name, &FieldRule::name);
        if (rule != kRules.end()) {
            if (!isNeutral(rule->neutral, value)) return config.refuse(name.c_str());
        } else if (std::ranges::find(kHarmless, name) == kHarmless.end() && !value.is_null()) {
            unknown.push_back(config.path() + printable(name, 100));
        }
    }
    return unknown;
}

Status checkRopeFields(const ConfigFields& parameters) {
    for (const auto& [name, value] : parameters.object().items())
        if (std::ranges::find(kRopeFields, name) == kRopeFields.end() && !parameters.used(name) &&
            !isNeutral(Neutral::Zero, value))
            return parameters.refuse(printable(name, 100).c_str());
    return {};
}

}  // namespace lacuna
