#include "app/serve/generation_request.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>

#include "app/serve/cache_admin.h"
#include "app/serve/infill_request.h"
#include "app/serve/responses_request.h"
#include "engine/base/string_format.h"
#include "engine/generate/stop_strings.h"
#include "engine/generate/token_constraint.h"
#include "engine/settings/config_check.h"
#include "engine/settings/knob_spec.h"
#include "engine/template/date_text.h"

namespace lacuna::app {
namespace {

constexpr int kMaxChoices = 16;
constexpr std::size_t kMaxPrompts = 64;
constexpr std::size_t kMaxBiases = 1024;
constexpr std::size_t kMaxSalt = 256;
constexpr int kMaxTokens = 1'000'000;
// OpenAI's own limit; the settings go further, and the native form with them.
constexpr double kMaxTemperature = 2;

/// Members of other servers' requests that would change the answer and are not built here, with the
/// values that change nothing.
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

/// Labels for whoever keeps logs, where a draw is computed, and parts of what foreignMembers() has
/// switched off.
constexpr auto kWithoutEffect = std::to_array<std::string_view>(
    {"user", "metadata", "safety_identifier", "prompt_cache_key", "prompt_cache_retention",
     "parallel_tool_calls", "backend_sampling", "mirostat_tau", "mirostat_eta", "dynatemp_exponent",
     "xtc_threshold", "dry_base", "dry_allowed_length", "dry_penalty_last_n",
     "dry_sequence_breakers", "adaptive_decay"});

/// Stages of llama.cpp's chain that are here, in the order in which they are taken, with what makes
/// one change nothing; and those that are not, which are off in every request that is taken.
struct Stage {
    std::string_view name;
    void (*switchOff)(SamplingOptions& sampling);
};
constexpr Stage kStages[] = {
    {"penalties",
     [](SamplingOptions& s) {
         s.repeatPenalty = 1;
         s.presencePenalty = 0;
         s.frequencyPenalty = 0;
     }},
    {"top_k", [](SamplingOptions& s) { s.topK = 0; }},
    {"top_p", [](SamplingOptions& s) { s.topP = 1; }},
    {"min_p", [](SamplingOptions& s) { s.minP = 0; }},
    {"temperature", [](SamplingOptions& s) { s.temperature = 1; }},
};
constexpr auto kOtherStages = std::to_array<std::string_view>(
    {"dry", "top_n_sigma", "typ_p", "typical_p", "xtc", "infill", "adaptive_p"});

struct Knob {
    const char* member;
    const char* setting;
};
constexpr Knob kKnobs[] = {{"temperature", "temperature"},
                           {"top_p", "top_p"},
                           {"min_p", "min_p"},
                           {"repeat_penalty", "repeat_penalty"},
                           {"repetition_penalty", "repeat_penalty"},
                           {"presence_penalty", "presence_penalty"},
                           {"frequency_penalty", "frequency_penalty"}};

class Reader {
  public:
    Reader(AnswerShape shape, const OrderedJson& object, const ServedModel& model,
           const RequestDefaults& defaults, const StopAsked& stop)
        : fields_(object), model_(model), defaults_(defaults), stop_(stop) {
        asked_.shape = shape;
    }
    [[nodiscard]] ApiResult<AskedAnswers> read();

  private:
    void readSampling();
    void readKnob(EngineConfig& config, const Knob& knob);
    void readStages();
    void readLength();
    void readStops();
    void readBias();
    void readBiasPair(const OrderedJson& token, const OrderedJson& value);
    void readLogprobs();
    void readForm();
    void readResponseFormat(const OrderedJson& format);
    void setForm(const char* member, AnswerForm kind, std::string text);
    void readTools(const ChatTools& tools);
    void readDelivery();
    void readCache();
    void readThoughts(const std::vector<PromptSpan>& spans);
    void readChat();
    void readPrompts();
    void addPrompt(const OrderedJson& prompt);
    void takePrompt(AskedAnswers::Prompt prompt);
    void fail(const Error& error, const char* member) {
        ApiError wrong = apiErrorOf(error);
        wrong.param = member;
        fields_.refuse(std::move(wrong));
    }
    /// Responses are read as the chat request that asks the same.
    [[nodiscard]] bool chat() const {
        return asked_.shape == AnswerShape::Chat || asked_.shape == AnswerShape::Responses;
    }
    [[nodiscard]] bool native() const { return asked_.shape == AnswerShape::Native; }

