#pragma once
/// \file
/// Conversations on disk: one SQLite file with titles, messages, settings and a full-text index.
/// Every call is one transaction: it happened, or it did not; a killed program loses nothing that
/// was written before. Calls block and belong to one thread (ConversationKeeper's worker).

#include <QMap>
#include <QString>
#include <QVector>
#include <optional>

#include "app/state/sqlite_file.h"
#include "app/state/view_types.h"

namespace lacuna::app {

/// A conversation as it is stored.
struct ConversationRecord {
    qint64 id = 0;
    QString title;
    bool titleChosen = false;  ///< by the person; otherwise made from the first question
    QString settings;          ///< in force at its last answer, in words; empty: the defaults
    QMap<QString, QString> ownSettings;  ///< cache settings of its own, key and text; or none
    int messages = 0;
    qint64 changed = 0;       ///< last time, ms since 1970; 0: not since it was begun
    QVector<ChatLine> lines;  ///< [messages], or none of them where they were not read yet
};

class ConversationDatabase {
  public:
    struct Opened;
    /// Opens `folder`/conversations.sqlite, making both when they are missing. A damaged file is
    /// moved aside under another name and a new one begun; the notice then says so and where it is.
    /// A file written by a newer Lacuna is left alone and not opened.
    [[nodiscard]] static Opened open(const QString& folder);

    /// All that were not deleted, longest untouched first, without lines.
    [[nodiscard]] Result<QVector<ConversationRecord>> conversations();
    [[nodiscard]] Result<QVector<ChatLine>> lines(qint64 conversation);
    /// Stores title, settings and the lines from `firstLine` on; those before stay as they are.
    [[nodiscard]] Status save(const ConversationRecord& record, qsizetype firstLine);
    /// Deleted ones are out of every list; restore() takes it back. They go for good at the next
    /// purge().
    [[nodiscard]] Status remove(qint64 conversation);
    [[nodiscard]] Status restore(qint64 conversation);
    [[nodiscard]] Status purge();
    /// Conversations with a message or attachment that has words beginning with every word of
    /// `words`.
    [[nodiscard]] Result<QVector<qint64>> search(const QString& words);

    [[nodiscard]] Result<QMap<QString, QString>> settings();
    [[nodiscard]] Status saveSettings(const QMap<QString, QString>& values);

  private:
    explicit ConversationDatabase(SqliteFile file) : m_file(std::move(file)) {}
    [[nodiscard]] static Result<ConversationDatabase> openFile(const QString& path);
    [[nodiscard]] Status migrate(qint64 from);
    [[nodiscard]] Status insertLines(const ConversationRecord& record, qsizetype firstLine);

    SqliteFile m_file;
};

struct ConversationDatabase::Opened {
    std::optional<ConversationDatabase> database;  ///< none: nothing is kept this time
    QString notice;                                ///< a sentence worth showing, or empty
};

}  // namespace lacuna::app
