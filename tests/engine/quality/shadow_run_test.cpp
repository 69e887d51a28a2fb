// A compacted copy in parallel with the full cache: every figure against a slow computation with
// the test's own caches and forward passes.

#include "engine/quality/shadow_run.h"

#include <gtest/gtest.h>

#include <cmath>

#include "app/bench/perplexity.h"
#include "engine/kv/slot/slot_cache.h"
#include "engine/model/model_cache.h"
#include "engine/quality/divergence.h"
#include "tests/support/random_model.h"

namespace lacuna {
namespace {

struct Bench {
    ThreadPool pool{1};
    std::unique_ptr<Transformer> model;

    explicit Bench(const ModelSpec& spec = test::smallSpec()) {
        model = Transformer::create(test::makeRandomModel(spec, DType::F32).value(), pool,
                                    {.precision = Precision::Exact, .maxTokens = 64})
                    .value();
    }
    [[nodiscard]] static ShadowText text(std::size_t context, std::size_t continuation) {
        ShadowText text;
        for (std::size_t i = 0; i < context + continuation; ++i)
            (i < context ? text.context : text.continuation)
                .push_back(static_cast<TokenId>(3 + (i * i * 31 + i * 7) % 250));
        return text;
    }
    [[nodiscard]] static ShadowOptions options() {
        ShadowOptions options;
        options.type = DType::F32;
        options.chunk = 40;
        return options;
    }
    [[nodiscard]] static ShadowSetting evicting(int budget) {
        ShadowSetting setting;
        setting.kv.method = CompactionMethod::Eviction;
        setting.kv.compactionFloor = 0;
        setting.kv.lossLimit.level = LossLimit::Level::Off;
        setting.kv.evictionPolicy = EvictionPolicy::StreamingLLM;
        setting.kv.budget = budget;
        setting.kv.keepRecent = 8;
        setting.kv.nSink = 2;
        return setting;
    }
    [[nodiscard]] std::unique_ptr<KvCache> cache() const {
        const ModelSpec& spec = model->model().spec;
        return makeSlotCache({.layers = spec.layers,
                              .kvHeads = spec.kvHeads,
                              .keyDim = spec.headDim,
                              .valueDim = spec.headDim,
                              .type = DType::F32})
            .value();
    }
    std::vector<float> feed(KvCache& cache, TokenId token) {
        const BatchRun run{.tokens = {&token, 1}, .cache = &cache};
        const auto rows = model->forward({&run, 1}, {}).value();
        return {rows.row(0).begin(), rows.row(0).end()};
    }
    /// Returns the full cache of the context, and one that keeps sinks and the newest tokens up to
    /// `budget`.
    [[nodiscard]] std::pair<std::unique_ptr<KvCache>, std::unique_ptr<KvCache>> caches(
        const ShadowText& text, int budget) {
        auto whole = cache();
        for (const TokenId token : text.context) feed(*whole, token);
        auto few = whole->clone().value();
        const auto tokens = static_cast<int>(text.context.size());
        CompactionPlan plan;
        for (int i = 0; i < whole->shape().layers * whole->shape().kvHeads; ++i) {
            HeadCompaction head{.keep = SlotMarks(tokens), .bias = {}, .values = {}};
            for (int slot = 0; slot < tokens; ++slot)
                if (slot < 2 || slot >= tokens - (budget - 2)) head.keep.add(slot);
            plan.heads.push_back(std::move(head));
        }
        EXPECT_TRUE(few->compactable()->apply(plan));
        return {std::move(whole), std::move(few)};
    }
};

/// Measures one text under one setting.
Result<QualityRecord> measureShadow(Transformer& model, ThreadPool& pool, ShadowText text,
                                    const ShadowSetting& setting, const ShadowOptions& options) {
    LACUNA_TRY(const auto run, ShadowRun::read(model, pool, std::move(text), options));
    return run->measure(setting);
}

TEST(ShadowRun, compactedCopy_equalsTheManualMeasurement) {
    Bench bench;
    const ShadowText text = Bench::text(100, 20);
    const auto record =
        measureShadow(*bench.model, bench.pool, text, Bench::evicting(24), Bench::options());
    ASSERT_TRUE(record) << describe(record.error());
    EXPECT_EQ(record->evictions, 3 * 2 * (100 - 24));
    EXPECT_LT(record->liveBytes, record->logicalBytes);
    auto [whole, few] = bench.caches(text, 24);
    double nll = 0;
    double fewNll = 0;
    std::int64_t sameTop = 0;
    ASSERT_EQ(record->kl.size(), 19U);
    for (std::size_t i = 0; i < 19; ++i) {
        const auto a = bench.feed(*whole, text.continuation[i]);
        const auto b = bench.feed(*few, text.continuation[i]);
        EXPECT_NEAR(record->kl[i], rowDivergence(a, b).kl, 1e-4) << i;
        sameTop += rowDivergence(a, b).sameTop() ? 1 : 0;
        nll += negativeLogLikelihood(a, text.continuation[i + 1]) / 19;
        fewNll += negativeLogLikelihood(b, text.continuation[i + 1]) / 19;
    }
    EXPECT_EQ(record->sameTop, sameTop);
    EXPECT_NEAR(record->fullNll, nll, 1e-4);
    EXPECT_NEAR(record->compactedNll, fewNll, 1e-4);
    EXPECT_NEAR(record->perplexityChange(), std::exp(fewNll) / std::exp(nll) - 1, 1e-3);
    EXPECT_GT(record->divergence().klMean, 0);
}

TEST(ShadowRun, D12_03_nothingEvicted_isRefused) {
    Bench bench;
    const ShadowText text = Bench::text(60, 10);
    for (const int budget : {60, 100}) {
        const auto record = measureShadow(*bench.model, bench.pool, text, Bench::evicting(budget),
                                          Bench::options());
        ASSERT_FALSE(record);
        EXPECT_EQ(record.error().code, ErrorCode::Conflict);
        EXPECT_NE(record.error().what.find("nothing was evicted"), std::string::npos);
    }
    const auto off = measureShadow(*bench.model, bench.pool, text, {}, Bench::options());
    ASSERT_FALSE(off);
    EXPECT_EQ(off.error().code, ErrorCode::Conflict);
}

TEST(ShadowRun, attentionMatching_mergesAndIsMeasured) {
    Bench bench;
    ShadowSetting setting = Bench::evicting(0);
    setting.kv.method = CompactionMethod::AttentionMatching;
    setting.kv.compactionFloor = 0;
    setting.kv.lossLimit.level = LossLimit::Level::Off;
    setting.budgetShare = 0.3;
    const auto record =
        measureShadow(*bench.model, bench.pool, Bench::text(200, 20), setting, Bench::options());
    ASSERT_TRUE(record) << describe(record.error());
    EXPECT_GT(record->evictions, 3 * 2 * 120) << "a share of 0.3, whatever am_ratio says";
    EXPECT_TRUE(record->heldOutError.has_value());
}

TEST(ShadowRun, severalSettings_equalSingleRuns) {
    Bench bench;
    const ShadowText text = Bench::text(100, 20);
    const auto run = ShadowRun::read(*bench.model, bench.pool, text, Bench::options()).value();
    ASSERT_TRUE(run->measure(Bench::evicting(16)));
    ASSERT_FALSE(run->measure(Bench::evicting(100))) << "and a refusal in between";
    const auto second = run->measure(Bench::evicting(50));
    const auto alone =
        measureShadow(*bench.model, bench.pool, text, Bench::evicting(50), Bench::options());
    ASSERT_TRUE(second && alone);
    EXPECT_EQ(second->kl, alone->kl);
    EXPECT_EQ(second->liveBytes, alone->liveBytes);
}

TEST(ShadowRun, largerBudget_divergesLess) {
    Bench bench;
    const auto run =
        ShadowRun::read(*bench.model, bench.pool, Bench::text(200, 40), Bench::options()).value();
    const double mild = run->measure(Bench::evicting(190)).value().divergence().klMean;
    const double harsh = run->measure(Bench::evicting(12)).value().divergence().klMean;
    EXPECT_LT(mild, harsh);
}

TEST(ShadowRun, headErrors_useQueriesOfTheContinuation) {
    Bench bench;
    const ShadowText text = Bench::text(100, 20);
    ShadowOptions all = Bench::options();
    all.headTokens = 19;
    const auto record =
        measureShadow(*bench.model, bench.pool, text, Bench::evicting(24), all).value();
    ASSERT_EQ(record.heads.size(), 6U);
    // Reference: queries through an observer, keys and values from the cache.
    auto [whole, few] = bench.caches(text, 24);
    QueryCapture capture(bench.model->model().spec, Position(100), 19, 19);
    auto asked = whole->clone().value();
    const BatchRun run{.tokens = std::span(text.continuation).first(19),
                       .cache = asked.get(),
                       .observer = &capture};
    ASSERT_TRUE(bench.model->forward({&run, 1}, {}));
    const auto queries = capture.gather(LayerIndex(1), HeadIndex(1));
    ASSERT_EQ(queries.size(), std::size_t{19 * 3 * 32});
    const auto attended = [](const KvCache& cache) {
        const KvHeadView view = cache.head(LayerIndex(1), HeadIndex(1));
        const auto* keys = reinterpret_cast<const float*>(view.keys);
        const auto* values = reinterpret_cast<const float*>(view.values);
        return AttendedHead{{keys, {view.slots, 32}}, {values, {view.slots, 32}}, {}};
    };
    const HeadFidelity expected = headFidelity(attended(*whole), attended(*few),
                                               {queries.data(), {19 * 3, 32}}, 1 / std::sqrt(32.0));
    const HeadDivergence& found = record.heads[3];
    EXPECT_EQ(found.layer, 1);
    EXPECT_EQ(found.head, 1);
    EXPECT_EQ(found.slots, 24);
    EXPECT_NEAR(found.fidelity.outputError, expected.outputError, 1e-4);
    EXPECT_NEAR(found.fidelity.logMassError, expected.logMassError, 1e-4);
    EXPECT_GT(found.fidelity.logMassError, 0);
}

TEST(ShadowRun, greedyAnswers_areGeneratedFromEachCache) {
    Bench bench;
    ShadowText text = Bench::text(100, 5);
    text.answerTokens = 12;
    const auto record =
        measureShadow(*bench.model, bench.pool, text, Bench::evicting(14), Bench::options());
    ASSERT_TRUE(record) << describe(record.error());
    ASSERT_TRUE(record->greedy);
    auto [whole, few] = bench.caches(text, 14);
    std::vector<std::vector<TokenId>> answers;
    for (KvCache* cache : {whole.get(), few.get()}) {
        std::vector<float> row;
        for (const TokenId token : text.continuation) row = bench.feed(*cache, token);
        std::vector<TokenId> answer{topToken(row)};
        while (answer.size() < 12 && !bench.model->model().tokenizer.isEndOfTurn(answer.back()))
            answer.push_back(topToken(bench.feed(*cache, answer.back())));
        answers.push_back(std::move(answer));
    }
    const auto apart =
        std::mismatch(answers[0].begin(), answers[0].end(), answers[1].begin(), answers[1].end());
    EXPECT_EQ(record->greedy->answered, static_cast<std::int64_t>(answers[0].size()));
    EXPECT_EQ(record->greedy->agreed, apart.first - answers[0].begin());
    EXPECT_LT(record->greedy->agreed, record->greedy->answered) << "so small a cache must differ";
    EXPECT_EQ(record->greedy->tokens, answers[1]);
    EXPECT_EQ(record->kl.size(), 5 + answers[0].size() - 1) << "question and answer";
}

TEST(ShadowRun, slidingLayers_haveNoHeadErrors) {
    ModelSpec spec = test::smallSpec();
    spec.window = 16;
    spec.layerSpecs.resize(3);
    spec.layerSpecs[1].sliding = true;
    Bench bench(spec);
    const auto record = measureShadow(*bench.model, bench.pool, Bench::text(60, 10),
                                      Bench::evicting(24), Bench::options());
    ASSERT_TRUE(record) << describe(record.error());
    ASSERT_EQ(record->heads.size(), 4U);
    for (const HeadDivergence& one : record->heads) EXPECT_NE(one.layer, 1);
}

ShadowSetting codes(int keyBits, int valueBits) {
    ShadowSetting setting;
    setting.kv.exactWindow = 0;  // the texts are shorter than this window
    setting.kv.quant = {.bits = keyBits, .group = 0};
    setting.kv.values = KvRowType{.type = DType::F16, .quant = {.bits = valueBits, .group = 0}};
    return setting;
}

/// Rows are coded on arrival and read as codes, including the text before: the same as feeding the
/// tokens one by one to such a cache.
TEST(ShadowRun, quantisedRows_readTheTextThemselves) {
    Bench bench;
    const ShadowText text = Bench::text(60, 12);
    const ShadowSetting setting = codes(4, 3);
    const auto record = measureShadow(*bench.model, bench.pool, text, setting, Bench::options());
    ASSERT_TRUE(record) << describe(record.error());
    EXPECT_EQ(record->evictions, 0);
    EXPECT_LT(record->liveBytes * 3, record->logicalBytes) << "it was coded";
    EXPECT_GT(record->fullAllocatedBytes, record->allocatedBytes);
    EXPECT_EQ(record->numbers, record->fullNumbers);
    auto whole = bench.cache();
    auto coded = makeModelCache(bench.model->model(), setting.kv).value();
    for (const TokenId token : text.context) {
        bench.feed(*whole, token);
        bench.feed(*coded, token);
    }
    EXPECT_EQ(coded->stats().liveBytes, record->liveBytes);
    ASSERT_EQ(record->kl.size(), text.continuation.size() - 1);
    for (std::size_t i = 0; i + 1 < text.continuation.size(); ++i) {
        const auto expected = rowDivergence(bench.feed(*whole, text.continuation[i]),
                                            bench.feed(*coded, text.continuation[i]));
        EXPECT_GT(record->kl[i], 0);
        EXPECT_NEAR(record->kl[i], expected.kl, 1e-6 + 1e-3 * expected.kl) << i;
    }
}

/// A short text whose 16-bit rows cancel the savings of its codes is still measured, if some codes
/// are read. One that fits into the window is not.
TEST(ShadowRun, codesOfAShortText_areMeasured_evenWithoutSavings) {
    Bench bench;
    ShadowSetting setting = codes(8, 8);
    setting.kv.exactWindow = 40;
    const auto record =
        measureShadow(*bench.model, bench.pool, Bench::text(60, 12), setting, Bench::options());
    ASSERT_TRUE(record) << describe(record.error());
    EXPECT_GE(record->liveBytes, record->logicalBytes) << "no byte is saved in so short a text";
    EXPECT_GT(*std::ranges::max_element(record->kl), 0) << "its codes are read";
    const auto held =
        measureShadow(*bench.model, bench.pool, Bench::text(44, 12), setting, Bench::options());
    ASSERT_FALSE(held);
    EXPECT_EQ(held.error().code, ErrorCode::Conflict);
    EXPECT_NE(held.error().what.find("all 44 tokens"), std::string::npos) << held.error().what;
    setting.kv.values = KvRowType{.type = DType::F16, .quant = {8, 32}};
    EXPECT_TRUE(
        measureShadow(*bench.model, bench.pool, Bench::text(44, 12), setting, Bench::options()))
        << "group codes have no window";
}

TEST(ShadowRun, quantisedAndEvictedRows_useFewerBytesThanEither) {
    Bench bench;
    const ShadowText text = Bench::text(80, 10);
    const auto measured = [&](const ShadowSetting& setting) {
        const auto record =
            measureShadow(*bench.model, bench.pool, text, setting, Bench::options());
        EXPECT_TRUE(record) << describe(record.error());
        return record.value_or(QualityRecord{});
    };
    ShadowSetting both = Bench::evicting(30);
    both.kv.exactWindow = 0;
    both.kv.quant = codes(8, 4).kv.quant;
    both.kv.values = codes(8, 4).kv.values;
    const QualityRecord evicted = measured(both);
    EXPECT_GT(evicted.evictions, 0);
    EXPECT_LT(evicted.liveBytes, measured(codes(8, 4)).liveBytes);
    EXPECT_LT(evicted.liveBytes, measured(Bench::evicting(30)).liveBytes);
    EXPECT_LT(evicted.numbers, evicted.fullNumbers);
}

TEST(ShadowRun, invalidInputs_areRejectedByName) {
    Bench bench;
    const auto code = [&](ShadowText text, const ShadowSetting& setting, ShadowOptions options) {
        return measureShadow(*bench.model, bench.pool, std::move(text), setting, options)
            .error()
            .code;
    };
    EXPECT_EQ(code(Bench::text(0, 5), Bench::evicting(16), Bench::options()),
              ErrorCode::InvalidArgument);
    EXPECT_EQ(code(Bench::text(50, 1), Bench::evicting(16), Bench::options()),
              ErrorCode::InvalidArgument);
    EXPECT_EQ(code(Bench::text(2040, 20), Bench::evicting(16), Bench::options()),
              ErrorCode::ContextFull);
    ShadowSetting window;
    window.kv.window = 16;
    EXPECT_EQ(code(Bench::text(50, 5), window, Bench::options()), ErrorCode::Unsupported);
    EXPECT_EQ(code(Bench::text(50, 5), ShadowSetting{}, Bench::options()), ErrorCode::Conflict)
        << "16 bits and no method: nothing to measure";
    ShadowSetting roomy = Bench::evicting(60);
    roomy.kv.quant = {8, 32};
    EXPECT_EQ(code(Bench::text(50, 5), roomy, Bench::options()), ErrorCode::Conflict)
        << "an eviction is asked for, and codes alone are not it";
    ShadowSetting share = Bench::evicting(16);
    share.budgetShare = 1.5;
    EXPECT_EQ(code(Bench::text(50, 5), share, Bench::options()), ErrorCode::Range);
    ShadowOptions stopped = Bench::options();
    stopped.cancelled = [] { return true; };
    EXPECT_EQ(code(Bench::text(50, 5), Bench::evicting(16), stopped), ErrorCode::Cancelled);
}

}  // namespace
}  // namespace lacuna
