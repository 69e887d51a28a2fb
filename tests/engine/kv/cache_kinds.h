#pragma once
/// \file
/// One small cache of every kind, for tests of common behaviour.

#include <functional>
#include <string>
#include <vector>

#include "engine/kv/cache_list.h"
#include "engine/kv/kv_factory.h"
#include "engine/kv/slot/slot_cache.h"
#include "engine/kv/window/window_cache.h"
#include "kv_fixture.h"

namespace lacuna::test {

struct CacheKind {
    std::string name;
    std::function<std::unique_ptr<KvCache>(SlotAllocator&)> make;
    std::function<std::unique_ptr<KvCache>(const std::string&)> load;
};

enum class Rows { Plain, Groups, Rotated };

inline KvShape kindShape(Rows rows = Rows::Plain) {
    KvShape shape{.layers = 3, .kvHeads = 2, .keyDim = 32, .valueDim = 64, .type = DType::F16};
    if (rows == Rows::Groups) {
        shape.keyQuant = {8, 32};
        shape.valueQuant = {4, 64};
    } else if (rows == Rows::Rotated) {
        shape.keyQuant = {5, 0};
        shape.valueQuant = {3, 0};
        shape.exact = {4, 2};
    }
    return shape;
}

inline std::vector<LayerPlan> kindPlans(Rows rows = Rows::Plain) {
    const KvShape shape = kindShape(rows);
    std::vector<LayerPlan> plans(
        3, {.window = {}, .keyQuant = shape.keyQuant, .valueQuant = shape.valueQuant});
    plans[0].window = plans[1].window = WindowRule{16, 0};
    return plans;
}

/// Returns these kinds: dense, dense with both sorts of codes, rotating with and without kept
/// tokens and with rotated codes, lists.
inline std::vector<CacheKind> cacheKinds() {
    const auto load = [](const std::string& bytes) { return loadCache(bytes).value(); };
    const auto dense = [](Rows rows) {
        return [rows](SlotAllocator& a) { return makeSlotCache(kindShape(rows), a).value(); };
    };
    const auto window = [](Rows rows, WindowRule rule) {
        return [rows, rule](SlotAllocator& a) -> std::unique_ptr<KvCache> {
            return makeWindowCache(kindShape(rows), rule, a).value();
        };
    };
    const auto list = [](const std::string& name, Rows rows) -> CacheKind {
        return {name,
                [rows](SlotAllocator& a) -> std::unique_ptr<KvCache> {
                    return makeCacheList(kindShape(rows), kindPlans(rows), a).value();
                },
                [rows](const std::string& bytes) -> std::unique_ptr<KvCache> {
                    return loadCacheList(bytes, kindPlans(rows)).value();
                }};
    };
    return {{"dense", dense(Rows::Plain), load},
            {"group codes", dense(Rows::Groups), load},
            {"rotated codes", dense(Rows::Rotated), load},
            {"rotating", window(Rows::Plain, {16, 0}), load},
            {"rotating with sinks", window(Rows::Plain, {16, 3}), load},
            {"rotating, rotated codes", window(Rows::Rotated, {16, 3}), load},
            list("list", Rows::Plain),
            list("list, rotated codes", Rows::Rotated)};
}

/// Fills memory with NaN, so that reads of unwritten rows show.
class PoisonedAllocator final : public SlotAllocator {
  public:
    [[nodiscard]] Result<SlotBlock> allocate(std::size_t bytes) override {
        auto block = SlotAllocator::allocate(bytes);
        if (block && bytes > 0) std::memset(block->data(), 0xFF, bytes);
        return block;
    }
};

}  // namespace lacuna::test
