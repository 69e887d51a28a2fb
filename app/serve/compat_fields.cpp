#include "app/serve/compat_fields.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "engine/base/string_format.h"

namespace lacuna::app {
namespace {

/// Members of other servers that would change the answer and are not implemented, with the values
/// that have no effect.
struct Foreign {
    const char* name;
    std::vector<OrderedJson> neutral;
};
const std::vector<Foreign>& foreignMembers() {
    static const std::vector<Foreign> all{
        // OpenAI
        {"audio", {}},
        {"functions", {}},
        {"function_call", {}},
        {"prediction", {}},
        {"web_search_options", {}},
        {"modalities", {OrderedJson::array({"text"})}},
        {"verbosity", {"medium"}},
        {"service_tier", {"auto", "default"}},
        {"suffix", {""}},
        {"best_of", {1}},
        {"store", {false}},
        // llama.cpp
        {"typical_p", {1}},
        {"tfs_z", {1}},
        {"mirostat", {0}},
        {"dynatemp_range", {0}},
        {"xtc_probability", {0}},
        {"dry_multiplier", {0}},
        {"top_n_sigma", {-1, 0}},
        {"min_keep", {0}},
        {"n_keep", {0}},
        {"n_discard", {0}},
        {"n_indent", {0}},
        {"n_cache_reuse", {0}},
        {"penalize_nl", {false}},
        {"image_data", {OrderedJson::array()}},
        {"lora", {OrderedJson::array()}},
        {"input_prefix", {}},
        {"input_suffix", {}},
        {"t_max_predict_ms", {0, -1}},
        {"t_max_prompt_ms", {0, -1}},
        {"grammar_lazy", {false}},
        {"reasoning_budget", {-1}},
        {"reasoning_budget_tokens", {-1}},
        {"adaptive_target", {-1}},
        {"parse_tool_calls", {true}},
        // vLLM and others
        {"guided_json", {}},
        {"guided_regex", {}},
        {"guided_choice", {}},
        {"guided_grammar", {}},
        {"structured_outputs", {}},
        {"use_beam_search", {false}},
        {"length_penalty", {1}},
        {"min_tokens", {0}},
        {"bad_words", {OrderedJson::array()}},
        {"stop_token_ids", {OrderedJson::array()}},
        {"allowed_token_ids", {}},
        {"prompt_logprobs", {}},
    };
    return all;
}

/// Members without effect on the answer: labels for logging, where sampling is computed, and
/// options of the features that Foreign refuses.
constexpr auto kWithoutEffect = std::to_array<std::string_view>(
    {"user", "metadata", "safety_identifier", "prompt_cache_key", "prompt_cache_retention",
     "backend_sampling", "mirostat_tau", "mirostat_eta", "dynatemp_exponent", "xtc_threshold",
     "dry_base", "dry_allowed_length", "dry_penalty_last_n", "dry_sequence_breakers",
     "adaptive_decay"});

}  // namespace

void readForeignMembers(JsonFields& fields) {
    for (const Foreign& foreign : foreignMembers()) {
        const OrderedJson* value = fields.find(foreign.name);
        if (value == nullptr || std::ranges::find(foreign.neutral, *value) != foreign.neutral.end())
            continue;
        fields.refuse(foreign.name, format("{} is not supported here", foreign.name),
                      "UNSUPPORTED");
    }
    for (const std::string_view name : kWithoutEffect) fields.ignore(name);
}

}  // namespace lacuna::app
