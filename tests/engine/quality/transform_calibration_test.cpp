// A transform calibrated on a model of random weights: reproducible, cancelled, refused; its file
// next to the model; and measurements with it.

#include "engine/quality/transform_calibration.h"

#include <gtest/gtest.h>

#include <cmath>

#include "app/bench/stored_cache_run.h"
#include "engine/base/file.h"
#include "engine/generate/transform_file.h"
#include "engine/prefix/transform_page_codec.h"
#include "tests/support/random_model.h"
#include "tests/support/temporary_folder.h"

namespace lacuna::test {
namespace {

ModelSpec smallSpec() {
    ModelSpec spec;
    spec.architecture = "llama";
    spec.name = "small";
    spec.fingerprint = "0123456789abcdef0123456789abcdef";
    spec.layers = 3;
    spec.hidden = 32;
    spec.heads = 4;
    spec.kvHeads = 2;
    spec.headDim = 16;
    spec.feedForward = 48;
    spec.vocabulary = 259;
    spec.context = 256;
    spec.rope.dim = 8;
    spec.rope.pairing = RopePairing::Interleaved;
    return spec;
}

struct Stage {
    std::shared_ptr<const LoadedModel> model = makeRandomModel(smallSpec(), DType::F32).value();
    ThreadPool pool{2};
    std::unique_ptr<Transformer> transformer =
        Transformer::create(model, pool, {.precision = Precision::Exact, .maxTokens = 64}).value();
    std::vector<TokenId> text;
    TransformCalibration options{.window = 128, .chunk = 64, .layerGroup = 2};

