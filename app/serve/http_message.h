#pragma once
/// \file
/// A request as it came and an answer as it goes out, with what a connection allows: plain data.
/// Limits and deadlines: docs/server.md, "Limits".

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lacuna::app {

/// A field of a head: its name and its value.
using HttpField = std::pair<std::string, std::string>;

/// What stands before the body. Values are as they came, never percent-decoded.
struct HttpHead {
    std::string method;    ///< "GET", "HEAD", "POST", "DELETE", "OPTIONS" or another token
    std::string path;      ///< of the target, from its slash up to the question mark
    std::string query;     ///< after the question mark
    int minorVersion = 1;  ///< of HTTP/1
    bool keepAlive = true;
    bool expectsContinue = false;
    bool hasBody = false;  ///< a length above 0, or chunks
    std::vector<HttpField> fields;

    /// The first field of this name in any letters; null when there is none.
    [[nodiscard]] const std::string* find(std::string_view name) const;
};

struct HttpRequest {
    HttpHead head;
    std::string body;
};

struct HttpReply {
    int status = 200;
    std::string contentType = "application/json";
    std::string body = {};
    std::vector<HttpField> fields = {};
};

/// Why a request is refused, for whoever sent it.
struct HttpFault {
    int status = 400;
    std::string sentence;
};

struct HttpLimits {
    std::size_t headerBytes = std::size_t{16} << 10;  ///< of all fields
    std::size_t fields = 100;
    std::size_t targetBytes = std::size_t{8} << 10;
    std::size_t bodyBytes = std::size_t{8} << 20;
    std::size_t chunkExtensionBytes = 256;
    std::size_t trailerBytes = 1024;
    std::size_t readBytes = std::size_t{16} << 10;  ///< that wait to be parsed
    std::int64_t sendBytes = 1 << 20;               ///< that wait for a client to read them
    int connections = 128;
};

struct HttpDeadlines {
    std::chrono::milliseconds header{10'000};  ///< from the first byte to the end of the head
    std::chrono::milliseconds idle{15'000};    ///< without a request
    std::chrono::milliseconds body{30'000};    ///< and the time of its bytes:
    std::int64_t bodyBytesPerSecond = 64 << 10;
    std::chrono::milliseconds send{30'000};  ///< without a byte taken, while some wait
};

}  // namespace lacuna::app
