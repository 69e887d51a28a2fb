#include "app/remote/remote_client.h"

#include <memory>
#include <utility>

#include "app/state/number_format.h"

namespace lacuna::app {

namespace {

QByteArray nameOf(RemoteMethod method) {
    switch (method) {
        case RemoteMethod::Get:
            return "GET";
        case RemoteMethod::Post:
            return "POST";
        case RemoteMethod::Delete:
            return "DELETE";
    }
    return "GET";
}

}  // namespace

RemoteClient::RemoteClient(RemoteAddress address, const QString& key, QObject* parent)
    : QObject(parent), m_address(std::move(address)), m_key(key) {}

RemoteClient::~RemoteClient() = default;

void RemoteClient::close() {
    m_closed = true;
    deleteLater();
}

RemoteExchange* RemoteClient::open(const RemoteRequest& request,
                                   const RemoteExchange::Limits& limits) {
    return new RemoteExchange(
        {.method = nameOf(request.method),
         .url = m_address.at(request.path),
         .authorization = m_key.isEmpty() ? QByteArray() : "Bearer " + m_key.toLatin1(),
         .body = request.body},
        limits, this);
}

void RemoteClient::ask(const RemoteRequest& request, std::function<void(const RemoteReply&)> done) {
    RemoteExchange* const exchange =
        open(request, {.headMs = kTimeoutMs, .idleMs = kTimeoutMs, .totalMs = kTotalMs});
    const auto body = std::make_shared<QByteArray>();
    exchange->received = [exchange, body](QByteArrayView bytes) {
        body->append(bytes);
        if (!exchange->head().succeeded() && body->size() >= kMaxErrorBody)
            return exchange->end(std::nullopt);
        if (body->size() > kMaxReply)
            exchange->end(
                notUnderstood(RemoteClient::tr("it is larger than %1.").arg(bytesText(kMaxReply))));
    };
    exchange->finished = [this, exchange, body, done = std::move(done)] {
        exchange->deleteLater();
        if (m_closed) return;
        const ResponseHead& head = exchange->head();
        // The error body is more informative than a transport error that occurred while reading it.
        if (head.status != 0 && !head.succeeded())
            return done(tl::make_unexpected(statusProblem(head, exchange->url(), *body, m_key)));
        if (exchange->problem()) return done(tl::make_unexpected(*exchange->problem()));
        done(*body);
    };
}

}  // namespace lacuna::app
