#include "engine/compress/retention.h"

#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "engine/kv/eviction/layer_heads.h"
#include "engine/kv/kv_cache.h"

namespace lacuna {
namespace {

constexpr float kHoleBias = -std::numeric_limits<float>::infinity();

/// Sums over the slots of each token, accumulated head by head.
struct Sums {
    std::vector<float> slots;   ///< [tokens] number of slots
    std::vector<float> weight;  ///< [tokens] of exp(bias)
    std::vector<float> length;  ///< [tokens] key norms relative to the head's mean
    bool anyBias = false;
};

bool isHole(const KvHeadView& head, int slot) {
    return head.bias != nullptr && head.bias[slot] == kHoleBias;
}

float meanOf(std::span<const float> lengths, const KvHeadView& head) {
    float sum = 0, count = 0;
    for (int slot = 0; slot < head.slots; ++slot) {
        if (isHole(head, slot)) continue;
        sum += lengths[static_cast<std::size_t>(slot)];
        count += 1;
    }
    return sum > 0 ? sum / count : 1.0F;
}

/// Adds one head; `lengths` is [slots] or empty. Returns the number of its slots that hold a token.
std::int32_t addHead(const KvHeadView& head, std::span<const float> lengths, Sums& sums,
                     std::span<std::uint16_t> holders) {
    const auto tokens = static_cast<std::int64_t>(holders.size());
    const float mean = lengths.empty() ? 1.0F : meanOf(lengths, head);
    std::int32_t held = 0;
    for (int slot = 0; slot < head.slots; ++slot) {
        if (isHole(head, slot)) continue;
        ++held;
        const std::int32_t position = head.positions == nullptr ? slot : head.positions[slot];
        if (position < 0 || position >= tokens) continue;
        const auto token = static_cast<std::size_t>(position);
        const float bias = head.bias == nullptr ? 0.0F : head.bias[slot];
        ++holders[token];
        sums.slots[token] += 1.0F;
        sums.weight[token] += bias == 0.0F ? 1.0F : std::exp(bias);
        sums.anyBias = sums.anyBias || bias != 0.0F;
        if (!lengths.empty()) sums.length[token] += lengths[static_cast<std::size_t>(slot)] / mean;
    }
    return held;
}

/// Converts sums to means over the slots of each token; 0 for a token without slots.
std::vector<float> meansOf(std::vector<float> sums, const std::vector<float>& slots) {
    for (std::size_t token = 0; token < sums.size(); ++token)
        sums[token] = slots[token] > 0 ? sums[token] / slots[token] : 0.0F;
    return sums;
}

}  // namespace

RetentionRow retention(KvCache& cache) {
    const KvShape& shape = cache.shape();
    const KvStats stats = cache.stats();
    RetentionRow row;
    row.tokens = cache.offset().value;
    row.layers = shape.layers;
    row.kvHeads = shape.kvHeads;
    row.layerHeads = layerHeadsOf(shape);
    row.liveBytes = stats.liveBytes;
    const auto tokens = static_cast<std::size_t>(row.tokens);
    row.holders.assign(static_cast<std::size_t>(shape.layers) * tokens, 0);
    const bool lengthsKept = stats.normsComputed > 0;
    Sums sums{std::vector<float>(tokens), std::vector<float>(tokens),
              std::vector<float>(lengthsKept ? tokens : 0)};
    for (int layer = 0; layer < shape.layers; ++layer) {
        const std::span<std::uint16_t> holders =
            std::span(row.holders).subspan(static_cast<std::size_t>(layer) * tokens, tokens);
        for (int number = 0; number < shape.heads(LayerIndex(layer)); ++number) {
            const LayerIndex at(layer);
            const HeadIndex head(number);
            const auto lengths = lengthsKept ? cache.keyNorms(at, head) : std::span<const float>();
            row.slots.push_back(addHead(cache.head(at, head), lengths, sums, holders));
        }
    }
    row.share = sums.slots;
    for (float& share : row.share) share /= static_cast<float>(shape.headCount());
    if (sums.anyBias) row.weight = meansOf(std::move(sums.weight), sums.slots);
    if (lengthsKept) row.keyLength = meansOf(std::move(sums.length), sums.slots);
    return row;
}

}  // namespace lacuna
