#include "app/state/chat/thought_reader.h"

#include <utility>

#include "app/state/view_rows.h"
#include "engine/session/event.h"

namespace lacuna::app {

ThoughtReader::ThoughtReader(ThoughtForm form, Thought begun)
    : m_form(std::move(form)),
      m_stream(m_form.begins, m_form.marks),
      m_begun(begun.text.size()),
      m_thought(std::move(begun)),
      m_secondsBefore(m_thought.seconds) {}

void ThoughtReader::read(const TokenText& token) {
    // Text released at the end repeats the index of the previous token.
    const bool fresh = token.index > m_lastIndex;
    m_lastIndex = token.index;
    const bool before = m_stream.inThought();
    std::string text = token.text;
    if (fresh && m_form.markText) text += m_form.markText(token.token);
    take(m_stream.push(text));
    if (fresh && (before || m_stream.inThought())) ++m_thought.tokens;
}

void ThoughtReader::read(const QString& text) {
    take(m_stream.push(fromQt(text)));
}

QString ThoughtReader::takeText() {
    return std::exchange(m_text, {});
}

QString ThoughtReader::readThought() {
    const QString fresh = m_thought.text.mid(m_begun);
    m_begun = m_thought.text.size();
    return fresh;
}

Thought ThoughtReader::thought() const {
    Thought now = m_thought;
    if (thinking()) now.seconds = m_secondsBefore + elapsed();
    return now;
}

QString ThoughtReader::end(const QString& begun, const QString& shown,
                           const std::string& complete) {
    if (m_form.markText) {
        take(m_stream.finish());
        return shown + takeText();
    }
    ThoughtReader again(m_form);
    again.take(again.m_stream.push(complete));
    again.take(again.m_stream.finish());
    finishThought();
    m_thought.text = m_thoughtBegun + again.m_thought.text;
    return begun + again.m_text;
}

void ThoughtReader::take(const ThoughtStream::Piece& piece) {
    if (m_stream.inThought() || !piece.thought.empty())
        if (!m_clock.isValid()) m_clock.start();
    m_thought.text += toQt(piece.thought);
    if (!piece.text.empty()) finishThought();
    m_text += toQt(piece.text);
}

void ThoughtReader::finishThought() {
    if (thinking()) m_thought.seconds = m_secondsBefore + elapsed();
    m_ended = true;
}

}  // namespace lacuna::app
