#include "app/remote/remote_problem.h"

#include <QCoreApplication>

#include "engine/base/json.h"

namespace lacuna::app {

namespace {

constexpr qsizetype kMaxMessage = 600;  ///< maximum characters of a quoted engine message
constexpr int kMaxRetry = 24 * 3600;    ///< seconds
/// A prefix of the key of this length is masked even if the rest is missing.
constexpr qsizetype kMaskedStart = 8;

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

/// Masks every occurrence of `secret` or of its prefix.
void mask(QString& text, const QString& secret) {
    if (secret.isEmpty()) return;
    const QString start = secret.left(kMaskedStart), mark = QStringLiteral("***");
    for (qsizetype at = text.indexOf(start); at >= 0; at = text.indexOf(start, at + mark.size())) {
        qsizetype length = start.size();
        while (length < secret.size() && at + length < text.size() &&
               text[at + length] == secret[length])
            ++length;
        text.replace(at, length, mark);
    }
}

/// Returns "It says: ..." or an empty string. Text in quotation marks is kept out of the log,
/// because an engine may repeat the request.
QString quotation(const QByteArray& body, const QString& key) {
    const QString message = messageOfError(body, key);
    return message.isEmpty()
               ? QString()
               : QLatin1Char(' ') + ProblemTexts::tr("Its message: \u201c%1\u201d").arg(message);
}

/// Reads Retry-After. RFC 9110 also allows a date, but engines send seconds.
std::optional<int> retryAfterOf(const ResponseHead& head) {
    bool number = false;
    const int seconds = head.retryAfter.trimmed().toInt(&number);
    if (!number || seconds < 0 || seconds > kMaxRetry) return std::nullopt;
    return seconds;
}

QString hostOf(const QUrl& url) {
    return url.host() +
           (url.port() > 0 ? QLatin1Char(':') + QString::number(url.port()) : QString());
}

}  // namespace

RemoteProblem connectionProblem(QAbstractSocket::SocketError error, const QUrl& url,
                                const QString& words) {
    const QString host = hostOf(url);
    switch (error) {
        case QAbstractSocket::ConnectionRefusedError:
            return {
                RemoteFault::Unreachable,
                ProblemTexts::tr("%1 refused the connection. Is the engine running at this port?")
                    .arg(host)};
        case QAbstractSocket::HostNotFoundError:
            return {RemoteFault::Unreachable,
                    ProblemTexts::tr("The host %1 was not found.").arg(url.host())};
        case QAbstractSocket::SocketTimeoutError:
            return noAnswerInTime(url);
        case QAbstractSocket::SslHandshakeFailedError:
            return {RemoteFault::Insecure,
                    ProblemTexts::tr("The certificate of %1 is not trusted: %2.")
                        .arg(url.host(), words)};
        default:
            return {RemoteFault::Unreachable,
                    ProblemTexts::tr("%1 cannot be reached: %2.").arg(host, words)};
    }
}

RemoteProblem noAnswerInTime(const QUrl& url) {
    return {RemoteFault::Unreachable,
            ProblemTexts::tr("%1 did not answer in time.").arg(hostOf(url))};
}

RemoteProblem closedWithoutAnswer(const QUrl& url) {
    return {RemoteFault::Unreachable,
            ProblemTexts::tr("%1 closed the connection without an answer.").arg(hostOf(url))};
}

RemoteProblem truncatedResponse() {
    return {RemoteFault::Truncated,
            ProblemTexts::tr("The connection closed before the answer was complete.")};
}

RemoteProblem statusProblem(const ResponseHead& head, const QUrl& url, const QByteArray& body,
                            const QString& key) {
    const int status = head.status;
    RemoteProblem problem{RemoteFault::Failed, {}, status, retryAfterOf(head)};
    const QString said = quotation(body, key);
    const QString path = url.path();
    if (status == 401 || status == 403) {
        problem.fault = RemoteFault::Unauthorized;
        problem.sentence = status == 401
                               ? ProblemTexts::tr("The engine requires a key, or a different one.")
                               : ProblemTexts::tr("The engine does not allow this with this key.");
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
        const QString where = engineWords(QString::fromUtf8(head.location), key);
        problem.sentence = ProblemTexts::tr(
                               "The engine has moved to %1. Enter that address: it is not followed "
                               "automatically, because the key would be sent there.")
                               .arg(where);
    } else {
        problem.fault = RemoteFault::Refused;
        problem.sentence = ProblemTexts::tr("The engine refused the request (%1).").arg(status);
    }
    problem.sentence += said;
    return problem;
}

QString messageOfError(const QByteArray& body, const QString& key) {
    const auto json =
        parseJson(std::string_view(body.constData(), static_cast<std::size_t>(body.size())));
    if (!json || !json->is_object()) return {};
    return engineWords(messageIn(*json), key);
}

QString engineWords(const QString& text, const QString& key) {
    QString clean;
    for (const char32_t c : text.toUcs4()) {
        switch (QChar::category(c)) {
            case QChar::Separator_Line:
            case QChar::Separator_Paragraph:
                clean += QLatin1Char(' ');
                break;
            case QChar::Other_Control:
                // Line ends become blanks; other control characters are removed because they may
                // occur within a key.
                if (c == '\n' || c == '\r' || c == '\t') clean += QLatin1Char(' ');
                break;
            case QChar::Other_Format:  // Format characters may reverse the direction of the text.
            case QChar::Other_Surrogate:
                break;
            default:
                clean += QChar::fromUcs4(c);
        }
    }
    mask(clean, key);
    if (key.size() >= kMaskedStart)
        for (const QByteArray& form : {QUrl::toPercentEncoding(key),
                                       key.toLatin1().toBase64(QByteArray::OmitTrailingEquals)})
            mask(clean, QString::fromLatin1(form));
    clean.replace(QChar(0x201C), QLatin1Char('"')).replace(QChar(0x201D), QLatin1Char('"'));
    clean = clean.simplified();
    if (clean.size() <= kMaxMessage) return clean;
    const bool cutsPair = clean[kMaxMessage - 1].isHighSurrogate();
    return clean.left(kMaxMessage - (cutsPair ? 1 : 0)) + QChar(0x2026);
}

RemoteProblem notUnderstood(const QString& what) {
    return {RemoteFault::NotUnderstood,
            ProblemTexts::tr("The engine sent an unexpected response: %1").arg(what)};
}

}  // namespace lacuna::app
