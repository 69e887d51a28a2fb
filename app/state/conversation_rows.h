#pragma once
/// \file
/// How conversations and their lines lie in the rows of the store: schema, texts of columns and the
/// checksum of a line, and what can still be read of a damaged one. Used by what reads and writes
/// the file only.

#include <QByteArrayView>
#include <QCoreApplication>
#include <QMap>
#include <QString>
#include <array>

#include "app/state/sqlite_file.h"
#include "app/state/view_types.h"

namespace lacuna::app {

/// Grows with the schema; a file with a greater one is left to a newer Lacuna.
constexpr qint64 kConversationSchema = 5;

/// Brings a file from schema `from` (0: an empty file) to the one above.
/// @pre within a transaction
[[nodiscard]] Status migrateConversations(SqliteFile& file, qint64 from);
/// Corrupt, as a sentence, when a file of schema `schema` has not the tables it should have.
[[nodiscard]] Status checkConversationTables(SqliteFile& file, qint64 schema);

/// Corrupt where the index of the messages and their table disagree. A damaged index hides messages
/// of a conversation without any error, and SQLite's quick check does not compare the two.
/// @pre the file has the tables
[[nodiscard]] Status checkMessageIndex(SqliteFile& file);
/// Corrupt where the index of words is damaged or is not that of the messages. Takes the lock of a
/// writer.
[[nodiscard]] Status checkWords(SqliteFile& file);
[[nodiscard]] Status rebuildWords(SqliteFile& file);

/// Columns of a line in the order of LineRow.
#define LACUNA_LINE_COLUMNS "speaker, state, text, attachment, attachment_text, problem, figures"

/// A line as the columns have it. Views: valid as long as what they were made from.
struct LineRow {
    qint64 speaker = 0, state = 0;
    std::array<QByteArrayView, 5> texts;  ///< text, attachment, its text, problem, figures; UTF-8

    /// From a row whose columns from `first` on are LACUNA_LINE_COLUMNS.
    [[nodiscard]] static LineRow of(const SqliteStatement& row, int first);
    /// Of all columns; place and conversation are not part of it.
    [[nodiscard]] qint64 checksum() const;
    void bindTo(SqliteStatement& statement) const;
    [[nodiscard]] ChatLine line(qint64 conversation) const;
};

/// The bytes behind a LineRow.
class LineBytes {
  public:
    explicit LineBytes(const ChatLine& line);
    [[nodiscard]] LineRow row() const;

  private:
    qint64 m_speaker, m_state;
    std::array<QByteArray, 5> m_texts;
};

[[nodiscard]] QString settingsJson(const QMap<QString, QString>& settings);
[[nodiscard]] QMap<QString, QString> settingsOf(const QString& text);

/// Sentences of the store, translated.
struct StoreTexts {
    Q_DECLARE_TR_FUNCTIONS(Conversations)
};

/// What can still be read of a damaged store, row by row. Blocks; one thread.
struct Salvaged {
    qint64 conversations = 0;
    qint64 messages = 0;
    qint64 lost = 0;  ///< messages that are known to be missing; there may be more
};

/// Copies every row of `damaged` that SQLite can read into `into`, an empty store of the schema in
/// force. `damaged` is not changed. Lines keep their order and their checksums; where some are
/// missing the others close up. A conversation whose own row is lost is named after its first
/// question. Errors: those of writing `into`; what cannot be read is none.
[[nodiscard]] Result<Salvaged> salvageConversations(const QString& damaged, SqliteFile& into);

}  // namespace lacuna::app
