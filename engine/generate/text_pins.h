#pragma once
/// \file
/// Maps pinned words of a conversation to tokens. Pins refer to a message and bytes, since token
/// positions change when an earlier message is edited or another model reads the text; they are
/// located again in every prompt. Pure functions. docs/pinned-text.md.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/base/ids.h"
#include "engine/base/result.h"
#include "engine/format/load_model.h"
#include "engine/generate/text_pin.h"
#include "engine/kv/eviction/kept_spans.h"
#include "engine/template/chat_message.h"
#include "engine/text/unicode.h"

namespace lacuna {

/// Returns the byte range of each message's text in a rendered prompt, [messages], without
/// surrounding white space; begin == end if the template omitted it. Searches only spans written by
/// messages, in order.
[[nodiscard]] std::vector<ByteRange> contentRanges(std::span<const PromptSpan> prompt,
                                                   std::span<const ChatMessage> messages);

/// Returns the bytes of `text` that each token represents: [tokens]. Tokens without text, such as a
/// leading control token, have an empty range. Errors: Unsupported if the tokenizer normalises the
/// text so that offsets are lost.
[[nodiscard]] Result<std::vector<ByteRange>> tokenRanges(const Tokenizer& tokenizer,
                                                         std::span<const TokenId> tokens,
                                                         std::string_view text);

/// Returns the tokens of `prompt` that contain bytes of each pin: [pins]; first == last if the text
/// is not in the prompt. `prompt` is that of the messages (promptTokens). Errors: as rendering,
/// Range (a pin outside of its message), Unsupported as above.
[[nodiscard]] Result<std::vector<TokenSpan>> pinnedTokens(const LoadedModel& model,
                                                          std::span<const ChatMessage> messages,
                                                          std::span<const TokenId> prompt,
                                                          std::span<const TextPin> pins);

/// Converts to spans that compactions keep: skips empty ones and joins adjacent ones, in this
/// order.
[[nodiscard]] KeptSpans joinedSpans(std::span<const TokenSpan> spans);

}  // namespace lacuna
