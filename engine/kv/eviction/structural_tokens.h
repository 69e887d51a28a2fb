#pragma once
/// \file
/// Which tokens of a text are structure: punctuation, blanks and markup, without a letter or a
/// digit. Scores by attention give them many of the slots at high ratios, and little is lost with
/// them (kvpress, pull request 288), so that their scores may count less. Inside a name, a number
/// or a code, joined to its neighbours without a blank, such a token counts as theirs: "4,711-22"
/// stays whole. Pure functions. docs/eviction.md, "Structure demoted".

#include <cstdint>
#include <span>
#include <vector>

#include "engine/kv/eviction/eviction_scores.h"

namespace lacuna {

/// What one token's text is made of.
struct TokenForm {
    bool word = true;          ///< holds a letter or a digit, or part of a character
    bool blankBefore = false;  ///< begins with white space
    bool blankAfter = false;   ///< ends with white space
    bool control = false;      ///< a mark of the chat template, which says who speaks
    friend bool operator==(const TokenForm&, const TokenForm&) = default;
};

/// What the score of structure is multiplied with.
constexpr float kStructureWeight = 0.2F;

/// Positions of structure in a text, one mark a token.
[[nodiscard]] std::vector<bool> structuralPositions(std::span<const TokenForm> text);

/// Multiplies the scores of slots at these positions; others, and positions past the text, stay.
/// `positions` [slots], or null where slot j holds position j. @pre scores are not negative, or no
/// number
void demote(std::span<float> scores, const std::int32_t* positions,
            const std::vector<bool>& structural);

}  // namespace lacuna
