#include "app/state/models/model_library.h"

#include <unistd.h>

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QMap>
#include <algorithm>
#include <atomic>
#include <utility>

#include "app/state/files/program_files.h"
#include "app/state/files/work_thread.h"
#include "app/state/models/model_files.h"
#include "app/state/view_rows.h"

namespace lacuna::app {

namespace {

constexpr qint64 kMaxKept = qint64{1} << 20;
constexpr int kMostRecent = 50;

QString absolute(const QString& path) {
    return path.isEmpty() ? QString() : QFileInfo(path).absoluteFilePath();
}

bool below(const QString& path, const QString& folder) {
    return !folder.isEmpty() && path.startsWith(folder + QLatin1Char('/'));
}

QStringList textsIn(const QJsonValue& value) {
    QStringList texts;
    for (const QJsonValue one : value.toArray())
        if (one.isString() && !one.toString().isEmpty()) texts << one.toString();
    return texts;
}

QJsonArray arrayOf(const QStringList& texts) {
    return QJsonArray::fromStringList(texts);
}

/// Data stored across runs.
struct Kept {
    QStringList folders, recent, added, hidden;
    QString last;      ///< model loaded last; empty for the bundled one
    QString starting;  ///< model being loaded at start; if still set at the next start, the program
                       ///< crashed while loading it
    bool loadsLast = true;
    QMap<QString, QString> drafts;
    QString downloads, hub;
};

QByteArray bytesOf(const Kept& kept) {
    QJsonObject drafts;
    for (auto one = kept.drafts.begin(); one != kept.drafts.end(); ++one)
        drafts.insert(one.key(), one.value());
    return QJsonDocument(QJsonObject{{QStringLiteral("version"), 1},
                                     {QStringLiteral("folders"), arrayOf(kept.folders)},
                                     {QStringLiteral("recent"), arrayOf(kept.recent)},
                                     {QStringLiteral("added"), arrayOf(kept.added)},
                                     {QStringLiteral("hidden"), arrayOf(kept.hidden)},
                                     {QStringLiteral("last"), kept.last},
                                     {QStringLiteral("starting"), kept.starting},
                                     {QStringLiteral("loads_last"), kept.loadsLast},
                                     {QStringLiteral("drafts"), drafts},
                                     {QStringLiteral("downloads"), kept.downloads},
                                     {QStringLiteral("hub"), kept.hub}})
        .toJson();
}

Kept keptIn(const QString& path) {
    Kept kept;
    QFile file(path);
    if (!QFileInfo(path).isFile() || file.size() > kMaxKept || !file.open(QIODevice::ReadOnly))
        return kept;
    const QJsonObject json = QJsonDocument::fromJson(file.readAll()).object();
    const auto text = [&](const char* key) { return json.value(QLatin1String(key)).toString(); };
    kept.folders = textsIn(json.value(QStringLiteral("folders")));
    kept.recent = textsIn(json.value(QStringLiteral("recent")));
    kept.added = textsIn(json.value(QStringLiteral("added")));
    kept.hidden = textsIn(json.value(QStringLiteral("hidden")));
    kept.last = text("last");
    kept.starting = text("starting");
    kept.loadsLast = json.value(QStringLiteral("loads_last")).toBool(true);
    const QJsonObject drafts = json.value(QStringLiteral("drafts")).toObject();
    for (auto one = drafts.begin(); one != drafts.end(); ++one)
        if (one.value().isString()) kept.drafts.insert(one.key(), one.value().toString());
    kept.downloads = text("downloads");
    kept.hub = text("hub");
    return kept;
}

}  // namespace

struct ModelLibrary::Impl {
    ModelLibrary& owner;
    const QString data;
    const MachineFacts machine;
    const std::function<EngineConfig()> config;
    Kept kept;
    QString problem;
    QMap<QString, ModelLibraryEntry> read;  ///< known rows by path
    QMap<QString, QDateTime> stamps;
    QMap<QString, QStringList> found;  ///< models by folder
    QString inUse;    ///< loaded model; its plan counts the memory of this process as available
    int waiting = 0;  ///< number of pending tasks
    std::atomic<bool> ending{false};
    WorkThread writing{[](const Error&) {}};
    WorkThread thread;

