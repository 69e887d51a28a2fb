#include "app/serve/generation_request.h"

#include <algorithm>

#include "app/serve/answer_form.h"
#include "app/serve/cache_admin.h"
#include "app/serve/chat_prompt.h"
#include "app/serve/compat_fields.h"
#include "app/serve/infill_request.h"
#include "app/serve/prompt_request.h"
#include "app/serve/responses_request.h"
#include "app/serve/sampling_request.h"
#include "engine/base/string_format.h"
#include "engine/generate/stop_strings.h"
#include "engine/settings/setting_spec.h"

namespace lacuna::app {
namespace {

constexpr int kMaxChoices = 16;
constexpr std::size_t kMaxSalt = 256;
constexpr int kMaxTokens = 1'000'000;

class Reader {
  public:
    Reader(AnswerShape shape, const OrderedJson& object, const ServedModel& model,
           const RequestDefaults& defaults, const StopRequested& stop)
        : fields_(object), model_(model), defaults_(defaults), stop_(stop) {
        asked_.shape = shape;
    }
    [[nodiscard]] ApiResult<RequestedAnswers> read();

  private:
    void readDraw();
    void readLength();
    void readStops();
    void readLogprobs();
    void readDelivery();
    void readStreamOptions();
    void readCache();
    void readThoughts(const std::vector<PromptSpan>& spans);
    void readChat();
    void readCalls(const ChatTools& tools);
    void readCompletion();
    void setForm(RequestedForm form);
    void takePrompt(RequestedAnswers::Prompt prompt);
    void fail(const Error& error, const char* member) {
        ApiError wrong = apiErrorOf(error);
        wrong.param = member;
        fields_.refuse(std::move(wrong));
    }
    /// Responses are read as the equivalent chat request.
    [[nodiscard]] bool chat() const {
        return asked_.shape == AnswerShape::Chat || asked_.shape == AnswerShape::Responses;
    }
    [[nodiscard]] bool native() const { return asked_.shape == AnswerShape::Native; }

