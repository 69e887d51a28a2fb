#include "app/state/storage/conversation_rows.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSet>
#include <algorithm>
#include <functional>
#include <limits>
#include <string>
#include <utility>

#include "engine/base/hash.h"

namespace lacuna::app {

namespace {

// Stored on disk; never renumber.
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

/// The revision counts the writes of a conversation, so that a writer detects another one. Lines
/// written by earlier versions have no checksum.
const char* const kAddRevisions = R"(
ALTER TABLE conversations ADD COLUMN revision INTEGER NOT NULL DEFAULT 1;
ALTER TABLE messages ADD COLUMN hash INTEGER;
PRAGMA user_version = 3;
)";

const char* const kAddPrivate = R"(
ALTER TABLE conversations ADD COLUMN private INTEGER NOT NULL DEFAULT 0;
PRAGMA user_version = 4;
)";

/// Lines have a permanent number. Lines of hidden branches have negative positions and store the
/// number of their parent line.
const char* const kAddBranches = R"(
ALTER TABLE messages ADD COLUMN line INTEGER NOT NULL DEFAULT 0;
ALTER TABLE messages ADD COLUMN parent INTEGER NOT NULL DEFAULT 0;
UPDATE messages SET line = place + 1;
ALTER TABLE conversations ADD COLUMN pins TEXT NOT NULL DEFAULT '';
PRAGMA user_version = 5;
)";

qint64 stored(MessageRole speaker) {
    switch (speaker) {
        case MessageRole::System:
            return kSystem;
        case MessageRole::Person:
            return kPerson;
        case MessageRole::Model:
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

MessageRole speakerOf(qint64 number) {
    return number == kSystem   ? MessageRole::System
           : number == kPerson ? MessageRole::Person
                               : MessageRole::Model;
}

QJsonObject figuresObject(const TurnRow& figures) {
    return {{QStringLiteral("prompt"), figures.promptTokens},
            {QStringLiteral("reused"), figures.reusedTokens},
            {QStringLiteral("answer"), figures.answerTokens},
            {QStringLiteral("compactions"), figures.compactions},
            {QStringLiteral("prefill_seconds"), figures.prefillSeconds},
            {QStringLiteral("decode_seconds"), figures.decodeSeconds},
            {QStringLiteral("first_token_seconds"), figures.firstTokenSeconds},
            {QStringLiteral("restored"), figures.restoredTokens},
            {QStringLiteral("finish"), figures.finish}};
}

/// Serialises further data of a line: figures, model and reasoning of an answer, parts of the
/// attachment.
QByteArray figuresJson(const ChatLine& line) {
    QJsonObject json;
    if (line.figures) json = figuresObject(*line.figures);
    if (!line.model.isEmpty()) json.insert(QLatin1String("model"), line.model);
    if (!line.thought.text.isEmpty())
        json.insert(QLatin1String("thought"),
                    QJsonObject{{QStringLiteral("text"), line.thought.text},
                                {QStringLiteral("seconds"), line.thought.seconds},
                                {QStringLiteral("tokens"), line.thought.tokens}});
    QJsonArray parts;
    for (const AttachedPart& part : line.parts)
        parts.append(QJsonArray{part.name, qint64{part.first}, qint64{part.length}});
    if (!parts.isEmpty()) json.insert(QLatin1String("attached"), parts);
    return json.isEmpty() ? QByteArray() : QJsonDocument(json).toJson(QJsonDocument::Compact);
}

std::optional<TurnRow> figuresOf(const QJsonObject& json, qint64 conversation) {
    if (!json.contains(QLatin1String("prompt"))) return std::nullopt;
    TurnRow row;
    row.conversation = conversation;
    row.promptTokens = json.value(QLatin1String("prompt")).toInteger();
    row.reusedTokens = json.value(QLatin1String("reused")).toInteger();
    row.answerTokens = json.value(QLatin1String("answer")).toInteger();
    row.compactions = json.value(QLatin1String("compactions")).toInteger();
    row.prefillSeconds = json.value(QLatin1String("prefill_seconds")).toDouble();
    row.decodeSeconds = json.value(QLatin1String("decode_seconds")).toDouble();
    row.firstTokenSeconds = json.value(QLatin1String("first_token_seconds")).toDouble();
    row.restoredTokens = json.value(QLatin1String("restored")).toInteger();
    row.finish = json.value(QLatin1String("finish")).toString();
    return row;
}

/// Returns an empty list if the parts do not fit the text, as in a damaged file.
QVector<AttachedPart> partsOf(const QJsonArray& json, qsizetype length) {
    QVector<AttachedPart> parts;
    for (const QJsonValue& one : json) {
        const AttachedPart part{one[0].toString(), one[1].toInteger(), one[2].toInteger()};
        if (part.first < 0 || part.length < 0 || part.first > length ||
            part.length > length - part.first)
            return {};
        parts.push_back(part);
    }
    return parts;
}

/// Adds checksums to lines of earlier schemas.
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
    if (from < 4) LACUNA_TRY_STATUS(file.run(kAddPrivate));
    if (from < 5) LACUNA_TRY_STATUS(file.run(kAddBranches));
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
    // Columns are counted instead of selected, so that a memory or disk error is not mistaken for
    // corruption.
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
          Columns{3, 1, "SELECT count(*) FROM pragma_table_info('messages') WHERE name = 'hash'"},
          Columns{4, 1,
                  "SELECT count(*) FROM pragma_table_info('conversations') WHERE name = "
                  "'private'"},
          Columns{5, 1,
                  "SELECT count(*) FROM pragma_table_info('conversations') WHERE name = 'pins'"},
          Columns{5, 2,
                  "SELECT count(*) FROM pragma_table_info('messages') WHERE name IN ('line', "
                  "'parent')"}}) {
        if (schema < since) continue;
        LACUNA_TRY(const qint64 there, file.number(query));
        sound = sound && there == count;
    }
    if (sound) return {};
    return fail(ErrorCode::Corrupt, "It does not have the expected tables.");
}

