#pragma once
/// \file
/// Reads and writes a folder's setting for how closely pages keep the rows of a cache.
/// docs/disk-tier.md, "Rows".

#include <filesystem>
#include <string_view>

#include "engine/base/result.h"
#include "engine/values/prefix_values.h"

namespace lacuna {

/// Returns Auto if the folder has no setting, and Exact if the setting cannot be read.
[[nodiscard]] PageFidelity pageFidelityOf(const std::filesystem::path& folder);
/// Returns Auto if the folder has no setting. Errors: Config (unknown value), those of reading.
[[nodiscard]] Result<PageFidelity> readPageFidelity(const std::filesystem::path& folder);
/// Takes effect in other programs when they next open the folder. Creates the folder if necessary.
/// Errors: Write.
[[nodiscard]] Status storePageFidelity(const std::filesystem::path& folder, PageFidelity fidelity);

/// Name of the file with the setting; never the name of a page.
inline constexpr std::string_view kFidelityFile = "codec";

}  // namespace lacuna
