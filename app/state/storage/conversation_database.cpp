#include "app/state/storage/conversation_database.h"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>
#include <algorithm>
#include <utility>

#include "app/state/storage/conversation_rows.h"
#include "app/state/view_rows.h"

namespace lacuna::app {

namespace {

constexpr const char* kSideFiles[] = {"-wal", "-shm"};

QString storePath(const QString& folder) {
    return QDir(folder).filePath(QStringLiteral("conversations.sqlite"));
}

QString lockPath(const QString& folder) {
    return QDir(folder).filePath(QStringLiteral("conversations.lock"));
}

/// Paths of a salvaged database while it is being written, and once it is complete.
QString unfinishedPath(const QString& path) {
    return path + QStringLiteral(".salvaging");
}
QString finishedPath(const QString& path) {
    return path + QStringLiteral(".salvaged");
}

void removeStore(const QString& path) {
    QFile::remove(path);
    for (const char* side : kSideFiles) QFile::remove(path + QString::fromLatin1(side));
}

/// Renames the file and SQLite's side files to a name with reason and time. The main file is
/// renamed first: leftover side files are detected at the next start, while a main file without
/// them would be taken for complete.
QString moveAside(const QString& path) {
    const QString when = QDateTime::currentDateTime().toString(QStringLiteral("yyyyMMdd-HHmmss"));
    QString aside = path + QStringLiteral(".damaged-") + when;
    for (int other = 2; QFile::exists(aside); ++other)
        aside = path + QStringLiteral(".damaged-%1-%2").arg(when).arg(other);
    if (QFile::exists(path) && !QFile::rename(path, aside)) return {};
    for (const char* side : kSideFiles) {
        const QString name = QString::fromLatin1(side);
        QFile::rename(path + name, aside + name);
    }
    return aside;
}

/// Completes a salvage that was interrupted by a kill. @pre this process owns the folder
void finishSalvage(const QString& path) {
    removeStore(unfinishedPath(path));
    if (!QFile::exists(finishedPath(path))) return;
    if (QFile::exists(path)) {
        QFile::remove(finishedPath(path));  // The damaged file still exists and is salvaged again.
        return;
    }
    moveAside(path);
    QFile::rename(finishedPath(path), path);
}

QString salvageNotice(const SavedCopy& saved, const QString& aside) {
    if (saved.conversations == 0 && saved.messages == 0)
        return StoreTexts::tr(
                   "The stored conversations were damaged and nothing could be recovered. The file "
                   "was moved to %1 and a new one was created.")
            .arg(aside);
    const QString kept = StoreTexts::tr(
                             "The stored conversations were damaged. %1 conversations with %2 "
                             "messages were recovered. ")
                             .arg(saved.conversations)
                             .arg(saved.messages);
    const QString lost = saved.lost == 0
                             ? StoreTexts::tr("No message is known to be missing. ")
                             : StoreTexts::tr("At least %1 messages are lost. ").arg(saved.lost);
    return kept + lost + StoreTexts::tr("The damaged file is kept as %1.").arg(aside);
}

/// Converts every word to a quoted prefix query, so that no character of the input acts as an
/// operator.
QString matchOf(const QString& words) {
    static const QRegularExpression separators(QStringLiteral("[^\\w]+"),
                                               QRegularExpression::UseUnicodePropertiesOption);
    QStringList parts;
    for (const QString& word : words.split(separators, Qt::SkipEmptyParts))
        parts << QStringLiteral("\"%1\"*").arg(word);
    return parts.join(QLatin1Char(' '));
}

tl::unexpected<Error> conflict(const QString& title) {
    return fail(
        ErrorCode::Conflict,
        fromQt(StoreTexts::tr(
                   "\u201c%1\u201d was changed by another instance of Lacuna in the meantime.")
                   .arg(title)));
}

}  // namespace

Result<ConversationDatabase> ConversationDatabase::openFile(const QString& path,
                                                            const OpenOptions& how) {
    LACUNA_TRY(SqliteFile file, SqliteFile::open(path, how.busyMs));
    LACUNA_TRY(const qint64 schema, file.number("PRAGMA user_version"));
    if (schema > kConversationSchema) {
        return fail(
            ErrorCode::Unsupported,
            fromQt(StoreTexts::tr("%1 was written by a newer version of Lacuna. It is left "
                                  "unchanged, and conversations of this session are not saved.")
                       .arg(path)));
    }
    LACUNA_TRY_STATUS(file.check(how.check));
    LACUNA_TRY_STATUS(checkConversationTables(file, schema));
    if (schema > 0) LACUNA_TRY_STATUS(checkMessageIndex(file));
    ConversationDatabase database(std::move(file));
    if (schema < kConversationSchema) {
        LACUNA_TRY(SqliteTransaction change, SqliteTransaction::begin(database.m_file));
        LACUNA_TRY_STATUS(migrateConversations(database.m_file, schema));
        LACUNA_TRY_STATUS(change.commit());
    }
    if (how.check == SqliteCheck::Thorough) LACUNA_TRY_STATUS(database.rebuildSearch());
    return database;
}

Status ConversationDatabase::inspect(const QString& folder, const std::atomic<bool>& stop) {
    LACUNA_TRY(SqliteFile file, SqliteFile::openToRead(storePath(folder)));
    file.stopOn(stop);
    return file.check(SqliteCheck::Thorough);
}

Status ConversationDatabase::checkSearch() {
    return checkWords(m_file);
}

Status ConversationDatabase::rebuildSearch() {
    return rebuildWords(m_file);
}

ConversationDatabase::Opened ConversationDatabase::open(const QString& folder) {
    return open(folder, {});
}

ConversationDatabase::Opened ConversationDatabase::open(const QString& folder,
                                                        const OpenOptions& how) {
    const QString path = storePath(folder);
    const auto savingFailed = [](const QString& reason) {
        return Opened{{}, {}, StoreTexts::tr("Conversations are not saved: %1").arg(reason), true};
    };
    if (!QDir().mkpath(folder))
        return savingFailed(StoreTexts::tr("%1 cannot be created.").arg(folder));
    auto lock = FolderLock::take(lockPath(folder));
    if (!lock) return openToRead(path, lock.error(), how);
    finishSalvage(path);
    QString notice;
    Result<ConversationDatabase> opened = openFile(path, how);
    if (!opened && opened.error().code == ErrorCode::Corrupt) {
        const Result<QString> replaced = replaceDamaged(path, how);
        if (!replaced)
            return savingFailed(
                StoreTexts::tr("%1 is damaged, and its readable part cannot be saved: %2")
                    .arg(path, toQt(replaced.error().what)));
        notice = *replaced;
        opened = openFile(path, {.busyMs = how.busyMs});
    }
    if (opened) {
        opened->m_lock.emplace(std::move(*lock));
        return {std::move(*opened), notice, {}, false};
    }
    if (opened.error().code == ErrorCode::Unsupported)
        return {{}, {}, toQt(opened.error().what), false};
    Opened failed = savingFailed(toQt(opened.error().what));
    failed.notice = notice;
    return failed;
}

ConversationDatabase::Opened ConversationDatabase::openToRead(const QString& path,
                                                              const Error& reason,
                                                              const OpenOptions& how) {
    Opened opened;
    opened.mayPass = true;
    if (auto file = SqliteFile::openToRead(path, how.busyMs)) {
        const auto schema = file->number("PRAGMA user_version");
        // An older schema is migrated by the process that owns the folder.
        if (schema && *schema == kConversationSchema && checkConversationTables(*file, *schema))
            opened.database = ConversationDatabase(std::move(*file));
    }
    const QString shown = opened.database ? StoreTexts::tr("They are shown here, but nothing")
                                          : StoreTexts::tr("They cannot be read here, and nothing");
    opened.problem =
        reason.code == ErrorCode::Conflict
            ? StoreTexts::tr(
                  "Another instance of Lacuna (%1) uses the conversations in %2. %3 is saved until "
                  "it ends. `lacuna window --data-dir FOLDER` uses another folder.")
                  .arg(toQt(reason.what), QFileInfo(path).path(), shown)
            : StoreTexts::tr("Conversations are not saved: %1 %2 is saved until this is fixed.")
                  .arg(toQt(reason.what), shown);
    return opened;
}

bool ConversationDatabase::canTakeOwnership(const QString& folder) {
    return FolderLock::take(lockPath(folder)).has_value();
}

/// At any time, the folder contains either the damaged database or a complete new one.
Result<QString> ConversationDatabase::replaceDamaged(const QString& path, const OpenOptions& how) {
    const QString unfinished = unfinishedPath(path);
    SavedCopy saved;
    {
        LACUNA_TRY(ConversationDatabase fresh, openFile(unfinished, {.busyMs = how.busyMs}));
        LACUNA_TRY(saved, salvageConversations(path, fresh.m_file));
    }
    if (!QFile::rename(unfinished, finishedPath(path)))
        return fail(ErrorCode::Write,
                    fromQt(StoreTexts::tr("%1 cannot be renamed.").arg(unfinished)));
    const QString aside = moveAside(path);
    if (aside.isEmpty() || !QFile::rename(finishedPath(path), path))
        return fail(ErrorCode::Write, fromQt(StoreTexts::tr("%1 cannot be moved.").arg(path)));
    return salvageNotice(saved, aside);
}

Result<QVector<ConversationRecord>> ConversationDatabase::conversations() {
    LACUNA_TRY(
        SqliteStatement rows,
        m_file.prepare(
            // Counted in the table, because a damaged index may hide lines.
            "SELECT id, title, title_chosen, settings, coalesce(lines, 0), "
            "own_settings, touched, revision, private, pins FROM conversations LEFT JOIN (SELECT "
            "conversation, count(*) AS lines FROM messages NOT INDEXED WHERE place >= 0 GROUP BY "
            "conversation) ON conversation = id WHERE deleted = 0 "
            "ORDER BY touched, id"));
    QVector<ConversationRecord> all;
    for (;;) {
        LACUNA_TRY(const bool row, rows.step());
        if (!row) return all;
        ConversationRecord record;
        record.id = rows.number(0);
        record.title = rows.text(1);
        record.titleChosen = rows.number(2) != 0;
        record.settings = rows.text(3);
        record.messages = static_cast<int>(rows.number(4));
        record.ownSettings = settingsOf(rows.text(5));
        record.changed = rows.number(6);
        record.revision = rows.number(7);
        record.isPrivate = rows.number(8) != 0;
        record.pins = pinsOf(rows.text(9));
        all.push_back(std::move(record));
    }
}

Result<ConversationLines> ConversationDatabase::lines(qint64 conversation) {
#define LACUNA_LINES_OF                                       \
    "SELECT " LACUNA_LINE_COLUMNS                             \
    ", hash, (SELECT revision FROM conversations WHERE id = " \
    "messages.conversation), place, line, parent FROM messages "
#define LACUNA_LINES_ORDER "WHERE conversation = ? ORDER BY place < 0, abs(place)"
    // A single statement, so that lines and revision are consistent. The owning process has checked
    // the index; other processes cannot rely on it.
    LACUNA_TRY(SqliteStatement rows,
               m_file.prepare(readOnly() ? LACUNA_LINES_OF "NOT INDEXED " LACUNA_LINES_ORDER
                                         : LACUNA_LINES_OF LACUNA_LINES_ORDER));
    rows.bind(conversation);
    ConversationLines found;
    for (;;) {
        LACUNA_TRY(const bool row, rows.step());
        if (!row) break;
        const LineRow stored = LineRow::of(rows, 0);
        ChatLine line = stored.line(conversation);
        line.id = rows.number(10);
        found.revision = rows.number(8);
        if (!rows.isNull(7) && rows.number(7) != stored.checksum()) {
            ++found.damaged;
            line.problem = StoreTexts::tr(
                "This message was damaged on disk and may differ from the original.");
        }
        if (rows.number(9) >= 0)
            found.lines.push_back(std::move(line));
        else
            found.hidden.push_back({std::move(line), rows.number(11)});
    }
    if (found.lines.isEmpty()) {
        LACUNA_TRY(const std::optional<qint64> there, revision(conversation));
        found.revision = there.value_or(0);
    }
    return found;
}

Result<std::optional<qint64>> ConversationDatabase::revision(qint64 conversation) {
    LACUNA_TRY(SqliteStatement rows,
               m_file.prepare("SELECT revision FROM conversations WHERE id = ?"));
    LACUNA_TRY(const bool row, rows.bind(conversation).step());
    return row ? std::optional(rows.number(0)) : std::nullopt;
}

Result<qint64> ConversationDatabase::freeId() {
    LACUNA_TRY(const qint64 last, m_file.number("SELECT max(id) FROM conversations"));
    return std::max(last + 1, QDateTime::currentMSecsSinceEpoch());
}

/// @pre within a transaction
Result<qint64> ConversationDatabase::writeHead(const ConversationRecord& record) {
    LACUNA_TRY(const std::optional<qint64> there, revision(record.id));
    if (there.value_or(0) != record.revision) return conflict(record.title);
    LACUNA_TRY(
        SqliteStatement head,
        m_file.prepare(
            "INSERT INTO conversations(id, title, title_chosen, settings, touched, "
            "own_settings, revision, private, pins) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT(id) DO UPDATE SET title = "
            "excluded.title, "
            "title_chosen = excluded.title_chosen, settings = excluded.settings, "
            "touched = excluded.touched, own_settings = excluded.own_settings, "
            "revision = excluded.revision, private = excluded.private, pins = excluded.pins, "
            "deleted = 0"));
    LACUNA_TRY_STATUS(head.bind(record.id)
                          .bind(record.title)
                          .bind(qint64{record.titleChosen})
                          .bind(record.settings)
                          .bind(QDateTime::currentMSecsSinceEpoch())
                          .bind(settingsJson(record.ownSettings))
                          .bind(record.revision + 1)
                          .bind(qint64{record.isPrivate})
                          .bind(pinsJson(record.pins))
                          .run());
    return record.revision + 1;
}

Result<qint64> ConversationDatabase::save(const ConversationRecord& record,
                                          const UnchangedLines& unchanged) {
    LACUNA_TRY(SqliteTransaction change, SqliteTransaction::begin(m_file));
    LACUNA_TRY(const qint64 revision, writeHead(record));
    LACUNA_TRY(SqliteStatement old,
               m_file.prepare("DELETE FROM messages WHERE conversation = ? AND (place >= ? OR "
                              "place < ?)"));
    LACUNA_TRY_STATUS(
        old.bind(record.id).bind(qint64{unchanged.shown}).bind(-qint64{unchanged.hidden}).run());
    LACUNA_TRY_STATUS(insertLines(record, unchanged));
    LACUNA_TRY_STATUS(change.commit());
    return revision;
}

Result<qint64> ConversationDatabase::saveHead(const ConversationRecord& record) {
    LACUNA_TRY(SqliteTransaction change, SqliteTransaction::begin(m_file));
    LACUNA_TRY(const qint64 revision, writeHead(record));
    LACUNA_TRY_STATUS(change.commit());
    return revision;
}

/// Stores hidden lines at the positions -1, -2 and so on.
Status ConversationDatabase::insertLines(const ConversationRecord& record,
                                         const UnchangedLines& unchanged) {
    LACUNA_TRY(SqliteStatement insert,
               m_file.prepare("INSERT INTO messages(conversation, place, line, parent, "
                              "hash, " LACUNA_LINE_COLUMNS
                              ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"));
    const auto write = [&](const ChatLine& line, qint64 place, qint64 parent) {
        const LineBytes bytes(line);
        const LineRow row = bytes.row();
        insert.reset();
        insert.bind(record.id).bind(place).bind(line.id).bind(parent).bind(row.checksum());
        row.bindTo(insert);
        return insert.run();
    };
    for (qsizetype at = unchanged.shown; at < record.lines.size(); ++at)
        LACUNA_TRY_STATUS(write(record.lines[at], at, 0));
    for (qsizetype at = unchanged.hidden; at < record.hidden.size(); ++at)
        LACUNA_TRY_STATUS(write(record.hidden[at].line, -1 - at, record.hidden[at].parent));
    return {};
}

Result<qint64> ConversationDatabase::remove(qint64 conversation, qint64 known) {
    LACUNA_TRY(SqliteTransaction change, SqliteTransaction::begin(m_file));
    LACUNA_TRY(const std::optional<qint64> there, revision(conversation));
    if (!there) return 0;
    if (*there != known) {
        LACUNA_TRY(SqliteStatement rows,
                   m_file.prepare("SELECT title FROM conversations WHERE id = ?"));
        LACUNA_TRY([[maybe_unused]] const bool row, rows.bind(conversation).step());
        return conflict(rows.text(0));
    }
    LACUNA_TRY(SqliteStatement mark,
               m_file.prepare("UPDATE conversations SET deleted = 1, revision = revision + 1 "
                              "WHERE id = ?"));
    LACUNA_TRY_STATUS(mark.bind(conversation).run());
    LACUNA_TRY_STATUS(change.commit());
    return known + 1;
}

Status ConversationDatabase::purge() {
    LACUNA_TRY(SqliteTransaction change, SqliteTransaction::begin(m_file));
    // Deleted explicitly, because a cascade does not fire the trigger that updates the full-text
    // index.
    LACUNA_TRY_STATUS(
        m_file.run("DELETE FROM messages WHERE conversation IN "
                   "(SELECT id FROM conversations WHERE deleted = 1);"
                   "DELETE FROM conversations WHERE deleted = 1;"));
    return change.commit();
}

Result<QVector<FoundConversation>> ConversationDatabase::search(const QString& words) {
    QVector<FoundConversation> found;
    const QString match = matchOf(words);
    if (match.isEmpty()) return found;
    // Creates the excerpt from one message per conversation rather than from all matches.
    LACUNA_TRY(
        SqliteStatement rows,
        m_file.prepare(
            "SELECT messages.conversation, snippet(words, -1, '', '', '\u2026', 12), "
            "messages.place, messages.line FROM words JOIN messages ON messages.id = words.rowid "
            "WHERE words MATCH ?1 AND words.rowid IN (SELECT id FROM (SELECT id, min((place "
            "< 0) * 1000000000 + abs(place)) FROM messages WHERE id IN (SELECT rowid FROM "
            "words WHERE words MATCH ?1) GROUP BY conversation))"));
    rows.bind(match);
    for (;;) {
        LACUNA_TRY(const bool row, rows.step());
        if (!row) return found;
        found.push_back(
            {rows.number(0), rows.text(1).simplified(), rows.number(2) < 0 ? rows.number(3) : 0});
    }
}

Result<QMap<QString, QString>> ConversationDatabase::settings() {
    LACUNA_TRY(SqliteStatement rows, m_file.prepare("SELECT key, value FROM settings"));
    QMap<QString, QString> values;
    for (;;) {
        LACUNA_TRY(const bool row, rows.step());
        if (!row) return values;
        values.insert(rows.text(0), rows.text(1));
    }
}

Status ConversationDatabase::saveSettings(const QMap<QString, QString>& values) {
    LACUNA_TRY(SqliteTransaction change, SqliteTransaction::begin(m_file));
    LACUNA_TRY_STATUS(m_file.run("DELETE FROM settings"));
    for (auto value = values.begin(); value != values.end(); ++value) {
        LACUNA_TRY(SqliteStatement insert,
                   m_file.prepare("INSERT INTO settings(key, value) VALUES (?, ?)"));
        LACUNA_TRY_STATUS(insert.bind(value.key()).bind(value.value()).run());
    }
    return change.commit();
}

}  // namespace lacuna::app
