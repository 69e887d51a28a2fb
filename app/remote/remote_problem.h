#pragma once
/// \file
/// What went wrong with a request to another engine, in words a person can act on. Pure functions;
/// no key and no word of a conversation is in them.

#include <QAbstractSocket>
#include <QByteArray>
#include <QString>
#include <QUrl>
#include <optional>

namespace lacuna::app {

enum class RemoteFault {
    Unreachable,    ///< no such host, nobody listens, no route, too slow
    Insecure,       ///< the certificate is not one to trust
    Unauthorized,   ///< 401, 403
    NoEndpoint,     ///< 404, 405, 501: it has no such path
    Refused,        ///< another 4xx: the engine says why
    Busy,           ///< 429, 503
    Failed,         ///< 5xx
    Moved,          ///< 3xx; not followed, because the key would go along
    NotUnderstood,  ///< it answers something else than it should
    BrokenOff,      ///< the answer ended before its end
    Cancelled,      ///< a person stopped it
};

struct RemoteProblem {
    RemoteFault fault = RemoteFault::Unreachable;
    QString sentence;
    std::optional<int> status = std::nullopt;      ///< of HTTP
    std::optional<int> retryAfter = std::nullopt;  ///< seconds
};

/// What is used of a response head.
struct ResponseHead {
    int status = 0;  ///< 0: none has come
    QByteArray contentType, location, retryAfter;
    [[nodiscard]] bool succeeded() const { return status >= 200 && status < 300; }
};

/// The problem of a response whose status is not 2xx. `body` is what came of it; `key` is masked
/// where the engine repeats it.
[[nodiscard]] RemoteProblem statusProblem(const ResponseHead& head, const QUrl& url,
                                          const QByteArray& body, const QString& key);
/// `words` are those of the socket.
[[nodiscard]] RemoteProblem connectionProblem(QAbstractSocket::SocketError error, const QUrl& url,
                                              const QString& words);
[[nodiscard]] RemoteProblem noAnswerInTime(const QUrl& url);
[[nodiscard]] RemoteProblem closedWithoutAnswer(const QUrl& url);
[[nodiscard]] RemoteProblem brokenOff();
/// The message of an error object as OpenAI, vLLM, llama-server or Ollama write it; empty: there is
/// none.
[[nodiscard]] QString messageOfError(const QByteArray& body, const QString& key = {});
/// A text of an engine that can be shown within a sentence: without control and format characters
/// and quotation marks, with `key` masked, of limited length.
[[nodiscard]] QString engineWords(const QString& text, const QString& key = {});
[[nodiscard]] RemoteProblem notUnderstood(const QString& what);

}  // namespace lacuna::app
