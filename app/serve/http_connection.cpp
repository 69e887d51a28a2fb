#include "app/serve/http_connection.h"

#include <sys/socket.h>

#include <QTcpSocket>
#include <algorithm>
#include <utility>

#include "app/serve/api_error.h"
#include "engine/base/check.h"

namespace lacuna::app {
namespace {

// Bytes handed to the socket at a time; the rest stays in our buffer, where it can be counted and
// dropped.
constexpr std::int64_t kInSocket = 256 << 10;
// Time for which further input of a refused client is read and discarded.
constexpr std::chrono::milliseconds kLinger{1000};

int milliseconds(std::chrono::milliseconds time) {
    return static_cast<int>(std::max<std::int64_t>(1, time.count()));
}

}  // namespace

void HttpExchange::reply(HttpReply reply) {
    if (m_connection != nullptr) m_connection->answer(std::move(reply));
}

void HttpExchange::begin(HttpReply head) {
    m_begun = true;
    if (m_connection != nullptr) m_connection->begin(std::move(head));
}

bool HttpExchange::send(std::string_view bytes) {
    return m_connection != nullptr && m_connection->write(bytes);
}

void HttpExchange::end() {
    if (m_connection != nullptr) m_connection->endAnswer();
}

HttpConnection::HttpConnection(QTcpSocket* socket, HttpHandler& handler, const HttpLimits& limits,
                               const HttpDeadlines& deadlines, QObject* parent)
    : QObject(parent),
      m_socket(socket),
      m_handler(handler),
      m_limits(limits),
      m_deadlines(deadlines),
      m_reader(std::make_unique<HttpReader>(limits)) {
    m_socket->setParent(this);
    m_socket->setReadBufferSize(static_cast<qint64>(limits.readBytes));
    m_socket->setSocketOption(QAbstractSocket::LowDelayOption, 1);
    m_deadline.setSingleShot(true);
    m_stalled.setSingleShot(true);
    connect(&m_deadline, &QTimer::timeout, this, &HttpConnection::expire);
    connect(&m_stalled, &QTimer::timeout, this, &HttpConnection::leave);
    connect(m_socket, &QTcpSocket::readyRead, this, &HttpConnection::readInput);
    connect(m_socket, &QTcpSocket::bytesWritten, this, [this] {
        m_stalled.stop();
        pump();
    });
    connect(m_socket, &QTcpSocket::disconnected, this, &HttpConnection::leave);
    connect(m_socket, &QTcpSocket::errorOccurred, this, [this] {
        if (m_socket->state() != QAbstractSocket::ConnectedState) leave();
    });
    expireIn(m_deadlines.idle);
    // Bytes may have arrived before the signal was connected.
    QMetaObject::invokeMethod(this, &HttpConnection::readInput, Qt::QueuedConnection);
}

HttpConnection::~HttpConnection() {
    if (m_exchange) m_exchange->m_connection = nullptr;
}

void HttpConnection::readInput() {
    if (m_left) return;
    if (m_closing) {  // ignore input; reading it keeps the system from resetting our reply
        static_cast<void>(m_socket->readAll());
        return;
    }
    // Limits the input buffered while a request is answered; the rest waits in the system's buffer.
    const qint64 room = static_cast<qint64>(m_limits.readBytes) -
                        (m_exchange ? static_cast<qint64>(m_pending.size()) : 0);
    if (room <= 0) return;
    const QByteArray bytes = m_socket->read(room);
    m_pending.append(bytes.constData(), static_cast<std::size_t>(bytes.size()));
    advance();
    if (!m_left && !m_exchange && !m_closing && m_socket->bytesAvailable() > 0)
        QMetaObject::invokeMethod(this, &HttpConnection::readInput, Qt::QueuedConnection);
}

/// Answers complete requests one after the other. A synchronous reply must not start the next
/// request recursively.
void HttpConnection::advance() {
    if (std::exchange(m_advancing, true)) return;
    while (!m_left && !m_closing && !m_exchange && !m_pending.empty()) {
        if (m_waits == Waits::Request) {
            m_waits = Waits::Head;
            expireIn(m_deadlines.header);
        }
        HttpReader::Stage stage = m_reader->read(m_pending);
        if (stage == HttpReader::Stage::Broken) {
            refuse(faultReply(m_reader->fault()));
            break;
        }
        if (stage == HttpReader::Stage::Head) break;
        if (!m_headAccepted && !headAccepted()) {
            if (m_waits == Waits::Request && !m_closing) continue;
            break;
        }
        if (stage == HttpReader::Stage::Body) stage = m_reader->read(m_pending);
        if (stage == HttpReader::Stage::Broken) {
            refuse(faultReply(m_reader->fault()));
            break;
        }
        if (stage != HttpReader::Stage::Done) break;
        m_deadline.stop();
        HttpRequest request = m_reader->take();
        m_reader = std::make_unique<HttpReader>(m_limits);
        m_headAccepted = false;
        m_waits = Waits::Answer;
        m_answered = request.head;
        m_exchange = std::make_shared<HttpExchange>(*this);
        const std::shared_ptr<HttpExchange> exchange = m_exchange;
        m_handler.handle(std::move(request), exchange);
    }
    m_advancing = false;
}

/// Returns whether the body may be read. A refusal is the last reply on this connection because the
/// end of the body is unknown.
bool HttpConnection::headAccepted() {
    m_headAccepted = true;
    const HttpHead& head = m_reader->head();
    m_answered = head;
    if (auto refused = m_handler.refusal(head)) {
        if (m_reader->stage() == HttpReader::Stage::Done) {
            m_reader = std::make_unique<HttpReader>(m_limits);
            m_headAccepted = false;
            m_deadline.stop();
            m_waits = Waits::Answer;
            m_exchange = std::make_shared<HttpExchange>(*this);
            answer(std::move(*refused));
            return false;
        }
        refuse(std::move(*refused));
        return false;
    }
    if (m_reader->stage() != HttpReader::Stage::Body) return true;
    if (head.expectsContinue && m_pending.empty()) {
        m_out += httpContinue();
        pump();
    }
    m_waits = Waits::Body;
    const std::size_t length = m_reader->bodyLength().value_or(m_limits.bodyBytes);
    expireIn(m_deadlines.body +
             std::chrono::milliseconds(static_cast<std::int64_t>(length) * 1000 /
                                       std::max<std::int64_t>(1, m_deadlines.bodyBytesPerSecond)));
    return !m_left;
}

void HttpConnection::answer(HttpReply reply) {
    LACUNA_REQUIRE(m_exchange != nullptr, "a request is answered once");
    for (HttpField& field : m_handler.fieldsFor(m_answered))
        reply.fields.push_back(std::move(field));
    const bool keep = m_answered.keepAlive && !m_closing;
    m_out += httpHeadText(reply, HttpFraming::Length, reply.body.size(), keep);
    if (m_answered.method != "HEAD") m_out += reply.body;
    endAnswer();
}

void HttpConnection::begin(HttpReply head) {
    for (HttpField& field : m_handler.fieldsFor(m_answered))
        head.fields.push_back(std::move(field));
    m_chunked = m_answered.minorVersion == 1;
    if (!m_chunked) m_answered.keepAlive = false;
    m_out += httpHeadText(head, m_chunked ? HttpFraming::Chunks : HttpFraming::Close, 0,
                          m_answered.keepAlive);
    pump();
}

/// A client whose unread output exceeds the buffer is disconnected.
bool HttpConnection::write(std::string_view bytes) {
    if (m_left) return false;
    if (bytes.empty()) return true;
    m_out += m_chunked ? httpChunk(bytes) : std::string(bytes);
    pump();
    if (m_left) return false;
    if (static_cast<std::int64_t>(m_out.size()) + m_socket->bytesToWrite() <= m_limits.sendBytes)
        return true;
    leave();
    return false;
}

void HttpConnection::endAnswer() {
    if (std::exchange(m_chunked, false)) m_out += httpLastChunk();
    m_exchange->m_connection = nullptr;
    m_exchange->onDisconnect = nullptr;
    m_exchange.reset();
    m_served = true;
    m_closing = m_closing || !m_answered.keepAlive;
    m_waits = Waits::Request;
    if (!m_closing) expireIn(m_deadlines.idle);
    pump();
    if (m_left || m_closing || m_advancing) return;
    // The bytes received meanwhile are the next request; handle them in a new call.
    QMetaObject::invokeMethod(this, &HttpConnection::readInput, Qt::QueuedConnection);
}

/// Sends a reply after which no input is processed.
void HttpConnection::refuse(HttpReply reply) {
    if (m_headAccepted)
        for (HttpField& field : m_handler.fieldsFor(m_answered))
            reply.fields.push_back(std::move(field));
    m_out += httpHeadText(reply, HttpFraming::Length, reply.body.size(), false);
    m_out += reply.body;
    m_pending.clear();
    m_closing = true;
    m_discardsInput = true;
    pump();
}

void HttpConnection::pump() {
    if (m_left) return;
    const std::int64_t room = kInSocket - m_socket->bytesToWrite();
    if (room > 0 && !m_out.empty()) {
        const auto count = std::min<std::size_t>(m_out.size(), static_cast<std::size_t>(room));
        m_socket->write(m_out.data(), static_cast<qint64>(count));
        m_out.erase(0, count);
    }
    watch();
    if (!m_closing || !m_out.empty()) return;
    m_deadline.stop();
    if (m_socket->bytesToWrite() > 0) return;
    // Closing with unread input would reset the connection and lose the reply.
    if (std::exchange(m_discardsInput, false)) {
        ::shutdown(static_cast<int>(m_socket->socketDescriptor()), SHUT_WR);
        m_stalled.start(milliseconds(kLinger));
    } else if (!m_stalled.isActive()) {
        m_socket->disconnectFromHost();
    }
}

void HttpConnection::watch() {
    if (m_out.empty() && m_socket->bytesToWrite() == 0) {
        if (!m_closing) m_stalled.stop();
    } else if (!m_stalled.isActive())
        m_stalled.start(milliseconds(m_deadlines.send));
}

void HttpConnection::expireIn(std::chrono::milliseconds time) {
    m_deadline.start(milliseconds(time));
}

void HttpConnection::expire() {
    if (m_left || m_closing || m_exchange) return;
    if (m_waits == Waits::Request && m_served) return leave();
    refuse(faultReply({408, m_waits == Waits::Body ? "the request body did not arrive in time"
                                                   : "the request did not arrive in time"}));
}

void HttpConnection::shutDown(const HttpReply& reply) {
    if (m_left || m_closing) return;
    m_closing = true;
    if (m_exchange) {
        const std::shared_ptr<HttpExchange> exchange = m_exchange;
        exchange->onDisconnect = nullptr;
        if (!exchange->begun())
            exchange->reply(reply);
        else
            exchange->end();
    } else {
        m_pending.clear();
        pump();
    }
    if (!m_left) m_socket->flush();
}

/// Called when the client has disconnected or is given up.
void HttpConnection::leave() {
    if (std::exchange(m_left, true)) return;
    m_deadline.stop();
    m_stalled.stop();
    if (m_exchange) {
        const std::shared_ptr<HttpExchange> exchange = std::move(m_exchange);
        exchange->m_connection = nullptr;
        if (const auto gone = std::exchange(exchange->onDisconnect, nullptr)) gone();
    }
    m_socket->abort();
    Q_EMIT finished();
}

}  // namespace lacuna::app
