#include "app/state/storage/sqlite_file.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/file.h>
#include <unistd.h>

#include <QFile>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "app/state/view_rows.h"
#include "engine/base/sqlite_errors.h"

namespace lacuna::app {

namespace {

/// Returns "process 4711" from the process id that the owner wrote to the file.
std::string ownerOf(int file) {
    std::array<char, 16> text{};
    const ssize_t size = ::pread(file, text.data(), text.size(), 0);
    std::string number;
    for (ssize_t i = 0; i < size; ++i) {
        const char digit = text[static_cast<std::size_t>(i)];
        if (digit < '0' || digit > '9') break;
        number += digit;
    }
    return number.empty() ? "another process" : "process " + number;
}

}  // namespace

Result<FolderLock> FolderLock::take(const QString& path) {
    const QByteArray name = QFile::encodeName(path);
    const int file = ::open(name.constData(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0) {
        const bool denied = errno == EACCES || errno == EPERM || errno == EROFS;
        return fail(denied ? ErrorCode::Denied : ErrorCode::Write,
                    "cannot make " + fromQt(path) + ": " + std::strerror(errno) + ".");
    }
    FolderLock lock(file);
    if (::flock(file, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK) return lock;  // The file system does not support locks.
        return fail(ErrorCode::Conflict, ownerOf(file));
    }
    const std::string owner = std::to_string(::getpid()) + "\n";
    // Needed only for the error message; on a full disk the file stays empty.
    if (::ftruncate(file, 0) == 0)
        static_cast<void>(::pwrite(file, owner.data(), owner.size(), 0) < 0);
    return lock;
}

FolderLock::FolderLock(FolderLock&& other) noexcept : m_file(std::exchange(other.m_file, -1)) {}

FolderLock& FolderLock::operator=(FolderLock&& other) noexcept {
    std::swap(m_file, other.m_file);
    return *this;
}

FolderLock::~FolderLock() {
    if (m_file >= 0) ::close(m_file);
}

SqliteStatement& SqliteStatement::bind(qint64 value) {
    m_statement.bind(std::int64_t{value});
    return *this;
}

SqliteStatement& SqliteStatement::bind(const QString& value) {
    return bind(QByteArrayView(value.toUtf8()));
}

SqliteStatement& SqliteStatement::bind(QByteArrayView utf8) {
    m_statement.bind(std::string_view(utf8.data(), static_cast<std::size_t>(utf8.size())));
    return *this;
}

QString SqliteStatement::text(int column) const {
    return QString::fromUtf8(bytes(column));
}

QByteArrayView SqliteStatement::bytes(int column) const {
    const std::string_view text = m_statement.text(column);
    return {text.data(), static_cast<qsizetype>(text.size())};
}

void SqliteFile::Close::operator()(sqlite3* file) const {
    sqlite3_close_v2(file);
}

Result<SqliteFile> SqliteFile::openAs(const QString& path, int flags, int busyMs) {
    LACUNA_TRY_STATUS(checkDatabaseFiles(QFile::encodeName(path).toStdString()));
    sqlite3* raw = nullptr;
    const int status = sqlite3_open_v2(QFile::encodeName(path).constData(), &raw, flags, nullptr);
    SqliteFile opened;
    opened.m_file.reset(raw);
    if (status != SQLITE_OK) {
        return fail(sqliteErrorCode(status), fromQt(path) + ": " + sqlite3_errstr(status) + ".");
    }
    opened.setPatience(busyMs);
    return opened;
}

Result<SqliteFile> SqliteFile::open(const QString& path, int busyMs) {
    // Created before SQLite opens it, so that others can never read it; SQLite's side files inherit
    // its mode.
    QFile file(path);
    if (!file.exists() && file.open(QIODevice::WriteOnly | QIODevice::NewOnly)) {
        file.setPermissions(QFile::ReadOwner | QFile::WriteOwner);
        file.close();
    }
    LACUNA_TRY(SqliteFile opened, openAs(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, busyMs));
    LACUNA_TRY_STATUS(
        opened.run("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
                   "PRAGMA foreign_keys = ON; PRAGMA cell_size_check = ON;"));
    return opened;
}

Result<SqliteFile> SqliteFile::openToRead(const QString& path, int busyMs) {
    return openAs(path, SQLITE_OPEN_READONLY, busyMs);
}

Status SqliteFile::check(SqliteCheck how) {
    LACUNA_TRY(
        SqliteStatement check,
        prepare(how == SqliteCheck::Quick ? "PRAGMA quick_check(1)" : "PRAGMA integrity_check(1)"));
    LACUNA_TRY(const bool answered, check.step());
    if (answered && check.text(0) == QLatin1String("ok")) return {};
    return fail(ErrorCode::Corrupt, std::string(sqlite3_db_filename(m_file.get(), "main")) + ": " +
                                        fromQt(check.text(0)) + ".");
}

void SqliteFile::setPatience(int busyMs) {
    sqlite3_busy_timeout(m_file.get(), busyMs);
}

void SqliteFile::stopOn(const std::atomic<bool>& stop) {
    constexpr int kSteps = 1000;  // virtual machine instructions between two checks
    sqlite3_progress_handler(
        m_file.get(), kSteps,
        [](void* flag) { return static_cast<const std::atomic<bool>*>(flag)->load() ? 1 : 0; },
        const_cast<std::atomic<bool>*>(&stop));
}

Status SqliteFile::run(const char* sql) {
    const int status = sqlite3_exec(m_file.get(), sql, nullptr, nullptr, nullptr);
    if (status != SQLITE_OK) return sqliteFailure(m_file.get(), status);
    return {};
}

Result<SqliteStatement> SqliteFile::prepare(const char* sql) {
    lacuna::SqliteStatement statement(m_file.get(), sql);
    LACUNA_TRY_STATUS(statement.problem());
    return SqliteStatement(std::move(statement));
}

qint64 SqliteFile::changes() const {
    return sqlite3_changes64(m_file.get());
}

Result<qint64> SqliteFile::number(const char* sql) {
    LACUNA_TRY(SqliteStatement statement, prepare(sql));
    LACUNA_TRY(const bool row, statement.step());
    return row ? statement.number(0) : 0;
}

Result<SqliteTransaction> SqliteTransaction::begin(SqliteFile& file) {
    LACUNA_TRY_STATUS(file.run("BEGIN IMMEDIATE"));
    return SqliteTransaction(file);
}

SqliteTransaction::SqliteTransaction(SqliteTransaction&& other) noexcept
    : m_file(std::exchange(other.m_file, nullptr)) {}

SqliteTransaction::~SqliteTransaction() {
    if (m_file == nullptr) return;
    // If the rollback fails, closing the file rolls the open transaction back.
    static_cast<void>(m_file->run("ROLLBACK"));
}

Status SqliteTransaction::commit() {
    LACUNA_TRY_STATUS(m_file->run("COMMIT"));
    m_file = nullptr;
    return {};
}

}  // namespace lacuna::app
