// Compares exact caches whose rows passed through a code with caches that store the code: the
// model's output run by run and token by token, and the bytes of both.

#include "app/bench/simulated_cache.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "app/bench/bench_format.h"
#include "engine/kernels/rotation.h"
#include "engine/kv/calibrated_rotations.h"
#include "engine/model/model_cache.h"
#include "engine/model/transformer.h"
#include "engine/quality/shadow_run.h"
#include "tests/support/random_model.h"

namespace lacuna {
namespace {

/// A different rotation for every head, with a centre for its keys and wider ranges.
std::shared_ptr<const CalibratedRotations> someRotations(const ModelSpec& spec) {
    RotationMatrices made;
    made.layers = spec.layers;
    made.kvHeads = spec.kvHeads;
    made.dim = spec.headDim;
    const auto dim = static_cast<std::size_t>(made.dim);
    for (std::size_t i = 0; i < 2 * made.heads(); ++i) {
        const Rotation rotation = Rotation::hadamard(made.dim, 100 + i).value();
        auto& side = i < made.heads() ? made.keys : made.values;
        for (std::size_t at = 0; at < dim; ++at) {
            std::vector<float> row(dim);
            row[at] = 1;
            rotation.undo(row.data(), row.data());
            side.insert(side.end(), row.begin(), row.end());
        }
    }
    for (std::size_t i = 0; i < made.heads() * dim; ++i)
        made.centres.push_back(0.02F * static_cast<float>(i % 7));
    made.ranges.assign(made.heads() * 16, 0.9F);
    return CalibratedRotations::make(made).value();
}

struct Bench {
    ThreadPool pool{1};
    std::shared_ptr<LoadedModel> loaded;
    std::unique_ptr<Transformer> model;

