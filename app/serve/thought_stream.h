#pragma once
/// \file
/// Separates reasoning from answer text in a stream: text between <think> and </think> at the
/// beginning is reasoning; white space around the marks is dropped. Owned by one answer.

#include <string>
#include <string_view>

namespace lacuna::app {

class ThoughtStream {
  public:
    struct Piece {
        std::string thought, text;
    };
    enum class Begins {
        InAnswer,   ///< no separation, all text is answer
        InThought,  ///< the prompt ends with <think>
        Open,       ///< the model may write <think> first
    };

    explicit ThoughtStream(Begins begins);
    [[nodiscard]] Piece push(std::string_view text);
    /// Returns the held-back text at the end of the answer.
    [[nodiscard]] Piece finish();
    [[nodiscard]] bool inThought() const { return m_stage == Stage::Thought; }

  private:
    void takeThought(Piece& out, bool last);

    enum class Stage { Open, Thought, Gap, Answer } m_stage;
    bool m_blank = true;  ///< no visible reasoning text was returned yet
    std::string m_held;
};

/// Returns whether a prompt ends with an opened reasoning block.
[[nodiscard]] bool endsInThought(std::string_view prompt);

}  // namespace lacuna::app
