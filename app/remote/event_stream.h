#pragma once
/// \file
/// Incremental parser for server-sent events; the input may be split at any byte. Not thread-safe.
/// Source: WHATWG HTML, "Server-sent events", parsing an event stream.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lacuna::app {

struct StreamEvent {
    std::string type;  ///< value of the "event" field; empty for "message"
    std::string data;  ///< data lines joined by line feeds
};

class EventStreamReader {
  public:
    /// Maximum size in bytes of a line and of an event; a stream that exceeds it is broken.
    static constexpr std::size_t kMaxEvent = 1024 * 1024;

    /// Consumes `bytes` and returns the events that they complete. Only complete lines are parsed,
    /// so a character split between two packets is decoded correctly. Returns nothing once the
    /// stream is broken.
    [[nodiscard]] std::vector<StreamEvent> take(std::string_view bytes);
    /// Number of comment lines so far, which servers send as a keep-alive while a request waits.
    [[nodiscard]] std::size_t comments() const { return m_comments; }
    [[nodiscard]] bool broken() const { return m_broken; }

  private:
    void readLine(std::string_view line, std::vector<StreamEvent>& out);
    void readField(std::string_view name, std::string_view value);

    std::string m_line;
    StreamEvent m_event;
    bool m_hasData = false;
    bool m_afterReturn = false;  ///< the last byte was a carriage return
    bool m_began = false;  ///< true once input was read; a byte order mark is valid only before it
    bool m_broken = false;
    std::size_t m_comments = 0;
};

}  // namespace lacuna::app
