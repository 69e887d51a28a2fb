#pragma once
/// \file
/// One small cache of every kind, for tests that ask the same of all of them.

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

inline KvShape kindShape(bool coded) {
    KvShape shape{.layers = 3, .kvHeads = 2, .keyDim = 32, .valueDim = 64, .type = DType::F16};
    if (coded) {
        shape.keyQuant = {8, 32};
        shape.valueQuant = {4, 64};
    }
    return shape;
}

inline std::vector<LayerPlan> kindPlans() {
    std::vector<LayerPlan> plans(3);
    plans[0].window = plans[1].window = WindowRule{16, 0};
    return plans;
}

/// Dense, dense with codes, rotating with and without kept tokens, list.
inline std::vector<CacheKind> cacheKinds() {
    const auto load = [](const std::string& bytes) { return loadCache(bytes).value(); };
    const auto window = [](WindowRule rule) {
        return [rule](SlotAllocator& a) -> std::unique_ptr<KvCache> {
            return makeWindowCache(kindShape(false), rule, a).value();
        };
    };
    return {
        {"dense", [](SlotAllocator& a) { return makeSlotCache(kindShape(false), a).value(); },
         load},
        {"coded", [](SlotAllocator& a) { return makeSlotCache(kindShape(true), a).value(); }, load},
        {"rotating", window({16, 0}), load},
        {"rotating with sinks", window({16, 3}), load},
        {"list",
         [](SlotAllocator& a) -> std::unique_ptr<KvCache> {
             return makeCacheList(kindShape(false), kindPlans(), a).value();
         },
         [](const std::string& bytes) -> std::unique_ptr<KvCache> {
             return loadCacheList(bytes, kindPlans()).value();
         }}};
}

/// Memory that reads as not-a-number wherever nothing was written.
class PoisonedAllocator final : public SlotAllocator {
  public:
    [[nodiscard]] Result<SlotBlock> allocate(std::size_t bytes) override {
        auto block = SlotAllocator::allocate(bytes);
        if (block && bytes > 0) std::memset(block->data(), 0xFF, bytes);
        return block;
    }
};

}  // namespace lacuna::test
