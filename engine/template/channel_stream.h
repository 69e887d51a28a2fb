#pragma once
/// \file
/// Separates an answer written in channels (gpt-oss): "analysis" is reasoning, "commentary" and
/// "final" are text, and a message to a function is passed on as a call between <tool_call> marks,
/// for CallStream. Owned by one answer.

#include <string>
#include <string_view>

namespace lacuna {

/// Reasoning and text that became final.
struct AnswerPiece {
    std::string thought, text;
};

class ChannelStream {
  public:
    [[nodiscard]] AnswerPiece push(std::string_view text);
    /// Returns the held-back text at the end of the answer.
    [[nodiscard]] AnswerPiece finish();
    [[nodiscard]] bool inThought() const { return m_inBody && m_kind == Kind::Thought; }

  private:
    enum class Kind { Thought, Text, Call };

    [[nodiscard]] AnswerPiece take(bool last);
    bool readHeader(AnswerPiece& out, bool last);
    bool readBody(AnswerPiece& out, bool last);
    void begin(AnswerPiece& out, std::string_view header);
    void add(AnswerPiece& out, std::string_view body);

    bool m_inBody = false;
    bool m_first = true;                     ///< no message has begun
    bool m_begun = false;                    ///< text of the current message was returned
    bool m_thought = false, m_text = false;  ///< whether any was returned
    Kind m_kind = Kind::Text;
    std::string m_held;
};

/// Returns whether answers to this template's prompts are written in channels.
[[nodiscard]] bool writesChannels(std::string_view templateText);
/// Returns the header that a prompt adds so that the answer is text from its first token on; empty
/// if the prompt does not end before a header.
[[nodiscard]] std::string_view finalHeader(std::string_view prompt);

}  // namespace lacuna
