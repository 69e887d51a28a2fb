#pragma once
/// \file
/// Requests to one engine over HTTP. Opens a connection only when something is asked; nothing is
/// asked by itself. Redirects are not followed and cookies not kept, so that the key goes to the
/// address a person wrote and nowhere else. Owned by the thread with the event loop; callbacks run
/// there.

#include <QByteArray>
#include <QNetworkAccessManager>
#include <QObject>
#include <QString>
#include <functional>
#include <tl/expected.hpp>

#include "app/remote/remote_address.h"
#include "app/remote/remote_problem.h"

namespace lacuna::app {

using RemoteReply = tl::expected<QByteArray, RemoteProblem>;

enum class RemoteMethod { Get, Post, Delete };

struct RemoteRequest {
    RemoteMethod method = RemoteMethod::Get;
    QString path;          ///< "/v1/models"
    QByteArray body = {};  ///< JSON, of a POST
};

class RemoteClient final : public QObject {
    Q_OBJECT

  public:
    static constexpr int kTimeoutMs = 10'000;
    static constexpr qint64 kMaxReply = 8 * 1024 * 1024;  ///< bytes of an answer in one piece

    RemoteClient(RemoteAddress address, const QString& key, QObject* parent = nullptr);
    ~RemoteClient() override;

    /// Ends what was asked, without a word, and deletes the client when the event loop comes by: it
    /// may be one of its own callbacks that asks for that.
    void close();

    [[nodiscard]] const RemoteAddress& address() const { return m_address; }
    /// `done` is called once, never before this returns; not at all once the client is closed.
    void ask(const RemoteRequest& request, std::function<void(const RemoteReply&)> done);
    /// Sends a POST whose answer is read while it comes, however long that takes. Whoever asked
    /// ends it with abort() and deleteLater(); it goes with the client at the latest.
    [[nodiscard]] QNetworkReply* open(const RemoteRequest& request) { return send(request, 0); }

  private:
    [[nodiscard]] QNetworkReply* send(const RemoteRequest& request, int timeoutMs);

    const RemoteAddress m_address;
    const QByteArray m_authorization;  ///< value of the field; empty: none is sent
    QNetworkAccessManager m_network;
    bool m_closed = false;
};

}  // namespace lacuna::app
