#pragma once
/// \file
/// HTTP requests to one engine. Connections are opened on request only. Redirects are not followed
/// and cookies are not stored, so that the key is sent only to the address that the user typed.
/// Owned by the thread with the event loop; callbacks run there.

#include <QByteArray>
#include <QObject>
#include <QString>
#include <functional>
#include <tl/expected.hpp>

#include "app/remote/remote_address.h"
#include "app/remote/remote_exchange.h"
#include "app/remote/remote_problem.h"

namespace lacuna::app {

using RemoteReply = tl::expected<QByteArray, RemoteProblem>;

enum class RemoteMethod { Get, Post, Delete };

struct RemoteRequest {
    RemoteMethod method = RemoteMethod::Get;
    QString path;          ///< "/v1/models"
    QByteArray body = {};  ///< JSON body of a POST
};

class RemoteClient final : public QObject {
    Q_OBJECT

  public:
    static constexpr int kTimeoutMs = 10'000;  ///< time to the response head, and between two bytes
                                               ///< of the body
    static constexpr int kTotalMs = 60'000;    ///< time to the end of the response
    static constexpr qsizetype kMaxReply = 2 * 1024 * 1024;  ///< maximum size in bytes of a
                                                             ///< response that is not streamed
    static constexpr qsizetype kMaxErrorBody = 64 * 1024;    ///< maximum number of bytes read of an
                                                             ///< error response

    RemoteClient(RemoteAddress address, const QString& key, QObject* parent = nullptr);
    ~RemoteClient() override;

    /// Drops pending ask() callbacks and deletes the client from the event loop, which aborts its
    /// requests. May be called from one of its own callbacks.
    void close();

    [[nodiscard]] const RemoteAddress& address() const { return m_address; }
    /// The key, which callers mask in messages from the engine.
    [[nodiscard]] const QString& key() const { return m_key; }
    /// Sends a request. `done` is called exactly once, never before this returns, and not at all
    /// once the client is closed.
    void ask(const RemoteRequest& request, std::function<void(const RemoteReply&)> done);
    /// Sends a request whose response is streamed. The caller sets the callbacks and deletes the
    /// exchange; the client deletes it at the latest.
    [[nodiscard]] RemoteExchange* open(const RemoteRequest& request,
                                       const RemoteExchange::Limits& limits);

  private:
    const RemoteAddress m_address;
    const QString m_key;
    bool m_closed = false;
};

}  // namespace lacuna::app
