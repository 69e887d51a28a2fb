#pragma once
/// \file
/// Separates reasoning from answer text in a stream: text between two marks at the beginning is
/// reasoning; white space around the marks is dropped. Answers in channels are left to
/// ChannelStream. Owned by one answer.

#include <optional>
#include <string>
#include <string_view>

#include "engine/template/channel_stream.h"

namespace lacuna {

/// Marks around the reasoning at the beginning of an answer.
struct ThoughtMarks {
    std::string_view begin = "<think>";
    std::string_view end = "</think>";
    bool control = false;  ///< the marks are control tokens, which have no text of their own
};

class ThoughtStream {
  public:
    using Piece = AnswerPiece;
    enum class Begins {
        InAnswer,   ///< no separation, all text is answer
        InThought,  ///< the prompt ends with <think>
        Open,       ///< the model may write <think> first
        Channels,   ///< the model writes in channels; their marks have to be in the text
    };

    explicit ThoughtStream(Begins begins, ThoughtMarks marks = {});
    [[nodiscard]] Piece push(std::string_view text);
    /// Returns the held-back text at the end of the answer.
    [[nodiscard]] Piece finish();
    [[nodiscard]] bool inThought() const {
        return m_channels ? m_channels->inThought() : m_stage == Stage::Thought;
    }

  private:
    void readThought(Piece& out, bool last);

    enum class Stage { Open, Thought, Gap, Answer } m_stage;
    ThoughtMarks m_marks;
    std::optional<ChannelStream> m_channels;
    bool m_blank = true;  ///< no visible reasoning text was returned yet
    std::string m_held;
};

/// Returns the marks that a template, or a grammar, uses for reasoning; nullopt if it has none.
[[nodiscard]] std::optional<ThoughtMarks> thoughtMarksIn(std::string_view text);
/// Returns whether a prompt ends with an opened reasoning block.
[[nodiscard]] bool endsInThought(std::string_view prompt);

}  // namespace lacuna
