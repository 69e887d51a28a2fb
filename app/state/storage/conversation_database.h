#pragma once
/// \file
/// Conversations in one SQLite file: titles, messages, settings and a full-text index. Every call
/// is one transaction, so that a killed program loses nothing that was written before. One process
/// owns a folder and writes; others only read. In addition, each conversation has a revision that a
/// writer must know, so that lines of another writer are never overwritten. Calls block and belong
/// to one thread (ConversationStorage's worker).

#include <QMap>
#include <QString>
#include <QVector>
#include <atomic>
#include <optional>

#include "app/state/chat/chat_branches.h"
#include "app/state/chat/found_conversation.h"
#include "app/state/chat/pinned_words.h"
#include "app/state/storage/sqlite_file.h"
#include "app/state/view_types.h"

namespace lacuna::app {

/// A stored conversation.
struct ConversationRecord {
    qint64 id = 0;
    QString title;
    bool titleChosen = false;  ///< true if the user chose the title; otherwise it is made from the
                               ///< first message
    QString settings;  ///< description of the settings at its last answer; empty for the defaults
    QMap<QString, QString> ownSettings;  ///< its own cache settings by key; empty if it has none
    bool isPrivate = false;              ///< excluded from the shared prefix cache
    int messages = 0;
    qint64 changed = 0;   ///< time of the last change in ms since 1970; 0 if unchanged since it was
                          ///< created
    qint64 revision = 0;  ///< revision last read or written; 0 if never stored
    QVector<PinnedWords> pins;   ///< words protected from compactions, in any branch
    QVector<ChatLine> lines;     ///< [messages], or empty if not loaded yet
    QVector<HiddenLine> hidden;  ///< lines of hidden branches, loaded together with `lines`
};

/// Number of leading lines that are unchanged since the last write.
struct UnchangedLines {
    qsizetype shown = 0;   ///< of the shown lines
    qsizetype hidden = 0;  ///< of the hidden lines
};

/// The lines of one conversation.
struct ConversationLines {
    QVector<ChatLine> lines;
    QVector<HiddenLine> hidden;
    qint64 revision = 0;
    int damaged = 0;  ///< number of lines whose checksum is wrong; each is marked in its problem
};

class ConversationDatabase {
  public:
    struct Opened;
    struct OpenOptions;
    /// Opens `folder`/conversations.sqlite and creates both if missing. Readable data of a damaged
    /// file are copied to a new one, and the damaged file is kept under another name; the notice
    /// describes what was saved and where it is. If another process owns the folder, or it is not
    /// writable, the file is opened read-only. A file written by a newer Lacuna is not opened or
    /// changed.
    [[nodiscard]] static Opened open(const QString& folder);
    [[nodiscard]] static Opened open(const QString& folder, const OpenOptions& how);
    /// Compares all indexes except the full-text index with their tables. Uses its own connection,
    /// so that it can run on another thread while the database is in use. Ends soon after `stop` is
    /// set. Errors: Corrupt, which a thorough open repairs; others if the check was impossible.
    [[nodiscard]] static Status inspect(const QString& folder, const std::atomic<bool>& stop);
    /// Compares the full-text index with the messages. Errors: Corrupt, which rebuildSearch()
    /// repairs.
    [[nodiscard]] Status checkSearch();
    [[nodiscard]] Status rebuildSearch();
    /// Returns true if open() could take ownership of the folder; used after a read-only open.
    [[nodiscard]] static bool canTakeOwnership(const QString& folder);
    /// Returns true if all writing calls fail.
    [[nodiscard]] bool readOnly() const { return !m_lock.has_value(); }
    /// Sets how long a call waits for another writing program, in ms.
    void setPatience(int busyMs) { m_file.setPatience(busyMs); }

    /// Returns all conversations that are not deleted, least recently changed first, without lines.
    [[nodiscard]] Result<QVector<ConversationRecord>> conversations();
    [[nodiscard]] Result<ConversationLines> lines(qint64 conversation);
    /// Stores title, settings, pins and the lines that are not `unchanged`; undeletes a deleted
    /// conversation. Returns the new revision. Errors: Conflict if the revision of `record` differs
    /// from that on disk; nothing is changed then.
    [[nodiscard]] Result<qint64> save(const ConversationRecord& record,
                                      const UnchangedLines& unchanged);
    /// Like save(), but without the lines.
    [[nodiscard]] Result<qint64> saveHead(const ConversationRecord& record);
    /// Returns nullopt if there is no such conversation.
    [[nodiscard]] Result<std::optional<qint64>> revision(qint64 conversation);
    /// Returns an unused id.
    [[nodiscard]] Result<qint64> freeId();
    /// Marks a conversation as deleted: it is omitted from all lists until saved again, and
    /// permanently removed by the next purge(). Returns the new revision. Errors: Conflict as
    /// above. A missing conversation is not an error.
    [[nodiscard]] Result<qint64> remove(qint64 conversation, qint64 revision);
    [[nodiscard]] Status purge();
    /// Finds conversations with a message or attachment, in any branch, that contains for every
    /// word of `words` a word with that prefix.
    [[nodiscard]] Result<QVector<FoundConversation>> search(const QString& words);

    [[nodiscard]] Result<QMap<QString, QString>> settings();
    [[nodiscard]] Status saveSettings(const QMap<QString, QString>& values);

  private:
    explicit ConversationDatabase(SqliteFile file) : m_file(std::move(file)) {}
    [[nodiscard]] static Result<ConversationDatabase> openFile(const QString& path,
                                                               const OpenOptions& how);
    [[nodiscard]] static Opened openToRead(const QString& path, const Error& reason,
                                           const OpenOptions& how);
    [[nodiscard]] static Result<QString> replaceDamaged(const QString& path,
                                                        const OpenOptions& how);
    [[nodiscard]] Result<qint64> writeHead(const ConversationRecord& record);
    [[nodiscard]] Status insertLines(const ConversationRecord& record,
                                     const UnchangedLines& unchanged);

    SqliteFile m_file;
    std::optional<FolderLock> m_lock;  ///< nullopt if opened read-only
};

struct ConversationDatabase::OpenOptions {
    int busyMs = SqliteFile::kBusyMs;
    /// Thorough after an error that a check of every page does not explain; also rebuilds the
    /// full-text index.
    SqliteCheck check = SqliteCheck::Quick;
};

struct ConversationDatabase::Opened {
    std::optional<ConversationDatabase> database;  ///< nullopt if nothing can be read or stored
    QString notice;                                ///< message to show once, or empty
    QString problem;       ///< why nothing can be written; empty if writing works
    bool mayPass = false;  ///< true if a later attempt may succeed
};

}  // namespace lacuna::app
