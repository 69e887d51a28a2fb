#pragma once
/// \file
/// Table of settings that exclude each other; each entry names both and what to change. Checked
/// before weights load; needs no model. Combinations that are supported are not in the table (a
/// budget on a cache of group codes, a window under speculation, a batch of compacted
/// conversations). Pure functions. See docs/cache-contracts.md, "Mutually exclusive settings".

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/kv/kv_cache.h"
#include "engine/kv/kv_options.h"

namespace lacuna {

/// Requested options for memory and drafting.
struct CacheRequest {
    CompactionMethod method = CompactionMethod::None;
    std::optional<int> budget;  ///< slots per head after an eviction
    std::optional<int> window;  ///< tokens that a rotating cache keeps in every layer
    int windowKeep = 0;         ///< leading tokens that the window never drops
    KvQuant keyQuant;           ///< coding of rows in the live cache
    KvQuant valueQuant;
    bool draftModel = false;     ///< a second model drafts tokens
    bool contextShift = false;   ///< old tokens are dropped, the remaining keys are rotated
    bool slidingLayers = false;  ///< the model has layers with a sliding window
};

struct Exclusion {
    std::string_view id;      ///< "EX-WINDOW-BUDGET"
    std::string_view first;   ///< settings key
    std::string_view second;  ///< settings key that conflicts with `first`
    std::string_view reason;
    std::string_view remedy;
    bool (*hits)(const CacheRequest& requests);
};

[[nodiscard]] std::span<const Exclusion> exclusionTable();
/// Returns one sentence: "budget and window cannot be used together, because ...; ...".
[[nodiscard]] std::string exclusionText(const Exclusion& exclusion);
/// Returns all entries of the table that apply, in its order.
[[nodiscard]] std::vector<const Exclusion*> excludedBy(const CacheRequest& requests);

}  // namespace lacuna
