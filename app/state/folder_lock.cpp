#include "app/state/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <QFile>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "app/state/view_rows.h"

namespace lacuna::app {

namespace {

/// "process 4711", as the owner wrote it into the file.
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
        if (errno != EWOULDBLOCK) return lock;  // no locks here
        return fail(ErrorCode::Conflict, ownerOf(file));
    }
    const std::string owner = std::to_string(::getpid()) + "\n";
    // Only for the sentence above: a full disk may keep it empty.
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

}  // namespace lacuna::app
