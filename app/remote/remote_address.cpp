#include "app/remote/remote_address.h"

#include <QCoreApplication>
#include <QHostAddress>
#include <algorithm>

namespace lacuna::app {

namespace {

struct AddressTexts {
    Q_DECLARE_TR_FUNCTIONS(RemoteAddress)
};

bool isThisMachine(const QString& host) {
    if (host == QLatin1String("localhost") || host.endsWith(QLatin1String(".localhost")))
        return true;
    return QHostAddress(host).isLoopback();
}

QString problemOf(const QUrl& url) {
    if (!url.isValid() || url.host().isEmpty())
        return AddressTexts::tr("This is not an address. Write it like http://127.0.0.1:8080.");
    if (url.scheme() != QLatin1String("http") && url.scheme() != QLatin1String("https"))
        return AddressTexts::tr("An address starts with http:// or https://, not with %1://.")
            .arg(url.scheme());
    if (!url.userInfo().isEmpty())
        return AddressTexts::tr("Enter the key in its own field, not in the address.");
    if (url.hasQuery() || url.hasFragment())
        return AddressTexts::tr("The address must not contain \u201c?\u201d or \u201c#\u201d.");
    return {};
}

}  // namespace

QUrl RemoteAddress::at(const QString& path) const {
    QUrl url = root;
    const auto question = path.indexOf(QLatin1Char('?'));
    url.setPath(root.path() + path.left(question));
    if (question >= 0) url.setQuery(path.mid(question + 1));
    return url;
}

RemoteAddress addressFrom(const QString& typed) {
    QString text = typed.trimmed();
    if (text.isEmpty())
        return {{},
                AddressTexts::tr("The address is missing. Write it like http://127.0.0.1:8080.")};
    if (!text.contains(QLatin1String("://"))) text.prepend(QLatin1String("http://"));
    QUrl url(text, QUrl::StrictMode);
    if (QString problem = problemOf(url); !problem.isEmpty()) return {{}, problem};
    QString path = url.path();
    const auto dropEnd = [&path](QLatin1String end) {
        if (path.endsWith(end)) path.chop(end.size());
    };
    while (path.endsWith(QLatin1Char('/'))) path.chop(1);
    dropEnd(QLatin1String("/chat/completions"));
    dropEnd(QLatin1String("/v1"));
    url.setPath(path);
    return {url, {}};
}

QString keyProblem(const QString& key) {
    const bool plain = std::all_of(
        key.begin(), key.end(), [](QChar c) { return c.unicode() > 0x20 && c.unicode() < 0x7F; });
    return plain ? QString()
                 : AddressTexts::tr(
                       "A key contains only ASCII letters, digits and symbols, no spaces.");
}

bool sendsKeyOpenly(const RemoteAddress& address, const QString& key) {
    return !key.isEmpty() && address.root.scheme() == QLatin1String("http") &&
           !isThisMachine(address.root.host());
}

}  // namespace lacuna::app