Status checkMessageIndex(SqliteFile& file) {
    constexpr const char* kDifferences[] = {
        "SELECT count(*) FROM messages AS kept NOT INDEXED WHERE NOT EXISTS (SELECT 1 FROM "
        "messages "
        "AS found INDEXED BY sqlite_autoindex_messages_1 WHERE found.conversation = "
        "kept.conversation AND found.place = kept.place AND found.id = kept.id)",
        "SELECT (SELECT count(*) FROM messages INDEXED BY sqlite_autoindex_messages_1) - (SELECT "
        "count(*) FROM messages NOT INDEXED)"};
    for (const char* query : kDifferences) {
        auto statement = file.prepare(query);
        if (!statement) return fail(ErrorCode::Corrupt, "The messages have no index.");
        LACUNA_TRY([[maybe_unused]] const bool row, statement->step());
        if (statement->number(0) != 0)
            return fail(ErrorCode::Corrupt, "Some messages are missing from their index.");
    }
    return {};
}

Status checkWords(SqliteFile& file) {
    return file.run("INSERT INTO words(words, rank) VALUES ('integrity-check', 1)");
}

Status rebuildWords(SqliteFile& file) {
    return file.run("INSERT INTO words(words) VALUES ('rebuild')");
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
    // Each text seeds the hash of the next, so that moving characters between columns changes the
    // result.
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
    const QJsonObject json = texts[4].isEmpty()
                                 ? QJsonObject()
                                 : QJsonDocument::fromJson(texts[4].toByteArray()).object();
    line.figures = figuresOf(json, conversation);
    line.model = json.value(QLatin1String("model")).toString();
    const QJsonObject thought = json.value(QLatin1String("thought")).toObject();
    line.thought = {thought.value(QLatin1String("text")).toString(),
                    thought.value(QLatin1String("seconds")).toDouble(),
                    thought.value(QLatin1String("tokens")).toInteger()};
    line.parts =
        partsOf(json.value(QLatin1String("attached")).toArray(), line.attachmentText.size());
    line.state = state == kDone     ? LineState::Done
                 : state == kFailed ? LineState::Failed
                                    : LineState::Stopped;
    if (state == kUnfinished)
        line.problem = StoreTexts::tr("Lacuna quit while this answer was being written.");
    return line;
}

