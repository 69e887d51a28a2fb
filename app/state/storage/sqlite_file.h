#pragma once
/// \file
/// A thin wrapper of one SQLite file and its statements, with errors as values. The SQL is in the
/// calling code. Calls block; one thread at a time.

#include <QByteArrayView>
#include <QString>
#include <atomic>
#include <memory>
#include <optional>
#include <utility>

#include "engine/base/result.h"
#include "engine/base/sqlite_statement.h"

namespace lacuna::app {

/// Exclusive ownership of a folder by one process, implemented as a lock on an open file in it. The
/// system releases the lock when the process ends, even if it is killed. Movable, any thread.
class FolderLock {
  public:
    /// Locks `path`, a file that is created if missing and never removed. On file systems without
    /// locks, the call succeeds without a lock. Errors: Conflict if another process (or another
    /// lock of this one) holds it, with the owner as text; Denied, Write if the file cannot be
    /// created.
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

/// A prepared statement with Qt types: bind the parameters in order, then step through the rows.
/// @pre does not outlive its file
class SqliteStatement {
  public:
    SqliteStatement& bind(qint64 value);
    SqliteStatement& bind(const QString& value);
    SqliteStatement& bind(QByteArrayView utf8);
    /// Returns true if a row is available, false at the end. Errors: Write or Corrupt, with
    /// SQLite's message.
    [[nodiscard]] Result<bool> step() { return m_statement.step(); }
    /// Steps to the end.
    [[nodiscard]] Status run() { return m_statement.run(); }
    [[nodiscard]] qint64 number(int column) const { return m_statement.number(column); }
    [[nodiscard]] QString text(int column) const;
    /// Returns the stored UTF-8 bytes; valid until the next step.
    [[nodiscard]] QByteArrayView bytes(int column) const;
    [[nodiscard]] bool isNull(int column) const { return m_statement.isNull(column); }
    /// Resets the statement and clears its bindings.
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
    /// Maximum wait in ms for another writing program, whose transactions are short.
    static constexpr int kBusyMs = 5000;

    /// Opens or creates the file, accessible only by its owner. Errors: Denied, Write; Corrupt if
    /// it is not a database.
    [[nodiscard]] static Result<SqliteFile> open(const QString& path, int busyMs = kBusyMs);
    /// Opens the file read-only; it is neither created nor changed, and read as far as possible.
    /// Errors as above.
    [[nodiscard]] static Result<SqliteFile> openToRead(const QString& path, int busyMs = kBusyMs);

    /// Reads every page; Thorough also compares the indexes with the tables. Neither detects a
    /// changed character in a text. Errors: Corrupt with the first problem.
    [[nodiscard]] Status check(SqliteCheck how);
    void setPatience(int busyMs);
    /// Makes long calls fail soon after `stop` is set. @pre `stop` outlives the file
    void stopOn(const std::atomic<bool>& stop);

    /// Runs statements without results.
    [[nodiscard]] Status run(const char* sql);
    /// Prepares a statement. Errors of the file are reported by the first step. @pre `sql` is a
    /// single statement of this program
    [[nodiscard]] Result<SqliteStatement> prepare(const char* sql);
    /// Number of rows written by the last statement.
    [[nodiscard]] qint64 changes() const;
    /// Returns the first column of a single-row result.
    [[nodiscard]] Result<qint64> number(const char* sql);

  private:
    [[nodiscard]] static Result<SqliteFile> openAs(const QString& path, int flags, int busyMs);

    struct Close {
        void operator()(sqlite3* file) const;
    };
    std::unique_ptr<sqlite3, Close> m_file;
};

/// A transaction that is rolled back unless committed.
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
    SqliteFile* m_file;  ///< null once committed or rolled back
};

}  // namespace lacuna::app
