#pragma once
/// \file
/// One GET, followed where the server sends it as far as that is safe: at most five times, by the
/// rules of hub_address.h, and a token goes to the origin it is for and to no other. Cookies are
/// neither taken nor sent, bytes are never unpacked. The first socket is opened by get(). Owned by
/// the thread with the event loop.

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
    QByteArray token = {};   ///< sent as a bearer's; empty: none
    QUrl tokenFor = {};      ///< to this origin alone
    int timeoutMs = 30'000;  ///< without a byte
};

class HubFetch final : public QObject {
    Q_OBJECT

  public:
    using Fields = QList<std::pair<QByteArray, QByteArray>>;
    static constexpr int kMostRedirects = 5;

    explicit HubFetch(FetchRules rules, QObject* parent = nullptr);
    ~HubFetch() override;

    /// Ends what runs, without a word, and begins anew.
    void get(const QUrl& url, const Fields& fields = {});
    /// Ends it without a word.
    void stop();
    [[nodiscard]] bool running() const { return m_reply != nullptr; }

    // Of the answer that arrived last.
    [[nodiscard]] int status() const { return m_status; }
    [[nodiscard]] QUrl url() const { return m_url; }
    [[nodiscard]] QByteArray field(const char* name) const;
    /// -1: the server does not say.
    [[nodiscard]] qint64 length() const;
    /// Bytes that have come and were not taken; no more than a few MiB wait.
    [[nodiscard]] QByteArray take();

  Q_SIGNALS:
    /// Status and fields of an answer that is no redirect are there.
    void head();
    void bytes();
    /// All bytes were told of. `problem` is of the connection alone, nothing: the answer is whole.
    void ended(const std::optional<lacuna::app::HubProblem>& problem);

  private:
    void send();
    void onHead();
    void onFinished();
    void follow();
    void end(HubProblem problem);

    const FetchRules m_rules;
    QNetworkAccessManager* m_network = nullptr;  ///< made by the first get()
    QPointer<QNetworkReply> m_reply;
    Fields m_fields;
    QUrl m_url;
    int m_redirects = 0;
    int m_asked = 0;  ///< rises with every get() and stop()
    int m_status = 0;
    bool m_told = false;  ///< head() was said of this answer
};

/// What a status other than 200 and 206 means, in words.
[[nodiscard]] HubProblem statusProblem(const HubFetch& fetch);

}  // namespace lacuna::app
