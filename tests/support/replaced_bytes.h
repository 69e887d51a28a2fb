#pragma once
/// \file
/// Damages a file's bytes without a change of its size.

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace lacuna::test {

/// Returns the bytes with the first `text` replaced by `other`, which has the same length.
[[nodiscard]] inline std::string withReplaced(std::string bytes, std::string_view text,
                                              std::string_view other) {
    const std::size_t at = bytes.find(text);
    EXPECT_NE(at, std::string::npos) << text;
    EXPECT_EQ(text.size(), other.size());
    return bytes.replace(at, text.size(), other);
}

}  // namespace lacuna::test
