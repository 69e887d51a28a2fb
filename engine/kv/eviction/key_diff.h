#pragma once
/// \file
/// Where the mean direction of KeyDiff ends. Pure functions. Scores: eviction_scores.h.

#include <cstdint>

namespace lacuna {

/// Tokens of this position on are left out of the mean direction when a cache of `tokens` tokens is
/// evicted from. They are the newest `keepRecent`, which stay anyway, or half of all where that is
/// less. Scores of the others are then known some tokens before an eviction is due
/// (prepared_scores.h).
[[nodiscard]] std::int64_t keyDiffAnchorEnd(std::int64_t tokens, int keepRecent);

}  // namespace lacuna