    JsonFields fields_;
    const ServedModel& model_;
    const RequestDefaults& defaults_;
    const StopAsked& stop_;
    AskedAnswers asked_;
    const char* formMember_ = nullptr;
};

ApiResult<AskedAnswers> Reader::read() {
    checkModel(fields_, model_);
    readSampling();
    readLength();
    readStops();
    readBias();
    readLogprobs();
    readForm();
    readDelivery();
    readCache();
    for (const Foreign& foreign : foreignMembers()) {
        const OrderedJson* value = fields_.find(foreign.name);
        if (value == nullptr || std::ranges::find(foreign.neutral, *value) != foreign.neutral.end())
            continue;
        fields_.refuse(foreign.name, format("{} is not supported here", foreign.name),
                       "UNSUPPORTED");
    }
    for (const std::string_view name : kWithoutEffect) fields_.ignore(name);
    if (!fields_.error()) {
        if (chat())
            readChat();
        else
            readPrompts();
    }
    if (fields_.error()) return tl::unexpected<ApiError>(*fields_.error());
    for (const std::string& name : fields_.unread())
        asked_.warnings.push_back(format("{} is not known here and was not looked at", name));
    return std::move(asked_);
}

void Reader::readSampling() {
    EngineConfig config = defaults_.config;
    if (!native()) static_cast<void>(fields_.number("temperature", 0, kMaxTemperature));
    for (const Knob& knob : kKnobs) readKnob(config, knob);
    if (const auto most = fields_.integer("top_k", -1, kMaxTokens))
        config.sampling.topK = static_cast<int>(std::max<std::int64_t>(0, *most));
    if (const auto last = fields_.integer("repeat_last_n", -1, kMaxTokens))
        config.sampling.repeatLastN = *last < 0 ? model_.context() : static_cast<int>(*last);
    asked_.sampling = config.sampling;
    if (const OrderedJson* seed = fields_.find("seed")) {
        if (seed->is_number_unsigned())
            asked_.seed = seed->get<std::uint64_t>();
        else
            fields_.refuse("seed", "seed has to be a whole number from 0 to 18446744073709551615",
                           seed->is_number() ? "SEED-RANGE" : "TYPE");
    }
    readStages();
    for (const char* member : {"n_cmpl", "n"})
        if (const auto choices = fields_.integer(member, 1, kMaxChoices))
            asked_.choices = static_cast<int>(*choices);
}

/// Which stages the draw has: those that are left out of the list are off.
void Reader::readStages() {
    const OrderedJson* names = fields_.find("samplers");
    if (names == nullptr) return;
    const auto refuse = [&](std::string message, const char* code) {
        fields_.refuse("samplers", std::move(message), code);
    };
    if (!names->is_array()) return refuse("samplers has to be a list of names", "TYPE");
    std::array<bool, std::size(kStages)> listed{};
    const Stage* last = nullptr;
    for (const OrderedJson& one : *names) {
        if (!one.is_string()) return refuse("samplers has to be a list of names", "TYPE");
        const auto name = one.get<std::string>();
        if (std::ranges::find(kOtherStages, name) != kOtherStages.end()) continue;
        const Stage* const stage = std::ranges::find(kStages, name, &Stage::name);
        if (stage == std::end(kStages))
            return refuse(format("samplers has '{}', which is not known here", name.substr(0, 100)),
                          "UNSUPPORTED");
        if (last != nullptr && stage <= last)
            return refuse(
                "samplers is not supported in this order; it is penalties, top_k, top_p, min_p, "
                "temperature",
                "UNSUPPORTED");
        last = stage;
        listed[static_cast<std::size_t>(stage - kStages)] = true;
    }
    for (std::size_t i = 0; i < listed.size(); ++i)
        if (!listed[i]) kStages[i].switchOff(asked_.sampling);
}

/// A value under the rule that holds for slider and command line as well.
void Reader::readKnob(EngineConfig& config, const Knob& knob) {
    const OrderedJson* value = fields_.find(knob.member);
    if (value == nullptr) return;
    if (!value->is_number())
        return fields_.refuse(knob.member, format("{} has to be a number", knob.member), "TYPE");
    auto violation = setKnobValue(config, knob.setting, Json(value->get<double>()));
    if (!violation) {
        const auto checked = check(config, nullptr, MachineFacts{});
        if (checked) return;
        const auto& all = checked.error();
        const auto ours = std::ranges::find(all, std::string(knob.setting), &RuleViolation::field);
        if (ours == all.end()) return;
        violation = *ours;
    }
    ApiError wrong = apiErrorOf(*violation);
    wrong.param = knob.member;
    fields_.refuse(std::move(wrong));
}

void Reader::readLength() {
    std::optional<std::int64_t> most;
    for (const char* member : {"max_completion_tokens", "max_tokens"})
        if (const auto value = fields_.integer(member, 1, kMaxTokens); value && !most) most = value;
    if (const auto value = fields_.integer("n_predict", -1, kMaxTokens); value && !most)
        most = *value < 0 ? std::min(model_.context(), kMaxTokens) : *value;
    asked_.maxTokens = static_cast<int>(most.value_or(defaults_.config.maxTokens));
}

void Reader::readStops() {
    const OrderedJson* stop = fields_.find("stop");
    if (stop == nullptr) return;
    if (stop->is_string()) {
        asked_.stops = {stop->get<std::string>()};
    } else if (stop->is_array()) {
        for (const OrderedJson& one : *stop) {
            if (!one.is_string())
                return fields_.refuse("stop", "stop has to be a string or a list of strings",
                                      "TYPE");
            asked_.stops.push_back(one.get<std::string>());
        }
    } else {
        return fields_.refuse("stop", "stop has to be a string or a list of strings", "TYPE");
    }
    if (const auto checked = StopStrings::create(asked_.stops); !checked)
        fail(checked.error(), "stop");
}

void Reader::readBias() {
    const OrderedJson* bias = fields_.find("logit_bias");
    if (bias != nullptr) {
        if (!bias->is_object() && !bias->is_array())
            return fields_.refuse("logit_bias", "logit_bias has to map token ids to numbers",
                                  "TYPE");
        if (bias->size() > kMaxBiases)
            return fields_.refuse(
                "logit_bias",
                format("logit_bias has {} entries; at most {} are taken", bias->size(), kMaxBiases),
                "RANGE");
        if (bias->is_object())
            for (const auto& [token, value] : bias->items()) {
                std::int64_t id = -1;
                const auto [end, error] =
                    std::from_chars(token.data(), token.data() + token.size(), id);
                const bool number = error == std::errc() && end == token.data() + token.size();
                if (!number && !native())
                    return fields_.refuse("logit_bias", "logit_bias has a name that is no token id",
                                          "TYPE");
                readBiasPair(number ? OrderedJson(id) : OrderedJson(token), value);
            }
        else
            for (const OrderedJson& pair : *bias) {
                if (!pair.is_array() || pair.size() != 2)
                    return fields_.refuse("logit_bias",
                                          "logit_bias has to be a list of [token, number]", "TYPE");
                readBiasPair(pair[0], pair[1]);
            }
    }
    if (fields_.boolean("ignore_eos").value_or(false)) {
        const TokenizerData& data = model_.tokenizer().data();
        if (data.eos) readBiasPair(*data.eos, -100);
        for (const TokenId end : data.endOfTurn) readBiasPair(end, -100);
    }
}

/// A token by its id, or all tokens of a text.
void Reader::readBiasPair(const OrderedJson& token, const OrderedJson& value) {
    if (!value.is_number() && value != OrderedJson(false))
        return fields_.refuse("logit_bias", "logit_bias has a value that is no number", "TYPE");
    const double amount = value.is_number() ? value.get<double>() : AnswerRules::kForbid;
    if (!(amount >= -100 && amount <= 100))
        return fields_.refuse("logit_bias", "logit_bias allows -100 to 100", "RANGE");
    std::vector<TokenId> ids;
    if (token.is_number_integer()) {
        const auto id = token.get<std::int64_t>();
        if (id < 0 || id >= model_.facts().vocabulary)
            return fields_.refuse("logit_bias",
                                  format("logit_bias has token {}; the vocabulary has 0 to {}", id,
                                         model_.facts().vocabulary - 1),
                                  "RANGE");
        ids.push_back(static_cast<TokenId>(id));
    } else if (token.is_string()) {
        auto encoded = model_.tokenizer().encode(token.get<std::string>(), {.stop = stop_});
        if (!encoded) return fail(encoded.error(), "logit_bias");
        ids = std::move(*encoded);
    } else {
        return fields_.refuse("logit_bias", "logit_bias has a token that is no id", "TYPE");
    }
    for (const TokenId id : ids) {
        const auto found = std::ranges::find(asked_.rules.bias, id, &LogitBias::token);
        if (found == asked_.rules.bias.end())
            asked_.rules.bias.push_back({id, amount});
        else
            found->value = amount;
    }
}

void Reader::readLogprobs() {
    constexpr int kMost = AnswerRules::kMaxLogprobs;
    if (chat()) {
        const bool wanted = fields_.boolean("logprobs").value_or(false);
        const auto top = fields_.integer("top_logprobs", 0, kMost);
        if (top && *top > 0 && !wanted)
            fields_.refuse("top_logprobs", "top_logprobs needs logprobs to be true");
        if (wanted) asked_.rules.logprobs = static_cast<int>(top.value_or(0));
    } else if (native()) {
        if (const auto top = fields_.integer("n_probs", 0, kMost); top && *top > 0)
            asked_.rules.logprobs = static_cast<int>(*top);
        asked_.rules.logprobsOfDraw =
            fields_.boolean("post_sampling_probs").value_or(false) && asked_.rules.logprobs;
    } else if (const auto top = fields_.integer("logprobs", 0, kMost)) {
        asked_.rules.logprobs = static_cast<int>(*top);
    }
    if (!native() && fields_.boolean("post_sampling_probs").value_or(false))
        fields_.refuse("post_sampling_probs", "post_sampling_probs is for /completion only",
                       "UNSUPPORTED");
}

void Reader::setForm(const char* member, AnswerForm kind, std::string text) {
    if (formMember_ != nullptr)
        return fields_.refuse(member, format("{} and {} exclude each other", formMember_, member),
                              "EXCL-FORM");
    formMember_ = member;
    asked_.rules.kind = kind;
    asked_.rules.form = std::move(text);
    if (fields_.error()) return;
    if (const auto grammar = formGrammar(asked_.rules, stop_); !grammar) {
        ApiError wrong = apiErrorOf(grammar.error());
        wrong.status = 400;
        wrong.param = member;
        fields_.refuse(std::move(wrong));
    }
}

void Reader::readForm() {
    if (const OrderedJson* wanted = fields_.find("response_format")) readResponseFormat(*wanted);
    if (const auto grammar = fields_.text("grammar"); grammar && !grammar->empty())
        setForm("grammar", AnswerForm::Grammar, *grammar);
    if (const OrderedJson* schema = fields_.find("json_schema")) {
        if (!schema->is_object())
            return fields_.refuse("json_schema", "json_schema has to be a JSON schema", "TYPE");
        setForm("json_schema", AnswerForm::JsonSchema, dumpJson(*schema));
    }
}

void Reader::readResponseFormat(const OrderedJson& wanted) {
    constexpr const char* kMember = "response_format";
    if (!wanted.is_object() || !wanted.contains("type") || !wanted["type"].is_string())
        return fields_.refuse(kMember, "response_format has to be an object with a type", "TYPE");
    const auto type = wanted["type"].get<std::string>();
    if (type == "text") return;
    if (type == "json_object") {
        OrderedJson schema{{"type", "object"}};
        if (wanted.contains("schema") && !wanted["schema"].is_null()) schema = wanted["schema"];
        if (!schema.is_object())
            return fields_.refuse(kMember, "response_format.schema has to be a JSON schema",
                                  "TYPE");
        return setForm(kMember, AnswerForm::JsonSchema, dumpJson(schema));
    }
    if (type == "json_schema") {
        const auto inner = wanted.find("json_schema");
        if (inner == wanted.end() || !inner->is_object() || !inner->contains("schema") ||
            !(*inner)["schema"].is_object())
            return fields_.refuse(
                kMember, "response_format.json_schema.schema has to be a JSON schema", "TYPE");
        return setForm(kMember, AnswerForm::JsonSchema, dumpJson((*inner)["schema"]));
    }
    fields_.refuse(kMember, "response_format.type has to be text, json_object or json_schema",
                   "UNSUPPORTED");
}

/// What a call must look like is a schema, so that a forced one cannot fail to be a call.
void Reader::readTools(const ChatTools& tools) {
    const OrderedJson* choice = fields_.find("tool_choice");
    std::string name;
    std::string mode = tools.functions.empty() ? "none" : "auto";
    if (choice != nullptr && choice->is_string()) {
        mode = choice->get<std::string>();
    } else if (choice != nullptr) {
        const bool named = choice->is_object() && choice->contains("function") &&
                           (*choice)["function"].is_object() &&
                           (*choice)["function"].contains("name") &&
                           (*choice)["function"]["name"].is_string();
        if (!named)
            return fields_.refuse("tool_choice", "tool_choice has to be a word or name a function",
                                  "TYPE");
        mode = "named";
        name = (*choice)["function"]["name"].get<std::string>();
    }
    if (mode == "none" || (mode == "auto" && tools.functions.empty())) return;
    if (mode != "auto" && mode != "required" && mode != "named")
        return fields_.refuse("tool_choice",
                              "tool_choice has to be none, auto, required or name a function");
    if (tools.functions.empty())
        return fields_.refuse("tool_choice", "tool_choice needs tools to choose from");
    for (const ToolFunction& function : tools.functions) asked_.functions.push_back(function.name);
    if (mode == "auto") {
        const bool tagged = model_.templateText().find("<tool_call>") != std::string::npos;
        asked_.calls = tagged ? CallForm::Tagged : CallForm::Whole;
        return;
    }
    std::vector<ToolFunction> may = tools.functions;
    if (mode == "named") std::erase_if(may, [&](const ToolFunction& f) { return f.name != name; });
    if (may.empty())
        return fields_.refuse("tool_choice", "tool_choice names a function that is not in tools");
    asked_.calls = CallForm::Forced;
    setForm("tools", AnswerForm::JsonSchema, dumpJson(callSchema(may)));
}

void Reader::readDelivery() {
    asked_.stream = fields_.boolean("stream").value_or(false);
    if (const OrderedJson* options = fields_.find("stream_options")) {
        if (!options->is_object())
            return fields_.refuse("stream_options", "stream_options has to be an object", "TYPE");
        if (!asked_.stream)
            return fields_.refuse("stream_options", "stream_options needs stream to be true");
        JsonFields inner(*options, "stream_options.");
        asked_.includeUsage = inner.boolean("include_usage").value_or(false);
        inner.ignore("include_obfuscation");
        if (inner.error()) return fields_.refuse(*inner.error());
        for (const std::string& name : inner.unread())
            asked_.warnings.push_back(format("{} is not known here and was not looked at", name));
    }
    asked_.keepsCache = fields_.boolean("cache_prompt").value_or(true);
    asked_.returnTokens = fields_.boolean("return_tokens").value_or(false);
    asked_.timingsPerToken = fields_.boolean("timings_per_token").value_or(false);
    asked_.showsProgress = fields_.boolean("return_progress").value_or(false);
    asked_.verbose = fields_.boolean("verbose").value_or(defaults_.verbose);
    asked_.salt = fields_.text("cache_salt", kMaxSalt).value_or("");
    if (const auto slot = fields_.integer("id_slot", -1, defaults_.slots - 1); slot && *slot >= 0)
        asked_.slot = static_cast<int>(*slot);
    if (asked_.shape == AnswerShape::Completion) {
        asked_.echo = fields_.boolean("echo").value_or(false);
        if (asked_.echo && asked_.rules.logprobs)
            fields_.refuse("echo", "echo together with logprobs is not supported here",
                           "UNSUPPORTED");
    }
    if (!native()) return;
    if (const OrderedJson* names = fields_.find("response_fields")) {
        if (!names->is_array())
            return fields_.refuse("response_fields", "response_fields has to be a list", "TYPE");
        for (const OrderedJson& name : *names)
            if (name.is_string()) asked_.responseFields.push_back(name.get<std::string>());
    }
}

/// Settings of compression and cache for this answer alone, by the rules of all others.
void Reader::readCache() {
    const OrderedJson* cache = fields_.find("cache");
    if (cache == nullptr) return;
    if (!cache->is_object())
        return fields_.refuse("cache", "cache has to be an object of settings", "TYPE");
    for (const auto& [name, value] : cache->items())
        if (const KnobSpec* const spec = findKnob(name);
            spec != nullptr && spec->scope != KnobScope::Conversation)
            return fields_.refuse(format("cache.{}", name),
                                  format("cache.{} is set for all answers at once, at "
                                         "/admin/api/compression/config or with --set",
                                         name),
                                  "UNSUPPORTED");
    const auto wanted =
        changedCacheSettings(*cache, defaults_.config, model_.facts(), defaults_.machine);
    if (wanted) {
        asked_.cache = cacheSettingsOf(*wanted);
        return;
    }
    ApiError wrong = wanted.error();
    wrong.param = format("cache.{}", wrong.param);
    fields_.refuse(std::move(wrong));
}

/// Whether thoughts are told apart: where the template has them, or a grammar writes them.
void Reader::readThoughts(const std::vector<PromptSpan>& spans) {
    const auto style = fields_.text("reasoning_format", 64).value_or("auto");
    if (style != "auto" && style != "deepseek" && style != "none")
        return fields_.refuse("reasoning_format",
                              "reasoning_format has to be none, auto or deepseek", "UNSUPPORTED");
    constexpr std::string_view kEnd = "</think>";
    const AnswerRules& rules = asked_.rules;
    const bool may =
        rules.kind == AnswerForm::Free
            ? model_.templateText().find(kEnd) != std::string::npos
            : rules.kind == AnswerForm::Grammar && rules.form.find(kEnd) != std::string::npos;
    if (style == "none" || !may) return;
    asked_.thoughts = endsInThought(promptText(spans)) ? ThoughtStream::Begins::InThought
                                                       : ThoughtStream::Begins::Open;
}

void Reader::readChat() {
    const OrderedJson* choice = fields_.find("tool_choice");
    const bool forced =
        choice != nullptr && *choice != "none" && *choice != "auto" && fields_.find("tools");
    auto chat = renderChat(fields_, model_,
                           {.reasoning = defaults_.reasoning,
                            .formed = forced || asked_.rules.kind == AnswerForm::JsonSchema},
                           stop_);
    if (!chat) return fields_.refuse(chat.error());
    readTools(chat->tools);
    readThoughts(chat->spans);
    if (fields_.error()) return;
    auto tokens = model_.chatPrompt(chat->spans, stop_);
    if (!tokens) return fail(tokens.error(), "messages");
    takePrompt({std::move(*tokens), promptText(chat->spans)});
}

void Reader::readPrompts() {
    const OrderedJson* prompt = fields_.find("prompt");
    if (prompt == nullptr) return fields_.refuse("prompt", "prompt is missing");
    const auto isText = [](const OrderedJson& one) { return one.is_string(); };
    const bool single =
        prompt->is_string() || prompt->is_object() ||
        (prompt->is_array() &&
         std::ranges::any_of(*prompt, [](const OrderedJson& one) { return one.is_number(); }));
    if (single) return addPrompt(*prompt);
    if (!prompt->is_array() || prompt->empty())
        return fields_.refuse("prompt", "prompt has to be a string, token ids or a list of them",
                              "TYPE");
    if (prompt->size() > kMaxPrompts)
        return fields_.refuse("prompt", format("prompt has {} entries; at most {} are taken",
                                               prompt->size(), kMaxPrompts));
    asked_.listed = prompt->size() > 1 || !isText(prompt->front());
    asked_.listed = asked_.listed && prompt->size() > 1;
    for (const OrderedJson& one : *prompt) {
        addPrompt(one);
        if (fields_.error()) return;
    }
}

/// A text, token ids, or both in turn; or an object with a text, as clients send it that may add
/// pictures to it.
void Reader::addPrompt(const OrderedJson& prompt) {
    if (prompt.is_object()) {
        JsonFields inner(prompt, "prompt.");
        const OrderedJson* media = inner.find("multimodal_data");
        if (media != nullptr && !media->empty())
            inner.refuse("multimodal_data",
                         "prompt.multimodal_data is not supported: this model reads text alone",
                         "UNSUPPORTED");
        const auto text = inner.text("prompt_string");
        if (!text && !inner.error())
            inner.refuse("prompt_string", "prompt.prompt_string is missing");
        if (inner.error()) return fields_.refuse(*inner.error());
        return addPrompt(OrderedJson(*text));
    }
    AskedAnswers::Prompt result;
    const auto add = [&](const OrderedJson& part) {
        if (part.is_string()) {
            const auto text = part.get<std::string>();
            const bool first = result.tokens.empty();
            auto ids = first ? model_.rawPrompt(text, stop_)
                             : model_.tokenizer().encode(
                                   text, {.special = SpecialText::Parse, .stop = stop_});
            if (!ids) return fail(ids.error(), "prompt");
            result.tokens.insert(result.tokens.end(), ids->begin(), ids->end());
            result.text += text;
        } else if (part.is_number_integer() && part.get<std::int64_t>() >= 0 &&
                   part.get<std::int64_t>() < model_.facts().vocabulary) {
            result.tokens.push_back(static_cast<TokenId>(part.get<std::int64_t>()));
            result.text += model_.piece(result.tokens.back());
        } else {
            fields_.refuse("prompt",
                           format("prompt has an entry that is neither text nor a token id from 0 "
                                  "to {}",
                                  model_.facts().vocabulary - 1),
                           part.is_number() ? "RANGE" : "TYPE");
        }
    };
    if (prompt.is_array())
        for (const OrderedJson& part : prompt) {
            add(part);
            if (fields_.error()) return;
        }
    else
        add(prompt);
    if (!fields_.error()) takePrompt(std::move(result));
}

void Reader::takePrompt(AskedAnswers::Prompt prompt) {
    const auto count = static_cast<std::int64_t>(prompt.tokens.size());
    if (count == 0) return fields_.refuse("prompt", "the prompt is empty; it needs one token");
    const bool shifts = defaults_.config.contextShift.has_value();
    if (count >= model_.context() && !shifts)
        return fields_.refuse(
            ApiError{.status = 400,
                     .message = format("the prompt of {} tokens exceeds the available context size "
                                       "of {} tokens, in which its answer needs room as well",
                                       count, model_.context()),
                     .param = chat() ? "messages" : "prompt",
                     .code = std::string(errorName(ErrorCode::ContextFull)),
                     .type = "exceed_context_size_error",
                     .more = {{"n_prompt_tokens", count}, {"n_ctx", model_.context()}}});
    prompt.maxTokens =
        shifts
            ? asked_.maxTokens
            : static_cast<int>(std::min<std::int64_t>(asked_.maxTokens, model_.context() - count));
    asked_.prompts.push_back(std::move(prompt));
}

/// The model is told of its tools by its template, or, where that knows none, by a message.
void announceTools(OrderedJson& messages, const ChatTools& tools, bool forced) {
    std::string text =
        std::string(forced ? "You call functions. Answer"
                           : "You can call functions. To call one, answer") +
        " with one JSON object of the form {\"name\": ..., \"arguments\": {...}} and nothing else. "
        "The functions:";
    for (const OrderedJson& tool : tools.asGiven) text += "\n" + dumpJson(tool["function"]);
    if (!messages.empty() && messages.front()["role"] == "system") {
        OrderedJson& content = messages.front()["content"];
        content = content.get<std::string>() + "\n\n" + text;
    } else {
        messages.insert(messages.begin(), OrderedJson{{"role", "system"}, {"content", text}});
    }
}

/// What the system says before what the first user says, for templates that have no place for it
/// (Gemma's, Mistral's first). False where there is nothing to tell or nobody to tell it.
bool tellFirstUser(OrderedJson& messages) {
    if (messages.empty() || messages.front()["role"] != "system") return false;
    const auto user = std::ranges::find_if(
        messages, [](const OrderedJson& message) { return message["role"] == "user"; });
    if (user == messages.end()) return false;
    OrderedJson& content = (*user)["content"];
    content = messages.front()["content"].get<std::string>() + "\n\n" + content.get<std::string>();
    messages.erase(messages.begin());
    return true;
}

/// Whether the prompt ends where the assistant begins to speak. A last message of the assistant is
/// gone on with in any case; `continue_final_message` says that this is meant.
bool readGenerationPrompt(JsonFields& fields, const ChatHistory& history) {
    const auto begins = fields.boolean("add_generation_prompt");
    const bool goesOn = fields.boolean("continue_final_message").value_or(false);
    if (goesOn && begins.value_or(false))
        fields.refuse("continue_final_message",
                      "continue_final_message and add_generation_prompt exclude each other",
                      "EXCL-PROMPT");
    else if (goesOn && history.prefill.empty())
        fields.refuse("continue_final_message",
                      "continue_final_message needs a last message of the assistant");
    return begins.value_or(true) || !history.prefill.empty();
}

/// Variables that some templates write dates and functions with: those of Llama 3, and of
/// FireFunction.
void addUsualVariables(OrderedJson& variables, const std::string& text, const ChatTools* tools) {
    const auto knows = [&](std::string_view word) { return text.find(word) != std::string::npos; };
    const auto date = [](std::string_view pattern) {
        const auto now = std::chrono::system_clock::now().time_since_epoch();
        return dateText(pattern, std::chrono::duration_cast<std::chrono::seconds>(now).count())
            .value_or("");
    };
    if (knows("date_string")) variables["date_string"] = date("%d %b %Y");
    if (!knows("datetime")) return;
    variables["datetime"] = date("%b %d %Y %H:%M:%S GMT");
    if (knows("functions")) variables["functions"] = tools ? tools->asGiven.dump(2) : "";
}

}  // namespace

void checkModel(JsonFields& fields, const ServedModel& model) {
    const auto name = fields.text("model");
    if (!name || model.answersTo(*name)) return;
    fields.refuse(ApiError{.status = 404,
                           .message = format("there is no model '{}' here; {} is served",
                                             name->substr(0, 100), model.id()),
                           .param = "model",
                           .code = "model_not_found"});
}

ApiResult<RenderedChat> renderChat(JsonFields& fields, const ServedModel& model,
                                   const RenderWish& wish, const StopAsked& stop) {
    RenderedChat result;
    auto history = readMessages(fields);
    if (!history) return tl::unexpected<ApiError>(history.error());
    const bool generationPrompt = readGenerationPrompt(fields, *history);
    auto tools = readTools(fields);
    if (!tools) return tl::unexpected<ApiError>(tools.error());
    result.tools = std::move(*tools);
    TemplateInput input{.messages = std::move(history->messages)};
    const std::string& text = model.templateText();
    const auto knows = [&](std::string_view word) { return text.find(word) != std::string::npos; };
    const OrderedJson* choice = fields.find("tool_choice");
    const bool usesTools =
        !result.tools.functions.empty() && !(choice != nullptr && *choice == "none");
    addUsualVariables(input.variables, text, usesTools ? &result.tools : nullptr);
    if (usesTools && knows("tools"))
        input.variables["tools"] = result.tools.asGiven;
    else if (usesTools && !input.variables.contains("functions"))
        announceTools(input.messages, result.tools, choice != nullptr && *choice != "auto");
    if (knows("enable_thinking"))
        input.variables["enable_thinking"] = wish.reasoning.value_or(!wish.formed);
    if (const auto effort = fields.text("reasoning_effort", 64)) {
        if (knows("reasoning_effort"))
            input.variables["reasoning_effort"] = *effort;
        else if (knows("enable_thinking"))
            input.variables["enable_thinking"] = *effort != "none";
        else if (*effort != "none")
            fields.refuse(
                "reasoning_effort",
                "reasoning_effort is not supported: this model's template does not have it",
                "UNSUPPORTED");
    }
    if (const OrderedJson* more = fields.find("chat_template_kwargs")) {
        if (!more->is_object())
            fields.refuse("chat_template_kwargs", "chat_template_kwargs has to be an object",
                          "TYPE");
        constexpr std::string_view kOurs[] = {"messages",  "tools",     "add_generation_prompt",
                                              "bos_token", "eos_token", "pad_token",
                                              "unk_token"};
        if (more->is_object())
            for (const auto& [name, value] : more->items()) {
                if (std::ranges::find(kOurs, name) != std::end(kOurs))
                    fields.refuse("chat_template_kwargs",
                                  format("chat_template_kwargs may not set {}", name));
                input.variables[name] = value;
            }
    }
    if (fields.error()) return tl::unexpected<ApiError>(*fields.error());
    auto spans = model.chatText(input, history->prefill, generationPrompt, stop);
    if (!spans && spans.error().code == ErrorCode::TplRefused && tellFirstUser(input.messages))
        if (auto told = model.chatText(input, history->prefill, generationPrompt, stop))
            spans = std::move(told);
    if (!spans) {
        ApiError wrong = apiErrorOf(spans.error());
        if (wrong.status == 500) wrong.status = 400;
        wrong.param = "messages";
        return tl::unexpected<ApiError>(std::move(wrong));
    }
    result.spans = std::move(*spans);
    // A template that cannot be asked otherwise has begun a thought: it is closed again.
    if (wish.reasoning == false && generationPrompt && history->prefill.empty() &&
        endsInThought(promptText(result.spans)))
        result.spans.push_back({"\n</think>\n\n", PromptSpan::Source::Template});
    return result;
}

ApiResult<AskedAnswers> readGeneration(AnswerShape shape, const std::string& body,
                                       const ServedModel& model, const RequestDefaults& defaults,
                                       const StopAsked& stop) {
    const auto object = bodyObject(body);
    if (!object) return tl::unexpected<ApiError>(object.error());
    if (shape != AnswerShape::Responses)
        return Reader(shape, *object, model, defaults, stop).read();
    auto items = itemsOfResponses(*object, *defaults.responses);
    if (!items) return tl::unexpected<ApiError>(items.error());
    const auto chat = chatOfResponses(*object, *items);
    if (!chat) return tl::unexpected<ApiError>(chat.error());
    auto asked = Reader(shape, *chat, model, defaults, stop).read();
    if (!asked) return tl::unexpected<ApiError>(errorOfResponses(std::move(asked).error()));
    if (asked->choices != 1)
        return tl::unexpected<ApiError>(ApiError{
            .message = "n has to be 1: a response is one", .param = "n", .code = "UNSUPPORTED"});
    asked->repeated = repeatedOfResponses(*object);
    if (keepsResponse(*object)) asked->items = std::move(items->all);
    return asked;
}

ApiResult<AskedAnswers> readInfill(const std::string& body, const ServedModel& model,
                                   const RequestDefaults& defaults, const StopAsked& stop) {
    const auto object = bodyObject(body);
    if (!object) return tl::unexpected<ApiError>(object.error());
    auto gap = completionOfInfill(*object, model.tokenizer(), model.context(),
                                  defaults.config.maxTokens, stop);
    if (!gap) return tl::unexpected<ApiError>(gap.error());
    auto asked = Reader(AnswerShape::Native, gap->completion, model, defaults, stop).read();
    if (asked)
        asked->warnings.insert(asked->warnings.end(), gap->warnings.begin(), gap->warnings.end());
    return asked;
}

}  // namespace lacuna::app
