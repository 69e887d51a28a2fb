#pragma once
/// \file
/// Storage format of conversations and their lines: schema, column contents, checksums, and salvage
/// of damaged files. Internal to the code that accesses the database file.

#include <QByteArrayView>
#include <QCoreApplication>
#include <QMap>
#include <QString>
#include <array>

#include "app/state/storage/sqlite_file.h"
#include "app/state/view_types.h"

namespace lacuna::app {

/// Schema version; files with a higher one belong to a newer Lacuna.
constexpr qint64 kConversationSchema = 5;

/// Migrates a file from schema `from` (0 for an empty file) to kConversationSchema. @pre within a
/// transaction
[[nodiscard]] Status migrateConversations(SqliteFile& file, qint64 from);
/// Errors: Corrupt if a file of schema `schema` lacks expected tables or columns.
[[nodiscard]] Status checkConversationTables(SqliteFile& file, qint64 schema);

/// Errors: Corrupt if the index of the messages differs from their table. A damaged index hides
/// messages without an error, and SQLite's quick check does not compare the two. @pre the file has
/// the tables
[[nodiscard]] Status checkMessageIndex(SqliteFile& file);
/// Errors: Corrupt if the full-text index is damaged or does not match the messages. Takes the
/// write lock.
[[nodiscard]] Status checkWords(SqliteFile& file);
[[nodiscard]] Status rebuildWords(SqliteFile& file);

/// Columns of a line in the order of LineRow.
#define LACUNA_LINE_COLUMNS "speaker, state, text, attachment, attachment_text, problem, figures"

/// A line as stored in the columns. The views are valid as long as their source.
struct LineRow {
    qint64 speaker = 0, state = 0;
    std::array<QByteArrayView, 5> texts;  ///< text, attachment, its text, problem, figures; UTF-8

    /// Reads a row whose columns from `first` on are LACUNA_LINE_COLUMNS.
    [[nodiscard]] static LineRow of(const SqliteStatement& row, int first);
    /// Hash of all columns; position and conversation are not included.
    [[nodiscard]] qint64 checksum() const;
    void bindTo(SqliteStatement& statement) const;
    [[nodiscard]] ChatLine line(qint64 conversation) const;
};

/// Owns the bytes of a LineRow.
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

/// Translated messages of the storage.
struct StoreTexts {
    Q_DECLARE_TR_FUNCTIONS(Conversations)
};

/// Result of salvaging a damaged database row by row. Blocks; one thread.
struct SavedCopy {
    qint64 conversations = 0;
    qint64 messages = 0;
    qint64 lost = 0;  ///< lower bound of the number of missing messages
};

/// Copies every readable row of `damaged`, which is not changed, to `into`, an empty database of
/// the current schema. Lines keep their order and checksums; gaps are closed. A conversation whose
/// own row is lost is named after its first user message. Unreadable rows are not an error. Errors:
/// those of writing `into`.
[[nodiscard]] Result<SavedCopy> salvageConversations(const QString& damaged, SqliteFile& into);

}  // namespace lacuna::app
