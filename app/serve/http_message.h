#pragma once
/// \file
/// HTTP requests and replies, and the limits of a connection. Plain data. Limits and deadlines:
/// docs/server.md, "Limits".

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lacuna::app {

/// A header field: name and value.
using HttpField = std::pair<std::string, std::string>;

/// Request line and header fields. Values are unchanged, not percent-decoded.
struct HttpHead {
    std::string method;    ///< "GET", "HEAD", "POST", "DELETE", "OPTIONS" or another token
    std::string path;      ///< request target from the slash up to the question mark
    std::string query;     ///< part after the question mark
    int minorVersion = 1;  ///< x in HTTP/1.x
    bool keepAlive = true;
    bool expectsContinue = false;
    bool hasBody = false;  ///< positive Content-Length, or chunked
    std::vector<HttpField> fields;

    /// Returns the first field with this name, case-insensitive; null if there is none.
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

/// Reason for refusing a request, sent to the client.
struct HttpFault {
    int status = 400;
    std::string sentence;
};

struct HttpLimits {
    std::size_t headerBytes = std::size_t{16} << 10;  ///< sum over all fields
    std::size_t fields = 100;
    std::size_t targetBytes = std::size_t{8} << 10;
    std::size_t bodyBytes = std::size_t{8} << 20;
    std::size_t chunkExtensionBytes = 256;
    std::size_t trailerBytes = 1024;
    std::size_t readBytes = std::size_t{16} << 10;  ///< input waiting to be parsed
    std::int64_t sendBytes = 1 << 20;               ///< output waiting for the client
    int connections = 128;
};

struct HttpDeadlines {
    std::chrono::milliseconds header{10'000};  ///< from the first byte to the end of the head
    std::chrono::milliseconds idle{15'000};    ///< without a request
    std::chrono::milliseconds body{30'000};    ///< added to the time that its bytes need:
    std::int64_t bodyBytesPerSecond = 64 << 10;
    std::chrono::milliseconds send{30'000};  ///< with pending output and no byte taken
};

}  // namespace lacuna::app
