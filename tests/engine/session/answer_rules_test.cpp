// Constraints on the answer of a request, through the complete engine.

#include <gtest/gtest.h>

#include <cmath>

#include "engine/base/json.h"
#include "tests/support/engine_runner.h"

namespace lacuna {
namespace {

using test::EngineRunner;

EngineConfig shortAnswers() {
    EngineConfig config;
    config.maxTokens = 200;
    config.draftTokens = 0;
    config.sampling.temperature = 0;
    return config;
}

TurnFinished answerTo(EngineRunner& run, AnswerRules rules) {
    EXPECT_TRUE(run.load());
    Submit submit{
        .conversation = ConversationId(1), .messages = {{"user", "hello"}}, .stopStrings = {}};
    submit.rules = std::move(rules);
    run.queue.push(std::move(submit));
    EXPECT_TRUE(run.waitFor<TurnFinished>());
    return run.all<TurnFinished>().back();
}

TEST(AnswerRules, jsonSchema_constrainsTheAnswer) {
    EngineRunner run(shortAnswers());
    run.start();
    const auto turn =
        answerTo(run, {.kind = AnswerForm::JsonSchema,
                       .form = R"({"type":"object","properties":{"n":{"type":"integer","minimum":5},
                       "s":{"type":"string","maxLength":9}},"required":["n","s"]})"});
    EXPECT_EQ(turn.reason, FinishReason::Stop);
    const Json value = Json::parse(turn.text, nullptr, false);
    ASSERT_TRUE(value.is_object()) << turn.text;
    EXPECT_GE(value["n"].get<int>(), 5);
    EXPECT_LE(value["s"].get<std::string>().size(), 36U);
    EXPECT_EQ(run.all<TurnStarted>().back().rules.kind, AnswerForm::JsonSchema);
}

TEST(AnswerRules, invalidGrammar_endsTheTurnWithItsReason) {
    EngineRunner run(shortAnswers());
    run.start();
    const auto turn = answerTo(
        run, {.kind = AnswerForm::JsonSchema, .form = R"({"patternProperties":{"a":{}}})"});
    EXPECT_EQ(turn.reason, FinishReason::Error);
    ASSERT_TRUE(turn.error);
    EXPECT_EQ(turn.error->code, ErrorCode::Unsupported);
    EXPECT_NE(turn.error->what.find("patternProperties"), std::string::npos);
}

TEST(AnswerRules, logitBiasOutsideTheVocabulary_endsTheTurnWithItsReason) {
    EngineRunner run(shortAnswers());
    run.start();
    const auto turn = answerTo(run, {.bias = {{5'000, 1}}});
    ASSERT_TRUE(turn.error);
    EXPECT_EQ(turn.error->code, ErrorCode::InvalidArgument);
}

TEST(AnswerRules, logprobs_arePublishedWithEachTokenOnlyOnRequest) {
    EngineConfig config = shortAnswers();
    config.maxTokens = 5;
    EngineRunner run(config);
    run.start();
    static_cast<void>(answerTo(run, {.bias = {{'q', 90}}, .logprobs = 2}));
    const auto texts = run.all<TokenText>();
    int with = 0;
    for (const TokenText& text : texts) {
        if (!text.logprobs) continue;
        ++with;
        EXPECT_EQ(text.token, 'q');
        EXPECT_NEAR(text.logprobs->logprob, 0, 1e-6) << "the bias counts";
        EXPECT_EQ(text.logprobs->top.size(), 2U);
        EXPECT_EQ(text.logprobs->top.front().text, "q");
    }
    EXPECT_EQ(with, 5);
    run.submit(2, "again");
    ASSERT_TRUE(run.waitFor<TurnFinished>(2));
    const auto all = run.all<TokenText>();
    EXPECT_FALSE(all.back().logprobs);
}

TEST(SubmitOverrides, samplingAndLength_applyToThatAnswerOnly) {
    EngineConfig config = shortAnswers();
    config.maxTokens = 5;
    EngineRunner run(config);
    run.start();
    EXPECT_TRUE(run.load());
    Submit own{
        .conversation = ConversationId(1), .messages = {{"user", "hello"}}, .stopStrings = {}};
    own.seed = 3;
    own.sampling.emplace();
    own.sampling->temperature = 5;
    own.sampling->topK = 0;
    own.sampling->topP = 1;
    own.sampling->minP = 0;
    own.maxTokens = 9;
    run.queue.push(own);
    ASSERT_TRUE(run.waitFor<TurnFinished>());
    const TurnFinished hot = run.all<TurnFinished>().back();
    EXPECT_EQ(hot.stats.generatedTokens, 9);
    EXPECT_EQ(run.all<TurnStarted>().back().config.sampling.temperature, 5);
    EXPECT_EQ(run.all<TurnStarted>().back().config.maxTokens, 9);
    run.submit(1, "hello");
    ASSERT_TRUE(run.waitFor<TurnFinished>(2));
    const TurnFinished plain = run.all<TurnFinished>().back();
    EXPECT_LE(plain.stats.generatedTokens, 5);
    EXPECT_NE(plain.tokens, hot.tokens);
    EXPECT_EQ(run.all<TurnStarted>().back().config, config);
}

TEST(SubmitOverrides, promptOfTokens_isUsedVerbatim) {
    EngineRunner run(shortAnswers());
    run.start();
    EXPECT_TRUE(run.load());
    Submit own{.conversation = ConversationId(1), .messages = {}, .stopStrings = {}};
    own.prompt = {'a', 'b', 'c'};
    run.queue.push(own);
    ASSERT_TRUE(run.waitFor<TurnFinished>());
    EXPECT_EQ(run.all<TurnStarted>().back().promptTokens, 3);
    EXPECT_FALSE(run.all<TurnFinished>().back().error);
    own.prompt = {'a', 1'000'000};
    run.queue.push(own);
    ASSERT_TRUE(run.waitFor<TurnFinished>(2));
    ASSERT_TRUE(run.all<TurnFinished>().back().error);
    EXPECT_EQ(run.all<TurnFinished>().back().error->code, ErrorCode::TokTokenId);
}

}  // namespace
}  // namespace lacuna
