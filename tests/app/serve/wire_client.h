#pragma once
/// \file
/// A client on a plain blocking socket, for tests that send input no client library would send.

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

namespace lacuna::test {

/// Raw reply of a server: status, header and body.
struct WireAnswer {
    int status = 0;  ///< 0: no reply arrived
    std::string head;
    std::string body;
    [[nodiscard]] std::string field(std::string_view name) const {
        const std::size_t at = head.find(std::string(name) + ": ");
        if (at == std::string::npos) return {};
        const std::size_t begin = at + name.size() + 2;
        return head.substr(begin, head.find("\r\n", begin) - begin);
    }
};

class WireClient {
  public:
    explicit WireClient(std::uint16_t port, std::uint32_t host = INADDR_LOOPBACK)
        : fd_(::socket(AF_INET, SOCK_STREAM, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(host);
        connected_ =
            ::connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    }
    ~WireClient() { close(); }
    WireClient(const WireClient&) = delete;
    WireClient& operator=(const WireClient&) = delete;

    [[nodiscard]] bool connected() const { return connected_; }
    void close() {
        if (fd_ >= 0) ::close(fd_);
        fd_ = -1;
    }
    /// Returns false if the server has closed the connection.
    bool send(std::string_view bytes) {
        while (!bytes.empty()) {
            const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (sent <= 0) return false;
            bytes.remove_prefix(static_cast<std::size_t>(sent));
        }
        return true;
    }
    /// Waits for bytes; false if the connection ends or the timeout expires.
    bool more(std::chrono::milliseconds patience = std::chrono::seconds(5)) {
        pollfd waiting{.fd = fd_, .events = POLLIN, .revents = 0};
        if (::poll(&waiting, 1, static_cast<int>(patience.count())) <= 0) return false;
        char part[1 << 16];
        const ssize_t count = ::recv(fd_, part, sizeof part, 0);
        if (count <= 0) return false;
        buffer_.append(part, static_cast<std::size_t>(count));
        return true;
    }
    /// Reads the next reply, delimited by its length, its chunks or the end of the connection.
    /// Interim replies (100) count as replies.
    WireAnswer answer(bool withoutBody = false) {
        WireAnswer answer;
        while (buffer_.find("\r\n\r\n") == std::string::npos)
            if (!arrives()) return answer;
        const std::size_t end = buffer_.find("\r\n\r\n") + 4;
        answer.head = buffer_.substr(0, end);
        answer.status = std::stoi(answer.head.substr(9, 3));
        buffer_.erase(0, end);
        if (answer.status == 100 || answer.status == 204 || withoutBody) return answer;
        if (!answer.field("Content-Length").empty()) {
            const std::size_t length = std::stoul(answer.field("Content-Length"));
            while (buffer_.size() < length)
                if (!arrives()) return answer;
            answer.body = buffer_.substr(0, length);
            buffer_.erase(0, length);
        } else if (answer.field("Transfer-Encoding") == "chunked") {
            while (auto chunk = this->chunk()) answer.body += *chunk;
        } else {
            while (arrives()) {
            }
            answer.body = std::move(buffer_);
        }
        return answer;
    }
    /// Data of the next chunk; nullopt for the last one or if none arrives.
    std::optional<std::string> chunk() {
        while (buffer_.find("\r\n") == std::string::npos)
            if (!arrives()) return std::nullopt;
        const std::size_t line = buffer_.find("\r\n");
        const std::size_t size = std::stoul(buffer_.substr(0, line), nullptr, 16);
        while (buffer_.size() < line + 2 + size + 2)
            if (!arrives()) return std::nullopt;
        std::string data = buffer_.substr(line + 2, size);
        buffer_.erase(0, line + 2 + size + 2);
        if (size == 0) return std::nullopt;
        return data;
    }
    /// Next chunk of a chunked reply, skipping its header before the first one; nullopt at the end.
    std::optional<std::string> next() {
        if (!std::exchange(headRead_, true)) {
            while (buffer_.find("\r\n\r\n") == std::string::npos)
                if (!arrives()) return std::nullopt;
            buffer_.erase(0, buffer_.find("\r\n\r\n") + 4);
        }
        while (buffer_.find("\r\n") == std::string::npos)
            if (!arrives()) return std::nullopt;
        return chunk();
    }
    /// True if the server closes the connection within the timeout.
    bool closes(std::chrono::milliseconds patience = std::chrono::seconds(5)) {
        const auto until = std::chrono::steady_clock::now() + patience;
        while (std::chrono::steady_clock::now() < until) {
            pollfd waiting{.fd = fd_, .events = POLLIN, .revents = 0};
            if (::poll(&waiting, 1, 50) <= 0) continue;
            char part[1 << 16];
            if (::recv(fd_, part, sizeof part, 0) <= 0) return true;
        }
        return false;
    }
    [[nodiscard]] int descriptor() const { return fd_; }

  private:
    /// Waits for a part of a reply, even on a busy machine.
    bool arrives() { return more(std::chrono::seconds(60)); }

    int fd_;
    bool connected_ = false;
    bool headRead_ = false;  // header of the reply that next() reads
    std::string buffer_;
};

/// Sends one request on a separate connection.
inline WireAnswer ask(std::uint16_t port, std::string_view request) {
    WireClient client(port);
    client.send(request);
    return client.answer();
}

}  // namespace lacuna::test
