#include "engine/prefix/page_index.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <string_view>
#include <utility>

#include "engine/base/string_format.h"

namespace lacuna {
namespace {

constexpr const char* kFileName = "index.sqlite";
constexpr int kBusyMs = 2000;
constexpr std::int64_t kIndexVersion = 1;
/// Weight of the newest measurement.
constexpr double kNewest = 0.3;

ErrorCode codeOf(int status) {
    switch (status & 0xFF) {
        case SQLITE_CORRUPT:
        case SQLITE_NOTADB:
            return ErrorCode::Corrupt;
        case SQLITE_CANTOPEN:
        case SQLITE_PERM:
        case SQLITE_READONLY:
            return ErrorCode::Denied;
        default:
            return ErrorCode::Write;
    }
}

tl::unexpected<Error> failure(sqlite3* file, int status, int line = __builtin_LINE()) {
    return fail(codeOf(status), format("index of stored prefixes: {}", sqlite3_errmsg(file)),
                __FILE__, line);
}

}  // namespace

void PageIndex::Close::operator()(sqlite3* file) const {
    sqlite3_close(file);
}

/// Prepared, bound in order, stepped through. What cannot be prepared fails at its first step.
class PageIndex::Statement {
  public:
    Statement(sqlite3* file, const char* sql) : file_(file) {
        prepared_ = sqlite3_prepare_v2(file, sql, -1, &statement_, nullptr);
    }
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;
    ~Statement() { sqlite3_finalize(statement_); }

    Statement& bind(std::int64_t value) {
        sqlite3_bind_int64(statement_, ++bound_, value);
        return *this;
    }
    Statement& bind(double value) {
        sqlite3_bind_double(statement_, ++bound_, value);
        return *this;
    }
    Statement& bind(const std::string& value) {
        sqlite3_bind_text(statement_, ++bound_, value.data(), static_cast<int>(value.size()),
                          SQLITE_TRANSIENT);
        return *this;
    }
    /// True: a row is there.
    [[nodiscard]] Result<bool> step() {
        if (prepared_ != SQLITE_OK) return failure(file_, prepared_);
        const int status = sqlite3_step(statement_);
        if (status == SQLITE_ROW) return true;
        if (status == SQLITE_DONE) return false;
        return failure(file_, status);
    }
    [[nodiscard]] Status run() {
        for (;;) {
            LACUNA_TRY(const bool more, step());
            if (!more) return {};
        }
    }
    void reset() {
        sqlite3_reset(statement_);
        sqlite3_clear_bindings(statement_);
        bound_ = 0;
    }
    [[nodiscard]] std::int64_t number(int column) const {
        return sqlite3_column_int64(statement_, column);
    }
    [[nodiscard]] double real(int column) const {
        return sqlite3_column_double(statement_, column);
    }
    [[nodiscard]] std::string text(int column) const {
        const auto* text = sqlite3_column_text(statement_, column);
        const int bytes = sqlite3_column_bytes(statement_, column);
        return text == nullptr ? std::string()
                               : std::string(reinterpret_cast<const char*>(text),
                                             static_cast<std::size_t>(bytes));
    }
    /// Of a row of kEntryColumns.
    [[nodiscard]] FileEntry entry() const {
        return {.path = text(0),
                .bytes = number(1),
                .used = number(2),
                .sort = static_cast<StoredFile>(number(3)),
                .model = text(4),
                .space = text(5),
                .first = number(6),
                .tokens = number(7)};
    }

