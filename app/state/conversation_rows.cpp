#include "app/state/conversation_rows.h"

#include <QCoreApplication>
#include <QJsonDocument>
#include <QJsonObject>
#include <limits>
#include <utility>

#include "engine/base/hash.h"

namespace lacuna::app {

namespace {

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

/// The revision counts the writes of a conversation, so that a writer notices another one. A line
/// without a checksum was written by a Lacuna that knew none.
const char* const kAddRevisions = R"(
ALTER TABLE conversations ADD COLUMN revision INTEGER NOT NULL DEFAULT 1;
ALTER TABLE messages ADD COLUMN hash INTEGER;
PRAGMA user_version = 3;
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

QByteArray figuresJson(const std::optional<TurnRow>& figures) {
    if (!figures) return {};
    const QJsonObject json{{QStringLiteral("prompt"), figures->promptTokens},
                           {QStringLiteral("reused"), figures->reusedTokens},
                           {QStringLiteral("answer"), figures->answerTokens},
                           {QStringLiteral("compactions"), figures->compactions},
                           {QStringLiteral("prefill_seconds"), figures->prefillSeconds},
                           {QStringLiteral("decode_seconds"), figures->decodeSeconds},
                           {QStringLiteral("first_token_seconds"), figures->firstTokenSeconds},
                           {QStringLiteral("finish"), figures->finish}};
    return QJsonDocument(json).toJson(QJsonDocument::Compact);
}

std::optional<TurnRow> figuresOf(QByteArrayView text, qint64 conversation) {
    if (text.isEmpty()) return std::nullopt;
    const QJsonObject json = QJsonDocument::fromJson(text.toByteArray()).object();
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

/// Checksums for the lines of earlier schemas.
Status addChecksums(SqliteFile& file) {
    LACUNA_TRY(SqliteStatement next,
               file.prepare("SELECT id, " LACUNA_LINE_COLUMNS " FROM messages WHERE id > ? "
                            "ORDER BY id LIMIT 1"));
    LACUNA_TRY(SqliteStatement note, file.prepare("UPDATE messages SET hash = ? WHERE id = ?"));
    qint64 last = std::numeric_limits<qint64>::min();
    for (;;) {
        next.reset();
        next.bind(last);
        LACUNA_TRY(const bool row, next.step());
        if (!row) return {};
        last = next.number(0);
        const qint64 hash = LineRow::of(next, 1).checksum();
        next.reset();
        note.reset();
        LACUNA_TRY_STATUS(note.bind(hash).bind(last).run());
    }
}

}  // namespace

Status migrateConversations(SqliteFile& file, qint64 from) {
    if (from < 1) LACUNA_TRY_STATUS(file.run(kMakeSchema));
    if (from < 2) LACUNA_TRY_STATUS(file.run(kAddOwnSettings));
    if (from < 3) {
        LACUNA_TRY_STATUS(file.run(kAddRevisions));
        LACUNA_TRY_STATUS(addChecksums(file));
    }
    return {};
}

Status checkConversationTables(SqliteFile& file, qint64 schema) {
    LACUNA_TRY(const qint64 tables,
               file.number("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN "
                           "('conversations', 'messages', 'words', 'settings')"));
    bool sound = schema == 0 ? tables == 0 : schema > 0 && tables == 4;
    struct Columns {
        qint64 since;
        qint64 count;
        const char* query;
    };
    // Counted, not tried: what memory or the disk refuses is no damage.
    for (const auto& [since, count, query] :
         {Columns{1, 6,
                  "SELECT count(*) FROM pragma_table_info('conversations') WHERE name IN "
                  "('id', 'title', 'title_chosen', 'settings', 'touched', 'deleted')"},
          Columns{1, 10,
                  "SELECT count(*) FROM pragma_table_info('messages') WHERE name IN "
                  "('id', 'conversation', 'place', 'speaker', 'state', 'text', 'attachment', "
                  "'attachment_text', 'problem', 'figures')"},
          Columns{2, 1,
                  "SELECT count(*) FROM pragma_table_info('conversations') WHERE name = "
                  "'own_settings'"},
          Columns{3, 1,
                  "SELECT count(*) FROM pragma_table_info('conversations') WHERE name = "
                  "'revision'"},
          Columns{3, 1,
                  "SELECT count(*) FROM pragma_table_info('messages') WHERE name = 'hash'"}}) {
        if (schema < since) continue;
        LACUNA_TRY(const qint64 there, file.number(query));
        sound = sound && there == count;
    }
    if (sound) return {};
    return fail(ErrorCode::Corrupt, "It has not the tables that it should have.");
}

LineRow LineRow::of(const SqliteStatement& row, int first) {
    LineRow line;
    line.speaker = row.number(first);
    line.state = row.number(first + 1);
    for (int i = 0; i < 5; ++i) line.texts[static_cast<std::size_t>(i)] = row.bytes(first + 2 + i);
    return line;
}

qint64 LineRow::checksum() const {
    std::uint64_t hash = static_cast<std::uint64_t>(speaker * 16 + state);
    // Each text seeds the next, so that letters cannot move from one to another.
    for (const QByteArrayView text : texts)
        hash = hash64(std::string_view(text.data(), static_cast<std::size_t>(text.size())), hash);
    return static_cast<qint64>(hash);
}

void LineRow::bindTo(SqliteStatement& statement) const {
    statement.bind(speaker).bind(state);
    for (const QByteArrayView text : texts) statement.bind(text);
}

ChatLine LineRow::line(qint64 conversation) const {
    ChatLine line;
    line.speaker = speakerOf(speaker);
    line.text = QString::fromUtf8(texts[0]);
    line.attachment = QString::fromUtf8(texts[1]);
    line.attachmentText = QString::fromUtf8(texts[2]);
    line.problem = QString::fromUtf8(texts[3]);
    line.figures = figuresOf(texts[4], conversation);
    line.state = state == kDone     ? LineState::Done
                 : state == kFailed ? LineState::Failed
                                    : LineState::Stopped;
    if (state == kUnfinished)
        line.problem = storeText("Lacuna ended while this answer was being written.");
    return line;
}

LineBytes::LineBytes(const ChatLine& line)
    : m_speaker(stored(line.speaker)),
      m_state(stored(line.state)),
      m_texts{line.text.toUtf8(), line.attachment.toUtf8(), line.attachmentText.toUtf8(),
              line.problem.toUtf8(), figuresJson(line.figures)} {}

LineRow LineBytes::row() const {
    LineRow row;
    row.speaker = m_speaker;
    row.state = m_state;
    for (std::size_t i = 0; i < m_texts.size(); ++i) row.texts[i] = m_texts[i];
    return row;
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

QString storeText(const char* text) {
    return QCoreApplication::translate("Conversations", text);
}

}  // namespace lacuna::app
