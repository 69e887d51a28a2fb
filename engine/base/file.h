#pragma once
/// \file
/// Files: read-only maps, reading of small files, and atomic replacement of one or several files.
/// Untrusted bytes are read only through ByteReader (engine/base/byte_reader.h).

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

/// A regular file mapped read-only. Immutable, movable, may be read from many threads. It is opened
/// non-blocking: a FIFO, device or folder is refused (NotAFile) and never hangs. Reading stays safe
/// if the file is truncated; the missing bytes read as zeros.
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
    /// Returns ModelChanged if the name refers to another file, if size or modification time differ
    /// from those at open, or if a read fell after the end. If the check passes, all earlier reads
    /// returned the file's content.
    [[nodiscard]] Status checkUnchanged() const;

  private:
    const std::byte* data_ = nullptr;
    std::size_t size_ = 0;
    std::int64_t modifiedNs_ = 0;
    std::uint64_t device_ = 0;
    std::uint64_t inode_ = 0;
    int watch_ = -1;  ///< index of the watch that detects reads past the end; -1 if there is none
    std::filesystem::path path_;
};

/// Refuses an existing path that is not a regular file, for callers whose open may block (a FIFO)
/// or that replace the file. Links are followed. Errors: NotAFile.
[[nodiscard]] Status checkRegularOrMissing(const std::filesystem::path& path);

/// Reads an entire file of at most `limit` bytes. Errors: NotFound, NotAFile, Denied, Read.
[[nodiscard]] Result<std::string> readFile(const std::filesystem::path& path, std::size_t limit);

/// Permissions of a written file.
enum class FileAccess {
    SameAsReplaced,  ///< those of the replaced file; readable by all users for a new one
    OwnerOnly,       ///< private to the owner from the first byte on; for the user's messages
};

/// Writes a stream of bytes to `path` or leaves the old file untouched: temporary file in the same
/// folder, write loop, fsync, rename, fsync of the folder. Temporary files of dead processes in
/// that folder are removed first. Errors: Write, also for a device.
class AtomicFile {
  public:
    [[nodiscard]] static Result<AtomicFile> create(const std::filesystem::path& path,
                                                   FileAccess access = FileAccess::SameAsReplaced);
    AtomicFile(AtomicFile&& other) noexcept;
    AtomicFile& operator=(AtomicFile&&) = delete;
    AtomicFile(const AtomicFile&) = delete;
    ~AtomicFile();  ///< removes the temporary file unless committed
    [[nodiscard]] Status write(std::span<const std::byte> bytes);
    [[nodiscard]] Status write(std::string_view text);
    /// Syncs the temporary file to disk without replacing the target; also done by commit().
    [[nodiscard]] Status sync();
    /// On error the old file is kept, unless only the folder could not be synced: then the new file
    /// is in place but may be lost on a power failure.
    [[nodiscard]] Status commit();

  private:
    friend class FileGroup;
    AtomicFile() = default;
    [[nodiscard]] Status replaceTarget();
    int fd_ = -1;    ///< open for writing until it is synced
    int lock_ = -1;  ///< afterwards, holds the lock that marks the temporary file as owned
    FileAccess access_ = FileAccess::SameAsReplaced;
    std::filesystem::path target_;
    std::filesystem::path temporary_;
};

/// Writes a file through AtomicFile in one call.
[[nodiscard]] Status writeFileAtomically(const std::filesystem::path& path,
                                         std::string_view content,
                                         FileAccess access = FileAccess::SameAsReplaced);

/// Like writeFileAtomically, but first creates the folder of `path` if it is missing. Errors:
/// Write.
[[nodiscard]] Status writeFileInFolder(const std::filesystem::path& path, std::string_view content,
                                       FileAccess access = FileAccess::SameAsReplaced);

/// Writes several files of one folder (name and content), all or none. All are written and synced
/// next to their targets before the first rename, and a later failure restores files already
/// replaced. A power failure between two renames may leave some files new and some old, each of
/// them complete. Errors: Write.
[[nodiscard]] Status writeFilesTogether(const std::filesystem::path& folder,
                                        std::span<const std::pair<std::string, std::string>> files,
                                        FileAccess access = FileAccess::SameAsReplaced);

/// Refuses `out` if it is one of `inputs` under any name: the same file through a hard or symbolic
/// link, or the same path, whether it exists or not. Errors: InvalidArgument, naming both.
[[nodiscard]] Status checkNotAmong(const std::filesystem::path& out,
                                   std::span<const std::filesystem::path> inputs);

}  // namespace lacuna
