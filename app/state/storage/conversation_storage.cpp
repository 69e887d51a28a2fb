// Only one round of writing runs at a time. It takes all pending changes and puts failed ones back.
// Changes made meanwhile are pending again. Writes therefore never accumulate behind a blocked
// disk, and the latest state is written.

#include "app/state/storage/conversation_storage.h"

#include <QDebug>
#include <QHash>
#include <QLoggingCategory>
#include <QSet>
#include <algorithm>
#include <utility>

#include "app/state/storage/conversation_rows.h"
#include "app/state/view_rows.h"
#include "engine/base/hash.h"

namespace lacuna::app {

namespace {

Q_LOGGING_CATEGORY(storageLog, "lacuna.storage")

quint64 hashOf(const QString& text, quint64 seed) {
    return hash64(std::as_bytes(std::span(text.constData(), static_cast<std::size_t>(text.size()))),
                  seed);
}

/// Hash that detects a changed line; used in memory only.
quint64 signatureOf(const ChatLine& line) {
    quint64 hash = static_cast<quint64>(line.state) * 4 + static_cast<quint64>(line.speaker) * 2 +
                   (line.figures ? 1 : 0) + (static_cast<quint64>(line.id) << 8U);
    for (const QString& text :
         {line.text, line.attachment, line.attachmentText, line.problem, line.model})
        hash = hashOf(text, hash);
    return hash;
}

quint64 signatureOf(const HiddenLine& one) {
    return signatureOf(one.line) + static_cast<quint64>(one.parent) * 0x9E3779B97F4A7C15U;
}

template <class Line>
QVector<quint64> signaturesOf(const QVector<Line>& lines) {
    QVector<quint64> signatures;
    signatures.reserve(lines.size());
    for (const Line& line : lines) signatures.push_back(signatureOf(line));
    return signatures;
}

/// Returns the length of the common prefix.
qsizetype commonStart(const QVector<quint64>& a, const QVector<quint64>& b) {
    return std::mismatch(a.cbegin(), a.cend(), b.cbegin(), b.cend()).first - a.cbegin();
}

}  // namespace

/// The data to be written by one task of the worker.
struct ConversationStorage::Round {
    QVector<ConversationRecord> records;
    QVector<qint64> gone;
    std::optional<QMap<QString, QString>> settings;
};

struct ConversationStorage::Outcome {
    QSet<qint64> failed;
    bool settingsFailed = false;
    QString problem;       ///< error message; empty if everything was written
    bool mayPass = false;  ///< true if a retry may succeed
    bool whole = true;     ///< false if the round was aborted; its other results are then invalid
};

/// Belongs to the worker thread, which only posts events to the storage object.
struct ConversationStorage::Worker {
    /// Known state of a conversation on disk, used to find changed lines.
    struct Known {
        qint64 storedAs = 0;  ///< id of the stored copy if another program owns the original;
                              ///< otherwise 0
        qint64 revision = 0;
        QVector<quint64> lines;  ///< signatures of the stored lines; empty if unknown
        QVector<quint64> hidden;
    };

    ConversationStorage& storage;
    QString folder;
    int busyMs;
    bool wanted = false;  ///< true once opening was requested
    bool shown = false;   ///< true once the contents were reported
    std::optional<ConversationDatabase> database;
    QHash<qint64, Known> known;
    QString closed;                          ///< why nothing can be written; empty if writing works
    bool mayOpen = true;                     ///< true if another attempt to open may succeed
    SqliteCheck check = SqliteCheck::Quick;  ///< kind of check at the next open
    bool purged = false;
    bool writing = false;  ///< true while a round runs
    Outcome outcome;  ///< of the last round; read by the destructor of the storage when no task
                      ///< runs

    Worker(ConversationStorage& owner, QString where, int busy)
        : storage(owner), folder(std::move(where)), busyMs(busy) {}

    template <class Call>
    void publish(Call call) {
        QMetaObject::invokeMethod(&storage, std::move(call), Qt::QueuedConnection);
    }
    void notice(const QString& sentence) {
        if (!sentence.isEmpty()) publish([this, sentence] { Q_EMIT storage.noticed(sentence); });
    }

    /// Opens the file if necessary and possible; returns true if it is writable.
    bool ready() {
        if (!wanted || (database && !database->readOnly())) return wanted;
        if (!mayOpen) return false;
        if (database && !ConversationDatabase::canTakeOwnership(folder)) return false;
        auto opened = ConversationDatabase::open(folder, {.busyMs = busyMs, .check = check});
        notice(opened.notice);
        closed = opened.problem;
        mayOpen = opened.problem.isEmpty() || opened.mayPass;
        if (opened.database) {
            database = std::move(opened.database);
            check = SqliteCheck::Quick;
        }
        if (database && !shown) show();
        return database && !database->readOnly();
    }

