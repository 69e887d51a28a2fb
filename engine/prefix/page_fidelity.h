#pragma once
/// \file
/// How closely the pages of a folder keep the rows of a cache, as the folder says it.
/// docs/disk-tier.md, "Rows".

#include <filesystem>
#include <string_view>

#include "engine/base/result.h"
#include "engine/values/prefix_values.h"

namespace lacuna {

/// Of a folder that says nothing: Auto; where it cannot be told what it says: Exact.
[[nodiscard]] PageFidelity pageFidelityOf(const std::filesystem::path& folder);
/// The same, Auto where the folder says nothing. Errors: Config (none of them), those of reading.
[[nodiscard]] Result<PageFidelity> readPageFidelity(const std::filesystem::path& folder);
/// Counts in other programs from the next time that they open the folder. Makes it where it is not
/// there. Errors: Write.
[[nodiscard]] Status keepPageFidelity(const std::filesystem::path& folder, PageFidelity fidelity);

/// The file that says it; nobody's page.
inline constexpr std::string_view kFidelityFile = "codec";

}  // namespace lacuna
