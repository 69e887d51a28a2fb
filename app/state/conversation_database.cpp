#include "app/state/conversation_database.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <utility>

#include "app/state/view_rows.h"

namespace lacuna::app {

namespace {

/// Grows with the schema; a file with a greater one is left to a newer Lacuna.
constexpr qint64 kSchema = 2;

// Numbers that reach the disk: never renumber.
enum StoredSpeaker { kSystem = 0, kPerson = 1, kModel = 2 };
enum StoredState { kDone = 0, kUnfinished = 1, kStopped = 2, kFailed = 3 };

const char* const kMakeSchema = R"(
CREATE TABLE conversations(
    id INTEGER PRIMARY KEY, title TEXT NOT NULL, title_chosen INTEGER NOT NULL,
    settings TEXT NOT NULL, touched INTEGER NOT NULL, deleted INTEGER NOT NULL DEFAULT 0);
CREATE TABLE messages(
    id INTEGER PRIMARY KEY,
    conversation INTEGER NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
    place INTEGER NOT NULL, speaker INTEGER NOT NULL, state INTEGER NOT NULL,
    text TEXT NOT NULL, attachment TEXT NOT NULL, attachment_text TEXT NOT NULL,
    problem TEXT NOT NULL, figures TEXT NOT NULL,
    UNIQUE(conversation, place));
CREATE VIRTUAL TABLE words USING fts5(
    text, attachment_text, content = 'messages', content_rowid = 'id',
    tokenize = 'unicode61 remove_diacritics 2');
CREATE TRIGGER messages_in AFTER INSERT ON messages BEGIN
    INSERT INTO words(rowid, text, attachment_text) VALUES (new.id, new.text, new.attachment_text);
END;
CREATE TRIGGER messages_out AFTER DELETE ON messages BEGIN
    INSERT INTO words(words, rowid, text, attachment_text)
        VALUES ('delete', old.id, old.text, old.attachment_text);
END;
CREATE TABLE settings(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
PRAGMA user_version = 1;
)";

const char* const kAddOwnSettings = R"(
ALTER TABLE conversations ADD COLUMN own_settings TEXT NOT NULL DEFAULT '';
PRAGMA user_version = 2;
)";

qint64 stored(Speaker speaker) {
    switch (speaker) {
        case Speaker::System:
            return kSystem;
        case Speaker::Person:
            return kPerson;
        case Speaker::Model:
            return kModel;
    }
    return kModel;
}

qint64 stored(LineState state) {
    switch (state) {
        case LineState::Done:
            return kDone;
        case LineState::Waiting:
        case LineState::Streaming:
            return kUnfinished;
        case LineState::Stopped:
            return kStopped;
        case LineState::Failed:
            return kFailed;
    }
    return kDone;
}

Speaker speakerOf(qint64 number) {
    return number == kSystem   ? Speaker::System
           : number == kPerson ? Speaker::Person
                               : Speaker::Model;
}

QString settingsJson(const QMap<QString, QString>& settings) {
    if (settings.isEmpty()) return {};
    QJsonObject json;
    for (auto value = settings.begin(); value != settings.end(); ++value)
        json.insert(value.key(), value.value());
    return QString::fromUtf8(QJsonDocument(json).toJson(QJsonDocument::Compact));
}

QMap<QString, QString> settingsOf(const QString& text) {
    QMap<QString, QString> settings;
    const QJsonObject json = QJsonDocument::fromJson(text.toUtf8()).object();
    for (auto value = json.begin(); value != json.end(); ++value)
        settings.insert(value.key(), value.value().toString());
    return settings;
}

QString figuresJson(const std::optional<TurnRow>& figures) {
    if (!figures) return {};
    const QJsonObject json{{QStringLiteral("prompt"), figures->promptTokens},
                           {QStringLiteral("reused"), figures->reusedTokens},
                           {QStringLiteral("answer"), figures->answerTokens},
                           {QStringLiteral("compactions"), figures->compactions},
                           {QStringLiteral("prefill_seconds"), figures->prefillSeconds},
                           {QStringLiteral("decode_seconds"), figures->decodeSeconds},
                           {QStringLiteral("first_token_seconds"), figures->firstTokenSeconds},
                           {QStringLiteral("finish"), figures->finish}};
    return QString::fromUtf8(QJsonDocument(json).toJson(QJsonDocument::Compact));
}

std::optional<TurnRow> figuresOf(const QString& text, qint64 conversation) {
    if (text.isEmpty()) return std::nullopt;
    const QJsonObject json = QJsonDocument::fromJson(text.toUtf8()).object();
    TurnRow row;
    row.conversation = conversation;
    row.promptTokens = json.value(QLatin1String("prompt")).toInteger();
    row.reusedTokens = json.value(QLatin1String("reused")).toInteger();
    row.answerTokens = json.value(QLatin1String("answer")).toInteger();
    row.compactions = json.value(QLatin1String("compactions")).toInteger();
    row.prefillSeconds = json.value(QLatin1String("prefill_seconds")).toDouble();
    row.decodeSeconds = json.value(QLatin1String("decode_seconds")).toDouble();
    row.firstTokenSeconds = json.value(QLatin1String("first_token_seconds")).toDouble();
    row.finish = json.value(QLatin1String("finish")).toString();
    return row;
}

ChatLine lineOf(const SqliteStatement& row, qint64 conversation) {
    ChatLine line;
    line.speaker = speakerOf(row.number(0));
    line.text = row.text(2);
    line.attachment = row.text(3);
    line.attachmentText = row.text(4);
    line.problem = row.text(5);
    line.figures = figuresOf(row.text(6), conversation);
    const qint64 state = row.number(1);
    line.state = state == kDone     ? LineState::Done
                 : state == kFailed ? LineState::Failed
                                    : LineState::Stopped;
    if (state == kUnfinished)
        line.problem = QCoreApplication::translate(
            "Conversations", "Lacuna ended while this answer was being written.");
    return line;
}

QString trText(const char* text) {
    return QCoreApplication::translate("Conversations", text);
}

/// The file and SQLite's side files under a name that tells what and when.
QString moveAside(const QString& path) {
    const QString aside = path + QStringLiteral(".damaged-") +
                          QDateTime::currentDateTime().toString(QStringLiteral("yyyyMMdd-HHmmss"));
    for (const char* side : {"-wal", "-shm"}) {
        const QString name = QString::fromLatin1(side);
        QFile::rename(path + name, aside + name);
    }
    return QFile::rename(path, aside) ? aside : QString();
}

/// Every word as a prefix, quoted, so that no sign of the person's is an operator.
QString matchOf(const QString& words) {
    static const QRegularExpression separators(QStringLiteral("[^\\w]+"),
                                               QRegularExpression::UseUnicodePropertiesOption);
    QStringList parts;
    for (const QString& word : words.split(separators, Qt::SkipEmptyParts))
        parts << QStringLiteral("\"%1\"*").arg(word);
    return parts.join(QLatin1Char(' '));
}

}  // namespace

