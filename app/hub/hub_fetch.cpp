#include "app/hub/hub_fetch.h"

#include <QNetworkCookie>
#include <QNetworkCookieJar>
#include <QNetworkRequest>
#include <QSslSocket>

namespace lacuna::app {

namespace {

constexpr qint64 kReadBuffer = qint64{4} << 20;
constexpr int kMostRetry = 24 * 3600;  // seconds

class NoCookies final : public QNetworkCookieJar {
  public:
    using QNetworkCookieJar::QNetworkCookieJar;
    [[nodiscard]] QList<QNetworkCookie> cookiesForUrl(const QUrl&) const override { return {}; }
    bool setCookiesFromUrl(const QList<QNetworkCookie>&, const QUrl&) override { return false; }
};

bool isRedirect(int status) {
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

HubProblem connectionProblem(const QNetworkReply& reply) {
    const QString host = reply.url().host();
    switch (reply.error()) {
        case QNetworkReply::SslHandshakeFailedError:
            return {
                HubFault::Tls,
                HubFetch::tr(
                    "The certificate of %1 is not trusted: %2. Is the clock of this machine right?")
                    .arg(host, reply.errorString())};
        case QNetworkReply::HostNotFoundError:
            return {HubFault::Reach,
                    HubFetch::tr("%1 was not found. Is this machine connected to the network?")
                        .arg(host)};
        case QNetworkReply::ConnectionRefusedError:
            return {HubFault::Reach, HubFetch::tr("%1 refused the connection.").arg(host)};
        case QNetworkReply::TimeoutError:
        case QNetworkReply::OperationCanceledError:
            return {HubFault::Reach, HubFetch::tr("%1 stopped responding.").arg(host)};
        case QNetworkReply::RemoteHostClosedError:
            return {HubFault::Reach, HubFetch::tr("%1 closed the connection.").arg(host)};
        default:
            return {HubFault::Reach,
                    HubFetch::tr("%1 cannot be reached: %2.").arg(host, reply.errorString())};
    }
}

}  // namespace

HubFetch::HubFetch(FetchRules rules, QObject* parent)
    : QObject(parent), m_rules(std::move(rules)) {}

HubFetch::~HubFetch() {
    stop();
}

void HubFetch::get(const QUrl& url, const Fields& fields) {
    stop();
    ++m_asked;
    m_url = url;
    m_fields = fields;
    m_redirects = 0;
    if (const QString why = fetchBlocker(url, m_rules.plain); !why.isEmpty())
        return end({HubFault::Address, why});
    send();
}

void HubFetch::stop() {
    ++m_asked;
    if (m_reply == nullptr) return;
    QNetworkReply* const reply = m_reply;
    m_reply = nullptr;
    reply->disconnect(this);
    reply->abort();
    reply->deleteLater();
}

void HubFetch::send() {
    if (m_url.scheme() == QLatin1String("https") && !QSslSocket::supportsSsl())
        return end({HubFault::Tls, tr("Qt finds no TLS library (OpenSSL) on this system; without "
                                      "encryption nothing is downloaded.")});
    if (m_network == nullptr) {
        m_network = new QNetworkAccessManager(this);
        m_network->setCookieJar(new NoCookies(m_network));
        m_network->setRedirectPolicy(QNetworkRequest::ManualRedirectPolicy);
    }
    QNetworkRequest request(m_url);
    request.setTransferTimeout(m_rules.timeoutMs);
    request.setAttribute(QNetworkRequest::CacheLoadControlAttribute,
                         QNetworkRequest::AlwaysNetwork);
    request.setRawHeader("User-Agent", "Lacuna");
    // Set explicitly so that Qt does not request compression: lengths and ranges refer to the raw
    // file.
    request.setRawHeader("Accept-Encoding", "identity");
    for (const auto& [name, value] : m_fields) request.setRawHeader(name, value);
    if (!m_rules.token.isEmpty() && sameOrigin(m_url, m_rules.tokenFor))
        request.setRawHeader("Authorization", "Bearer " + m_rules.token);
    m_status = 0;
    m_headEmitted = false;
    m_reply = m_network->get(request);
    m_reply->setReadBufferSize(kReadBuffer);
    connect(m_reply, &QNetworkReply::metaDataChanged, this, &HubFetch::onHead);
    connect(m_reply, &QNetworkReply::readyRead, this, [this] {
        if (m_headEmitted) Q_EMIT bytes();
    });
    connect(m_reply, &QNetworkReply::finished, this, &HubFetch::onFinished);
}

void HubFetch::onHead() {
    if (m_reply == nullptr || m_headEmitted) return;
    m_status = m_reply->attribute(QNetworkRequest::HttpStatusCodeAttribute).toInt();
    if (m_status == 0) return;
    if (isRedirect(m_status)) return follow();
    m_headEmitted = true;
    Q_EMIT head();
}

void HubFetch::follow() {
    const QUrl to = m_url.resolved(QUrl::fromEncoded(m_reply->rawHeader("Location")));
    if (m_reply->rawHeader("Location").isEmpty())
        return end({HubFault::Redirect, tr("%1 redirects without an address.").arg(m_url.host())});
    if (++m_redirects > kMaxRedirects)
        return end({HubFault::Redirect,
                    tr("%1 redirects more than %2 times.").arg(m_url.host()).arg(kMaxRedirects)});
    if (const QString why = followBlocker(m_url, to, m_rules.plain); !why.isEmpty())
        return end({HubFault::Redirect, why});
    stop();
    m_url = to;
    send();
}

void HubFetch::onFinished() {
    if (m_reply == nullptr) return;
    onHead();
    if (m_reply == nullptr || !m_headEmitted) {
        if (m_reply != nullptr) end(connectionProblem(*m_reply));
        return;
    }
    if (m_reply->bytesAvailable() > 0) Q_EMIT bytes();
    if (m_reply == nullptr) return;  // A receiver of bytes() has stopped the request.
    // Qt also reports HTTP error statuses as errors; receivers of head() already handle those.
    const bool broken = m_reply->error() != QNetworkReply::NoError && m_status < 400;
    std::optional<HubProblem> problem;
    if (broken) problem = connectionProblem(*m_reply);
    stop();
    Q_EMIT ended(problem);
}

void HubFetch::end(HubProblem problem) {
    stop();
    // Queued so that it is never emitted before get() returns, and dropped after another get() or
    // stop().
    QMetaObject::invokeMethod(
        this,
        [this, problem = std::move(problem), of = m_asked] {
            if (of == m_asked) Q_EMIT ended(problem);
        },
        Qt::QueuedConnection);
}

QByteArray HubFetch::field(const char* name) const {
    return m_reply == nullptr ? QByteArray() : m_reply->rawHeader(name);
}

qint64 HubFetch::length() const {
    bool number = false;
    const qint64 length = field("Content-Length").trimmed().toLongLong(&number);
    return number && length >= 0 ? length : -1;
}

QByteArray HubFetch::take() {
    return m_reply == nullptr ? QByteArray() : m_reply->readAll();
}

HubProblem statusProblem(const HubFetch& fetch) {
    const int status = fetch.status();
    const QString host = fetch.url().host();
    switch (status) {
        case 401:
        case 403:
            return {HubFault::Http,
                    HubFetch::tr("%1 restricts access to this model (%2). Accept its terms there "
                                 "with your account, and enter the token of the account here.")
                        .arg(host)
                        .arg(status)};
        case 404:
        case 410:
            return {HubFault::Http,
                    HubFetch::tr("%1 has nothing with this name (%2).").arg(host).arg(status)};
        case 429: {
            bool number = false;
            const int seconds = fetch.field("Retry-After").trimmed().toInt(&number);
            if (number && seconds > 0 && seconds <= kMostRetry)
                return {HubFault::Http,
                        HubFetch::tr("%1 received too many requests. Resume in %2 s.")
                            .arg(host)
                            .arg(seconds)};
            return {HubFault::Http,
                    HubFetch::tr("%1 received too many requests. Resume later.").arg(host)};
        }
        default:
            return {HubFault::Http,
                    HubFetch::tr("%1 responded with status %2.").arg(host).arg(status)};
    }
}

}  // namespace lacuna::app
