#include "app/hub/download_request.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>

#include "app/state/files/program_files.h"
#include "engine/base/json.h"

namespace lacuna::app {

namespace {

struct OrderTexts {
    Q_DECLARE_TR_FUNCTIONS(DownloadRequest)
};

constexpr qint64 kMaxSidecar = qint64{4} << 20;
constexpr qint64 kMaxItems = 10'000;

std::string utf8(const QString& text) {
    return text.toStdString();
}

QString textIn(const Json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string()
               ? QString::fromStdString(found->get_ref<const std::string&>())
               : QString();
}

qint64 numberIn(const Json& object, const char* key, qint64 otherwise) {
    const auto found = object.find(key);
    return found != object.end() && found->is_number_integer() ? found->get<qint64>() : otherwise;
}

bool truthIn(const Json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_boolean() && found->get<bool>();
}

OrderedJson jsonOf(const HubItem& item) {
    return OrderedJson{{"url", utf8(item.url.toString(QUrl::FullyEncoded))},
                       {"name", utf8(item.name)},
                       {"size", item.size},
                       {"learned", item.learned},
                       {"sha256", utf8(item.sha256)},
                       {"etag", utf8(item.etag)},
                       {"synced", item.synced},
                       {"whole", item.whole}};
}

/// Sidecars are untrusted, so the names in them are validated like those from a hub.
std::optional<HubItem> itemOf(const Json& json) {
    if (!json.is_object()) return std::nullopt;
    HubItem item;
    item.url = QUrl::fromEncoded(textIn(json, "url").toLatin1(), QUrl::StrictMode);
    item.name = textIn(json, "name");
    item.size = numberIn(json, "size", -1);
    item.learned = truthIn(json, "learned");
    item.sha256 = textIn(json, "sha256");
    item.etag = textIn(json, "etag");
    item.synced = numberIn(json, "synced", 0);
    item.whole = truthIn(json, "whole");
    const auto name = localName(item.name);
    const bool digest = item.sha256.isEmpty() || digestFrom(item.sha256) == item.sha256;
    if (!item.url.isValid() || !name || *name != item.name || !digest || item.size < -1 ||
        item.synced < 0)
        return std::nullopt;
    return item;
}

std::optional<DownloadRequest> orderFrom(const Json& json) {
    if (!json.is_object() || numberIn(json, "version", 0) != 1) return std::nullopt;
    DownloadRequest request;
    request.title = textIn(json, "title");
    request.subfolder = textIn(json, "subfolder");
    request.plainHttp = truthIn(json, "plain_http");
    request.hub = QUrl::fromEncoded(textIn(json, "hub").toLatin1());
    const auto items = json.find("items");
    if (items == json.end() || !items->is_array() || items->empty() ||
        items->size() > static_cast<std::size_t>(kMaxItems))
        return std::nullopt;
    for (const Json& one : *items) {
        auto item = itemOf(one);
        if (!item) return std::nullopt;
        request.items << std::move(*item);
    }
    if (!request.subfolder.isEmpty()) {
        const auto name = localName(request.subfolder);
        if (!name || *name != request.subfolder) return std::nullopt;
    }
    return request;
}

}  // namespace

qint64 DownloadRequest::bytes() const {
    qint64 sum = 0;
    for (const HubItem& item : items) {
        if (item.size < 0) return -1;
        sum = addSizes(sum, item.size);
    }
    return sum;
}

QString DownloadRequest::result() const {
    return QDir(folder).filePath(subfolder.isEmpty() ? items.front().name : subfolder);
}

QString DownloadRequest::workFolder() const {
    return subfolder.isEmpty() ? folder : result() + QStringLiteral(".part");
}

QString DownloadRequest::targetOf(const HubItem& item) const {
    return QDir(workFolder()).filePath(item.name);
}

QString DownloadRequest::sidecar() const {
    return result() + QStringLiteral(".part.json");
}

HubResult<DownloadRequest> requestFor(const QUrl& hub, const HubRepository& repository,
                                      const HubModel& model, const QString& folder) {
    if (!model.problem.isEmpty()) return hubFail(HubFault::Listing, model.problem);
    DownloadRequest request;
    request.folder = folder;
    request.hub = hub;
    request.title = repository.owner + QLatin1Char('/') + repository.name;
    if (model.folder)
        request.subfolder = repository.name;
    else
        request.title += QStringLiteral(", ") + model.name.section(QLatin1Char('/'), -1);
    for (const HubFile& file : model.files) {
        auto name = localName(file.path);
        if (!name) return tl::make_unexpected(name.error());
        for (const HubItem& other : request.items)
            if (other.name.compare(*name, Qt::CaseInsensitive) == 0)
                return hubFail(HubFault::Name,
                               OrderTexts::tr("Two of its files are named %1.").arg(*name));
        HubItem item{fileUrl(hub, repository, file.path), *name};
        item.size = file.size;
        item.sha256 = file.sha256;
        request.items << std::move(item);
    }
    return request;
}

HubResult<DownloadRequest> requestFor(const QUrl& url, const QString& sha256,
                                      const QString& folder) {
    auto name = localName(url.path());
    if (!name) return tl::make_unexpected(name.error());
    DownloadRequest request;
    request.folder = folder;
    request.title = *name;
    HubItem item{url, *name};
    if (!sha256.isEmpty()) {
        const auto digest = digestFrom(sha256);
        if (!digest)
            return hubFail(HubFault::Address,
                           OrderTexts::tr("A SHA-256 digest has 64 digits, 0-9 and a-f."));
        item.sha256 = *digest;
    }
    request.items << std::move(item);
    return request;
}

std::optional<QString> digestFrom(const QString& typed) {
    static const QRegularExpression digest(QStringLiteral("\\A[0-9a-f]{64}\\z"));
    const QString text = typed.trimmed().toLower();
    if (!digest.match(text).hasMatch()) return std::nullopt;
    return text;
}

QString saveRequest(const DownloadRequest& request) {
    OrderedJson items = OrderedJson::array();
    for (const HubItem& item : request.items) items.push_back(jsonOf(item));
    const OrderedJson json{{"version", 1},
                           {"title", utf8(request.title)},
                           {"subfolder", utf8(request.subfolder)},
                           {"plain_http", request.plainHttp},
                           {"hub", utf8(request.hub.toString(QUrl::FullyEncoded))},
                           {"items", std::move(items)}};
    return saveFile(request.sidecar(), QByteArray::fromStdString(dumpJson(json, 1) + "\n"));
}

std::optional<DownloadRequest> loadRequest(const QString& sidecar) {
    QFile file(sidecar);
    if (!QFileInfo(sidecar).isFile() || file.size() > kMaxSidecar ||
        !file.open(QIODevice::ReadOnly))
        return std::nullopt;
    const QByteArray bytes = file.readAll();
    const auto json =
        parseJson(std::string_view(bytes.constData(), static_cast<std::size_t>(bytes.size())));
    if (!json) return std::nullopt;
    auto request = orderFrom(*json);
    if (!request) return std::nullopt;
    request->folder = QFileInfo(sidecar).absolutePath();
    if (request->sidecar() != QFileInfo(sidecar).absoluteFilePath()) return std::nullopt;
    return request;
}

QVector<DownloadRequest> requestsIn(const QString& folder) {
    QVector<DownloadRequest> orders;
    const QFileInfoList files =
        QDir(folder).entryInfoList({QStringLiteral("*.part.json")}, QDir::Files, QDir::Time);
    for (const QFileInfo& file : files)
        if (auto request = loadRequest(file.absoluteFilePath())) orders << std::move(*request);
    return orders;
}

}  // namespace lacuna::app
