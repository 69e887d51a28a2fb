#include "app/remote/chat_chunk.h"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/base/json.h"

namespace lacuna::app {

namespace {

constexpr std::string_view kThoughtBegin = "<think>\n";
constexpr std::string_view kThoughtEnd = "\n</think>\n\n";

const Json* member(const Json& object, const char* key) {
    if (!object.is_object()) return nullptr;
    const auto found = object.find(key);
    return found == object.end() || found->is_null() ? nullptr : &*found;
}

std::string textOf(const Json& object, const char* key) {
    const Json* value = member(object, key);
    return value != nullptr && value->is_string() ? value->get<std::string>() : std::string();
}

std::optional<std::int64_t> countOf(const Json& object, const char* key) {
    const Json* value = member(object, key);
    if (value == nullptr || !value->is_number_integer()) return std::nullopt;
    const auto count = value->get<std::int64_t>();
    return count >= 0 ? std::optional(count) : std::nullopt;
}

std::optional<ChatUsage> usageOf(const Json& usage) {
    const auto prompt = countOf(usage, "prompt_tokens");
    const auto answer = countOf(usage, "completion_tokens");
    if (!prompt || !answer) return std::nullopt;
    ChatUsage counts{*prompt, *answer, std::nullopt};
    if (const Json* details = member(usage, "prompt_tokens_details"))
        counts.cachedTokens = countOf(*details, "cached_tokens");
    return counts;
}

std::string errorOf(const Json& error) {
    if (error.is_string()) return error.get<std::string>();
    const std::string message = textOf(error, "message");
    return message.empty() ? std::string("an error without a message") : message;
}

/// Content is either a string or a list of text parts.
std::string contentOf(const Json& message) {
    const Json* content = member(message, "content");
    if (content == nullptr || !content->is_array()) return textOf(message, "content");
    std::string text;
    for (const Json& part : *content) text += textOf(part, "text");
    return text;
}

void readChoice(const Json& choice, ChatChunk& chunk) {
    const Json* message = member(choice, "delta");
    if (message == nullptr) message = member(choice, "message");
    if (message != nullptr) {
        chunk.text = contentOf(*message);
        chunk.thought = textOf(*message, "reasoning_content");
        if (chunk.thought.empty()) chunk.thought = textOf(*message, "reasoning");
    }
    chunk.finish = textOf(choice, "finish_reason");
}

/// Returns the answer without its leading thoughts.
std::string withoutThoughts(const std::string& text) {
    constexpr std::string_view kEnd = "</think>";
    if (!text.starts_with("<think>")) return text;
    const std::size_t end = text.find(kEnd);
    if (end == std::string::npos) return text;
    const std::size_t begin = text.find_first_not_of(" \n", end + kEnd.size());
    return begin == std::string::npos ? std::string() : text.substr(begin);
}

struct RequestSetting {
    std::string_view key;
    bool everywhere;  ///< part of the OpenAI API, hence sent to every family
};
constexpr std::array kSettings{RequestSetting{"temperature", true},
                               RequestSetting{"top_p", true},
                               RequestSetting{"presence_penalty", true},
                               RequestSetting{"frequency_penalty", true},
                               RequestSetting{"seed", true},
                               RequestSetting{"max_tokens", true},
                               RequestSetting{"top_k", false},
                               RequestSetting{"min_p", false},
                               RequestSetting{"repeat_penalty", false}};

void putSampling(OrderedJson& body, const SamplingOptions& sampling, EngineFamily family) {
    body["temperature"] = sampling.temperature;
    body["top_p"] = sampling.topP;
    if (sampling.presencePenalty != 0) body["presence_penalty"] = sampling.presencePenalty;
    if (sampling.frequencyPenalty != 0) body["frequency_penalty"] = sampling.frequencyPenalty;
    if (sampling.seed)
        body["seed"] = *sampling.seed & 0x7FFFFFFF;  // vLLM accepts 63 bits, others only 32.
    if (!isForwarded("top_k", family)) return;
    const bool minusForOff = family == EngineFamily::Vllm || family == EngineFamily::Sglang;
    body["top_k"] = sampling.topK == 0 && minusForOff ? -1 : sampling.topK;
    body["min_p"] = sampling.minP;
    const char* repeat = minusForOff ? "repetition_penalty" : "repeat_penalty";
    if (sampling.repeatPenalty != 1) body[repeat] = sampling.repeatPenalty;
}

}  // namespace

Result<ChatChunk> readChatChunk(std::string_view json) {
    LACUNA_TRY(const Json root, parseJson(json));
    ChatChunk chunk;
    if (const Json* error = member(root, "error")) {
        chunk.error = errorOf(*error);
        return chunk;
    }
    if (textOf(root, "object") == "error") {
        chunk.error = errorOf(root);
        return chunk;
    }
    const Json* choices = member(root, "choices");
    if (choices == nullptr || !choices->is_array())
        return fail(ErrorCode::Json, "the member \"choices\" is missing");
    if (!choices->empty()) readChoice(choices->front(), chunk);
    if (const Json* usage = member(root, "usage")) chunk.usage = usageOf(*usage);
    return chunk;
}

FinishReason finishFrom(std::string_view reason) {
    if (reason == "length") return FinishReason::Length;
    if (reason == "abort" || reason == "cancelled") return FinishReason::Cancelled;
    if (reason == "error") return FinishReason::Error;
    return FinishReason::Stop;
}

std::string chatRequest(const Submit& submit, std::string_view model, EngineFamily family) {
    OrderedJson body;
    body["model"] = model;
    body["messages"] = OrderedJson::array();
    for (const ChatMessage& message : submit.messages)
        body["messages"].push_back(
            {{"role", message.role},
             {"content",
              message.role == "assistant" ? withoutThoughts(message.content) : message.content}});
    body["stream"] = true;
    body["stream_options"] = {{"include_usage", true}};
    if (submit.sampling) putSampling(body, *submit.sampling, family);
    if (submit.maxTokens && *submit.maxTokens > 0) body["max_tokens"] = *submit.maxTokens;
    if (!submit.stopStrings.empty()) body["stop"] = submit.stopStrings;
    return dumpJson(body);
}

bool isForwarded(std::string_view key, EngineFamily family) {
    const bool extended = family != EngineFamily::Unknown && family != EngineFamily::LmCache;
    return std::ranges::any_of(kSettings, [&](const RequestSetting& one) {
        return one.key == key && (one.everywhere || extended);
    });
}

std::string ThoughtJoiner::join(const ChatChunk& chunk) {
    std::string text;
    if (!chunk.thought.empty()) {
        if (!std::exchange(m_thinking, true)) text += kThoughtBegin;
        text += chunk.thought;
    }
    if (!chunk.text.empty()) text += end() + chunk.text;
    return text;
}

std::string ThoughtJoiner::end() {
    return std::exchange(m_thinking, false) ? std::string(kThoughtEnd) : std::string();
}

}  // namespace lacuna::app
