#include "engine/generate/step_plan.h"

#include <algorithm>
#include <numeric>

#include "engine/base/check.h"

namespace lacuna {
namespace {

/// Indices of the wishes: those that draw before those that read, each by how long they waited.
std::vector<std::size_t> inTurn(std::span<const StepRequest> wishes) {
    std::vector<std::size_t> order(wishes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
        if (wishes[a].reading != wishes[b].reading) return wishes[b].reading;
        return wishes[a].lastServed < wishes[b].lastServed;
    });
    return order;
}

/// Spreads what is left evenly over those who have proposals to check.
void shareOutProposals(std::span<const StepRequest> wishes, std::vector<StepShare>& shares,
                       int left) {
    auto wanting = static_cast<int>(std::ranges::count_if(
        shares, [&](const StepShare& share) { return wishes[share.member].proposals > 0; }));
    for (StepShare& share : shares) {
        const int wanted = wishes[share.member].proposals;
        if (wanted == 0) continue;
        share.proposals = std::min(wanted, left / wanting--);
        left -= share.proposals;
    }
}

}  // namespace

std::vector<StepShare> planStep(std::span<const StepRequest> wishes, int room) {
    LACUNA_REQUIRE(room >= 1, "a step has room for a token");
    std::vector<StepShare> shares;
    int left = room;
    for (const std::size_t member : inTurn(wishes)) {
        const int tokens = std::min(wishes[member].tokens, room);
        if (tokens > left) continue;
        shares.push_back({.member = member, .tokens = tokens});
        left -= tokens;
    }
    std::ranges::sort(shares, {}, &StepShare::member);
    shareOutProposals(wishes, shares, left);
    return shares;
}

}  // namespace lacuna
