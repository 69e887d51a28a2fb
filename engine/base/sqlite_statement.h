#pragma once
/// \file
/// A statement of an SQLite file, with errors as values. A thin wrapper: the SQL is written by its
/// callers. Calls block; one thread at a time.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>

#include "engine/base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace lacuna {

/// Refuses a database on which SQLite's open by name would block: a FIFO, socket, device or folder
/// in place of the file or of a companion file (journal, log). Missing files are accepted. Errors:
/// NotAFile.
[[nodiscard]] Status checkDatabaseFiles(const std::filesystem::path& path);

/// Builds an error from the path of the file and SQLite's message for its last failure.
[[nodiscard]] tl::unexpected<Error> sqliteFailure(sqlite3* file, int status);

/// A prepared statement whose parameters are bound in order. Must not outlive its file.
class SqliteStatement {
  public:
    /// @pre `sql` is one of the program's own statements. If it cannot be prepared, problem()
    /// returns the error and the first step fails.
    SqliteStatement(sqlite3* file, const char* sql);
    [[nodiscard]] Status problem() const;

    SqliteStatement& bind(std::int64_t value);
    SqliteStatement& bind(double value);
    SqliteStatement& bind(std::string_view utf8);
    /// Returns true if a row is available, false at the end. Errors: as sqliteErrorCode.
    [[nodiscard]] Result<bool> step();
    /// Steps until the end.
    [[nodiscard]] Status run();
    [[nodiscard]] std::int64_t number(int column) const;
    [[nodiscard]] double real(int column) const;
    /// Returns the stored UTF-8; valid until the next step.
    [[nodiscard]] std::string_view text(int column) const;
    [[nodiscard]] bool isNull(int column) const;
    /// Rewinds the statement and clears its bindings for another run.
    void reset();

  private:
    struct Finish {
        void operator()(sqlite3_stmt* statement) const;
    };
    sqlite3* file_;
    std::unique_ptr<sqlite3_stmt, Finish> statement_;
    int prepared_ = 0;  ///< status of the preparation
    int bound_ = 0;
};

}  // namespace lacuna
