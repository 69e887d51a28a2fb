// A damaged page stops a walk through a table, but not one from the table's other end and not a
// look for a single row beyond it. So each table is walked from both ends, and every row number
// between is asked for. Row numbers of messages are dense; those of conversations are times, and
// are known from the messages.

#include "app/state/conversation_salvage.h"

#include <QDateTime>
#include <QFile>
#include <QSet>
#include <algorithm>
#include <functional>
#include <limits>
#include <string>

#include "app/state/conversation_rows.h"

namespace lacuna::app {

namespace {

/// Row numbers asked for one by one, at most: some seconds.
constexpr qint64 kMaxAsked = 2'000'000;
/// A place beyond it is garbage.
constexpr qint64 kMaxPlaces = 10'000'000;
constexpr int kTitleCharacters = 42;

/// Takes a row; errors are those of the file it is copied to.
using Take = std::function<Status(const SqliteStatement& row)>;

/// Steps until the end or the first row that cannot be read; true: the end. `last` becomes the row
/// number (column 0) of the last one taken.
Result<bool> walk(SqliteStatement& rows, const Take& take, qint64& last) {
    for (;;) {
        const Result<bool> row = rows.step();
        if (!row) return false;
        if (!*row) return true;
        LACUNA_TRY_STATUS(take(rows));
        last = rows.number(0);
    }
}

/// Every row of `table` that can be read. `hints`: row numbers that may be there.
Status readRows(SqliteFile& from, const std::string& table, const std::string& columns,
                const QSet<qint64>& hints, const Take& take) {
    const std::string select = "SELECT id, " + columns + " FROM " + table;
    auto up = from.prepare((select + " ORDER BY id").c_str());
    if (!up) return {};
    qint64 low = std::numeric_limits<qint64>::min();
    LACUNA_TRY(const bool whole, walk(*up, take, low));
    if (whole) return {};
    qint64 high = std::numeric_limits<qint64>::max();
    if (auto down = from.prepare((select + " WHERE id > ? ORDER BY id DESC").c_str())) {
        down->bind(low);
        LACUNA_TRY(const bool ended, walk(*down, take, high));
        if (ended) return {};
    }
    QVector<qint64> ids;
    for (const qint64 id : hints) {
        if (id > low && id < high) ids.push_back(id);
    }
    const qint64 first = std::max<qint64>(low, 0);
    if (high - first <= kMaxAsked) {
        ids.clear();
        for (qint64 id = first + 1; id < high; ++id) ids.push_back(id);
    }
    auto one = from.prepare((select + " WHERE id = ?").c_str());
    if (!one) return {};
    for (const qint64 id : ids) {
        one->reset();
        one->bind(id);
        const Result<bool> row = one->step();
        if (row && *row) LACUNA_TRY_STATUS(take(*one));
    }
    return {};
}

class Salvage {
  public:
    Salvage(SqliteFile& from, SqliteFile& into) : m_from(from), m_into(into) {}

    Result<Salvaged> run() {
        LACUNA_TRY(SqliteTransaction change, SqliteTransaction::begin(m_into));
        readIndex();
        LACUNA_TRY_STATUS(copyConversations());
        LACUNA_TRY_STATUS(copyMessages());
        LACUNA_TRY_STATUS(copySettings());
        Salvaged saved;
        LACUNA_TRY(saved.messages, m_into.number("SELECT count(*) FROM messages"));
        LACUNA_TRY(const qint64 gaps,
                   m_into.number("SELECT sum(gaps) FROM (SELECT max(place) + 1 - count(*) AS gaps "
                                 "FROM messages GROUP BY conversation)"));
        saved.lost = std::max<qint64>(gaps, m_messages.size() - saved.messages);
        LACUNA_TRY_STATUS(closeGaps());
        LACUNA_TRY_STATUS(nameOrphans());
        LACUNA_TRY(saved.conversations,
                   m_into.number("SELECT count(*) FROM conversations WHERE deleted = 0"));
        LACUNA_TRY_STATUS(change.commit());
        return saved;
    }

  private:
    bool has(const char* select) { return m_from.prepare(select).has_value(); }

