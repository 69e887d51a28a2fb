#include "app/serve/http_reader.h"

#include <algorithm>
#include <array>
#include <boost/beast/http/chunk_encode.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/serializer.hpp>
#include <boost/beast/http/string_body.hpp>

#include "engine/base/check.h"
#include "engine/base/string_format.h"

namespace lacuna::app {
namespace {

namespace http = boost::beast::http;
using boost::beast::iequals;

// A last chunk that arrives byte by byte triggers an assertion of the parser (1.74 to 1.81), which
// expects at least five bytes after a line that was already read.
constexpr std::size_t kLeastOfChunks = 5;
// Method, two spaces, version and line end.
constexpr std::size_t kAroundTarget = 64;

std::string lower(std::string_view text) {
    std::string result(text);
    for (char& c : result)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return result;
}

std::string_view viewOf(boost::beast::string_view text) {
    return {text.data(), text.size()};
}

HttpFault faultOf(const boost::beast::error_code& error) {
    if (error == http::error::bad_version) return {505, "only HTTP/1.0 and HTTP/1.1 are supported"};
    if (error == http::error::header_limit) return {431, "the request header is too large"};
    if (error == http::error::body_limit) return {413, "the request body is too large"};
    return {400, "the request is not valid HTTP/1.1: " + error.message()};
}

bool allDigits(std::string_view text) {
    return !text.empty() && text.size() <= 18 &&
           std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

int hexDigit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

}  // namespace

const std::string* HttpHead::find(std::string_view name) const {
    const auto found = std::ranges::find_if(
        fields, [&](const HttpField& field) { return lower(field.first) == lower(name); });
    return found == fields.end() ? nullptr : &found->second;
}

struct HttpReader::Impl {
    explicit Impl(const HttpLimits& most) : limits(most) {
        parser.eager(false);
        parser.header_limit(
            static_cast<std::uint32_t>(limits.headerBytes + limits.targetBytes + kAroundTarget));
        parser.body_limit(limits.bodyBytes);
        parser.on_chunk_header(onChunk);
    }

    void readHead(std::string& pending);
    void readBody(std::string& pending);
    [[nodiscard]] std::size_t put(std::string_view bytes);
    [[nodiscard]] bool headFits(std::string_view pending);
    void judgeHead();
    [[nodiscard]] std::optional<HttpFault> judgeTarget() const;
    [[nodiscard]] std::optional<HttpFault> checkHost() const;
    [[nodiscard]] std::optional<HttpFault> judgeFraming() const;
    [[nodiscard]] std::optional<HttpFault> judgeCoding() const;
    void keepHead();
    void breakOff(HttpFault why) {
        fault = std::move(why);
        stage = Stage::Broken;
    }

