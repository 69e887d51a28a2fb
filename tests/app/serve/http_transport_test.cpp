// Requests that a connection accepts or refuses, over real sockets; an echo handler replaces the
// API.

#include <gtest/gtest.h>

#include <QCoreApplication>
#include <QEventLoop>
#include <QTimer>
#include <atomic>
#include <fstream>
#include <future>
#include <thread>

#include "app/serve/access_rules.h"
#include "app/serve/api_error.h"
#include "app/serve/http_reader.h"
#include "app/serve/http_server.h"
#include "engine/base/json.h"
#include "tests/app/core_application.h"
#include "tests/app/serve/wire_client.h"

namespace lacuna::app {
namespace {

using test::ask;
using test::WireAnswer;
using test::WireClient;
using namespace std::chrono_literals;

/// Echoes the request; /stream sends until the client disconnects.
class EchoHandler final : public QObject, public HttpHandler {
  public:
    std::optional<HttpReply> refusal(const HttpHead& head) override {
        if (auto why = checkHost(rules, *head.find("host"))) return faultReply(*why);
        if (auto why = checkOrigin(rules, head.find("origin"))) return faultReply(*why);
        if (auto why = checkKey(rules, head.find("authorization"))) return faultReply(*why);
        return std::nullopt;
    }
    std::vector<HttpField> fieldsFor(const HttpHead&) override { return {}; }
    void handle(HttpRequest request, std::shared_ptr<HttpExchange> exchange) override {
        ++requests;
        if (request.head.path == "/stream") return stream(exchange);
        if (request.head.path == "/later") {
            exchange->onDisconnect = [this] { ++gone; };
            QTimer::singleShot(20, this, [exchange] { exchange->reply({.body = "\"late\""}); });
            return;
        }
        const OrderedJson seen{{"method", request.head.method},
                               {"path", request.head.path},
                               {"query", request.head.query},
                               {"bytes", request.body.size()},
                               {"body", request.body.substr(0, 100)}};
        exchange->reply({.body = dumpJson(seen)});
    }
    void stream(const std::shared_ptr<HttpExchange>& exchange) {
        exchange->begin({.contentType = "text/event-stream"});
        auto* const timer = new QTimer(this);
        exchange->onDisconnect = [this, timer] {
            ++gone;
            timer->stop();
            timer->deleteLater();
        };
        connect(timer, &QTimer::timeout, this,
                [exchange] { exchange->send(std::string(64 << 10, 'x')); });
        timer->start(0);
    }

    AccessRules rules;
    std::atomic<int> requests{0}, gone{0};
};

/// The server on its own thread and event loop, as in the program.
class Stage {
  public:
    explicit Stage(HttpLimits limits = {}, HttpDeadlines deadlines = {}, AccessRules rules = {}) {
        coreApplication();
        std::promise<std::uint16_t> listening;
        auto taken = listening.get_future();
        thread_ = std::thread([=, this, &listening] {
            QEventLoop loop;  // first, because sockets need its dispatcher
            loop_ = &loop;
            EchoHandler echo;
            echo.rules = rules;
            HttpServer server(echo, limits, deadlines);
            const Status status = server.listenAt("127.0.0.1", 0);
            EXPECT_TRUE(server.listenAlsoAt("127.0.0.2"));
            echo.rules.port = server.serverPort();
            handler = &echo;
            listening.set_value(status ? server.serverPort() : 0);
            loop.exec();
        });
        port = taken.get();
    }
    ~Stage() {
        QMetaObject::invokeMethod(loop_, &QEventLoop::quit, Qt::QueuedConnection);
        thread_.join();
    }
    [[nodiscard]] std::string host() const {
        return "Host: 127.0.0.1:" + std::to_string(port) + "\r\n";
    }
    [[nodiscard]] std::string get(const std::string& fields = "") const {
        return "GET /x HTTP/1.1\r\n" + host() + fields + "\r\n";
    }
    [[nodiscard]] std::string post(const std::string& fields, const std::string& body) const {
        return "POST /x HTTP/1.1\r\n" + host() + fields + "\r\n" + body;
    }
    std::uint16_t port = 0;
    EchoHandler* handler = nullptr;