LineBytes::LineBytes(const ChatLine& line)
    : m_speaker(stored(line.speaker)),
      m_state(stored(line.state)),
      m_texts{line.text.toUtf8(), line.attachment.toUtf8(), line.attachmentText.toUtf8(),
              line.problem.toUtf8(), figuresJson(line)} {}

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

// A damaged page ends a table scan, but the table can still be scanned from the other end, and
// single rows beyond the page can be read by number. Each table is therefore scanned from both
// ends, and the row numbers in between are tried one by one. Message row numbers are dense; those
// of conversations are timestamps and are known from the messages.

namespace {

/// Maximum number of single-row lookups; takes some seconds.
constexpr qint64 kMaxRequested = 2'000'000;
/// Positions beyond this value are treated as garbage.
constexpr qint64 kMaxIndexedStates = 10'000'000;
constexpr int kTitleCharacters = 42;

/// Consumes a row; its errors are those of the destination file.
using Take = std::function<Status(const SqliteStatement& row)>;

/// Steps to the end or to the first unreadable row; returns true at the end. `last` is set to the
/// row number (column 0) of the last row taken.
Result<bool> walk(SqliteStatement& rows, const Take& take, qint64& last) {
    for (;;) {
        const Result<bool> row = rows.step();
        if (!row) return false;
        if (!*row) return true;
        LACUNA_TRY_STATUS(take(rows));
        last = rows.number(0);
    }
}

/// Reads every readable row of `table`; returns true if these are all rows. `hints` are row numbers
/// that may exist.
Result<bool> readRows(SqliteFile& from, const std::string& table, const std::string& columns,
                      const QSet<qint64>& hints, const Take& take) {
    const std::string select = "SELECT id, " + columns + " FROM " + table;
    auto up = from.prepare((select + " NOT INDEXED ORDER BY id").c_str());
    if (!up) return false;
    qint64 low = std::numeric_limits<qint64>::min();
    LACUNA_TRY(const bool whole, walk(*up, take, low));
    if (whole) return true;
    qint64 high = std::numeric_limits<qint64>::max();
    if (auto down = from.prepare((select + " WHERE id > ? ORDER BY id DESC").c_str())) {
        down->bind(low);
        LACUNA_TRY(const bool ended, walk(*down, take, high));
        if (ended) return false;
    }
    QVector<qint64> ids;
    for (const qint64 id : hints) {
        if (id > low && id < high) ids.push_back(id);
    }
    const qint64 first = std::max<qint64>(low, 0);
    if (high - first <= kMaxRequested) {
        ids.clear();
        for (qint64 id = first + 1; id < high; ++id) ids.push_back(id);
    }
    auto one = from.prepare((select + " WHERE id = ?").c_str());
    if (!one) return false;
    for (const qint64 id : ids) {
        one->reset();
        one->bind(id);
        const Result<bool> row = one->step();
        if (row && *row) LACUNA_TRY_STATUS(take(*one));
    }
    return false;
}

class Salvage {
  public:
    Salvage(SqliteFile& from, SqliteFile& into) : m_from(from), m_into(into) {}

    Result<SavedCopy> run() {
        LACUNA_TRY(SqliteTransaction change, SqliteTransaction::begin(m_into));
        readIndex();
        LACUNA_TRY_STATUS(copyConversations());
        LACUNA_TRY(const bool whole, copyMessages());
        LACUNA_TRY_STATUS(copySettings());
        SavedCopy saved;
        LACUNA_TRY(saved.messages, m_into.number("SELECT count(*) FROM messages"));
        LACUNA_TRY(const qint64 gaps,
                   m_into.number("SELECT sum(gaps) FROM (SELECT max(place) + 1 - count(*) AS gaps "
                                 "FROM messages WHERE place BETWEEN 0 AND 10000000 GROUP BY "
                                 "conversation)"));
        static_assert(kMaxIndexedStates == 10'000'000, "the places in the statement above");
        // A completely scanned table is more reliable than an index that may be damaged.
        saved.lost = whole ? gaps : std::max<qint64>(gaps, m_messages.size() - saved.messages);
        LACUNA_TRY_STATUS(closeGaps("place >= 0", "place", 0, 1));
        LACUNA_TRY_STATUS(closeGaps("place < 0", "place DESC", -1, -1));
        LACUNA_TRY_STATUS(nameOrphans());
        LACUNA_TRY(saved.conversations,
                   m_into.number("SELECT count(*) FROM conversations WHERE deleted = 0"));
        LACUNA_TRY_STATUS(change.commit());
        return saved;
    }

