// Engines that send endlessly: every kind ends with a reason, in bounded memory and in short slices
// of the event loop.

#include <gtest/gtest.h>

#include <QElapsedTimer>
#include <QTimer>
#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "app/remote/engine_replies.h"
#include "app/remote/prometheus_text.h"
#include "app/remote/remote_chat.h"
#include "app/remote/remote_client.h"
#include "app/remote/remote_exchange.h"
#include "tests/app/core_application.h"
#include "tests/app/remote/fake_engine_server.h"

namespace lacuna::app {
namespace {

using test::FakeEngineServer;
using test::waitUntil;

constexpr qint64 kMostSent = qint64{64} << 20;

/// Sends `begin` and then `block` repeatedly as fast as the client reads, up to kMostSent bytes;
/// the connection stays open.
class EndlessServer {
  public:
    EndlessServer(QByteArray begin, QByteArray block)
        : m_begin(std::move(begin)), m_block(std::move(block)) {
        coreApplication();
        while (!m_block.isEmpty() && m_block.size() < 16'000) m_block += m_block;
        QObject::connect(&m_server, &QTcpServer::newConnection, &m_server, [this] {
            QTcpSocket* const socket = m_server.nextPendingConnection();
            QObject::connect(socket, &QTcpSocket::readyRead, socket, [this, socket] {
                socket->readAll();
                if (std::exchange(m_asked, true)) return;
                socket->write(m_begin);
                more(socket);
            });
            QObject::connect(socket, &QTcpSocket::bytesWritten, socket,
                             [this, socket] { more(socket); });
            QObject::connect(socket, &QTcpSocket::disconnected, socket, [this, socket] {
                left = true;
                socket->deleteLater();
            });
        });
        EXPECT_TRUE(m_server.listen(QHostAddress::LocalHost, 0));
    }
    [[nodiscard]] RemoteAddress address() const {
        return addressFrom(QStringLiteral("http://127.0.0.1:%1").arg(m_server.serverPort()));
    }
    qint64 sent = 0;
    bool left = false;  ///< the client has closed the connection

  private:
    void more(QTcpSocket* socket) {
        if (m_block.isEmpty() || sent > kMostSent || socket->bytesToWrite() > 64 * 1024) return;
        sent += socket->write(m_block);
    }
    QTcpServer m_server;
    QByteArray m_begin, m_block;
    bool m_asked = false;
};

/// Longest time for which no other timer of the event loop fired.
class LoopWatch {
  public:
    LoopWatch() {
        m_clock.start();
        QObject::connect(&m_tick, &QTimer::timeout, &m_tick,
                         [this] { longestMs = std::max(longestMs, m_clock.restart()); });
        m_tick.start(1);
    }
    qint64 longestMs = 0;

