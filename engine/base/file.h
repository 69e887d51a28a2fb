#pragma once
/// \file
/// Files: a read-only map, whole small files, and atomic replacement of one file or of several.
/// Untrusted bytes are read through ByteReader (engine/base/byte_reader.h) only.

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/result.h"

namespace lacuna {

/// A regular file mapped read-only. Immutable, movable, may be read from many threads.
/// Opened non-blocking: a FIFO, device or folder is refused (NotAFile) and never hangs.
/// Reading stays safe when the file becomes shorter; what is then read is zeros.
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
    /// ModelChanged when another file has the name now, when size or modification time differ from
    /// those at open, or when a read fell after the end. What was read before a check that passes
    /// was the file.
    [[nodiscard]] Status checkUnchanged() const;

  private:
    const std::byte* data_ = nullptr;
    std::size_t size_ = 0;
    std::int64_t modifiedNs_ = 0;
    std::uint64_t device_ = 0;
    std::uint64_t inode_ = 0;
    int watch_ = -1;  ///< number of the watch over the map's end; -1: none
    std::filesystem::path path_;
};

/// Refuses what is there and is no regular file, for a caller that opens it by name in a way that
/// may block (a FIFO) or replaces it. Links are followed. Errors: NotAFile.
[[nodiscard]] Status checkRegularOrMissing(const std::filesystem::path& path);

/// Reads a whole file of at most `limit` bytes. Errors: NotFound, NotAFile, Denied, Read.
[[nodiscard]] Result<std::string> readFile(const std::filesystem::path& path, std::size_t limit);

/// Who may read a file that is written.
enum class FileAccess {
    AsBefore,   ///< whoever may read the file that it replaces; everybody for a new one
    OwnerOnly,  ///< nobody else, from the first byte on: what a person said
};

/// Writes a stream of bytes to `path` or leaves the old file untouched: temporary file in the same
/// folder, write loop, fsync, rename, fsync of the folder. Temporary files that dead processes left
/// in that folder are removed first. Errors: Write, also for a device.
class AtomicFile {
  public:
    [[nodiscard]] static Result<AtomicFile> create(const std::filesystem::path& path,
                                                   FileAccess access = FileAccess::AsBefore);
    AtomicFile(AtomicFile&& other) noexcept;
    AtomicFile& operator=(AtomicFile&&) = delete;
    AtomicFile(const AtomicFile&) = delete;
    ~AtomicFile();  ///< removes the temporary file unless committed
    [[nodiscard]] Status write(std::span<const std::byte> bytes);
    [[nodiscard]] Status write(std::string_view text);
    /// Brings what was written to the disk, still next to the target. commit() does it too.
    [[nodiscard]] Status sync();
    /// On error the old file stands, unless only the folder could not be synced: then the new one
    /// does, and may be gone after a power cut.
    [[nodiscard]] Status commit();

  private:
    friend class FileGroup;
    AtomicFile() = default;
    [[nodiscard]] Status takePlace();
    int fd_ = -1;    ///< for writing, until it is synced
    int lock_ = -1;  ///< then holds the lock that says that the temporary file has an owner
    FileAccess access_ = FileAccess::AsBefore;
    std::filesystem::path target_;
    std::filesystem::path temporary_;
};

/// AtomicFile in one call.
[[nodiscard]] Status writeFileAtomically(const std::filesystem::path& path,
                                         std::string_view content,
                                         FileAccess access = FileAccess::AsBefore);

/// The same, after the folder of `path` was made where it is missing. Errors: Write.
[[nodiscard]] Status writeFileInFolder(const std::filesystem::path& path, std::string_view content,
                                       FileAccess access = FileAccess::AsBefore);

/// Several files of one folder, name and content, all of them or none: all are written and synced
/// next to their targets before the first takes its place, and what a later failure finds already
/// replaced is put back. A power cut between two renames may leave some new and some old, each
/// whole. Errors: Write.
[[nodiscard]] Status writeFilesTogether(const std::filesystem::path& folder,
                                        std::span<const std::pair<std::string, std::string>> files,
                                        FileAccess access = FileAccess::AsBefore);

/// Refuses to write `out` where it is one of `inputs`, by any name: the same file through a link of
/// either kind, or the same place, whether something is there or not. Errors: InvalidArgument,
/// naming both.
[[nodiscard]] Status checkNotAmong(const std::filesystem::path& out,
                                   std::span<const std::filesystem::path> inputs);

}  // namespace lacuna