  private:
    bool has(const char* select) { return m_from.prepare(select).has_value(); }

    /// The index of the messages may contain row numbers that a damaged table hides.
    void readIndex() {
        for (const char* order : {"ASC", "DESC"}) {
            const std::string select =
                std::string(
                    "SELECT id, conversation FROM messages INDEXED BY sqlite_autoindex_messages_1 "
                    "ORDER BY conversation ") +
                order + ", place " + order;
            auto rows = m_from.prepare(select.c_str());
            if (!rows) return;
            qint64 last = 0;
            const auto whole = walk(
                *rows,
                [this](const SqliteStatement& row) {
                    m_messages.insert(row.number(0));
                    m_conversations.insert(row.number(1));
                    return Status{};
                },
                last);
            if (whole && *whole) return;
        }
    }

    Status copyConversations() {
        const std::string own =
            has("SELECT own_settings FROM conversations") ? "own_settings" : "''";
        const std::string revision = has("SELECT revision FROM conversations") ? "revision" : "1";
        const std::string isPrivate = has("SELECT private FROM conversations") ? "private" : "0";
        const std::string pins = has("SELECT pins FROM conversations") ? "pins" : "''";
        LACUNA_TRY(SqliteStatement insert,
                   m_into.prepare("INSERT OR IGNORE INTO conversations(id, title, settings, "
                                  "own_settings, pins, title_chosen, touched, deleted, revision, "
                                  "private) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"));
        const auto read =
            readRows(m_from, "conversations",
                     "title, settings, " + own + ", " + pins +
                         ", title_chosen, touched, deleted, " + revision + ", " + isPrivate,
                     m_conversations, [&insert](const SqliteStatement& row) {
                         insert.reset();
                         insert.bind(row.number(0));
                         for (int i = 1; i <= 4; ++i) insert.bind(row.bytes(i));
                         for (int i = 5; i <= 9; ++i) insert.bind(row.number(i));
                         return insert.run();
                     });
        return read ? Status{} : tl::unexpected(read.error());
    }

