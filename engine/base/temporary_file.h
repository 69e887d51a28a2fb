#pragma once
/// \file
/// Temporary files next to a target that they will replace. The name NAME.tmp-PID-XXXXXX identifies
/// the owner, which holds a lock (flock) on the file while it lives. A file left by a killed
/// program can thus be distinguished from one being written. Private to the writing functions of
/// file.h and to code that creates its own file next to a target.

#include <filesystem>

#include "engine/base/result.h"

namespace lacuna {

struct TemporaryFile {
    int fd = -1;  ///< open for writing; mode 0600, locked
    std::filesystem::path path;
};

/// Creates a file in the folder of `target`. Errors: Write.
[[nodiscard]] Result<TemporaryFile> makeTemporary(const std::filesystem::path& target);

/// Returns such a name next to `target`, for a file that is created by other means.
[[nodiscard]] std::filesystem::path temporaryName(const std::filesystem::path& target);
/// Locks such a file after it was created. Returns the descriptor to close; -1 if it cannot be
/// opened.
[[nodiscard]] int holdTemporary(const std::filesystem::path& path);

/// Removes files of dead processes from `folder`: regular files of this user with such names whose
/// process is gone and which are not locked. Failures to remove are ignored.
void sweepTemporaries(const std::filesystem::path& folder);

}  // namespace lacuna