    void show() {
        const auto records = database->conversations();
        const auto settings = database->settings();
        if (!records || !settings) {
            const Error& error = records ? settings.error() : records.error();
            closed = ConversationStorage::tr("Stored conversations cannot be read: %1")
                         .arg(toQt(error.what));
            mayOpen = true;
            check = SqliteCheck::Thorough;
            database.reset();
            return;
        }
        shown = true;
        for (const ConversationRecord& record : *records)
            known[record.id].revision = record.revision;
        publish([this, records = *records, settings = *settings] {
            Q_EMIT storage.opened(records, settings);
        });
        if (!database->readOnly()) publish([this] { storage.inspectSoon(); });
    }

    /// Handles the result of the thorough check. `sound` is true if all indexes except the
    /// full-text index are intact.
    void mend(bool sound) {
        if (!database || database->readOnly()) return;
        if (!sound) {
            if (!repair() && !closed.isEmpty()) notice(closed);
            return;
        }
        const Status search = database->checkSearch();
        if (search || search.error().code != ErrorCode::Corrupt) return;
        const Status rebuilt = mended([this] { return database->rebuildSearch(); });
        notice(rebuilt
                   ? ConversationStorage::tr(
                         "The search index did not match the stored conversations and was rebuilt.")
                   : ConversationStorage::tr("Conversations cannot be searched: %1")
                         .arg(toQt(rebuilt.error().what)));
    }

    /// Reopens a damaged file, which salvages the readable data. The folder stayed locked, so the
    /// revisions on disk are adopted.
    bool repair() {
        if (!database || database->readOnly()) return false;
        database.reset();
        check = SqliteCheck::Thorough;
        if (!ready()) return false;
        const auto records = database->conversations();
        if (!records) return false;
        QHash<qint64, qint64> revisions;
        for (const ConversationRecord& record : *records)
            revisions.insert(record.id, record.revision);
        for (auto one = known.begin(); one != known.end(); ++one) {
            one->revision = revisions.value(one->storedAs == 0 ? one.key() : one->storedAs);
            one->lines.clear();
            one->hidden.clear();
        }
        return true;
    }

    [[nodiscard]] Status isOpen() const {
        if (database) return {};
        return fail(ErrorCode::Write, fromQt(closed));
    }

    /// Runs `call`, and a second time if the file was damaged and has been repaired.
    template <class Call>
    auto mended(const Call& call) -> decltype(call()) {
        auto done = call();
        if (done || done.error().code != ErrorCode::Corrupt || !repair()) return done;
        return call();
    }

    /// Handles an exception thrown by a task, usually out of memory.
    void interrupted(const Error& error) {
        if (!std::exchange(writing, false)) return notice(toQt(error.what));
        outcome.problem =
            ConversationStorage::tr("Conversations cannot be saved: %1").arg(toQt(error.what));
        outcome.mayPass = true;
        publish([this, result = outcome] { storage.settle(result); });
    }

    void write(const Round& round) {
        outcome = {};
        outcome.whole = false;  // Set to true at the end of the round.
        writing = true;
        const auto failed = [this](const Status& status) {
            if (status) return false;
            if (outcome.problem.isEmpty())
                outcome.problem = ConversationStorage::tr("Conversations cannot be saved: %1")
                                      .arg(toQt(status.error().what));
            outcome.mayPass = true;
            // The remaining writes are attempted without waiting again.
            if (database) database->setPatience(0);
            return true;
        };
        const bool can = ready();
        if (can && !purged) purged = !failed(mended([this] { return database->purge(); }));
        for (const qint64 id : round.gone) {
            if (!can || failed(mended([&] { return remove(id); }))) outcome.failed.insert(id);
        }
        for (const ConversationRecord& record : round.records) {
            if (!can || failed(mended([&] { return save(record); })))
                outcome.failed.insert(record.id);
        }
        if (round.settings)
            outcome.settingsFailed = !can || failed(mended([&]() -> Status {
                LACUNA_TRY_STATUS(isOpen());
                return database->saveSettings(*round.settings);
            }));
        if (!can && wanted) {
            outcome.problem = closed;
            outcome.mayPass = mayOpen;
        }
        if (database) database->setPatience(busyMs);
        outcome.whole = true;
        publish([this, result = outcome] { storage.settle(result); });
        writing = false;
    }

