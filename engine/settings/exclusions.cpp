#include "engine/settings/exclusions.h"

#include <array>

#include "engine/base/string_format.h"

namespace lacuna {
namespace {

bool compacts(const CacheRequest& w) {
    return w.method != CompactionMethod::None || w.budget.has_value();
}

// Drafts of prompt lookup and of the model's own block (draft_tokens) are not listed, although the
// contract excludes any speculation. They use no cache or a small one, and stop before the token
// after which a compaction is due (Generation::proposalRoom), so neither setting affects the other.
constexpr std::string_view kDraftReason =
    "the draft model keeps every token in its own cache, which compactions do not shrink";
constexpr std::string_view kShiftReason =
    "keys can be moved to other positions only if every token is stored uncoded";

constexpr auto kTable = std::to_array<Exclusion>({
    {"EX-BUDGET-WINDOW", "budget", "window", "both limit memory by dropping different tokens",
     "keep one of the two",
     [](const CacheRequest& w) { return w.budget.has_value() && w.window.has_value(); }},
    {"EX-AM-WINDOW", "method", "window", "merged tokens cannot be dropped by age",
     "keep one of the two",
     [](const CacheRequest& w) {
         return w.method == CompactionMethod::AttentionMatching && w.window.has_value();
     }},
    {"EX-L2-WINDOW", "method", "window", "a cache with a window drops tokens by age only",
     "keep one of the two",
     [](const CacheRequest& w) {
         return w.method == CompactionMethod::Eviction && !w.budget && w.window.has_value();
     }},
    {"EX-BUDGET-DRAFT", "budget", "draft model", kDraftReason,
     "load no draft model or remove the budget",
     [](const CacheRequest& w) { return w.budget.has_value() && w.draftModel; }},
    {"EX-METHOD-DRAFT", "method", "draft model", kDraftReason,
     "load no draft model or set method to none",
     [](const CacheRequest& w) { return compacts(w) && !w.budget && w.draftModel; }},
    {"EX-SHIFT-SLIDING", "context_shift", "sliding layers of the model",
     "layers with a window have already dropped the tokens that would have to move",
     "switch the shift off or use a model without sliding layers",
     [](const CacheRequest& w) { return w.contextShift && w.slidingLayers; }},
    {"EX-SHIFT-METHOD", "context_shift", "method", kShiftReason, "keep one of the two",
     [](const CacheRequest& w) { return w.contextShift && compacts(w); }},
    {"EX-SHIFT-WINDOW", "context_shift", "window", kShiftReason, "keep one of the two",
     [](const CacheRequest& w) { return w.contextShift && w.window.has_value(); }},
    {"EX-SHIFT-CODES", "context_shift", "kv_type", kShiftReason,
     "switch the shift off or use f16, bf16 or f32",
     [](const CacheRequest& w) {
         return w.contextShift && (!w.keyQuant.plain() || !w.valueQuant.plain());
     }},
    {"EX-WINDOW-KEEP", "n_sink", "window", "a window needs at least 2 tokens and more than n_sink",
     "make the window larger or keep fewer first tokens",
     [](const CacheRequest& w) {
         return w.window && (*w.window < 2 || *w.window <= w.windowKeep);
     }},
});

}  // namespace

std::span<const Exclusion> exclusionTable() {
    return kTable;
}

std::string exclusionText(const Exclusion& exclusion) {
    return format("{} and {} cannot be used together, because {}; {}.", exclusion.first,
                  exclusion.second, exclusion.reason, exclusion.remedy);
}

std::vector<const Exclusion*> excludedBy(const CacheRequest& requests) {
    std::vector<const Exclusion*> out;
    for (const Exclusion& exclusion : kTable)
        if (exclusion.hits(requests)) out.push_back(&exclusion);
    return out;
}

}  // namespace lacuna