Result<ConversationDatabase> ConversationDatabase::openFile(const QString& path) {
    LACUNA_TRY(SqliteFile file, SqliteFile::open(path));
    LACUNA_TRY(const qint64 schema, file.number("PRAGMA user_version"));
    if (schema > kSchema) {
        return fail(ErrorCode::Unsupported,
                    fromQt(trText("%1 was written by a newer Lacuna. It was left alone, and "
                                  "conversations are not kept this time.")
                               .arg(path)));
    }
    ConversationDatabase database(std::move(file));
    if (schema < kSchema) LACUNA_TRY_STATUS(database.migrate(schema));
    return database;
}

ConversationDatabase::Opened ConversationDatabase::open(const QString& folder) {
    const QString path = QDir(folder).filePath(QStringLiteral("conversations.sqlite"));
    if (!QDir().mkpath(folder))
        return {{}, trText("Conversations are not kept: %1 cannot be made.").arg(folder)};
    Result<ConversationDatabase> opened = openFile(path);
    if (opened) return {std::move(*opened), {}};
    if (opened.error().code == ErrorCode::Unsupported) return {{}, toQt(opened.error().what)};
    if (opened.error().code != ErrorCode::Corrupt)
        return {{}, trText("Conversations are not kept: %1").arg(toQt(opened.error().what))};
    const QString aside = moveAside(path);
    if (!aside.isEmpty()) opened = openFile(path);
    if (aside.isEmpty() || !opened)
        return {{},
                trText("Conversations are not kept: %1 is damaged and could not be moved aside.")
                    .arg(path)};
    return {std::move(*opened),
            trText("The stored conversations were damaged. The file was moved to "
                   "%1, and a new one was begun.")
                .arg(aside)};
}

Status ConversationDatabase::migrate(qint64 from) {
    LACUNA_TRY(SqliteTransaction change, SqliteTransaction::begin(m_file));
    if (from == 0) LACUNA_TRY_STATUS(m_file.run(kMakeSchema));
    LACUNA_TRY_STATUS(m_file.run(kAddOwnSettings));
    return change.commit();
}

