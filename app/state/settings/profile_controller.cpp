#include "app/state/settings/profile_controller.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <algorithm>

#include "app/state/experiments/quality_controller.h"
#include "app/state/files/program_files.h"
#include "app/state/list_text.h"
#include "app/state/number_format.h"
#include "app/state/settings/config_controller.h"
#include "app/state/view_rows.h"
#include "engine/settings/setting_spec.h"

namespace lacuna::app {

namespace {

constexpr qint64 kMaxBytes = qint64{1} << 20;
constexpr qsizetype kMaxName = 60;

using Values = QVector<std::pair<QString, QString>>;

/// A built-in profile: a cache preset, which sets the formats, and the method, ratio and loss
/// limit.
struct BuiltIn {
    const char* name;
    const char* preset;
    const char* method;
    const char* ratio;
    const char* lossLimit;
    const char* help;
};
constexpr BuiltIn kBuiltIn[] = {
    {QT_TRANSLATE_NOOP("Profiles", "Full"), "exact", "none", "4", "balanced",
     QT_TRANSLATE_NOOP(
         "Profiles",
         "Nothing is lost, but the cache takes the most memory: 16 bits and every token.")},
    {QT_TRANSLATE_NOOP("Profiles", "Balanced"), "balanced", "am", "4", "balanced",
     QT_TRANSLATE_NOOP("Profiles",
                       "The fewest bits that cost this model almost nothing in measurements, and "
                       "long texts compacted up to 4x as long as answers stay the same.")},
    {QT_TRANSLATE_NOOP("Profiles", "Frugal"), "compact", "am", "8", "0.99",
     QT_TRANSLATE_NOOP("Profiles",
                       "The smallest cache: keys in 8 bits, values in 4, and long texts compacted "
                       "up to 8x, keeping 99 % of their information. Details can be lost.")}};

Values valuesOf(const BuiltIn& profile, Values preset) {
    const std::pair<const char*, const char*> changes[] = {{"method", profile.method},
                                                           {"budget", "off"},
                                                           {"am_ratio", profile.ratio},
                                                           {"loss_limit", profile.lossLimit}};
    for (const auto& [name, text] : changes) {
        const QString key = QString::fromLatin1(name);
        preset.removeIf([&key](const auto& one) { return one.first == key; });
        preset.push_back({key, QString::fromLatin1(text)});
    }
    return preset;
}

const FormatRowView* rowOfPreset(const FormatsView& formats, const char* preset) {
    const auto row =
        std::find_if(formats.rows.begin(), formats.rows.end(), [preset](const FormatRowView& one) {
            return one.preset && one.key == QLatin1String(preset);
        });
    return row == formats.rows.end() ? nullptr : &*row;
}

/// Formats costs such as "4.3 bits a number; recall 28 of 29; divergence 0.0021 nats; 97 % of the
/// speed of 16 bits".
QString costOf(const FormatRowView& row) {
    QStringList said;
    if (row.bitsPerNumber)
        said << ProfileController::tr("%1 bits per number").arg(realText(*row.bitsPerNumber, 2));
    if (row.answerable > 0)
        said << ProfileController::tr("recall %1 of %2")
                    .arg(countText(row.hits), countText(row.answerable));
    if (row.klMean)
        said << ProfileController::tr("divergence %1 nats").arg(realText(*row.klMean, 4));
    if (row.ofFull)
        said << ProfileController::tr("%1 of the speed of 16 bits").arg(percentText(*row.ofFull));
    const bool measured = row.klMean || row.answerable > 0 || row.ofFull;
    if (!measured) said << ProfileController::tr("otherwise not measured on this model");
    if (said.size() == 1 && !measured) return ProfileController::tr("Not measured on this model.");
    return ProfileController::tr("%1.").arg(clauses(said));
}

QJsonObject jsonOf(const Values& values) {
    QJsonObject object;
    for (const auto& [key, text] : values) object.insert(key, text);
    return object;
}

}  // namespace

ProfileController::ProfileController(ConfigController& config, QualityController& quality,
                                     const QString& folder, QObject* parent)
    : QObject(parent),
      m_config(config),
      m_quality(quality),
      m_path(folder.isEmpty() ? QString()
                              : QDir(folder).filePath(QStringLiteral("profiles.json"))) {
    read();
    connect(&config, &ConfigController::statusChanged, this, &ProfileController::changed);
    connect(&quality, &QualityController::changed, this, &ProfileController::changed);
}

bool ProfileController::asked(const Values& values) const {
    return !values.isEmpty() && std::all_of(values.begin(), values.end(), [this](const auto& one) {
        return m_config.spec(one.first).requestedText() == one.second;
    });
}

QVector<ProfileView> ProfileController::profiles() const {
    QVector<ProfileView> all;
    const FormatsView formats = m_quality.formats(m_config.asked());
    for (const BuiltIn& one : kBuiltIn) {
        ProfileView view;
        view.name = QString::fromLatin1(one.name);
        view.label = QCoreApplication::translate("Profiles", one.name);
        view.help = QCoreApplication::translate("Profiles", one.help);
        const FormatRowView* row = rowOfPreset(formats, one.preset);
        if (row == nullptr) {
            view.refused = tr("Load a model first, because the settings depend on it.");
        } else {
            view.values = valuesOf(one, row->settings);
            view.refused = row->refused;
            view.cost = costOf(*row);
            view.active = asked(view.values);
        }
        all.push_back(view);
    }
    for (const Own& own : m_own) {
        ProfileView view;
        view.name = view.label = own.name;
        view.own = true;
        view.values = own.values;
        view.model = own.model;
        view.active = asked(view.values);
        const auto same = std::find_if(
            formats.rows.begin(), formats.rows.end(), [&own](const FormatRowView& row) {
                return std::all_of(row.settings.begin(), row.settings.end(),
                                   [&](const auto& one) { return own.values.contains(one); });
            });
        if (same != formats.rows.end()) {
            view.cost = costOf(*same);
        } else {
            std::vector<std::string> assignments;
            for (const auto& [key, text] : own.values)
                assignments.push_back(fromQt(key + QLatin1Char('=') + text));
            const auto config = withSettings(m_config.asked(), assignments);
            const QString cited = config ? m_quality.citation(*config) : QString();
            view.cost = cited.isEmpty() ? tr("Not measured on this model.") : cited;
        }
        view.help = own.model.isEmpty() ? tr("Your own profile.")
                                        : tr("Your own profile, saved with %1.").arg(own.model);
        all.push_back(view);
    }
    return all;
}

QString ProfileController::active() const {
    const QVector<ProfileView> all = profiles();
    const auto one =
        std::find_if(all.begin(), all.end(), [](const ProfileView& view) { return view.active; });
    return one == all.end() ? QString() : one->name;
}

void ProfileController::apply(const QString& name) {
    for (const ProfileView& one : profiles())
        if (one.name == name && one.refused.isEmpty()) return m_config.editAll(one.values);
}

QString ProfileController::nameProblem(const QString& name) const {
    if (name.trimmed().isEmpty()) return tr("A profile needs a name.");
    if (name.size() > kMaxName) return tr("A name has at most %1 characters.").arg(kMaxName);
    for (const BuiltIn& one : kBuiltIn)
        if (name.compare(QLatin1String(one.name), Qt::CaseInsensitive) == 0 ||
            name.compare(QCoreApplication::translate("Profiles", one.name), Qt::CaseInsensitive) ==
                0)
            return tr("%1 is a built-in profile; choose another name.").arg(name);
    return {};
}

QString ProfileController::save(const QString& name) {
    if (const QString why = nameProblem(name); !why.isEmpty()) return why;
    Own own{name.trimmed(), m_quality.modelName(), {}};
    for (const QString& key : m_config.keys()) {
        const SettingView& spec = m_config.spec(key);
        if (spec.ofConversation) own.values.push_back({key, spec.requestedText()});
    }
    const auto same = std::find_if(m_own.begin(), m_own.end(),
                                   [&](const Own& one) { return one.name == own.name; });
    if (same != m_own.end())
        *same = own;
    else
        m_own.push_back(own);
    return write();
}

QString ProfileController::rename(const QString& name, const QString& to) {
    if (const QString why = nameProblem(to); !why.isEmpty()) return why;
    const auto named = [this](const QString& one) {
        return std::find_if(m_own.begin(), m_own.end(),
                            [&](const Own& own) { return own.name == one; });
    };
    if (named(name) == m_own.end()) return tr("There is no profile %1.").arg(name);
    if (to.trimmed() != name && named(to.trimmed()) != m_own.end())
        return tr("A profile %1 already exists.").arg(to.trimmed());
    named(name)->name = to.trimmed();
    return write();
}

QString ProfileController::remove(const QString& name) {
    m_own.removeIf([&](const Own& own) { return own.name == name; });
    return write();
}

void ProfileController::read() {
    QFile file(m_path);
    if (!QFileInfo(m_path).isFile() || file.size() > kMaxBytes || !file.open(QIODevice::ReadOnly))
        return;
    const QJsonArray list =
        QJsonDocument::fromJson(file.readAll()).object().value(QLatin1String("profiles")).toArray();
    const QStringList known = m_config.keys();
    for (const auto item : list) {
        const QJsonObject object = item.toObject();
        Own own{object.value(QLatin1String("name")).toString(),
                object.value(QLatin1String("model")).toString(),
                {}};
        const QJsonObject values = object.value(QLatin1String("settings")).toObject();
        for (auto value = values.begin(); value != values.end(); ++value)
            if (known.contains(value.key()))  // Other keys come from another version.
                own.values.push_back({value.key(), value.value().toString()});
        if (!own.name.isEmpty()) m_own.push_back(own);
    }
}

QString ProfileController::write() {
    std::sort(m_own.begin(), m_own.end(),
              [](const Own& a, const Own& b) { return a.name.localeAwareCompare(b.name) < 0; });
    Q_EMIT changed();
    if (m_path.isEmpty()) return {};
    QJsonArray list;
    for (const Own& own : m_own)
        list.append(QJsonObject{{QStringLiteral("name"), own.name},
                                {QStringLiteral("model"), own.model},
                                {QStringLiteral("settings"), jsonOf(own.values)}});
    const QJsonObject file{{QStringLiteral("version"), 1}, {QStringLiteral("profiles"), list}};
    return savePrivateFile(m_path, QJsonDocument(file).toJson());
}

}  // namespace lacuna::app