    const HttpLimits limits;
    http::request_parser<http::string_body> parser;
    Stage stage = Stage::Head;
    bool needsMore = false;
    std::size_t lineBytes = 0;   ///< length of the request line; 0 while it is incomplete
    std::size_t headBytes = 0;   ///< consumed so far
    std::size_t fieldCount = 0;  ///< fields in the head
    HttpHead head;
    std::optional<HttpFault> fault;
    std::function<void(std::uint64_t, boost::beast::string_view, boost::beast::error_code&)>
        onChunk = [this](std::uint64_t, boost::beast::string_view extensions,
                         boost::beast::error_code& error) {
            if (extensions.size() > limits.chunkExtensionBytes)
                error = http::error::bad_chunk_extension;
        };
};

std::size_t HttpReader::Impl::put(std::string_view bytes) {
    boost::beast::error_code error;
    const std::size_t taken = parser.put(boost::asio::buffer(bytes.data(), bytes.size()), error);
    needsMore = error == http::error::need_more;
    if (error && !needsMore) breakOff(faultOf(error));
    return taken;
}

/// Checks limits and rejects folded lines, which the parser would accept.
bool HttpReader::Impl::headFits(std::string_view pending) {
    if (lineBytes == 0) {
        const std::size_t end = pending.find("\r\n");
        if (end != std::string_view::npos)
            lineBytes = end + 2;
        else if (pending.size() <= limits.targetBytes + kAroundTarget)
            return true;
        if (lineBytes > limits.targetBytes + kAroundTarget || end == std::string_view::npos) {
            breakOff(
                {414, format("the request target has more than {} bytes", limits.targetBytes)});
            return false;
        }
    }
    const std::size_t begin = headBytes == 0 ? lineBytes : 0;
    const std::string_view lines = pending.substr(std::min(begin, pending.size()));
    std::size_t end = lines.starts_with("\r\n") ? 2 : lines.find("\r\n\r\n");
    const bool whole = end != std::string_view::npos;
    if (whole && end != 2) end += 4;
    const std::string_view fields = whole ? lines.substr(0, end) : lines;
    if (fields.find("\r\n ") != std::string_view::npos ||
        fields.find("\r\n\t") != std::string_view::npos) {
        breakOff(
            {400, "a header field continues on the next line, which HTTP/1.1 no longer allows"});
        return false;
    }
    const std::size_t before = headBytes == 0 ? 0 : headBytes - lineBytes;
    if (before + fields.size() <= limits.headerBytes) return true;
    breakOff({431, format("the request header has more than {} bytes", limits.headerBytes)});
    return false;
}

void HttpReader::Impl::readHead(std::string& pending) {
    if (!headFits(pending)) return;
    std::size_t at = 0;
    do {
        at += put(std::string_view(pending).substr(at));
    } while (stage == Stage::Head && !parser.is_header_done() && !needsMore && at < pending.size());
    headBytes += at;
    pending.erase(0, at);
    if (stage == Stage::Head && parser.is_header_done()) judgeHead();
}

std::optional<HttpFault> HttpReader::Impl::judgeTarget() const {
    const std::string_view target = viewOf(parser.get().target());
    if (target.size() > limits.targetBytes)
        return HttpFault{414,
                         format("the request target has more than {} bytes", limits.targetBytes)};
    const auto strange = [](char c) { return c <= ' ' || c > '~' || c == '\\' || c == '#'; };
    if (!target.starts_with('/') || std::ranges::any_of(target, strange))
        return HttpFault{400, "the request target has to be a path, such as /v1/models"};
    return std::nullopt;
}

std::optional<HttpFault> HttpReader::Impl::checkHost() const {
    const auto& request = parser.get();
    if (request.count(http::field::host) != 1)
        return HttpFault{400, "a request needs exactly one Host field"};
    if (request[http::field::host].empty()) return HttpFault{400, "the Host field is empty"};
    return std::nullopt;
}

std::optional<HttpFault> HttpReader::Impl::judgeFraming() const {
    const auto& request = parser.get();
    if (request.count(http::field::content_length) > 1)
        return HttpFault{400, "the request has more than one Content-Length"};
    if (const auto length = request.find(http::field::content_length);
        length != request.end() && !allDigits(viewOf(length->value())))
        return HttpFault{400, "Content-Length is not a number"};
    const std::size_t codings = request.count(http::field::transfer_encoding);
    if (codings == 0) return std::nullopt;
    if (request.version() < 11)
        return HttpFault{400, "HTTP/1.0 does not support Transfer-Encoding"};
    const std::string coding = lower(viewOf(request[http::field::transfer_encoding]));
    if (codings == 1 && coding == "chunked") return std::nullopt;
    const bool repeated = coding.find("chunked") != std::string::npos || codings > 1;
    return HttpFault{repeated ? 400 : 501, "the only supported Transfer-Encoding is chunked"};
}

std::optional<HttpFault> HttpReader::Impl::judgeCoding() const {
    const auto& request = parser.get();
    const std::string coding = lower(viewOf(request[http::field::content_encoding]));
    if (!coding.empty() && coding != "identity")
        return HttpFault{415, "a body with a Content-Encoding is not supported"};
    if (request.count(http::field::expect) > 0 &&
        !iequals(request[http::field::expect], "100-continue"))
        return HttpFault{417, "the only supported value of Expect is 100-continue"};
    return std::nullopt;
}

void HttpReader::Impl::judgeHead() {
    const auto& request = parser.get();
    fieldCount = static_cast<std::size_t>(std::distance(request.begin(), request.end()));
    std::optional<HttpFault> why;
    if (fieldCount > limits.fields)
        why = HttpFault{431, format("the request has more than {} header fields", limits.fields)};
    if (!why) why = judgeTarget();
    if (!why) why = checkHost();
    if (!why) why = judgeFraming();
    if (!why) why = judgeCoding();
    if (why) return breakOff(std::move(*why));
    keepHead();
    stage = parser.is_done() ? Stage::Done : Stage::Body;
}

/// Copies the head's fields, because the parser appends trailers to the same list later.
void HttpReader::Impl::keepHead() {
    const auto& request = parser.get();
    head.method = std::string(viewOf(request.method_string()));
    const std::string_view target = viewOf(request.target());
    const std::size_t mark = target.find('?');
    head.path = std::string(target.substr(0, mark));
    if (mark != std::string_view::npos) head.query = std::string(target.substr(mark + 1));
    head.minorVersion = request.version() >= 11 ? 1 : 0;
    head.keepAlive = parser.keep_alive();
    head.expectsContinue = head.minorVersion == 1 && request.count(http::field::expect) > 0;
    head.hasBody = !parser.is_done();
    for (const auto& field : request)
        head.fields.emplace_back(std::string(viewOf(field.name_string())),
                                 std::string(viewOf(field.value())));
}

void HttpReader::Impl::readBody(std::string& pending) {
    const bool chunks = parser.chunked();
    const std::size_t least = chunks ? kLeastOfChunks : 1;
    std::size_t at = 0;
    while (stage == Stage::Body && !parser.is_done() && pending.size() - at >= least) {
        at += put(std::string_view(pending).substr(at));
        if (needsMore) break;
    }
    pending.erase(0, at);
    if (stage != Stage::Body) return;
    if (!parser.is_done()) {
        // Chunk data is consumed immediately, so only lines between chunks remain.
        if (chunks && pending.size() > limits.chunkExtensionBytes + limits.trailerBytes)
            breakOff({400, "the lines between the chunks are too long"});
        return;
    }
    std::size_t trailers = 0;
    const auto& request = parser.get();
    for (auto field = std::next(request.begin(), static_cast<std::ptrdiff_t>(fieldCount));
         field != request.end(); ++field)
        trailers += field->name_string().size() + field->value().size();
    if (trailers > limits.trailerBytes) return breakOff({400, "the trailers are too long"});
    stage = Stage::Done;
}

HttpReader::HttpReader(const HttpLimits& limits) : impl_(std::make_unique<Impl>(limits)) {}
HttpReader::~HttpReader() = default;

HttpReader::Stage HttpReader::read(std::string& pending) {
    if (impl_->stage == Stage::Head && !pending.empty())
        impl_->readHead(pending);
    else if (impl_->stage == Stage::Body)
        impl_->readBody(pending);
    return impl_->stage;
}

HttpReader::Stage HttpReader::stage() const {
    return impl_->stage;
}

const HttpHead& HttpReader::head() const {
    return impl_->head;
}

std::optional<std::size_t> HttpReader::bodyLength() const {
    const auto length = impl_->parser.content_length();
    if (!length) return std::nullopt;
    return static_cast<std::size_t>(*length);
}

std::size_t HttpReader::bodyBytesSoFar() const {
    return impl_->parser.get().body().size();
}

const HttpFault& HttpReader::fault() const {
    LACUNA_REQUIRE(impl_->fault.has_value(), "only an invalid request has a fault");
    return *impl_->fault;
}

HttpRequest HttpReader::take() {
    LACUNA_REQUIRE(impl_->stage == Stage::Done, "a request is taken only once it is complete");
    return {std::move(impl_->head), std::move(impl_->parser.get().body())};
}

std::string httpHeadText(const HttpReply& reply, HttpFraming framing, std::size_t length,
                         bool keepAlive) {
    http::response<http::empty_body> head(http::int_to_status(static_cast<unsigned>(reply.status)),
                                          11);
    if (!reply.contentType.empty()) head.set(http::field::content_type, reply.contentType);
    head.set(http::field::cache_control, "no-store");
    head.set("X-Content-Type-Options", "nosniff");
    for (const auto& [name, value] : reply.fields) head.set(name, value);
    if (framing == HttpFraming::Length && reply.status != 204) head.content_length(length);
    if (framing == HttpFraming::Chunks) head.chunked(true);
    head.set(http::field::connection, keepAlive ? "keep-alive" : "close");
    http::response_serializer<http::empty_body> serializer(head);
    serializer.split(true);
    std::string text;
    boost::beast::error_code error;
    while (!error && !serializer.is_header_done())
        serializer.next(error, [&](boost::beast::error_code&, const auto& buffers) {
            const std::size_t before = text.size();
            for (auto at = boost::asio::buffer_sequence_begin(buffers);
                 at != boost::asio::buffer_sequence_end(buffers); ++at) {
                const boost::asio::const_buffer part = *at;
                text.append(static_cast<const char*>(part.data()), part.size());
            }
            serializer.consume(text.size() - before);
        });
    return text;
}

namespace {

template <class Buffers>
std::string joined(const Buffers& buffers) {
    std::string text;
    for (auto at = boost::asio::buffer_sequence_begin(buffers);
         at != boost::asio::buffer_sequence_end(buffers); ++at) {
        const boost::asio::const_buffer part = *at;
        text.append(static_cast<const char*>(part.data()), part.size());
    }
    return text;
}

}  // namespace

std::string httpChunk(std::string_view bytes) {
    return joined(http::make_chunk(boost::asio::buffer(bytes.data(), bytes.size())));
}

std::string httpLastChunk() {
    return joined(http::make_chunk_last());
}

std::string httpContinue() {
    return "HTTP/1.1 100 Continue\r\n\r\n";
}

std::optional<std::string> percentDecoded(std::string_view text) {
    std::string result;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] != '%') {
            result += text[at];
            continue;
        }
        if (at + 2 >= text.size()) return std::nullopt;
        const int high = hexDigit(text[at + 1]);
        const int low = hexDigit(text[at + 2]);
        const int byte = 16 * high + low;
        if (high < 0 || low < 0 || byte == 0 || byte == '\r' || byte == '\n') return std::nullopt;
        result += static_cast<char>(byte);
        at += 2;
    }
    return result;
}

std::optional<std::string> queryValue(std::string_view query, std::string_view name) {
    while (!query.empty()) {
        const std::size_t end = query.find('&');
        const std::string_view pair = query.substr(0, end);
        const std::size_t equals = pair.find('=');
        if (pair.substr(0, equals) == name)
            return equals == std::string_view::npos ? std::string()
                                                    : percentDecoded(pair.substr(equals + 1));
        if (end == std::string_view::npos) break;
        query.remove_prefix(end + 1);
    }
    return std::nullopt;
}

}  // namespace lacuna::app
