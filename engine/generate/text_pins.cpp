#include "engine/generate/text_pins.h"

#include <algorithm>
#include <string_view>

#include "engine/base/string_format.h"
#include "engine/generate/prompt.h"

namespace lacuna {
namespace {

constexpr std::string_view kWhiteSpace = " \t\r\n\f\v";

/// Number of bytes of leading white space.
std::size_t whiteStart(std::string_view text) {
    return std::min(text.find_first_not_of(kWhiteSpace), text.size());
}

std::string_view trimmed(std::string_view text) {
    text.remove_prefix(whiteStart(text));
    return text.substr(0, text.find_last_not_of(kWhiteSpace) + 1);
}

/// A part of the prompt written by messages.
struct Written {
    std::size_t begin = 0;  ///< offset in the prompt
    std::string_view text;
};

std::vector<Written> writtenByMessages(std::span<const PromptSpan> prompt) {
    std::vector<Written> stretches;
    std::size_t at = 0;
    for (const PromptSpan& span : prompt) {
        if (span.source == PromptSpan::Source::Message) stretches.push_back({at, span.text});
        at += span.text.size();
    }
    return stretches;
}

Status checkPins(std::span<const ChatMessage> messages, std::span<const TextPin> pins) {
    for (const TextPin& pin : pins) {
        const auto count = static_cast<std::int64_t>(messages.size());
        if (pin.message < 0 || pin.message >= count)
            return fail(
                ErrorCode::Range,
                format("message {} cannot be pinned; the conversation has {}", pin.message, count));
        const auto bytes = static_cast<std::int64_t>(
            messages[static_cast<std::size_t>(pin.message)].content.size());
        if (pin.first < 0 || pin.last <= pin.first || pin.last > bytes)
            return fail(ErrorCode::Range,
                        format("bytes {} to {} of message {} cannot be pinned; it has {}",
                               pin.first, pin.last, pin.message, bytes));
    }
    return {};
}

/// Returns the bytes of the prompt that a pin covers; empty if its message was omitted or trimmed
/// away.
ByteRange placeOf(const TextPin& pin, const ChatMessage& message, const ByteRange& content) {
    if (content.begin == content.end) return {};
    const auto lead = static_cast<std::int64_t>(whiteStart(message.content));
    const auto length = static_cast<std::int64_t>(content.end - content.begin);
    const std::int64_t first = std::clamp<std::int64_t>(pin.first - lead, 0, length);
    const std::int64_t last = std::clamp<std::int64_t>(pin.last - lead, 0, length);
    return {content.begin + static_cast<std::size_t>(first),
            content.begin + static_cast<std::size_t>(last)};
}

/// @pre `places` are the byte ranges of tokens in text order
TokenSpan tokensAt(std::span<const ByteRange> places, const ByteRange& bytes) {
    if (bytes.begin >= bytes.end) return {};
    const auto holds = [&bytes](const ByteRange& one) {
        return one.begin < one.end && one.end > bytes.begin && one.begin < bytes.end;
    };
    const auto first = std::ranges::find_if(places, holds);
    auto last = first;
    for (auto at = first; at != places.end() && at->begin < bytes.end; ++at)
        if (holds(*at)) last = at + 1;
    return {first - places.begin(), last - places.begin()};
}

}  // namespace

std::vector<ByteRange> contentRanges(std::span<const PromptSpan> prompt,
                                     std::span<const ChatMessage> messages) {
    const std::vector<Written> stretches = writtenByMessages(prompt);
    std::vector<ByteRange> places(messages.size());
    std::size_t stretch = 0, from = 0;
    for (std::size_t i = 0; i < messages.size(); ++i) {
        const std::string_view content = trimmed(messages[i].content);
        if (content.empty()) continue;
        for (std::size_t at = stretch; at < stretches.size(); ++at) {
            const std::size_t found = stretches[at].text.find(content, at == stretch ? from : 0);
            if (found == std::string_view::npos) continue;
            places[i] = {stretches[at].begin + found, stretches[at].begin + found + content.size()};
            stretch = at;
            from = found + content.size();
            break;
        }
    }
    return places;
}

Result<std::vector<ByteRange>> tokenRanges(const Tokenizer& tokenizer,
                                           std::span<const TokenId> tokens, std::string_view text) {
    std::vector<ByteRange> places(tokens.size());
    std::size_t at = 0;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        LACUNA_TRY(const std::string bytes, tokenizer.pieceBytes(tokens[i], SpecialOutput::Show));
        std::string_view piece = bytes;
        std::size_t begin = at;
        if (!text.substr(begin).starts_with(piece)) {
            // White space may belong to the neighbouring message or be inserted before words by the
            // vocabulary.
            begin += whiteStart(text.substr(begin));
            if (!text.substr(begin).starts_with(piece)) piece.remove_prefix(whiteStart(piece));
        }
        if (text.substr(begin).starts_with(piece)) {
            places[i] = {begin, begin + piece.size()};
            at = begin + piece.size();
        } else if (tokenizer.isControl(tokens[i])) {
            places[i] = {at, at};
        } else {
            return fail(ErrorCode::Unsupported,
                        format("words cannot be pinned with this model: its tokenizer changes the "
                               "text, so token {} cannot be found in it",
                               i));
        }
    }
    return places;
}

Result<std::vector<TokenSpan>> pinnedTokens(const LoadedModel& model,
                                            std::span<const ChatMessage> messages,
                                            std::span<const TokenId> prompt,
                                            std::span<const TextPin> pins) {
    LACUNA_TRY_STATUS(checkPins(messages, pins));
    if (pins.empty()) return std::vector<TokenSpan>();
    LACUNA_TRY(const auto spans, renderedPrompt(model, messages));
    const std::string text = promptText(spans);
    LACUNA_TRY(const auto places, tokenRanges(model.tokenizer, prompt, text));
    const std::vector<ByteRange> contents = contentRanges(spans, messages);
    std::vector<TokenSpan> found;
    found.reserve(pins.size());
    for (const TextPin& pin : pins) {
        const auto message = static_cast<std::size_t>(pin.message);
        found.push_back(tokensAt(places, placeOf(pin, messages[message], contents[message])));
    }
    return found;
}

KeptSpans joinedSpans(std::span<const TokenSpan> spans) {
    KeptSpans joined;
    for (const TokenSpan& one : spans)
        if (one.tokens() > 0) joined = withSpan(joined, one);
    return joined;
}

}  // namespace lacuna
