// The test model with its texts compacted by attention matching under each kind of query: every
// kind compacts, and the remaining cache still answers.

#include <gtest/gtest.h>

#include "app/bench/recall.h"
#include "engine/base/string_format.h"
#include "engine/quality/recall_cases.h"
#include "tests/support/bundled_models.h"

namespace lacuna {
namespace {

constexpr std::string_view kFiller =
    "The rain had stopped before noon, and the road along the river was dry again.\n\nNobody in "
    "the "
    "house remembered who had first thought of the journey, or why it was put off.\n\nThe letters "
    "were answered one by one, and the last of them was the shortest.";

TEST(QuerySourceRecall, testModel_compactsAndAnswersWithEachQuerySource) {
    const std::filesystem::path path = test::pilotModel();
    const auto model = loadModel(path);
    ASSERT_TRUE(model) << describe(model.error());
    ThreadPool pool(2);
    auto transformer = Transformer::create(*model, pool, {.maxTokens = 128});
    ASSERT_TRUE(transformer);
    const ModelSpec& spec = (*model)->spec;
    const auto profiles = loadHeadProfiles(path, {spec.fingerprint, spec.layers, spec.kvHeads});
    ASSERT_TRUE(profiles && profiles->taskFree);
    const auto cases = makeRecallCases(1, {400}, kFiller, 11);
    RecallOptions options;
    options.kv.method = CompactionMethod::AttentionMatching;
    options.kv.compactionFloor = 0;
    options.kv.lossLimit.level = LossLimit::Level::Off;
    options.kv.headBudgets = HeadBudgets::TaskFree;  // auto would read the text again
    options.profiles = *profiles;
    options.prefillChunk = 128;
    for (const auto& [source, told] :
         std::vector<std::pair<QuerySource, bool>>{{QuerySource::Captured, false},
                                                   {QuerySource::Context, true},
                                                   {QuerySource::Repeat, true}}) {
        options.kv.querySource = source;
        const auto outcome = runRecall(**transformer, pool, cases, options);
        ASSERT_TRUE(outcome) << describe(outcome.error());
        EXPECT_EQ(outcome->compactions, static_cast<std::int64_t>(cases.size()));
        ASSERT_GT(outcome->evictions, 0);
        EXPECT_LT(outcome->liveBytes, outcome->logicalBytes / 3);
        EXPECT_EQ(outcome->queriesMs > 0, told);
        EXPECT_GE(outcome->total.hits, outcome->total.cases - 1)
            << "source " << static_cast<int>(source);
    }
}

}  // namespace
}  // namespace lacuna
