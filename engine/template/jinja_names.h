#pragma once
/// \file
/// Which tags, filters and tests the template language has, and which of them are built here.
/// Pure functions; may be called from many threads.

#include <string_view>

namespace lacuna::jinja {

enum class Known {
    Built,     ///< works here
    NotBuilt,  ///< Jinja has it
    Unknown,
};

[[nodiscard]] Known knownFilter(std::string_view name);
[[nodiscard]] Known knownTest(std::string_view name);
/// A tag that opens a statement. The parser decides which are built.
[[nodiscard]] bool isJinjaTag(std::string_view name);

}  // namespace lacuna::jinja