    JsonFields fields_;
    const ServedModel& model_;
    const RequestDefaults& defaults_;
    const StopRequested& stop_;
    RequestedAnswers asked_;
    RequestedForm form_;
};

ApiResult<RequestedAnswers> Reader::read() {
    checkModel(fields_, model_);
    readDraw();
    readLength();
    readStops();
    readLogprobs();
    setForm(readForm(fields_, stop_));
    readDelivery();
    readCache();
    readForeignMembers(fields_);
    if (!fields_.error()) {
        if (chat())
            readChat();
        else
            readCompletion();
    }
    if (fields_.error()) return tl::unexpected<ApiError>(*fields_.error());
    for (const std::string& name : fields_.unread())
        asked_.warnings.push_back(format("{} is unknown and was ignored", name));
    return std::move(asked_);
}

void Reader::readDraw() {
    const auto form = native() ? SamplingGround::Form::Native : SamplingGround::Form::OpenAi;
    RequestedSampling sampling = readSampling(
        fields_, {.form = form, .config = defaults_.config, .model = model_, .stop = stop_});
    asked_.sampling = sampling.options;
    asked_.seed = sampling.seed;
    asked_.rules.bias = std::move(sampling.bias);
    for (const char* member : {"n_cmpl", "n"})
        if (const auto choices = fields_.integer(member, 1, kMaxChoices))
            asked_.choices = static_cast<int>(*choices);
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

void Reader::setForm(RequestedForm form) {
    form_ = std::move(form);
    asked_.rules.kind = form_.kind;
    asked_.rules.form = form_.text;
}

void Reader::readDelivery() {
    asked_.stream = fields_.boolean("stream").value_or(false);
    readStreamOptions();
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

void Reader::readStreamOptions() {
    const OrderedJson* options = fields_.find("stream_options");
    if (options == nullptr) return;
    if (!options->is_object())
        return fields_.refuse("stream_options", "stream_options has to be an object", "TYPE");
    if (!asked_.stream)
        return fields_.refuse("stream_options", "stream_options needs stream to be true");
    JsonFields inner(*options, "stream_options.");
    asked_.includeUsage = inner.boolean("include_usage").value_or(false);
    inner.ignore("include_obfuscation");
    if (inner.error()) return fields_.refuse(*inner.error());
    for (const std::string& name : inner.unread())
        asked_.warnings.push_back(format("{} is unknown and was ignored", name));
}

/// Reads compression and cache settings for this answer alone, checked by the same rules as the
/// server's.
void Reader::readCache() {
    const OrderedJson* cache = fields_.find("cache");
    if (cache == nullptr) return;
    if (!cache->is_object())
        return fields_.refuse("cache", "cache has to be an object of settings", "TYPE");
    for (const auto& [name, value] : cache->items())
        if (const SettingSpec* const spec = findSetting(name);
            spec != nullptr && spec->scope != SettingScope::Conversation)
            return fields_.refuse(format("cache.{}", name),
                                  format("cache.{} applies to all requests; set it at "
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

/// Separates reasoning if the template supports it or a grammar produces it.
void Reader::readThoughts(const std::vector<PromptSpan>& spans) {
    const auto style = fields_.text("reasoning_format", 64).value_or("auto");
    if (style != "auto" && style != "deepseek" && style != "none")
        return fields_.refuse("reasoning_format",
                              "reasoning_format has to be none, auto or deepseek", "UNSUPPORTED");
    const AnswerRules& rules = asked_.rules;
    if (writesChannels(model_.templateText())) {
        const bool headed = !finalHeader(promptText(spans)).empty();
        if (style != "none" && rules.kind == AnswerForm::Free && headed)
            asked_.thoughts = ThoughtStream::Begins::Channels;
        return;
    }
    std::optional<ThoughtMarks> marks;
    if (rules.kind == AnswerForm::Free) marks = thoughtMarksIn(model_.templateText());
    if (rules.kind == AnswerForm::Grammar) marks = thoughtMarksIn(rules.form);
    if (style == "none" || !marks) return;
    asked_.thoughtMarks = *marks;
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
    readCalls(chat->tools);
    readThoughts(chat->spans);
    if (fields_.error()) return;
    auto tokens = model_.chatPrompt(chat->spans, stop_);
    if (!tokens) return fail(tokens.error(), "messages");
    const auto question = model_.questionStart(chat->spans, chat->messages, tokens->size());
    takePrompt(
        {.tokens = std::move(*tokens), .text = promptText(chat->spans), .question = question});
}

/// A forced call is constrained by its schema, so it always parses. The schema replaces the format
/// of a plain answer (response_format, json_schema), which does not apply to calls.
void Reader::readCalls(const ChatTools& tools) {
    asked_.calls = readToolChoice(fields_, tools);
    if (!asked_.calls.schema) return;
    if (form_.kind == AnswerForm::JsonSchema) form_ = {};
    setForm(schemaForm(fields_, form_, "tools", *asked_.calls.schema, stop_));
}

void Reader::readCompletion() {
    RequestedPrompts prompts = readPrompts(fields_, model_, stop_);
    asked_.listed = prompts.listed;
    for (RequestedPrompts::One& one : prompts.prompts) {
        if (fields_.error()) return;
        takePrompt({.tokens = std::move(one.tokens), .text = std::move(one.text)});
    }
}

void Reader::takePrompt(RequestedAnswers::Prompt prompt) {
    const auto count = static_cast<std::int64_t>(prompt.tokens.size());
    if (count == 0)
        return fields_.refuse("prompt", "the prompt is empty; it needs at least one token");
    const bool shifts = defaults_.config.contextShift.has_value();
    if (count >= model_.context() && !shifts)
        return fields_.refuse(
            ApiError{.status = 400,
                     .message = format("the prompt of {} tokens exceeds the available context size "
                                       "of {} tokens, which has to hold the answer as well",
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

}  // namespace

void checkModel(JsonFields& fields, const ServedModel& model) {
    const auto name = fields.text("model");
    if (!name || model.answersTo(*name)) return;
    fields.refuse(ApiError{.status = 404,
                           .message = format("this server has no model '{}'; it serves {}",
                                             name->substr(0, 100), model.id()),
                           .param = "model",
                           .code = "model_not_found"});
}

ApiResult<RequestedAnswers> readGeneration(AnswerShape shape, const std::string& body,
                                           const ServedModel& model,
                                           const RequestDefaults& defaults,
                                           const StopRequested& stop) {
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
        return tl::unexpected<ApiError>(
            ApiError{.message = "n has to be 1: a request gets one response",
                     .param = "n",
                     .code = "UNSUPPORTED"});
    asked->repeated = repeatedOfResponses(*object);
    if (keepsResponse(*object)) asked->items = std::move(items->all);
    return asked;
}

ApiResult<RequestedAnswers> readInfill(const std::string& body, const ServedModel& model,
                                       const RequestDefaults& defaults, const StopRequested& stop) {
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
