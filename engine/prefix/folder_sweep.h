#pragma once
/// \file
/// What goes through every file of the disk tier's folder, whatever its list of files says: the
/// check of all pages, and their removal. Private to the store, which keeps its list in step.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/prefix/page_file.h"

namespace lacuna {

/// How a folder was found by PageStore::verify.
struct PageCheck {
    std::int64_t sound = 0;
    std::int64_t damaged = 0;
    std::int64_t putAside = 0;  ///< of the damaged; fewer where the folder cannot be written
    /// Whole in themselves and made with another secret: no text finds them, and they stay.
    std::int64_t otherSecret = 0;
    std::int64_t unreadable = 0;  ///< that the system does not let be read; they stay
    std::int64_t bytes = 0;       ///< of the sound ones
};

/// Reads every page. `putAside` is told of each damaged one and says whether it went. Errors:
/// Cancelled, Read (a folder in it cannot be looked into; the others were checked).
[[nodiscard]] Result<PageCheck> checkPages(
    const std::filesystem::path& folder, const PageSecret& secret, const std::stop_token& stop,
    const std::function<bool(const std::string& path, std::int64_t bytes,
                             const std::string& model)>& putAside,
    const std::function<void(std::int64_t pages)>& progress);

/// What PageStore::clear came upon and took away.
struct FolderCleared {
    std::int64_t files = 0;        ///< that were asked for
    std::int64_t bytesBefore = 0;  ///< of everything in the folder, the store's own files included
    std::int64_t bytes = 0;        ///< of what is left
};

struct Removal {
    FolderCleared cleared;          ///< `bytes`: without the store's own files
    std::vector<std::string> gone;  ///< paths below the folder
    Status status;  ///< Write (one could not be removed), Read (as above); the others are gone
};
/// Removes the pages of a model, or everything that the store keeps. `folderBelow`: before what is
/// in it, each folder.
[[nodiscard]] Removal removeFiles(
    const std::filesystem::path& folder, const std::optional<std::string>& model,
    const std::function<void(const std::filesystem::path& path)>& folderBelow);

}  // namespace lacuna
