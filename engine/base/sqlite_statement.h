#pragma once
/// \file
/// A statement of an SQLite file, with errors as values. A thin door: the SQL stands with its
/// users. Calls block; one thread at a time.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>

#include "engine/base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace lacuna {

/// Refuses a database that SQLite would wait for when it opens it by name: a FIFO, socket, device
/// or folder in the place of the file or of one next to it (journal, log). Missing files are fine.
/// Errors: NotAFile.
[[nodiscard]] Status checkDatabaseFiles(const std::filesystem::path& path);

/// What the file last failed with: its path and SQLite's words.
[[nodiscard]] tl::unexpected<Error> sqliteFailure(sqlite3* file, int status);

/// Prepared, bound in order, stepped through. Lives no longer than its file.
class SqliteStatement {
  public:
    /// @pre `sql` is one statement of ours; one that cannot be prepared says so in problem(), and
    /// fails at its first step
    SqliteStatement(sqlite3* file, const char* sql);
    [[nodiscard]] Status problem() const;

    SqliteStatement& bind(std::int64_t value);
    SqliteStatement& bind(double value);
    SqliteStatement& bind(std::string_view utf8);
    /// True: a row is there. False: done. Errors: as sqliteErrorCode says.
    [[nodiscard]] Result<bool> step();
    /// Steps to the end.
    [[nodiscard]] Status run();
    [[nodiscard]] std::int64_t number(int column) const;
    [[nodiscard]] double real(int column) const;
    /// UTF-8 as it is stored; valid until the next step.
    [[nodiscard]] std::string_view text(int column) const;
    [[nodiscard]] bool isNull(int column) const;
    /// Back to the start with nothing bound, for another run.
    void reset();

  private:
    struct Finish {
        void operator()(sqlite3_stmt* statement) const;
    };
    sqlite3* file_;
    std::unique_ptr<sqlite3_stmt, Finish> statement_;
    int prepared_ = 0;  ///< status
    int bound_ = 0;
};

}  // namespace lacuna
