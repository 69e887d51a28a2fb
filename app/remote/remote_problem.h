#pragma once
/// \file
/// What went wrong with a request to another engine, in words a person can act on. Pure functions;
/// no key and no word of a conversation is in them.

#include <QByteArray>
#include <QNetworkReply>
#include <QString>
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

/// Of an answer that has ended; nothing where its status is 2xx. `body` is what came.
[[nodiscard]] std::optional<RemoteProblem> problemOf(const QNetworkReply& reply,
                                                     const QByteArray& body);
/// The message of an error object as OpenAI, vLLM, llama-server or Ollama write it; empty: there is
/// none.
[[nodiscard]] QString messageOfError(const QByteArray& body);
/// Without the quotation marks that it will stand between.
[[nodiscard]] QString withoutQuotes(QString text);
[[nodiscard]] RemoteProblem notUnderstood(const QString& what);

}  // namespace lacuna::app
