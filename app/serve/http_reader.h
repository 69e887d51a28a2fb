#pragma once
/// \file
/// Bytes of a connection to requests, by Boost.Beast's parser, and what of theirs is refused: Beast
/// takes more than is safe where a proxy in front of us may read the same bytes otherwise (folded
/// fields, lists of lengths, other codings than chunked, absolute targets). Heads of answers are
/// written here as well, so that one source pays for Beast's templates. RFC 9112.
///
/// An object reads one request. Owned by one thread.

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
        Head,  ///< more of it has to come
        Body,  ///< head() is known, and more of the body has to come
        Done,
        Broken,  ///< fault() says why; nothing after it can be trusted
    };

    explicit HttpReader(const HttpLimits& limits);
    ~HttpReader();
    HttpReader(const HttpReader&) = delete;
    HttpReader& operator=(const HttpReader&) = delete;

    /// Takes what belongs to this request off the beginning of `pending`. Stops once when the head
    /// is known, so that it can be judged before a body is read.
    [[nodiscard]] Stage read(std::string& pending);
    [[nodiscard]] Stage stage() const;
    /// @pre the head is known
    [[nodiscard]] const HttpHead& head() const;
    /// Bytes that the body is said to have; nothing for chunks.
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

/// How the end of an answer's body is told.
enum class HttpFraming { Length, Chunks, Close };

/// Status line and fields. `length` is written for HttpFraming::Length.
[[nodiscard]] std::string httpHeadText(const HttpReply& reply, HttpFraming framing,
                                       std::size_t length, bool keepAlive);
[[nodiscard]] std::string httpChunk(std::string_view bytes);
[[nodiscard]] std::string httpLastChunk();
/// "HTTP/1.1 100 Continue".
[[nodiscard]] std::string httpContinue();

/// A path with its percent signs resolved once; nothing where one stands for no byte, a zero byte
/// or a line end.
[[nodiscard]] std::optional<std::string> percentDecoded(std::string_view text);
/// The value of a name in a query, decoded; nothing when it is not there.
[[nodiscard]] std::optional<std::string> queryValue(std::string_view query, std::string_view name);

}  // namespace lacuna::app