  private:
    QTimer m_tick;
    QElapsedTimer m_clock;
};

const QByteArray kStream = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
const QByteArray kChunked =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";

struct Endless {
    const char* name;
    QByteArray begin, block;
    RemoteFault fault;
    const char* words;
};

std::vector<Endless> endlessAnswers() {
    using F = RemoteFault;
    return {
        {"text", kStream, "data: {\"choices\":[{\"delta\":{\"content\":\"sea \"}}]}\n\n",
         F::Truncated, "of text"},
        {"thoughts", kStream,
         "data: {\"choices\":[{\"delta\":{\"reasoning_content\":\"sea \"}}]}\n\n", F::Truncated,
         "of text"},
        {"events without text", kStream, "data: {\"choices\":[]}\n\n", F::NotUnderstood,
         "contains no text"},
        {"blank lines", kStream, "\n", F::NotUnderstood, "contains no text"},
        {"blank lines with returns", kStream, "\r\n", F::NotUnderstood, "contains no text"},
        {"comments", kStream, ": keep-alive\n\n", F::NotUnderstood, "contains no text"},
        {"one comment", kStream + ": ", "x", F::NotUnderstood, "an event"},
        {"one line", kStream + "data: ", "x", F::NotUnderstood, "an event"},
        {"one event of many lines", kStream, "data: xxxxxxxxxxxxxxxx\n", F::NotUnderstood,
         "an event"},
        {"fields without data", kStream, "event: ping\nid: 7\n", F::NotUnderstood,
         "contains no text"},
        {"body", "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n",
         "{\"a\":", F::NotUnderstood, "larger than"},
        {"body of a long length", "HTTP/1.1 200 OK\r\nContent-Length: 9000000000000000000\r\n\r\n",
         "x", F::NotUnderstood, "larger than"},
        {"error body", "HTTP/1.1 500 No\r\nContent-Type: application/json\r\n\r\n", "x", F::Failed,
         "500"},
        {"body of a redirect", "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1/\r\n\r\n", "x",
         F::Moved, "moved"},
        {"status line", "HTTP/1.1 200 ", "O", F::NotUnderstood, "head"},
        {"no HTTP", "", "x", F::NotUnderstood, "head"},
        {"header fields", "HTTP/1.1 200 OK\r\n", "X-Field: value\r\n", F::NotUnderstood, "head"},
        {"one header field", "HTTP/1.1 200 OK\r\nX-Field: ", "v", F::NotUnderstood, "head"},
        {"interim responses", "", "HTTP/1.1 100 Continue\r\n\r\n", F::NotUnderstood, "head"},
        {"chunk size", kChunked, "0", F::NotUnderstood, "lengths"},
        {"chunk extension", kChunked + "5;a=", "b", F::NotUnderstood, "lengths"},
        {"trailer", kChunked + "0\r\n", "X-Field: value\r\n", F::NotUnderstood, "head"},
        {"chunks of a byte", kChunked, "1\r\n\n\r\n", F::NotUnderstood, "contains no text"},
    };
}

TEST(RemoteLimits, endlessStream_isCutOffWithAReason_readInSlices) {
    for (const Endless& one : endlessAnswers()) {
        SCOPED_TRACE(one.name);
        EndlessServer server(one.begin, one.block);
        RemoteClient client(server.address(), {});
        LoopWatch watch;
        RemoteChat chat(client, "{}");
        std::optional<RemoteAnswer> end;
        std::string arrived;
        chat.arrived = [&](const std::string& piece) { arrived += piece; };
        chat.ended = [&](const RemoteAnswer& answer) { end = answer; };
        ASSERT_TRUE(waitUntil([&] { return end.has_value(); }, 60'000));
        EXPECT_EQ(end->reason, FinishReason::Error);
        ASSERT_TRUE(end->problem.has_value());
        EXPECT_EQ(end->problem->fault, one.fault);
        EXPECT_TRUE(end->problem->sentence.contains(QLatin1String(one.words)))
            << end->problem->sentence.toStdString();
        EXPECT_EQ(end->text, arrived) << "nothing that has come is lost";
        EXPECT_EQ(end->text.empty(), one.fault != RemoteFault::Truncated);
        EXPECT_LE(end->text.size(), RemoteChat::kMaxText + 64);
        EXPECT_LT(server.sent, kMostSent) << "it was not read to its end";
        EXPECT_TRUE(waitUntil([&] { return server.left; }));
        EXPECT_LT(watch.longestMs, 1000);
    }
}

TEST(RemoteLimits, endlessReply_isCutOffWithAReason) {
    for (const Endless& one : endlessAnswers()) {
        const QString kind = QString::fromLatin1(one.name);
        if (one.begin.contains("event-stream") && !kind.contains(QLatin1String("chunk"))) continue;
        SCOPED_TRACE(one.name);
        EndlessServer server(one.begin, one.block);
        RemoteClient client(server.address(), {});
        std::optional<RemoteReply> reply;
        client.ask({RemoteMethod::Get, QStringLiteral("/metrics")},
                   [&](const RemoteReply& heard) { reply = heard; });
        ASSERT_TRUE(waitUntil([&] { return reply.has_value(); }, 60'000));
        ASSERT_FALSE(reply->has_value());
        EXPECT_EQ(reply->error().fault, one.fault) << reply->error().sentence.toStdString();
        EXPECT_LT(server.sent, kMostSent);
    }
}

TEST(RemoteLimits, dataAfterTheEnd_doesNotChangeTheAnswer) {
    for (const char* block : {"\n", ": x\n\n", "data: {\"choices\":[]}\n\n"}) {
        EndlessServer server(
            kStream +
                "data: {\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"length\"}]}"
                "\n\n",
            block);
        RemoteClient client(server.address(), {});
        RemoteChat chat(client, "{}");
        std::optional<RemoteAnswer> end;
        chat.ended = [&](const RemoteAnswer& answer) { end = answer; };
        ASSERT_TRUE(waitUntil([&] { return end.has_value(); }, 60'000));
        EXPECT_EQ(end->reason, FinishReason::Length);
        EXPECT_EQ(end->text, "a");
        EXPECT_EQ(end->problem, std::nullopt);
    }
}

/// An exchange with its own limits.
struct Exchange {
    explicit Exchange(const RemoteAddress& address, const RemoteExchange::Limits& limits)
        : exchange({.method = "GET",
                    .url = address.at(QStringLiteral("/metrics")),
                    .authorization = {},
                    .body = {}},
                   limits) {
        exchange.received = [this](QByteArrayView bytes) {
            largest = std::max(largest, bytes.size());
            body.append(bytes);
        };
        exchange.finished = [this] {
            EXPECT_FALSE(over) << "the end is reported once";
            over = true;
        };
    }
    RemoteExchange exchange;
    QByteArray body;
    qsizetype largest = 0;
    bool over = false;
};

TEST(RemoteLimits, bufferedBody_isDeliveredInSlices) {
    FakeEngineServer engine;
    const QByteArray body(1 << 20, 'x');
    engine.setAnswer("GET /metrics", 200, body);
    Exchange asked(addressFrom(engine.address()), {5000, 5000, 0});
    ASSERT_TRUE(waitUntil([&] { return asked.over; }));
    EXPECT_EQ(asked.exchange.problem().has_value(), false);
    EXPECT_EQ(asked.body, body);
    EXPECT_LE(asked.largest, RemoteExchange::kSlice);
}

TEST(RemoteLimits, deadlines_endTricklingResponses) {
    struct Row {
        const char* name;
        QByteArray begin;
        RemoteExchange::Limits limits;
        bool trickles;
        RemoteFault fault;
    };
    const QByteArray head = "HTTP/1.1 200 OK\r\n\r\n";
    for (const Row& row :
         {Row{"no head", "", {200, 60'000, 0}, false, RemoteFault::Unreachable},
          Row{"head that trickles",
              "HTTP/1.1 200 ",
              {200, 60'000, 0},
              true,
              RemoteFault::Unreachable},
          Row{"silence in the body", head, {60'000, 200, 0}, false, RemoteFault::Truncated},
          Row{"body that trickles", head, {60'000, 60'000, 300}, true, RemoteFault::Truncated}}) {
        SCOPED_TRACE(row.name);
        FakeEngineServer engine;
        engine.setAnswer("GET /metrics", {row.begin, false});
        QTimer trickle;
        QObject::connect(&trickle, &QTimer::timeout, &trickle, [&] {
            if (!engine.asked().empty() && engine.asked()[0].socket)
                engine.asked()[0].socket->write("x");
        });
        if (row.trickles) trickle.start(20);
        Exchange asked(addressFrom(engine.address()), row.limits);
        ASSERT_TRUE(waitUntil([&] { return asked.over; }));
        ASSERT_TRUE(asked.exchange.problem().has_value());
        EXPECT_EQ(asked.exchange.problem()->fault, row.fault)
            << asked.exchange.problem()->sentence.toStdString();
    }
}

TEST(RemoteLimits, bodies_ofEveryEncoding_areReadCompleteAtAnySplit) {
    const QByteArray chunked =
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n"
        "3;a=b\r\nabc\r\n0A\r\n0123456789\r\n0\r\nX-Trailer: y\r\n\r\n";
    for (const QByteArray& response :
         {chunked, QByteArray("HTTP/1.0 200 OK\nContent-Length: 13\n\nabc0123456789"),
          QByteArray("HTTP/1.1 200\r\nContent-Length: 13, 13\r\n\r\nabc0123456789 and more"),
          QByteArray("HTTP/1.1 200 OK\r\n\r\nabc0123456789")}) {
        for (const qsizetype size : {qsizetype{1}, qsizetype{7}, qsizetype{10'000}}) {
            FakeEngineServer engine;
            engine.setAnswer("GET /metrics", {QByteArray(), false});
            Exchange asked(addressFrom(engine.address()), {5000, 5000, 0});
            ASSERT_TRUE(waitUntil([&] { return !engine.asked().empty(); }));
            for (qsizetype at = 0; at < response.size() && engine.asked()[0].socket; at += size) {
                engine.asked()[0].socket->write(response.mid(at, size));
                engine.asked()[0].socket->flush();
                QCoreApplication::processEvents();
            }
            if (engine.asked()[0].socket) engine.asked()[0].socket->disconnectFromHost();
            ASSERT_TRUE(waitUntil([&] { return asked.over; }));
            EXPECT_FALSE(asked.exchange.problem().has_value()) << response.toStdString();
            EXPECT_EQ(asked.body, "abc0123456789") << response.toStdString();
        }
    }
}

TEST(RemoteLimits, contradictoryResponse_isRejected) {
    for (const char* response :
         {"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabc",
          "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nabc",
          "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\nabc",
          "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\nabc",
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\nabc",
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n",
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n",
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n0\r\n\r\n",
          "HTTP/1.1 101 Switching\r\n\r\n", "HTTP/2 200\r\n\r\n", "HTTP/1.1 999 X\r\n\r\n",
          "\r\n\r\n", "SSH-2.0-OpenSSH_9.2\r\n\r\n"}) {
        FakeEngineServer engine;
        engine.setAnswer("GET /metrics", {response, true});
        Exchange asked(addressFrom(engine.address()), {5000, 5000, 0});
        ASSERT_TRUE(waitUntil([&] { return asked.over; }));
        ASSERT_TRUE(asked.exchange.problem().has_value()) << response;
        EXPECT_EQ(asked.exchange.problem()->fault, RemoteFault::NotUnderstood) << response;
    }
}

// ---------------------------------------------------------------- engine messages

TEST(RemoteLimits, engineTexts_haveNoControlCharactersAndAreShortened) {
    EXPECT_EQ(engineWords(QString::fromUtf8("a\x1b[31mred\x1b[0m\nb\t\xE2\x80\xAE"
                                            "c\xC2\x9B"
                                            "d\xE2\x80\xA8"
                                            "e")),
              QStringLiteral("a[31mred[0m b cd e"));
    EXPECT_EQ(engineWords(QString::fromUtf8("\u201cquoted\u201d")), QStringLiteral("\"quoted\""));
    EXPECT_LE(engineWords(QString(1 << 20, QLatin1Char('x'))).size(), 601);
    const QString pairs =
        QString::fromUtf8("x\U0001F600").left(1) + QString::fromUtf8("\U0001F600").repeated(400);
    EXPECT_TRUE(engineWords(pairs).isValidUtf16());
}

TEST(RemoteLimits, keyRepeatedByTheEngine_isMasked) {
    const QString key = QStringLiteral("sk-secret+0123456789/abcdef");
    const QByteArray echoes[] = {
        key.toLatin1(),
        "Bearer " + key.toLatin1() + ".",
        key.left(12).toLatin1() + "...",
        "sk-\\u0000secret\\u001b+0123456789\\u200b/abcdef",
        QUrl::toPercentEncoding(key),
        key.toLatin1().toBase64(),
        QByteArray(597, 'x') + key.toLatin1(),
    };
    for (const QByteArray& echo : echoes) {
        for (const int status : {400, 401, 404, 429, 500}) {
            FakeEngineServer engine;
            engine.setAnswer("GET /v1/models", status,
                             R"({"error":{"message":"no: )" + echo + "\"}}");
            RemoteClient client(addressFrom(engine.address()), key);
            std::optional<RemoteReply> reply;
            client.ask({RemoteMethod::Get, QStringLiteral("/v1/models")},
                       [&](const RemoteReply& heard) { reply = heard; });
            ASSERT_TRUE(waitUntil([&] { return reply.has_value(); }));
            ASSERT_FALSE(reply->has_value());
            const QString& said = reply->error().sentence;
            EXPECT_FALSE(said.contains(QLatin1String("secret"))) << said.toStdString();
            EXPECT_TRUE(said.contains(QLatin1String("no: "))) << said.toStdString();
        }
        FakeEngineServer engine;
        RemoteClient client(addressFrom(engine.address()), key);
        for (const QByteArray& stream : {R"(data: {"error":{"message":"no: )" + echo + "\"}}\n\n",
                                         R"(data: {"choices":)" + echo + "\n\n"}) {
            engine.tellStream(stream);
            RemoteChat chat(client, "{}");
            std::optional<RemoteAnswer> end;
            chat.ended = [&](const RemoteAnswer& answer) { end = answer; };
            ASSERT_TRUE(waitUntil([&] { return end.has_value(); }));
            ASSERT_TRUE(end->problem.has_value());
            EXPECT_FALSE(end->problem->sentence.contains(QLatin1String("secret")))
                << end->problem->sentence.toStdString();
        }
        engine.setAnswer("GET /v1/models", 307, "", "Location: http://other/?key=" + echo + "\r\n");
        std::optional<RemoteReply> reply;
        client.ask({RemoteMethod::Get, QStringLiteral("/v1/models")},
                   [&](const RemoteReply& heard) { reply = heard; });
        ASSERT_TRUE(waitUntil([&] { return reply.has_value(); }));
        EXPECT_EQ(reply->error().fault, RemoteFault::Moved);
        if (echo.contains("\\u")) continue;  // JSON escapes
        EXPECT_FALSE(reply->error().sentence.contains(QLatin1String("secret")))
            << reply->error().sentence.toStdString();
    }
}

// ---------------------------------------------------------------- lists

TEST(RemoteLimits, overlongLists_areRejected) {
    QByteArray models = R"({"data":[)", slotList = "[";
    for (int i = 0; i < 10'001; ++i) {
        models += QByteArray(i == 0 ? "" : ",") + "{\"id\":\"m\"}";
        slotList += QByteArray(i == 0 ? "" : ",") + "{\"id\":1}";
    }
    EXPECT_FALSE(modelsFrom(models + "]}").has_value());
    EXPECT_FALSE(slotsFrom(slotList + "]").has_value());
    EXPECT_FALSE(modelsFrom(R"({"data":[{"id":")" + QByteArray(600, 'x') + "\"}]}").has_value());
    EXPECT_FALSE(modelsFrom(R"({"data":[{"id":"a\nb"}]})").has_value());
    std::string samples, types;
    for (std::size_t i = 0; i <= kMaxScrapeSamples; ++i) {
        samples += "a 1\n";
        types += "# TYPE a" + std::to_string(i) + " gauge\n";
    }
    EXPECT_EQ(readMetrics(samples + "a 1\n").error().code, ErrorCode::Range);
    EXPECT_EQ(readMetrics(types + "a 1\n").error().code, ErrorCode::Range);
}

}  // namespace
}  // namespace lacuna::app
