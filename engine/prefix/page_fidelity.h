#pragma once
/// \file
/// How closely the pages of a folder keep the rows of a cache. A property of the folder, not of a
/// session: programs that share it would otherwise write each other's pages anew for ever.
/// docs/disk-tier.md, "Rows".

#include <filesystem>
#include <optional>
#include <string_view>

#include "engine/base/result.h"

namespace lacuna {

enum class PageFidelity {
    /// As small as is worth it: transform coding where it was calibrated on the model, else 8 bits.
    Auto,
    /// 8-bit codes of plain rows, whatever was calibrated.
    EightBits,
    /// Every row bit for bit. Pages of another fidelity are misses, and written anew.
    Exact,
};

/// "auto", "q8", "exact".
[[nodiscard]] std::string_view keyOf(PageFidelity fidelity);
[[nodiscard]] std::optional<PageFidelity> pageFidelityNamed(std::string_view key);

/// Of a folder that says nothing: Auto; where it cannot be told what it says: Exact.
[[nodiscard]] PageFidelity pageFidelityOf(const std::filesystem::path& folder);
/// Counts from the next time that a program opens the folder. Makes it where it is not there.
/// Errors: Write.
[[nodiscard]] Status keepPageFidelity(const std::filesystem::path& folder, PageFidelity fidelity);

/// The file that says it; nobody's page.
inline constexpr std::string_view kFidelityFile = "codec";

}  // namespace lacuna
