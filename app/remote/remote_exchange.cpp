#include "app/remote/remote_exchange.h"

#include <QPointer>
#include <QSslSocket>
#include <algorithm>
#include <utility>

#include "app/state/number_format.h"

namespace lacuna::app {

namespace {

constexpr int kHttps = 443, kHttp = 80;
constexpr qsizetype kMaxFields = 200;

bool isHttps(const QUrl& url) {
    return url.scheme() == QLatin1String("https");
}

/// Parses an unsigned number of digits only; nullopt if it is invalid or too large.
std::optional<qint64> countFrom(const QByteArray& digits, int base) {
    const bool plain = !digits.isEmpty() && std::ranges::all_of(digits, [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    });
    bool good = false;
    const qint64 count = plain ? digits.toLongLong(&good, base) : 0;
    return good ? std::optional(count) : std::nullopt;
}

}  // namespace

RemoteExchange::RemoteExchange(Request request, const Limits& limits, QObject* parent)
    : QObject(parent), m_request(std::move(request)), m_limits(limits) {
    for (QTimer* timer : {&m_turn, &m_deadline, &m_total}) timer->setSingleShot(true);
    connect(&m_turn, &QTimer::timeout, this, [this] { m_socket ? readSlice() : begin(); });
    connect(&m_deadline, &QTimer::timeout, this, [this] {
        if (m_phase == Phase::Head) return end(noAnswerInTime(m_request.url));
        end(RemoteProblem{RemoteFault::Truncated,
                          tr("Nothing arrived for %1 s before the answer was complete.")
                              .arg(m_limits.idleMs / 1000)});
    });
    connect(&m_total, &QTimer::timeout, this, [this] {
        end(RemoteProblem{
            RemoteFault::Truncated,
            tr("The answer was not complete after %1 s.").arg(m_limits.totalMs / 1000)});
    });
    m_deadline.start(m_limits.headMs);
    if (m_limits.totalMs > 0) m_total.start(m_limits.totalMs);
    m_turn.start(0);
}

RemoteExchange::~RemoteExchange() {
    abort();
}

void RemoteExchange::begin() {
    const QUrl& url = m_request.url;
    auto* const secure = isHttps(url) ? new QSslSocket : nullptr;
    m_socket.reset(secure != nullptr ? secure : new QTcpSocket);
    m_socket->setReadBufferSize(kReadBuffer);
    const auto more = [this] {
        if (!m_turn.isActive()) m_turn.start(0);
    };
    connect(m_socket.get(), &QTcpSocket::readyRead, this, more);
    connect(m_socket.get(), &QTcpSocket::disconnected, this, [this, more] {
        m_closed = true;
        more();
    });
    connect(m_socket.get(), &QTcpSocket::errorOccurred, this,
            [this, more](QAbstractSocket::SocketError error) {
                if (error != QAbstractSocket::RemoteHostClosedError)
                    return end(connectionProblem(error, m_request.url, m_socket->errorString()));
                m_closed = true;
                more();
            });
    QByteArray head = m_request.method + ' ' + url.path(QUrl::FullyEncoded).toLatin1();
    if (url.hasQuery()) head += '?' + url.query(QUrl::FullyEncoded).toLatin1();
    head += " HTTP/1.1\r\nHost: " + url.authority(QUrl::FullyEncoded).toLatin1() +
            "\r\nConnection: close\r\nUser-Agent: Lacuna\r\nAccept-Encoding: identity\r\n"
            "Accept: application/json, text/plain, text/event-stream\r\n";
    if (!m_request.authorization.isEmpty())
        head += "Authorization: " + m_request.authorization + "\r\n";
    if (m_request.method == "POST")
        head += "Content-Type: application/json\r\nContent-Length: " +
                QByteArray::number(m_request.body.size()) + "\r\n";
    const QPointer<RemoteExchange> here(this);
    if (secure != nullptr)
        secure->connectToHostEncrypted(url.host(), static_cast<quint16>(url.port(kHttps)));
    else
        m_socket->connectToHost(url.host(), static_cast<quint16>(url.port(kHttp)));
    if (!here || m_over) return;  // Connecting may fail synchronously.
    m_socket->write(head + "\r\n");
    if (m_request.method == "POST") m_socket->write(m_request.body);
}

void RemoteExchange::readSlice() {
    if (m_over) return;
    const QByteArray bytes = m_socket->read(kSlice);
    if (bytes.isEmpty()) {
        if (m_closed) connectionEnded();
        return;
    }
    if (m_phase != Phase::Head) m_deadline.start(m_limits.idleMs);
    QByteArray body;
    readBody(m_phase == Phase::Head ? readHead(bytes) : QByteArrayView(bytes), body);
    const QPointer<RemoteExchange> here(this);
    if (!body.isEmpty() && received) received(body);
    if (!here || m_over) return;
    if (m_phase == Phase::Complete) return end(std::exchange(m_problem, std::nullopt));
    if (m_closed || m_socket->bytesAvailable() > 0) m_turn.start(0);
}

/// Consumes the response head and returns the bytes after it; empty while the head is incomplete.
QByteArrayView RemoteExchange::readHead(QByteArrayView bytes) {
    m_buffer.append(bytes);
    while (m_phase == Phase::Head) {
        const qsizetype plain = m_buffer.indexOf("\n\n"), strict = m_buffer.indexOf("\n\r\n");
        const bool isPlain = plain >= 0 && (strict < 0 || plain < strict);
        const qsizetype end = isPlain ? plain : strict;
        const qsizetype size = end < 0 ? m_buffer.size() : end + (isPlain ? 2 : 3);
        if (m_headSize + size > kMaxHead) {
            refuse(tr("its header is larger than %1.").arg(bytesText(kMaxHead)));
            return {};
        }
        if (end < 0) return {};
        m_headSize += size;
        const QByteArray head = m_buffer.left(end);
        m_buffer.remove(0, size);
        if (!parseHead(head)) return {};
    }
    const auto rest = static_cast<qsizetype>(m_buffer.size());
    m_buffer.clear();
    m_deadline.start(m_limits.idleMs);
    return bytes.last(std::min(rest, bytes.size()));
}

/// Returns false if the head is rejected. An interim response does not change the phase.
bool RemoteExchange::parseHead(QByteArrayView text) {
    const QList<QByteArray> lines = text.toByteArray().split('\n');
    const QByteArray status = lines.front().trimmed();
    const auto code = countFrom(status.mid(9, 3), 10);
    const bool known = status.startsWith("HTTP/1.") && code && *code >= 100 && *code <= 599 &&
                       (status.size() == 12 || status[12] == ' ');
    if (!known || lines.size() > kMaxFields) {
        refuse(tr("it is not HTTP/1.1."));
        return false;
    }
    if (*code < 200) {
        if (*code != 101) return true;
        refuse(tr("it is not HTTP/1.1."));
        return false;
    }
    m_head.status = static_cast<int>(*code);
    QByteArray encoding, length;
    for (const QByteArray& line : lines.sliced(1)) {
        const qsizetype colon = line.indexOf(':');
        if (colon < 0) continue;
        const QByteArray name = line.left(colon).trimmed().toLower();
        const QByteArray value = line.mid(colon + 1).trimmed();
        if (name == "content-type") m_head.contentType = value;
        if (name == "location") m_head.location = value;
        if (name == "retry-after") m_head.retryAfter = value;
        if (name == "transfer-encoding") encoding = value.toLower();
        if (name == "content-length") length += (length.isEmpty() ? "" : ",") + value;
        if (name == "content-encoding" && value.toLower() != "identity" && !value.isEmpty()) {
            refuse(tr("it is compressed, which was not requested."));
            return false;
        }
    }
    chooseBody(encoding, length);
    return m_phase != Phase::Complete;
}

void RemoteExchange::chooseBody(const QByteArray& encoding, const QByteArray& length) {
    if (m_head.status == 204 || m_head.status == 304) {
        m_phase = Phase::Complete;
    } else if (encoding == "chunked") {
        m_phase = Phase::ChunkSize;
    } else if (!encoding.isEmpty() && encoding != "identity") {
        refuse(tr("it is compressed, which was not requested."));
    } else if (length.isEmpty()) {
        m_phase = Phase::UntilClosed;
    } else if (const auto count = countFrom(length.split(',').front().trimmed(), 10)) {
        for (const QByteArray& other : length.split(','))
            if (countFrom(other.trimmed(), 10) != count)
                return refuse(tr("it has two content lengths."));
        m_left = *count;
        m_phase = *count == 0 ? Phase::Complete : Phase::Counted;
    } else {
        refuse(tr("its content length is invalid."));
    }
}

/// Returns the next complete line without its line end; nullopt while it is incomplete.
std::optional<QByteArray> RemoteExchange::lineFrom(QByteArrayView& bytes) {
    const qsizetype end = bytes.indexOf('\n');
    const qsizetype length = end < 0 ? bytes.size() : end;
    m_buffer.append(bytes.first(length));
    bytes = bytes.sliced(end < 0 ? length : length + 1);
    if (m_buffer.size() > kMaxChunkLine) {
        refuse(tr("the lengths of its chunks are invalid."));
        return std::nullopt;
    }
    if (end < 0) return std::nullopt;
    return std::exchange(m_buffer, {}).trimmed();
}

void RemoteExchange::readChunkSize(const QByteArray& line) {
    const auto size = countFrom(line.split(';').front().trimmed(), 16);
    if (!size) return refuse(tr("the lengths of its chunks are invalid."));
    m_left = *size;
    m_headSize = 0;  // The trailer size is counted from zero.
    m_phase = *size == 0 ? Phase::Trailer : Phase::ChunkData;
}

void RemoteExchange::readBody(QByteArrayView bytes, QByteArray& body) {
    while (!bytes.isEmpty() && m_phase != Phase::Complete) {
        if (m_phase == Phase::UntilClosed) {
            body.append(bytes);
            return;
        }
        if (m_phase == Phase::Counted || m_phase == Phase::ChunkData) {
            const auto size = static_cast<qsizetype>(std::min<qint64>(m_left, bytes.size()));
            body.append(bytes.first(size));
            bytes = bytes.sliced(size);
            m_left -= size;
            if (m_left == 0)
                m_phase = m_phase == Phase::Counted ? Phase::Complete : Phase::ChunkEnd;
            continue;
        }
        const qsizetype before = bytes.size();
        const auto line = lineFrom(bytes);
        m_headSize += before - bytes.size();
        if (!line) continue;
        if (m_phase == Phase::ChunkSize) {
            readChunkSize(*line);
        } else if (m_phase == Phase::ChunkEnd) {
            if (!line->isEmpty()) return refuse(tr("the lengths of its chunks are invalid."));
            m_phase = Phase::ChunkSize;
        } else if (line->isEmpty()) {
            m_phase = Phase::Complete;
        } else if (m_headSize > kMaxHead) {
            return refuse(tr("its header is larger than %1.").arg(bytesText(kMaxHead)));
        }
    }
}

void RemoteExchange::connectionEnded() {
    switch (m_phase) {
        case Phase::Head:
            return end(closedWithoutAnswer(m_request.url));
        case Phase::UntilClosed:
            return end(std::nullopt);
        default:
            return end(truncatedResponse());
    }
}

/// Records the problem; it is reported at the end of the slice.
void RemoteExchange::refuse(const QString& what) {
    m_problem = notUnderstood(what);
    m_phase = Phase::Complete;
}

void RemoteExchange::end(std::optional<RemoteProblem> problem) {
    if (m_over) return;
    abort();
    m_problem = std::move(problem);
    if (finished) finished();
}

void RemoteExchange::abort() {
    m_over = true;
    for (QTimer* timer : {&m_turn, &m_deadline, &m_total}) timer->stop();
    if (!m_socket) return;
    m_socket->disconnect(this);
    m_socket->abort();
}

}  // namespace lacuna::app
