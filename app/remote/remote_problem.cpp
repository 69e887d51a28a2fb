#include "app/remote/remote_problem.h"

#include <QCoreApplication>

#include "engine/base/json.h"

namespace lacuna::app {

namespace {

constexpr qsizetype kMaxMessage = 600;  ///< signs of what an engine says
constexpr int kMaxRetry = 24 * 3600;    ///< seconds

struct ProblemTexts {
    Q_DECLARE_TR_FUNCTIONS(RemoteProblem)
};

QString plainText(const Json& value) {
    if (value.is_string()) return QString::fromStdString(value.get_ref<const std::string&>());
    return {};
}

QString messageIn(const Json& object) {
    if (!object.is_object()) return plainText(object);
    for (const char* key : {"message", "error", "detail"})
        if (const auto found = object.find(key); found != object.end())
            if (QString text = messageIn(*found); !text.isEmpty()) return text;
    return {};
}

/// "It says: ..." or nothing. What stands between quotation marks is kept out of the log: an engine
/// may repeat what it was asked.
QString quotation(const QByteArray& body) {
    const QString message = messageOfError(body);
    return message.isEmpty()
               ? QString()
               : QLatin1Char(' ') + ProblemTexts::tr("It says: \u201c%1\u201d").arg(message);
}

/// RFC 9110 allows a date as well; engines send seconds.
std::optional<int> retryAfterOf(const QNetworkReply& reply) {
    bool number = false;
    const int seconds = reply.rawHeader("Retry-After").trimmed().toInt(&number);
    if (!number || seconds < 0 || seconds > kMaxRetry) return std::nullopt;
    return seconds;
}

QString connectionSentence(const QNetworkReply& reply) {
    const QString host =
        reply.url().host() + (reply.url().port() > 0
                                  ? QLatin1Char(':') + QString::number(reply.url().port())
                                  : QString());
    switch (reply.error()) {
        case QNetworkReply::ConnectionRefusedError:
            return ProblemTexts::tr("Nobody listens at %1. Is the engine running, at this port?")
                .arg(host);
        case QNetworkReply::HostNotFoundError:
            return ProblemTexts::tr("There is no machine called %1 here.").arg(reply.url().host());
        case QNetworkReply::TimeoutError:
        case QNetworkReply::OperationCanceledError:
            return ProblemTexts::tr("%1 does not answer in time.").arg(host);
        case QNetworkReply::RemoteHostClosedError:
            return ProblemTexts::tr("%1 closed the connection without an answer.").arg(host);
        default:
            return ProblemTexts::tr("%1 is not reached: %2.").arg(host, reply.errorString());
    }
}

RemoteProblem statusProblem(int status, const QNetworkReply& reply, const QByteArray& body) {
    RemoteProblem problem{RemoteFault::Failed, {}, status, retryAfterOf(reply)};
    const QString said = quotation(body);
    const QString path = reply.url().path();
    if (status == 401 || status == 403) {
        problem.fault = RemoteFault::Unauthorized;
        problem.sentence = status == 401
                               ? ProblemTexts::tr("The engine wants a key, or another one.")
                               : ProblemTexts::tr("The engine does not let this key do that.");
    } else if (status == 404 || status == 405 || status == 501) {
        problem.fault = RemoteFault::NoEndpoint;
        problem.sentence =
            ProblemTexts::tr("The engine answers, but not at %1 (%2).").arg(path).arg(status);
    } else if (status == 429 || status == 503) {
        problem.fault = RemoteFault::Busy;
        problem.sentence =
            status == 429
                ? ProblemTexts::tr("The engine has too many requests.")
                : ProblemTexts::tr("The engine is not ready: it is loading, asleep or full.");
        if (problem.retryAfter)
            problem.sentence +=
                QLatin1Char(' ') + ProblemTexts::tr("Try again in %1 s.").arg(*problem.retryAfter);
    } else if (status >= 500) {
        problem.sentence = ProblemTexts::tr("The engine failed (%1).").arg(status);
    } else if (status >= 300 && status < 400) {
        problem.fault = RemoteFault::Moved;
        const QString where = QString::fromUtf8(reply.rawHeader("Location")).left(kMaxMessage);
        problem.sentence = ProblemTexts::tr(
                               "The engine has moved to %1. Write that address; it is not followed "
                               "by itself, because the key would go along.")
                               .arg(where);
    } else {
        problem.fault = RemoteFault::Refused;
        problem.sentence = ProblemTexts::tr("The engine refused the request (%1).").arg(status);
    }
    problem.sentence += said;
    return problem;
}

}  // namespace

QString messageOfError(const QByteArray& body) {
    const auto json =
        parseJson(std::string_view(body.constData(), static_cast<std::size_t>(body.size())));
    if (!json || !json->is_object()) return {};
    return withoutQuotes(messageIn(*json)).simplified().left(kMaxMessage);
}

QString withoutQuotes(QString text) {
    return text.replace(QChar(0x201C), QLatin1Char('"')).replace(QChar(0x201D), QLatin1Char('"'));
}

RemoteProblem notUnderstood(const QString& what) {
    return {RemoteFault::NotUnderstood,
            ProblemTexts::tr("This is not what an engine answers: %1").arg(what)};
}

std::optional<RemoteProblem> problemOf(const QNetworkReply& reply, const QByteArray& body) {
    const QVariant status = reply.attribute(QNetworkRequest::HttpStatusCodeAttribute);
    if (status.isValid() && (status.toInt() < 200 || status.toInt() > 299))
        return statusProblem(status.toInt(), reply, body);
    if (reply.error() == QNetworkReply::NoError) return std::nullopt;
    if (reply.error() == QNetworkReply::SslHandshakeFailedError)
        return RemoteProblem{RemoteFault::Insecure,
                             ProblemTexts::tr("The certificate of %1 is not one to trust: %2.")
                                 .arg(reply.url().host(), reply.errorString())};
    if (status.isValid())
        return RemoteProblem{RemoteFault::BrokenOff,
                             ProblemTexts::tr("The connection broke off before the answer's end.")};
    return RemoteProblem{RemoteFault::Unreachable, connectionSentence(reply)};
}

}  // namespace lacuna::app
