#pragma once
/// \file
/// Interface between the window and its server: settings, commands and state. Plain values and an
/// abstract class, so that the window does not depend on networking. Used on the GUI thread.

#include <QDateTime>
#include <QString>
#include <QVector>
#include <functional>
#include <memory>

namespace lacuna {
class EngineHost;
}

namespace lacuna::app {

struct ServerSettings {
    QString host = QStringLiteral("127.0.0.1");
    int port = 8080;  ///< 0 selects a free port
    QString key;      ///< empty if no key is required
    QString alias;    ///< model name for clients; empty for the file name
    int slots = 4;    ///< maximum number of concurrent answers
    /// Pooling of text embeddings: "mean", "cls", "last" or "none"; "off" disables the endpoint.
    QString embeddings = QStringLiteral("mean");
    QString slotFolder;  ///< folder for caches saved by clients; empty to disable saving
    friend bool operator==(const ServerSettings&, const ServerSettings&) = default;
};

enum class ServerState {
    Off,  ///< no socket is open
    Starting,
    On,
    Finishing,  ///< finishes running answers and accepts no new ones
};

enum class RequestState { Waiting, Reading, Writing, Done, Stopped, Failed };

/// One answer of the server.
struct ServedRequest {
    qint64 id = 0;  ///< counted from 1 since the server was switched on
    QDateTime asked;
    RequestState state = RequestState::Waiting;
    QString end;  ///< once it has ended: "stop", "length", ... or the error
    qint64 promptTokens = 0;
    qint64 readTokens = 0;    ///< prompt tokens processed so far, reused ones included
    qint64 reusedTokens = 0;  ///< prompt tokens found in a cache
    qint64 answerTokens = 0;
    double seconds = 0;          ///< from the request to the end
    double tokensPerSecond = 0;  ///< decoding rate; 0 if unknown
    friend bool operator==(const ServedRequest&, const ServedRequest&) = default;
};

struct ServerView {
    ServerState state = ServerState::Off;
    QString address = {};          ///< "http://127.0.0.1:8080" while it is on
    QString model = {};            ///< model name for clients; empty if none is loaded
    QString problem = {};          ///< why it is off
    int running = 0, waiting = 0;  ///< number of answers
    int connections = 0;
    qint64 requests = 0;                 ///< requests of any kind since it was switched on
    QVector<ServedRequest> recent = {};  ///< newest first, including running ones
    friend bool operator==(const ServerView&, const ServerView&) = default;
};

/// Interface of the server, implemented by the networking module. All calls return immediately.
class ServerProgram {
  public:
    /// Called on the GUI thread after every change.
    using ViewCallback = std::function<void(const ServerView& view)>;

    virtual ~ServerProgram() = default;
    virtual void start(const ServerSettings& settings) = 0;
    /// Rejects new connections and switches off once no answer is running.
    virtual void finish() = 0;
    /// Cancels running answers.
    virtual void stop() = 0;
};
/// Creates the server for the local engine; requests of its clients never reach a remote engine.
using ServerMaker = std::function<std::unique_ptr<ServerProgram>(
    EngineHost& engine, ServerProgram::ViewCallback onView)>;

}  // namespace lacuna::app
