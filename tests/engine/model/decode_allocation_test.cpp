// Decoding allocates nothing: the operator new of this program counts.

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "engine/kv/slot_cache.h"
#include "engine/model/transformer.h"
#include "tests/support/random_model.h"

namespace {
std::atomic<long> allocations{0};

void* counted(std::size_t bytes) {
    ++allocations;
    void* memory = std::malloc(bytes == 0 ? 1 : bytes);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}
}  // namespace

void* operator new(std::size_t bytes) {
    return counted(bytes);
}
void* operator new[](std::size_t bytes) {
    return counted(bytes);
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
    ++allocations;
    return std::malloc(bytes == 0 ? 1 : bytes);
}
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
    ++allocations;
    return std::malloc(bytes == 0 ? 1 : bytes);
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete[](void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
    std::free(memory);
}

namespace lacuna::test {
namespace {

TEST(Decode, singleTokens_withinCapacity_allocateNothing) {
    ModelSpec spec = smallSpec();
    spec.qkvBias = true;
    ThreadPool pool(2);
    for (const DType type : {DType::Q8_0, DType::BF16}) {
        const auto model = makeRandomModel(spec, type).value();
        const auto transformer = Transformer::create(model, pool, {}).value();
        const auto cache =
            makeSlotCache({spec.layers, spec.kvHeads, spec.headDim, spec.headDim, DType::F16})
                .value();
        const TokenId id = 5;
        const BatchRun run{{&id, 1}, cache.get(), LogitsFor::LastToken, nullptr};
        const auto step = [&] { return transformer->forward({&run, 1}, {}).has_value(); };
        ASSERT_TRUE(step());  // the first token makes the cache's first block
        const long before = allocations;
        for (int i = 0; i < 50; ++i) ASSERT_TRUE(step());
        EXPECT_EQ(allocations - before, 0);
    }
}

}  // namespace
}  // namespace lacuna::test
