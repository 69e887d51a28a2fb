#pragma once
/// \file
/// One SQLite file and its statements, with errors as values. A thin door: the SQL stands with its
/// users. Calls block; one thread at a time.

#include <QByteArrayView>
#include <QString>
#include <atomic>
#include <memory>
#include <optional>
#include <utility>

#include "engine/base/result.h"
#include "engine/base/sqlite_statement.h"

namespace lacuna::app {

/// One process owns a folder: a lock on an open file in it. The system gives the lock back when the
/// process ends in any way, so that a killed one blocks nobody. Movable, any thread.
class FolderLock {
  public:
    /// Takes the lock of `path`, a file that is made when it is missing and stays. Where the file
    /// system knows no locks, nothing is held and nothing refused.
    /// Errors: Conflict when another process (or another lock of this one) has it, and its text is
    /// who; Denied, Write when the file cannot be made.
    [[nodiscard]] static Result<FolderLock> take(const QString& path);
    FolderLock(FolderLock&& other) noexcept;
    FolderLock& operator=(FolderLock&& other) noexcept;
    FolderLock(const FolderLock&) = delete;
    FolderLock& operator=(const FolderLock&) = delete;
    ~FolderLock();

  private:
    explicit FolderLock(int file) : m_file(file) {}
    int m_file;
};

/// A prepared statement in the types of the window's side: bind in order, step through the rows.
/// Lives no longer than its file.
class SqliteStatement {
  public:
    SqliteStatement& bind(qint64 value);
    SqliteStatement& bind(const QString& value);
    SqliteStatement& bind(QByteArrayView utf8);
    /// True: a row is there. False: done. Errors: Write or Corrupt, with SQLite's words.
    [[nodiscard]] Result<bool> step() { return m_statement.step(); }
    /// Steps to the end.
    [[nodiscard]] Status run() { return m_statement.run(); }
    [[nodiscard]] qint64 number(int column) const { return m_statement.number(column); }
    [[nodiscard]] QString text(int column) const;
    /// UTF-8 as it is stored; valid until the next step.
    [[nodiscard]] QByteArrayView bytes(int column) const;
    [[nodiscard]] bool isNull(int column) const { return m_statement.isNull(column); }
    /// Back to the start with nothing bound, for another run.
    void reset() { m_statement.reset(); }

  private:
    friend class SqliteFile;
    explicit SqliteStatement(lacuna::SqliteStatement statement)
        : m_statement(std::move(statement)) {}

    lacuna::SqliteStatement m_statement;
};

enum class SqliteCheck { Quick, Thorough };

class SqliteFile {
  public:
    /// How long a call waits for another program that writes; its transactions are short.
    static constexpr int kBusyMs = 5000;

    /// Opens or makes the file, readable by its owner only. Errors: Denied, Write; Corrupt when it
    /// is no database.
    [[nodiscard]] static Result<SqliteFile> open(const QString& path, int busyMs = kBusyMs);
    /// For reading only: neither made nor changed, and read as far as it can be. Errors as above.
    [[nodiscard]] static Result<SqliteFile> openToRead(const QString& path, int busyMs = kBusyMs);

    /// Reads every page; Thorough also holds the indexes against their tables. Neither can see a
    /// changed letter within a text. Errors: Corrupt with what was found first.
    [[nodiscard]] Status check(SqliteCheck how);
    void setPatience(int busyMs);
    /// Long calls end with an error soon after `stop` is set; it outlives the file.
    void stopOn(const std::atomic<bool>& stop);

    /// Runs statements without results.
    [[nodiscard]] Status run(const char* sql);
    /// @pre `sql` is one statement of ours; what fails is the file, and shows at the first step
    [[nodiscard]] Result<SqliteStatement> prepare(const char* sql);
    /// Rows that the last statement has written.
    [[nodiscard]] qint64 changes() const;
    /// One number of one row.
    [[nodiscard]] Result<qint64> number(const char* sql);

  private:
    [[nodiscard]] static Result<SqliteFile> openAs(const QString& path, int flags, int busyMs);

    struct Close {
        void operator()(sqlite3* file) const;
    };
    std::unique_ptr<sqlite3, Close> m_file;
};

/// All or nothing: rolled back unless committed.
class SqliteTransaction {
  public:
    [[nodiscard]] static Result<SqliteTransaction> begin(SqliteFile& file);
    SqliteTransaction(SqliteTransaction&& other) noexcept;
    SqliteTransaction& operator=(SqliteTransaction&&) = delete;
    SqliteTransaction(const SqliteTransaction&) = delete;
    SqliteTransaction& operator=(const SqliteTransaction&) = delete;
    ~SqliteTransaction();
    [[nodiscard]] Status commit();

  private:
    explicit SqliteTransaction(SqliteFile& file) : m_file(&file) {}
    SqliteFile* m_file;  ///< null once over
};

}  // namespace lacuna::app
