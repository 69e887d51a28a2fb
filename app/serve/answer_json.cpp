#include "app/serve/answer_json.h"

#include <algorithm>
#include <cmath>

namespace lacuna::app {
namespace {

OrderedJson bytesJson(const std::string& text) {
    OrderedJson bytes = OrderedJson::array();
    for (const char c : text) bytes.push_back(static_cast<unsigned char>(c));
    return bytes;
}

/// JSON has no minus infinity; OpenAI writes this value instead, and clients know it.
double finite(double logprob) {
    constexpr double kForbidden = -9999;
    return std::isfinite(logprob) ? std::min(logprob, 0.0) : kForbidden;
}

/// How the probabilities of a drawn token are written.
enum class ChanceForm {
    Chat,       ///< {"token", "bytes", "logprob", "top_logprobs"}
    Native,     ///< Chat with token ids
    NativeDraw  ///< Native with "prob" and "top_probs" of the draw
};

ChanceForm nativeForm(const RequestedAnswers& asked) {
    return asked.rules.logprobsOfDraw ? ChanceForm::NativeDraw : ChanceForm::Native;
}

OrderedJson chanceJson(const TokenText& drawn, const ServedModel& model, ChanceForm form) {
    const bool ofDraw = form == ChanceForm::NativeDraw;
    const auto entry = [&](TokenId id, const std::string& text, double logprob) {
        OrderedJson one = OrderedJson::object();
        if (form != ChanceForm::Chat) one["id"] = id;
        one["token"] = text;
        one["bytes"] = bytesJson(text);
        one[ofDraw ? "prob" : "logprob"] = ofDraw ? std::exp(logprob) : finite(logprob);
        return one;
    };
    OrderedJson json = entry(drawn.token, model.piece(drawn.token), drawn.logprobs->logprob);
    OrderedJson top = OrderedJson::array();
    for (const TokenLogprob& chance : drawn.logprobs->top)
        top.push_back(entry(chance.token, chance.text, chance.logprob));
    json[ofDraw ? "top_probs" : "top_logprobs"] = std::move(top);
    return json;
}

bool hasChances(const ChoicePiece& piece) {
    return piece.drawn != nullptr && piece.drawn->logprobs.has_value();
}

double millisecondsBetween(std::chrono::steady_clock::time_point from,
                           std::chrono::steady_clock::time_point to) {
    return std::chrono::duration<double, std::milli>(to - from).count();
}

/// The end token is drawn as well but has no visible text.
bool shownToken(const TokenText& drawn, const ServedModel& model) {
    return !model.tokenizer().isEndOfTurn(drawn.token);
}

OrderedJson chatLogprobs(const ChoiceSoFar& choice, const ServedModel& model) {
    OrderedJson content = OrderedJson::array();
    for (const TokenText& drawn : choice.drawn)
        if (drawn.logprobs && shownToken(drawn, model))
            content.push_back(chanceJson(drawn, model, ChanceForm::Chat));
    return {{"content", std::move(content)}, {"refusal", nullptr}};
}

/// Log-probabilities in the older format: parallel lists.
OrderedJson completionLogprobs(const std::vector<TokenText>& all, std::size_t offset,
                               const ServedModel& model) {
    OrderedJson tokens = OrderedJson::array();
    OrderedJson logprobs = OrderedJson::array();
    OrderedJson tops = OrderedJson::array();
    OrderedJson offsets = OrderedJson::array();
    for (const TokenText& drawn : all) {
        if (!drawn.logprobs || !shownToken(drawn, model)) continue;
        const std::string piece = model.piece(drawn.token);
        tokens.push_back(piece);
        logprobs.push_back(finite(drawn.logprobs->logprob));
        OrderedJson top = OrderedJson::object();
        for (const TokenLogprob& chance : drawn.logprobs->top)
            top[chance.text] = finite(chance.logprob);
        tops.push_back(std::move(top));
        offsets.push_back(offset);
        offset += piece.size();
    }
    return {{"tokens", std::move(tokens)},
            {"token_logprobs", std::move(logprobs)},
            {"top_logprobs", std::move(tops)},
            {"text_offset", std::move(offsets)}};
}

OrderedJson withTimestamp(const ReplyStamp& stamp, const char* object) {
    return {{"id", stamp.id},
            {"object", object},
            {"created", stamp.created},
            {"model", stamp.model},
            {"system_fingerprint", stamp.fingerprint}};
}

void addWarnings(OrderedJson& reply, const RequestedAnswers& asked) {
    if (!asked.warnings.empty()) reply["warnings"] = asked.warnings;
}

OrderedJson callJson(const ToolCall& call, const std::string& id) {
    return {{"id", id},
            {"type", "function"},
            {"function", {{"name", call.name}, {"arguments", call.arguments}}}};
}

std::string stopType(const TurnFinished& turn) {
    switch (turn.reason) {
        case FinishReason::Stop:
            return "eos";
        case FinishReason::StopString:
            return "word";
        case FinishReason::Length:
        case FinishReason::ContextFull:
            return "limit";
        case FinishReason::Cancelled:
        case FinishReason::Error:
            return "none";
    }
    return "none";
}

OrderedJson nativeOne(const ReplyStamp& stamp, const RequestedAnswers& asked,
                      const ChoiceSoFar& choice, const ServedModel& model, bool whole) {
    const TurnFinished& turn = *choice.ended;
    const RequestedAnswers::Prompt& given = asked.prompts[choice.prompt];
    // Uses the raw bytes of the tokens, so that a space that belongs to the first word after a
    // control token is kept.
    std::string prompt;
    for (const TokenId token : given.tokens) prompt += model.piece(token);
    // The answer was limited by the context, not by the requested maximum.
    const bool full = turn.reason == FinishReason::Length && given.maxTokens < asked.maxTokens &&
                      turn.stats.generatedTokens >= given.maxTokens;
    OrderedJson json{
        {"index", choice.index},
        {"content", whole ? choice.text : std::string()},
        {"tokens", whole && asked.returnTokens ? OrderedJson(choice.tokens) : OrderedJson::array()},
        {"id_slot", choice.slot},
        {"stop", true},
        {"id", stamp.id},
        {"model", stamp.model},
        {"tokens_predicted", turn.stats.generatedTokens},
        {"tokens_evaluated", choice.promptTokens},
        {"generation_settings", generationSettingsJson(asked, choice.seed)},
        {"prompt", std::move(prompt)},
        {"has_new_line", choice.text.find('\n') != std::string::npos},
        {"truncated", full || turn.stats.shiftedTokens > 0},
        {"stop_type", stopType(turn)},
        {"stopping_word", turn.stopString},
        {"tokens_cached", choice.promptTokens + turn.stats.generatedTokens},
        {"timings", timingsJson(choice)}};
    if (whole && asked.rules.logprobs) {
        OrderedJson all = OrderedJson::array();
        for (const TokenText& drawn : choice.drawn)
            if (drawn.logprobs) all.push_back(chanceJson(drawn, model, nativeForm(asked)));
        json["completion_probabilities"] = std::move(all);
    }
    addWarnings(json, asked);
    return json;
}

/// Returns only the members in `paths`, each under its path ("generation_settings/n_predict").
OrderedJson narrowed(const OrderedJson& json, const std::vector<std::string>& paths) {
    OrderedJson result = OrderedJson::object();
    for (const std::string& path : paths) {
        const OrderedJson* at = &json;
        std::string_view left = path;
        while (at != nullptr && !left.empty()) {
            const std::size_t slash = left.find('/');
            const auto found =
                at->is_object() ? at->find(std::string(left.substr(0, slash))) : at->end();
            at = at->is_object() && found != at->end() ? &*found : nullptr;
            left = slash == std::string_view::npos ? std::string_view() : left.substr(slash + 1);
        }
        if (at != nullptr) result[path] = *at;
    }
    return result;
}

double perSecond(std::int64_t count, double seconds) {
    return seconds > 0 ? static_cast<double>(count) / seconds : 0;
}

double perToken(std::int64_t count, double seconds) {
    return count > 0 ? 1000 * seconds / static_cast<double>(count) : 0;
}

/// The first token comes out of reading the prompt, so the writing time covers the others only.
OrderedJson stageTimes(const ChoiceSoFar& choice, std::int64_t read, double reading,
                       std::int64_t written, double writing) {
    const std::int64_t others = std::max<std::int64_t>(written - 1, 0);
    return {{"cache_n", choice.reusedTokens},
            {"prompt_n", read},
            {"prompt_ms", 1000 * reading},
            {"prompt_per_token_ms", perToken(read, reading)},
            {"prompt_per_second", perSecond(read, reading)},
            {"predicted_n", written},
            {"predicted_ms", 1000 * writing},
            {"predicted_per_token_ms", perToken(others, writing)},
            {"predicted_per_second", perSecond(others, writing)}};
}

}  // namespace

std::string finishName(const ChoiceSoFar& choice) {
    if (!choice.calls.empty() && !choice.callCut) return "tool_calls";
    switch (choice.ended->reason) {
        case FinishReason::Stop:
        case FinishReason::StopString:
            return "stop";
        case FinishReason::Length:
        case FinishReason::ContextFull:
            return "length";
        case FinishReason::Cancelled:
        case FinishReason::Error:
            return "cancelled";
    }
    return "stop";
}

OrderedJson usageJson(const std::vector<ChoiceSoFar>& choices) {
    std::int64_t prompt = 0;
    std::int64_t cached = 0;
    std::int64_t written = 0;
    std::optional<std::size_t> last;
    for (const ChoiceSoFar& choice : choices) {
        if (choice.ended) written += choice.ended->stats.generatedTokens;
        if (last == choice.prompt) continue;  // count each prompt once for all its answers
        last = choice.prompt;
        prompt += choice.promptTokens;
        cached += choice.reusedTokens;
    }
    return {{"prompt_tokens", prompt},
            {"completion_tokens", written},
            {"total_tokens", prompt + written},
            {"prompt_tokens_details", {{"cached_tokens", cached}}}};
}

OrderedJson timingsJson(const ChoiceSoFar& choice) {
    const TurnStats& s = choice.ended->stats;
    OrderedJson json = stageTimes(choice, choice.promptTokens - choice.reusedTokens,
                                  s.prefillSeconds, s.generatedTokens, s.decodeSeconds);
    json["draft_n"] = s.draftedTokens;
    json["draft_n_accepted"] = s.acceptedTokens;
    return json;
}

OrderedJson timingsSoFar(const ChoiceSoFar& choice) {
    const auto now = std::chrono::steady_clock::now();
    const auto spoke = choice.tokens.empty() ? now : choice.spoke;
    const double reading = millisecondsBetween(choice.began, spoke) / 1000;
    const double writing = millisecondsBetween(spoke, now) / 1000;
    return stageTimes(choice, choice.promptTokens - choice.reusedTokens, reading,
                      static_cast<std::int64_t>(choice.tokens.size()), writing);
}

OrderedJson timingsOfReading(const ChoiceSoFar& choice, std::int64_t read) {
    const double reading =
        read == 0 ? 0 : millisecondsBetween(choice.began, std::chrono::steady_clock::now()) / 1000;
    return stageTimes(choice, read, reading, 0, 0);
}

OrderedJson progressJson(const ChoiceSoFar& choice, const PrefillProgress& progress) {
    return {{"total", progress.total},
            {"cache", progress.reused},
            {"processed", progress.done},
            {"time_ms", static_cast<std::int64_t>(
                            millisecondsBetween(choice.began, std::chrono::steady_clock::now()))}};
}

OrderedJson logprobsList(const TokenText& drawn, const ServedModel& model) {
    OrderedJson all = OrderedJson::array();
    if (drawn.logprobs && shownToken(drawn, model))
        all.push_back(chanceJson(drawn, model, ChanceForm::Chat));
    return all;
}

OrderedJson generationSettingsJson(const RequestedAnswers& asked, std::uint64_t seed) {
    const SamplingOptions& s = asked.sampling;
    OrderedJson bias = OrderedJson::array();
    for (const LogitBias& one : asked.rules.bias) {
        // JSON has no minus infinity.
        const bool forbidden = one.value <= AnswerRules::kForbid;
        bias.push_back(
            OrderedJson{{"bias", forbidden ? OrderedJson(nullptr) : OrderedJson(one.value)},
                        {"token", one.token}});
    }
    return {{"n_predict", asked.maxTokens},
            {"max_tokens", asked.maxTokens},
            {"seed", seed},
            {"temperature", s.temperature},
            {"top_k", s.topK},
            {"top_p", s.topP},
            {"min_p", s.minP},
            {"repeat_last_n", s.repeatLastN},
            {"repeat_penalty", s.repeatPenalty},
            {"presence_penalty", s.presencePenalty},
            {"frequency_penalty", s.frequencyPenalty},
            {"stop", asked.stops},
            {"n_probs", asked.rules.logprobs.value_or(0)},
            {"post_sampling_probs", asked.rules.logprobsOfDraw},
            {"stream", asked.stream},
            {"grammar", asked.rules.kind == AnswerForm::Grammar ? asked.rules.form : std::string()},
            {"logit_bias", std::move(bias)},
            // Sampling stages and options of llama.cpp that do not exist here, reported as switched
            // off.
            {"dynatemp_range", 0.0},
            {"typical_p", 1.0},
            {"top_n_sigma", -1.0},
            {"xtc_probability", 0.0},
            {"dry_multiplier", 0.0},
            {"mirostat", 0},
            {"adaptive_target", -1.0},
            {"adaptive_decay", 0.0},
            {"min_keep", 0},
            {"n_keep", 0},
            {"n_discard", 0}};
}

void addVerbose(OrderedJson& reply, const ReplyStamp& stamp, const RequestedAnswers& asked,
                const ChoiceSoFar& choice, const ServedModel& model) {
    if (asked.verbose) reply["__verbose"] = nativeOne(stamp, asked, choice, model, true);
}

OrderedJson chatReply(const ReplyStamp& stamp, const RequestedAnswers& asked,
                      const std::vector<ChoiceSoFar>& choices, const ServedModel& model) {
    OrderedJson reply = withTimestamp(stamp, "chat.completion");
    reply["choices"] = OrderedJson::array();
    for (const ChoiceSoFar& choice : choices) {
        OrderedJson message{{"role", "assistant"}, {"content", choice.text}, {"refusal", nullptr}};
        if (!choice.thoughts.empty()) message["reasoning_content"] = choice.thoughts;
        if (!choice.calls.empty()) {
            if (choice.text.empty()) message["content"] = nullptr;
            message["tool_calls"] = OrderedJson::array();
            for (std::size_t i = 0; i < choice.calls.size(); ++i)
                message["tool_calls"].push_back(callJson(choice.calls[i], choice.callIds[i]));
        }
        reply["choices"].push_back({{"index", choice.index},
                                    {"message", std::move(message)},
                                    {"logprobs", asked.rules.logprobs ? chatLogprobs(choice, model)
                                                                      : OrderedJson(nullptr)},
                                    {"finish_reason", finishName(choice)}});
    }
    reply["usage"] = usageJson(choices);
    reply["timings"] = timingsJson(choices.front());
    addVerbose(reply, stamp, asked, choices.front(), model);
    addWarnings(reply, asked);
    return reply;
}

OrderedJson completionReply(const ReplyStamp& stamp, const RequestedAnswers& asked,
                            const std::vector<ChoiceSoFar>& choices, const ServedModel& model) {
    OrderedJson reply = withTimestamp(stamp, "text_completion");
    reply["choices"] = OrderedJson::array();
    for (const ChoiceSoFar& choice : choices) {
        const std::string before = asked.echo ? asked.prompts[choice.prompt].text : std::string();
        reply["choices"].push_back(
            {{"index", choice.index},
             {"text", before + choice.text},
             {"logprobs", asked.rules.logprobs ? completionLogprobs(choice.drawn, 0, model)
                                               : OrderedJson(nullptr)},
             {"finish_reason", finishName(choice)}});
    }
    reply["usage"] = usageJson(choices);
    reply["timings"] = timingsJson(choices.front());
    addVerbose(reply, stamp, asked, choices.front(), model);
    addWarnings(reply, asked);
    return reply;
}

OrderedJson nativeReply(const ReplyStamp& stamp, const RequestedAnswers& asked,
                        const std::vector<ChoiceSoFar>& choices, const ServedModel& model) {
    OrderedJson all = OrderedJson::array();
    for (const ChoiceSoFar& choice : choices) {
        OrderedJson one = nativeOne(stamp, asked, choice, model, true);
        all.push_back(asked.responseFields.empty() ? std::move(one)
                                                   : narrowed(one, asked.responseFields));
    }
    return all.size() == 1 && !asked.listed ? all.front() : all;
}

OrderedJson chatChunk(const ReplyStamp& stamp, int index, OrderedJson delta) {
    OrderedJson chunk = withTimestamp(stamp, "chat.completion.chunk");
    chunk["choices"] = OrderedJson::array({{{"index", index},
                                            {"delta", std::move(delta)},
                                            {"logprobs", nullptr},
                                            {"finish_reason", nullptr}}});
    return chunk;
}

OrderedJson chatPiece(const ReplyStamp& stamp, int index, const ChoicePiece& piece,
                      const ServedModel& model) {
    OrderedJson chunk =
        chatChunk(stamp, index, {{piece.thought ? "reasoning_content" : "content", piece.text}});
    if (hasChances(piece))
        chunk["choices"][0]["logprobs"] = {{"content", logprobsList(*piece.drawn, model)},
                                           {"refusal", nullptr}};
    return chunk;
}

OrderedJson chatEnd(const ReplyStamp& stamp, const ChoiceSoFar& choice) {
    OrderedJson chunk = chatChunk(stamp, choice.index, OrderedJson::object());
    chunk["choices"][0]["finish_reason"] = finishName(choice);
    return chunk;
}

OrderedJson completionPiece(const ReplyStamp& stamp, const ChoiceSoFar& choice,
                            const ChoicePiece& piece, const ServedModel& model) {
    OrderedJson chunk = withTimestamp(stamp, "text_completion");
    OrderedJson logprobs = nullptr;
    if (hasChances(piece))
        logprobs =
            completionLogprobs({*piece.drawn}, choice.text.size() - piece.text.size(), model);
    chunk["choices"] = OrderedJson::array({{{"index", choice.index},
                                            {"text", piece.text},
                                            {"logprobs", std::move(logprobs)},
                                            {"finish_reason", nullptr}}});
    return chunk;
}

OrderedJson completionEnd(const ReplyStamp& stamp, const ChoiceSoFar& choice) {
    OrderedJson chunk = withTimestamp(stamp, "text_completion");
    chunk["choices"] = OrderedJson::array({{{"index", choice.index},
                                            {"text", ""},
                                            {"logprobs", nullptr},
                                            {"finish_reason", finishName(choice)}}});
    return chunk;
}

OrderedJson nativePiece(const RequestedAnswers& asked, const ChoiceSoFar& choice,
                        const ChoicePiece& piece, const ServedModel& model) {
    OrderedJson json{{"index", choice.index},
                     {"content", piece.text},
                     {"tokens", OrderedJson::array()},
                     {"stop", false},
                     {"id_slot", choice.slot},
                     {"tokens_predicted", choice.tokens.size()},
                     {"tokens_evaluated", choice.promptTokens}};
    if (piece.drawn != nullptr) json["tokens"].push_back(piece.drawn->token);
    if (hasChances(piece))
        json["completion_probabilities"] =
            OrderedJson::array({chanceJson(*piece.drawn, model, nativeForm(asked))});
    return json;
}

OrderedJson progressPiece(const ReplyStamp& stamp, const RequestedAnswers& asked,
                          const ChoiceSoFar& choice, OrderedJson progress) {
    OrderedJson piece;
    if (asked.shape == AnswerShape::Chat) {
        piece = chatChunk(stamp, choice.index, OrderedJson::object());
    } else if (asked.shape == AnswerShape::Completion) {
        piece = withTimestamp(stamp, "text_completion");
        piece["choices"] = OrderedJson::array();
    } else {
        piece = {{"index", choice.index},
                 {"content", ""},
                 {"tokens", OrderedJson::array()},
                 {"stop", false},
                 {"id_slot", choice.slot},
                 {"tokens_predicted", 0},
                 {"tokens_evaluated", choice.promptTokens}};
    }
    piece["prompt_progress"] = std::move(progress);
    return piece;
}

OrderedJson nativeEnd(const ReplyStamp& stamp, const RequestedAnswers& asked,
                      const ChoiceSoFar& choice, const ServedModel& model) {
    const OrderedJson one = nativeOne(stamp, asked, choice, model, false);
    return asked.responseFields.empty() ? one : narrowed(one, asked.responseFields);
}

OrderedJson usageChunk(const ReplyStamp& stamp, const RequestedAnswers& asked,
                       const std::vector<ChoiceSoFar>& choices) {
    OrderedJson chunk = withTimestamp(
        stamp, asked.shape == AnswerShape::Chat ? "chat.completion.chunk" : "text_completion");
    chunk["choices"] = OrderedJson::array();
    chunk["usage"] = usageJson(choices);
    chunk["timings"] = timingsJson(choices.front());
    addWarnings(chunk, asked);
    return chunk;
}

OrderedJson callDelta(int call, const std::string& id, const std::string& name,
                      const std::string& arguments) {
    OrderedJson one{{"index", call}};
    if (!id.empty()) {
        one["id"] = id;
        one["type"] = "function";
    }
    one["function"] = OrderedJson::object();
    if (!name.empty()) one["function"]["name"] = name;
    one["function"]["arguments"] = arguments;
    return {{"tool_calls", OrderedJson::array({std::move(one)})}};
}

}  // namespace lacuna::app
