#include "app/serve/call_stream.h"

#include <algorithm>
#include <utility>

namespace lacuna::app {
namespace {

constexpr std::string_view kBegin = "<tool_call>";
constexpr std::string_view kEnd = "</tool_call>";

/// Bytes at the end of `text` with which `word` may begin.
std::size_t begun(std::string_view text, std::string_view word) {
    for (std::size_t length = std::min(text.size(), word.size() - 1); length > 0; --length)
        if (text.ends_with(word.substr(0, length))) return length;
    return 0;
}

}  // namespace

std::vector<CallStreamPiece> CallStream::push(std::string_view text) {
    std::vector<CallStreamPiece> out;
    if (m_form == CallForm::None) {
        if (!text.empty()) out.push_back({.text = std::string(text)});
        return out;
    }
    m_held += text;
    if (m_form == CallForm::Forced)
        pushForced(out);
    else if (m_form == CallForm::Whole)
        pushWhole(out, false);
    else
        pushTagged(out, false);
    return out;
}

std::vector<CallStreamPiece> CallStream::finish() {
    std::vector<CallStreamPiece> out;
    if (m_form == CallForm::Tagged) pushTagged(out, true);
    if (m_form == CallForm::Whole) pushWhole(out, true);
    return out;
}

/// The grammar has fixed the order: the name, which is a plain word, then the arguments.
void CallStream::pushForced(std::vector<CallStreamPiece>& out) {
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
            colon == std::string::npos ? colon : m_held.find_first_not_of(" \n\r\t", colon + 1);
        if (value == std::string::npos) return;
        m_held.erase(0, value);
        m_stage = Stage::Value;
    }
    if (m_stage == Stage::Value) passArguments(out);
}

void CallStream::passArguments(std::vector<CallStreamPiece>& out) {
    std::string passed;
    for (const char c : m_held) {
        if (m_stage == Stage::Done) break;
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
            if (m_depth < 0) {  // a value without brackets: this one closes the call
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

void CallStream::pushTagged(std::vector<CallStreamPiece>& out, bool last) {
    const auto say = [&](std::string text) {
        if (!text.empty()) out.push_back({.text = std::move(text)});
    };
    while (true) {
        const std::size_t begin = m_held.find(kBegin);
        if (begin == std::string::npos) {
            const std::size_t keep = last ? 0 : begun(m_held, kBegin);
            say(m_held.substr(0, m_held.size() - keep));
            m_held.erase(0, m_held.size() - keep);
            return;
        }
        say(m_held.substr(0, begin));
        m_held.erase(0, begin);
        const std::size_t end = m_held.find(kEnd);
        if (end == std::string::npos && !last) return;
        const std::size_t after = end == std::string::npos ? m_held.size() : end + kEnd.size();
        std::string block = m_held.substr(0, after);
        m_held.erase(0, after);
        const auto calls = takeCalls(block, true);
        for (const ToolCall& call : calls) sayCall(out, call);
        if (calls.empty()) say(std::move(block));
    }
}

void CallStream::sayCall(std::vector<CallStreamPiece>& out, const ToolCall& call) {
    out.push_back({.kind = CallStreamPiece::Kind::Begin, .call = m_calls, .text = call.name});
    out.push_back(
        {.kind = CallStreamPiece::Kind::Arguments, .call = m_calls++, .text = call.arguments});
}

/// An answer that begins as an object may yet be a call, and is held until it has ended.
void CallStream::pushWhole(std::vector<CallStreamPiece>& out, bool last) {
    const std::size_t begin = m_held.find_first_not_of(" \n\r\t");
    m_plain = m_plain || (begin != std::string::npos && m_held[begin] != '{');
    if (!m_plain && !last) return;
    if (!m_plain)
        for (const ToolCall& call : takeWholeCall(m_held, m_functions)) sayCall(out, call);
    if (!m_held.empty()) out.push_back({.text = std::exchange(m_held, {})});
}

}  // namespace lacuna::app
