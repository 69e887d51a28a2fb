// Expected Attention against scores computed in NumPy, sampled queries and plain loops.

#include "engine/kv/eviction/expected_attention.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/base/file.h"
#include "engine/base/json.h"
#include "engine/kv/eviction/eviction_plan.h"
#include "kv_fixture.h"

namespace lacuna::test {
namespace {

std::vector<double> frequenciesOf(int pairs, double base) {
    std::vector<double> out;
    for (int i = 0; i < pairs; ++i) out.push_back(std::pow(base, -static_cast<double>(i) / pairs));
    return out;
}

/// A cache of one layer and one KV head with these rows, whose queries arrived in `runs`.
struct Scene {
    Scene(const KvShape& shape, Expectation expectation, int threads = 1)
        : pool(threads),
          cache(makeSlotCache(shape).value()),
          expected(*cache, std::move(expectation), pool) {}

    void read(const std::vector<float>& queries, const std::vector<float>& keys,
              const std::vector<float>& values, const std::vector<int>& runs) {
        const KvShape& shape = cache->shape();
        for (const int run : runs) {
            const Position first = cache->offset();
            const auto at = static_cast<std::ptrdiff_t>(first.value);
            ASSERT_TRUE(cache->beginAppend(run));
            cache->writeLayer(LayerIndex(0),
                              {keys.data() + at * shape.keyDim, {run, 1, shape.keyDim}},
                              {values.data() + at * shape.valueDim, {run, 1, shape.valueDim}});
            const auto width = static_cast<std::ptrdiff_t>(queries.size()) /
                               static_cast<std::ptrdiff_t>(keys.size()) * shape.keyDim;
            expected.observeQueries(LayerIndex(0),
                                    {queries.data() + at * width,
                                     {run, width / shape.keyDim, std::int64_t{shape.keyDim}}},
                                    first);
            cache->commitAppend();
        }
    }
    [[nodiscard]] SlotScores scores() const {
        return expected.scores(cache->head(LayerIndex(0), HeadIndex(0)), LayerIndex(0),
                               HeadIndex(0), request());
    }
    [[nodiscard]] ScoreRequest request() const { return {.tokens = cache->offset().value}; }

