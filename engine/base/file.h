#pragma once
/// \file
/// Files: a read-only map, whole small files, and atomic replacement.
/// Untrusted bytes are read through ByteReader (engine/base/byte_reader.h) only.

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace lacuna {

/// A regular file mapped read-only. Immutable, movable, may be read from many threads.
/// Opened non-blocking: a FIFO, device or folder is refused (NotAFile) and never hangs.
class MappedFile {
 public:
    [[nodiscard]] static Result<MappedFile> open(const std::filesystem::path& path);
    MappedFile() = default;
    MappedFile(MappedFile&& other) noexcept;
    MappedFile& operator=(MappedFile&& other) noexcept;
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;
    ~MappedFile();

    [[nodiscard]] std::span<const std::byte> bytes() const { return {data_, size_}; }
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    /// ModelChanged when size or modification time differ from those at open.
    [[nodiscard]] Status checkUnchanged() const;

 private:
    const std::byte* data_ = nullptr;
    std::size_t size_ = 0;
    std::int64_t modifiedNs_ = 0;
    std::filesystem::path path_;
};

/// Reads a whole file of at most `limit` bytes. Errors: NotFound, NotAFile, Denied, Read.
[[nodiscard]] Result<std::string> readFile(const std::filesystem::path& path, std::size_t limit);

/// Writes a stream of bytes to `path` or leaves the old file untouched: temporary file in the same
/// folder, write loop, fsync, rename, fsync of the folder. Errors: Write, also for a device.
class AtomicFile {
 public:
    [[nodiscard]] static Result<AtomicFile> create(const std::filesystem::path& path);
    AtomicFile(AtomicFile&& other) noexcept;
    AtomicFile& operator=(AtomicFile&&) = delete;
    AtomicFile(const AtomicFile&) = delete;
    ~AtomicFile();  ///< removes the temporary file unless committed
    [[nodiscard]] Status write(std::span<const std::byte> bytes);
    [[nodiscard]] Status write(std::string_view text);
    [[nodiscard]] Status commit();

 private:
    AtomicFile() = default;
    int fd_ = -1;
    std::filesystem::path target_;
    std::filesystem::path temporary_;
};

/// AtomicFile in one call.
[[nodiscard]] Status writeFileAtomically(const std::filesystem::path& path, std::string_view content);

}  // namespace lacuna
