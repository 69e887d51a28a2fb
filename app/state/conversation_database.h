#pragma once
/// \file
/// Conversations on disk: one SQLite file with titles, messages, settings and a full-text index.
/// Every call is one transaction: it happened, or it did not; a killed program loses nothing that
/// was written before. One process owns a folder and writes; others read. Alongside that, each
/// conversation carries a revision: whoever writes says which one they know, and another writer's
/// lines are never written over. Calls block and belong to one thread (ConversationStorage's
/// worker).

#include <QMap>
#include <QString>
#include <QVector>
#include <atomic>
#include <optional>

#include "app/state/chat_branches.h"
#include "app/state/found_conversation.h"
#include "app/state/pinned_words.h"
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
    bool isPrivate = false;              ///< nothing of it is stored for other conversations
    int messages = 0;
    qint64 changed = 0;          ///< last time, ms since 1970; 0: not since it was begun
    qint64 revision = 0;         ///< as it was read or written last; 0: never stored
    QVector<PinnedWords> pins;   ///< words that no compaction forgets, in any branch
    QVector<ChatLine> lines;     ///< [messages], or none of them where they were not read yet
    QVector<HiddenLine> hidden;  ///< of branches that are not shown; read with the lines
};

/// What of a conversation is as it was written last.
struct UnchangedLines {
    qsizetype shown = 0;   ///< first lines
    qsizetype hidden = 0;  ///< first hidden ones
};

/// The lines of one conversation.
struct ConversationLines {
    QVector<ChatLine> lines;
    QVector<HiddenLine> hidden;
    qint64 revision = 0;
    int damaged = 0;  ///< lines that are not what was written; each says so as its problem
};

class ConversationDatabase {
  public:
    struct Opened;
    struct Opening;
    /// Opens `folder`/conversations.sqlite, making both when they are missing. What can be read of
    /// a damaged file is put into a new one, and the damaged one kept under another name; the
    /// notice then says what was saved and where it is. Where another process owns the folder, or
    /// it cannot be written, the file is opened for reading only. A file written by a newer Lacuna
    /// is left alone and not opened.
    [[nodiscard]] static Opened open(const QString& folder);
    [[nodiscard]] static Opened open(const QString& folder, const Opening& how);
    /// Compares all indexes but that of words with their tables, by a connection of its own: on
    /// another thread while the database is in use. Ends soon after `stop` is set. Errors: Corrupt,
    /// which an opening with a thorough check mends; others where it could not be checked.
    [[nodiscard]] static Status inspect(const QString& folder, const std::atomic<bool>& stop);
    /// Compares the index of words with the messages. Errors: Corrupt, which rebuildSearch() mends.
    [[nodiscard]] Status checkSearch();
    [[nodiscard]] Status rebuildSearch();
    /// Would open() get the folder for itself? For one that was opened for reading only.
    [[nodiscard]] static bool canOwn(const QString& folder);
    /// Every call that writes fails then.
    [[nodiscard]] bool readOnly() const { return !m_lock.has_value(); }
    /// How long a call waits for another program that writes.
    void setPatience(int busyMs) { m_file.setPatience(busyMs); }

    /// All that were not deleted, longest untouched first, without lines.
    [[nodiscard]] Result<QVector<ConversationRecord>> conversations();
    [[nodiscard]] Result<ConversationLines> lines(qint64 conversation);
    /// Stores title, settings, pins and the lines that are not `unchanged`. One that was deleted is
    /// back. Gives its new revision. Errors: Conflict when it is not the
    /// revision of `record` that is on disk; nothing is changed then.
    [[nodiscard]] Result<qint64> save(const ConversationRecord& record,
                                      const UnchangedLines& unchanged);
    /// The same without a look at the lines.
    [[nodiscard]] Result<qint64> saveHead(const ConversationRecord& record);
    /// None: there is no such conversation.
    [[nodiscard]] Result<std::optional<qint64>> revision(qint64 conversation);
    /// An id that none has.
    [[nodiscard]] Result<qint64> freeId();
    /// Deleted ones are out of every list until they are saved again. They go for good at the next
    /// purge(). Gives the new revision. Errors: Conflict as above. One that is not there is no
    /// error.
    [[nodiscard]] Result<qint64> remove(qint64 conversation, qint64 revision);
    [[nodiscard]] Status purge();
    /// Conversations with a message or attachment, in any branch, that has words beginning with
    /// every word of `words`.
    [[nodiscard]] Result<QVector<FoundConversation>> search(const QString& words);

    [[nodiscard]] Result<QMap<QString, QString>> settings();
    [[nodiscard]] Status saveSettings(const QMap<QString, QString>& values);

  private:
    explicit ConversationDatabase(SqliteFile file) : m_file(std::move(file)) {}
    [[nodiscard]] static Result<ConversationDatabase> openFile(const QString& path,
                                                               const Opening& how);
    [[nodiscard]] static Opened openToRead(const QString& path, const Error& why,
                                           const Opening& how);
    [[nodiscard]] static Result<QString> replaceDamaged(const QString& path, const Opening& how);
    [[nodiscard]] Result<qint64> writeHead(const ConversationRecord& record);
    [[nodiscard]] Status insertLines(const ConversationRecord& record,
                                     const UnchangedLines& unchanged);

    SqliteFile m_file;
    std::optional<FolderLock> m_lock;  ///< none: for reading only
};

struct ConversationDatabase::Opening {
    int busyMs = SqliteFile::kBusyMs;
    /// Thorough: after an error that a look at every page does not explain. Makes the index of
    /// words again.
    SqliteCheck check = SqliteCheck::Quick;
};

struct ConversationDatabase::Opened {
    std::optional<ConversationDatabase> database;  ///< none: nothing is shown or kept
    QString notice;                                ///< a sentence worth showing once, or empty
    QString problem;       ///< why nothing is written now, a sentence; empty: everything is
    bool mayPass = false;  ///< and whether another try may go better
};

}  // namespace lacuna::app
