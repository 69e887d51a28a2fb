#pragma once
/// \file
/// Errors of requests to remote engines as actionable messages. Pure functions; messages contain no
/// key and no text of a conversation.

#include <QAbstractSocket>
#include <QByteArray>
#include <QString>
#include <QUrl>
#include <optional>

namespace lacuna::app {

enum class RemoteFault {
    Unreachable,    ///< unknown host, connection refused, no route, timeout
    Insecure,       ///< untrusted certificate
    Unauthorized,   ///< 401, 403
    NoEndpoint,     ///< 404, 405, 501: the path does not exist
    Refused,        ///< other 4xx, with the engine's reason
    Busy,           ///< 429, 503
    Failed,         ///< 5xx
    Moved,          ///< 3xx; not followed, because the key would be sent along
    NotUnderstood,  ///< unexpected kind of response
    Truncated,      ///< the response ended prematurely
    Cancelled,      ///< cancelled by the user
};

struct RemoteProblem {
    RemoteFault fault = RemoteFault::Unreachable;
    QString sentence;
    std::optional<int> status = std::nullopt;      ///< HTTP status
    std::optional<int> retryAfter = std::nullopt;  ///< seconds
};

/// The parts of a response head that are used.
struct ResponseHead {
    int status = 0;  ///< 0 if no response was received
    QByteArray contentType, location, retryAfter;
    [[nodiscard]] bool succeeded() const { return status >= 200 && status < 300; }
};

/// Describes a response whose status is not 2xx. `body` is what was received of it; occurrences of
/// `key` are masked.
[[nodiscard]] RemoteProblem statusProblem(const ResponseHead& head, const QUrl& url,
                                          const QByteArray& body, const QString& key);
/// Describes a socket error; `words` is the socket's message.
[[nodiscard]] RemoteProblem connectionProblem(QAbstractSocket::SocketError error, const QUrl& url,
                                              const QString& words);
[[nodiscard]] RemoteProblem noAnswerInTime(const QUrl& url);
[[nodiscard]] RemoteProblem closedWithoutAnswer(const QUrl& url);
[[nodiscard]] RemoteProblem truncatedResponse();
/// Extracts the message of an error object as written by OpenAI, vLLM, llama-server or Ollama;
/// empty if there is none.
[[nodiscard]] QString messageOfError(const QByteArray& body, const QString& key = {});
/// Makes a text from an engine safe to quote: removes control and format characters and quotation
/// marks, masks `key`, and limits the length.
[[nodiscard]] QString engineWords(const QString& text, const QString& key = {});
[[nodiscard]] RemoteProblem notUnderstood(const QString& what);

}  // namespace lacuna::app
