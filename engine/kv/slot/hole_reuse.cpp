#include "engine/kv/slot/hole_reuse.h"

#include <algorithm>

namespace lacuna {
namespace {

void forgetNormsFrom(HeadStore& head, std::int64_t slot) {
    head.norms.resize(std::min(head.norms.size(), static_cast<std::size_t>(slot)));
}

}  // namespace

bool takesHole(const HeadStore& head, int tokens) {
    return tokens == 1 && head.holes > 0;
}

std::int64_t appendSlot(const HeadStore& head, int tokens) {
    return takesHole(head, tokens) ? head.firstHole : head.slots;
}

void labelSlot(HeadStore& head, std::int64_t slot, std::int64_t position) {
    if (head.layout.keepsPositions())
        head.positions.as<std::int32_t>()[slot] = static_cast<std::int32_t>(position);
    if (head.layout.keepsBias()) head.bias.as<float>()[slot] = 0.0F;
}

void commitSlots(HeadStore& head, int tokens) {
    if (!takesHole(head, tokens)) {
        head.slots += tokens;
        return;
    }
    --head.holes;
    head.inOrder = false;
    if (head.holes > 0) head.firstHole = nextHole(head, head.firstHole + 1);
}

void reopenHole(HeadStore& head) {
    head.bias.as<float>()[head.firstHole] = kHole;
}

void dropNewest(HeadStore& head, std::int64_t tokens, std::int64_t removed) {
    if (!head.loose()) {
        head.slots -= removed;
        forgetNormsFrom(head, head.slots);
        return;
    }
    const auto* positions = head.positions.as<std::int32_t>();
    float* bias = head.bias.as<float>();
    for (std::int64_t slot = 0; slot < head.slots; ++slot) {
        if (positions[slot] < tokens || bias[slot] == kHole) continue;
        bias[slot] = kHole;
        ++head.holes;
    }
    while (head.slots > 0 && bias[head.slots - 1] == kHole) {
        --head.slots;
        --head.holes;
    }
    head.firstHole = head.holes > 0 ? nextHole(head, 0) : 0;
    forgetNormsFrom(head, head.slots);
}

}  // namespace lacuna