    Status save(const ConversationRecord& record) {
        LACUNA_TRY_STATUS(isOpen());
        Known& here = known[record.id];
        ConversationRecord stored = record;
        stored.revision = here.revision;
        if (here.storedAs != 0) becomeCopy(stored, here.storedAs);
        // Lines that were never loaded are unchanged; only the title may differ.
        const bool linesUnread = record.lines.isEmpty() && record.messages > 0;
        if (linesUnread) return saveHead(stored, here);
        QVector<quint64> lines = signaturesOf(record.lines);
        QVector<quint64> hidden = signaturesOf(record.hidden);
        auto saved = database->save(
            stored, {commonStart(lines, here.lines), commonStart(hidden, here.hidden)});
        if (!saved && saved.error().code == ErrorCode::Conflict) {
            LACUNA_TRY(const qint64 other, database->freeId());
            becomeCopy(stored, other);
            stored.revision = 0;
            saved = database->save(stored, {});
            if (saved) {
                here.storedAs = other;
                notice(
                    ConversationStorage::tr("\u201c%1\u201d was also changed by another instance "
                                            "of Lacuna. Your version is saved as \u201c%2\u201d.")
                        .arg(record.title, stored.title));
            }
        }
        if (!saved) return tl::unexpected(saved.error());
        here.revision = *saved;
        here.lines = std::move(lines);
        here.hidden = std::move(hidden);
        return {};
    }

    static void becomeCopy(ConversationRecord& record, qint64 id) {
        record.id = id;
        record.title = ConversationStorage::tr("%1 (copy)").arg(record.title);
    }

    /// No lines are affected, so the last writer wins for title and settings.
    Status saveHead(ConversationRecord& stored, Known& here) {
        auto saved = database->saveHead(stored);
        if (!saved && saved.error().code == ErrorCode::Conflict) {
            LACUNA_TRY(const std::optional<qint64> there, database->revision(stored.id));
            if (!there) {
                notice(ConversationStorage::tr(
                           "\u201c%1\u201d was deleted by another instance of Lacuna.")
                           .arg(stored.title));
                return {};
            }
            stored.revision = *there;
            saved = database->saveHead(stored);
        }
        if (!saved) return tl::unexpected(saved.error());
        here.revision = *saved;
        return {};
    }

    Status remove(qint64 conversation) {
        LACUNA_TRY_STATUS(isOpen());
        Known& here = known[conversation];
        const auto removed =
            database->remove(here.storedAs == 0 ? conversation : here.storedAs, here.revision);
        if (!removed && removed.error().code == ErrorCode::Conflict) {
            notice(
                ConversationStorage::tr("%1 It was not deleted.").arg(toQt(removed.error().what)));
            return {};
        }
        if (!removed) return tl::unexpected(removed.error());
        here.revision = *removed;
        return {};
    }

    void fetch(qint64 conversation) {
        if (!database) return;
        const auto read = mended([&] { return database->lines(conversation); });
        if (!read)
            return notice(ConversationStorage::tr("A stored conversation cannot be read: %1")
                              .arg(toQt(read.error().what)));
        Known& here = known[conversation];
        here.revision = read->revision;
        here.lines = signaturesOf(read->lines);
        here.hidden = signaturesOf(read->hidden);
        if (read->damaged > 0)
            notice(ConversationStorage::tr(
                "%n message(s) of this conversation were damaged on disk and are marked.", nullptr,
                read->damaged));
        publish([this, conversation, lines = read->lines, hidden = read->hidden] {
            Q_EMIT storage.fetched(conversation, lines, hidden);
        });
    }

