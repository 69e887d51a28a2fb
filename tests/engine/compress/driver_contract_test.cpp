// Rows S1 and D of the cache contract about the compactor: its cost, its reported times, that all
// layers are compacted together, and that fitted weights are stored.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "compactor_fixture.h"
#include "engine/compress/driver/compaction_trigger.h"
#include "engine/kv/kv_factory.h"
#include "tests/support/compaction_notes.h"
#include "tests/support/contract_numbers.h"
#include "tests/support/counting_cache.h"

namespace lacuna::test {
namespace {

/// A clock that advances by a millisecond on every reading.
class TickingClock final : public Clock {
  public:
    [[nodiscard]] std::int64_t nowNs() const override { return now_ += 1'000'000; }

  private:
    mutable std::int64_t now_ = 0;
};

/// Drives the compactor until a compaction ends. Slices of defragmentation come first.
std::optional<CompactionReport> driven(Bench& bench, const KvOptions& options) {
    for (int calls = 0; calls < 64; ++calls)
        if (auto report = bench.compactor().afterStep(bench.cache(), options)) return report;
    return std::nullopt;
}

TEST(DriverContract, everyRequirementOfThisModule_hasATest) {
    EXPECT_GT(expectNumbersOf("compress"), 5);
}

TEST(DriverContract, S1_22_layersOfDifferentLength_areCompactedInOneTransaction) {
    Bench bench;
    bench.append(500, KvOptions{});
    KvOptions skipping = l2(100, 32);
    skipping.skipLayers = {0};
    ASSERT_TRUE(driven(bench, skipping));
    bench.append(60, KvOptions{});
    ASSERT_EQ(bench.cache().slots(LayerIndex(0), HeadIndex(0)), 560);
    ASSERT_EQ(bench.cache().slots(LayerIndex(1), HeadIndex(0)), 160);
    const std::int64_t before = bench.cache().stats().compactions;
    const auto report = driven(bench, l2(100, 32));
    ASSERT_TRUE(report);
    EXPECT_EQ(report->result, CompactionResult::Done) << report->notes;
    EXPECT_EQ(bench.cache().stats().compactions, before + 1);
    for (int layer = 0; layer < 2; ++layer)
        for (int head = 0; head < 2; ++head)
            EXPECT_EQ(bench.cache().slots(LayerIndex(layer), HeadIndex(head)), 100);
}

/// Returns the microseconds of a call, the minimum of many rounds to exclude other load.
template <class Call>
double bestMicroseconds(const Call& call) {
    constexpr int kCalls = 500;
    const SteadyClock clock;
    double best = 1e9;
    for (int round = 0; round < 40; ++round) {
        const std::int64_t begin = clock.nowNs();
        for (int i = 0; i < kCalls; ++i) call();
        best = std::min(best, static_cast<double>(clock.nowNs() - begin) * 1e-3 / kCalls);
    }
    return best;
}

// The cost of an idle step is its accesses to the cache: none, or one check for holes far below the
// budget. The time is printed but not checked, because it depends on the machine.
TEST(DriverContract, S1_36_idleDriver_readsNoHead) {
    const KvShape shape{.layers = 36, .kvHeads = 8, .keyDim = 8, .valueDim = 8, .type = DType::F16};
    Bench bench(shape);
    bench.append(40, KvOptions{});
    CountingCache cache(bench.cache());
    const auto step = [&](const KvOptions& options) {
        bench.compactor().beforeStep(cache, options);
        EXPECT_FALSE(bench.compactor().afterStep(cache, options));
    };
    for (int i = 0; i < 100; ++i) step(KvOptions{});
    EXPECT_EQ(cache.visits(), CacheVisits{}) << "nothing compacts";
    for (int i = 0; i < 100; ++i) step(l2(2048, 32));
    EXPECT_EQ(cache.visits(), CacheVisits{.tidies = 100}) << "far from the budget";
    std::printf("idle step of 288 heads: %.3f us without a method, %.3f us far from a budget\n",
                bestMicroseconds([&] { step(KvOptions{}); }),
                bestMicroseconds([&] { step(l2(2048, 32)); }));
}

TEST(DriverContract, S1_55_S1_60_manualRequest_compactsBelowTheThreshold) {
    Bench bench;
    bench.append(120, KvOptions{});
    const KvOptions options = l2(100, 32, 64);
    EXPECT_FALSE(bench.compactor().afterStep(bench.cache(), options));
    const auto report = bench.compactor().compact(bench.cache(), options);
    EXPECT_EQ(report.result, CompactionResult::Done) << report.notes;
    EXPECT_EQ(report.cause, CompactionCause::Manual);
    EXPECT_EQ(bench.cache().size(), 100);
}

TEST(DriverContract, S1_72_stageTimes_coverFinishedWork_andAddUp) {
    const TickingClock clock;
    ThreadPool pool(1);
    auto cache = makeSlotCache(kShape).value();
    Compactor compactor(kModel, kShape, pool, clock);
    ASSERT_TRUE(append(*cache, 300));
    KvOptions options = l2(100, 32);
    options.evictionPolicy = EvictionPolicy::KeepLowNorm;
    const auto report = compactor.compact(*cache, options);
    ASSERT_EQ(report.result, CompactionResult::Done) << report.notes;
    EXPECT_GE(report.scoreMs, 1);
    EXPECT_GE(report.selectMs, 1);
    EXPECT_GE(report.applyMs, 1);
    EXPECT_LE(report.scoreMs + report.selectMs + report.fitMs + report.applyMs, report.totalMs);
    // The cache has already changed when the report arrives: no work is deferred.
    EXPECT_EQ(cache->size(), 100);
}

TEST(DriverContract, S1_77_budgetOfHalf_halvesTheBytesOf2K4KAnd8K) {
    const KvShape shape{
        .layers = 1, .kvHeads = 2, .keyDim = 128, .valueDim = 128, .type = DType::F16};
    for (const int tokens : {2048, 4096, 8192}) {
        Bench bench(shape);
        bench.append(tokens, KvOptions{});
        ASSERT_TRUE(driven(bench, l2(tokens / 2, 32))) << tokens;
        const KvStats stats = bench.cache().stats();
        EXPECT_EQ(stats.tokens, tokens);
        EXPECT_EQ(stats.slotsTotal, tokens) << "two heads of a half each";
        // The bytes include positions, norms and flags of free slots.
        EXPECT_LE(static_cast<double>(stats.liveBytes),
                  0.52 * static_cast<double>(stats.logicalBytes));
    }
}

/// Returns the biases of all heads, concatenated.
std::vector<float> biasesOf(const KvCache& cache) {
    std::vector<float> out;
    for (int layer = 0; layer < cache.shape().layers; ++layer)
        for (int head = 0; head < cache.shape().kvHeads; ++head) {
            const KvHeadView view = cache.head(LayerIndex(layer), HeadIndex(head));
            for (int slot = 0; slot < view.slots; ++slot)
                out.push_back(view.bias == nullptr ? 0.0F : view.bias[slot]);
        }
    return out;
}

TEST(DriverContract, D_16_fittedWeights_areStoredWithTheSlots_andSurviveAFile) {
    Bench bench;
    bench.append(400, matching(4));
    const auto report = bench.compactor().compact(bench.cache(), matching(4));
    ASSERT_EQ(report.result, CompactionResult::Done) << report.notes;
    const std::vector<float> biases = biasesOf(bench.cache());
    EXPECT_GT(std::ranges::count_if(biases, [](float b) { return std::isfinite(b) && b != 0; }),
              static_cast<std::ptrdiff_t>(biases.size() / 4));
    // The ratio is rounded up and applies to the sum of all heads, however slots were divided.
    EXPECT_EQ(report.slotsAfter, 100 * 4);
    const auto loaded = loadCache(bench.cache().save().value()).value();
    EXPECT_EQ(biasesOf(*loaded), biases);
}

TEST(DriverContract, D_18_bytes_areCountedFromTheSlots_andTheLogicalLengthStays) {
    Bench bench;
    bench.append(400, matching(4));
    const auto report = bench.compactor().compact(bench.cache(), matching(4));
    ASSERT_EQ(report.result, CompactionResult::Done) << report.notes;
    const KvStats stats = bench.cache().stats();
    std::int64_t rows = 0;
    for (int layer = 0; layer < kShape.layers; ++layer)
        for (int head = 0; head < kShape.kvHeads; ++head)
            rows += bench.cache().slots(LayerIndex(layer), HeadIndex(head));
    EXPECT_EQ(stats.slotsTotal, rows);
    EXPECT_GE(stats.liveBytes, rows * 2 * (kShape.keyDim + kShape.valueDim));
    EXPECT_LE(stats.liveBytes, rows * (2 * (kShape.keyDim + kShape.valueDim) + 12));
    EXPECT_EQ(stats.tokens, 400);
    EXPECT_EQ(bench.cache().offset().value, 400);
    EXPECT_EQ(stats.logicalBytes, 400 * 4 * 2 * (kShape.keyDim + kShape.valueDim));
}

}  // namespace
}  // namespace lacuna::test
