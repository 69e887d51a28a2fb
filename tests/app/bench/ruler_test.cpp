#include "app/bench/ruler.h"

#include <gtest/gtest.h>

#include <set>

#include "engine/base/file.h"
#include "engine/base/string_format.h"
#include "engine/kv/kv_factory.h"
#include "tests/support/fake_model.h"

namespace lacuna {
namespace {

using test::FakeModelOptions;
using test::FakeTransformer;

std::string story() {
    return readFile(std::string(LACUNA_RESOURCE_DIR) + "/texts/the_naval_treaty.txt", 1U << 20)
        .value();
}

/// A byte-level model with arbitrary answers.
struct Bench {
    FakeModelOptions modelOptions{.context = 4096};
    FakeTransformer model{test::fakeLoadedModel(modelOptions), modelOptions};
    ThreadPool pool{1};
    [[nodiscard]] Result<RulerOutcome> run(const RulerOptions& options) {
        return runRuler(model, pool, options);
    }
};

RulerOptions matching(std::vector<std::string> tasks, int length) {
    RulerOptions options;
    options.kv.method = CompactionMethod::AttentionMatching;
    options.kv.compactionFloor = 0;
    options.kv.lossLimit.level = LossLimit::Level::Off;
    options.kv.keepRecent = 8;
    options.kv.amRatio = 4;
    options.length = length;
    options.rows = 1;
    options.tasks = std::move(tasks);
    options.text = story();
    return options;
}

RulerOptions evicting(EvictionPolicy policy, double share, std::vector<std::string> tasks,
                      int length) {
    RulerOptions options = matching(std::move(tasks), length);
    options.kv.method = CompactionMethod::Eviction;
    options.kv.compactionFloor = 0;
    options.kv.lossLimit.level = LossLimit::Level::Off;
    options.kv.evictionPolicy = policy;
    options.budgetShare = share;
    return options;
}

TEST(Ruler, allTasks_areReadCompactedAndAnswered) {
    Bench bench;
    RulerOptions options = evicting(EvictionPolicy::StreamingLLM, 0.5, {}, 3800);
    options.rows = 2;
    const auto outcome = bench.run(options);
    ASSERT_TRUE(outcome) << describe(outcome.error());
    EXPECT_EQ(outcome->compactions, 26) << "once for each question, none while it answers";
    // A slot of two rows of 8 halves has another 12 bytes: marks, position, bias.
    EXPECT_NEAR(outcome->liveOfLogical, 0.5 * (32 + 12) / 32, 0.01);
    EXPECT_NEAR(outcome->bitsPerNumber, 16.0 * (32 + 12) / 32, 0.01);
    EXPECT_EQ(outcome->note, "");
    ASSERT_EQ(outcome->questions.size(), 26U);
    std::set<std::string> contexts;
    for (const RulerRow& row : outcome->questions) {
        contexts.insert(row.question.context);
        EXPECT_LE(row.tokens, 3800);
        EXPECT_GT(row.tokens, 3800 - 600) << row.question.task;
        EXPECT_LT(row.textTokens, row.tokens - row.question.answerTokens);
        EXPECT_NE(row.whole, row.answer) << row.question.task;
    }
    EXPECT_EQ(contexts.size(), 26U);
    EXPECT_EQ(outcome->scoreFull, 0) << "nobody answers right by chance";
    EXPECT_FALSE(outcome->share());
}

TEST(Ruler, json_hasItsFixedMembers) {
    RulerOutcome outcome;
    outcome.length = 1024;
    outcome.rows = 2;
    outcome.tasks = {{"vt", 80, 20}, {"cwe", 40, 10}};
    outcome.scoreFull = 60;
    outcome.score = 15;
    outcome.liveOfLogical = 0.25;
    outcome.bitsPerNumber = 3.5;
    outcome.compactions = 4;
    EXPECT_EQ(
        dumpJson(rulerJson(outcome)),
        R"({"length":1024,"rows":2,"score_full":60.0,"score":15.0,"share":0.25,)"
        R"("by_task":{"vt":{"full":80.0,"score":20.0},"cwe":{"full":40.0,"score":10.0}},)"
        R"("live_of_logical":0.25,"bits_per_number":3.5,"compactions":4,"asked_ratio":null,"achieved_ratio":null,)"
        R"("limited":null,"kept_information":null,"kept_error":null,"kept_worst":null,)"
        R"("kl_mean":null,"kl_p99":null,"same_top":null})");
    outcome.scoreFull = 0;
    EXPECT_TRUE(rulerJson(outcome)["share"].is_null());
}

/// A question of a task with the given scores of the full and of the compacted cache.
RulerRow scored(double full, double score, double live, std::int64_t compactions) {
    RulerRow row;
    row.full = full;
    row.score = score;
    row.liveOfLogical = live;
    row.compactions = compactions;
    return row;
}

TEST(Ruler, scores_arePercentMeansOverQuestionsAndTasks) {
    RulerOptions options = matching({"vt", "cwe"}, 1024);
    options.rows = 2;
    const RulerOutcome outcome =
        rulerOutcome(options, {scored(1, 0.2, 0.25, 1), scored(0.6, 0.2, 0.25, 1),
                               scored(0.5, 0, 0.25, 1), scored(0.3, 0.2, 0.45, 1)});
    ASSERT_EQ(outcome.tasks.size(), 2U);
    EXPECT_EQ(outcome.tasks[0].task, "vt");
    EXPECT_DOUBLE_EQ(outcome.tasks[0].full, 80);
    EXPECT_DOUBLE_EQ(outcome.tasks[0].score, 20);
    EXPECT_DOUBLE_EQ(outcome.tasks[1].full, 40);
    EXPECT_DOUBLE_EQ(outcome.tasks[1].score, 10);
    EXPECT_DOUBLE_EQ(outcome.scoreFull, 60);
    EXPECT_DOUBLE_EQ(outcome.score, 15);
    EXPECT_DOUBLE_EQ(outcome.share().value(), 0.25);
    EXPECT_DOUBLE_EQ(outcome.liveOfLogical, 0.3);
    EXPECT_EQ(outcome.compactions, 4);
    EXPECT_EQ(outcome.note, "");
    const RulerOutcome partly = rulerOutcome(
        options,
        {scored(1, 1, 1, 0), scored(1, 1, 0.25, 1), scored(1, 1, 0.25, 1), scored(1, 1, 0.25, 1)});
    EXPECT_NE(partly.note.find("1 of 4 texts were not compacted"), std::string::npos);
    options.kv.method = CompactionMethod::None;
    EXPECT_EQ(rulerOutcome(options, partly.questions).note, "");
}

TEST(Ruler, rows_reportQuestionAndAnswer) {
    Bench bench;
    const auto outcome = bench.run(evicting(EvictionPolicy::Random, 0.5, {"qa_1"}, 2500));
    ASSERT_TRUE(outcome) << describe(outcome.error());
    const OrderedJson rows = rulerRowsJson(*outcome);
    ASSERT_EQ(rows.size(), 1U);
    for (const char* key : {"task", "tokens", "text_tokens", "context", "question", "answer_prefix",
                            "answers", "full_text", "text", "full", "score", "live_of_logical",
                            "bits_per_number", "compactions"})
        EXPECT_TRUE(rows[0].contains(key)) << key;
    const RulerRow& row = outcome->questions[0];
    EXPECT_DOUBLE_EQ(row.full, rulerScore(row.whole, row.question));
    EXPECT_DOUBLE_EQ(row.score, rulerScore(row.answer, row.question));
}

TEST(Ruler, noMethod_bothScoresAreOfTheFullCache) {
    Bench bench;
    RulerOptions options = matching({"niah_single_1"}, 2500);
    options.kv = {};
    const auto outcome = bench.run(options);
    ASSERT_TRUE(outcome) << describe(outcome.error());
    EXPECT_EQ(outcome->compactions, 0);
    EXPECT_EQ(outcome->note, "");
    EXPECT_EQ(outcome->liveOfLogical, 1);
    EXPECT_EQ(outcome->questions[0].whole, outcome->questions[0].answer);
}

TEST(Ruler, slidingWindowCache_isReadSeparatelyFromTheFullCache) {
    Bench bench;
    RulerOptions options = matching({"niah_single_1"}, 2500);
    options.kv = {};
    options.kv.window = 256;
    const auto outcome = bench.run(options);
    ASSERT_TRUE(outcome) << describe(outcome.error());
    EXPECT_LT(outcome->liveOfLogical, 0.8);
    EXPECT_EQ(outcome->compactions, 0);
}

TEST(Ruler, compressionWithoutCompaction_isReported) {
    Bench bench;
    RulerOptions options = evicting(EvictionPolicy::Random, 1.0, {"niah_single_1"}, 2500);
    const auto outcome = bench.run(options);
    ASSERT_TRUE(outcome) << describe(outcome.error());
    EXPECT_EQ(outcome->compactions, 0);
    EXPECT_NE(outcome->note.find("nothing was evicted"), std::string::npos) << outcome->note;
    EXPECT_TRUE(rulerJson(*outcome).contains("note"));
}

TEST(Ruler, invalidOptions_areRejectedBeforeAnyWork) {
    Bench bench;
    const RulerOptions good = matching({"niah_single_1"}, 2500);
    const auto refused = [&](RulerOptions options, ErrorCode code, const std::string& word) {
        const auto outcome = bench.run(options);
        ASSERT_FALSE(outcome) << word;
        EXPECT_EQ(outcome.error().code, code) << describe(outcome.error());
        EXPECT_NE(outcome.error().what.find(word), std::string::npos) << outcome.error().what;
        EXPECT_EQ(bench.model.forwards(), 0);
    };
    RulerOptions bad = good;
    bad.length = 4097;
    refused(bad, ErrorCode::Range, "4096");
    bad = good;
    bad.context = 2000;
    refused(bad, ErrorCode::Range, "2000");
    bad = good;
    bad.length = 300;
    refused(bad, ErrorCode::Range, "niah_single_1");
    bad = good;
    bad.rows = 0;
    refused(bad, ErrorCode::Range, "rows");
    bad = good;
    bad.tasks = {"vt", "cwe", "vt"};
    refused(bad, ErrorCode::InvalidArgument, "twice");
    bad = good;
    bad.tasks = {"vt2"};
    refused(bad, ErrorCode::InvalidArgument, "vt2");
    bad = good;
    bad.text = " \n";
    refused(bad, ErrorCode::InvalidArgument, "no words");
    bad = good;
    bad.budgetShare = 1.5;
    refused(bad, ErrorCode::Range, "budget share");
}

TEST(Ruler, progressAndStop_areHonoured) {
    Bench bench;
    RulerOptions options = matching({"niah_single_1", "qa_1"}, 2500);
    std::vector<std::string> told;
    options.progress = [&](std::int64_t done, std::int64_t total, std::string_view task) {
        told.push_back(format("{}/{} {}", done, total, task));
    };
    ASSERT_TRUE(bench.run(options));
    EXPECT_EQ(told, (std::vector<std::string>{"0/2 niah_single_1", "1/2 qa_1", "2/2 "}));
    std::stop_source stop;
    options.stop = stop.get_token();
    options.progress = [&](std::int64_t, std::int64_t, std::string_view) { stop.request_stop(); };
    EXPECT_EQ(bench.run(options).error().code, ErrorCode::Cancelled);
}

struct Pilot {
    std::shared_ptr<const LoadedModel> loaded =
        loadModel(std::string(LACUNA_RESOURCE_DIR) + "/models/pilot-29m-q8_0.gguf").value();
    ThreadPool pool{2};
    std::unique_ptr<Transformer> model =
        Transformer::create(loaded, pool, {.maxTokens = 256}).value();
};

// The text is read once for both answers. The compacted cache must answer as if no other question
// had been asked before.
TEST(Ruler, sharedTextPass_givesTheSameAnswersAsSeparatePasses) {
    Pilot pilot;
    RulerOptions options = matching({"niah_multiquery"}, 700);
    const auto outcome = runRuler(*pilot.model, pilot.pool, options);
    ASSERT_TRUE(outcome) << describe(outcome.error());
    ASSERT_EQ(outcome->compactions, 1);
    const RulerRow& row = outcome->questions[0];
    const RulerPrompt prompt = rulerPrompt(*pilot.loaded, row.question).value();
    const CaseRunner asker(*pilot.model, pilot.pool, options);
    GenerationSettings settings = asker.settingsFor(prompt.textTokens);
    settings.maxTokens = row.question.answerTokens;
    auto sequence = asker.newSequence().value();
    ASSERT_TRUE(asker.read(*sequence, std::span(prompt.tokens).first(prompt.textTokens), settings));
    ASSERT_TRUE(asker.compact(*sequence, settings));
    EXPECT_EQ(row.liveOfLogical, liveOfLogical(sequence->cache().stats()));
    EXPECT_LT(row.liveOfLogical, 0.35);
    settings.kv.method = CompactionMethod::None;
    const auto answer = asker.answer(*sequence, prompt.tokens, settings, [](const auto&) {});
    ASSERT_TRUE(answer);
    EXPECT_EQ((*answer)->text(), row.answer);
    const auto again = runRuler(*pilot.model, pilot.pool, options);
    EXPECT_EQ(dumpJson(rulerRowsJson(*again)), dumpJson(rulerRowsJson(*outcome)));
    options.seed = 1;
    const auto other = runRuler(*pilot.model, pilot.pool, options);
    EXPECT_NE(other->questions[0].question.context, row.question.context);
}

TEST(RulerPrompt, promptParts_splitBeforeTheQuestion_answerPrefixIsIncluded) {
    const RulerQuestion question{.task = "vt",
                                 .context = "The sky is blue.\nVAR A = 12345\n",
                                 .question = "Question: Which is 12345?",
                                 .answerPrefix = "Answer: It is",
                                 .answers = {"A"},
                                 .answerTokens = 4};
    const auto parts = [&](const LoadedModel& model) {
        const RulerPrompt prompt = rulerPrompt(model, question).value();
        const std::span all(prompt.tokens);
        return std::pair(
            model.tokenizer.decode(all.first(prompt.textTokens), SpecialOutput::Show).value(),
            model.tokenizer.decode(all.subspan(prompt.textTokens), SpecialOutput::Show).value());
    };
    // Its file has no template, so the prompt is plain text.
    const auto plain = parts(*test::fakeLoadedModel());
    EXPECT_EQ(plain.first, question.context);
    EXPECT_EQ(plain.second, question.question + "\n" + question.answerPrefix);
    const Pilot pilot;
    const auto chat = parts(*pilot.loaded);
    EXPECT_TRUE(chat.first.ends_with(question.context)) << chat.first;
    EXPECT_NE(chat.first, question.context) << "the template's own words come first";
    EXPECT_TRUE(chat.second.starts_with(question.question)) << chat.second;
    EXPECT_TRUE(chat.second.ends_with(question.answerPrefix)) << chat.second;
    EXPECT_NE(chat.second.find("assistant"), std::string::npos) << chat.second;
}

}  // namespace
}  // namespace lacuna
