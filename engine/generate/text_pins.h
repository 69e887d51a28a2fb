#pragma once
/// \file
/// Words of a conversation that no compaction may forget, and the tokens they are. A person names
/// them by message and bytes, since tokens move when an earlier message is edited or another model
/// reads the text; where they stand is found anew for every prompt. Pure functions.
/// docs/pinned-text.md.

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

/// Where the text of each message stands in a rendered prompt: [messages], from its first byte on
/// without the white space around it; begin == end where the template left it out. Only what
/// messages wrote is looked at, in order.
[[nodiscard]] std::vector<ByteRange> contentPlaces(std::span<const PromptSpan> prompt,
                                                   std::span<const ChatMessage> messages);

/// Bytes of `text` that each token stands for: [tokens]. Tokens that stand for none of it, such as
/// a leading control token, have an empty range. Errors: Unsupported, where the tokenizer changes
/// the text so that places are lost.
[[nodiscard]] Result<std::vector<ByteRange>> tokenPlaces(const Tokenizer& tokenizer,
                                                         std::span<const TokenId> tokens,
                                                         std::string_view text);

/// Tokens of `prompt` that hold bytes of each pin: [pins]; none (first == last) where its text is
/// not in the prompt. `prompt` is that of the messages (promptTokens). Errors: as rendering, Range
/// (a pin outside of its message), Unsupported as above.
[[nodiscard]] Result<std::vector<TokenSpan>> pinnedTokens(const LoadedModel& model,
                                                          std::span<const ChatMessage> messages,
                                                          std::span<const TokenId> prompt,
                                                          std::span<const TextPin> pins);

/// As spans that compactions keep: without empty ones, joined where they touch, in this order.
[[nodiscard]] KeptSpans joinedSpans(std::span<const TokenSpan> spans);

}  // namespace lacuna
