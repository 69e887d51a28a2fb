#pragma once
/// \file
/// Tags, filters and tests of the template language, and which of them are implemented. Pure
/// functions; may be called from many threads.

#include <string_view>

namespace lacuna::jinja {

enum class Known {
    Built,     ///< implemented
    NotBuilt,  ///< part of Jinja, not implemented
    Unknown,
};

[[nodiscard]] Known knownFilter(std::string_view name);
[[nodiscard]] Known knownTest(std::string_view name);
/// Returns whether a tag opens a statement. The parser decides which ones are implemented.
[[nodiscard]] bool isJinjaTag(std::string_view name);

}  // namespace lacuna::jinja
