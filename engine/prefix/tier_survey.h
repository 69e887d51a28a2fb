#pragma once
/// \file
/// Surveys the disk tier's folder from its files alone, for read-only callers. The index
/// (PageIndex) may be missing, damaged or outdated, and the folder may belong to another user: the
/// index is not trusted, and nothing is created or changed.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <vector>

#include "engine/base/result.h"
#include "engine/prefix/page_index.h"

namespace lacuna {

struct TierSurvey {
    std::int64_t bytes = 0;         ///< size of everything, including the store's own files
    std::vector<ModelUsage> usage;  ///< sorted by model; tokens are those of sound pages of this
                                    ///< version
    bool pages = false;             ///< true if there is a page of this version
    /// Bytes written by all processes since midnight UTC; nullopt if the index cannot be read.
    std::optional<std::int64_t> writtenToday;
};

/// Reads the head of every page. Errors: NotFound (no folder), NotAFile (not a folder), Denied,
/// Read (a subfolder cannot be opened), Cancelled.
[[nodiscard]] Result<TierSurvey> surveyTier(const std::filesystem::path& folder,
                                            const std::stop_token& stop = {});

/// Checks that the folder exists and can be surveyed. Errors: as surveyTier, except Read and
/// Cancelled.
[[nodiscard]] Status checkTierFolder(const std::filesystem::path& folder);

}  // namespace lacuna
