#pragma once
/// \file
/// Input and output of a chat template: messages, and prompt text marked by author. Plain data.

#include <string>

namespace lacuna {

struct ChatMessage {
    std::string role;     ///< "system", "user", "assistant" or "tool"
    std::string content;  ///< UTF-8
    friend bool operator==(const ChatMessage&, const ChatMessage&) = default;
};

/// A run of prompt text with one author.
struct PromptSpan {
    enum class Source { Template, Message };
    std::string text;
    Source source = Source::Template;
};

}  // namespace lacuna
