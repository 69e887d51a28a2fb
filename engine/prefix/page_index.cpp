#include "engine/prefix/page_index.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <ctime>
#include <string_view>
#include <utility>

#include "engine/base/sqlite_statement.h"
#include "engine/base/string_format.h"

namespace lacuna {
namespace {

constexpr int kBusyMs = 2000;
constexpr std::int64_t kIndexVersion = 1;
/// Weight of the latest measurement.
constexpr double kNewest = 0.3;

/// Returns true if a path is relative and stays lexically within the folder.
bool leadsInside(const std::filesystem::path& path) {
    if (path.empty() || path.is_absolute()) return false;
    for (const std::filesystem::path& part : path)
        if (part == ".." || part == ".") return false;
    return true;
}

/// Reads a row with all columns of `files`. The path is checked because listed files are removed
/// eventually, so they must be inside the folder. Errors: Corrupt.
Result<FileEntry> entryOf(const SqliteStatement& row) {
    FileEntry entry{.path = std::string(row.text(0)),
                    .bytes = row.number(1),
                    .used = row.number(2),
                    .sort = static_cast<StoredFile>(row.number(3)),
                    .model = std::string(row.text(4)),
                    .space = std::string(row.text(5)),
                    .first = row.number(6),
                    .tokens = row.number(7)};
    if (!leadsInside(entry.path))
        return fail(ErrorCode::Corrupt, "the index lists a file outside its folder");
    return entry;
}

/// Returns the first column of all rows.
Result<std::vector<std::int64_t>> numbersOf(SqliteStatement& statement) {
    std::vector<std::int64_t> numbers;
    for (;;) {
        LACUNA_TRY(const bool more, statement.step());
        if (!more) return numbers;
        numbers.push_back(statement.number(0));
    }
}

}  // namespace

void PageIndex::Close::operator()(sqlite3* file) const {
    sqlite3_close(file);
}

Result<PageIndex> PageIndex::open(const std::filesystem::path& folder) {
    const std::filesystem::path path = folder / kFileName;
    LACUNA_TRY_STATUS(checkDatabaseFiles(path));
    // Created here to set its mode; SQLite creates its other files with the same mode.
    const int made = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (made >= 0) ::close(made);
    sqlite3* raw = nullptr;
    const int status =
        sqlite3_open_v2(path.c_str(), &raw,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
    PageIndex index(raw);
    if (raw == nullptr) return fail(ErrorCode::NoMemory, "no memory for the index");
    if (status != SQLITE_OK) return sqliteFailure(raw, status);
    sqlite3_extended_result_codes(raw, 1);
    sqlite3_busy_timeout(raw, kBusyMs);
    LACUNA_TRY_STATUS(index.prepareTables());
    return index;
}

std::string writtenTodayCounter() {
    return format("written.{}", std::time(nullptr) / 86'400);
}

std::optional<std::int64_t> PageIndex::counterOf(const std::filesystem::path& folder,
                                                 const std::string& name) {
    if (!checkDatabaseFiles(folder / kFileName)) return std::nullopt;
    sqlite3* raw = nullptr;
    const int status = sqlite3_open_v2((folder / kFileName).c_str(), &raw,
                                       SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nullptr);
    const PageIndex index(raw);
    if (raw == nullptr || status != SQLITE_OK) return std::nullopt;
    sqlite3_busy_timeout(raw, kBusyMs);
    SqliteStatement statement(raw,
                              "SELECT coalesce((SELECT value FROM counters WHERE name = ?), 0)");
    const auto there = statement.bind(name).step();
    if (!there || !*there) return std::nullopt;
    return statement.number(0);
}

void PageIndex::remove(const std::filesystem::path& folder) {
    for (const char* ending : {"", "-wal", "-shm", "-journal"})
        ::unlink((folder / (std::string(kFileName) + ending)).c_str());
}

Status PageIndex::prepareTables() {
    LACUNA_TRY_STATUS(
        run("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; "
            "PRAGMA wal_autocheckpoint = 200; PRAGMA journal_size_limit = 1048576; "
            "PRAGMA trusted_schema = OFF; PRAGMA recursive_triggers = ON"));
    SqliteStatement version(file_.get(), "PRAGMA user_version");
    LACUNA_TRY(const bool there, version.step());
    const std::int64_t found = there ? version.number(0) : 0;
    version.reset();
    if (found != 0 && found != kIndexVersion)
        return fail(ErrorCode::Corrupt,
                    format("index of stored prefixes: version {}, this program has {}", found,
                           kIndexVersion));
    return run(
        "BEGIN IMMEDIATE;"
        "CREATE TABLE IF NOT EXISTS files(path TEXT PRIMARY KEY, bytes INTEGER NOT NULL, "
        "used INTEGER NOT NULL, sort INTEGER NOT NULL, model TEXT NOT NULL, space TEXT NOT NULL, "
        "first INTEGER NOT NULL, tokens INTEGER NOT NULL) WITHOUT ROWID;"
        "CREATE INDEX IF NOT EXISTS by_age ON files(used);"
        "CREATE INDEX IF NOT EXISTS by_use ON files(sort > 1, used, first);"
        "CREATE INDEX IF NOT EXISTS by_space ON files(space, sort, tokens);"
        // Maintained by triggers: summing 200,000 rows before each page would take longer than
        // writing it. A replaced row counts as removed and added (recursive_triggers).
        "CREATE TABLE IF NOT EXISTS total(bytes INTEGER NOT NULL);"
        "INSERT INTO total SELECT 0 WHERE NOT EXISTS(SELECT 1 FROM total);"
        "CREATE TRIGGER IF NOT EXISTS added AFTER INSERT ON files "
        "BEGIN UPDATE total SET bytes = bytes + NEW.bytes; END;"
        "CREATE TRIGGER IF NOT EXISTS removed AFTER DELETE ON files "
        "BEGIN UPDATE total SET bytes = bytes - OLD.bytes; END;"
        "CREATE TABLE IF NOT EXISTS rates(name TEXT PRIMARY KEY, value REAL NOT NULL, "
        "samples INTEGER NOT NULL) WITHOUT ROWID;"
        "CREATE TABLE IF NOT EXISTS counters(name TEXT PRIMARY KEY, value INTEGER NOT NULL) "
        "WITHOUT ROWID;"
        "PRAGMA user_version = 1; COMMIT");
}

Status PageIndex::run(const char* sql) {
    const int status = sqlite3_exec(file_.get(), sql, nullptr, nullptr, nullptr);
    if (status == SQLITE_OK) return {};
    auto failed = sqliteFailure(file_.get(), status);
    if (sqlite3_get_autocommit(file_.get()) == 0)
        sqlite3_exec(file_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
    return failed;
}

Status PageIndex::put(const FileEntry& entry) {
    SqliteStatement statement(
        file_.get(),
        "INSERT OR REPLACE INTO files SELECT ?1, ?2, coalesce(max(used), 0) + 1, "
        "?3, ?4, ?5, ?6, ?7 FROM files");
    return statement.bind(entry.path)
        .bind(entry.bytes)
        .bind(static_cast<std::int64_t>(entry.sort))
        .bind(entry.model)
        .bind(entry.space)
        .bind(entry.first)
        .bind(entry.tokens)
        .run();
}

Status PageIndex::erase(const std::string& path) {
    return SqliteStatement(file_.get(), "DELETE FROM files WHERE path = ?").bind(path).run();
}

Result<std::optional<FileEntry>> PageIndex::entry(const std::string& path) {
    SqliteStatement statement(file_.get(), "SELECT * FROM files WHERE path = ?");
    LACUNA_TRY(const bool there, statement.bind(path).step());
    if (!there) return std::optional<FileEntry>();
    LACUNA_TRY(FileEntry found, entryOf(statement));
    return std::optional(std::move(found));
}

Status PageIndex::each(const std::function<Status(const FileEntry&)>& visit) {
    SqliteStatement statement(file_.get(), "SELECT * FROM files");
    for (;;) {
        LACUNA_TRY(const bool more, statement.step());
        if (!more) return {};
        LACUNA_TRY(const FileEntry entry, entryOf(statement));
        LACUNA_TRY_STATUS(visit(entry));
    }
}

Status PageIndex::touch(const std::vector<std::string>& paths) {
    LACUNA_TRY_STATUS(run("BEGIN IMMEDIATE"));
    const auto touchAll = [&]() -> Status {
        SqliteStatement newest(file_.get(), "SELECT coalesce(max(used), 0) + 1 FROM files");
        LACUNA_TRY([[maybe_unused]] const bool there, newest.step());
        const std::int64_t used = newest.number(0);
        SqliteStatement statement(file_.get(), "UPDATE files SET used = ? WHERE path = ?");
        for (const std::string& path : paths) {
            LACUNA_TRY_STATUS(statement.bind(used).bind(path).run());
            statement.reset();
        }
        return {};
    };
    Status status = touchAll();
    const Status ended = run(status ? "COMMIT" : "ROLLBACK");
    return status ? ended : status;
}

Result<std::int64_t> PageIndex::totalBytes() {
    SqliteStatement statement(file_.get(), "SELECT bytes FROM total");
    LACUNA_TRY([[maybe_unused]] const bool there, statement.step());
    return statement.number(0);
}

Result<std::vector<FileEntry>> PageIndex::victims(int most) {
    SqliteStatement statement(
        file_.get(),
        "SELECT * FROM files WHERE sort < 4 ORDER BY sort > 1 DESC, used, first DESC "
        "LIMIT ?");
    statement.bind(std::int64_t{most});
    std::vector<FileEntry> found;
    for (;;) {
        LACUNA_TRY(const bool more, statement.step());
        if (!more) return found;
        LACUNA_TRY(FileEntry entry, entryOf(statement));
        found.push_back(std::move(entry));
    }
}

Result<std::vector<std::int64_t>> PageIndex::storedLengths(const std::string& space,
                                                           std::int64_t most) {
    SqliteStatement statement(file_.get(),
                              "SELECT DISTINCT tokens FROM files WHERE space = ? AND sort = 1 AND "
                              "tokens <= ? ORDER BY tokens DESC LIMIT 64");
    return numbersOf(statement.bind(space).bind(most));
}

Result<std::vector<std::int64_t>> PageIndex::runLengths(const std::string& space,
                                                        std::int64_t first, std::int64_t most) {
    SqliteStatement statement(file_.get(),
                              "SELECT DISTINCT tokens FROM files WHERE space = ? AND sort = 0 AND "
                              "first = ? AND tokens <= ? ORDER BY tokens DESC");
    return numbersOf(statement.bind(space).bind(first).bind(most));
}

Result<std::vector<ModelUsage>> PageIndex::usage() {
    SqliteStatement statement(file_.get(),
                              "SELECT model, sort, count(*), sum(bytes), sum(tokens) FROM files "
                              "GROUP BY model, sort ORDER BY model, sort");
    std::vector<ModelUsage> models;
    for (;;) {
        LACUNA_TRY(const bool more, statement.step());
        if (!more) return models;
        models.push_back({.model = std::string(statement.text(0)),
                          .sort = static_cast<StoredFile>(statement.number(1)),
                          .files = statement.number(2),
                          .bytes = statement.number(3),
                          .tokens = statement.number(4)});
    }
}

Status PageIndex::shrink() {
    return run("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)");
}

Status PageIndex::noteRate(const std::string& name, double value) {
    return SqliteStatement(file_.get(),
                           "INSERT INTO rates VALUES(?1, ?2, 1) ON CONFLICT(name) DO UPDATE SET "
                           "value = value + ?3 * (?2 - value), samples = samples + 1")
        .bind(name)
        .bind(value)
        .bind(kNewest)
        .run();
}

Result<std::optional<MeasuredRate>> PageIndex::rate(const std::string& name) {
    SqliteStatement statement(file_.get(), "SELECT value, samples FROM rates WHERE name = ?");
    LACUNA_TRY(const bool there, statement.bind(name).step());
    if (!there) return std::optional<MeasuredRate>();
    return std::optional(MeasuredRate{statement.real(0), statement.number(1)});
}

Result<std::int64_t> PageIndex::count(const std::string& name, std::int64_t more) {
    SqliteStatement statement(file_.get(),
                              "INSERT INTO counters VALUES(?1, ?2) ON CONFLICT(name) DO UPDATE SET "
                              "value = value + ?2 RETURNING value");
    LACUNA_TRY([[maybe_unused]] const bool there, statement.bind(name).bind(more).step());
    const std::int64_t value = statement.number(0);
    LACUNA_TRY_STATUS(statement.run());
    return value;
}

}  // namespace lacuna
