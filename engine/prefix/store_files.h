#pragma once
/// \file
/// The store's own files in the disk tier's folder: the lock held while files are written or
/// removed, and the secret that keys are made with. docs/disk-tier.md, "The folder".

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "engine/base/result.h"
#include "engine/prefix/page_file.h"

namespace lacuna {

/// Returns true if a file directly in the folder is one of the store's own rather than a stored
/// one.
[[nodiscard]] bool isOwnFile(std::string_view name);
/// Size of the store's own files.
[[nodiscard]] std::int64_t ownBytes(const std::filesystem::path& folder);

enum class IfMissing { Make, Leave };

/// Inter-process lock, held while files are written or removed. On file systems without locks
/// nothing is held; this is safe because each file appears atomically.
class FolderHold {
  public:
    /// Blocks until the lock is acquired. With Leave, nothing is held if the lock file is missing.
    explicit FolderHold(const std::filesystem::path& folder, IfMissing lock = IfMissing::Make);
    FolderHold(const FolderHold&) = delete;
    FolderHold& operator=(const FolderHold&) = delete;
    ~FolderHold();

  private:
    int fd_ = -1;
};

/// Returns the secret of the folder. With Make, a missing or damaged secret is replaced; pages made
/// with the old one are then no longer found and are evicted eventually. @pre the lock is held.
/// Errors: NotFound (Leave), Read (also if the system provides no random numbers), those of
/// writing.
[[nodiscard]] Result<PageSecret> folderSecret(const std::filesystem::path& folder,
                                              IfMissing secret);

}  // namespace lacuna
