#pragma once
/// \file
/// Location of the prefix cache's disk tier, for code that starts an engine. Pure function.

#include <filesystem>

namespace lacuna {

/// Returns a folder below the user's data folder; empty if there is none.
[[nodiscard]] std::filesystem::path prefixFolderIn(const std::filesystem::path& personal);

}  // namespace lacuna
