#include "engine/settings/exclusions.h"

#include <array>

#include "engine/base/string_format.h"

namespace lacuna {
namespace {

bool compacts(const CacheWishes& w) {
    return w.method != CompactionMethod::None || w.budget.has_value();
}

// Guesses from earlier text (draft_tokens) are not here although the contract, stricter, names any
// speculation: they hold no cache, and stop in front of the token after which a compaction is due
// (Generation::proposalRoom), so that neither setting moves the other.
constexpr std::string_view kDraftWhy =
    "the draft model keeps every token in a cache of its own, which no compaction makes smaller";
constexpr std::string_view kShiftWhy =
    "keys can be turned to other places only where every token is held as plain numbers";

constexpr auto kTable = std::to_array<Exclusion>({
    {"EX-BUDGET-WINDOW", "budget", "window", "both bound the memory, each by dropping other tokens",
     "keep one of the two",
     [](const CacheWishes& w) { return w.budget.has_value() && w.window.has_value(); }},
    {"EX-AM-WINDOW", "method", "window",
     "tokens that were merged cannot be dropped by their age any more", "keep one of the two",
     [](const CacheWishes& w) {
         return w.method == CompactionMethod::AttentionMatching && w.window.has_value();
     }},
    {"EX-L2-WINDOW", "method", "window",
     "a cache with a window forgets by age, and nothing else is ever evicted from it",
     "keep one of the two",
     [](const CacheWishes& w) {
         return w.method == CompactionMethod::Eviction && !w.budget && w.window.has_value();
     }},
    {"EX-BUDGET-DRAFT", "budget", "draft model", kDraftWhy,
     "take no draft model or remove the budget",
     [](const CacheWishes& w) { return w.budget.has_value() && w.draftModel; }},
    {"EX-METHOD-DRAFT", "method", "draft model", kDraftWhy,
     "take no draft model or set method to none",
     [](const CacheWishes& w) { return compacts(w) && !w.budget && w.draftModel; }},
    {"EX-SHIFT-SLIDING", "context_shift", "sliding layers of the model",
     "a layer with a window has lost the tokens that would have to be turned",
     "switch the shift off or take a model without sliding layers",
     [](const CacheWishes& w) { return w.contextShift && w.slidingLayers; }},
    {"EX-SHIFT-METHOD", "context_shift", "method", kShiftWhy, "keep one of the two",
     [](const CacheWishes& w) { return w.contextShift && compacts(w); }},
    {"EX-SHIFT-WINDOW", "context_shift", "window", kShiftWhy, "keep one of the two",
     [](const CacheWishes& w) { return w.contextShift && w.window.has_value(); }},
    {"EX-SHIFT-CODES", "context_shift", "kv_type", kShiftWhy,
     "switch the shift off or take f16, bf16 or f32",
     [](const CacheWishes& w) {
         return w.contextShift && (!w.keyQuant.plain() || !w.valueQuant.plain());
     }},
    {"EX-WINDOW-KEEP", "n_sink", "window",
     "a window needs 2 tokens or more, and more than it always keeps",
     "make the window larger or keep fewer first tokens",
     [](const CacheWishes& w) { return w.window && (*w.window < 2 || *w.window <= w.windowKeep); }},
});

}  // namespace

std::span<const Exclusion> exclusionTable() {
    return kTable;
}

std::string sentenceOf(const Exclusion& exclusion) {
    return format("{} and {} cannot be used together, because {}; {}.", exclusion.first,
                  exclusion.second, exclusion.why, exclusion.remedy);
}

std::vector<const Exclusion*> excludedBy(const CacheWishes& wishes) {
    std::vector<const Exclusion*> out;
    for (const Exclusion& exclusion : kTable)
        if (exclusion.hits(wishes)) out.push_back(&exclusion);
    return out;
}

}  // namespace lacuna
