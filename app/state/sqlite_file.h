#pragma once
/// \file
/// One SQLite file and its statements, with errors as values. A thin door: the SQL stands with its
/// users. Calls block; one thread at a time.

#include <QString>
#include <memory>
#include <optional>

#include "engine/base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace lacuna::app {

/// A prepared statement: bind in order, step through the rows. Lives no longer than its file.
class SqliteStatement {
  public:
    SqliteStatement& bind(qint64 value);
    SqliteStatement& bind(const QString& value);
    /// True: a row is there. False: done. Errors: Write or Corrupt, with SQLite's words.
    [[nodiscard]] Result<bool> step();
    /// Steps to the end.
    [[nodiscard]] Status run();
    [[nodiscard]] qint64 number(int column) const;
    [[nodiscard]] QString text(int column) const;

  private:
    friend class SqliteFile;
    struct Finish {
        void operator()(sqlite3_stmt* statement) const;
    };
    explicit SqliteStatement(sqlite3_stmt* statement) : m_statement(statement) {}

    std::unique_ptr<sqlite3_stmt, Finish> m_statement;
    int m_bound = 0;
};

class SqliteFile {
  public:
    /// Opens or makes the file, readable by its owner only. Errors: Denied, Write; Corrupt when it
    /// is no sound database.
    [[nodiscard]] static Result<SqliteFile> open(const QString& path);

    /// Runs statements without results.
    [[nodiscard]] Status run(const char* sql);
    /// @pre `sql` is one statement of ours; what fails is the file, and shows at the first step
    [[nodiscard]] Result<SqliteStatement> prepare(const char* sql);
    /// One number of one row.
    [[nodiscard]] Result<qint64> number(const char* sql);

  private:
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