    ThreadPool pool;
    std::unique_ptr<KvCache> cache;
    ExpectedAttention expected;
};

std::vector<float> numbers(const Json& list) {
    return list.get<std::vector<float>>();
}

std::vector<float> normals(std::uint64_t stream, std::size_t count) {
    RandomStream random(41, stream);
    std::vector<float> out(count);
    for (float& x : out) x = static_cast<float>(random.normal());
    return out;
}

const KvShape kSmall{.layers = 1, .kvHeads = 1, .keyDim = 4, .valueDim = 4, .type = DType::F32};

TEST(ExpectedAttention, scores_matchAnIndependentComputation) {
    const auto text = readFile(
        std::filesystem::path(LACUNA_GOLDEN_DIR) / "expected-attention/scores.json", 1 << 20);
    const Json golden = *parseJson(*text);
    ASSERT_EQ(golden["cases"].size(), 3U);
    for (const Json& one : golden["cases"]) {
        const int dim = one["dim"].get<int>();
        const int tokens = one["tokens"].get<int>();
        KvShape shape = kSmall;
        shape.keyDim = shape.valueDim = dim;
        Scene scene(shape,
                    {.heads = one["heads"].get<int>(),
                     .scaling = {.scale = 1.0F / std::sqrt(static_cast<float>(dim))},
                     .rotation = {.frequencies = frequenciesOf(one["rotary_dim"].get<int>() / 2,
                                                               one["base"].get<double>()),
                                  .interleaved = one["interleaved"].get<bool>(),
                                  .magnitude = one["magnitude"].get<double>()}});
        scene.read(numbers(one["queries"]), numbers(one["keys"]), numbers(one["values"]),
                   {7, 1, tokens - 8});
        EXPECT_EQ(scene.expected.observed(LayerIndex(0)), tokens - 4);
        const SlotScores found = scene.scores();
        const auto wanted = one["scores"].get<std::vector<double>>();
        ASSERT_EQ(found.size(), wanted.size() + 4);
        for (std::size_t j = 0; j < wanted.size(); ++j)
            EXPECT_NEAR(std::exp(static_cast<double>(found[j + 4])) / wanted[j], 1, 1e-4)
                << one["name"] << " slot " << j + 4;
        for (std::size_t j = 0; j < 4; ++j)
            EXPECT_EQ(found[j], *std::ranges::max_element(found)) << "of the first tokens";
    }
}

// Compares the closed form with sampled queries that are rotated to sampled positions of the mean
// rotation's range, one by one.
TEST(ExpectedAttention, logits_equalTheMeanOverSampledQueries) {
    QueryMoments moments{{0.3F, -0.5F, 0.2F, 0.4F}, std::vector<float>(16, 0.0F)};
    const std::vector<float> mix = normals(1, 16);
    for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t j = 0; j < 4; ++j)
            for (std::size_t k = 0; k < 4; ++k)
                moments.covariance[i * 4 + j] += 0.2F * mix[i * 4 + k] * mix[j * 4 + k];
    const QueryRotation rotation{.frequencies = {0.02, 0.003}};
    std::array<double, 4> turn{};  // cosine and sine of both pairs, summed step by step
    for (int p = 100; p < 130; ++p)
        for (std::size_t pair = 0; pair < 2; ++pair) {
            turn[2 * pair] += std::cos(rotation.frequencies[pair] * p) / 30;
            turn[2 * pair + 1] += std::sin(rotation.frequencies[pair] * p) / 30;
        }
    auto cache = makeSlotCache(kSmall).value();
    ASSERT_TRUE(append(*cache, 6));
    const KvHeadView head = cache->head(LayerIndex(0), HeadIndex(0));
    const auto logits =
        expectedLogits(head, 4, {.scale = 0.5F}, rotatedAhead(moments, rotation, 100, 30));
    std::vector<std::vector<float>> keys;
    for (int j = 0; j < 6; ++j) keys.push_back(keyRow(kSmall, 0, 0, j));
    std::vector<double> sums(6, 0.0);
    constexpr int kDrawn = 200'000;
    RandomStream random(5, 9);
    for (int draw = 0; draw < kDrawn; ++draw) {
        std::array<double, 4> z{};
        for (double& x : z) x = random.normal();
        std::array<double, 4> q{};
        for (std::size_t i = 0; i < 4; ++i) {
            q[i] = static_cast<double>(moments.mean[i]);
            for (std::size_t k = 0; k < 4; ++k)
                q[i] += std::sqrt(0.2) * static_cast<double>(mix[i * 4 + k]) * z[k];
        }
        const std::array<double, 4> turned{
            q[0] * turn[0] - q[2] * turn[1], q[1] * turn[2] - q[3] * turn[3],
            q[2] * turn[0] + q[0] * turn[1], q[3] * turn[2] + q[1] * turn[3]};
        for (std::size_t j = 0; j < 6; ++j) {
            double dot = 0;
            for (std::size_t i = 0; i < 4; ++i) dot += turned[i] * static_cast<double>(keys[j][i]);
            sums[j] += std::exp(0.5 * dot) / kDrawn;
        }
    }
    for (std::size_t j = 0; j < 6; ++j)
        EXPECT_NEAR(std::exp(static_cast<double>(logits[j])) / sums[j], 1, 0.02) << "slot " << j;
}

/// Reference mean and covariance, in double.
QueryMoments naiveMoments(const std::vector<float>& rows, std::size_t from, std::size_t end,
                          std::size_t dim) {
    std::vector<double> mean(dim, 0.0);
    std::vector<double> covariance(dim * dim, 0.0);
    const auto count = static_cast<double>(end - from);
    for (std::size_t t = from; t < end; ++t)
        for (std::size_t i = 0; i < dim; ++i)
            mean[i] += static_cast<double>(rows[t * dim + i]) / count;
    for (std::size_t t = from; t < end; ++t)
        for (std::size_t i = 0; i < dim; ++i)
            for (std::size_t j = 0; j < dim; ++j)
                covariance[i * dim + j] += (static_cast<double>(rows[t * dim + i]) - mean[i]) *
                                           (static_cast<double>(rows[t * dim + j]) - mean[j]) /
                                           count;
    return {{mean.begin(), mean.end()}, {covariance.begin(), covariance.end()}};
}

// A large common component, as query biases cause it, must not absorb the differences.
TEST(ExpectedAttention, momentsOfQueriesFarFromZero_keepPrecision) {
    constexpr std::size_t kTokens = 300;
    std::vector<float> queries = normals(2, kTokens * 4);
    for (float& x : queries) x = x * 0.1F + 300.0F;
    Scene scene(kSmall, {.heads = 1, .scaling = {.scale = 0.5F}});
    const std::vector<float> rows = normals(3, kTokens * 4);
    scene.read(queries, rows, rows, {300});
    const QueryMoments found = scene.expected.moments(LayerIndex(0), 0);
    const QueryMoments wanted = naiveMoments(queries, 4, kTokens, 4);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(found.mean[i], wanted.mean[i], 1e-3F);
    for (std::size_t i = 0; i < 16; ++i)
        EXPECT_NEAR(found.covariance[i], wanted.covariance[i], 1e-5F);
}

TEST(ExpectedAttention, splitIntoRuns_changesNoBit) {
    constexpr std::size_t kTokens = 200;
    const std::vector<float> queries = normals(4, kTokens * 8);
    const std::vector<float> rows = normals(5, kTokens * 4);
    const Expectation expectation{
        .heads = 2, .scaling = {.scale = 0.5F}, .rotation = {.frequencies = {1.0, 0.01}}};
    Scene whole(kSmall, expectation);
    Scene parts(kSmall, expectation, 2);
    whole.read(queries, rows, rows, {200});
    parts.read(queries, rows, rows, {3, 90, 1, 1, 66, 39});
    EXPECT_EQ(whole.scores(), parts.scores());
}

// Rejected drafts and an abandoned step.
TEST(ExpectedAttention, rolledBackTokens_leaveNothingInTheSums) {
    const std::vector<float> queries = normals(6, 200 * 4);
    const std::vector<float> rows = normals(7, 200 * 4);
    const Expectation expectation{
        .heads = 1, .scaling = {.scale = 0.5F}, .rotation = {.frequencies = {1.0, 0.01}}};
    Scene straight(kSmall, expectation);
    straight.read(queries, rows, rows, {150});
    Scene drafted(kSmall, expectation);
    drafted.read(queries, rows, rows, {130});
    const std::vector<float> other = normals(8, 8 * 4);
    drafted.expected.observeQueries(LayerIndex(0), {other.data(), {8, 1, 4}}, Position(130));
    drafted.expected.dropFrom(Position(130));
    drafted.expected.observeQueries(LayerIndex(0), {other.data(), {5, 1, 4}}, Position(130));
    drafted.read(queries, rows, rows, {20});
    EXPECT_EQ(drafted.expected.observed(LayerIndex(0)), 146);
    EXPECT_EQ(straight.scores(), drafted.scores());
    drafted.expected.dropFrom(Position(0));
    EXPECT_EQ(drafted.expected.observed(LayerIndex(0)), 0);
    EXPECT_TRUE(drafted.scores().empty());
}

TEST(ExpectedAttention, nonFiniteQueries_areIgnored) {
    std::vector<float> queries = normals(9, 100 * 4);
    const std::vector<float> rows = normals(10, 100 * 4);
    queries[40 * 4 + 1] = std::numeric_limits<float>::quiet_NaN();
    Scene scene(kSmall, {.heads = 1, .scaling = {.scale = 0.5F}});
    scene.read(queries, rows, rows, {100});
    EXPECT_EQ(scene.expected.observed(LayerIndex(0)), 95);
    for (const float score : scene.scores()) EXPECT_TRUE(std::isfinite(score));
}

// In a layer without position embedding, queries at all positions are alike.
TEST(ExpectedAttention, layersWithoutRotation_areScoredUnrotated) {
    const std::vector<float> queries = normals(11, 80 * 4);
    const std::vector<float> rows = normals(12, 80 * 4);
    Scene still(kSmall, {.heads = 1,
                         .scaling = {.scale = 0.5F},
                         .rotation = {.frequencies = {1.0, 0.01}, .layersWithoutRotation = {0}}});
    Scene plain(kSmall, {.heads = 1, .scaling = {.scale = 0.5F}});
    Scene turning(
        kSmall, {.heads = 1, .scaling = {.scale = 0.5F}, .rotation = {.frequencies = {1.0, 0.01}}});
    for (Scene* scene : {&still, &plain, &turning}) scene->read(queries, rows, rows, {80});
    EXPECT_EQ(still.scores(), plain.scores());
    EXPECT_NE(still.scores(), turning.scores());
}

// With one overwhelming key the shares of the others underflow, but their order must remain.
TEST(ExpectedAttention, sharesBelowFloatRange_keepTheirOrder) {
    std::vector<float> queries(80 * 4, 0.0F);
    for (std::size_t t = 0; t < 80; ++t) queries[t * 4] = 20.0F;
    std::vector<float> keys(80 * 4, 0.0F);
    for (std::size_t t = 0; t < 80; ++t) keys[t * 4] = -static_cast<float>((t * 37) % 80);
    const std::vector<float> values(80 * 4, 1.0F);
    Scene scene(kSmall, {.heads = 1, .scaling = {.scale = 1.0F}});
    scene.read(queries, keys, values, {80});
    const SlotScores found = scene.scores();
    for (std::size_t a = 4; a < 80; ++a)
        for (std::size_t b = 4; b < 80; ++b)
            if (keys[a * 4] > keys[b * 4]) {
                EXPECT_GT(found[a], found[b]);
            }
}

TEST(ExpectedAttention, valueNormsAndBias_changeTheScore) {
    std::vector<float> queries = normals(13, 60 * 4);
    const std::vector<float> keys(60 * 4, 0.5F);
    std::vector<float> values(60 * 4, 1.0F);
    values[20 * 4] = 7.0F;
    for (std::size_t i = 0; i < 4; ++i) values[30 * 4 + i] = 0.0F;
    Scene scene(kSmall, {.heads = 1, .scaling = {.scale = 0.5F}});
    scene.read(queries, keys, values, {60});
    const SlotScores found = scene.scores();
    EXPECT_NEAR(found[20] - found[21], std::log(std::sqrt(52.0F) / 2.0F), 1e-4F);
    EXPECT_EQ(std::ranges::min_element(found) - found.begin(), 30);
    KvHeadView head = scene.cache->head(LayerIndex(0), HeadIndex(0));
    std::vector<float> bias(60, 0.0F);
    bias[40] = 2.0F;
    bias[41] = -std::numeric_limits<float>::infinity();  // a hole
    head.bias = bias.data();
    const SlotScores biased =
        scene.expected.scores(head, LayerIndex(0), HeadIndex(0), scene.request());
    EXPECT_NEAR(biased[40] - biased[21], 2.0F, 1e-4F);
    EXPECT_TRUE(std::isfinite(biased[41]));
}

TEST(ExpectedAttention, plan_keepsSinksNewestAndTheBestOfTheRest) {
    const std::vector<float> queries = normals(14, 200 * 4);
    const std::vector<float> rows = normals(15, 200 * 4);
    Scene scene(kSmall,
                {.heads = 1, .scaling = {.scale = 0.5F}, .rotation = {.frequencies = {1.0, 0.01}}});
    scene.read(queries, rows, rows, {200});
    EvictionOptions options;
    options.rule = {.budget = 50, .keepRecent = 8, .nSink = 4};
    options.policy = EvictionPolicy::ExpectedAttention;
    const auto refused = planEviction(*scene.cache, options, scene.pool);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::InvalidArgument);
    options.attention = &scene.expected;
    const auto plan = planEviction(*scene.cache, options, scene.pool);
    ASSERT_TRUE(plan) << plan.error().what;
    const SlotMarks& keep = plan->plan.heads[0].keep;
    EXPECT_EQ(keep.count(), 50);
    const SlotScores scores = scene.scores();
    float keptLeast = std::numeric_limits<float>::max();
    float goneMost = std::numeric_limits<float>::lowest();
    for (int j = 0; j < 200; ++j) {
        if (j < 4 || j >= 192) {
            EXPECT_TRUE(keep.has(j));
        } else if (keep.has(j)) {
            keptLeast = std::min(keptLeast, scores[static_cast<std::size_t>(j)]);
        } else {
            goneMost = std::max(goneMost, scores[static_cast<std::size_t>(j)]);
        }
    }
    EXPECT_GT(keptLeast, goneMost);
}

}  // namespace
}  // namespace lacuna::test
