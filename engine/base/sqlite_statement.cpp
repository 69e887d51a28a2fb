#include "engine/base/sqlite_statement.h"

#include <sqlite3.h>

#include <string>

#include "engine/base/file.h"
#include "engine/base/sqlite_errors.h"

namespace lacuna {

Status checkDatabaseFiles(const std::filesystem::path& path) {
    for (const char* ending : {"", "-journal", "-wal", "-shm"}) {
        std::filesystem::path file = path;
        file += ending;
        LACUNA_TRY_STATUS(checkRegularOrMissing(file));
    }
    return {};
}

tl::unexpected<Error> sqliteFailure(sqlite3* file, int status) {
    const char* path = sqlite3_db_filename(file, "main");
    return fail(sqliteErrorCode(status), std::string(path == nullptr ? "an SQLite file" : path) +
                                             ": " + sqlite3_errmsg(file) + ".");
}

void SqliteStatement::Finish::operator()(sqlite3_stmt* statement) const {
    sqlite3_finalize(statement);
}

SqliteStatement::SqliteStatement(sqlite3* file, const char* sql) : file_(file) {
    sqlite3_stmt* statement = nullptr;
    prepared_ = sqlite3_prepare_v2(file, sql, -1, &statement, nullptr);
    statement_.reset(statement);
}

Status SqliteStatement::problem() const {
    if (prepared_ != SQLITE_OK) return sqliteFailure(file_, prepared_);
    return {};
}

SqliteStatement& SqliteStatement::bind(std::int64_t value) {
    sqlite3_bind_int64(statement_.get(), ++bound_, value);
    return *this;
}

SqliteStatement& SqliteStatement::bind(double value) {
    sqlite3_bind_double(statement_.get(), ++bound_, value);
    return *this;
}

SqliteStatement& SqliteStatement::bind(std::string_view utf8) {
    // An empty span is an empty text; a null pointer would bind NULL.
    sqlite3_bind_text64(statement_.get(), ++bound_, utf8.empty() ? "" : utf8.data(), utf8.size(),
                        SQLITE_TRANSIENT, SQLITE_UTF8);
    return *this;
}

Result<bool> SqliteStatement::step() {
    LACUNA_TRY_STATUS(problem());
    const int status = sqlite3_step(statement_.get());
    if (status == SQLITE_ROW) return true;
    if (status == SQLITE_DONE) return false;
    return sqliteFailure(file_, status);
}

Status SqliteStatement::run() {
    for (;;) {
        LACUNA_TRY(const bool row, step());
        if (!row) return {};
    }
}

std::int64_t SqliteStatement::number(int column) const {
    return sqlite3_column_int64(statement_.get(), column);
}

double SqliteStatement::real(int column) const {
    return sqlite3_column_double(statement_.get(), column);
}

std::string_view SqliteStatement::text(int column) const {
    const auto* at = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
    if (at == nullptr) return {};
    return {at, static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

bool SqliteStatement::isNull(int column) const {
    return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

void SqliteStatement::reset() {
    sqlite3_reset(statement_.get());
    sqlite3_clear_bindings(statement_.get());
    bound_ = 0;
}

}  // namespace lacuna
