// Random shapes of all families against a reference forward pass: entire prompts, chunks, single
// tokens, batches, every number format, kernel table and thread count.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "engine/base/string_format.h"
#include "engine/kernels/cpu_features.h"
#include "engine/model/model_cache.h"
#include "engine/model/transformer.h"
#include "tests/support/random_families.h"
#include "tests/support/random_model.h"
#include "tests/support/reference_forward.h"

namespace lacuna::test {
namespace {

constexpr int kShapes = 10;  // per family

/// A random shape with its model, prompt and expected logits.
struct Drawn {
    std::uint64_t seed = 0;
    DType type = DType::F32;
    std::shared_ptr<const LoadedModel> model;
    std::vector<TokenId> prompt;
    Rows expected;  ///< [prompt, vocabulary]
    double largest = 0;
    [[nodiscard]] const ModelSpec& spec() const { return model->spec; }
    [[nodiscard]] std::string describe() const {
        const ModelSpec& s = spec();
        return format(
            "seed {}: {} {} layers {} hidden {} heads {}/{} x {} ff {} window {} "
            "scaling {} dim {} experts {}/{} prompt {}",
            seed, s.architecture, info(type).name, s.layers, s.hidden, s.heads, s.kvHeads,
            s.headDim, s.feedForward, s.window, static_cast<int>(s.rope.scaling), s.rope.dim,
            s.experts.perToken, s.experts.count, prompt.size());
    }
};

Drawn draw(std::string_view family, int number) {
    Drawn drawn;
    drawn.seed =
        static_cast<std::uint64_t>(number) * 1000 +
        static_cast<std::uint64_t>(std::ranges::find(kFamilies, family) - kFamilies.begin());
    FamilyDice dice(drawn.seed);
    constexpr DType kTypes[] = {DType::F32, DType::F16, DType::BF16, DType::Q8_0};
    drawn.type = kTypes[number % 4];
    const ModelSpec spec = dice.spec(family, drawn.type == DType::Q8_0 ? 32 : 1);
    drawn.model = makeRandomModel(spec, drawn.type, drawn.seed).value();
    const int tokens = dice.between(1, 40);
    for (int i = 0; i < tokens; ++i) drawn.prompt.push_back(dice.below(spec.vocabulary));
    drawn.expected = ReferenceForward(*drawn.model).logits(drawn.prompt);
    for (const Row& row : drawn.expected)
        for (const double v : row) drawn.largest = std::max(drawn.largest, std::fabs(v));
    return drawn;
}

std::unique_ptr<KvCache> cacheFor(const ModelSpec& spec, DType type = DType::F32) {
    return makeFullCache(spec, type).value();
}

/// Returns the logits of all tokens, fed `chunk` at a time.
std::vector<float> feed(Transformer& transformer, KvCache& cache,
                        const std::vector<TokenId>& prompt, std::size_t chunk) {
    std::vector<float> logits;
    for (std::size_t at = 0; at < prompt.size(); at += chunk) {
        const std::size_t count = std::min(chunk, prompt.size() - at);
        const BatchRun run{.tokens = std::span(prompt).subspan(at, count),
                           .cache = &cache,
                           .logits = LogitsFor::AllTokens,
                           .promptEnd = Position(static_cast<int>(prompt.size()))};
        const auto out = transformer.forward({&run, 1}, {});
        EXPECT_TRUE(out.has_value()) << (out ? "" : describe(out.error()));
        if (out) logits.insert(logits.end(), out->data(), out->data() + out->size());
    }
    return logits;
}

double worstDifference(const Rows& expected, const std::vector<float>& found) {
    double worst = 0;
    std::size_t i = 0;
    for (const Row& row : expected)
        for (const double v : row) worst = std::max(worst, std::fabs(v - double{found.at(i++)}));
    EXPECT_EQ(i, found.size());
    return worst;
}

class Family : public ::testing::TestWithParam<std::string> {};

TEST_P(Family, exact_anyShapeAndChunk_equalsReference) {
    for (int number = 0; number < kShapes; ++number) {
        const Drawn drawn = draw(GetParam(), number);
        SCOPED_TRACE(drawn.describe());
        const auto tables = availableKernels();
        ThreadPool pool(1 + number % 3);
        auto transformer =
            Transformer::create(
                drawn.model, pool,
                {.precision = Precision::Exact,
                 .maxTokens = 64,
                 .kernels = &tables[static_cast<std::size_t>(number) % tables.size()]})
                .value();
        for (const std::size_t chunk : {std::size_t{64}, std::size_t{13}, std::size_t{1}}) {
            const auto cache = cacheFor(drawn.spec());
            const auto found = feed(*transformer, *cache, drawn.prompt, chunk);
            ASSERT_LE(worstDifference(drawn.expected, found), 2e-5 * drawn.largest) << chunk;
        }
    }
}

/// Layer norms with biases, and one of each query and key head with gains of its own.
TEST(HeadGains, stablelm_exact_anyShapeAndChunk_equalReference) {
    for (int number = 0; number < kShapes; ++number) {
        const Drawn drawn = draw("stablelm", number);
        SCOPED_TRACE(drawn.describe());
        ASSERT_EQ(drawn.spec().qkNorm, QkNorm::HeadGains);
        ThreadPool pool(2);
        auto transformer =
            Transformer::create(drawn.model, pool, {.precision = Precision::Exact, .maxTokens = 64})
                .value();
        for (const std::size_t chunk : {std::size_t{64}, std::size_t{13}, std::size_t{1}}) {
            const auto cache = cacheFor(drawn.spec());
            const auto found = feed(*transformer, *cache, drawn.prompt, chunk);
            ASSERT_LE(worstDifference(drawn.expected, found), 2e-5 * drawn.largest) << chunk;
        }
    }
}

/// Returns |found - expected| / |expected| of each row.
std::vector<double> relativeErrors(const Rows& expected, const std::vector<float>& found) {
    std::vector<double> errors;
    std::size_t i = 0;
    for (const Row& row : expected) {
        double squares = 0;
        double all = 0;
        for (const double v : row) {
            squares += std::pow(v - double{found.at(i++)}, 2);
            all += v * v;
        }
        errors.push_back(std::sqrt(squares / all));
    }
    return errors;
}

// Checks the median row of a prompt: nearly equal router logits may flip the choice of an expert,
// which changes the entire row.
TEST_P(Family, fast_anyShape_middleRowIsNearReference) {
    for (int number = 0; number < kShapes; ++number) {
        const Drawn drawn = draw(GetParam(), number);
        SCOPED_TRACE(drawn.describe());
        ThreadPool pool(2);
        auto transformer = Transformer::create(drawn.model, pool, {.maxTokens = 64}).value();
        const auto cache = cacheFor(drawn.spec(), DType::F16);
        const auto found = feed(*transformer, *cache, drawn.prompt, 64);
        auto errors = relativeErrors(drawn.expected, found);
        std::ranges::sort(errors);
        EXPECT_LE(errors[errors.size() / 2], 0.03);
    }
}

TEST_P(Family, batchOfTwo_anyShape_equalsReferenceOfEach) {
    const Drawn drawn = draw(GetParam(), 1);
    SCOPED_TRACE(drawn.describe());
    std::vector<TokenId> other = drawn.prompt;
    std::ranges::reverse(other);
    other.resize(other.size() + 5, 7);
    ThreadPool pool(2);
    auto transformer =
        Transformer::create(drawn.model, pool, {.precision = Precision::Exact, .maxTokens = 128})
            .value();
    const auto a = cacheFor(drawn.spec());
    const auto b = cacheFor(drawn.spec());
    const BatchRun runs[] = {
        {.tokens = drawn.prompt, .cache = a.get(), .logits = LogitsFor::AllTokens},
        {.tokens = other, .cache = b.get(), .logits = LogitsFor::LastToken}};
    const auto out = transformer->forward(runs, {});
    ASSERT_TRUE(out.has_value());
    Rows expected = drawn.expected;
    expected.push_back(ReferenceForward(*drawn.model).logits(other).back());
    EXPECT_LE(worstDifference(expected, {out->data(), out->data() + out->size()}),
              2e-5 * drawn.largest);
}

TEST_P(Family, sameThreads_twice_giveTheSameBits) {
    const Drawn drawn = draw(GetParam(), 3);
    for (const Precision precision : {Precision::Exact, Precision::Fast}) {
        ThreadPool pool(3);
        auto first =
            Transformer::create(drawn.model, pool, {.precision = precision, .maxTokens = 64})
                .value();
        auto second =
            Transformer::create(drawn.model, pool, {.precision = precision, .maxTokens = 64})
                .value();
        const auto a = cacheFor(drawn.spec());
        const auto b = cacheFor(drawn.spec());
        EXPECT_EQ(feed(*first, *a, drawn.prompt, 16), feed(*second, *b, drawn.prompt, 16));
    }
}

TEST_P(Family, cancel_atAnyPoint_leavesTheCacheUnchanged) {
    const Drawn drawn = draw(GetParam(), 2);
    ThreadPool pool(1);
    auto transformer = Transformer::create(drawn.model, pool, {.maxTokens = 64}).value();
    const auto cache = cacheFor(drawn.spec());
    const BatchRun run{.tokens = drawn.prompt, .cache = cache.get()};
    int polls = 0;
    ASSERT_TRUE(transformer->forward({&run, 1}, {[&polls] { return ++polls < 0; }}).has_value());
    ASSERT_TRUE(cache->rollback(static_cast<int>(drawn.prompt.size())).has_value());
    ASSERT_GE(polls, 4 * drawn.spec().layers);
    for (int stopAt = 1; stopAt <= polls; ++stopAt) {
        int asked = 0;
        const auto out = transformer->forward({&run, 1}, {[&] { return ++asked == stopAt; }});
        ASSERT_FALSE(out.has_value());
        EXPECT_EQ(out.error().code, ErrorCode::Cancelled);
        EXPECT_TRUE(cache->empty());
        cache->checkInvariants();
    }
}

std::vector<std::string> testedFamilies() {
    std::vector<std::string> families(kFamilies.begin(), kFamilies.end());
    families.emplace_back("gemma4");
    return families;
}

INSTANTIATE_TEST_SUITE_P(All, Family, ::testing::ValuesIn(testedFamilies()), [](const auto& test) {
    std::string name = test.param;
    std::ranges::replace(name, '-', '_');
    return name;
});

}  // namespace
}  // namespace lacuna::test
