#pragma once
/// \file
/// Operations on every file of the disk tier's folder, independent of the index: verifying and
/// removing pages. Private to the store, which updates its index.

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

/// Result of PageStore::verify.
struct PageCheck {
    std::int64_t sound = 0;
    std::int64_t damaged = 0;
    std::int64_t quarantined = 0;  ///< damaged pages that were quarantined; fewer if the folder is
                                   ///< read-only
    /// Intact pages made with another secret: no text finds them, and they are kept.
    std::int64_t otherSecret = 0;
    std::int64_t unreadable = 0;  ///< pages that cannot be read; they are kept
    std::int64_t bytes = 0;       ///< size of the sound pages
};

/// Reads every page. `quarantine` is called with each damaged one and returns whether it was moved.
/// Errors: Cancelled, Read (a subfolder cannot be opened; the others were checked).
[[nodiscard]] Result<PageCheck> checkPages(
    const std::filesystem::path& folder, const PageSecret& secret, const std::stop_token& stop,
    const std::function<bool(const std::string& path, std::int64_t bytes,
                             const std::string& model)>& quarantine,
    const std::function<void(std::int64_t pages)>& progress);

/// Result of PageStore::clear.
struct FolderCleared {
    std::int64_t files = 0;        ///< files selected for removal
    std::int64_t bytesBefore = 0;  ///< size of everything in the folder, including the store's own
                                   ///< files
    std::int64_t bytes = 0;        ///< size of the remaining files
};

struct Removal {
    FolderCleared cleared;             ///< `bytes` excludes the store's own files
    std::vector<std::string> removed;  ///< paths relative to the folder
    Status status;  ///< Write (a file could not be removed), Read (as above); the others are
                    ///< removed
};
/// Removes the pages of a model, or everything that the store keeps. `visitFolder` is called with
/// each folder before its contents.
[[nodiscard]] Removal removeFiles(
    const std::filesystem::path& folder, const std::optional<std::string>& model,
    const std::function<void(const std::filesystem::path& path)>& visitFolder);

}  // namespace lacuna
