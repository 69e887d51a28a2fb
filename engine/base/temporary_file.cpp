#include "engine/base/temporary_file.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "engine/base/string_format.h"

namespace lacuna {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMark = ".tmp-";
constexpr std::string_view kRandom = "XXXXXX";
/// Names are limited to 255 bytes, of which the suffix takes at most 19.
constexpr std::size_t kMaxStemLength = 230;
constexpr std::time_t kRestSeconds = 60;

fs::path beside(const fs::path& target, std::string_view ending) {
    const std::string stem = target.filename().string().substr(0, kMaxStemLength);
    return target.parent_path() / format("{}{}{}-{}", stem, kMark, ::getpid(), ending);
}

/// Returns the process id in a temporary name; nullopt for any other name.
std::optional<pid_t> ownerIn(std::string_view name) {
    const std::size_t mark = name.rfind(kMark);
    if (mark == std::string_view::npos || mark == 0) return std::nullopt;
    const std::string_view rest = name.substr(mark + kMark.size());
    pid_t owner = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), owner);
    const auto random = rest.substr(static_cast<std::size_t>(end - rest.data()));
    const bool ours = error == std::errc() && owner > 0 && random.size() == 1 + kRandom.size() &&
                      random.front() == '-' &&
                      std::all_of(random.begin() + 1, random.end(),
                                  [](unsigned char c) { return std::isalnum(c) != 0; });
    return ours ? std::optional(owner) : std::nullopt;
}

bool isRunning(pid_t process) {
    return ::kill(process, 0) == 0 || errno != ESRCH;
}

/// Removes the file if a dead process left it.
void removeIfLeft(const fs::path& path, pid_t owner) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return;
    struct stat info {};
    const bool ours =
        ::fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == ::geteuid();
    // This process may have the id of a dead one, such as the first process in a container.
    const bool gone = owner == ::getpid() ? std::time(nullptr) - info.st_mtim.tv_sec > kRestSeconds
                                          : !isRunning(owner);
    const bool left = ours && gone && ::flock(fd, LOCK_EX | LOCK_NB) == 0;
    if (left) ::unlink(path.c_str());
    ::close(fd);
}

}  // namespace

Result<TemporaryFile> makeTemporary(const fs::path& target) {
    TemporaryFile file;
    std::string pattern = beside(target, kRandom).string();
    file.fd = ::mkostemp(pattern.data(), O_CLOEXEC);
    if (file.fd < 0)
        return fail(ErrorCode::Write, format("cannot create a file next to {}: {}", target.string(),
                                             std::strerror(errno)));
    try {
        file.path = pattern;
    } catch (...) {  // the name cannot be stored, so the file could not be removed later
        ::unlink(pattern.c_str());
        ::close(file.fd);
        throw;
    }
    // File systems without locks are never swept either.
    ::flock(file.fd, LOCK_EX | LOCK_NB);
    return file;
}

fs::path temporaryName(const fs::path& target) {
    return beside(target, "floats");
}

int holdTemporary(const fs::path& path) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0) ::flock(fd, LOCK_EX | LOCK_NB);
    return fd;
}

void sweepTemporaries(const fs::path& folder) {
    std::error_code problem;
    for (fs::directory_iterator at(folder, problem), end; !problem && at != end;
         at.increment(problem)) {
        const fs::path& path = at->path();
        if (const auto owner = ownerIn(path.filename().native())) removeIfLeft(path, *owner);
    }
}

}  // namespace lacuna