  private:
    QEventLoop* loop_ = nullptr;
    std::thread thread_;
};

struct HostileRow {
    const char* what;
    std::string request;  // HOST is replaced by the server's own Host line
    int status;
};

TEST(HttpTransport, hostileRequests_areRejectedWithTheirStatus) {
    const std::string chunked = "POST / HTTP/1.1\r\nHOST\r\nTransfer-Encoding: chunked\r\n\r\n";
    std::string manyFields = "GET / HTTP/1.1\r\nHOST\r\n";
    for (int i = 0; i < 100; ++i) manyFields += "F" + std::to_string(i) + ": 1\r\n";
    const HostileRow rows[] = {
        {"H01 empty line", "\r\n\r\n", 400},
        {"H01 garbage", "hello world\r\n\r\n", 400},
        {"H01 no version", "GET /\r\n\r\n", 400},
        {"H01 HTTP/0.9", "GET / HTTP/0.9\r\nHOST\r\n\r\n", 505},
        {"H01 HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505},
        {"H01 TLS hello", std::string("\x16\x03\x01\x02\x00\x01\x00\x01", 8), 400},
        {"H01 target of 8 KiB and 1",
         "GET /" + std::string(8192, 'a') + " HTTP/1.1\r\nHOST\r\n\r\n", 414},
        {"H01 endless line", "GET /" + std::string(20'000, 'a'), 414},
        {"H02 field without colon", "GET / HTTP/1.1\r\nHOST\r\nhello\r\n\r\n", 400},
        {"H02 space before colon", "GET / HTTP/1.1\r\nHOST\r\nA : b\r\n\r\n", 400},
        {"H02 folded", "GET / HTTP/1.1\r\nHOST\r\nA: b\r\n c\r\n\r\n", 400},
        {"H02 folded by tab", "GET / HTTP/1.1\r\nHOST\r\nA: b\r\n\tc\r\n\r\n", 400},
        {"H02 NUL", std::string("GET / HTTP/1.1\r\nHOST\r\nA: b\0c\r\n\r\n", 32), 400},
        {"H02 bare LF", "GET / HTTP/1.1\r\nHOST\r\nA: b\nB: c\r\n\r\n", 400},
        {"H02 bare CR", "GET / HTTP/1.1\r\nHOST\r\nA: b\rB: c\r\n\r\n", 400},
        {"H03 16 KiB and more of fields",
         "GET / HTTP/1.1\r\nHOST\r\nA: " + std::string(16'384, 'a') + "\r\n\r\n", 431},
        {"H03 endless field", "GET / HTTP/1.1\r\nHOST\r\nA: " + std::string(30'000, 'a'), 431},
        {"H03 101 fields", manyFields + "\r\n", 431},
        {"H04 no Host", "GET / HTTP/1.1\r\n\r\n", 400},
        {"H04 no Host in 1.0", "GET / HTTP/1.0\r\n\r\n", 400},
        {"H04 two Hosts", "GET / HTTP/1.1\r\nHOST\r\nHOST\r\n\r\n", 400},
        {"H04 empty Host", "GET / HTTP/1.1\r\nHost:\r\n\r\n", 400},
        {"H04 foreign", "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", 403},
        {"H04 a name that begins like ours",
         "GET / HTTP/1.1\r\nHost: 127.0.0.1.evil.example:PORT\r\n\r\n", 403},
        {"H04 0.0.0.0", "GET / HTTP/1.1\r\nHost: 0.0.0.0:PORT\r\n\r\n", 403},
        {"H04 user name", "GET / HTTP/1.1\r\nHost: a@127.0.0.1:PORT\r\n\r\n", 400},
        {"H04 other port", "GET / HTTP/1.1\r\nHost: 127.0.0.1:1\r\n\r\n", 403},
        {"H05 a page", "GET / HTTP/1.1\r\nHOST\r\nOrigin: https://evil.example\r\n\r\n", 403},
        {"H05 null", "GET / HTTP/1.1\r\nHOST\r\nOrigin: null\r\n\r\n", 403},
        {"H05 file", "GET / HTTP/1.1\r\nHOST\r\nOrigin: file://\r\n\r\n", 403},
        {"H05 extension", "GET / HTTP/1.1\r\nHOST\r\nOrigin: chrome-extension://abc\r\n\r\n", 403},
        {"H05 local, other port", "GET / HTTP/1.1\r\nHOST\r\nOrigin: http://localhost:1\r\n\r\n",
         403},
        {"H08 two lengths",
         "POST / HTTP/1.1\r\nHOST\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\n{}", 400},
        {"H08 differing lengths",
         "POST / HTTP/1.1\r\nHOST\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}", 400},
        {"H08 list of lengths", "POST / HTTP/1.1\r\nHOST\r\nContent-Length: 2, 2\r\n\r\n{}", 400},
        {"H08 plus", "POST / HTTP/1.1\r\nHOST\r\nContent-Length: +2\r\n\r\n{}", 400},
        {"H08 minus", "POST / HTTP/1.1\r\nHOST\r\nContent-Length: -1\r\n\r\n", 400},
        {"H08 hexadecimal", "POST / HTTP/1.1\r\nHOST\r\nContent-Length: 0x2\r\n\r\n{}", 400},
        {"H08 2^64", "POST / HTTP/1.1\r\nHOST\r\nContent-Length: 18446744073709551616\r\n\r\n",
         400},
        {"H08 inner space", "POST / HTTP/1.1\r\nHOST\r\nContent-Length: 1 2\r\n\r\n{}", 400},
        {"H09 length and chunks",
         "POST / HTTP/1.1\r\nHOST\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}",
         400},
        {"H09 chunks and length",
         "POST / HTTP/1.1\r\nHOST\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n{}",
         400},
        {"H09 chunked twice",
         "POST / HTTP/1.1\r\nHOST\r\nTransfer-Encoding: chunked, chunked\r\n\r\n", 400},
        {"H09 two fields",
         "POST / HTTP/1.1\r\nHOST\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: "
         "chunked\r\n\r\n",
         400},
        {"H09 gzip", "POST / HTTP/1.1\r\nHOST\r\nTransfer-Encoding: gzip\r\n\r\n", 501},
        {"H09 gzip, chunked", "POST / HTTP/1.1\r\nHOST\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
         400},
        {"H09 chunks in 1.0",
         "POST / HTTP/1.0\r\nHOST\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
        {"H10 negative size", chunked + "-2\r\n{}\r\n0\r\n\r\n", 400},
        {"H10 17 digits", chunked + "00000000000000002\r\n{}\r\n0\r\n\r\n", 0},
        {"H10 overflow", chunked + "fffffffffffffffff\r\n{}\r\n0\r\n\r\n", 400},
        {"H10 empty size", chunked + "\r\n{}\r\n0\r\n\r\n", 400},
        {"H10 long extension", chunked + "2;" + std::string(300, 'a') + "\r\n{}\r\n0\r\n\r\n", 400},
        {"H10 endless extension", chunked + "2;" + std::string(100'000, 'a'), 400},
        {"H10 no line end after a chunk", chunked + "2\r\n{}XX0\r\n\r\n", 400},
        {"H10 endless trailers", chunked + "0\r\nA: " + std::string(100'000, 'a'), 400},
        {"H10 long trailers", chunked + "0\r\nA: " + std::string(1'100, 'a') + "\r\n\r\n", 400},
        {"H11 8 MiB and 1 by length", "POST / HTTP/1.1\r\nHOST\r\nContent-Length: 8388609\r\n\r\n",
         413},
        {"H11 too large, with 100-continue",
         "POST / HTTP/1.1\r\nHOST\r\nContent-Length: 8388609\r\nExpect: 100-continue\r\n\r\n", 413},
        {"H11 too large by chunks", chunked + "800001\r\n", 413},
        {"H12 gzip body",
         "POST / HTTP/1.1\r\nHOST\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}", 415},
        {"other expectation", "GET / HTTP/1.1\r\nHOST\r\nExpect: tea\r\n\r\n", 417},
        {"H18 absolute target", "GET http://127.0.0.1/ HTTP/1.1\r\nHOST\r\n\r\n", 400},
        {"H18 star", "OPTIONS * HTTP/1.1\r\nHOST\r\n\r\n", 400},
        {"H18 backslash", "GET /..\\x HTTP/1.1\r\nHOST\r\n\r\n", 400},
        {"H18 authority", "CONNECT a:80 HTTP/1.1\r\nHOST\r\n\r\n", 400},
    };
    Stage stage;
    ASSERT_NE(stage.port, 0);
    for (const HostileRow& row : rows) {
        std::string request = row.request;
        const auto put = [&](const std::string& name, const std::string& value) {
            for (auto at = request.find(name); at != std::string::npos; at = request.find(name, at))
                request.replace(at, name.size(), value);
        };
        put("HOST\r\n", stage.host());
        put("PORT", std::to_string(stage.port));
        const WireAnswer answer = ask(stage.port, request);
        if (row.status == 0)  // either result is safe: refused, or parsed as the intended number
            EXPECT_TRUE(answer.status == 400 || answer.status == 200) << row.what;
        else
            EXPECT_EQ(answer.status, row.status) << row.what << "\n" << answer.body;
        if (answer.status < 400) continue;
        const Json error = Json::parse(answer.body, nullptr, false);
        ASSERT_TRUE(error.is_object()) << row.what << answer.body;
        for (const char* member : {"message", "type", "param", "code"})
            EXPECT_TRUE(error["error"].contains(member)) << row.what;
    }
}

TEST(HttpTransport, ordinaryRequests_areAnswered) {
    Stage stage;
    EXPECT_EQ(ask(stage.port, stage.get()).status, 200);
    const WireAnswer posted = ask(
        stage.port, "POST /a/b?c=d HTTP/1.1\r\n" + stage.host() + "Content-Length: 5\r\n\r\nhello");
    EXPECT_EQ(posted.status, 200);
    const Json seen = Json::parse(posted.body);
    EXPECT_EQ(seen["path"], "/a/b");
    EXPECT_EQ(seen["query"], "c=d");
    EXPECT_EQ(seen["body"], "hello");
    EXPECT_EQ(posted.field("Connection"), "keep-alive");
    for (const char* name : {"localhost", "127.0.0.1", "[::1]", "LOCALHOST"})
        EXPECT_EQ(ask(stage.port, "GET / HTTP/1.1\r\nHost: " + std::string(name) + ":" +
                                      std::to_string(stage.port) + "\r\n\r\n")
                      .status,
                  200)
            << name;
    EXPECT_EQ(ask(stage.port,
                  stage.get("Origin: http://127.0.0.1:" + std::to_string(stage.port) + "\r\n"))
                  .status,
              200);
}

TEST(HttpTransport, headRequest_hasNoBody) {
    Stage stage;
    WireClient client(stage.port);
    client.send("HEAD /x HTTP/1.1\r\n" + stage.host() + "\r\n" + stage.get());
    const WireAnswer head = client.answer(true);
    EXPECT_EQ(head.status, 200);
    EXPECT_NE(head.field("Content-Length"), "0");
    EXPECT_EQ(client.answer().status, 200) << "the next answer begins right after it";
}

TEST(HttpTransport, http10_closesAfterTheResponse) {
    Stage stage;
    WireClient client(stage.port);
    client.send("GET / HTTP/1.0\r\n" + stage.host() + "\r\n");
    EXPECT_EQ(client.answer().status, 200);
    EXPECT_TRUE(client.closes());
}

TEST(HttpTransport, bytewiseChunks_areReadAsOneBody) {
    Stage stage;
    WireClient client(stage.port);
    const std::string request = stage.post("Transfer-Encoding: chunked\r\n",
                                           "3;a=b\r\nabc\r\n02\r\nde\r\n0\r\nX-Trailer: 1\r\n\r\n");
    for (const char byte : request) client.send(std::string_view(&byte, 1));
    const WireAnswer answer = client.answer();
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(Json::parse(answer.body)["body"], "abcde");
    client.send(stage.get());
    EXPECT_EQ(client.answer().status, 200) << "nothing of the body is taken for a request";
}

TEST(HttpTransport, lastChunkOnly_isAnEmptyBody) {
    Stage stage;
    WireClient client(stage.port);
    const std::string request = stage.post("Transfer-Encoding: chunked\r\n", "0\r\n\r\n");
    for (const char byte : request) client.send(std::string_view(&byte, 1));
    EXPECT_EQ(Json::parse(client.answer().body)["bytes"], 0);
}

/// Splits a chunked body at every position.
TEST(HttpReader, chunksSplitAnywhere_giveTheSameBody) {
    const std::string head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
    const std::string body = "4\r\nwxyz\r\n1\r\n!\r\n0\r\n\r\nGET";
    for (std::size_t cut = 0; cut <= head.size() + body.size() - 3; ++cut) {
        HttpReader reader{HttpLimits{}};
        std::string pending = (head + body).substr(0, cut);
        for (int i = 0; i < 3; ++i) static_cast<void>(reader.read(pending));
        pending += (head + body).substr(cut);
        for (int i = 0; i < 3; ++i) static_cast<void>(reader.read(pending));
        ASSERT_EQ(reader.stage(), HttpReader::Stage::Done) << cut;
        EXPECT_EQ(reader.take().body, "wxyz!") << cut;
        EXPECT_EQ(pending, "GET") << cut;
    }
}

/// Beast asserts if a last chunk arrives in three pieces; only builds with assertions detect it.
TEST(HttpReader, bytewiseChunks_giveTheSameBody) {
    const std::string head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
    const std::pair<const char*, const char*> bodies[] = {{"0\r\n\r\n", ""},
                                                          {"4\r\nwxyz\r\n0\r\n\r\n", "wxyz"},
                                                          {"1;a=b\r\nx\r\n0\r\nA: b\r\n\r\n", "x"}};
    for (const auto& [bytes, body] : bodies) {
        HttpReader reader{HttpLimits{}};
        std::string pending;
        for (const char byte : head + bytes) {
            pending += byte;
            for (int i = 0; i < 3; ++i) static_cast<void>(reader.read(pending));
        }
        ASSERT_EQ(reader.stage(), HttpReader::Stage::Done) << bytes;
        EXPECT_EQ(reader.take().body, body);
    }
}

TEST(HttpTransport, pipelinedRequests_areAnsweredInOrder) {
    Stage stage;
    WireClient client(stage.port);
    std::string all;
    for (int i = 0; i < 100; ++i) {
        const std::string body = std::string(static_cast<std::size_t>(i), 'b');
        all += (i % 3 == 0 ? "DELETE /" : "POST /") + std::to_string(i) + " HTTP/1.1\r\n" +
               stage.host() + "Content-Length: " + std::to_string(i) + "\r\n\r\n" + body;
    }
    client.send(all);
    for (int i = 0; i < 100; ++i) {
        const Json seen = Json::parse(client.answer().body, nullptr, false);
        ASSERT_TRUE(seen.is_object()) << i;
        EXPECT_EQ(seen["path"], "/" + std::to_string(i));
        EXPECT_EQ(seen["bytes"], i);
    }
}

TEST(HttpTransport, requestsDuringAResponse_wait) {
    Stage stage;
    WireClient client(stage.port);
    client.send("GET /later HTTP/1.1\r\n" + stage.host() + "\r\n" + stage.get());
    EXPECT_EQ(client.answer().body, "\"late\"");
    EXPECT_EQ(Json::parse(client.answer().body)["path"], "/x");
}

TEST(HttpTransport, bodyOf8MiB_isAcceptedAfter100Continue) {
    Stage stage;
    WireClient client(stage.port);
    client.send(stage.post("Content-Length: 8388608\r\nExpect: 100-continue\r\n", ""));
    EXPECT_EQ(client.answer().status, 100);
    client.send(std::string(8'388'608, 'x'));
    EXPECT_EQ(Json::parse(client.answer().body)["bytes"], 8'388'608);
}

TEST(HttpTransport, slowClients_areDisconnectedAtTheDeadlines) {
    HttpDeadlines quick{
        .header = 300ms, .idle = 400ms, .body = 300ms, .bodyBytesPerSecond = 1 << 30};
    Stage stage({}, quick);
    const auto trickle = [&](const std::string& begin) {
        WireClient client(stage.port);
        client.send(begin);
        for (int i = 0; i < 100; ++i) {
            if (!client.send("a")) break;
            pollfd waiting{.fd = client.descriptor(), .events = POLLIN, .revents = 0};
            if (::poll(&waiting, 1, 30) > 0) break;
        }
        return client.answer().status;
    };
    EXPECT_EQ(trickle("GET /"), 408) << "a head that never ends";
    EXPECT_EQ(trickle(stage.post("Content-Length: 1000\r\n", "")), 408) << "a body";
    WireClient silent(stage.port);
    EXPECT_EQ(silent.answer().status, 408) << "connected, and nothing said";
    WireClient served(stage.port);
    served.send(stage.get());
    EXPECT_EQ(served.answer().status, 200);
    EXPECT_TRUE(served.closes(3s)) << "idle after its answer";
}

TEST(HttpTransport, connectionsOverTheLimit_areRejected_closedOnesFreeCapacity) {
    Stage stage({.connections = 4});
    {
        std::vector<std::unique_ptr<WireClient>> clients;
        for (int i = 0; i < 4; ++i) {
            clients.push_back(std::make_unique<WireClient>(stage.port));
            clients.back()->send(stage.get());
            EXPECT_EQ(clients.back()->answer().status, 200);
        }
        WireClient fifth(stage.port);
        const WireAnswer answer = fifth.answer();
        EXPECT_EQ(answer.status, 503);
        EXPECT_FALSE(answer.field("Retry-After").empty());
        EXPECT_TRUE(fifth.closes());
    }
    for (int i = 0; i < 100; ++i) {
        if (ask(stage.port, stage.get()).status == 200) return;
        std::this_thread::sleep_for(20ms);
    }
    FAIL() << "the places were not given back";
}

int openDescriptors() {
    int count = 0;
    for ([[maybe_unused]] const auto& one : std::filesystem::directory_iterator("/proc/self/fd"))
        ++count;
    return count;
}

TEST(HttpTransport, manyConnections_leaveNoDescriptorOpen) {
    Stage stage;
    EXPECT_EQ(ask(stage.port, stage.get()).status, 200);
    const int before = openDescriptors();
    for (int i = 0; i < 500; ++i) {
        WireClient client(stage.port);
        if (i % 3 == 0) client.send("GET / HT");
        if (i % 3 == 1) {  // a reset
            const linger hard{.l_onoff = 1, .l_linger = 0};
            ::setsockopt(client.descriptor(), SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
        }
    }
    // The last connection may not have been accepted yet.
    int status = 0;
    for (int i = 0; i < 200 && status != 200; ++i) {
        status = ask(stage.port, stage.get()).status;
        if (status != 200) std::this_thread::sleep_for(20ms);
    }
    EXPECT_EQ(status, 200);
    for (int i = 0; i < 200 && openDescriptors() > before; ++i) std::this_thread::sleep_for(20ms);
    EXPECT_LE(openDescriptors(), before);
}

TEST(HttpTransport, clientThatNeverReads_isDroppedAtTheBufferLimit) {
    Stage stage;
    WireClient client(stage.port);
    client.send("GET /stream HTTP/1.1\r\n" + stage.host() + "\r\n");
    for (int i = 0; i < 250 && stage.handler->gone == 0; ++i) std::this_thread::sleep_for(20ms);
    EXPECT_EQ(stage.handler->gone, 1);
}

TEST(HttpTransport, disconnect_duringAResponse_isDetected) {
    Stage stage;
    {
        WireClient client(stage.port);
        client.send("GET /stream HTTP/1.1\r\n" + stage.host() + "\r\n");
        EXPECT_TRUE(client.more());
    }
    for (int i = 0; i < 250 && stage.handler->gone == 0; ++i) std::this_thread::sleep_for(20ms);
    EXPECT_EQ(stage.handler->gone, 1);
}

TEST(HttpTransport, secondAddress_servesTheSameServer) {
    Stage stage({.connections = 2});
    WireClient elsewhere(stage.port, INADDR_LOOPBACK + 1);
    WireClient here(stage.port);
    for (WireClient* client : {&elsewhere, &here}) {
        ASSERT_TRUE(client->connected());
        client->send(stage.get());
        EXPECT_EQ(client->answer().status, 200);
    }
    EXPECT_EQ(stage.handler->requests, 2);
    WireClient third(stage.port, INADDR_LOOPBACK + 1);
    EXPECT_EQ(third.answer().status, 503) << "connections are counted together";
}

TEST(HttpTransport, portInUse_isReported) {
    Stage stage;
    EchoHandler handler;
    HttpServer second(handler, {}, {});
    const Status taken = second.listenAt("127.0.0.1", stage.port);
    ASSERT_FALSE(taken);
    EXPECT_EQ(taken.error().code, ErrorCode::Conflict);
    EXPECT_EQ(second.listenAt("not an address", 0).error().code, ErrorCode::InvalidArgument);
    EXPECT_EQ(second.listenAt("203.0.113.7", 0).error().code, ErrorCode::InvalidArgument);
}

TEST(AccessRules, keys_areRequiredWhenConfigured) {
    const AccessRules rules{.port = 1, .keys = {digestOf("one"), digestOf("two")}};
    const auto status = [&](const std::string& value) {
        const auto fault = checkKey(rules, &value);
        return fault ? fault->status : 200;
    };
    EXPECT_EQ(checkKey(rules, nullptr)->status, 401);
    EXPECT_EQ(status("Bearer one"), 200);
    EXPECT_EQ(status("bearer two"), 200);
    EXPECT_EQ(status("Bearer three"), 401);
    EXPECT_EQ(status("Bearer one "), 401);
    EXPECT_EQ(status("Basic one"), 401);
    EXPECT_EQ(status("one"), 401);
    EXPECT_EQ(status(""), 401);
    EXPECT_FALSE(checkKey(AccessRules{}, nullptr)) << "no keys: nobody needs one";
}

TEST(AccessRules, hostsAndOrigins_areAllowedByList) {
    const AccessRules rules{.port = 80,
                            .addresses = {"127.0.0.2"},
                            .hosts = {"box.example"},
                            .origins = {"https://app.example"}};
    const std::string listed = "https://app.example";
    const std::string longer = "https://app.example.evil";
    EXPECT_FALSE(checkHost(rules, "box.example"));
    EXPECT_FALSE(checkHost(rules, "Box.Example:8443"));
    EXPECT_FALSE(checkHost(rules, "localhost")) << "80 is what no port means";
    EXPECT_TRUE(checkHost(rules, "x.box.example"));
    EXPECT_FALSE(checkHost(rules, "127.0.0.2:80")) << "it is listened at";
    EXPECT_TRUE(checkHost(rules, "127.0.0.2:81"));
    EXPECT_TRUE(checkHost(rules, "127.0.0.3:80"));
    EXPECT_FALSE(checkOrigin(rules, &listed));
    EXPECT_TRUE(checkOrigin(rules, &longer));
    EXPECT_FALSE(checkOrigin(rules, nullptr));
}

TEST(HttpReader, percentEscapes_areDecodedOnceOrRejected) {
    EXPECT_EQ(percentDecoded("a%2Fb"), "a/b");
    EXPECT_EQ(percentDecoded("%252F"), "%2F");
    EXPECT_FALSE(percentDecoded("%00"));
    EXPECT_FALSE(percentDecoded("%0D%0A"));
    EXPECT_FALSE(percentDecoded("%2"));
    EXPECT_FALSE(percentDecoded("%zz"));
    EXPECT_EQ(queryValue("action=save&x=1", "x"), "1");
    EXPECT_FALSE(queryValue("action=save", "act"));
}

}  // namespace
}  // namespace lacuna::app
