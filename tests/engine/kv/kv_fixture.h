#pragma once
/// \file
/// Small caches with recognisable content for the tests of kv and compress. Rows are functions of
/// (layer, head, position), so a test can compute the content of any slot.

#include <cstddef>
#include <cstring>
#include <memory>
#include <vector>

#include "engine/base/random.h"
#include "engine/kv/row_format.h"
#include "engine/kv/slot/slot_cache.h"

namespace lacuna::test {

/// Counts allocations and fails on demand.
class CountingAllocator final : public SlotAllocator {
  public:
    [[nodiscard]] Result<SlotBlock> allocate(std::size_t bytes) override {
        if (failAfter == 0) return fail(ErrorCode::NoMemory, "the test ran out of memory");
        if (failAfter > 0) --failAfter;
        if (bytes > 0) ++allocations;
        return SlotAllocator::allocate(bytes);
    }
    [[nodiscard]] Status extend(SlotBlock& block, std::size_t bytes) override {
        if (failAfter == 0) return fail(ErrorCode::NoMemory, "the test ran out of memory");
        if (failAfter > 0) --failAfter;
        ++extensions;
        return SlotAllocator::extend(block, bytes);
    }
    int allocations = 0;
    int extensions = 0;
    int failAfter = -1;  ///< allocations and extensions that still succeed; negative = all
};

inline std::vector<float> keyRow(const KvShape& shape, int layer, int head, std::int64_t position) {
    RandomStream random(
        11, static_cast<std::uint64_t>(std::int64_t{layer * 64 + head} * 1'000'000 + position));
    std::vector<float> row(static_cast<std::size_t>(shape.extent(LayerIndex(layer)).keyDim));
    for (float& x : row) x = static_cast<float>(random.normal());
    return row;
}

inline std::vector<float> valueRow(const KvShape& shape, int layer, int head,
                                   std::int64_t position) {
    RandomStream random(
        12, static_cast<std::uint64_t>(std::int64_t{layer * 64 + head} * 1'000'000 + position));
    std::vector<float> row(static_cast<std::size_t>(shape.extent(LayerIndex(layer)).valueDim));
    for (float& x : row) x = static_cast<float>(random.normal());
    return row;
}

/// Returns the bytes that a cache of this type stores for a row.
inline std::vector<std::byte> stored(DType type, const std::vector<float>& row) {
    std::vector<std::byte> bytes(rowBytes(type, row.size()));
    storeRow(type, row, bytes.data());
    return bytes;
}

/// The same for any format.
inline std::vector<std::byte> stored(const RowFormat& format, const std::vector<float>& row) {
    std::vector<std::byte> bytes(formatBytes(format));
    encodeRow(format, row, bytes.data());
    return bytes;
}

/// Writes the rows of the running append in every layer that stores rows.
inline void writeRows(KvCache& cache, int tokens) {
    const KvShape& shape = cache.shape();
    for (int layer = 0; layer < shape.layers; ++layer) {
        const KvExtent extent = shape.extent(LayerIndex(layer));
        if (extent.heads == 0) continue;
        std::vector<float> keys;
        std::vector<float> values;
        for (int i = 0; i < tokens; ++i) {
            for (int head = 0; head < extent.heads; ++head) {
                const auto k = keyRow(shape, layer, head, cache.offset().value + i);
                const auto v = valueRow(shape, layer, head, cache.offset().value + i);
                keys.insert(keys.end(), k.begin(), k.end());
                values.insert(values.end(), v.begin(), v.end());
            }
        }
        cache.writeLayer(LayerIndex(layer), {keys.data(), {tokens, extent.heads, extent.keyDim}},
                         {values.data(), {tokens, extent.heads, extent.valueDim}});
    }
}

[[nodiscard]] inline Status append(KvCache& cache, int tokens) {
    LACUNA_TRY_STATUS(cache.beginAppend(tokens));
    writeRows(cache, tokens);
    cache.commitAppend();
    return {};
}

/// Returns a plan that keeps the same slots in every head.
inline CompactionPlan keepEverywhere(const KvCache& cache, const std::vector<std::int32_t>& keep) {
    CompactionPlan plan;
    plan.heads.resize(static_cast<std::size_t>(cache.shape().headCount()));
    for (int i = 0; i < cache.shape().headCount(); ++i) {
        const KvHeadLocation at = cache.shape().placeOf(i);
        plan.heads[static_cast<std::size_t>(i)].keep = {cache.head(at.layer, at.head).slots, keep};
    }
    return plan;
}

inline std::vector<std::int32_t> range(std::int32_t first, std::int32_t end) {
    std::vector<std::int32_t> out;
    for (std::int32_t i = first; i < end; ++i) out.push_back(i);
    return out;
}

/// Returns whether slot `slot` holds exactly the key and value of `position`.
inline bool holds(const KvCache& cache, int layer, int head, int slot, std::int64_t position) {
    const KvShape& shape = cache.shape();
    const KvExtent extent = shape.extent(LayerIndex(layer));
    const KvHeadView view = cache.head(LayerIndex(layer), HeadIndex(head));
    const auto key = stored(keyFormat(view, extent.keyDim), keyRow(shape, layer, head, position));
    const auto value =
        stored(valueFormat(view, extent.valueDim), valueRow(shape, layer, head, position));
    const auto at = static_cast<std::size_t>(slot);
    return std::memcmp(view.keys + at * key.size(), key.data(), key.size()) == 0 &&
           std::memcmp(view.values + at * value.size(), value.data(), value.size()) == 0;
}

/// Returns the logical positions of a head's slots.
inline std::vector<std::int32_t> tokensOf(const KvCache& cache, int layer = 0, int head = 0) {
    const KvHeadView view = cache.head(LayerIndex(layer), HeadIndex(head));
    std::vector<std::int32_t> out;
    for (int j = 0; j < view.slots; ++j)
        out.push_back(view.positions == nullptr ? j : view.positions[j]);
    return out;
}

/// Returns whether every slot of every head holds exactly the rows of its position.
inline bool holdsItsTokens(const KvCache& cache) {
    for (int layer = 0; layer < cache.shape().layers; ++layer)
        for (int head = 0; head < cache.shape().heads(LayerIndex(layer)); ++head) {
            const auto tokens = tokensOf(cache, layer, head);
            for (std::size_t j = 0; j < tokens.size(); ++j)
                if (!holds(cache, layer, head, static_cast<int>(j), tokens[j])) return false;
        }
    return true;
}

}  // namespace lacuna::test
