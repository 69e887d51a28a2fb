#pragma once
/// \file
/// What goes into a chat template and what comes out: messages, and text marked with who wrote it.
/// Plain data.

#include <string>

namespace lacuna {

struct ChatMessage {
    std::string role;     ///< "system", "user", "assistant" or "tool"
    std::string content;  ///< UTF-8
    friend bool operator==(const ChatMessage&, const ChatMessage&) = default;
};

/// A run of prompt text and who wrote it.
struct PromptSpan {
    enum class Source { Template, Message };
    std::string text;
    Source source = Source::Template;
};

}  // namespace lacuna
