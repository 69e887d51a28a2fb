#include "engine/template/thought_stream.h"

#include <algorithm>

namespace lacuna {
namespace {

constexpr ThoughtMarks kThink;
constexpr ThoughtMarks kGemma4 = {
    .begin = "<|channel>thought", .end = "<channel|>", .control = true};
constexpr std::string_view kBlank = " \n\r\t";

/// Returns the number of bytes at the end of `text` that may belong to the mark: a prefix of it and
/// the white space before.
std::size_t undecided(std::string_view text, std::string_view mark) {
    std::size_t length = std::min(text.size(), mark.size() - 1);
    while (length > 0 && !text.ends_with(mark.substr(0, length))) --length;
    const std::size_t end = text.substr(0, text.size() - length).find_last_not_of(kBlank);
    return text.size() - (end == std::string_view::npos ? 0 : end + 1);
}

}  // namespace

ThoughtStream::ThoughtStream(Begins begins, ThoughtMarks marks)
    : m_stage(begins == Begins::InAnswer    ? Stage::Answer
              : begins == Begins::InThought ? Stage::Thought
                                            : Stage::Open),
      m_marks(marks) {
    if (begins == Begins::Channels) m_channels.emplace();
}

ThoughtStream::Piece ThoughtStream::push(std::string_view text) {
    if (m_channels) return m_channels->push(text);
    Piece out;
    if (m_stage == Stage::Answer) {
        out.text = text;
        return out;
    }
    m_held += text;
    if (m_stage == Stage::Open) {
        const std::size_t begin = m_held.find_first_not_of(kBlank);
        const std::string_view seen = begin == std::string::npos
                                          ? std::string_view()
                                          : std::string_view(m_held).substr(begin);
        if (seen.starts_with(m_marks.begin)) {
            m_held.erase(0, begin + m_marks.begin.size());
            m_stage = Stage::Thought;
        } else if (!m_marks.begin.starts_with(seen)) {
            m_stage = Stage::Answer;
            out.text = std::move(m_held);
            m_held.clear();
        }
    }
    if (m_stage == Stage::Thought) readThought(out, false);
    if (m_stage == Stage::Gap) {
        const std::size_t begin = m_held.find_first_not_of(kBlank);
        m_held.erase(0, std::min(begin, m_held.size()));
        if (m_held.empty()) return out;
        m_stage = Stage::Answer;
        out.text = std::move(m_held);
        m_held.clear();
    }
    return out;
}

ThoughtStream::Piece ThoughtStream::finish() {
    if (m_channels) return m_channels->finish();
    Piece out;
    if (m_stage == Stage::Thought) readThought(out, true);
    if (m_stage == Stage::Open) out.text = std::move(m_held);
    m_held.clear();
    m_stage = Stage::Answer;
    return out;
}

void ThoughtStream::readThought(Piece& out, bool last) {
    if (m_blank) {
        const std::size_t begin = m_held.find_first_not_of(kBlank);
        m_held.erase(0, std::min(begin, m_held.size()));
    }
    const std::size_t end = m_held.find(m_marks.end);
    std::string_view thought = std::string_view(m_held).substr(0, end);
    if (end == std::string::npos && !last)
        thought.remove_suffix(undecided(thought, m_marks.end));
    else
        thought.remove_suffix(thought.size() - (thought.find_last_not_of(kBlank) + 1));
    out.thought = thought;
    m_blank = m_blank && thought.empty();
    if (end == std::string::npos) {
        m_held.erase(0, thought.size());
    } else {
        m_held.erase(0, end + m_marks.end.size());
        m_stage = Stage::Gap;
    }
}

std::optional<ThoughtMarks> thoughtMarksIn(std::string_view text) {
    if (text.find(kThink.end) != std::string_view::npos) return kThink;
    if (text.find(kGemma4.begin) != std::string_view::npos) return kGemma4;
    return std::nullopt;
}

bool endsInThought(std::string_view prompt) {
    const std::size_t end = prompt.find_last_not_of(kBlank);
    return end != std::string_view::npos && prompt.substr(0, end + 1).ends_with(kThink.begin);
}

}  // namespace lacuna
