#pragma once
/// \file
/// Which wishes cannot be had together, as data: both are named, with what to change. Checked
/// before weights load; needs no model. What can be made to work is not in the table (a budget on a
/// cache of group codes, a window under speculation, a batch of compacted conversations, each on
/// its own). Pure functions. docs/cache-contracts.md, "What excludes what".

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/kv/kv_cache.h"
#include "engine/kv/kv_options.h"

namespace lacuna {

/// Everything about memory and drafting that somebody may ask for at once.
struct CacheWishes {
    CompactionMethod method = CompactionMethod::None;
    std::optional<int> budget;  ///< slots per head after an eviction
    std::optional<int> window;  ///< tokens a rotating cache keeps in every layer
    int windowKeep = 0;         ///< first tokens among them that never go
    KvQuant keyQuant;           ///< rows of the live cache
    KvQuant valueQuant;
    bool draftModel = false;     ///< a second model guesses ahead
    bool contextShift = false;   ///< old tokens are dropped and the others turned to new places
    bool slidingLayers = false;  ///< the model has layers with a window of their own
};

struct Exclusion {
    std::string_view id;      ///< "EX-WINDOW-BUDGET"
    std::string_view first;   ///< settings key
    std::string_view second;  ///< the one that cannot stand next to it
    std::string_view why;
    std::string_view remedy;
    bool (*hits)(const CacheWishes& wishes);
};

[[nodiscard]] std::span<const Exclusion> exclusionTable();
/// One sentence: "budget and window cannot be used together, because ...; ...".
[[nodiscard]] std::string sentenceOf(const Exclusion& exclusion);
/// Every entry of the table that these wishes hit, in its order.
[[nodiscard]] std::vector<const Exclusion*> excludedBy(const CacheWishes& wishes);

}  // namespace lacuna
