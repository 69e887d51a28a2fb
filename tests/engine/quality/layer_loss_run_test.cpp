// Predicted error of each layer's codes for the test model: equal to a direct measurement of one
// layer, roughly additive, and a guide to where more bits help.

#include "engine/quality/layer_loss_run.h"

#include <gtest/gtest.h>

#include <numeric>

#include "engine/base/file.h"
#include "engine/model/model_cache.h"
#include "engine/model/weight_placement.h"
#include "engine/quality/divergence.h"
#include "tests/support/bundled_models.h"

namespace lacuna::test {
namespace {

struct Stage {
    Stage() {
        model = loadModel(pilotModel()).value();
        transformer =
            Transformer::create(model, pool, {.precision = Precision::Exact, .maxTokens = 128})
                .value();
        const auto path =
            std::filesystem::path(LACUNA_RESOURCE_DIR) / "texts/our_mutual_friend.txt";
        text = model->tokenizer.encode(*readFile(path, 1 << 20)).value();
        text.resize(96);
    }
    /// Returns the logits of the second half for a cache of this choice.
    [[nodiscard]] std::vector<float> logits(KvCache& cache) {
        std::vector<float> out;
        for (std::size_t at = 0; at < text.size(); at += text.size() / 2) {
            const BatchRun run{.tokens = std::span(text).subspan(at, text.size() / 2),
                               .cache = &cache,
                               .logits = LogitsFor::AllTokens};
            const auto rows = transformer->forward({&run, 1}, {}).value();
            if (at > 0) out.assign(rows.data(), rows.data() + rows.extent(0) * rows.extent(1));
        }
        return out;
    }
    [[nodiscard]] double damageOf(KvCache& cache) {
        if (whole.empty()) whole = logits(*makeFullCache(model->spec, DType::F16).value());
        const std::vector<float> other = logits(cache);
        const auto row = static_cast<std::size_t>(model->spec.vocabulary);
        double sum = 0;
        for (std::size_t at = 0; at < whole.size(); at += row)
            sum +=
                rowDivergence(std::span(whole).subspan(at, row), std::span(other).subspan(at, row))
                    .kl;
        return sum * static_cast<double>(row) / static_cast<double>(whole.size());
    }
    [[nodiscard]] double damageOf(const KvOptions& options) {
        CacheModel of = cacheModelOf(*model);
        of.loss = found;
        return damageOf(*makeCacheFor(of, options).value());
    }

    std::shared_ptr<const LoadedModel> model;
    ThreadPool pool{2};
    std::unique_ptr<Transformer> transformer;
    std::vector<TokenId> text;
    std::vector<float> whole;
    std::shared_ptr<const LayerLoss> found;
};

TEST(LayerLossRun, testModel_lossesAddUp_andShowWhereMoreBitsHelp) {
    Stage stage;
    std::int64_t told = 0;
    LayerLossMeasure measure{.bits = 2};
    measure.progress = [&](std::int64_t done, std::int64_t total) {
        EXPECT_EQ(done, ++told);
        EXPECT_EQ(total, 2 * stage.model->spec.layers + 1);
    };
    const auto loss = measureLayerLoss(*stage.transformer, stage.text, measure);
    ASSERT_TRUE(loss) << loss.error().what;
    EXPECT_EQ(told, 2 * stage.model->spec.layers + 1);
    stage.found = std::make_shared<const LayerLoss>(*loss);
    EXPECT_EQ(loss->fingerprint, stage.model->spec.fingerprint);

    KvOptions options;
    options.quant = {2, 0};
    options.exactWindow = 0;
    KvChoice one = cacheChoice(cacheModelOf(*stage.model), options);
    one.layers.resize(loss->keys.size());
    one.layers[3].keyQuant = {2, 0};
    EXPECT_NEAR(stage.damageOf(*makeCache(one).value()), loss->keys[3], 1e-6);

    const double same = stage.damageOf(options);
    const double sum = std::accumulate(loss->keys.begin(), loss->keys.end(), 0.0) +
                       std::accumulate(loss->values.begin(), loss->values.end(), 0.0);
    EXPECT_GT(same, 0.6 * sum);
    EXPECT_LT(same, 1.6 * sum);

    options.extraBits = 0.25;
    const double spread = stage.damageOf(options);
    LayerLoss upside = *loss;  // reverses the order of the errors
    for (auto* side : {&upside.keys, &upside.values})
        for (double& nats : *side) nats = 1 / (nats + 1e-6);
    stage.found = std::make_shared<const LayerLoss>(upside);
    const double wrong = stage.damageOf(options);
    EXPECT_LT(spread, 0.8 * same);
    EXPECT_LT(spread, 0.9 * wrong);
}

TEST(LayerLossRun, unsupportedInput_isRefused) {
    Stage stage;
    LayerLossMeasure measure;
    EXPECT_EQ(
        measureLayerLoss(*stage.transformer, std::span(stage.text).first(1), measure).error().code,
        ErrorCode::InvalidArgument);
    measure.cancelled = [] { return true; };
    EXPECT_EQ(measureLayerLoss(*stage.transformer, stage.text, measure).error().code,
              ErrorCode::Cancelled);
}

}  // namespace
}  // namespace lacuna::test
