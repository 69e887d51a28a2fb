#include "engine/base/log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "engine/base/string_format.h"

namespace lacuna {
namespace {

constexpr mode_t kOwnerOnly = S_IRUSR | S_IWUSR;

tl::unexpected<Error> notWritten(const std::filesystem::path& path, const char* why) {
    return fail(ErrorCode::Write, format("the log {} cannot be written: {}", path.string(), why));
}

}  // namespace

LogFile::~LogFile() {
    close();
}

void LogFile::close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

std::filesystem::path LogFile::olderPath() const {
    std::filesystem::path older = path_;
    older += ".1";
    return older;
}

// Does not follow links and does not block: a pipe of this name would hang the program.
Status LogFile::open() {
    constexpr int kHow = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
    fd_ = ::open(path_.c_str(), kHow, kOwnerOnly);
    if (fd_ < 0) return notWritten(path_, std::strerror(errno));
    struct stat is {};
    const bool file = ::fstat(fd_, &is) == 0 && S_ISREG(is.st_mode);
    if (file && ((is.st_mode & 0777) == kOwnerOnly || ::fchmod(fd_, kOwnerOnly) == 0)) return {};
    close();
    return notWritten(path_, file ? "others may read it" : "it is not a file");
}

bool LogFile::current() const {
    struct stat named {
    }, held{};
    return ::lstat(path_.c_str(), &named) == 0 && ::fstat(fd_, &held) == 0 &&
           named.st_dev == held.st_dev && named.st_ino == held.st_ino;
}

Status LogFile::append(std::string_view line) {
    if (fd_ >= 0 && !current()) close();
    if (fd_ < 0) LACUNA_TRY_STATUS(open());
    std::string text(torn_ ? "\n" : "");
    text.append(line).push_back('\n');
    struct stat is {};
    if (::fstat(fd_, &is) == 0 && is.st_size > 0 &&
        static_cast<std::size_t>(is.st_size) + text.size() > maxBytes_) {
        if (::rename(path_.c_str(), olderPath().c_str()) != 0)
            return notWritten(path_, std::strerror(errno));
        close();
        LACUNA_TRY_STATUS(open());
    }
    const ssize_t written = ::write(fd_, text.data(), text.size());
    if (written == static_cast<ssize_t>(text.size())) {
        torn_ = false;
        return {};
    }
    torn_ = torn_ || written > 0;
    return notWritten(path_, written < 0 ? std::strerror(errno) : "the disk is full");
}

}  // namespace lacuna
