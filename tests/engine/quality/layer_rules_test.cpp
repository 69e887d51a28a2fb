// Caches of models with special layer rules: attention sinks, chunks in some layers and full
// attention in others, experts in groups, layers of different sizes, shared rows. The guarantees of
// caches of plain models also apply to them: lists, codes, batches, saving, sharing, compaction by
// every method.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "engine/generate/compaction_inputs.h"
#include "engine/kv/kv_factory.h"
#include "engine/model/model_cache.h"
#include "engine/quality/head_divergence.h"
#include "engine/quality/layer_loss_run.h"
#include "engine/quality/shadow_run.h"
#include "engine/quality/trial_cache.h"
#include "tests/support/random_model.h"

namespace lacuna {
namespace {

constexpr int kTokens = 160;

/// Resembles gpt-oss: every second layer sees a window, and each query head has a sink.
ModelSpec withSinks() {
    ModelSpec spec = test::smallSpec();
    spec.qkNorm = QkNorm::None;
    spec.qkvBias = spec.outputBias = true;
    spec.window = 24;
    spec.layerSpecs.resize(static_cast<std::size_t>(spec.layers));
    spec.layerSpecs[0].sliding = spec.layerSpecs[2].sliding = true;
    for (LayerSpec& layer : spec.layerSpecs) layer.experts = true;
    spec.activation = Activation::SwigluClamped;
    spec.experts = {.count = 4, .perToken = 2, .feedForward = 64};
    spec.experts.routerBias = spec.experts.biases = true;
    spec.sinks = true;
    for (int i = 0; i < spec.layers * spec.heads; ++i)
        spec.sinkScores.push_back(static_cast<float>(i % 5) - 1.0F);
    return spec;
}

/// Resembles llama4: chunks in layers that rotate, scaled queries in the others, weights on the
/// inputs of experts.
ModelSpec withChunks() {
    ModelSpec spec = test::smallSpec();
    spec.qkNorm = QkNorm::RotatedHeads;
    spec.window = 24;
    spec.chunked = true;
    spec.temperature = {.scale = 0.1F, .length = 16, .offset = 1, .unrotatedLayers = true};
    spec.layerSpecs.resize(static_cast<std::size_t>(spec.layers));
    for (LayerSpec& layer : spec.layerSpecs) layer = {.sliding = true, .experts = true};
    spec.layerSpecs[1] = {.rotary = false};
    spec.experts = {.count = 4, .perToken = 1, .feedForward = 64, .sharedFeedForward = 64};
    spec.experts.scoring = ExpertScoring::Sigmoid;
    spec.experts.normaliseWeights = false;
    spec.experts.weighsInput = true;
    return spec;
}

/// Resembles glm4moe: a dense layer before the expert layers, whose experts are chosen by groups
/// and with a bias.
ModelSpec withGroups() {
    ModelSpec spec = test::smallSpec();
    spec.rope.dim = spec.headDim / 2;
    spec.layerSpecs.resize(static_cast<std::size_t>(spec.layers));
    spec.layerSpecs[1].experts = spec.layerSpecs[2].experts = true;
    spec.experts = {.count = 8, .perToken = 3, .feedForward = 32, .sharedFeedForward = 32};
    spec.experts.scoring = ExpertScoring::Sigmoid;
    spec.experts.selectionBias = true;
    spec.experts.groups = 4;
    spec.experts.groupsPerToken = 2;
    spec.experts.weightScale = 1.5F;
    return spec;
}

/// Resembles phimoe: two experts chosen by the sparse mixer in every layer.
ModelSpec withMixer() {
    ModelSpec spec = test::smallSpec();
    spec.layerSpecs.resize(static_cast<std::size_t>(spec.layers));
    for (LayerSpec& layer : spec.layerSpecs) layer.experts = true;
    spec.experts = {.count = 6, .perToken = 2, .feedForward = 48};
    spec.experts.scoring = ExpertScoring::SparseMixer;
    spec.experts.normaliseWeights = false;
    return spec;
}

/// Resembles the small gemma4: layers of two sizes, the last of which read the rows of earlier
/// ones, and an embedding for each layer.
ModelSpec withSharedRows() {
    ModelSpec spec = test::mixedSizesSpec();
    spec.layerEmbedding = 16;
    return spec;
}

/// Resembles the large gemma4: layers of two sizes, values that are keys, and experts in parallel
/// with the dense feed-forward.
ModelSpec withParallelExperts() {
    ModelSpec spec = test::mixedSizesSpec(3, 3);
    for (LayerSpec& layer : spec.layerSpecs) layer.experts = true;
    spec.experts = {.count = 4, .perToken = 2, .feedForward = 64};
    spec.experts.parallelToDense = true;
    return spec;
}

/// Resembles deepseek2: rows whose values are parts of their keys.
ModelSpec withLatents() {
    ModelSpec spec = test::latentSpec();
    spec.layerSpecs.resize(static_cast<std::size_t>(spec.layers));
    spec.layerSpecs[1].experts = spec.layerSpecs[2].experts = true;
    spec.experts = {.count = 8, .perToken = 2, .feedForward = 32, .sharedFeedForward = 32};
    return spec;
}

struct Rule {
    const char* name;
    ModelSpec (*make)();
};

std::vector<TokenId> text(int n, int salt = 0) {
    std::vector<TokenId> ids;
    for (int i = 0; i < n; ++i) ids.push_back(3 + (i * i * 31 + i * 7 + salt) % 250);
    return ids;
}

double worst(const std::vector<float>& a, const std::vector<float>& b) {
    EXPECT_EQ(a.size(), b.size());
    double found = 0;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
        found = std::max(found, std::fabs(double{a[i]} - double{b[i]}));
    return found;
}

class LayerRule : public testing::TestWithParam<Rule> {
  protected:
    LayerRule() {
        model_ = Transformer::create(test::makeRandomModel(spec_, DType::F32).value(), pool_,
                                     {.precision = Precision::Exact, .maxTokens = 256})
                     .value();
    }
    [[nodiscard]] static KvOptions floats() {
        KvOptions options;
        options.type = DType::F32;
        return options;
    }
    [[nodiscard]] std::unique_ptr<KvCache> cache(const KvOptions& options) const {
        return makeModelCache(model_->model(), options).value();
    }
    std::vector<float> read(KvCache& cache, std::span<const TokenId> tokens, std::size_t chunk) {
        std::vector<float> all;
        for (std::size_t at = 0; at < tokens.size(); at += chunk) {
            const BatchRun run{.tokens = tokens.subspan(at, std::min(chunk, tokens.size() - at)),
                               .cache = &cache,
                               .logits = LogitsFor::AllTokens};
            const auto rows = model_->forward({&run, 1}, {});
            EXPECT_TRUE(rows.has_value()) << (rows ? "" : describe(rows.error()));
            if (rows) all.insert(all.end(), rows->data(), rows->data() + rows->size());
        }
        return all;
    }
    [[nodiscard]] ShadowOptions shadow() const {
        ShadowOptions options;
        options.type = DType::F32;
        options.chunk = 64;
        return options;
    }
    [[nodiscard]] static ShadowSetting compacting(CompactionMethod method) {
        ShadowSetting setting;
        setting.kv.method = method;
        setting.kv.compactionFloor = 0;
        setting.kv.lossLimit.level = LossLimit::Level::Off;
        setting.kv.keepRecent = 8;
        setting.kv.nSink = 2;
        return setting;
    }

