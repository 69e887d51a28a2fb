#include "engine/kv/slot/slot_invariants.h"

#include <cmath>

#include "engine/base/check.h"

namespace lacuna {

void requireSound(const SlotState& state) {
    for (const HeadStore& head : state.heads) {
        LACUNA_REQUIRE(head.slots >= 0 && head.slots <= head.capacity, "slots within capacity");
        LACUNA_REQUIRE(head.slots <= state.tokens, "no more slots than tokens");
        LACUNA_REQUIRE(head.norms.size() <= static_cast<std::size_t>(head.slots),
                       "norms of valid slots");
        LACUNA_REQUIRE(head.holes >= 0 && head.holes <= head.slots, "holes among the slots");
        LACUNA_REQUIRE(!head.loose() || head.layout.bias, "holes are marked in the bias");
        if (!head.layout.positions) {
            LACUNA_REQUIRE(head.slots == state.tokens, "a dense head holds every token");
            LACUNA_REQUIRE(!head.layout.bias, "a dense head has no bias");
            continue;
        }
        const auto* positions = head.positions.as<std::int32_t>();
        const std::vector<std::int32_t> live = liveSlots(head);
        LACUNA_REQUIRE(static_cast<std::int64_t>(live.size()) == head.live(), "holes are counted");
        std::int32_t previous = -1;
        for (const std::int32_t j : live) {
            LACUNA_REQUIRE(positions[j] < state.tokens, "position was seen");
            LACUNA_REQUIRE(previous < positions[j], "positions ascend");
            LACUNA_REQUIRE(!head.layout.bias || std::isfinite(head.bias.as<float>()[j]),
                           "finite bias");
            previous = positions[j];
        }
    }
    LACUNA_REQUIRE(state.settledTokens <= state.tokens, "settled tokens were seen");
}

}  // namespace lacuna
