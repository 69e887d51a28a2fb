#pragma once
/// \file
/// Characters as bytes: a range of code points as runs of byte ranges. Pure function.
/// Source: RFC 3629; the splitting is that of Thompson's grep for UTF-8.

#include <cstdint>
#include <vector>

#include "engine/grammar/grammar_tree.h"

namespace lacuna {

struct ByteRangeOf {
    std::uint8_t first = 0;
    std::uint8_t last = 0;
    friend bool operator==(const ByteRangeOf&, const ByteRangeOf&) = default;
};

/// One to four byte ranges; every choice of a byte from each is one character.
using ByteRun = std::vector<ByteRangeOf>;

/// Runs that spell exactly the characters of `range`; surrogates are no characters and left out.
[[nodiscard]] std::vector<ByteRun> byteRuns(CharRange range);

}  // namespace lacuna