  private:
    sqlite3* file_;
    sqlite3_stmt* statement_ = nullptr;
    int prepared_ = SQLITE_OK;
    int bound_ = 0;
};

Result<PageIndex> PageIndex::open(const std::filesystem::path& folder) {
    const std::filesystem::path path = folder / kFileName;
    // Made here for the sake of its mode; SQLite gives its other files the mode of this one.
    const int made = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (made >= 0) ::close(made);
    sqlite3* raw = nullptr;
    const int status =
        sqlite3_open_v2(path.c_str(), &raw,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
    PageIndex index(raw);
    if (raw == nullptr) return fail(ErrorCode::NoMemory, "no memory for the index");
    if (status != SQLITE_OK) return failure(raw, status);
    sqlite3_extended_result_codes(raw, 1);
    sqlite3_busy_timeout(raw, kBusyMs);
    LACUNA_TRY_STATUS(index.prepareTables());
    return index;
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
    Statement version(file_.get(), "PRAGMA user_version");
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
        // Kept up by the file itself: summing 200,000 rows before each page would take longer than
        // the page. A replaced row counts as removed and added (recursive_triggers).
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
    auto failed = failure(file_.get(), status);
    if (sqlite3_get_autocommit(file_.get()) == 0)
        sqlite3_exec(file_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
    return failed;
}

Status PageIndex::put(const FileEntry& entry) {
    Statement statement(file_.get(),
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
    return Statement(file_.get(), "DELETE FROM files WHERE path = ?").bind(path).run();
}

Result<std::optional<FileEntry>> PageIndex::entry(const std::string& path) {
    Statement statement(file_.get(), "SELECT * FROM files WHERE path = ?");
    LACUNA_TRY(const bool there, statement.bind(path).step());
    if (!there) return std::optional<FileEntry>();
    return std::optional(statement.entry());
}

Status PageIndex::each(const std::function<Status(const FileEntry&)>& visit) {
    Statement statement(file_.get(), "SELECT * FROM files");
    for (;;) {
        LACUNA_TRY(const bool more, statement.step());
        if (!more) return {};
        LACUNA_TRY_STATUS(visit(statement.entry()));
    }
}

Status PageIndex::touch(const std::vector<std::string>& paths) {
    LACUNA_TRY_STATUS(run("BEGIN IMMEDIATE"));
    const auto touchAll = [&]() -> Status {
        Statement newest(file_.get(), "SELECT coalesce(max(used), 0) + 1 FROM files");
        LACUNA_TRY([[maybe_unused]] const bool there, newest.step());
        const std::int64_t used = newest.number(0);
        Statement statement(file_.get(), "UPDATE files SET used = ? WHERE path = ?");
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
    Statement statement(file_.get(), "SELECT bytes FROM total");
    LACUNA_TRY([[maybe_unused]] const bool there, statement.step());
    return statement.number(0);
}

Result<std::vector<FileEntry>> PageIndex::victims(int most) {
    Statement statement(
        file_.get(),
        "SELECT * FROM files WHERE sort < 4 ORDER BY sort > 1 DESC, used, first DESC "
        "LIMIT ?");
    statement.bind(std::int64_t{most});
    std::vector<FileEntry> found;
    for (;;) {
        LACUNA_TRY(const bool more, statement.step());
        if (!more) return found;
        found.push_back(statement.entry());
    }
}

Result<std::vector<std::int64_t>> PageIndex::wholeLengths(const std::string& space,
                                                          std::int64_t most) {
    Statement statement(file_.get(),
                        "SELECT DISTINCT tokens FROM files WHERE space = ? AND sort = 1 AND "
                        "tokens <= ? ORDER BY tokens DESC LIMIT 64");
    return numbersOf(statement.bind(space).bind(most));
}

Result<std::vector<std::int64_t>> PageIndex::runLengths(const std::string& space,
                                                        std::int64_t first, std::int64_t most) {
    Statement statement(file_.get(),
                        "SELECT DISTINCT tokens FROM files WHERE space = ? AND sort = 0 AND "
                        "first = ? AND tokens <= ? ORDER BY tokens DESC");
    return numbersOf(statement.bind(space).bind(first).bind(most));
}

/// The first column of all rows.
Result<std::vector<std::int64_t>> PageIndex::numbersOf(Statement& statement) {
    std::vector<std::int64_t> numbers;
    for (;;) {
        LACUNA_TRY(const bool more, statement.step());
        if (!more) return numbers;
        numbers.push_back(statement.number(0));
    }
}

Result<std::vector<ModelUsage>> PageIndex::usage() {
    Statement statement(file_.get(),
                        "SELECT model, sort, count(*), sum(bytes), sum(tokens) FROM files "
                        "GROUP BY model, sort ORDER BY model, sort");
    std::vector<ModelUsage> models;
    for (;;) {
        LACUNA_TRY(const bool more, statement.step());
        if (!more) return models;
        models.push_back({.model = statement.text(0),
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
    return Statement(file_.get(),
                     "INSERT INTO rates VALUES(?1, ?2, 1) ON CONFLICT(name) DO UPDATE SET "
                     "value = value + ?3 * (?2 - value), samples = samples + 1")
        .bind(name)
        .bind(value)
        .bind(kNewest)
        .run();
}

Result<std::optional<MeasuredRate>> PageIndex::rate(const std::string& name) {
    Statement statement(file_.get(), "SELECT value, samples FROM rates WHERE name = ?");
    LACUNA_TRY(const bool there, statement.bind(name).step());
    if (!there) return std::optional<MeasuredRate>();
    return std::optional(MeasuredRate{statement.real(0), statement.number(1)});
}

Result<std::int64_t> PageIndex::count(const std::string& name, std::int64_t more) {
    Statement statement(file_.get(),
                        "INSERT INTO counters VALUES(?1, ?2) ON CONFLICT(name) DO UPDATE SET "
                        "value = value + ?2 RETURNING value");
    LACUNA_TRY([[maybe_unused]] const bool there, statement.bind(name).bind(more).step());
    const std::int64_t value = statement.number(0);
    LACUNA_TRY_STATUS(statement.run());
    return value;
}

}  // namespace lacuna