    ThreadPool pool_{2};
    ModelSpec spec_ = GetParam().make();
    std::unique_ptr<Transformer> model_;
};

TEST_P(LayerRule, listOfCaches_equalsDense_forEveryChunk) {
    const auto tokens = text(kTokens);
    KvOptions uniform = floats();
    uniform.layerCaches = LayerCaches::Uniform;
    const auto expected = read(*cache(uniform), tokens, kTokens);
    for (const std::size_t chunk : {std::size_t{1}, std::size_t{13}, std::size_t{160}}) {
        EXPECT_LT(worst(read(*cache(uniform), tokens, chunk), expected), 1e-4) << chunk;
        const auto list = cache(floats());
        EXPECT_LT(worst(read(*list, tokens, chunk), expected), 1e-4) << chunk;
        EXPECT_EQ(list->capabilities().kind == KvKind::List,
                  spec_.window > 0 || !spec_.uniformCache());
    }
}

TEST_P(LayerRule, codes_withMoreBits_changeLogitsLess) {
    const auto tokens = text(kTokens);
    const auto expected = read(*cache(floats()), tokens, 40);
    double largest = 0;
    for (const float x : expected) largest = std::max(largest, std::fabs(double{x}));
    double square = 1e30;
    for (const KvQuant quant : {KvQuant{2, 0}, KvQuant{4, 0}, KvQuant{8, 32}}) {
        KvOptions options;
        options.quant = quant;
        options.exactWindow = 0;
        const auto coded = cache(options);
        const auto found = read(*coded, tokens, 40);
        double sum = 0;
        for (std::size_t i = 0; i < found.size(); ++i)
            sum += std::pow(double{found[i]} - double{expected[i]}, 2);
        EXPECT_LT(sum, square) << quant.bits;
        EXPECT_TRUE(std::isfinite(sum));
        square = sum;
    }
    // Rounding can change the choice of experts, so the limit is wide.
    EXPECT_LT(std::sqrt(square / static_cast<double>(expected.size())), 0.05 * largest);
}

TEST_P(LayerRule, savedSharedAndRolledBack_continueIdentically) {
    const auto tokens = text(kTokens);
    const auto next = text(20, 5);
    KvOptions uniform = floats();
    uniform.layerCaches = LayerCaches::Uniform;
    for (const KvOptions& options : {uniform, floats()}) {
        const auto whole = cache(options);
        static_cast<void>(read(*whole, tokens, 50));
        const CacheModel model = cacheModelOf(model_->model());
        const auto loaded =
            loadCacheFor(whole->save().value(), cacheChoice(model, options)).value();
        const auto copy = whole->clone();
        const auto expected = read(*whole, next, 7);
        EXPECT_EQ(read(*loaded, next, 7), expected);
        ASSERT_TRUE(copy.has_value());
        EXPECT_EQ(read(**copy, next, 7), expected);
    }
    const auto dense = cache(uniform);
    static_cast<void>(read(*dense, tokens, 50));
    const auto shared = dense->share().value();
    const auto first = read(*dense, next, 20);
    EXPECT_EQ(read(*shared, next, 20), first);
    ASSERT_TRUE(dense->rollback(20));
    EXPECT_EQ(read(*dense, next, 20), first);
}

TEST_P(LayerRule, twoSequencesInOneStep_equalSeparateSteps) {
    const auto a = text(70, 1);
    const auto b = text(45, 2);
    const auto alone = [&](const std::vector<TokenId>& tokens) {
        return read(*cache(floats()), tokens, tokens.size());
    };
    std::vector<float> expected = alone(a);
    const auto second = alone(b);
    expected.insert(expected.end(), second.begin(), second.end());
    const auto cacheA = cache(floats());
    const auto cacheB = cache(floats());
    const BatchRun runs[] = {{.tokens = a, .cache = cacheA.get(), .logits = LogitsFor::AllTokens},
                             {.tokens = b, .cache = cacheB.get(), .logits = LogitsFor::AllTokens}};
    const auto rows = model_->forward(runs, {});
    ASSERT_TRUE(rows.has_value()) << describe(rows.error());
    EXPECT_LT(worst(std::vector<float>(rows->data(), rows->data() + rows->size()), expected), 1e-4);
}

TEST_P(LayerRule, everyEvictionPolicy_compactsAndAnswers) {
    for (const EvictionPolicy policy :
         {EvictionPolicy::StreamingLLM, EvictionPolicy::KeyDiff, EvictionPolicy::SnapKV,
          EvictionPolicy::H2O, EvictionPolicy::ExpectedAttention}) {
        ShadowSetting setting = compacting(CompactionMethod::Eviction);
        setting.kv.evictionPolicy = policy;
        setting.kv.budget = 90;
        const auto run = ShadowRun::read(*model_, pool_, {text(140), text(20, 9)}, shadow());
        ASSERT_TRUE(run.has_value()) << describe(run.error());
        const auto record = (*run)->measure(setting);
        ASSERT_TRUE(record.has_value())
            << static_cast<int>(policy) << ": " << describe(record.error());
        EXPECT_GT(record->evictions, 0);
        EXPECT_TRUE(std::isfinite(record->divergence().klMean));
    }
}

TEST_P(LayerRule, attentionMatching_losesLessThanEvictionToTheSameSize) {
    const auto run = ShadowRun::read(*model_, pool_, {text(150), text(20, 9)}, shadow());
    ASSERT_TRUE(run.has_value()) << describe(run.error());
    ShadowSetting matching = compacting(CompactionMethod::AttentionMatching);
    matching.kv.amRatio = 3.0;
    const auto matched = (*run)->measure(matching);
    ASSERT_TRUE(matched.has_value()) << describe(matched.error());
    ShadowSetting newest = compacting(CompactionMethod::Eviction);
    newest.kv.evictionPolicy = EvictionPolicy::StreamingLLM;
    newest.kv.budget = 50;
    const auto evicted = (*run)->measure(newest);
    ASSERT_TRUE(evicted.has_value()) << describe(evicted.error());
    EXPECT_GT(matched->evictions, 0);
    // Latent rows keep their values; on random weights, a fit of the bias alone has no advantage.
    const double factor = spec_.latent ? 2 : 1;
    EXPECT_LT(matched->divergence().klMean, factor * evicted->divergence().klMean);
}

TEST_P(LayerRule, codedRows_areCompacted_byEvictionAndMatching) {
    ShadowOptions options = shadow();
    options.type = DType::F16;
    const auto run = ShadowRun::read(*model_, pool_, {text(150), text(20, 9)}, options);
    ASSERT_TRUE(run.has_value()) << describe(run.error());
    for (const KvQuant& quant : {KvQuant{8, 32}, KvQuant{4, 0}}) {
        ShadowSetting evicting = compacting(CompactionMethod::Eviction);
        evicting.kv.evictionPolicy = EvictionPolicy::KeyDiff;
        evicting.kv.budget = 90;
        ShadowSetting matching = compacting(CompactionMethod::AttentionMatching);
        matching.kv.amRatio = 2.0;
        for (ShadowSetting& setting : {std::ref(evicting), std::ref(matching)}) {
            setting.kv.quant = quant;
            setting.kv.exactWindow = 16;
            const auto record = (*run)->measure(setting);
            ASSERT_TRUE(record.has_value()) << quant.bits << ": " << describe(record.error());
            EXPECT_GT(record->evictions, 0) << quant.bits;
            EXPECT_TRUE(std::isfinite(record->divergence().klMean)) << quant.bits;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Models, LayerRule,
                         testing::Values(Rule{"sinks", withSinks}, Rule{"chunks", withChunks},
                                         Rule{"groups", withGroups}, Rule{"mixer", withMixer},
                                         Rule{"sharedRows", withSharedRows},
                                         Rule{"expertsBeside", withParallelExperts},
                                         Rule{"latents", withLatents}),
                         [](const auto& test) { return std::string(test.param.name); });

// Values that are parts of their keys are coded with them.
TEST(LatentLayerLoss, everyLayer_hasTheLossOfItsRows_andNoneOfValues) {
    ThreadPool pool(2);
    const auto model = Transformer::create(test::makeRandomModel(withLatents(), DType::F32).value(),
                                           pool, {.precision = Precision::Exact, .maxTokens = 256})
                           .value();
    LayerLossMeasure measure;
    measure.bits = 3;
    measure.chunk = 64;
    const auto found = measureLayerLoss(*model, text(96), measure);
    ASSERT_TRUE(found) << describe(found.error());
    ASSERT_EQ(found->keys.size(), static_cast<std::size_t>(model->model().spec.layers));
    EXPECT_TRUE(std::ranges::all_of(found->keys, [](double nats) { return nats > 0; }));
    EXPECT_TRUE(std::ranges::all_of(found->values, [](double nats) { return nats == 0; }));
}

/// Returns the fidelity of all heads without a window after attention matching to a third.
HeadFidelity matchedWith(Transformer& model, ThreadPool& pool, const CompactorModel& facts) {
    const SteadyClock clock;
    const ModelSpec& spec = model.model().spec;
    KvOptions options;
    options.type = DType::F32;
    options.layerCaches = LayerCaches::Uniform;
    const auto whole = makeModelCache(model.model(), options).value();
    Compactor compactor(facts, whole->shape(), pool, clock);
    const auto tokens = text(150);
    const auto next = text(30, 9);
    const auto feedTo = [&](KvCache& cache, const std::vector<TokenId>& ids,
                            QueryObserver* observer) {
        const BatchRun run{
            .tokens = ids, .cache = &cache, .logits = LogitsFor::None, .observer = observer};
        EXPECT_TRUE(model.forward({&run, 1}, {}).has_value());
    };
    feedTo(*whole, tokens, compactor.observeAll(*whole));
    const auto few = whole->clone().value();
    const auto ahead = whole->clone().value();
    QueryCapture capture(spec, Position(150), 30, 30);
    feedTo(*ahead, next, &capture);
    const HeadReference reference(*whole, capture, spec, pool);
    KvOptions matching = options;
    matching.method = CompactionMethod::AttentionMatching;
    matching.compactionFloor = 0;
    matching.lossLimit.level = LossLimit::Level::Off;
    matching.amRatio = 3.0;
    matching.background = false;
    EXPECT_EQ(compactor.compact(*few, matching).result, CompactionResult::Done);
    return meanFidelity(reference.compare(*few));
}

// The mass of a sink reduces the weight of its query. A fit with these weights has about the same
// error over all queries as a fit that ignores the sinks.
TEST(AttentionSinks, matchingWithSinks_hasNoLargerError) {
    ThreadPool pool(2);
    ModelSpec spec = withSinks();
    for (std::size_t i = 0; i < spec.sinkScores.size(); ++i)
        spec.sinkScores[i] = i % 3 == 0 ? 5.0F : -1.0F;
    const auto model = Transformer::create(test::makeRandomModel(spec, DType::F32).value(), pool,
                                           {.precision = Precision::Exact, .maxTokens = 256})
                           .value();
    const CompactorModel knowing = compactorModel(spec, 1, {});
    ASSERT_NE(knowing.sinks, nullptr);
    CompactorModel blind = knowing;
    blind.sinks = nullptr;
    const HeadFidelity with = matchedWith(*model, pool, knowing);
    const HeadFidelity without = matchedWith(*model, pool, blind);
    EXPECT_LT(with.outputError, 1.05 * without.outputError);
    RecordProperty("with", std::to_string(with.outputError));
    RecordProperty("without", std::to_string(without.outputError));
}

}  // namespace
}  // namespace lacuna
