#pragma once
/// \file
/// Published texts with their token ids, and small vocabularies built in memory.

#include <filesystem>
#include <string>
#include <vector>

#include "engine/text/tokenizer.h"

namespace lacuna::testing {

struct VectorCase {
    std::string text;
    std::vector<TokenId> ids;
};
/// Returns the cases of `name`.inp and `name`.out in the golden folder.
[[nodiscard]] std::vector<VectorCase> vectorCases(const std::string& name);

/// Returns the processor time of the calling thread in seconds, which other load does not affect.
[[nodiscard]] double threadSeconds();

/// Returns all 256 bytes, a few merges ("he", "ll", "llo", ...), then control and user-defined
/// tokens.
[[nodiscard]] TokenizerData smallByteLevelData();
/// Returns the 256 byte pieces, letters and a few words with scores, then control and user-defined
/// tokens.
[[nodiscard]] TokenizerData smallSentencePieceData();

}  // namespace lacuna::testing
