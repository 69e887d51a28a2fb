#include "app/hub/hub_listing.h"

#include <QCoreApplication>
#include <QMap>
#include <QRegularExpression>
#include <QStringList>
#include <algorithm>
#include <limits>

#include "engine/base/json.h"

namespace lacuna::app {

namespace {

struct ListingTexts {
    Q_DECLARE_TR_FUNCTIONS(HubListing)
};

tl::unexpected<HubProblem> notUnderstood(const QString& what) {
    return hubFail(HubFault::Listing,
                   ListingTexts::tr("The list of files cannot be understood: %1").arg(what));
}

QString textOf(const Json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string()
               ? QString::fromStdString(found->get_ref<const std::string&>())
               : QString();
}

qint64 numberOf(const Json& object, const char* key) {
    const auto found = object.find(key);
    if (found == object.end() || !found->is_number_integer()) return -1;
    constexpr auto kMost = std::numeric_limits<qint64>::max();
    if (found->is_number_unsigned() && found->get<std::uint64_t>() > std::uint64_t{kMost})
        return kMost;
    return std::max<qint64>(found->get<qint64>(), -1);
}

/// Accepts 64 hexadecimal digits, with or without the prefix "sha256:".
QString digestOf(QString text) {
    if (text.startsWith(QLatin1String("sha256:"))) text.remove(0, 7);
    static const QRegularExpression digest(QStringLiteral("\\A[0-9A-Fa-f]{64}\\z"));
    return digest.match(text).hasMatch() ? text.toLower() : QString();
}

HubFile fileOf(const Json& entry) {
    HubFile file{textOf(entry, "path"), numberOf(entry, "size")};
    const auto lfs = entry.find("lfs");
    if (lfs == entry.end() || !lfs->is_object()) return file;
    file.sha256 = digestOf(textOf(*lfs, "oid"));
    if (const qint64 size = numberOf(*lfs, "size"); size >= 0) file.size = size;
    return file;
}

struct SplitName {
    QString stem;
    int part = 0, parts = 0;
};

std::optional<SplitName> splitName(const QString& path) {
    static const QRegularExpression pattern(
        QStringLiteral("\\A(.*)-(\\d{5})-of-(\\d{5})\\.gguf\\z"),
        QRegularExpression::CaseInsensitiveOption);
    const auto match = pattern.match(path);
    if (!match.hasMatch()) return std::nullopt;
    return SplitName{match.captured(1), match.captured(2).toInt(), match.captured(3).toInt()};
}

/// Builds a split model; sets `problem` if parts are missing.
HubModel splitModel(QVector<std::pair<int, HubFile>> parts, int count) {
    std::sort(parts.begin(), parts.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    HubModel model;
    bool whole = parts.size() == count;
    for (qsizetype i = 0; i < parts.size(); ++i) {
        whole = whole && parts[i].first == i + 1;
        model.files << parts[i].second;
    }
    model.name = model.files.front().path;
    if (!whole)
        model.problem = ListingTexts::tr("The repository has only %2 of its %1 parts.")
                            .arg(count)
                            .arg(parts.size());
    return model;
}

/// Returns true for files that the program reads from a safetensors folder.
bool belongsToFolder(const QString& path) {
    if (path.contains(QLatin1Char('/'))) return false;
    static const QStringList kNames{QStringLiteral("config.json"),
                                    QStringLiteral("generation_config.json"),
                                    QStringLiteral("tokenizer.json"),
                                    QStringLiteral("tokenizer_config.json"),
                                    QStringLiteral("tokenizer.model"),
                                    QStringLiteral("special_tokens_map.json"),
                                    QStringLiteral("added_tokens.json"),
                                    QStringLiteral("vocab.txt"),
                                    QStringLiteral("vocab.json"),
                                    QStringLiteral("merges.txt"),
                                    QStringLiteral("chat_template.jinja"),
                                    QStringLiteral("chat_template.json"),
                                    QStringLiteral("model.safetensors.index.json")};
    return kNames.contains(path) || path.endsWith(QLatin1String(".safetensors"));
}

std::optional<HubModel> folderModel(const QVector<HubFile>& files, const QString& repository) {
    HubModel model;
    bool config = false, weights = false;
    for (const HubFile& file : files) {
        if (!belongsToFolder(file.path)) continue;
        config = config || file.path == QLatin1String("config.json");
        weights = weights || file.path.endsWith(QLatin1String(".safetensors"));
        model.files << file;
    }
    if (!config || !weights) return std::nullopt;
    model.name = repository;
    model.folder = true;
    // Small files first, so that problems in them are found before the long transfer.
    std::stable_sort(model.files.begin(), model.files.end(),
                     [](const HubFile& a, const HubFile& b) { return a.size < b.size; });
    return model;
}

}  // namespace

qint64 HubModel::bytes() const {
    qint64 sum = 0;
    for (const HubFile& file : files) {
        if (file.size < 0) return -1;
        sum = addSizes(sum, file.size);
    }
    return sum;
}

HubResult<QVector<HubFile>> filesIn(const QByteArray& json) {
    const auto parsed =
        parseJson(std::string_view(json.constData(), static_cast<std::size_t>(json.size())),
                  JsonLimits{16, 24});
    if (!parsed) return notUnderstood(QString::fromStdString(parsed.error().what));
    if (!parsed->is_array()) return notUnderstood(ListingTexts::tr("it is not a list."));
    if (parsed->size() > kMaxListedFiles)
        return notUnderstood(ListingTexts::tr("it has more than %1 entries.").arg(kMaxListedFiles));
    QVector<HubFile> files;
    for (const Json& entry : *parsed) {
        if (!entry.is_object())
            return notUnderstood(ListingTexts::tr("an entry is not an object."));
        if (textOf(entry, "type") != QLatin1String("file")) continue;
        HubFile file = fileOf(entry);
        if (file.path.isEmpty() || file.path.size() > 1000)
            return notUnderstood(ListingTexts::tr("an entry has no usable path."));
        files << std::move(file);
    }
    return files;
}

QString nextPage(const QByteArray& link) {
    static const QRegularExpression next(QStringLiteral("<([^<>]*)>\\s*;\\s*rel=\"next\""));
    const auto match = next.match(QString::fromLatin1(link));
    return match.hasMatch() ? match.captured(1) : QString();
}

QVector<HubModel> modelsIn(const QVector<HubFile>& files, const QString& repository) {
    QVector<HubModel> models;
    QMap<QString, std::pair<int, QVector<std::pair<int, HubFile>>>> split;
    for (const HubFile& file : files) {
        if (!file.path.endsWith(QLatin1String(".gguf"), Qt::CaseInsensitive)) continue;
        if (const auto name = splitName(file.path)) {
            auto& parts = split[name->stem + QLatin1Char('/') + QString::number(name->parts)];
            parts.first = name->parts;
            parts.second.push_back({name->part, file});
        } else {
            models << HubModel{file.path, {file}};
        }
    }
    for (const auto& [count, parts] : split) models << splitModel(parts, count);
    if (auto folder = folderModel(files, repository)) models << std::move(*folder);
    std::stable_sort(models.begin(), models.end(),
                     [](const HubModel& a, const HubModel& b) { return a.bytes() < b.bytes(); });
    return models;
}

}  // namespace lacuna::app
