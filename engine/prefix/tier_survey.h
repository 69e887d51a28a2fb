#pragma once
/// \file
/// What lies in the folder of the disk tier, as its files say it: for whoever asks without using
/// it. The list of files (PageIndex) may be missing, damaged or out of date, and the folder
/// somebody else's, so nothing is believed of the one and nothing made or changed in the other.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <vector>

#include "engine/base/result.h"
#include "engine/prefix/page_index.h"

namespace lacuna {

struct TierSurvey {
    std::int64_t bytes = 0;         ///< of everything, the store's own files included
    std::vector<ModelUsage> usage;  ///< in the order of models; tokens of sound pages of this
                                    ///< version
    bool pages = false;             ///< whether there is one of this version
    /// By all processes, since midnight UTC; none where the index cannot be read.
    std::optional<std::int64_t> writtenToday;
};

/// Reads the start of every page. Errors: NotFound (no folder), NotAFile (something else in its
/// place), Denied, Read (a folder in it cannot be looked into), Cancelled.
[[nodiscard]] Result<TierSurvey> surveyTier(const std::filesystem::path& folder,
                                            const std::stop_token& stop = {});

/// Whether there is a folder to be looked at. Errors: as surveyTier, but for Read and Cancelled.
[[nodiscard]] Status checkTierFolder(const std::filesystem::path& folder);

}  // namespace lacuna
