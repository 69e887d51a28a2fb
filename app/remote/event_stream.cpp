#include "app/remote/event_stream.h"

#include <utility>

namespace lacuna::app {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

std::vector<StreamEvent> EventStreamReader::take(std::string_view bytes) {
    std::vector<StreamEvent> events;
    for (const char c : bytes) {
        if (m_broken) break;
        const bool afterReturn = std::exchange(m_afterReturn, c == '\r');
        if (c == '\n' && afterReturn) continue;  // CR LF is one line end.
        if (c == '\n' || c == '\r') {
            readLine(m_line, events);
            m_line.clear();
            continue;
        }
        m_line += c;
        m_broken = m_line.size() + m_event.data.size() > kMaxEvent;
    }
    return events;
}

void EventStreamReader::readLine(std::string_view line, std::vector<StreamEvent>& out) {
    if (!std::exchange(m_began, true) && line.starts_with(kByteOrderMark))
        line.remove_prefix(kByteOrderMark.size());
    if (line.empty()) {
        if (std::exchange(m_hasData, false)) out.push_back(std::move(m_event));
        m_event = {};
        return;
    }
    if (line.front() == ':') {
        ++m_comments;
        return;
    }
    const std::size_t colon = line.find(':');
    std::string_view value = colon == std::string_view::npos ? "" : line.substr(colon + 1);
    if (value.starts_with(' ')) value.remove_prefix(1);
    readField(line.substr(0, colon), value);
}

void EventStreamReader::readField(std::string_view name, std::string_view value) {
    if (name == "event") m_event.type = value;
    if (name != "data") return;
    if (std::exchange(m_hasData, true)) m_event.data += '\n';
    m_event.data += value;
}

}  // namespace lacuna::app
