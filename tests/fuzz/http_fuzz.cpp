// libFuzzer target: arbitrary bytes on a connection of the server, in pieces, with responses that
// come at once, later, as a stream, or not before the client has left. The first line is the
// schedule: the lower five bits of each byte are the length of a piece, the upper three the action
// after it.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <QCoreApplication>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>

#include "app/serve/http_server.h"

namespace lacuna::app {
namespace {

enum class Way : unsigned { Immediate, Later, Stream, Refused };

/// Stores requests until it is called to respond.
class Answers final : public HttpHandler {
  public:
    std::optional<HttpReply> refusal(const HttpHead& head) override {
        if (head.fields.size() > limits.fields) __builtin_trap();
        if (way == Way::Refused) return HttpReply{.status = 403, .body = "no"};
        return std::nullopt;
    }
    void handle(HttpRequest request, std::shared_ptr<HttpExchange> exchange) override {
        if (request.body.size() > limits.bodyBytes) __builtin_trap();
        if (way == Way::Immediate) return exchange->reply({.body = request.body});
        // A connection sends no further request before its response has ended.
        for (const auto& one : open)
            if (one->open()) __builtin_trap();
        if (way == Way::Stream) {
            exchange->begin({.contentType = "text/plain"});
            static_cast<void>(exchange->send("a piece"));
        }
        exchange->onDisconnect = [this] { ++gone; };
        open.push_back(std::move(exchange));
    }
    std::vector<HttpField> fieldsFor(const HttpHead&) override { return {}; }

    void answerOldest() {
        if (open.empty()) return;
        const auto exchange = std::move(open.front());
        open.pop_front();
        if (!exchange->begun()) return exchange->reply({.body = "late"});
        static_cast<void>(exchange->send(std::string(5000, 'x')));
        exchange->end();
    }

    HttpLimits limits;
    Way way = Way::Immediate;
    std::deque<std::shared_ptr<HttpExchange>> open;
    int gone = 0;
};

HttpLimits small() {
    HttpLimits limits;
    limits.bodyBytes = 4096;
    return limits;
}

struct Listener {
    Listener() : server(answers, small(), {}) {
        answers.limits = small();
        if (!server.listenAt("127.0.0.1", 0)) __builtin_trap();
    }
    Answers answers;
    HttpServer server;
};

Listener& listener() {
    static int count = 1;
    static char name[] = "http_fuzz";
    static char* names[] = {name, nullptr};
    static QCoreApplication application(count, names);
    static Listener one;
    return one;
}

/// Lets the server work and discards its output, so that it can continue.
void turn(int client, int rounds) {
    for (int i = 0; i < rounds; ++i) {
        QCoreApplication::processEvents();
        char part[4096];
        while (client >= 0 && ::recv(client, part, sizeof part, MSG_DONTWAIT) > 0) {
        }
    }
}

int connectTo(std::uint16_t port) {
    const int client = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    // Closes with a reset, because a fuzzer makes more connections than there are ephemeral ports.
    const linger reset{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(client, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    if (::connect(client, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
        return client;
    ::close(client);
    return -1;
}

void play(Listener& to, std::string_view schedule, std::string_view wire) {
    int client = connectTo(to.server.serverPort());
    if (client < 0) return;  // a failure of the system, not of the server
    turn(client, 2);
    for (std::size_t step = 0; !wire.empty() && client >= 0; ++step) {
        const auto byte =
            schedule.empty() ? 0x1FU : static_cast<unsigned char>(schedule[step % schedule.size()]);
        const std::size_t length = std::min<std::size_t>(wire.size(), 1 + (byte & 0x1FU) * 16);
        to.answers.way = static_cast<Way>((byte >> 5U) & 3U);
        if (::send(client, wire.data(), length, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) break;
        wire.remove_prefix(length);
        turn(client, 2);
        if ((byte & 0x80U) != 0) to.answers.answerOldest();
    }
    // Half of the clients leave while responses are pending.
    if (schedule.size() % 2 == 0) {
        while (!to.answers.open.empty()) to.answers.answerOldest();
        turn(client, 3);
    }
    // Some shut down their sending side first.
    if (schedule.size() % 3 == 1) {
        ::shutdown(client, SHUT_WR);
        turn(client, 2);
    }
    ::close(client);
    client = -1;
    for (int i = 0; i < 2000 && to.server.connections() > 0; ++i) {
        turn(client, 1);
        if (i > 20) ::poll(nullptr, 0, 1);
    }
    if (to.server.connections() > 0) __builtin_trap();  // the connection was not dropped
    for (const auto& one : to.answers.open)
        if (one->open()) __builtin_trap();
    while (!to.answers.open.empty()) to.answers.answerOldest();  // responses without a client
}

}  // namespace
}  // namespace lacuna::app

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view all(reinterpret_cast<const char*>(data), size);
    const std::size_t line = std::min(all.find('\n'), size);
    lacuna::app::play(lacuna::app::listener(), all.substr(0, line),
                      all.substr(std::min(line + 1, size)));
    return 0;
}
