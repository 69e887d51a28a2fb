// The retrieval heads of the test model, found by cutting them, and the questions used for that.

#include "engine/quality/head_calibration.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/quality/recall_cases.h"
#include "tests/support/bundled_models.h"

namespace lacuna {
namespace {

using test::pilotModel;

TEST(RecallTasks, everyCase_containsItsAnswer_andEndsWithTheQuestion) {
    const auto cases = makeRecallCases(2, {100, 400}, "One.\n\nTwo two.\n\nThree.", 7);
    ASSERT_EQ(cases.size(), 12U);
    for (const RecallCase& one : cases) {
        const std::string& text = one.messages[0].content;
        const std::size_t question = text.rfind("\n\n");
        ASSERT_NE(question, std::string::npos);
        EXPECT_LT(text.find(one.key), question) << text;
        EXPECT_EQ(text.back(), '?');
        EXPECT_NE(one.answer.find(one.key), std::string::npos);
    }
    EXPECT_NE(cases[0].messages, cases[6].messages) << "another round, another case";
    EXPECT_EQ(cases[5].messages,
              makeRecallCases(2, {100, 400}, "One.\n\nTwo two.\n\nThree.", 7)[5].messages);
}

TEST(HeadCalibration, testModel_retrievesWithTheHeadOfItsProfile) {
    const auto model = loadModel(pilotModel());
    ASSERT_TRUE(model) << describe(model.error());
    ThreadPool pool(2);
    auto transformer = Transformer::create(*model, pool, {.maxTokens = 128});
    ASSERT_TRUE(transformer);
    const auto cases = makeRecallCases(1, {150}, "A text.\n\nThat says little.", 3);
    CalibrationOptions options;
    options.chunk = 128;
    options.keepRecent = 16;
    const auto measured = calibrateHeads(**transformer, cases, options);
    ASSERT_TRUE(measured) << describe(measured.error());
    EXPECT_EQ(measured->kind, ProfileKind::Questions);
    const auto shipped = loadHeadProfiles(
        pilotModel(), {measured->fingerprint, measured->layers, measured->kvHeads});
    ASSERT_TRUE(shipped) << describe(shipped.error());
    ASSERT_NE(shipped->questions, nullptr);
    ASSERT_NE(shipped->taskFree, nullptr);
    const auto neediest = [](const HeadProfile& profile) {
        return std::ranges::max_element(profile.loss) - profile.loss.begin();
    };
    EXPECT_EQ(neediest(*measured), neediest(*shipped->questions));
    EXPECT_EQ(neediest(*measured), neediest(*shipped->taskFree)) << "found without a task";
    std::vector<float> sorted = measured->loss;
    std::ranges::sort(sorted);
    EXPECT_GT(sorted.back(), 0.2F);
    EXPECT_LT(sorted[sorted.size() - 2], 0.2F * sorted.back()) << "one head does nearly all";
}

TEST(HeadCalibration, noQuestionAnswered_returnsASpecificError) {
    const auto model = loadModel(pilotModel());
    ASSERT_TRUE(model);
    ThreadPool pool(2);
    auto transformer = Transformer::create(*model, pool, {.maxTokens = 256});
    ASSERT_TRUE(transformer);
    auto cases = makeRecallCases(1, {100}, "", 3);
    cases.resize(1);
    cases[0].key = "never said";
    const auto measured = calibrateHeads(**transformer, cases, {});
    ASSERT_FALSE(measured);
    EXPECT_EQ(measured.error().code, ErrorCode::Unsupported);
}

}  // namespace
}  // namespace lacuna