    void search(const QString& words) {
        if (!database) return;
        const auto found = mended([&] { return database->search(words); });
        if (!found)
            return notice(ConversationStorage::tr("Conversations cannot be searched: %1")
                              .arg(toQt(found.error().what)));
        publish([this, words, found = *found] { Q_EMIT storage.found(words, found); });
    }
};

ConversationStorage::ConversationStorage(QString folder, Source source, QObject* parent)
    : ConversationStorage(std::move(folder), std::move(source), StorageDelays{}, parent) {}

ConversationStorage::ConversationStorage(QString folder, Source source, const StorageDelays& pauses,
                                         QObject* parent)
    : QObject(parent),
      m_folder(std::move(folder)),
      m_source(std::move(source)),
      m_pauses(pauses),
      m_worker(std::make_shared<Worker>(*this, m_folder, pauses.busy)),
      m_pool([worker = m_worker.get()](const Error& error) { worker->interrupted(error); }),
      m_inspecting([](const Error&) {}) {
    m_next.setSingleShot(true);
    connect(&m_next, &QTimer::timeout, this, &ConversationStorage::flush);
}

ConversationStorage::~ConversationStorage() {
    m_stopInspecting = true;
    m_inspecting.waitForDone();
    m_pool.waitForDone();
    // The queued result can no longer be delivered, because the event loop has ended.
    if (std::exchange(m_roundRuns, false)) requeueFailed(m_worker->outcome);
    if (m_pendingChanges.isEmpty() && !m_settings) return;
    startRound();
    m_pool.waitForDone();
    requeueFailed(m_worker->outcome);
    publishLoss();
}

void ConversationStorage::run(Task task) {
    m_pool.start([worker = m_worker, task = std::move(task)] { task(*worker); });
}

/// The quick check on opening does not compare every index with its table.
void ConversationStorage::inspectSoon() {
    m_inspecting.start([this] {
        const Status found = ConversationDatabase::inspect(m_folder, m_stopInspecting);
        if (m_stopInspecting || (!found && found.error().code != ErrorCode::Corrupt)) return;
        run([sound = found.has_value()](Worker& worker) { worker.mend(sound); });
    });
}

void ConversationStorage::open() {
    run([](Worker& worker) { worker.wanted = true; });
    flush();
}

/// After a failure, the scheduled retry includes these changes.
void ConversationStorage::writeSoon(int pause) {
    if (m_pause > 0) return publishSaving();
    if (!m_next.isActive() || m_next.remainingTime() > pause) m_next.start(pause);
}

void ConversationStorage::touch(qint64 conversation) {
    m_pendingChanges[conversation] = PendingChange::Save;
    writeSoon(m_pauses.flush);
}

void ConversationStorage::flush() {
    m_next.stop();
    if (m_roundRuns) {
        m_flushAgain = true;
    } else {
        startRound();
    }
}

void ConversationStorage::startRound() {
    Round round;
    m_writing = std::exchange(m_pendingChanges, {});
    m_settingsWriting = std::exchange(m_settings, std::nullopt);
    round.settings = m_settingsWriting;
    for (auto one = m_writing.begin(); one != m_writing.end(); ++one) {
        if (*one == PendingChange::Delete) {
            round.gone.push_back(one.key());
            continue;
        }
        ConversationRecord record = m_source(one.key());
        if (record.id == one.key()) round.records.push_back(std::move(record));
    }
    m_roundRuns = true;
    run([round](Worker& worker) { worker.write(round); });
}

/// Puts failed changes back unless a newer one is already pending.
void ConversationStorage::requeueFailed(const Outcome& outcome) {
    for (auto one = m_writing.begin(); one != m_writing.end(); ++one) {
        const bool failed = !outcome.whole || outcome.failed.contains(one.key());
        if (failed && !m_pendingChanges.contains(one.key()))
            m_pendingChanges.insert(one.key(), *one);
    }
    if ((!outcome.whole || outcome.settingsFailed) && !m_settings) m_settings = m_settingsWriting;
    m_writing.clear();
    m_settingsWriting.reset();
}

void ConversationStorage::settle(const Outcome& outcome) {
    requeueFailed(outcome);
    m_roundRuns = false;
    const bool again = std::exchange(m_flushAgain, false);
    if (outcome.problem.isEmpty()) {
        m_pause = 0;
        if (again) {
            flush();
        } else if (!m_pendingChanges.isEmpty() || m_settings) {
            writeSoon(m_pauses.flush);
        }
    } else {
        m_pause = std::clamp(2 * m_pause, m_pauses.firstRetry, m_pauses.longestRetry);
        if (outcome.mayPass) m_next.start(m_pause);
    }
    m_problem = outcome.problem;
    publishSaving();
}

void ConversationStorage::publishSaving() {
    qsizetype missing = 0;
    if (!m_problem.isEmpty()) {
        missing = m_pendingChanges.size();
        for (auto one = m_writing.begin(); one != m_writing.end(); ++one)
            missing += m_pendingChanges.contains(one.key()) ? 0 : 1;
    }
    const std::pair now(static_cast<int>(missing), m_problem);
    if (std::exchange(m_lastPublished, now) != now) Q_EMIT savingChanged(now.first, now.second);
}

/// The stream quotes and escapes the texts.
void ConversationStorage::publishLoss() const {
    for (auto one = m_pendingChanges.begin(); one != m_pendingChanges.end(); ++one) {
        if (*one == PendingChange::Delete) {
            qCWarning(storageLog) << "Not saved: a deleted conversation is still on disk.";
        } else {
            qCWarning(storageLog) << "Not saved: the conversation" << m_source(one.key()).title;
        }
    }
    if (m_settings) qCWarning(storageLog) << "Not saved: the settings.";
    if (!m_pendingChanges.isEmpty() || m_settings)
        qCWarning(storageLog) << m_worker->outcome.problem;
}

void ConversationStorage::remove(qint64 conversation) {
    m_pendingChanges[conversation] = PendingChange::Delete;
    writeSoon(0);
}

void ConversationStorage::restore(qint64 conversation) {
    m_pendingChanges[conversation] = PendingChange::Save;
    writeSoon(0);
}

void ConversationStorage::fetch(qint64 conversation) {
    run([conversation](Worker& worker) { worker.fetch(conversation); });
}

void ConversationStorage::search(const QString& words) {
    run([words](Worker& worker) { worker.search(words); });
}

void ConversationStorage::saveSettings(const QMap<QString, QString>& values) {
    m_settings = values;
    writeSoon(0);
}

}  // namespace lacuna::app
