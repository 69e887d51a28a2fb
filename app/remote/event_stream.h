#pragma once
/// \file
/// Server-sent events out of bytes that come in pieces of any length. Owned by one thread.
/// Source: WHATWG HTML, "Server-sent events", parsing an event stream.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lacuna::app {

struct StreamEvent {
    std::string type;  ///< of the "event" field; empty: "message"
    std::string data;  ///< lines joined by line feeds
};

class EventStreamReader {
  public:
    /// Longest line and longest event; a stream that goes over it is broken.
    static constexpr std::size_t kMaxEvent = 1024 * 1024;

    /// The events that `bytes` complete. Whole lines alone are looked at, so that a character cut
    /// in two by the network arrives whole. Nothing more comes once it is broken.
    [[nodiscard]] std::vector<StreamEvent> take(std::string_view bytes);
    /// Comments so far: a sign of life while a request waits.
    [[nodiscard]] std::size_t comments() const { return m_comments; }
    [[nodiscard]] bool broken() const { return m_broken; }

  private:
    void takeLine(std::string_view line, std::vector<StreamEvent>& out);
    void takeField(std::string_view name, std::string_view value);

    std::string m_line;
    StreamEvent m_event;
    bool m_hasData = false;
    bool m_afterReturn = false;  ///< the last byte was a carriage return
    bool m_began = false;        ///< something was read; a byte order mark comes before all
    bool m_broken = false;
    std::size_t m_comments = 0;
};

}  // namespace lacuna::app
