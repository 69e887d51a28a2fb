#pragma once
/// \file
/// Separates the reasoning of a running answer from its text and measures it. A plain value of the
/// GUI thread.

#include <QElapsedTimer>
#include <QString>
#include <cstdint>
#include <string>

#include "app/state/view_types.h"
#include "engine/session/thought_form.h"

namespace lacuna {
struct TokenText;
}

namespace lacuna::app {

class ThoughtReader {
  public:
    /// Reads answers without reasoning.
    ThoughtReader() : ThoughtReader(ThoughtForm{.begins = ThoughtStream::Begins::InAnswer}) {}
    /// `begun` is the existing reasoning of an answer that is being continued.
    explicit ThoughtReader(ThoughtForm form, Thought begun = {});

    void read(const TokenText& token);
    void read(const QString& text);
    /// Returns the answer text read since the last call.
    [[nodiscard]] QString takeText();
    /// Returns the reasoning read since the last call.
    [[nodiscard]] QString readThought();
    /// Returns true while the model is writing its reasoning.
    [[nodiscard]] bool thinking() const { return m_clock.isValid() && !m_ended; }
    [[nodiscard]] Thought thought() const;
    /// Ends the answer, whose text follows `begun`, and returns its text. `complete` is all that
    /// the model wrote; it repairs text lost on the way, unless its marks are control tokens, which
    /// it lacks.
    [[nodiscard]] QString end(const QString& begun, const QString& shown,
                              const std::string& complete);

  private:
    void take(const ThoughtStream::Piece& piece);
    void finishThought();
    [[nodiscard]] double elapsed() const { return static_cast<double>(m_clock.elapsed()) / 1e3; }

    ThoughtForm m_form;
    ThoughtStream m_stream;
    qsizetype m_begun;  ///< characters of the reasoning that were returned
    Thought m_thought;
    QString m_thoughtBegun = m_thought.text;  ///< reasoning before this turn
    double m_secondsBefore;
    QString m_text;
    std::int64_t m_lastIndex = -1;
    QElapsedTimer m_clock;  ///< runs from the beginning of the reasoning
    bool m_ended = false;   ///< answer text has begun
};

}  // namespace lacuna::app
