#include "engine/generate/prompt.h"

#include <algorithm>

#include "engine/base/string_format.h"
#include "engine/generate/text_pins.h"

namespace lacuna {
namespace {

Result<std::string> spelling(const Tokenizer& tokenizer, const std::optional<TokenId>& id) {
    if (!id) return std::string();
    return tokenizer.pieceBytes(*id, SpecialOutput::Show);
}

}  // namespace

Result<std::vector<PromptSpan>> renderedPrompt(const LoadedModel& model,
                                               std::span<const ChatMessage> messages,
                                               const StopRequested& stop) {
    if (messages.empty())
        return fail(ErrorCode::InvalidArgument, "the conversation has no message to answer");
    LACUNA_TRY(RenderOptions options, renderOptions(model.tokenizer));
    options.stop = stop;
    const bool goesOn = messages.size() > 1 && messages.back().role == "assistant";
    if (!goesOn) return model.chatTemplate.render(messages, options);
    LACUNA_TRY(auto spans, model.chatTemplate.render(messages.first(messages.size() - 1), options));
    spans.push_back({messages.back().content, PromptSpan::Source::Message});
    return spans;
}

Result<std::vector<TokenId>> promptTokens(const LoadedModel& model,
                                          std::span<const ChatMessage> messages,
                                          StopRequested stop) {
    LACUNA_TRY(const auto spans, renderedPrompt(model, messages, stop));
    return promptIds(model.tokenizer, spans, std::move(stop));
}

Result<std::vector<TokenId>> promptTokensWithin(const LoadedModel& model,
                                                std::span<const ChatMessage> messages, int context,
                                                StopRequested stop) {
    LACUNA_TRY(const auto spans, renderedPrompt(model, messages, stop));
    std::size_t bytes = 0;
    for (const PromptSpan& span : spans) bytes += span.text.size();
    const std::size_t least = model.tokenizer.minTokens(bytes);
    if (least > static_cast<std::size_t>(std::max(context, 0)))
        return fail(ErrorCode::ContextFull,
                    format("the prompt has {} bytes, which are {} tokens or more, and the context "
                           "has room for {}; shorten the conversation or raise the context",
                           bytes, least, context));
    return promptIds(model.tokenizer, spans, std::move(stop));
}

Result<RenderOptions> renderOptions(const Tokenizer& tokenizer) {
    RenderOptions options;
    const TokenizerData& data = tokenizer.data();
    LACUNA_TRY(options.bosText, spelling(tokenizer, data.bos));
    LACUNA_TRY(options.eosText, spelling(tokenizer, data.eos));
    LACUNA_TRY(options.padText, spelling(tokenizer, data.pad));
    LACUNA_TRY(options.unknownText, spelling(tokenizer, data.unknown));
    return options;
}

Result<std::vector<TokenId>> promptIds(const Tokenizer& tokenizer,
                                       std::span<const PromptSpan> spans, StopRequested stop) {
    LACUNA_TRY(auto ids, encodePrompt(tokenizer, spans, std::move(stop)));
    const auto& bos = tokenizer.data().bos;
    if (tokenizer.data().addBos && bos && (ids.empty() || ids.front() != *bos))
        ids.insert(ids.begin(), *bos);
    return ids;
}

namespace {

/// Returns the newest user message among the first `count`.
std::optional<std::size_t> newestUserMessage(std::span<const ChatMessage> messages,
                                             std::size_t count) {
    while (count > 0 && messages[count - 1].role != "user") --count;
    return count > 0 ? std::optional(count - 1) : std::nullopt;
}

/// Returns the user message that the next answer begins with: the newest one, unless a tool result
/// directly follows it. That result belongs to an earlier call, whose question is still open.
std::optional<std::size_t> openQuestion(std::span<const ChatMessage> messages) {
    auto question = newestUserMessage(messages, messages.size());
    while (question && *question + 1 < messages.size() && messages[*question + 1].role == "tool") {
        const auto before = newestUserMessage(messages, *question);
        if (!before) break;
        question = before;
    }
    return question;
}

}  // namespace

std::optional<std::int64_t> questionStart(const Tokenizer& tokenizer,
                                          std::span<const PromptSpan> spans,
                                          std::span<const ChatMessage> messages,
                                          std::int64_t tokens) {
    const auto open = openQuestion(messages);
    if (!open) return std::nullopt;
    const std::size_t question = *open;
    const std::vector<ByteRange> places = contentRanges(spans, messages);
    if (places[question].begin == places[question].end) return std::nullopt;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < question; ++i) begin = std::max(begin, places[i].end);
    if (begin == 0) return 0;
    // Only the end is encoded, because the text before it may be long.
    std::vector<PromptSpan> end;
    std::size_t at = 0;
    for (const PromptSpan& span : spans) {
        const std::size_t skipped = begin > at ? std::min(begin - at, span.text.size()) : 0;
        if (skipped < span.text.size()) {
            end.push_back(span);
            end.back().text.erase(0, skipped);
        }
        at += span.text.size();
    }
    const auto ids = promptIds(tokenizer, end);
    if (!ids) return std::nullopt;
    return std::max<std::int64_t>(tokens - static_cast<std::int64_t>(ids->size()), 0);
}

std::optional<std::int64_t> questionStart(const LoadedModel& model,
                                          std::span<const ChatMessage> messages,
                                          std::int64_t tokens, const StopRequested& stop) {
    const auto spans = renderedPrompt(model, messages, stop);
    if (!spans) return std::nullopt;
    return questionStart(model.tokenizer, *spans, messages, tokens);
}

Result<std::vector<std::int64_t>> messageStarts(const LoadedModel& model,
                                                std::span<const ChatMessage> messages,
                                                std::span<const TokenId> prompt,
                                                const StopRequested& stop) {
    LACUNA_TRY(const auto spans, renderedPrompt(model, messages, stop));
    LACUNA_TRY(const auto tokens, tokenRanges(model.tokenizer, prompt, promptText(spans)));
    std::vector<std::int64_t> starts;
    std::size_t at = 0;
    for (const ByteRange& text : contentRanges(spans, messages)) {
        if (text.begin == text.end) continue;
        while (at < tokens.size() && tokens[at].end <= text.begin) ++at;
        // The token before may be one with white space at the start of another text.
        if (at > 1) starts.push_back(static_cast<std::int64_t>(at) - 1);
    }
    return starts;
}

}  // namespace lacuna
