#include "app/serve/call_stream.h"

#include <utility>

namespace lacuna::app {
namespace {

constexpr std::string_view kBlank = " \n\r\t";

}  // namespace

std::vector<CallStreamPiece> CallStream::push(std::string_view text) {
    Pieces out;
    if (m_form == CallForm::None) {
        if (!text.empty()) out.push_back({.text = std::string(text)});
        return out;
    }
    m_held += text;
    if (m_form == CallForm::Forced)
        pushForced(out);
    else
        pushFound(out, false);
    return out;
}

std::vector<CallStreamPiece> CallStream::finish() {
    Pieces out;
    if (m_form == CallForm::Found) {
        pushFound(out, true);
        if (m_calls == 0 && !m_space.empty()) out.push_back({.text = std::exchange(m_space, {})});
    }
    // A forced call that was cut off before its name is not a call yet.
    if (m_form == CallForm::Forced && m_stage == Stage::Name && !m_held.empty())
        out.push_back({.text = std::exchange(m_held, {})});
    return out;
}

/// The grammar fixes the order: first the name, which is a plain word, then the arguments.
void CallStream::pushForced(Pieces& out) {
    if (m_stage == Stage::Name) {
        const std::size_t colon = m_held.find(':');
        const std::size_t open = colon == std::string::npos ? colon : m_held.find('"', colon);
        const std::size_t close = open == std::string::npos ? open : m_held.find('"', open + 1);
        if (close == std::string::npos) return;
        out.push_back({.kind = CallStreamPiece::Kind::Begin,
                       .call = m_calls++,
                       .text = m_held.substr(open + 1, close - open - 1)});
        m_held.erase(0, close + 1);
        m_stage = Stage::Arguments;
    }
    if (m_stage == Stage::Arguments) {
        const std::size_t colon = m_held.find(':');
        const std::size_t value =
            colon == std::string::npos ? colon : m_held.find_first_not_of(kBlank, colon + 1);
        if (value == std::string::npos) return;
        m_held.erase(0, value);
        m_stage = Stage::Value;
    }
    if (m_stage == Stage::Value) passArguments(out);
}

void CallStream::passArguments(Pieces& out) {
    std::string passed;
    for (const char c : m_held) {
        if (m_stage == Stage::Done) break;
        if (!m_inString && kBlank.find(c) != std::string_view::npos) continue;
        passed += c;
        if (m_escaped) {
            m_escaped = false;
        } else if (m_inString) {
            m_escaped = c == '\\';
            if (c == '"') m_inString = false;
        } else if (c == '"') {
            m_inString = true;
        } else if (c == '{' || c == '[') {
            ++m_depth;
        } else if (c == '}' || c == ']') {
            if (--m_depth == 0) m_stage = Stage::Done;
            if (m_depth < 0) {  // for a value without brackets, this bracket closes the call
                passed.pop_back();
                m_stage = Stage::Done;
            }
        }
    }
    m_held.clear();
    if (!passed.empty())
        out.push_back({.kind = CallStreamPiece::Kind::Arguments,
                       .call = m_calls - 1,
                       .text = std::move(passed)});
}

void CallStream::pushFound(Pieces& out, bool last) {
    if (!last && m_held.size() < m_undecided) return;
    m_undecided = 0;
    while (!m_held.empty() && !complete()) {
        CallContext context{
            .lineStart = !m_written || m_space.find('\n') != std::string::npos,
            .answerStart = !m_written && m_calls == 0,
        };
        const std::size_t begin = m_forms.candidate(m_held, context);
        addText(out, std::string_view(m_held).substr(0, begin));
        m_held.erase(0, begin);
        if (m_held.empty()) return;
        CallReading reading = m_forms.read(m_held, context, last);
        if (reading.kind == CallReading::Kind::Undecided) {
            // Parsing the held text again after each token would take quadratic time.
            m_undecided = m_held.size() + m_held.size() / 32;
            return;
        }
        if (reading.kind == CallReading::Kind::Text)
            addText(out, std::string_view(m_held).substr(0, reading.end));
        m_held.erase(0, reading.end);
        for (ToolCall& call : reading.calls)
            if (!complete()) addCall(out, std::move(call));
    }
    if (complete()) m_held.clear();
}

/// White space is held until text follows, so that none is left around calls at the end of an
/// answer.
void CallStream::addText(Pieces& out, std::string_view text) {
    const std::size_t end = text.find_last_not_of(kBlank) + 1;  // 0 if the text is blank
    if (end > 0) {
        out.push_back({.text = std::exchange(m_space, {}) + std::string(text.substr(0, end))});
        m_written = true;
    }
    m_space += text.substr(end);
}

void CallStream::addCall(Pieces& out, ToolCall call) {
    out.push_back(
        {.kind = CallStreamPiece::Kind::Begin, .call = m_calls, .text = std::move(call.name)});
    out.push_back({.kind = CallStreamPiece::Kind::Arguments,
                   .call = m_calls++,
                   .text = std::move(call.arguments)});
}

}  // namespace lacuna::app
