#pragma once
/// \file
/// The store's own files in the folder of the disk tier: the lock that whoever writes or removes
/// holds, and the secret that keys are made with. docs/disk-tier.md, "The folder".

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "engine/base/result.h"
#include "engine/prefix/page_file.h"

namespace lacuna {

/// Whether a file right in the folder is the store's own, not one of those it keeps.
[[nodiscard]] bool isOwnFile(std::string_view name);
/// Of the store's own files.
[[nodiscard]] std::int64_t ownBytes(const std::filesystem::path& folder);

enum class IfMissing { Make, Leave };

/// Held by whoever writes or removes files, in whatever process. Where a file system knows no locks
/// nothing is held: each file takes its place whole all the same.
class FolderHold {
  public:
    /// Waits for it. Leave: where there is no file for the lock, nothing is held.
    explicit FolderHold(const std::filesystem::path& folder, IfMissing lock = IfMissing::Make);
    FolderHold(const FolderHold&) = delete;
    FolderHold& operator=(const FolderHold&) = delete;
    ~FolderHold();

  private:
    int fd_ = -1;
};

/// The secret of the folder; one that is missing or damaged is made anew where that is allowed, and
/// pages that the old one found are found no more and go with time. @pre the lock is held. Errors:
/// NotFound (Leave), Read (also when the system gives no random numbers), those of writing.
[[nodiscard]] Result<PageSecret> folderSecret(const std::filesystem::path& folder,
                                              IfMissing secret);

}  // namespace lacuna
