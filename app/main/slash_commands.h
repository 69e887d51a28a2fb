#pragma once
/// \file
/// Parses a line of `lacuna chat`: a message, or a slash command for what the window offers on a
/// conversation. Also finds words in messages and among tokens. Pure functions.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/generate/text_pin.h"
#include "engine/kv/eviction/kept_spans.h"
#include "engine/template/chat_message.h"

namespace lacuna::cli {

enum class SlashCommand {
    Send,       ///< send the text as a message
    Again,      ///< answer the last message again
    Continue,   ///< continue the last answer
    Edit,       ///< replace the last user message by the text
    Attach,     ///< prepend a file to the next message
    Compact,    ///< compact now
    FullCache,  ///< drop the cache and disable compression
    Pin,        ///< pin the words of the text
    Unpin,      ///< unpin everything
    Held,       ///< show what the cache holds of the text
    BackWith,   ///< restore evicted words
    Set,        ///< change a setting: key=value
    Save,       ///< save the cache to a file
    Load,       ///< restore the cache from a file
    Help,
    Unknown,  ///< unknown slash command
};

struct ChatLine {
    SlashCommand order = SlashCommand::Send;
    std::string text;  ///< argument of the command, or the whole message
};

/// A message that begins with a slash is written with two. A slash not followed by a plain word, as
/// in "/etc/hosts is...", also begins a message.
[[nodiscard]] ChatLine chatLineIn(std::string_view line);
/// Returns every command with its description, one per line.
[[nodiscard]] std::string slashCommandsHelp();

/// Returns the last occurrence of the words in the messages.
[[nodiscard]] std::optional<TextPin> pinOf(std::span<const ChatMessage> messages,
                                           std::string_view words);
/// Returns the tokens of the last occurrence of the words. `pieces`: text of each token.
[[nodiscard]] std::optional<TokenSpan> spanOf(std::span<const std::string> pieces,
                                              std::string_view words);
/// Returns the text with the parts that no head holds in [brackets]. `share`: per token, 0..1.
[[nodiscard]] std::string heldText(std::span<const std::string> pieces,
                                   std::span<const float> share);

}  // namespace lacuna::cli