    Bench() {
        const ModelSpec spec = test::smallSpec();
        loaded =
            std::const_pointer_cast<LoadedModel>(test::makeRandomModel(spec, DType::F32).value());
        loaded->rotations = someRotations(spec);
        model = Transformer::create(loaded, pool, {.precision = Precision::Exact, .maxTokens = 64})
                    .value();
    }
    static TokenId token(std::size_t i) {
        return static_cast<TokenId>(3 + (i * i * 31 + i * 7) % 250);
    }
    std::vector<float> feed(KvCache& cache, std::size_t from, std::size_t count) {
        std::vector<TokenId> tokens;
        for (std::size_t i = from; i < from + count; ++i) tokens.push_back(token(i));
        const BatchRun run{.tokens = tokens, .cache = &cache, .logits = LogitsFor::AllTokens};
        const auto rows = model->forward({&run, 1}, {}).value();
        return {rows.data(), rows.data() + rows.size()};
    }
    [[nodiscard]] Result<QualityRecord> measured(const ShadowSetting& setting) {
        ShadowText text;
        for (std::size_t i = 0; i < 72; ++i)
            (i < 60 ? text.context : text.continuation).push_back(token(i));
        ShadowOptions options;
        options.chunk = 40;
        options.headTokens = 0;
        LACUNA_TRY(const auto run, ShadowRun::read(*model, pool, std::move(text), options));
        return run->measure(setting);
    }
    [[nodiscard]] std::unique_ptr<KvCache> simulated(const ShadowSetting& setting) const {
        return setting.rows->makeCache(cacheModelOf(*loaded), setting.kv).value();
    }
};

double furthest(const std::vector<float>& a, const std::vector<float>& b) {
    EXPECT_EQ(a.size(), b.size());
    double most = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        most = std::max(most, std::fabs(double{a[i]} - double{b[i]}));
    return most;
}

struct Case {
    const char* format;
    int newest;  ///< size of the 16-bit window
};

constexpr double kWithin = 1e-4;  // tolerance of logits

class SimulatedCacheFormatTest : public testing::TestWithParam<Case> {};

TEST_P(SimulatedCacheFormatTest, simulatedRows_giveTheLogitsOfTheCodedCache) {
    const Case& given = GetParam();
    Bench bench;
    KvOptions base;
    base.exactWindow = given.newest;
    base.nSink = 2;
    const BenchFormat named = benchFormatNamed(given.format).value();
    ASSERT_FALSE(named.rows);
    const ShadowSetting asReal = benchSetting(named, base);
    const ShadowSetting asRows =
        benchSetting(benchFormatNamed(std::string(given.format) + " simulated").value(), base);
    const auto real = makeModelCache(*bench.loaded, asReal.kv).value();
    const auto rows = bench.simulated(asRows);
    const auto plain = makeFullCache(bench.loaded->spec, DType::F32).value();
    double lost = 0;
    std::size_t at = 0;
    const auto step = [&](std::size_t count) {
        const auto expected = bench.feed(*real, at, count);
        EXPECT_LT(furthest(bench.feed(*rows, at, count), expected), kWithin)
            << count << " tokens at " << at;
        lost = std::max(lost, furthest(bench.feed(*plain, at, count), expected));
        at += count;
        const KvStats a = real->stats(), b = rows->stats();
        EXPECT_EQ(b.liveBytes, a.liveBytes) << at;
        EXPECT_EQ(b.logicalBytes, a.logicalBytes);
        EXPECT_EQ(b.numbers, a.numbers);
        EXPECT_GE(b.allocatedBytes, b.liveBytes);
    };
    const auto back = [&](int tokens) {
        for (KvCache* cache : {real.get(), rows.get(), plain.get()})
            ASSERT_TRUE(cache->rollback(tokens));
        at -= static_cast<std::size_t>(tokens);
        EXPECT_EQ(rows->stats().liveBytes, real->stats().liveBytes) << "after going back to " << at;
    };
    step(50);
    step(7);
    for (int i = 0; i < 4; ++i) step(1);
    back(3);
    step(1);
    back(40);  // far beyond the window: rows that re-enter it exist only as codes
    step(1);
    step(9);
    step(30);
    EXPECT_GT(lost, 20 * kWithin) << "codes that change nothing show nothing";
    rows->checkInvariants();
}

INSTANTIATE_TEST_SUITE_P(Formats, SimulatedCacheFormatTest,
                         testing::Values(Case{"t4", 0}, Case{"t3/t2", 0}, Case{"t3 calibrated", 0},
                                         Case{"q4_0", 0}, Case{"t2", 12},
                                         Case{"t2 calibrated", 12}),
                         [](const auto& each) {
                             std::string name = each.param.format + std::string("_window") +
                                                std::to_string(each.param.newest);
                             std::ranges::replace_if(
                                 name, [](char c) { return c == ' ' || c == '/'; }, '_');
                             return name;
                         });

TEST(SimulatedCache, clone_isIndependentOfTheOriginal) {
    Bench bench;
    KvOptions base;
    base.exactWindow = 12;
    const auto first = bench.simulated(benchSetting(benchFormatNamed("t2 qjl").value(), base));
    bench.feed(*first, 0, 40);
    const auto second = first->clone().value();
    EXPECT_EQ(bench.feed(*second, 40, 5), bench.feed(*first, 40, 5));
    bench.feed(*first, 45, 10);
    EXPECT_EQ(second->offset().value, 45);
    EXPECT_EQ(second->stats().liveBytes * 55 > first->stats().liveBytes * 45, true);
    EXPECT_FALSE(second->save());
    EXPECT_EQ(second->compactable(), nullptr);
}

TEST(SimulatedCache, shadowRun_measuresCodesWithoutACacheFormat) {
    Bench bench;
    KvOptions base;
    base.exactWindow = 0;
    const auto measured = [&](const char* name) {
        const auto record = bench.measured(benchSetting(benchFormatNamed(name).value(), base));
        EXPECT_TRUE(record) << name << describe(record.error());
        double sum = 0;
        if (record)
            for (const double one : record->kl) sum += one;
        return std::pair(sum, record ? record->liveBytes : 0);
    };
    const auto real = measured("t3"), same = measured("t3 simulated");
    EXPECT_NEAR(same.first, real.first, 0.01 * real.first);
    EXPECT_EQ(same.second, real.second);
    EXPECT_GT(measured("t3 qjl").first, real.first) << "the sketch has the larger variance";
    EXPECT_LT(measured("ggml-q4_0").second, measured("q4_0").second);
    KvOptions evicting = base;
    evicting.method = CompactionMethod::Eviction;
    evicting.compactionFloor = 0;
    evicting.lossLimit.level = LossLimit::Level::Off;
    ShadowSetting both{.kv = evicting, .budgetShare = 0.5};
    both.rows = std::make_shared<const SimulatedTrialRows>(*benchFormatNamed("t3 qjl")->rows);
    const auto refused = bench.measured(both);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::Unsupported);
}

TEST(SimulatedCache, unsupportedSettings_areRejected) {
    Bench bench;
    CacheModel model = cacheModelOf(*bench.loaded);
    model.rotations.reset();
    const auto code = [&](const char* name) {
        const ShadowSetting setting = benchSetting(benchFormatNamed(name).value(), KvOptions{});
        const auto made = setting.rows->makeCache(model, setting.kv);
        return made ? std::optional<ErrorCode>() : made.error().code;
    };
    EXPECT_FALSE(code("q4_0 rotated"));
    EXPECT_EQ(code("q4_0 calibrated"), ErrorCode::Unsupported);
    model.headDim = 80;
    EXPECT_EQ(code("ggml-q4_0"), ErrorCode::InvalidArgument);
    EXPECT_FALSE(code("u3 rotated"));
}

}  // namespace
}  // namespace lacuna
