#pragma once
/// \file
/// What the prefix cache did and holds. Plain data, the same in the engine, in reports and in the
/// window.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "engine/values/value_keys.h"

namespace lacuna {

/// How a stored text and the one that is asked about go together.
enum class PrefixMatch {
    None,       ///< nothing was taken from the store
    Exact,      ///< the same tokens; the last one is evaluated again
    Longer,     ///< the stored one begins with all that is asked about
    Diverging,  ///< they begin alike and part; the stored one is cut back
    Shorter,    ///< what is asked about begins with all that is stored
};
template <>
inline constexpr KeyTable<5, PrefixMatch> kKeys<PrefixMatch>{{{PrefixMatch::None, "none"},
                                                              {PrefixMatch::Exact, "exact"},
                                                              {PrefixMatch::Longer, "longer"},
                                                              {PrefixMatch::Diverging, "diverging"},
                                                              {PrefixMatch::Shorter, "shorter"}}};

/// Whose end a stored text is; those of the first go first where room is made.
enum class PrefixRole { Assistant, User, System };

/// Whether and with whom an answer shares what is stored.
struct PrefixUse {
    bool shared = true;     ///< off: nothing is looked up and nothing is stored
    std::string salt = {};  ///< only those with the same one share
    friend bool operator==(const PrefixUse&, const PrefixUse&) = default;
};

/// Counters since the engine began, and what is held now.
struct PrefixStats {
    std::int64_t lookups = 0;
    std::array<std::int64_t, 5> matches{};  ///< by PrefixMatch; they add up to the lookups
    std::int64_t tokensQueried = 0;         ///< of all texts that were looked up
    std::int64_t tokensReused = 0;          ///< of them, those that were taken from the store
    std::int64_t inserts = 0;               ///< texts stored, those that took another's place too
    std::int64_t replaced = 0;              ///< of them, those of tokens that were stored already
    std::int64_t refreshed = 0;      ///< not stored: what was stored of these tokens is no worse
    std::int64_t covered = 0;        ///< left the store because a longer text gives all they gave
    std::int64_t rejectedShort = 0;  ///< fewer tokens than are worth it
    std::int64_t rejectedLarge = 0;  ///< more bytes than the limit
    std::int64_t rejectedDifferent = 0;  ///< tokens and cache do not cover the same
    std::int64_t failures = 0;           ///< a copy could not be made or cut back; then a miss
    std::int64_t evictedForLimit = 0;    ///< by the limit of the store
    std::int64_t evictedForCaches = 0;   ///< because caches in use needed the memory
    double savedSeconds = 0;             ///< reading what was reused would have taken
    std::int64_t entries = 0;
    std::int64_t bytes = 0;       ///< of all entries, shared rows once
    std::int64_t bytesAlone = 0;  ///< of them, what no cache of a conversation holds as well
    std::int64_t limitBytes = 0;  ///< 0: the store is off
    [[nodiscard]] std::int64_t hits() const {
        return lookups - matches[static_cast<std::size_t>(PrefixMatch::None)];
    }
};

}  // namespace lacuna
