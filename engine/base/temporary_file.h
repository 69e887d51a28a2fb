#pragma once
/// \file
/// The files that stand next to a target until they take its place. Their name,
/// NAME.tmp-PID-XXXXXX, says whose they are, and their owner holds a lock on them (flock) for as
/// long as it lives, so that what a killed program left can be told from what a running one is
/// writing. Private to the writing functions of file.h and to what makes a file of its own next to
/// a target.

#include <filesystem>

#include "engine/base/result.h"

namespace lacuna {

struct TemporaryFile {
    int fd = -1;  ///< for writing; mode 0600, locked
    std::filesystem::path path;
};

/// A new file in the folder of `target`. Errors: Write.
[[nodiscard]] Result<TemporaryFile> makeTemporary(const std::filesystem::path& target);

/// A name of this kind, alongside `target`, for a file that is made by other means.
[[nodiscard]] std::filesystem::path temporaryName(const std::filesystem::path& target);
/// Takes the lock of such a file once it is there. What close() ends; -1 when it cannot be had.
[[nodiscard]] int holdTemporary(const std::filesystem::path& path);

/// Removes what dead processes left in `folder`: regular files of this user by the names above
/// whose process is gone and which nobody holds a lock on. Says nothing of what it cannot remove.
void sweepTemporaries(const std::filesystem::path& folder);

}  // namespace lacuna
