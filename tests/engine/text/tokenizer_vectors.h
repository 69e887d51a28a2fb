#pragma once
/// \file
/// The published texts with their token ids, and small vocabularies made in memory.

#include <filesystem>
#include <string>
#include <vector>

#include "engine/text/tokenizer.h"

namespace lacuna::testing {

struct VectorCase {
    std::string text;
    std::vector<TokenId> ids;
};
/// The cases of `name`.inp and `name`.out in the golden folder.
[[nodiscard]] std::vector<VectorCase> vectorCases(const std::string& name);

/// Seconds of processor time of the calling thread: what a limit on work is measured in, however
/// busy the machine.
[[nodiscard]] double threadSeconds();

/// All 256 bytes, then a few merges ("he", "ll", "llo", ...), then control and user-defined tokens.
[[nodiscard]] TokenizerData smallByteLevelData();
/// The 256 byte pieces, letters and a few words with scores, then control and user-defined tokens.
[[nodiscard]] TokenizerData smallSentencePieceData();

}  // namespace lacuna::testing