Result<QVector<ConversationRecord>> ConversationDatabase::conversations() {
    LACUNA_TRY(SqliteStatement rows,
               m_file.prepare("SELECT id, title, title_chosen, settings, (SELECT count(*) FROM "
                              "messages WHERE conversation = conversations.id), own_settings, "
                              "touched FROM conversations WHERE deleted = 0 ORDER BY touched, id"));
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
        all.push_back(std::move(record));
    }
}

Result<QVector<ChatLine>> ConversationDatabase::lines(qint64 conversation) {
    LACUNA_TRY(SqliteStatement rows,
               m_file.prepare("SELECT speaker, state, text, attachment, attachment_text, problem, "
                              "figures FROM messages WHERE conversation = ? ORDER BY place"));
    rows.bind(conversation);
    QVector<ChatLine> lines;
    for (;;) {
        LACUNA_TRY(const bool row, rows.step());
        if (!row) return lines;
        lines.push_back(lineOf(rows, conversation));
    }
}

Status ConversationDatabase::save(const ConversationRecord& record, qsizetype firstLine) {
    LACUNA_TRY(SqliteTransaction change, SqliteTransaction::begin(m_file));
    LACUNA_TRY(
        SqliteStatement head,
        m_file.prepare(
            "INSERT INTO conversations(id, title, title_chosen, settings, touched, "
            "own_settings) "
            "VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT(id) DO UPDATE SET title = excluded.title, "
            "title_chosen = excluded.title_chosen, settings = excluded.settings, "
            "touched = excluded.touched, own_settings = excluded.own_settings"));
    LACUNA_TRY_STATUS(head.bind(record.id)
                          .bind(record.title)
                          .bind(qint64{record.titleChosen})
                          .bind(record.settings)
                          .bind(QDateTime::currentMSecsSinceEpoch())
                          .bind(settingsJson(record.ownSettings))
                          .run());
    LACUNA_TRY(SqliteStatement old,
               m_file.prepare("DELETE FROM messages WHERE conversation = ? AND place >= ?"));
    LACUNA_TRY_STATUS(old.bind(record.id).bind(qint64{firstLine}).run());
    LACUNA_TRY_STATUS(insertLines(record, firstLine));
    return change.commit();
}

Status ConversationDatabase::insertLines(const ConversationRecord& record, qsizetype firstLine) {
    for (qsizetype place = firstLine; place < record.lines.size(); ++place) {
        const ChatLine& line = record.lines[place];
        LACUNA_TRY(SqliteStatement insert,
                   m_file.prepare("INSERT INTO messages(conversation, place, speaker, state, text, "
                                  "attachment, attachment_text, problem, figures) "
                                  "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"));
        LACUNA_TRY_STATUS(insert.bind(record.id)
                              .bind(qint64{place})
                              .bind(stored(line.speaker))
                              .bind(stored(line.state))
                              .bind(line.text)
                              .bind(line.attachment)
                              .bind(line.attachmentText)
                              .bind(line.problem)
                              .bind(figuresJson(line.figures))
                              .run());
    }
    return {};
}

Status ConversationDatabase::remove(qint64 conversation) {
    LACUNA_TRY(SqliteStatement mark,
               m_file.prepare("UPDATE conversations SET deleted = 1 WHERE id = ?"));
    return mark.bind(conversation).run();
}

Status ConversationDatabase::restore(qint64 conversation) {
    LACUNA_TRY(SqliteStatement mark,
               m_file.prepare("UPDATE conversations SET deleted = 0 WHERE id = ?"));
    return mark.bind(conversation).run();
}

Status ConversationDatabase::purge() {
    LACUNA_TRY(SqliteTransaction change, SqliteTransaction::begin(m_file));
    // By hand, since a cascade does not fire the trigger that keeps the index true.
    LACUNA_TRY_STATUS(
        m_file.run("DELETE FROM messages WHERE conversation IN "
                   "(SELECT id FROM conversations WHERE deleted = 1);"
                   "DELETE FROM conversations WHERE deleted = 1;"));
    return change.commit();
}

Result<QVector<qint64>> ConversationDatabase::search(const QString& words) {
    QVector<qint64> found;
    const QString match = matchOf(words);
    if (match.isEmpty()) return found;
    LACUNA_TRY(SqliteStatement rows,
               m_file.prepare("SELECT DISTINCT conversation FROM messages WHERE id IN "
                              "(SELECT rowid FROM words WHERE words MATCH ?)"));
    rows.bind(match);
    for (;;) {
        LACUNA_TRY(const bool row, rows.step());
        if (!row) return found;
        found.push_back(rows.number(0));
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