    Impl(ModelLibrary& self, QString folder, const MachineFacts& facts,
         std::function<EngineConfig()> settings)
        : owner(self),
          data(std::move(folder)),
          machine(facts),
          config(std::move(settings)),
          kept(keptIn(file())),
          thread([this](const Error& error) {
              answer([this, what = toQt(error.what)] { problem = what; });
          }) {}
    ~Impl() {
        ending = true;
        thread.waitForDone();
        writing.waitForDone();
    }

    [[nodiscard]] QString file() const {
        return data.isEmpty() ? QString() : QDir(data).filePath(QStringLiteral("models.json"));
    }
    [[nodiscard]] QString downloads() const {
        if (!kept.downloads.isEmpty()) return kept.downloads;
        return data.isEmpty() ? QString() : QDir(data).filePath(QStringLiteral("models"));
    }
    void keep() {
        if (data.isEmpty()) return;
        writing.start([this, path = file(), bytes = bytesOf(kept)] {
            if (!QFileInfo(data).isDir() && QDir().mkpath(data))
                QFile::setPermissions(data, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
            const QString reason = savePrivateFile(path, bytes);
            if (!reason.isEmpty())
                QMetaObject::invokeMethod(
                    &owner, [this, reason] { Q_EMIT owner.savingFailed(reason); },
                    Qt::QueuedConnection);
        });
    }
    /// Posts a result from the file thread to the GUI thread.
    template <class Work>
    void answer(Work work) {
        if (ending) return;
        QMetaObject::invokeMethod(
            &owner,
            [this, work = std::move(work)] {
                work();
                --waiting;
                Q_EMIT owner.changed();
            },
            Qt::QueuedConnection);
    }

    /// Returns the paths in list order.
    [[nodiscard]] QStringList listed() const {
        QStringList paths;
        const auto add = [&](const QString& path) {
            if (!path.isEmpty() && !paths.contains(path) && !kept.hidden.contains(path))
                paths << path;
        };
        add(absolute(bundledModelPath()));
        for (const QString& path : kept.recent) add(path);
        QStringList others = kept.added;
        for (const QStringList& models : found) others += models;
        std::sort(others.begin(), others.end(), [](const QString& a, const QString& b) {
            const int order =
                QString::compare(a.section(QLatin1Char('/'), -1), b.section(QLatin1Char('/'), -1),
                                 Qt::CaseInsensitive);
            return order != 0 ? order < 0 : a < b;
        });
        for (const QString& path : others) add(path);
        return paths;
    }

    /// Scans a folder, then reads new and changed models.
    void scanFolder(const QString& folder) {
        ++waiting;
        thread.start([this, folder] {
            const QStringList models = modelsBelow(folder, ending);
            answer([this, folder, models] {
                found[folder] = models;
                readWhatIsNew();
            });
        });
    }
    void readWhatIsNew() {
        for (const QString& path : listed()) {
            const QDateTime stamp = QFileInfo(path).lastModified();
            if (read.contains(path) && stamps.value(path) == stamp) continue;
            stamps[path] = stamp;
            if (!read.contains(path)) {
                ModelLibraryEntry row;
                row.path = path;
                row.name = QFileInfo(path).fileName();
                row.folder = QFileInfo(path).absolutePath();
                read[path] = row;
            }
            readOne(path);
        }
    }
    void readOne(const QString& path) {
        ++waiting;
        thread.start([this, path, own = path == inUse,
                      dependencies = ReadingContext{machine, config(), data}]() mutable {
            if (ending) return;
            dependencies.machine.availableBytes =
                availableNow(dependencies.machine) + (own ? residentNow() : 0);
            const ModelLibraryEntry row = readModel(path, dependencies);
            answer([this, path, row] { read[path] = row; });
        });
    }
    static std::int64_t residentNow() {
        QFile file(QStringLiteral("/proc/self/statm"));
        if (!file.open(QIODevice::ReadOnly)) return 0;
        return file.readAll().split(' ').value(1).toLongLong() * ::sysconf(_SC_PAGESIZE);
    }
    static std::int64_t availableNow(const MachineFacts& facts) {
        QFile file(QStringLiteral("/proc/meminfo"));
        if (!file.open(QIODevice::ReadOnly)) return facts.availableBytes;
        for (const QByteArray& line : file.readAll().split('\n'))
            if (line.startsWith("MemAvailable:"))
                return line.mid(13).trimmed().split(' ').value(0).toLongLong() * 1024;
        return facts.availableBytes;
    }
};

ModelLibrary::ModelLibrary(const QString& data, const MachineFacts& machine,
                           std::function<EngineConfig()> config, QObject* parent)
    : QObject(parent), m_impl(std::make_unique<Impl>(*this, data, machine, std::move(config))) {}

ModelLibrary::~ModelLibrary() = default;

QVector<ModelLibraryEntry> ModelLibrary::rows() const {
    QVector<ModelLibraryEntry> rows;
    const QString bundled = absolute(bundledModelPath());
    for (const QString& path : m_impl->listed()) {
        ModelLibraryEntry row = m_impl->read.value(path);
        row.path = path;
        if (row.name.isEmpty()) row.name = QFileInfo(path).fileName();
        row.bundled = path == bundled;
        row.downloaded = below(path, m_impl->downloads());
        row.recent = m_impl->kept.recent.contains(path);
        row.draft = m_impl->kept.drafts.value(path);
        rows << std::move(row);
    }
    return rows;
}

const ModelLibraryEntry* ModelLibrary::row(const QString& path) const {
    const auto found = m_impl->read.constFind(path);
    return found == m_impl->read.constEnd() ? nullptr : &*found;
}

bool ModelLibrary::scanning() const {
    return m_impl->waiting > 0;
}

QString ModelLibrary::problem() const {
    return m_impl->problem;
}

QStringList ModelLibrary::folders() const {
    return m_impl->kept.folders;
}

void ModelLibrary::addFolder(const QString& folder) {
    const QString path = absolute(folder);
    Impl& my = *m_impl;
    if (!my.kept.folders.contains(path)) my.kept.folders << path;
    my.kept.hidden.removeIf([&](const QString& one) { return below(one, path); });
    my.keep();
    my.scanFolder(path);
    Q_EMIT changed();
}

void ModelLibrary::removeFolder(const QString& folder) {
    m_impl->kept.folders.removeAll(folder);
    m_impl->found.remove(folder);
    m_impl->keep();
    Q_EMIT changed();
}

void ModelLibrary::addModel(const QString& path) {
    const QString whole = absolute(path);
    m_impl->kept.hidden.removeAll(whole);
    if (!m_impl->kept.added.contains(whole)) m_impl->kept.added << whole;
    m_impl->keep();
    m_impl->readWhatIsNew();
    Q_EMIT changed();
}

void ModelLibrary::removeFromList(const QString& path) {
    Impl& my = *m_impl;
    my.kept.recent.removeAll(path);
    my.kept.added.removeAll(path);
    const bool seen = std::any_of(my.found.begin(), my.found.end(),
                                  [&](const QStringList& models) { return models.contains(path); });
    if (seen && !my.kept.hidden.contains(path)) my.kept.hidden << path;
    if (my.kept.last == path) my.kept.last.clear();
    my.keep();
    Q_EMIT changed();
}

QString ModelLibrary::deleteDownloaded(const QString& path) {
    Impl& my = *m_impl;
    if (!below(path, my.downloads()))
        return tr("%1 is not in the download folder and cannot be deleted here.").arg(path);
    const QFileInfo file(path);
    bool gone = true;
    if (file.isDir() && !file.isSymLink()) {
        gone = QDir(path).removeRecursively();
    } else {
        const QStringList all = filesOf(path) + calibrationFilesOf(path);
        for (const QString& one : all) gone = QFile::remove(one) && gone;
    }
    if (!gone) return tr("%1 cannot be deleted.").arg(path);
    removeFromList(path);
    my.kept.hidden.removeAll(path);
    for (QStringList& models : my.found) models.removeAll(path);
    my.read.remove(path);
    my.kept.drafts.remove(path);
    my.keep();
    Q_EMIT changed();
    return {};
}

void ModelLibrary::scan() {
    Impl& my = *m_impl;
    my.problem.clear();
    QStringList folders = my.kept.folders;
    if (const QString own = my.downloads(); !own.isEmpty() && QFileInfo(own).isDir())
        folders << own;
    for (const QString& folder : folders) my.scanFolder(folder);
    my.readWhatIsNew();
    Q_EMIT changed();
}

void ModelLibrary::refresh(const QString& path) {
    if (m_impl->read.contains(path)) m_impl->readOne(path);
}

QStringList ModelLibrary::recent() const {
    return m_impl->kept.recent;
}

void ModelLibrary::noteLoaded(const QString& path) {
    Impl& my = *m_impl;
    const QString whole = absolute(path);
    const bool bundled = whole == absolute(bundledModelPath());
    my.inUse = whole;
    my.kept.starting.clear();
    my.kept.last = bundled ? QString() : whole;
    my.kept.hidden.removeAll(whole);
    if (!bundled) {
        my.kept.recent.removeAll(whole);
        my.kept.recent.prepend(whole);
        while (my.kept.recent.size() > kMostRecent) my.kept.recent.removeLast();
    }
    my.keep();
    if (my.read.contains(whole)) my.readOne(whole);
    Q_EMIT changed();
}

QString ModelLibrary::takeLast(QString* reason) {
    Impl& my = *m_impl;
    const QString last = my.kept.last;
    if (last.isEmpty() || !my.kept.loadsLast) return {};
    const QString name = QFileInfo(last).fileName();
    if (my.kept.starting == last) {
        my.kept.starting.clear();
        my.keep();
        *reason =
            tr("%1 was not loaded, because the program ended while loading it last time. Load "
               "it from the Models page.")
                .arg(name);
        return {};
    }
    if (!QFileInfo::exists(last)) {
        *reason =
            tr("%1 was not loaded because it no longer exists. The bundled model is used instead.")
                .arg(last);
        return {};
    }
    my.kept.starting = last;
    my.keep();
    my.writing.waitForDone();  // Must be on disk before loading starts, in case it crashes.
    return last;
}

bool ModelLibrary::loadsLast() const {
    return m_impl->kept.loadsLast;
}

void ModelLibrary::setLoadsLast(bool loads) {
    m_impl->kept.loadsLast = loads;
    m_impl->keep();
    Q_EMIT changed();
}

QString ModelLibrary::draftOf(const QString& model) const {
    return m_impl->kept.drafts.value(absolute(model));
}

void ModelLibrary::setDraft(const QString& model, const QString& draft) {
    if (draft.isEmpty())
        m_impl->kept.drafts.remove(absolute(model));
    else
        m_impl->kept.drafts[absolute(model)] = absolute(draft);
    m_impl->keep();
    Q_EMIT changed();
}

QString ModelLibrary::downloadFolder() const {
    return m_impl->downloads();
}

void ModelLibrary::setDownloadFolder(const QString& folder) {
    m_impl->found.remove(m_impl->downloads());
    m_impl->kept.downloads = absolute(folder);
    m_impl->keep();
    scan();
}

QString ModelLibrary::hub() const {
    return m_impl->kept.hub;
}

void ModelLibrary::setHub(const QString& address) {
    m_impl->kept.hub = address.trimmed();
    m_impl->keep();
}

void ModelLibrary::settle() {
    m_impl->writing.waitForDone();
}

}  // namespace lacuna::app