    /// The index over the messages knows row numbers that the table itself may hide.
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
        LACUNA_TRY(SqliteStatement insert,
                   m_into.prepare("INSERT OR IGNORE INTO conversations(id, title, settings, "
                                  "own_settings, title_chosen, touched, deleted, revision) "
                                  "VALUES (?, ?, ?, ?, ?, ?, ?, ?)"));
        return readRows(m_from, "conversations",
                        "title, settings, " + own + ", title_chosen, touched, deleted, " + revision,
                        m_conversations, [&insert](const SqliteStatement& row) {
                            insert.reset();
                            insert.bind(row.number(0));
                            for (int i = 1; i <= 3; ++i) insert.bind(row.bytes(i));
                            for (int i = 4; i <= 7; ++i) insert.bind(row.number(i));
                            return insert.run();
                        });
    }

    Status copyMessages() {
        const std::string hash = has("SELECT hash FROM messages") ? "hash" : "NULL";
        LACUNA_TRY(SqliteStatement head,
                   m_into.prepare("INSERT OR IGNORE INTO conversations(id, title, title_chosen, "
                                  "settings, touched, revision) VALUES (?, '', 0, '', ?, 1)"));
        LACUNA_TRY(
            SqliteStatement insert,
            m_into.prepare(
                "INSERT OR IGNORE INTO messages(id, conversation, place, hash, " LACUNA_LINE_COLUMNS
                ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"));
        return readRows(
            m_from, "messages", "conversation, place, " + hash + ", " LACUNA_LINE_COLUMNS,
            m_messages, [&](const SqliteStatement& row) -> Status {
                const qint64 place = row.number(2);
                if (place < 0 || place > kMaxPlaces) return {};
                head.reset();
                LACUNA_TRY_STATUS(
                    head.bind(row.number(1)).bind(QDateTime::currentMSecsSinceEpoch()).run());
                const LineRow line = LineRow::of(row, 4);
                insert.reset();
                insert.bind(row.number(0)).bind(row.number(1)).bind(place);
                insert.bind(row.isNull(3) ? line.checksum() : row.number(3));
                line.bindTo(insert);
                return insert.run();
            });
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

    /// Places are counted without gaps again. In order, so that no two lines ever share one.
    Status closeGaps() {
        LACUNA_TRY(SqliteStatement rows,
                   m_into.prepare("SELECT id, conversation, place FROM messages "
                                  "ORDER BY conversation, place"));
        struct Move {
            qint64 id, place;
        };
        QVector<Move> moves;
        qint64 conversation = -1, next = 0;
        for (;;) {
            LACUNA_TRY(const bool row, rows.step());
            if (!row) break;
            if (rows.number(1) != conversation) next = 0;
            conversation = rows.number(1);
            if (rows.number(2) != next) moves.push_back({rows.number(0), next});
            ++next;
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
        LACUNA_TRY(SqliteStatement rows,
                   m_into.prepare("SELECT id, (SELECT text FROM messages WHERE conversation = "
                                  "conversations.id AND speaker = 1 AND text <> '' ORDER BY place "
                                  "LIMIT 1) FROM conversations WHERE title = ''"));
        LACUNA_TRY(SqliteStatement name,
                   m_into.prepare("UPDATE conversations SET title = ? WHERE id = ?"));
        for (;;) {
            LACUNA_TRY(const bool row, rows.step());
            if (!row) return {};
            QString title = rows.text(1).left(2 * kTitleCharacters).simplified();
            if (title.size() > kTitleCharacters)
                title = title.left(kTitleCharacters) + QChar(0x2026);
            if (title.isEmpty()) title = storeText("Recovered conversation");
            name.reset();
            LACUNA_TRY_STATUS(name.bind(title).bind(rows.number(0)).run());
        }
    }

    SqliteFile& m_from;
    SqliteFile& m_into;
    QSet<qint64> m_messages, m_conversations;  ///< that the index knows
};

}  // namespace

Result<Salvaged> salvageConversations(const QString& damaged, SqliteFile& into) {
    auto from = SqliteFile::openToRead(damaged);
    if (!from) return Salvaged{};
    return Salvage(*from, into).run();
}

}  // namespace lacuna::app