    explicit Stage(int tokens = 128 * 8) {
        // Repeated words, so that there is structure to find.
        RandomStream random(3, 0);
        for (int i = 0; i < tokens; ++i)
            text.emplace_back(static_cast<std::int32_t>(
                3 + (random.below(3) == 0 ? random.below(40) : i % 7 * 3)));
        options.noiseContext = 64;
        options.noiseAfter = 16;
    }
    [[nodiscard]] Result<TransformBundle> calibrate() {
        return calibrateTransform(*transformer, pool, text, options);
    }
};

TEST(TransformCalibration, calibration_isComplete_andReproducible) {
    Stage stage;
    std::vector<std::string> stages;
    stage.options.progress = [&](std::string_view name, std::int64_t done, std::int64_t total) {
        EXPECT_LE(done, total);
        if (stages.empty() || stages.back() != name) stages.emplace_back(name);
    };
    const auto made = stage.calibrate();
    ASSERT_TRUE(made) << made.error().what;
    EXPECT_TRUE(checkTransform(*made));
    EXPECT_TRUE(checkTransformFor(*made, transformIdentityOf(smallSpec())));
    EXPECT_EQ(stages, (std::vector<std::string>{"reading", "weighing heads", "components", "steps",
                                                "plans"}));
    ASSERT_EQ(made->groups.size(), 2U);
    EXPECT_EQ(made->groups[0].layers.size() + made->groups[1].layers.size(), 3U);
    EXPECT_EQ(made->tokens, 7 * (128 - 4));
    EXPECT_EQ(made->heldOutTokens, 124);
    // Errors fall with the bytes spent.
    EXPECT_TRUE(std::ranges::is_sorted(made->stepErrors));
    EXPECT_LT(made->stepErrors.front(), made->stepErrors.back());
    EXPECT_LT(made->planErrors.front(), made->planErrors.back());
    EXPECT_LE(made->stepErrors.back(), 1.5F);
    // Weights of a pair that rotates together are equal, but not all weights are.
    const TransformSide& keys = made->groups[0].keys;
    for (std::size_t i = 0; i < 8; i += 2) EXPECT_EQ(keys.weight[i], keys.weight[i + 1]);
    EXPECT_NE(keys.weight[0], keys.weight[2]);
    stage.options.progress = {};
    const auto again = stage.calibrate();
    ASSERT_TRUE(again);
    EXPECT_EQ(transformBytes(*again), transformBytes(*made));
}

// There must be tokens between the first and the newest, so that noise can be added to rows.
TEST(TransformCalibration, errors_areWeightedByTheirCost_perHead) {
    Stage stage(240 * 5);
    stage.options.window = 240;
    stage.options.noiseContext = 200;
    stage.options.noiseAfter = 32;
    const auto made = stage.calibrate();
    ASSERT_TRUE(made) << made.error().what;
    const auto dim = static_cast<std::size_t>(smallSpec().headDim);
    for (const TransformGroup& group : made->groups)
        for (std::size_t first = 0; first < group.values.weight.size(); first += dim) {
            for (std::size_t i = first; i < first + dim; ++i)
                EXPECT_EQ(group.values.weight[i], group.values.weight[first]) << i;
            if (first > 0) {
                EXPECT_NE(group.values.weight[first], group.values.weight[first - dim]);
            }
        }
    // Without rows for noise its effect is unknown, and all values get the same weight.
    Stage blind;
    const auto alike = blind.calibrate();
    ASSERT_TRUE(alike);
    for (const float weight : alike->groups[0].values.weight) EXPECT_EQ(weight, 1.0F);
}

TEST(TransformCalibration, shortTexts_areRefusedWithTheRequiredLength) {
    for (const int tokens : {0, 1, 3 * 128 - 1}) {
        Stage stage(tokens);
        const auto made = stage.calibrate();
        ASSERT_FALSE(made);
        EXPECT_EQ(made.error().code, ErrorCode::InvalidArgument);
        EXPECT_NE(made.error().what.find("3 windows of 128"), std::string::npos);
    }
}

TEST(TransformCalibration, cancelAnywhere_endsTheCalibration) {
    for (const int after : {0, 3, 40, 80}) {
        Stage stage;
        int asked = 0;
        stage.options.cancelled = [&] { return asked++ >= after; };
        const auto made = stage.calibrate();
        ASSERT_FALSE(made) << after;
        EXPECT_EQ(made.error().code, ErrorCode::Cancelled) << made.error().what;
    }
}

TEST(TransformFile, fileNextToItsModel_isFound_ofAnotherModelRefused) {
    Stage stage;
    const TransformBundle bundle = stage.calibrate().value();
    const TemporaryFolder folder;
    const std::filesystem::path model = folder.path() / "small.gguf";
    EXPECT_EQ(loadTransform(model, smallSpec()).value(), nullptr);
    const auto written = storeTransform(model, bundle, {});
    ASSERT_TRUE(written) << written.error().what;
    EXPECT_EQ(*written, folder.path() / "small.transform");
    const auto codec = loadTransform(model, smallSpec());
    ASSERT_TRUE(codec) << codec.error().what;
    EXPECT_EQ((*codec)->bundle(), bundle);
    EXPECT_EQ((*codec)->hash(), transformHash(bundle));
    ModelSpec other = smallSpec();
    other.rope.base = 10001;
    const auto refused = loadTransform(model, other);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::Incompatible);
    EXPECT_NE(refused.error().what.find("small.transform"), std::string::npos);
    EXPECT_NE(refused.error().what.find("rotated differently"), std::string::npos);
    // If the folder of the model is not writable, the file goes to the user's data folder.
    const auto kept = storeTransform(folder.path() / "none" / "small.gguf", bundle, folder.path());
    ASSERT_TRUE(kept);
    EXPECT_EQ(*kept, storedTransformPath(folder.path(), bundle.identity.fingerprint));
    EXPECT_NE(loadTransform(folder.path() / "other.gguf", smallSpec(), folder.path()).value(),
              nullptr);
}

TEST(TransformFile, identity_describesTheRotationOfEachLayer) {
    ModelSpec spec = smallSpec();
    spec.window = 32;
    spec.localRope.emplace();
    spec.localRope->base = 500;
    spec.localRope->dim = 16;
    spec.layerSpecs = {{.sliding = true}, {}, {.rotary = false}};
    const TransformIdentity id = transformIdentityOf(spec);
    EXPECT_EQ(id.layerRopes, (std::vector<int>{1, 0, -1}));
    EXPECT_TRUE(id.ropes[0].interleaved);
    EXPECT_FALSE(id.ropes[1].interleaved);
    EXPECT_EQ(id.ropes[0].frequencies.size(), 4U);
    EXPECT_EQ(id.ropes[1].frequencies.size(), 8U);
    EXPECT_DOUBLE_EQ(id.ropes[0].frequencies[1], std::pow(10000.0, -0.25));
}

TEST(StoredCacheRun, smallerPages_loseMore) {
    Stage stage;
    const auto codec = TransformCodec::make(stage.calibrate().value()).value();
    const StoredCacheMeasure measure{.context = 128,
                                     .after = 32,
                                     .windows = 3,
                                     .chunk = 64,
                                     .repeat = 1,
                                     .firstCompared = 4,
                                     .lastCompared = 16,
                                     .type = DType::F16};
    double kl = 0;
    double ratio = 0;
    for (const double asked : {3.0, 12.0, 48.0}) {
        const TransformPageCodec pages(codec,
                                       {.coding = codec->codingFor(StoredCode::Step, asked).value(),
                                        .sinks = 4,
                                        .window = 16});
        const auto figures = measureStoredCache(*stage.transformer, pages, stage.text, measure);
        ASSERT_TRUE(figures) << figures.error().what;
        EXPECT_EQ(figures->windows, 3);
        EXPECT_EQ(figures->divergence.positions, 96);
        EXPECT_GT(figures->ratio, ratio);
        EXPECT_GT(figures->divergence.klMean, kl);
        EXPECT_DOUBLE_EQ(figures->ratio * figures->bytesPerToken, 3 * 2 * 2 * 16 * 2.0);
        kl = figures->divergence.klMean;
        ratio = figures->ratio;
    }
    EXPECT_GT(ratio, 2);
    // All rows are stored exactly, so nothing changes.
    const TransformPageCodec plain(codec, {.coding = {}, .sinks = 4, .window = 4096});
    const auto same = measureStoredCache(*stage.transformer, plain, stage.text, measure);
    ASSERT_TRUE(same);
    EXPECT_EQ(same->divergence.klMean, 0);
    EXPECT_EQ(same->perplexityChange, 0);
    ASSERT_TRUE(same->cosineKeys);
    EXPECT_NEAR(*same->cosineKeys, 1, 1e-9);
    // All rows are among the first or the newest, so there is nothing to measure.
    StoredCacheMeasure none = measure;
    none.lastCompared = 4096;
    const auto uncompared = measureStoredCache(*stage.transformer, plain, stage.text, none);
    ASSERT_TRUE(uncompared);
    EXPECT_FALSE(uncompared->cosineKeys);
    EXPECT_TRUE(storedCacheJson(*uncompared).at("cosine_v").is_null());
    StoredCacheMeasure beyond = measure;
    beyond.context = 250;
    EXPECT_FALSE(measureStoredCache(*stage.transformer, plain, stage.text, beyond));
    EXPECT_FALSE(
        measureStoredCache(*stage.transformer, plain, std::span(stage.text).first(150), measure));
}

}  // namespace
}  // namespace lacuna::test
