#pragma once
/// \file
/// Parses one request per object with Boost.Beast, and refuses what Beast accepts but a proxy in
/// front may read differently: folded fields, lists of Content-Length values, codings other than
/// chunked, absolute targets. Also writes the heads of replies, so that only one source file
/// instantiates Beast's templates. RFC 9112. Owned by one thread.

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "app/serve/http_message.h"

namespace lacuna::app {

class HttpReader {
  public:
    enum class Stage {
        Head,  ///< the head is incomplete
        Body,  ///< head() is available, the body is incomplete
        Done,
        Broken,  ///< fault() gives the reason; the rest of the input cannot be trusted
    };

    explicit HttpReader(const HttpLimits& limits);
    ~HttpReader();
    HttpReader(const HttpReader&) = delete;
    HttpReader& operator=(const HttpReader&) = delete;

    /// Consumes the bytes of this request from the front of `pending`. Stops once when the head is
    /// complete, so that it can be checked before the body is read.
    [[nodiscard]] Stage read(std::string& pending);
    [[nodiscard]] Stage stage() const;
    /// @pre the head is complete
    [[nodiscard]] const HttpHead& head() const;
    /// Returns the announced length of the body; nullopt if it is chunked.
    [[nodiscard]] std::optional<std::size_t> bodyLength() const;
    [[nodiscard]] std::size_t bodyBytesSoFar() const;
    /// @pre Broken
    [[nodiscard]] const HttpFault& fault() const;
    /// @pre Done
    [[nodiscard]] HttpRequest take();

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// How the end of a reply's body is marked.
enum class HttpFraming { Length, Chunks, Close };

/// Returns status line and fields. `length` is written for HttpFraming::Length only.
[[nodiscard]] std::string httpHeadText(const HttpReply& reply, HttpFraming framing,
                                       std::size_t length, bool keepAlive);
[[nodiscard]] std::string httpChunk(std::string_view bytes);
[[nodiscard]] std::string httpLastChunk();
/// Returns "HTTP/1.1 100 Continue".
[[nodiscard]] std::string httpContinue();

/// Decodes the percent escapes of a path once; nullopt for an invalid escape, a zero byte or a line
/// end.
[[nodiscard]] std::optional<std::string> percentDecoded(std::string_view text);
/// Returns the decoded value of a query parameter; nullopt if it is absent.
[[nodiscard]] std::optional<std::string> queryValue(std::string_view query, std::string_view name);

}  // namespace lacuna::app
