#pragma once
/// \file
/// A server beside the window, as the window sees it: what it is told to do, and what it tells of
/// itself. Plain values and an interface, so that the window needs no network of its own. Used on
/// the GUI thread.

#include <QDateTime>
#include <QString>
#include <QVector>
#include <functional>
#include <memory>

namespace lacuna {
class EngineHost;
}

namespace lacuna::app {

struct ServerOrder {
    QString host = QStringLiteral("127.0.0.1");
    int port = 8080;  ///< 0: a free one
    QString key;      ///< empty: nobody needs one
    QString alias;    ///< name of the model for clients; empty: that of its file
    int slots = 4;    ///< answers that are written at once
    /// How vectors of texts are made: "mean", "cls", "last", "none", or "off": they are not.
    QString embeddings = QStringLiteral("mean");
    QString slotFolder;  ///< of caches that clients save; empty: none are saved
    friend bool operator==(const ServerOrder&, const ServerOrder&) = default;
};

enum class ServerState {
    Off,  ///< no socket is open
    Starting,
    On,
    Finishing,  ///< nothing new is taken; what is being answered is answered to its end
};

enum class RequestState { Waiting, Reading, Writing, Done, Stopped, Failed };

/// One answer of the server.
struct ServedRequest {
    qint64 id = 0;  ///< from 1 since the server was switched on
    QDateTime asked;
    RequestState state = RequestState::Waiting;
    QString end;  ///< "stop", "length", ... or what went wrong, once it has ended
    qint64 promptTokens = 0;
    qint64 readTokens = 0;    ///< of the prompt so far, with those that were there
    qint64 reusedTokens = 0;  ///< of the prompt, in a cache already
    qint64 answerTokens = 0;
    double seconds = 0;          ///< since it was asked, to its end
    double tokensPerSecond = 0;  ///< of the answer; 0: not known yet
    friend bool operator==(const ServedRequest&, const ServedRequest&) = default;
};

struct ServerView {
    ServerState state = ServerState::Off;
    QString address = {};          ///< "http://127.0.0.1:8080", while it is on
    QString model = {};            ///< as clients name it; empty: none is loaded
    QString problem = {};          ///< why it is off, a sentence
    int running = 0, waiting = 0;  ///< answers
    int connections = 0;
    qint64 requests = 0;                 ///< of any kind, since it was switched on
    QVector<ServedRequest> recent = {};  ///< newest first, running ones among them
    friend bool operator==(const ServerView&, const ServerView&) = default;
};

/// Whoever has a network implements it. All calls return at once.
class ServerProgram {
  public:
    /// Told on the GUI thread whenever something has changed.
    using Told = std::function<void(const ServerView& view)>;

    virtual ~ServerProgram() = default;
    virtual void start(const ServerOrder& order) = 0;
    /// Takes no new connections and switches off when nothing is being answered.
    virtual void finish() = 0;
    /// Breaks off what is being answered.
    virtual void stop() = 0;
};
/// Makes the server on the local engine: nothing that its clients ask for reaches a remote one.
using ServerMaker =
    std::function<std::unique_ptr<ServerProgram>(EngineHost& engine, ServerProgram::Told told)>;

}  // namespace lacuna::app
