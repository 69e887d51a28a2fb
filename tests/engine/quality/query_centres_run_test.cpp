// Query centres of the test model, and an eviction that uses them.

#include "engine/quality/query_centres_run.h"

#include <gtest/gtest.h>

#include "engine/base/file.h"
#include "engine/generate/compaction_inputs.h"
#include "tests/support/bundled_models.h"

namespace lacuna::test {
namespace {

struct Stage {
    Stage() {
        model = loadModel(pilotModel()).value();
        transformer =
            Transformer::create(model, pool, {.precision = Precision::Fast, .maxTokens = 256})
                .value();
    }
    [[nodiscard]] std::vector<TokenId> tokensOf(const char* text, std::size_t count) const {
        const auto path = std::filesystem::path(LACUNA_RESOURCE_DIR) / "texts" / text;
        auto all = model->tokenizer.encode(*readFile(path, 1 << 20)).value();
        all.resize(count);
        return all;
    }
    std::shared_ptr<const LoadedModel> model;
    ThreadPool pool{2};
    std::unique_ptr<Transformer> transformer;
};

double cosine(const std::vector<float>& a, const std::vector<float>& b) {
    double dot = 0;
    double aa = 0;
    double bb = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        dot += static_cast<double>(a[i]) * static_cast<double>(b[i]);
        aa += static_cast<double>(a[i]) * static_cast<double>(a[i]);
        bb += static_cast<double>(b[i]) * static_cast<double>(b[i]);
    }
    return dot / std::sqrt(aa * bb);
}

TEST(QueryCentresRun, twoTexts_giveSimilarCentres) {
    Stage stage;
    std::int64_t shown = 0;
    QueryCentresRun run{.window = 500, .chunk = 200};
    run.progress = [&](std::int64_t done, std::int64_t total) {
        EXPECT_EQ(total, 1200);
        EXPECT_GT(done, shown);
        shown = done;
    };
    const auto one = calibrateQueryCentres(*stage.transformer,
                                           stage.tokensOf("the_naval_treaty.txt", 1200), run);
    ASSERT_TRUE(one) << one.error().what;
    EXPECT_EQ(shown, 1200);
    shown = 0;
    EXPECT_EQ(one->tokens, 1200 - 3 * 4);
    EXPECT_EQ(one->fingerprint, stage.model->spec.fingerprint);
    const auto other = calibrateQueryCentres(*stage.transformer,
                                             stage.tokensOf("our_mutual_friend.txt", 1200), run);
    ASSERT_TRUE(other) << other.error().what;
    EXPECT_GT(cosine(one->means, other->means), 0.95);
    EXPECT_GT(cosine(one->lengths, other->lengths), 0.99);
    const auto rotation = compactorModel(stage.model->spec, 0, {}).rotation;
    EXPECT_GT(concentration(*one, rotation), 0.3);
    EXPECT_LT(concentration(*one, rotation), 1);
}

TEST(QueryCentresRun, shortText_isRefusedWithTheRequiredLength) {
    Stage stage;
    const auto refused =
        calibrateQueryCentres(*stage.transformer, stage.tokensOf("the_naval_treaty.txt", 99), {});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::InvalidArgument);
    EXPECT_NE(refused.error().what.find("at least 100"), std::string::npos) << refused.error().what;
}

TEST(QueryCentresRun, cancelled_returnsNothing) {
    Stage stage;
    QueryCentresRun run;
    int asked = 0;
    run.cancelled = [&] { return ++asked > 3; };
    const auto cancelled =
        calibrateQueryCentres(*stage.transformer, stage.tokensOf("the_naval_treaty.txt", 600), run);
    ASSERT_FALSE(cancelled);
    EXPECT_EQ(cancelled.error().code, ErrorCode::Cancelled);
}

}  // namespace
}  // namespace lacuna::test
