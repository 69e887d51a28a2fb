#pragma once
/// \file
/// Requests to one engine over HTTP. Opens a connection only when something is asked; nothing is
/// asked by itself. Redirects are not followed and cookies not kept, so that the key goes to the
/// address a person wrote and nowhere else. Owned by the thread with the event loop; callbacks run
/// there.

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
    QByteArray body = {};  ///< JSON, of a POST
};

class RemoteClient final : public QObject {
    Q_OBJECT

  public:
    static constexpr int kTimeoutMs = 10'000;  ///< to the response head, and without a byte
    static constexpr int kTotalMs = 60'000;    ///< to the end of the response
    static constexpr qsizetype kMaxReply = 2 * 1024 * 1024;  ///< bytes of an answer in one piece
    static constexpr qsizetype kMaxErrorBody = 64 * 1024;    ///< bytes read of an error

    RemoteClient(RemoteAddress address, const QString& key, QObject* parent = nullptr);
    ~RemoteClient() override;

    /// Ends what was asked, without a word, and deletes the client when the event loop comes by: it
    /// may be one of its own callbacks that asks for that.
    void close();

    [[nodiscard]] const RemoteAddress& address() const { return m_address; }
    /// To be masked in what the engine says.
    [[nodiscard]] const QString& key() const { return m_key; }
    /// `done` is called once, never before this returns; not at all once the client is closed.
    void ask(const RemoteRequest& request, std::function<void(const RemoteReply&)> done);
    /// Sends a request whose answer is read while it comes. The caller sets its callbacks and
    /// deletes it; it is deleted with the client at the latest.
    [[nodiscard]] RemoteExchange* open(const RemoteRequest& request,
                                       const RemoteExchange::Limits& limits);

  private:
    const RemoteAddress m_address;
    const QString m_key;
    bool m_closed = false;
};

}  // namespace lacuna::app
