#pragma once
/// \file
/// Finds structural tokens: punctuation, blanks and markup, without a letter or digit. Scores by
/// attention give them many slots at high ratios, although losing them costs little (kvpress, pull
/// request 288), so their scores can be lowered. A structural token inside a name, number or code,
/// joined to its neighbours without a blank, counts as part of it: "4,711-22" stays intact. Pure
/// functions. docs/eviction.md, "Structure demotion".

#include <cstdint>
#include <span>
#include <vector>

#include "engine/kv/eviction/eviction_scores.h"

namespace lacuna {

/// Properties of one token's text.
struct TokenForm {
    bool word = true;          ///< contains a letter, a digit or part of a character
    bool blankBefore = false;  ///< starts with white space
    bool blankAfter = false;   ///< ends with white space
    bool control = false;      ///< a marker of the chat template, which separates roles
    friend bool operator==(const TokenForm&, const TokenForm&) = default;
};

/// Factor on the scores of structural tokens.
constexpr float kStructureWeight = 0.2F;

/// Returns one flag per token: true for structural tokens.
[[nodiscard]] std::vector<bool> structuralPositions(std::span<const TokenForm> text);

/// Lowers the scores of slots at these positions; others, and positions past the text, are
/// unchanged. `positions` [slots], or null if slot j holds position j. @pre scores are non-negative
/// or NaN
void demote(std::span<float> scores, const std::int32_t* positions,
            const std::vector<bool>& structural);

}  // namespace lacuna
