#include "app/remote/remote_client.h"

#include <QNetworkCookie>
#include <QNetworkCookieJar>
#include <QNetworkRequest>
#include <memory>
#include <utility>

namespace lacuna::app {

namespace {

/// Takes no cookie and gives none.
class NoCookies final : public QNetworkCookieJar {
  public:
    using QNetworkCookieJar::QNetworkCookieJar;
    [[nodiscard]] QList<QNetworkCookie> cookiesForUrl(const QUrl&) const override { return {}; }
    bool setCookiesFromUrl(const QList<QNetworkCookie>&, const QUrl&) override { return false; }
};

}  // namespace

RemoteClient::RemoteClient(RemoteAddress address, const QString& key, QObject* parent)
    : QObject(parent),
      m_address(std::move(address)),
      m_authorization(key.isEmpty() ? QByteArray() : "Bearer " + key.toLatin1()) {
    m_network.setCookieJar(new NoCookies(&m_network));
    m_network.setRedirectPolicy(QNetworkRequest::ManualRedirectPolicy);
}

RemoteClient::~RemoteClient() = default;

void RemoteClient::close() {
    m_closed = true;
    deleteLater();
}

QNetworkReply* RemoteClient::send(const RemoteRequest& request, int timeoutMs) {
    QNetworkRequest wire(m_address.at(request.path));
    wire.setTransferTimeout(timeoutMs);
    wire.setRawHeader("Accept", "application/json, text/plain, text/event-stream");
    wire.setRawHeader("User-Agent", "Lacuna");
    if (!m_authorization.isEmpty()) wire.setRawHeader("Authorization", m_authorization);
    switch (request.method) {
        case RemoteMethod::Get:
            return m_network.get(wire);
        case RemoteMethod::Delete:
            return m_network.deleteResource(wire);
        case RemoteMethod::Post:
            wire.setHeader(QNetworkRequest::ContentTypeHeader, QByteArray("application/json"));
            return m_network.post(wire, request.body);
    }
    return nullptr;
}

void RemoteClient::ask(const RemoteRequest& request, std::function<void(const RemoteReply&)> done) {
    QNetworkReply* reply = send(request, kTimeoutMs);
    const auto tooLong = std::make_shared<bool>(false);
    connect(reply, &QNetworkReply::downloadProgress, this, [reply, tooLong](qint64 received) {
        if (received <= kMaxReply || *tooLong) return;
        *tooLong = true;
        reply->abort();
    });
    connect(reply, &QNetworkReply::finished, this, [this, reply, tooLong, done = std::move(done)] {
        reply->deleteLater();
        if (m_closed) return;
        if (*tooLong)
            return done(tl::make_unexpected(notUnderstood(tr("it has more than 8 MiB."))));
        const QByteArray body = reply->readAll();
        if (auto problem = problemOf(*reply, body)) return done(tl::make_unexpected(*problem));
        done(body);
    });
}

}  // namespace lacuna::app
