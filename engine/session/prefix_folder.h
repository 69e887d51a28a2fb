#pragma once
/// \file
/// Where the disk tier of the prefix cache lies, for those who start an engine. Pure function.

#include <filesystem>

namespace lacuna {

/// Below the folder for a person's own data; empty where there is none.
[[nodiscard]] std::filesystem::path prefixFolderIn(const std::filesystem::path& personal);

}  // namespace lacuna
