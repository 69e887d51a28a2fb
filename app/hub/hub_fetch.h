#pragma once
/// \file
/// One GET request with safe redirects: at most five, checked by the rules of hub_address.h. The
/// token is sent only to its own origin. Cookies are neither stored nor sent, and bytes are never
/// decompressed. The first socket is opened by get(). Owned by the thread with the event loop.

#include <QByteArray>
#include <QList>
#include <QNetworkAccessManager>
#include <QNetworkReply>
#include <QObject>
#include <QPointer>
#include <QUrl>
#include <optional>
#include <utility>

#include "app/hub/hub_address.h"
#include "app/hub/hub_problem.h"

namespace lacuna::app {

struct FetchRules {
    PlainHttp plain = PlainHttp::ThisMachineOnly;
    QByteArray token = {};   ///< bearer token; empty if none
    QUrl tokenFor = {};      ///< the only origin that receives the token
    int timeoutMs = 30'000;  ///< idle timeout
};

class HubFetch final : public QObject {
    Q_OBJECT

  public:
    using Fields = QList<std::pair<QByteArray, QByteArray>>;
    static constexpr int kMaxRedirects = 5;

    explicit HubFetch(FetchRules rules, QObject* parent = nullptr);
    ~HubFetch() override;

    /// Starts a request; a running one is stopped without a signal.
    void get(const QUrl& url, const Fields& fields = {});
    /// Stops the request without a signal.
    void stop();
    [[nodiscard]] bool running() const { return m_reply != nullptr; }

    // These describe the last response.
    [[nodiscard]] int status() const { return m_status; }
    [[nodiscard]] QUrl url() const { return m_url; }
    [[nodiscard]] QByteArray field(const char* name) const;
    /// Content length in bytes; -1 if the server does not report it.
    [[nodiscard]] qint64 length() const;
    /// Returns the received bytes that were not taken yet; at most a few MiB are buffered.
    [[nodiscard]] QByteArray take();

  Q_SIGNALS:
    /// Emitted once the status and headers of a response that is no redirect are available.
    void head();
    void bytes();
    /// Emitted after the last bytes(). `problem` describes a connection failure; nullopt if the
    /// response is complete.
    void ended(const std::optional<lacuna::app::HubProblem>& problem);

  private:
    void send();
    void onHead();
    void onFinished();
    void follow();
    void end(HubProblem problem);

    const FetchRules m_rules;
    QNetworkAccessManager* m_network = nullptr;  ///< created by the first get()
    QPointer<QNetworkReply> m_reply;
    Fields m_fields;
    QUrl m_url;
    int m_redirects = 0;
    int m_asked = 0;  ///< incremented by every get() and stop()
    int m_status = 0;
    bool m_headEmitted = false;  ///< true once head() was emitted for this response
};

/// Describes a status other than 200 and 206.
[[nodiscard]] HubProblem statusProblem(const HubFetch& fetch);

}  // namespace lacuna::app
