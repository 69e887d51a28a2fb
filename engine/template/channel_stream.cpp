#include "engine/template/channel_stream.h"

#include <algorithm>
#include <array>

#include "engine/base/json.h"

namespace lacuna {
namespace {

constexpr std::string_view kStart = "<|start|>";
constexpr std::string_view kChannel = "<|channel|>";
constexpr std::string_view kMessage = "<|message|>";
constexpr auto kHeaderStarts =
    std::to_array<std::string_view>({kChannel, kStart, kMessage, "<|constrain|>", "to="});
constexpr auto kBodyEnds =
    std::to_array<std::string_view>({"<|end|>", "<|call|>", "<|return|>", kStart});
constexpr std::string_view kBlank = " \n\r\t";
constexpr std::size_t kLongestHeader = 512;

/// Returns the word after `mark`, up to white space or another mark; empty if there is none.
std::string_view wordAfter(std::string_view header, std::string_view mark) {
    const std::size_t at = header.find(mark);
    if (at == std::string_view::npos) return {};
    const std::string_view rest = header.substr(at + mark.size());
    return rest.substr(0, rest.find_first_of(" \n\r\t<"));
}

bool mayBeHeader(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(kBlank);
    if (begin == std::string_view::npos) return true;
    text.remove_prefix(begin);
    return text.size() <= kLongestHeader &&
           std::ranges::any_of(kHeaderStarts, [&](std::string_view mark) {
               return text.starts_with(mark) || mark.starts_with(text);
           });
}

/// Returns the number of bytes at the end of `text` that may begin a mark.
std::size_t undecided(std::string_view text) {
    std::size_t longest = 0;
    for (const std::string_view mark : kBodyEnds)
        for (std::size_t length = std::min(text.size(), mark.size() - 1); length > longest;
             --length)
            if (text.ends_with(mark.substr(0, length))) longest = length;
    return longest;
}

}  // namespace

AnswerPiece ChannelStream::push(std::string_view text) {
    m_held += text;
    return take(false);
}

AnswerPiece ChannelStream::finish() {
    return take(true);
}

AnswerPiece ChannelStream::take(bool last) {
    AnswerPiece out;
    while (m_inBody ? readBody(out, last) : readHeader(out, last)) {
    }
    return out;
}

/// Returns whether a message has begun.
bool ChannelStream::readHeader(AnswerPiece& out, bool last) {
    const std::size_t end = m_held.find(kMessage);
    const bool whole = end != std::string::npos;
    // An answer that does not begin with a header is text.
    const bool plain = m_first && (!mayBeHeader(std::string_view(m_held).substr(0, end)) ||
                                   (last && !whole && !m_held.starts_with(kChannel)));
    if (!whole && !plain) {
        if (last) m_held.clear();
        return false;
    }
    begin(out, plain ? std::string_view() : std::string_view(m_held).substr(0, end));
    if (!plain) m_held.erase(0, end + kMessage.size());
    return true;
}

/// Returns whether the message has ended.
bool ChannelStream::readBody(AnswerPiece& out, bool last) {
    std::size_t end = std::string::npos;
    std::size_t length = 0;
    for (const std::string_view mark : kBodyEnds)
        if (const std::size_t at = m_held.find(mark); at < end) {
            end = at;
            length = mark == kStart ? 0 : mark.size();
        }
    std::string_view body = std::string_view(m_held).substr(0, end);
    const bool ended = end != std::string::npos;
    if (!ended && !last) body.remove_suffix(undecided(body));
    add(out, body);
    m_held.erase(0, ended ? end + length : body.size());
    if (m_kind == Kind::Call && (ended || last)) out.text += "}</tool_call>";
    if (ended || last) m_inBody = false;
    return ended;
}

void ChannelStream::begin(AnswerPiece& out, std::string_view header) {
    constexpr std::string_view kFunctions = "functions.";
    m_inBody = true;
    m_first = m_begun = false;
    std::string_view recipient = wordAfter(header, "to=");
    if (recipient.starts_with(kFunctions)) {
        recipient.remove_prefix(kFunctions.size());
        m_kind = Kind::Call;
        out.text += "<tool_call>{\"name\": " + dumpJson(OrderedJson(std::string(recipient))) +
                    ", \"arguments\": ";
        return;
    }
    const bool thought = wordAfter(header, kChannel) == "analysis" || !recipient.empty();
    m_kind = thought ? Kind::Thought : Kind::Text;
}

/// Messages of one kind are separated by an empty line.
void ChannelStream::add(AnswerPiece& out, std::string_view body) {
    if (body.empty()) return;
    std::string& to = m_kind == Kind::Thought ? out.thought : out.text;
    bool& before = m_kind == Kind::Thought ? m_thought : m_text;
    if (m_kind != Kind::Call) {
        if (before && !m_begun) to += "\n\n";
        before = m_begun = true;
    }
    to += body;
}

bool writesChannels(std::string_view templateText) {
    return templateText.find("<|channel|>analysis<|message|>") != std::string_view::npos;
}

std::string_view finalHeader(std::string_view prompt) {
    return prompt.ends_with("<|start|>assistant") ? "<|channel|>final<|message|>"
                                                  : std::string_view();
}

}  // namespace lacuna