    /// Returns true if all rows were copied.
    Result<bool> copyMessages() {
        const std::string hash = has("SELECT hash FROM messages") ? "hash" : "NULL";
        const std::string tree =
            has("SELECT line, parent FROM messages") ? "line, parent" : "place + 1, 0";
        LACUNA_TRY(SqliteStatement head,
                   m_into.prepare("INSERT OR IGNORE INTO conversations(id, title, title_chosen, "
                                  "settings, touched, revision) VALUES (?, '', 0, '', ?, 1)"));
        LACUNA_TRY(
            SqliteStatement insert,
            m_into.prepare("INSERT OR IGNORE INTO messages(id, conversation, place, line, parent, "
                           "hash, " LACUNA_LINE_COLUMNS
                           ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"));
        return readRows(
            m_from, "messages",
            "conversation, place, " + tree + ", " + hash + ", " LACUNA_LINE_COLUMNS, m_messages,
            [&](const SqliteStatement& row) -> Status {
                const qint64 place = row.number(2);
                if (place < -kMaxIndexedStates || place > kMaxIndexedStates) return {};
                head.reset();
                LACUNA_TRY_STATUS(
                    head.bind(row.number(1)).bind(QDateTime::currentMSecsSinceEpoch()).run());
                const LineRow line = LineRow::of(row, 6);
                insert.reset();
                insert.bind(row.number(0)).bind(row.number(1)).bind(place);
                insert.bind(row.number(3)).bind(row.number(4));
                insert.bind(row.isNull(5) ? line.checksum() : row.number(5));
                line.bindTo(insert);
                LACUNA_TRY_STATUS(insert.run());
                if (m_into.changes() > 0) return {};
                return keepSecond(row, place, line);
            });
    }

    /// Handles two lines at one position, caused by writing while a damaged index hid the first
    /// one. The second line is appended to its conversation unless it is identical.
    Status keepSecond(const SqliteStatement& row, qint64 place, const LineRow& line) {
        LACUNA_TRY(SqliteStatement same,
                   m_into.prepare("SELECT count(*) FROM messages WHERE conversation = ? AND place "
                                  "= ? AND hash = ?"));
        same.bind(row.number(1)).bind(place).bind(line.checksum());
        LACUNA_TRY([[maybe_unused]] const bool counted, same.step());
        if (same.number(0) > 0) return {};
        // Line numbers are unique in a conversation; appended lines get new ones.
        LACUNA_TRY(SqliteStatement insert,
                   m_into.prepare(
                       "INSERT OR IGNORE INTO messages(conversation, place, line, parent, "
                       "hash, " LACUNA_LINE_COLUMNS
                       ") SELECT ?1, max(max(place), ?2) + 1, max(line) + 1, 0, ?3, ?4, ?5, ?6, "
                       "?7, ?8, ?9, ?10 FROM messages WHERE conversation = ?1"));
        insert.bind(row.number(1)).bind(kMaxIndexedStates).bind(line.checksum());
        line.bindTo(insert);
        return insert.run();
    }

    Status copySettings() {
        auto rows = m_from.prepare("SELECT key, value FROM settings");
        if (!rows) return {};
        LACUNA_TRY(SqliteStatement insert,
                   m_into.prepare("INSERT OR IGNORE INTO settings(key, value) VALUES (?, ?)"));
        qint64 last = 0;
        LACUNA_TRY([[maybe_unused]] const bool whole,
                   walk(
                       *rows,
                       [&insert](const SqliteStatement& row) {
                           insert.reset();
                           return insert.bind(row.bytes(0)).bind(row.bytes(1)).run();
                       },
                       last));
        return {};
    }

    /// Renumbers the positions of `which` without gaps, starting at `first`. Ascending order
    /// ensures that two lines never share a position.
    Status closeGaps(const std::string& which, const std::string& order, qint64 first,
                     qint64 step) {
        const std::string select = "SELECT id, conversation, place FROM messages WHERE " + which +
                                   " ORDER BY conversation, " + order;
        LACUNA_TRY(SqliteStatement rows, m_into.prepare(select.c_str()));
        struct Move {
            qint64 id, place;
        };
        QVector<Move> moves;
        qint64 conversation = -1, next = 0;
        for (;;) {
            LACUNA_TRY(const bool row, rows.step());
            if (!row) break;
            if (rows.number(1) != conversation) next = first;
            conversation = rows.number(1);
            if (rows.number(2) != next) moves.push_back({rows.number(0), next});
            next += step;
        }
        LACUNA_TRY(SqliteStatement move,
                   m_into.prepare("UPDATE messages SET place = ? WHERE id = ?"));
        for (const Move& one : moves) {
            move.reset();
            LACUNA_TRY_STATUS(move.bind(one.place).bind(one.id).run());
        }
        return {};
    }

    Status nameOrphans() {
        LACUNA_TRY(
            SqliteStatement rows,
            m_into.prepare(
                "SELECT id, (SELECT text FROM messages WHERE conversation = "
                "conversations.id AND speaker = 1 AND text <> '' AND place >= 0 ORDER BY place "
                "LIMIT 1) FROM conversations WHERE title = ''"));
        LACUNA_TRY(SqliteStatement name,
                   m_into.prepare("UPDATE conversations SET title = ? WHERE id = ?"));
        for (;;) {
            LACUNA_TRY(const bool row, rows.step());
            if (!row) return {};
            QString title = rows.text(1).left(2 * kTitleCharacters).simplified();
            if (title.size() > kTitleCharacters)
                title = title.left(kTitleCharacters) + QChar(0x2026);
            if (title.isEmpty()) title = StoreTexts::tr("Recovered conversation");
            name.reset();
            LACUNA_TRY_STATUS(name.bind(title).bind(rows.number(0)).run());
        }
    }

    SqliteFile& m_from;
    SqliteFile& m_into;
    QSet<qint64> m_messages, m_conversations;  ///< row numbers found in the index
};

}  // namespace

Result<SavedCopy> salvageConversations(const QString& damaged, SqliteFile& into) {
    auto from = SqliteFile::openToRead(damaged);
    if (!from) return SavedCopy{};
    return Salvage(*from, into).run();
}

}  // namespace lacuna::app
