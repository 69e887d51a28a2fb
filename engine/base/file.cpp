#include "engine/base/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "engine/base/private_file.h"
#include "engine/base/string_format.h"

namespace lacuna {
namespace {

tl::unexpected<Error> openFailure(const std::filesystem::path& path, int error) {
    const std::string text = format("cannot open {}: {}", path.string(), std::strerror(error));
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
        return fail(ErrorCode::NotAFile,
                    format("{} is not a regular file (a folder, pipe or device)", path.string()));
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
    }
    ::close(file.fd);
    return mapped;
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      modifiedNs_(other.modifiedNs_),
      path_(std::move(other.path_)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(modifiedNs_, other.modifiedNs_);
    std::swap(path_, other.path_);
    return *this;
}

MappedFile::~MappedFile() {
    if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

Status MappedFile::checkUnchanged() const {
    struct stat info {};
    if (::stat(path_.c_str(), &info) != 0 || static_cast<std::size_t>(info.st_size) != size_ ||
        modifiedNs(info) != modifiedNs_)
        return fail(ErrorCode::ModelChanged,
                    format("{} changed on disk while it was in use; load it again", path_.string()));
    return {};
}

Result<std::string> readFile(const std::filesystem::path& path, std::size_t limit) {
    LACUNA_TRY(const OpenFile file, openRegular(path));
    const auto size = static_cast<std::size_t>(file.info.st_size);
    if (size > limit) {
        ::close(file.fd);
        return fail(ErrorCode::Read, format("{} has {} bytes; at most {} are read", path.string(), size, limit));
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
        return fail(ErrorCode::Read, format("{} ended after {} of {} bytes", path.string(), done, size));
    return content;
}

namespace {

tl::unexpected<Error> failedTo(const char* step, const std::filesystem::path& path) {
    return fail(ErrorCode::Write, format("cannot {} {}: {}", step, path.string(), std::strerror(errno)));
}

/// Renaming would put a file in the place of a device, which no program expects.
Status checkReplaceable(const std::filesystem::path& path) {
    std::error_code ignored;
    const auto there = std::filesystem::status(path, ignored);
    if (!std::filesystem::exists(there) || std::filesystem::is_regular_file(there)) return {};
    return fail(ErrorCode::Write,
                format("{} is no regular file and is not replaced by one", path.string()));
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

/// Closes what was written, `fd` becomes -1, and puts it in the place of `target`.
Status moveInPlace(int& fd, const std::filesystem::path& temporary,
                   const std::filesystem::path& target) {
    if (::fsync(fd) != 0) return failedTo("sync", target);
    if (::close(std::exchange(fd, -1)) != 0) return failedTo("close", target);
    if (::rename(temporary.c_str(), target.c_str()) != 0) return failedTo("replace", target);
    const std::filesystem::path folder = target.has_parent_path() ? target.parent_path() : ".";
    const int dir = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (dir >= 0) {
        ::fsync(dir);
        ::close(dir);
    }
    return {};
}

}  // namespace

Result<AtomicFile> AtomicFile::create(const std::filesystem::path& path) {
    LACUNA_TRY_STATUS(checkReplaceable(path));
    AtomicFile file;
    file.target_ = path;
    std::string pattern = path.string() + ".tmp-XXXXXX";
    file.fd_ = ::mkstemp(pattern.data());
    if (file.fd_ < 0)
        return fail(ErrorCode::Write,
                    format("cannot create a file beside {}: {}", path.string(), std::strerror(errno)));
    file.temporary_ = pattern;
    return file;
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, {})) {}

AtomicFile::~AtomicFile() {
    if (fd_ >= 0) ::close(fd_);
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

Status AtomicFile::write(std::span<const std::byte> bytes) {
    return writeAll(fd_, bytes, target_);
}

Status AtomicFile::write(std::string_view text) {
    return write(std::as_bytes(std::span(text.data(), text.size())));
}

Status AtomicFile::commit() {
    struct stat old {};
    const mode_t mode = ::stat(target_.c_str(), &old) == 0 ? old.st_mode & 07777U : 0644U;
    if (::fchmod(fd_, mode) != 0) return failedTo("set the mode of", target_);
    LACUNA_TRY_STATUS(moveInPlace(fd_, temporary_, target_));
    temporary_.clear();
    return {};
}

Status writeFileAtomically(const std::filesystem::path& path, std::string_view content) {
    LACUNA_TRY(AtomicFile file, AtomicFile::create(path));
    LACUNA_TRY_STATUS(file.write(content));
    return file.commit();
}

// mkstemp makes a file of mode 0600, and a rename keeps it.
Status writePrivateFile(const std::filesystem::path& path, std::string_view content) {
    LACUNA_TRY_STATUS(checkReplaceable(path));
    std::string temporary = path.string() + ".tmp-XXXXXX";
    int fd = ::mkstemp(temporary.data());
    if (fd < 0) return failedTo("create a file beside", path);
    Status done = writeAll(fd, std::as_bytes(std::span(content.data(), content.size())), path);
    if (done) done = moveInPlace(fd, temporary, path);
    if (fd >= 0) ::close(fd);
    if (!done) ::unlink(temporary.c_str());
    return done;
}

}  // namespace lacuna
