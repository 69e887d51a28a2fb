#include "engine/kv/eviction/shared_slots.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <tuple>
#include <utility>

#include "engine/base/string_format.h"

namespace lacuna {
namespace {

constexpr float kBadRank = std::numeric_limits<float>::lowest();

float rankOf(float score) {
    return std::isfinite(score) ? score : kBadRank;
}

/// A slot that is compared individually.
struct Candidate {
    float rank = 0;
    std::int64_t position = 0;
    std::int32_t head = 0;
    std::int32_t slot = 0;
};

/// Sorts the best first.
class Order {
  public:
    explicit Order(TieRule tie) : tie_(tie) {}
    bool operator()(const Candidate& a, const Candidate& b) const {
        if (a.rank != b.rank) return a.rank > b.rank;
        if (tie_ == TieRule::LowerSlotFirst)
            return std::tie(a.slot, a.head) < std::tie(b.slot, b.head);
        return std::tuple(-a.position, a.head, a.slot) < std::tuple(-b.position, b.head, b.slot);
    }

  private:
    TieRule tie_;
};

/// Slots that a head keeps independently of the other heads.
struct OwnSlots {
    SlotMarks keep;
    std::int64_t kept = 0;
    std::int64_t live = 0;
};

/// Calls visit(slot) for slots that are neither holes nor kept.
template <class Visit>
void forOthers(const SlotPositions& slots, const SlotMarks& keep, const Visit& visit) {
    for (int j = 0; j < slots.slots; ++j)
        if (!slots.isHole(j) && !keep.has(j)) visit(j);
}

Result<OwnSlots> ownSlots(const SharingHead& head, const SelectionRule& rule, double safeShare) {
    const SlotPositions& slots = head.slots;
    if (head.scores.size() != static_cast<std::size_t>(slots.slots))
        return fail(ErrorCode::InvalidArgument,
                    format("{} scores for {} slots, expected one per slot", head.scores.size(),
                           slots.slots));
    OwnSlots own{.keep = SlotMarks(slots.slots)};
    std::vector<Candidate> others;
    for (int j = 0; j < slots.slots; ++j) {
        if (slots.isHole(j)) continue;
        ++own.live;
        if (isProtected(rule, slots.at(j), slots.tokens)) {
            own.keep.add(j);
            ++own.kept;
        } else {
            others.push_back({rankOf(head.scores[static_cast<std::size_t>(j)]), slots.at(j), 0, j});
        }
    }
    if (rule.budget <= own.kept)
        return fail(ErrorCode::Range,
                    format("a budget of {} leaves no room besides {} protected slots (n_sink {}, "
                           "keep_recent {}), expected at least {}",
                           rule.budget, own.kept, rule.nSink, rule.keepRecent, own.kept + 1));
    auto safe = static_cast<std::int64_t>(
        std::floor(safeShare * static_cast<double>(rule.budget - own.kept)));
    // Attention needs at least one slot per head.
    if (own.kept == 0) safe = std::max<std::int64_t>(safe, 1);
    safe = std::min(safe, static_cast<std::int64_t>(others.size()));
    std::nth_element(others.begin(), others.begin() + safe, others.end(), Order(rule.tie));
    for (std::int64_t i = 0; i < safe; ++i) own.keep.add(others[static_cast<std::size_t>(i)].slot);
    own.kept += safe;
    return own;
}

/// Score of the last of the best `wanted` remaining slots. @pre 0 < wanted <= their number
float borderOf(std::span<const SharingHead> heads, std::span<const OwnSlots> own,
               std::int64_t wanted) {
    std::vector<float> ranks;
    for (std::size_t h = 0; h < heads.size(); ++h)
        forOthers(heads[h].slots, own[h].keep, [&](int slot) {
            ranks.push_back(rankOf(heads[h].scores[static_cast<std::size_t>(slot)]));
        });
    const auto last = ranks.begin() + (wanted - 1);
    std::nth_element(ranks.begin(), last, ranks.end(), std::greater<>());
    return *last;
}

}  // namespace

Result<std::vector<SlotMarks>> selectShared(std::span<const SharingHead> heads,
                                            const SelectionRule& rule, double safeShare) {
    const auto total = static_cast<std::int64_t>(heads.size()) * rule.budget;
    std::vector<OwnSlots> own;
    std::int64_t live = 0;
    std::int64_t kept = 0;
    for (const SharingHead& head : heads) {
        LACUNA_TRY(OwnSlots one, ownSlots(head, rule, safeShare));
        live += one.live;
        kept += one.kept;
        own.push_back(std::move(one));
    }
    if (live <= total)
        return fail(ErrorCode::InvalidArgument,
                    format("{} slots of {} heads are not more than their budget of {}, nothing to "
                           "evict (keep_recent {})",
                           live, heads.size(), total, rule.keepRecent));
    std::vector<SlotMarks> keep;
    keep.reserve(own.size());
    if (kept < total) {
        const float border = borderOf(heads, own, total - kept);
        std::vector<Candidate> equal;
        for (std::size_t h = 0; h < heads.size(); ++h) {
            SlotMarks more = own[h].keep;
            forOthers(heads[h].slots, own[h].keep, [&](int slot) {
                const float rank = rankOf(heads[h].scores[static_cast<std::size_t>(slot)]);
                if (rank == border)
                    equal.push_back(
                        {rank, heads[h].slots.at(slot), static_cast<std::int32_t>(h), slot});
                if (rank <= border) return;
                more.add(slot);
                ++kept;
            });
            own[h].keep = std::move(more);
        }
        std::sort(equal.begin(), equal.end(), Order(rule.tie));
        for (std::int64_t i = 0; i < total - kept; ++i) {
            const Candidate& one = equal[static_cast<std::size_t>(i)];
            own[static_cast<std::size_t>(one.head)].keep.add(one.slot);
        }
    }
    for (OwnSlots& one : own) keep.push_back(std::move(one.keep));
    return keep;
}

}  // namespace lacuna
