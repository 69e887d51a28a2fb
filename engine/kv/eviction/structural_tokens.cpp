#include "engine/kv/eviction/structural_tokens.h"

#include <cstddef>

namespace lacuna {
namespace {

/// Returns true if the token at `at` joins two words.
bool joins(std::span<const TokenForm> text, std::size_t at) {
    if (at == 0 || at + 1 >= text.size()) return false;
    const TokenForm& before = text[at - 1];
    const TokenForm& after = text[at + 1];
    const bool blank =
        before.blankAfter || text[at].blankBefore || text[at].blankAfter || after.blankBefore;
    return before.word && after.word && !blank;
}

}  // namespace

std::vector<bool> structuralPositions(std::span<const TokenForm> text) {
    std::vector<bool> structural(text.size());
    for (std::size_t at = 0; at < text.size(); ++at)
        structural[at] = !text[at].word && !joins(text, at);
    return structural;
}

void demote(std::span<float> scores, const std::int32_t* positions,
            const std::vector<bool>& structural) {
    for (std::size_t slot = 0; slot < scores.size(); ++slot) {
        const auto position =
            positions == nullptr ? slot : static_cast<std::size_t>(positions[slot]);
        if (position < structural.size() && structural[position]) scores[slot] *= kStructureWeight;
    }
}

}  // namespace lacuna
