#pragma once
/// \file
/// Which tokens a windowed cache holds and in which slots: arithmetic on positions, no rows. All
/// heads of such a cache hold the same tokens. Pure functions on values.
///
/// A ring: the first `keep` tokens and the newest others, `size` in all. A single token overwrites
/// the oldest that may go; a run of tokens first puts the slots in order and drops all but the
/// newest size - 1, so that its first query still has a whole window, and stands after them: the
/// cache then holds up to size - 1 + run slots until the next single token.
/// docs/cache-contracts.md, "Rotating windows" (RO).

#include <cstdint>
#include <vector>

#include "engine/base/result.h"

namespace lacuna {

struct WindowRule {
    int size = 0;  ///< tokens
    int keep = 0;  ///< first tokens among them that never go
    friend bool operator==(const WindowRule&, const WindowRule&) = default;
};

/// Errors: InvalidArgument (size below 2, keep outside 0 to size - 1).
[[nodiscard]] Status checkRule(const WindowRule& rule);

struct TokenWindow {
    WindowRule rule;
    std::int64_t offset = 0;              ///< tokens ever appended, less those taken back
    std::vector<std::int32_t> positions;  ///< [slots]
    int next = 0;  ///< slot after the newest token; the slot count while nothing wrapped
    [[nodiscard]] int slots() const { return static_cast<int>(positions.size()); }
    [[nodiscard]] bool inOrder() const { return next == slots(); }
};

/// What an append does before its rows are written.
struct WindowStep {
    TokenWindow after;
    bool gathers = false;             ///< the slots of `order` move to the front of new memory
    std::vector<std::int32_t> order;  ///< old slots that stay, oldest token first
    int firstSlot = 0;                ///< of the new rows, counted after the move
    bool overwrites = false;          ///< the new row takes the slot of a token that goes
};

enum class AppendMode { Plain, Speculative, SpeculativeFirst };

/// While speculation is open nothing is dropped or overwritten, except by its first append, and
/// then only what no query after the span began can see.
/// @pre tokens >= 1
[[nodiscard]] WindowStep planAppend(const TokenWindow& window, int tokens, AppendMode mode);
/// Slots from the oldest token to the newest.
[[nodiscard]] std::vector<std::int32_t> temporalOrder(const TokenWindow& window);
/// Newest tokens that can go without a trace outside speculation.
[[nodiscard]] int trimmable(const TokenWindow& window);
/// @pre tokens <= slots, and in order
void removeNewest(TokenWindow& window, int tokens);

}  // namespace lacuna
