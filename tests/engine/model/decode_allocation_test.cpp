// Decoding must not allocate. The operator new of this program counts allocations.

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "engine/model/model_cache.h"
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

void expectNoAllocation(const ModelSpec& spec, DType type, KvQuant keys = {}, KvQuant values = {},
                        ExactWindow exact = {}) {
    ThreadPool pool(2);
    const auto model = makeRandomModel(spec, type).value();
    const auto transformer = Transformer::create(model, pool, {}).value();
    const CacheModel sizes = cacheModelOf(spec);
    const auto cache =
        makeFullCache(KvShape{sizes.layers, sizes.kvHeads, sizes.headDim, sizes.headDim, DType::F16,
                              keys, values, nullptr, exact, sizes.extents})
            .value();
    const TokenId id = 5;
    const BatchRun run{.tokens = {&id, 1}, .cache = cache.get()};
    const auto step = [&] { return transformer->forward({&run, 1}, {}).has_value(); };
    // The first token allocates the first block of the cache, and the first tokens of the window
    // their 16-bit rows.
    for (int i = 0; i < 1 + 2 * exact.newest; ++i) ASSERT_TRUE(step());
    const long before = allocations;
    for (int i = 0; i < 50; ++i) ASSERT_TRUE(step());
    EXPECT_EQ(allocations - before, 0);
}

TEST(Decode, singleTokens_withinCapacity_allocateNothing) {
    ModelSpec spec = smallSpec();
    spec.qkvBias = true;
    for (const DType type : {DType::Q8_0, DType::BF16}) expectNoAllocation(spec, type);
}

TEST(Decode, layersOfDifferentSizes_withinCapacity_allocateNothing) {
    ModelSpec spec = mixedSizesSpec();
    spec.layerEmbedding = 32;
    for (LayerSpec& layer : spec.layerSpecs) layer.experts = true;
    spec.experts = {.count = 4, .perToken = 2, .feedForward = 64};
    spec.experts.parallelToDense = true;
    for (const DType type : {DType::Q8_0, DType::BF16}) expectNoAllocation(spec, type);
}

TEST(Decode, rotatedCodes_withinCapacity_allocateNothing) {
    expectNoAllocation(smallSpec(), DType::BF16, {4, 0}, {3, 0});
    expectNoAllocation(smallSpec(), DType::BF16, {4, 0}, {3, 0}, {20, 3});
}

// All optional features at once, and rotary angles that change with the text length.
TEST(Decode, expertsWindowsAndGrowingRope_withinCapacity_allocateNothing) {
    ModelSpec spec = smallSpec();
    spec.norms = NormPlacement::Both;
    spec.activation = Activation::GeluTanh;
    spec.attentionSoftCap = 50.0F;
    spec.logitSoftCap = 30.0F;
    spec.window = 8;
    spec.layerSpecs = {{.sliding = true}, {.experts = true}, {.sliding = true, .experts = true}};
    spec.experts = {.count = 8, .perToken = 2, .feedForward = 64, .sharedFeedForward = 96};
    spec.rope.scaling = RopeSpec::Scaling::Dynamic;
    spec.rope.factor = 2.0F;
    spec.rope.originalContext = 4;
    for (const DType type : {DType::Q8_0, DType::BF16}) expectNoAllocation(spec, type);
}

}  // namespace
}  // namespace lacuna::test
