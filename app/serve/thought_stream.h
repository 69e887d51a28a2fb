#pragma once
/// \file
/// Thoughts and answer told apart in text that is still being written: what stands between <think>
/// and </think> at its beginning is a thought, and white space around the marks belongs to neither.
/// Owned by one answer.

#include <string>
#include <string_view>

namespace lacuna::app {

class ThoughtStream {
  public:
    struct Piece {
        std::string thought, text;
    };
    enum class Begins {
        InAnswer,   ///< nothing is told apart
        InThought,  ///< the prompt ends with <think>
        Open,       ///< the model may write <think> first
    };

    explicit ThoughtStream(Begins begins);
    [[nodiscard]] Piece push(std::string_view text);
    /// What was held back, when the answer has ended.
    [[nodiscard]] Piece finish();
    [[nodiscard]] bool inThought() const { return m_stage == Stage::Thought; }

  private:
    void takeThought(Piece& out, bool last);

    enum class Stage { Open, Thought, Gap, Answer } m_stage;
    bool m_blank = true;  ///< nothing of the thought was given yet
    std::string m_held;
};

/// Whether a prompt ends with a thought that has just begun.
[[nodiscard]] bool endsInThought(std::string_view prompt);

}  // namespace lacuna::app
