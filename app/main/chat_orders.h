#pragma once
/// \file
/// What a line of `lacuna chat` asks for: a message, or an order that begins with a slash, so that
/// the terminal can what the window can with a conversation. Where words stand in messages and
/// among tokens is found here as well. Pure functions.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/generate/text_pin.h"
#include "engine/kv/eviction/kept_spans.h"
#include "engine/template/chat_message.h"

namespace lacuna::cli {

enum class ChatOrder {
    Say,       ///< the text is a message
    Again,     ///< the last question once more
    GoOn,      ///< the last answer, from where it ended
    Edit,      ///< the text in place of the last question
    Attach,    ///< the file before the next message
    Compact,   ///< now
    Whole,     ///< the cache is given up, and compression is off
    Pin,       ///< the words of the text
    Unpin,     ///< all of them
    Held,      ///< what the cache holds of the text
    BackWith,  ///< words that were forgotten
    Set,       ///< key=value
    Save,      ///< the cache to a file
    Load,      ///< and from one
    Help,
    Unknown,  ///< a slash and a word that is none of these
};

struct ChatLine {
    ChatOrder order = ChatOrder::Say;
    std::string text;  ///< what follows the order; of a message all of it
};

/// Two slashes begin a message with one. A slash that no bare word follows, "/etc/hosts is...",
/// begins a message as well.
[[nodiscard]] ChatLine chatLineIn(std::string_view line);
/// Every order with what it does, a line each.
[[nodiscard]] std::string chatOrdersHelp();

/// Where the words stand last among the messages.
[[nodiscard]] std::optional<TextPin> pinOf(std::span<const ChatMessage> messages,
                                           std::string_view words);
/// Which tokens are the words where they stand last. `pieces`: text of each token.
[[nodiscard]] std::optional<TokenSpan> spanOf(std::span<const std::string> pieces,
                                              std::string_view words);
/// The text with what no head holds any more in [brackets]. `share`: of each token, 0..1.
[[nodiscard]] std::string heldText(std::span<const std::string> pieces,
                                   std::span<const float> share);

}  // namespace lacuna::cli
