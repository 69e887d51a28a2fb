#include "app/hub/hub_address.h"

#include <QCoreApplication>
#include <QHostAddress>
#include <QRegularExpression>
#include <QStringList>

namespace lacuna::app {

namespace {

struct AddressTexts {
    Q_DECLARE_TR_FUNCTIONS(HubAddress)
};

constexpr qsizetype kMaxName = 200;  // Leaves room for suffixes below the limit of 255 of most file
                                     // systems.

const QRegularExpression& partPattern() {
    static const QRegularExpression pattern(
        QStringLiteral("\\A[A-Za-z0-9][A-Za-z0-9._-]{0,95}\\z"));
    return pattern;
}

bool isPart(const QString& text) {
    return partPattern().match(text).hasMatch();
}

/// Returns true for literal private addresses and names of this machine. Other names are not
/// resolved.
bool isPrivate(const QString& host) {
    if (host == QLatin1String("localhost") || host.endsWith(QLatin1String(".localhost")))
        return true;
    QHostAddress address(host);
    if (address.isNull()) return false;
    bool four = false;
    const quint32 mapped = address.toIPv4Address(&four);
    if (four) address = QHostAddress(mapped);
    for (const char* net :
         {"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "172.16.0.0/12", "192.168.0.0/16"})
        if (four && address.isInSubnet(QHostAddress::parseSubnet(QString::fromLatin1(net))))
            return true;
    return address.isLoopback() || address.isLinkLocal() || address.isUniqueLocalUnicast() ||
           address.isSiteLocal() || address.isMulticast() || address.isBroadcast() ||
           address == QHostAddress(QHostAddress::AnyIPv6);
}

bool isThisMachine(const QString& host) {
    return host == QLatin1String("localhost") || host.endsWith(QLatin1String(".localhost")) ||
           QHostAddress(host).isLoopback();
}

int portOf(const QUrl& url) {
    return url.port(url.scheme() == QLatin1String("http") ? 80 : 443);
}

tl::unexpected<HubProblem> noModel() {
    return hubFail(
        HubFault::Address,
        AddressTexts::tr(
            "This is not a model name. Write it as OWNER/NAME, or enter the address of a file."));
}

/// Returns true if the parts form a file path that cannot leave the repository.
bool isFilePath(const QStringList& parts) {
    for (const QString& part : parts)
        if (part.isEmpty() || part == QLatin1String(".") || part == QLatin1String("..") ||
            part.contains(QLatin1Char('\\')))
            return false;
    return !parts.isEmpty();
}

HubResult<HubTarget> inRepository(const QStringList& parts) {
    if (parts.size() < 2 || !isPart(parts[0]) || !isPart(parts[1])) return noModel();
    HubTarget target;
    target.repository = HubRepository{parts[0], parts[1]};
    QStringList rest = parts.mid(2);
    // Browser addresses: OWNER/NAME/blob/REVISION/FILE, resolve/..., tree/REVISION.
    static const QStringList kPages{QStringLiteral("blob"), QStringLiteral("resolve"),
                                    QStringLiteral("raw"), QStringLiteral("tree")};
    if (rest.size() >= 2 && kPages.contains(rest[0])) {
        if (!isPart(rest[1])) return noModel();
        target.repository->revision = rest[1];
        rest = rest[0] == QLatin1String("tree") ? QStringList() : rest.mid(2);
    }
    if (rest.isEmpty()) return target;
    if (!isFilePath(rest)) return noModel();
    target.file = rest.join(QLatin1Char('/'));
    return target;
}

}  // namespace

HubResult<QUrl> hubFrom(const QString& typed) {
    QString text = typed.trimmed();
    while (text.endsWith(QLatin1Char('/'))) text.chop(1);
    if (text.isEmpty()) return QUrl(QString::fromLatin1(kDefaultHub));
    if (!text.contains(QLatin1String("://")) && !text.endsWith(QLatin1Char(':')))
        text.prepend(QLatin1String("https://"));
    const QUrl url(text, QUrl::StrictMode);
    const bool web =
        url.scheme() == QLatin1String("http") || url.scheme() == QLatin1String("https");
    if (!url.isValid() || url.host().isEmpty() || !web || !url.userInfo().isEmpty() ||
        url.hasQuery() || url.hasFragment())
        return hubFail(HubFault::Address,
                       AddressTexts::tr("This is not the address of a hub. Write it like %1.")
                           .arg(QString::fromLatin1(kDefaultHub)));
    return url;
}

HubResult<HubTarget> targetFrom(const QString& typed, const QUrl& hub) {
    const QString text = typed.trimmed();
    if (!text.contains(QLatin1String("://"))) return inRepository(text.split(QLatin1Char('/')));
    const QUrl url(text, QUrl::StrictMode);
    if (!url.isValid() || url.host().isEmpty()) return noModel();
    const QString below = hub.path() + QLatin1Char('/');
    if (sameOrigin(url, hub) && url.path().startsWith(below)) {
        const QString path = url.path().mid(below.size());
        if (auto found = inRepository(path.split(QLatin1Char('/'), Qt::SkipEmptyParts)))
            return found;
    }
    const auto name = localName(url.path());
    if (!name) return tl::make_unexpected(name.error());
    HubTarget target;
    target.url = url;
    return target;
}

QUrl listingUrl(const QUrl& hub, const HubRepository& repository) {
    QUrl url = hub;
    url.setPath(hub.path() + QStringLiteral("/api/models/") + repository.owner + QLatin1Char('/') +
                repository.name + QStringLiteral("/tree/") + repository.revision);
    url.setQuery(QStringLiteral("recursive=true"));
    return url;
}

QUrl fileUrl(const QUrl& hub, const HubRepository& repository, const QString& file) {
    QUrl url = hub;
    url.setPath(hub.path() + QLatin1Char('/') + repository.owner + QLatin1Char('/') +
                    repository.name + QStringLiteral("/resolve/") + repository.revision +
                    QLatin1Char('/') + file,
                QUrl::DecodedMode);
    return url;
}

QString fetchBlocker(const QUrl& url, PlainHttp plain) {
    const bool http = url.scheme() == QLatin1String("http");
    if (!url.isValid() || url.host().isEmpty() || (!http && url.scheme() != QLatin1String("https")))
        return AddressTexts::tr("%1 cannot be downloaded: the address must start with https://.")
            .arg(url.toDisplayString());
    if (!url.userInfo().isEmpty())
        return AddressTexts::tr("An address must not contain a user name or password.");
    if (http && plain == PlainHttp::ThisMachineOnly && !isThisMachine(url.host()))
        return AddressTexts::tr(
                   "%1 would be contacted unencrypted, and anyone on the network path could change "
                   "the data. Use https, or allow http for this download.")
            .arg(url.host());
    return {};
}

QString followBlocker(const QUrl& from, const QUrl& to, PlainHttp plain) {
    if (QString why = fetchBlocker(to, plain); !why.isEmpty())
        return AddressTexts::tr("The server redirects to another address. %1").arg(why);
    if (from.scheme() == QLatin1String("https") && to.scheme() != QLatin1String("https"))
        return AddressTexts::tr(
                   "The server redirects from https to http (%1), which is not followed.")
            .arg(to.host());
    if (!isPrivate(from.host()) && isPrivate(to.host()))
        return AddressTexts::tr(
                   "The server redirects to this machine or a private network (%1), which is not "
                   "followed.")
            .arg(to.host());
    return {};
}

bool sameOrigin(const QUrl& a, const QUrl& b) {
    return a.scheme() == b.scheme() && a.host() == b.host() && portOf(a) == portOf(b);
}

HubResult<QString> localName(const QString& path) {
    const QString name = path.section(QLatin1Char('/'), -1);
    static const QRegularExpression plain(
        QStringLiteral("\\A[A-Za-z0-9_][A-Za-z0-9 ._+()=,@-]*\\z"));
    if (name.size() > kMaxName || !plain.match(name).hasMatch())
        return hubFail(HubFault::Name,
                       AddressTexts::tr("\u201c%1\u201d is not allowed as a file name: use "
                                        "letters, digits and . _ - only, at most %2 characters.")
                           .arg(name.left(80))
                           .arg(kMaxName));
    return name;
}

}  // namespace lacuna::app
