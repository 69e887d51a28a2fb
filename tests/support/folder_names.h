#pragma once
/// \file
/// The folders of a folder, so that tests run for each golden model without a list of names. For
/// tests only.

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace lacuna::test {

/// Returns the names of all folders in `parent` in ascending order; throws if there is no `parent`.
inline std::vector<std::string> foldersIn(const std::filesystem::path& parent) {
    std::vector<std::string> names;
    for (const auto& item : std::filesystem::directory_iterator(parent))
        if (item.is_directory()) names.push_back(item.path().filename().string());
    std::ranges::sort(names);
    return names;
}

}  // namespace lacuna::test
