// Live measurements and comparisons, on a model whose logits depend on every slot of its cache.

#include "engine/quality/comparison.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "engine/generate/compaction_inputs.h"
#include "engine/generate/prompt.h"
#include "engine/kv/slot/slot_cache.h"
#include "engine/quality/quality_meter.h"
#include "tests/support/random_model.h"

namespace lacuna {
namespace {

struct Bench {
    ThreadPool pool{1};
    SteadyClock clock;
    std::unique_ptr<Transformer> model =
        Transformer::create(test::makeRandomModel(test::smallSpec(), DType::F32).value(), pool,
                            {.precision = Precision::Exact, .maxTokens = 128})
            .value();

    static std::vector<TokenId> prompt(int tokens) {
        std::vector<TokenId> ids;
        for (int i = 0; i < tokens; ++i) ids.push_back(3 + (i * i * 31 + i * 7) % 250);
        return ids;
    }
    static GenerationSettings settings(int budget) {
        GenerationSettings settings;
        settings.kv.type = DType::F32;
        settings.sampling.temperature = 0;
        settings.prefillChunk = 64;
        settings.maxTokens = 24;
        settings.context = 1024;
        if (budget == 0) return settings;
        settings.kv.method = CompactionMethod::Eviction;
        settings.kv.compactionFloor = 0;
        settings.kv.lossLimit.level = LossLimit::Level::Off;
        settings.kv.evictionPolicy = EvictionPolicy::StreamingLLM;
        settings.kv.budget = budget;
        settings.kv.keepRecent = 8;
        settings.kv.nSink = 2;
        settings.kv.margin = 4;
        return settings;
    }
    [[nodiscard]] std::unique_ptr<Sequence> sequence() {
        const ModelSpec& spec = model->model().spec;
        const KvShape shape{.layers = spec.layers,
                            .kvHeads = spec.kvHeads,
                            .keyDim = spec.headDim,
                            .valueDim = spec.headDim,
                            .type = DType::F32};
        const CompactorModel compactor = compactorModel(spec, 0, {});
        return Sequence::create([shape] { return makeSlotCache(shape); },
                                [this, compactor](const KvShape& made) {
                                    return std::make_unique<Compactor>(compactor, made, pool,
                                                                       clock);
                                })
            .value();
    }
    Result<Comparison> compare(int a, int b, ComparisonOptions options = {}) {
        return compareSettings(*model, pool, prompt(120), {settings(a), settings(b)}, options);
    }
    /// Returns the logits of a full cache after `tokens`.
    std::vector<float> fullRow(std::span<const TokenId> tokens) {
        auto made = sequence();
        std::vector<float> row;
        for (const TokenId token : tokens) {
            const BatchRun run{.tokens = {&token, 1}, .cache = &made->cache()};
            const auto rows = model->forward({&run, 1}, {}).value();
            row.assign(rows.row(0).begin(), rows.row(0).end());
        }
        return row;
    }
};

TEST(LogitsTap, tap_copiesOnlyTheObservedCache) {
    Bench bench;
    LogitsTap tap(*bench.model);
    const auto a = bench.sequence();
    const auto b = bench.sequence();
    const std::vector<TokenId> tokens = Bench::prompt(6);
    const BatchRun runs[] = {{.tokens = std::span(tokens).first(2),
                              .cache = &a->cache(),
                              .logits = LogitsFor::AllTokens},
                             {.tokens = std::span(tokens).subspan(2, 1), .cache = &b->cache()}};
    tap.watch(&b->cache());
    const auto all = tap.forward(runs, {}).value();
    ASSERT_EQ(all.extent(0), 3);
    ASSERT_EQ(tap.rows().extent(0), 1);
    EXPECT_TRUE(std::ranges::equal(tap.rows().row(0), all.row(2)));
    tap.clear();
    tap.watch(nullptr);
    const BatchRun one{.tokens = std::span(tokens).first(1), .cache = &a->cache()};
    ASSERT_TRUE(tap.forward({&one, 1}, {}));
    EXPECT_EQ(tap.rows().extent(0), 0);
}

/// Runs an answer with a meter and returns its samples.
std::vector<LiveQuality> metered(Bench& bench, const GenerationSettings& settings,
                                 const MeterOptions& options, Sequence& sequence,
                                 const std::function<void(const LiveQuality&)>& check = {}) {
    LogitsTap tap(*bench.model);
    QualityMeter meter(*bench.model, bench.pool, bench.clock);
    auto generation = Generation::start(
        tap, sequence, {.prompt = Bench::prompt(120), .stopStrings = {}, .seed = 0}, settings);
    EXPECT_TRUE(generation);
    std::vector<LiveQuality> samples;
    while (!(*generation)->finished()) {
        meter.beforeStep(sequence, options, tap);
        const auto step = (*generation)->step(tap, settings, {}, bench.clock);
        EXPECT_TRUE(step);
        const auto sample = meter.afterStep(sequence, options, tap, step->tokens, step->stepMs, {});
        EXPECT_TRUE(sample);
        if (!*sample) continue;
        samples.push_back(**sample);
        if (check) check(samples.back());
    }
    return samples;
}

TEST(QualityMeter, samples_startAfterFirstEviction_everyNthToken) {
    Bench bench;
    const auto sequence = bench.sequence();
    std::size_t checked = 0;
    GenerationSettings settings = Bench::settings(40);
    settings.prefillPolicy = PrefillPolicy::PerChunk;
    const auto samples =
        metered(bench, settings, {.every = 5, .chunk = 128, .heads = 2, .type = DType::F32},
                *sequence, [&](const LiveQuality& sample) {
                    EXPECT_EQ(sample.tokens, sequence->cache().offset().value);
                    EXPECT_GT(sample.kl, 0);
                    ASSERT_TRUE(sample.outputError);
                    EXPECT_GT(sample.costMs, 0);
                    EXPECT_GT(sample.costShare(), 0);
                    EXPECT_LT(sample.costShare(), 1);
                    EXPECT_GT(sample.shadowBytes, 0);
                    ++checked;
                });
    ASSERT_GE(samples.size(), 3U);
    EXPECT_EQ(checked, samples.size());
    for (std::size_t i = 1; i < samples.size(); ++i)
        EXPECT_EQ(samples[i].tokens - samples[i - 1].tokens, 5);
}

TEST(QualityMeter, kl_equalsTheDivergenceOfBothRows) {
    Bench bench;
    const auto sequence = bench.sequence();
    GenerationSettings settings = Bench::settings(40);
    settings.prefillPolicy = PrefillPolicy::PerChunk;
    LogitsTap tap(*bench.model);
    QualityMeter meter(*bench.model, bench.pool, bench.clock);
    const MeterOptions options{.every = 1, .chunk = 128, .heads = 0, .type = DType::F32};
    auto generation = Generation::start(
        tap, *sequence, {.prompt = Bench::prompt(120), .stopStrings = {}, .seed = 0}, settings);
    int seen = 0;
    while (seen < 3 && !(*generation)->finished()) {
        meter.beforeStep(*sequence, options, tap);
        const auto step = (*generation)->step(tap, settings, {}, bench.clock).value();
        const auto sample =
            meter.afterStep(*sequence, options, tap, step.tokens, step.stepMs, {}).value();
        if (!sample) continue;
        ++seen;
        EXPECT_NEAR(sample->kl,
                    rowDivergence(bench.fullRow(sequence->tokens()), tap.rows().row(0)).kl, 1e-4);
    }
    EXPECT_EQ(seen, 3);
}

TEST(QualityMeter, samplesInAPause_equalThoseMeasuredDuringSteps) {
    Bench bench;
    GenerationSettings settings = Bench::settings(40);
    settings.prefillPolicy = PrefillPolicy::PerChunk;
    std::map<std::int64_t, double> beside;
    const auto first = bench.sequence();
    for (const LiveQuality& one :
         metered(bench, settings, {.every = 1, .heads = 0, .type = DType::F32}, *first))
        beside[one.tokens] = one.kl;

    LogitsTap tap(*bench.model);
    QualityMeter meter(*bench.model, bench.pool, bench.clock);
    const MeterOptions options{.pauses = true, .chunk = 50, .heads = 0, .type = DType::F32};
    const auto sequence = bench.sequence();
    auto generation = Generation::start(
        tap, *sequence, {.prompt = Bench::prompt(120), .stopStrings = {}, .seed = 0}, settings);
    while (!(*generation)->finished()) {
        meter.beforeStep(*sequence, options, tap);
        const auto step = (*generation)->step(tap, settings, {}, bench.clock).value();
        const auto sample =
            meter.afterStep(*sequence, options, tap, step.tokens, step.stepMs, {}).value();
        EXPECT_FALSE(sample) << "an answer waits for no measurement";
        EXPECT_EQ(meter.shadowBytes(), 0);
    }
    std::vector<LiveQuality> samples;
    int slices = 0;
    bool cancel = false;
    while (meter.waiting()) {
        ++slices;
        cancel = slices == 2;
        const auto sample = meter.inPause(slices > 2 ? nullptr : sequence.get(), options,
                                          {.cancelled = [&] { return cancel; }});
        if (cancel) {
            EXPECT_EQ(sample.error().code, ErrorCode::Cancelled);
            meter.releaseShadow();
        } else if (*sample) {
            samples.push_back(**sample);
        }
    }
    ASSERT_GE(samples.size(), 2U);
    EXPECT_LE(samples.size(), 4U);
    EXPECT_GT(slices, 4) << "the shadow reads a chunk at a time";
    for (const LiveQuality& one : samples) {
        ASSERT_TRUE(beside.contains(one.tokens)) << one.tokens;
        EXPECT_NEAR(one.kl, beside[one.tokens], 1e-4);
        EXPECT_GT(one.pauseMs, 0);
    }
    EXPECT_GT(samples[0].costMs, 0) << "the copies of logits";
    EXPECT_GT(samples[1].tokens, samples[0].tokens + 15);
    EXPECT_EQ(meter.shadowBytes(), 0) << "its memory is given back after the last one";
}

TEST(QualityMeter, nothingEvicted_holdsNoShadow_andPublishesNothing) {
    Bench bench;
    const auto sequence = bench.sequence();
    EXPECT_TRUE(metered(bench, Bench::settings(0), {.every = 1}, *sequence).empty());
    QualityMeter meter(*bench.model, bench.pool, bench.clock);
    EXPECT_EQ(meter.shadowBytes(), 0);
}

TEST(QualityMeter, shadowWithSmallChunks_catchesUpOverSeveralSteps) {
    Bench bench;
    const auto sequence = bench.sequence();
    GenerationSettings settings = Bench::settings(40);
    settings.prefillPolicy = PrefillPolicy::PerChunk;
    const auto samples = metered(bench, settings, {.every = 2, .chunk = 30, .heads = 1}, *sequence);
    ASSERT_GE(samples.size(), 2U);
    EXPECT_FALSE(samples[0].outputError) << "the conversation went on while the shadow read";
    EXPECT_EQ(samples[0].tokens, 120);
}

TEST(Comparison, sameSettings_giveTheSameTokens) {
    Bench bench;
    const auto found = bench.compare(40, 40);
    ASSERT_TRUE(found) << describe(found.error());
    EXPECT_FALSE(found->divergence);
    EXPECT_EQ(found->runs[0].tokens, found->runs[1].tokens);
    EXPECT_EQ(found->runs[0].kv.liveBytes, found->runs[1].kv.liveBytes);
}

TEST(Comparison, compactedAndFullCache_diverge_andAreMeasured) {
    Bench bench;
    std::vector<int> sides;
    ComparisonOptions options;
    options.progress = [&](int run, std::int64_t done, std::int64_t total) {
        if (sides.empty() || sides.back() != run) sides.push_back(run);
        EXPECT_LE(done, total);
    };
    const auto found = bench.compare(0, 20, options);
    ASSERT_TRUE(found) << describe(found.error());
    EXPECT_EQ(sides, (std::vector<int>{0, 1}));
    const auto& [whole, few] = found->runs;
    EXPECT_EQ(whole.evictions, 0);
    EXPECT_FALSE(whole.divergence);
    EXPECT_EQ(whole.divergenceBlocker, "nothing was evicted, merged or coded");
    EXPECT_GT(few.evictions, 0);
    EXPECT_LT(few.kv.liveBytes, whole.kv.liveBytes);
    EXPECT_GT(few.ratio(), 2);
    ASSERT_TRUE(few.divergence);
    EXPECT_GT(few.divergence->klMean, 0);
    EXPECT_GT(few.compactionMs, 0);
    ASSERT_TRUE(found->divergence);
    const auto index = static_cast<std::size_t>(found->divergence->index);
    EXPECT_TRUE(std::equal(whole.tokens.begin(), whole.tokens.begin() + found->divergence->index,
                           few.tokens.begin()));
    EXPECT_NE(whole.tokens.at(index), few.tokens.at(index));
    EXPECT_NE(comparisonMarkdown(*found).find("| compactions | 0 |"), std::string::npos);
    EXPECT_EQ(comparisonJson(*found)["first_divergence"]["index"], found->divergence->index);
}

TEST(Comparison, quantisedRows_areMeasuredWithoutAnEviction) {
    Bench bench;
    GenerationSettings coded = Bench::settings(0);
    coded.kv.quant = {.bits = 4, .group = 32};
    const auto found = compareSettings(*bench.model, bench.pool, Bench::prompt(120),
                                       {Bench::settings(0), coded}, {});
    ASSERT_TRUE(found) << describe(found.error());
    EXPECT_LT(found->runs[1].kv.liveBytes, found->runs[0].kv.liveBytes);
    EXPECT_EQ(found->runs[1].evictions, 0);
    ASSERT_TRUE(found->runs[1].divergence);
    EXPECT_GT(found->runs[1].divergence->klMean, 0);
}

TEST(Comparison, answers_equalThoseWithoutMeasuring) {
    Bench bench;
    const auto found = bench.compare(20, 0).value();
    const auto sequence = bench.sequence();
    const GenerationSettings settings = Bench::settings(20);
    auto generation =
        Generation::start(*bench.model, *sequence,
                          {.prompt = Bench::prompt(120), .stopStrings = {}, .seed = 0}, settings);
    while (!(*generation)->finished())
        ASSERT_TRUE((*generation)->step(*bench.model, settings, {}, bench.clock));
    EXPECT_TRUE(std::ranges::equal((*generation)->answer(), found.runs[0].tokens));
}

TEST(Comparison, cancel_endsTheComparison) {
    Bench bench;
    ComparisonOptions options;
    int asked = 0;
    options.cancelled = [&] { return ++asked > 30; };
    const auto found = bench.compare(0, 20, options);
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().code, ErrorCode::Cancelled);
}

}  // namespace
}  // namespace lacuna
