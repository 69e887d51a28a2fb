#include "engine/base/file.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>
#include <system_error>

#include "engine/base/string_format.h"
#include "engine/base/temporary_file.h"

namespace lacuna {
namespace {

// Keeps the process alive when a mapped file is truncated: a read past the new end raises SIGBUS,
// which by default ends the program. For watched maps, the handler maps zero pages from that
// address to the end of the map and sets a mark. The data read is then wrong, so code that computes
// with a map must check the mark before it uses a result (MappedFile::checkUnchanged). Any other
// SIGBUS goes to the previous handler.

/// Maximum number of maps watched at once, for all models and files.
constexpr int kMaxGuardedMaps = 4096;

/// The handler may read this at any time on any thread: once `begin` is non-zero, the other fields
/// are valid.
struct Watch {
    std::atomic<bool> taken{false};
    std::atomic<std::uintptr_t> begin{0};
    std::atomic<std::uintptr_t> end{0};
    std::atomic<bool> lost{false};
};

std::array<Watch, kMaxGuardedMaps> watches;
struct sigaction handlerBefore {};
std::uintptr_t pageBytes = 4096;

/// Maps zeros from the page of `address` to the end of its map. Async-signal-safe: mmap is a plain
/// system call.
bool replaceByZeros(std::uintptr_t address) {
    for (Watch& watch : watches) {
        const std::uintptr_t begin = watch.begin.load(std::memory_order_acquire);
        const std::uintptr_t end = watch.end.load(std::memory_order_relaxed);
        if (begin == 0 || address < begin || address >= end) continue;
        const std::uintptr_t page = address & ~(pageBytes - 1);
        watch.lost.store(true, std::memory_order_release);
        return ::mmap(reinterpret_cast<void*>(page), end - page, PROT_READ,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
    }
    return false;
}

void onBusError(int signal, siginfo_t* info, void*) {
    const int error = errno;
    const bool fault = info->si_code > 0;
    if (fault && replaceByZeros(reinterpret_cast<std::uintptr_t>(info->si_addr))) {
        errno = error;
        return;
    }
    // A fault recurs as soon as this returns; a signal that was sent must be raised again.
    ::sigaction(signal, &handlerBefore, nullptr);
    if (!fault) ::raise(signal);
    errno = error;
}

void installHandler() {
    pageBytes = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    struct sigaction action {};
    action.sa_sigaction = onBusError;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    ::sigemptyset(&action.sa_mask);
    ::sigaction(SIGBUS, &action, &handlerBefore);
}

/// Watches `size` bytes from `data`, as returned by mmap; the first call installs the handler.
/// Returns the index of the watch, or -1 if there are too many. Any thread. @pre size > 0
int guardMap(const void* data, std::size_t size) {
    static std::once_flag installed;
    std::call_once(installed, installHandler);
    const auto begin = reinterpret_cast<std::uintptr_t>(data);
    for (int i = 0; i < kMaxGuardedMaps; ++i) {
        Watch& watch = watches[static_cast<std::size_t>(i)];
        if (watch.taken.exchange(true)) continue;
        watch.lost.store(false);
        watch.end.store((begin + size + pageBytes - 1) & ~(pageBytes - 1));
        watch.begin.store(begin, std::memory_order_release);
        return i;
    }
    return -1;
}

/// Returns true if a read of this map fell after the end of its file. Any thread.
bool mapIsLost(int watch) {
    return watch >= 0 &&
           watches[static_cast<std::size_t>(watch)].lost.load(std::memory_order_acquire);
}

/// Must be called before the map is unmapped. Any thread.
void releaseMap(int watch) {
    if (watch < 0) return;
    Watch& one = watches[static_cast<std::size_t>(watch)];
    one.begin.store(0);
    one.end.store(0);
    one.taken.store(false);
}

tl::unexpected<Error> notRegular(const std::filesystem::path& path) {
    return fail(ErrorCode::NotAFile,
                format("{} is not a regular file (a folder, pipe or device)", path.string()));
}

tl::unexpected<Error> openFailure(const std::filesystem::path& path, int error) {
    const std::string text = format("cannot open {}: {}", path.string(), std::strerror(error));
    if (error == ENXIO) return notRegular(path);  // a socket, or a device without a driver
    if (error == ENOENT || error == ENOTDIR) return fail(ErrorCode::NotFound, text);
    if (error == EACCES || error == EPERM) return fail(ErrorCode::Denied, text);
    if (error == ELOOP || error == EISDIR) return fail(ErrorCode::NotAFile, text);
    return fail(ErrorCode::Read, text);
}

struct OpenFile {
    int fd = -1;
    struct stat info {};
};

Result<OpenFile> openRegular(const std::filesystem::path& path) {
    OpenFile file;
    file.fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file.fd < 0) return openFailure(path, errno);
    if (::fstat(file.fd, &file.info) != 0) {
        const int error = errno;
        ::close(file.fd);
        return openFailure(path, error);
    }
    if (!S_ISREG(file.info.st_mode)) {
        ::close(file.fd);
        return notRegular(path);
    }
    return file;
}

std::int64_t modifiedNs(const struct stat& info) {
    return static_cast<std::int64_t>(info.st_mtim.tv_sec) * 1'000'000'000 + info.st_mtim.tv_nsec;
}

}  // namespace

Result<MappedFile> MappedFile::open(const std::filesystem::path& path) {
    LACUNA_TRY(const OpenFile file, openRegular(path));
    MappedFile mapped;
    mapped.path_ = path;
    mapped.size_ = static_cast<std::size_t>(file.info.st_size);
    mapped.modifiedNs_ = modifiedNs(file.info);
    mapped.device_ = file.info.st_dev;
    mapped.inode_ = file.info.st_ino;
    if (mapped.size_ > 0) {
        void* at = ::mmap(nullptr, mapped.size_, PROT_READ, MAP_PRIVATE, file.fd, 0);
        if (at == MAP_FAILED) {
            const int error = errno;
            ::close(file.fd);
            mapped.size_ = 0;
            return fail(ErrorCode::NoMemory,
                        format("cannot map {}: {}", path.string(), std::strerror(error)));
        }
        mapped.data_ = static_cast<const std::byte*>(at);
        mapped.watch_ = guardMap(at, mapped.size_);
        if (mapped.watch_ < 0) {
            ::close(file.fd);
            return fail(ErrorCode::NoMemory, format("cannot map {}: {} files are mapped already",
                                                    path.string(), kMaxGuardedMaps));
        }
    }
    ::close(file.fd);
    return mapped;
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      modifiedNs_(other.modifiedNs_),
      device_(other.device_),
      inode_(other.inode_),
      watch_(std::exchange(other.watch_, -1)),
      path_(std::move(other.path_)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(modifiedNs_, other.modifiedNs_);
    std::swap(device_, other.device_);
    std::swap(inode_, other.inode_);
    std::swap(watch_, other.watch_);
    std::swap(path_, other.path_);
    return *this;
}

MappedFile::~MappedFile() {
    releaseMap(watch_);
    if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

Status MappedFile::checkUnchanged() const {
    struct stat info {};
    if (mapIsLost(watch_) || ::stat(path_.c_str(), &info) != 0 || info.st_dev != device_ ||
        info.st_ino != inode_ || static_cast<std::size_t>(info.st_size) != size_ ||
        modifiedNs(info) != modifiedNs_)
        return fail(
            ErrorCode::ModelChanged,
            format("{} changed on disk while it was in use; load it again", path_.string()));
    return {};
}

Status checkRegularOrMissing(const std::filesystem::path& path) {
    struct stat info {};
    if (::stat(path.c_str(), &info) != 0 || S_ISREG(info.st_mode)) return {};
    return notRegular(path);
}

Result<std::string> readFile(const std::filesystem::path& path, std::size_t limit) {
    LACUNA_TRY(const OpenFile file, openRegular(path));
    const auto size = static_cast<std::size_t>(file.info.st_size);
    if (size > limit) {
        ::close(file.fd);
        return fail(ErrorCode::Read,
                    format("{} has {} bytes; at most {} are read", path.string(), size, limit));
    }
    std::string content(size, '\0');
    std::size_t done = 0;
    while (done < size) {
        const ssize_t n = ::read(file.fd, content.data() + done, size - done);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        done += static_cast<std::size_t>(n);
    }
    ::close(file.fd);
    if (done != size)
        return fail(ErrorCode::Read,
                    format("{} ended after {} of {} bytes", path.string(), done, size));
    return content;
}

namespace {

tl::unexpected<Error> failedTo(const char* step, const std::filesystem::path& path) {
    return fail(ErrorCode::Write,
                format("cannot {} {}: {}", step, path.string(), std::strerror(errno)));
}

/// Refuses devices: a rename would replace a device by a file.
Status checkReplaceable(const std::filesystem::path& path) {
    if (checkRegularOrMissing(path)) return {};
    return fail(ErrorCode::Write,
                format("{} is not a regular file and is not replaced", path.string()));
}

Status writeAll(int fd, std::span<const std::byte> bytes, const std::filesystem::path& target) {
    while (!bytes.empty()) {
        const ssize_t n = ::write(fd, bytes.data(), bytes.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return failedTo("write", target);
        bytes = bytes.subspan(static_cast<std::size_t>(n));
    }
    return {};
}

/// The folder whose entries a rename changes; it is synced afterwards.
class FolderOfTarget {
  public:
    /// Called before any rename, so that a failure to open leaves everything unchanged.
    static Result<FolderOfTarget> open(const std::filesystem::path& path) {
        FolderOfTarget folder(path);
        folder.fd_ = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        // A rename works in a folder that is writable but not readable; such a folder cannot be
        // synced.
        if (folder.fd_ < 0 && errno != EACCES) return failedTo("open", path);
        return folder;
    }
    FolderOfTarget(FolderOfTarget&& other) noexcept
        : fd_(std::exchange(other.fd_, -1)), path_(std::move(other.path_)) {}
    FolderOfTarget& operator=(FolderOfTarget&&) = delete;
    FolderOfTarget(const FolderOfTarget&) = delete;
    FolderOfTarget& operator=(const FolderOfTarget&) = delete;
    ~FolderOfTarget() {
        if (fd_ >= 0) ::close(fd_);
    }
    [[nodiscard]] Status sync() const {
        if (fd_ < 0 || ::fsync(fd_) == 0) return {};
        // Some file systems do not support syncing a folder.
        if (errno == EINVAL || errno == ENOTSUP || errno == ENOSYS) return {};
        return failedTo("sync the folder", path_);
    }

  private:
    explicit FolderOfTarget(std::filesystem::path path) : path_(std::move(path)) {}
    int fd_ = -1;
    std::filesystem::path path_;
};

std::filesystem::path folderOf(const std::filesystem::path& target) {
    return target.has_parent_path() ? target.parent_path() : ".";
}

}  // namespace

Result<AtomicFile> AtomicFile::create(const std::filesystem::path& path, FileAccess access) {
    LACUNA_TRY_STATUS(checkReplaceable(path));
    sweepTemporaries(folderOf(path));
    AtomicFile file;
    file.access_ = access;
    file.target_ = path;  // may throw, so it precedes the creation of the file
    LACUNA_TRY(TemporaryFile temporary, makeTemporary(path));
    file.fd_ = temporary.fd;
    file.temporary_ = std::move(temporary.path);
    return file;
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      lock_(std::exchange(other.lock_, -1)),
      access_(other.access_),
      target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, {})) {}

AtomicFile::~AtomicFile() {
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
    if (fd_ >= 0) ::close(fd_);
    if (lock_ >= 0) ::close(lock_);
}

Status AtomicFile::write(std::span<const std::byte> bytes) {
    return writeAll(fd_, bytes, target_);
}

Status AtomicFile::write(std::string_view text) {
    return write(std::as_bytes(std::span(text.data(), text.size())));
}

Status AtomicFile::sync() {
    if (fd_ < 0) return {};
    struct stat old {};
    const bool replaces = ::stat(target_.c_str(), &old) == 0;
    const mode_t open = replaces ? old.st_mode & 07777U : 0644U;
    if (access_ == FileAccess::SameAsReplaced && ::fchmod(fd_, open) != 0)
        return failedTo("set the mode of", target_);
    if (::fsync(fd_) != 0) return failedTo("sync", target_);
    // close reports delayed write errors; the duplicate keeps the lock until the rename.
    lock_ = ::fcntl(fd_, F_DUPFD_CLOEXEC, 0);
    if (lock_ < 0) return failedTo("close", target_);
    if (::close(std::exchange(fd_, -1)) != 0) return failedTo("close", target_);
    return {};
}

Status AtomicFile::replaceTarget() {
    if (::rename(temporary_.c_str(), target_.c_str()) != 0) return failedTo("replace", target_);
    temporary_.clear();
    return {};
}

Status AtomicFile::commit() {
    LACUNA_TRY_STATUS(sync());
    LACUNA_TRY(const FolderOfTarget folder, FolderOfTarget::open(folderOf(target_)));
    LACUNA_TRY_STATUS(replaceTarget());
    return folder.sync();
}

Status writeFileAtomically(const std::filesystem::path& path, std::string_view content,
                           FileAccess access) {
    LACUNA_TRY(AtomicFile file, AtomicFile::create(path, access));
    LACUNA_TRY_STATUS(file.write(content));
    return file.commit();
}

/// Files of one folder that are replaced together.
class FileGroup {
  public:
    FileGroup() = default;
    FileGroup(const FileGroup&) = delete;
    FileGroup& operator=(const FileGroup&) = delete;
    ~FileGroup() {
        if (!committed_) putBack();
        for (const Member& member : members_)
            if (!member.backup.empty()) ::unlink(member.backup.c_str());
    }

    [[nodiscard]] Status add(const std::filesystem::path& path, std::string_view content,
                             FileAccess access) {
        LACUNA_TRY(AtomicFile file, AtomicFile::create(path, access));
        LACUNA_TRY_STATUS(file.write(content));
        LACUNA_TRY_STATUS(file.sync());
        members_.push_back({std::move(file), path, {}, false, false});
        return {};
    }
    [[nodiscard]] Status commit(const std::filesystem::path& folderPath) {
        LACUNA_TRY(const FolderOfTarget folder, FolderOfTarget::open(folderPath));
        for (Member& member : members_) LACUNA_TRY_STATUS(keepOld(member));
        for (Member& member : members_) {
            LACUNA_TRY_STATUS(member.file.replaceTarget());
            member.placed = true;
        }
        LACUNA_TRY_STATUS(folder.sync());
        committed_ = true;
        return {};
    }

  private:
    struct Member {
        AtomicFile file;
        std::filesystem::path target;
        std::filesystem::path backup;  ///< second name of the old file; empty if there is none
        bool isNew;                    ///< there was no old file
        bool placed;
    };

    /// A hard link keeps the old file while the new one takes its name. On file systems without
    /// hard links, files replaced before a failure stay replaced.
    static Status keepOld(Member& member) {
        LACUNA_TRY(TemporaryFile name, makeTemporary(member.target));
        ::unlink(name.path.c_str());
        ::close(name.fd);
        if (::link(member.target.c_str(), name.path.c_str()) == 0)
            member.backup = std::move(name.path);
        else
            member.isNew = errno == ENOENT;
        return {};
    }
    void putBack() {
        for (Member& member : members_) {
            if (!member.placed) continue;
            if (member.isNew) ::unlink(member.target.c_str());
            if (!member.backup.empty() &&
                ::rename(member.backup.c_str(), member.target.c_str()) == 0)
                member.backup.clear();
        }
    }

    std::vector<Member> members_;
    bool committed_ = false;
};

Status writeFileInFolder(const std::filesystem::path& path, std::string_view content,
                         FileAccess access) {
    std::error_code problem;
    if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), problem);
    if (problem)
        return fail(ErrorCode::Write, format("{}: the folder cannot be created: {}",
                                             path.parent_path().string(), problem.message()));
    return writeFileAtomically(path, content, access);
}

Status writeFilesTogether(const std::filesystem::path& folder,
                          std::span<const std::pair<std::string, std::string>> files,
                          FileAccess access) {
    FileGroup group;
    for (const auto& [name, content] : files)
        LACUNA_TRY_STATUS(group.add(folder / name, content, access));
    return group.commit(folder);
}

Status checkNotAmong(const std::filesystem::path& out,
                     std::span<const std::filesystem::path> inputs) {
    struct stat there {};
    const bool exists = ::stat(out.c_str(), &there) == 0;
    std::error_code ignored;
    const auto place = std::filesystem::weakly_canonical(out, ignored);
    for (const auto& input : inputs) {
        struct stat info {};
        const bool same = exists && ::stat(input.c_str(), &info) == 0 &&
                          info.st_dev == there.st_dev && info.st_ino == there.st_ino;
        if (!same && std::filesystem::weakly_canonical(input, ignored) != place) continue;
        return fail(ErrorCode::InvalidArgument,
                    format("{} would replace its own source ({}); choose another file",
                           out.string(), input.string()));
    }
    return {};
}

}  // namespace lacuna
