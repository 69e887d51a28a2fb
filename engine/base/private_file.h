#pragma once
/// \file
/// Files that hold what a person said: nobody but their owner may read them, from the first byte
/// on.

#include <filesystem>
#include <string_view>

#include "engine/base/result.h"

namespace lacuna {

/// writeFileAtomically (file.h) with mode 0600, whatever the file it replaces had. Errors: Write.
[[nodiscard]] Status writePrivateFile(const std::filesystem::path& path, std::string_view content);

}  // namespace lacuna
