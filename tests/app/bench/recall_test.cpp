#include "app/bench/recall.h"

#include <gtest/gtest.h>

#include "engine/generate/prompt.h"
#include "engine/prefix/row_codecs.h"
#include "tests/support/fake_model.h"

namespace lacuna {
namespace {

using test::FakeModelOptions;
using test::FakeTransformer;

Json oneCase() {
    return {{"kind", "facts1"},
            {"approx_tokens", 500},
            {"messages", {{{"role", "user"}, {"content", "Read this."}}}},
            {"answer", "The key is 7."},
            {"key", "7"}};
}

std::vector<RecallCase> cases(int count) {
    std::vector<RecallCase> list;
    for (int i = 0; i < count; ++i) {
        std::string text;
        for (int k = 0; k < 150; ++k) text += static_cast<char>('a' + (k * 7 + i) % 26);
        list.push_back(
            {i % 2 == 0 ? "facts1" : "lines", 100 * (1 + i % 2), {{"user", text}}, "", "?"});
    }
    return list;
}

struct Bench {
    FakeModelOptions modelOptions;
    FakeTransformer model{test::fakeLoadedModel(modelOptions), modelOptions};
    ThreadPool pool{1};
    [[nodiscard]] Result<RecallOutcome> run(const std::vector<RecallCase>& list,
                                            const RecallOptions& options) {
        return runRecall(model, pool, list, options);
    }
};

RecallOptions evicting(double share) {
    RecallOptions options;
    options.protocol = RecallProtocol::AfterPrompt;
    options.kv.method = CompactionMethod::Eviction;
    options.kv.compactionFloor = 0;
    options.kv.lossLimit.level = LossLimit::Level::Off;
    options.kv.evictionPolicy = EvictionPolicy::KeepLowNorm;
    options.kv.keepRecent = 8;
    options.kv.nSink = 2;
    options.kv.margin = 8;
    options.budgetShare = share;
    return options;
}

/// Text of 150 letters, then a question.
std::vector<RecallCase> questions(int count) {
    std::vector<RecallCase> list = cases(count);
    for (RecallCase& one : list) one.messages[0].content += "\n\nwhat?";
    return list;
}

TEST(Recall, compactionBeforeTheQuestion_runsOncePerCase) {
    Bench bench;
    RecallOptions options = evicting(0.5);
    options.protocol = RecallProtocol::BeforeQuestion;
    const auto outcome = bench.run(questions(2), options);
    ASSERT_TRUE(outcome) << outcome.error().what;
    EXPECT_EQ(outcome->compactions, 2) << "once for each case, none while it answers";
    EXPECT_GT(outcome->evictions, 0);
    EXPECT_LT(outcome->liveBytes, outcome->logicalBytes);
}

TEST(Recall, lossLimit_appliesAndIsReportedInEveryRow) {
    Bench bench;
    for (const RecallProtocol protocol :
         {RecallProtocol::BeforeQuestion, RecallProtocol::AfterPrompt}) {
        for (const double share : {0.0, 1.0}) {
            RecallOptions options = evicting(0.25);
            options.protocol = protocol;
            options.kv.evictionPolicy = EvictionPolicy::Random;
            options.kv.lossLimit = {.level = LossLimit::Level::Share, .share = share};
            const auto outcome = bench.run(questions(2), options);
            ASSERT_TRUE(outcome) << outcome.error().what;
            EXPECT_EQ(outcome->compactions > 0, share == 0) << "1 allows no loss";
            const OrderedJson json = recallJson(*outcome, RecallDetail::WithRows);
            EXPECT_EQ(json["limited"], share == 0 ? 0 : 2);
            EXPECT_GT(json["asked_ratio"], 1);
            for (const auto& row : json["rows"]) {
                EXPECT_EQ(row["limited"], share != 0);
                EXPECT_EQ(row["achieved_ratio"].is_null(), share != 0);
                for (const char* field :
                     {"kept_information", "kept_worst", "kl_mean", "kl_p99", "same_top"})
                    EXPECT_EQ(row[field].is_null(), share != 0) << field;
            }
        }
    }
    const auto off = bench.run(questions(1), evicting(0.25));
    const OrderedJson json = recallJson(*off, RecallDetail::WithRows);
    EXPECT_TRUE(json["kept_information"].is_null()) << "nothing was measured";
    EXPECT_GT(json["rows"][0]["achieved_ratio"], 1);
}

// Texts of two lengths with the same budget: the mean of shares differs from the share of sums.
TEST(Recall, liveShare_isTheMeanOverRows) {
    Bench bench;
    RecallOptions options = evicting(0.5);
    options.protocol = RecallProtocol::BeforeQuestion;
    options.budgetShare = std::nullopt;
    options.kv.budget = 60;
    std::vector<RecallCase> list = questions(2);
    list[1].messages[0].content.insert(0, list[0].messages[0].content);
    const auto outcome = bench.run(list, options);
    ASSERT_TRUE(outcome) << outcome.error().what;
    ASSERT_GT(outcome->evictions, 0);
    ASSERT_EQ(outcome->rows.size(), 2U);
    const double first = outcome->rows[0].liveOfLogical;
    const double second = outcome->rows[1].liveOfLogical;
    EXPECT_LT(second, first) << "the longer text leaves the smaller share";
    EXPECT_DOUBLE_EQ(outcome->liveOfLogical, (first + second) / 2);
    EXPECT_GT(outcome->liveOfLogical,
              static_cast<double>(outcome->liveBytes) / static_cast<double>(outcome->logicalBytes));
    EXPECT_DOUBLE_EQ(recallJson(*outcome)["live_of_logical"].get<double>(), outcome->liveOfLogical);
    const auto whole = bench.run(list, {});
    EXPECT_DOUBLE_EQ(whole->liveOfLogical, 1);
    EXPECT_DOUBLE_EQ(whole->bitsPerNumber, 16);
    EXPECT_GT(outcome->bitsPerNumber, 16) << "positions and lengths of keys are counted";
}

TEST(Recall, turnByTurn_usesOneConversationAndScoresTheLastAnswer) {
    Bench bench;
    bench.modelOptions.period = 5;  // makes answers tokenize back to the same tokens
    FakeTransformer model(test::fakeLoadedModel(bench.modelOptions), bench.modelOptions);
    std::vector<RecallCase> list = cases(1);
    list[0].messages.push_back({"user", "and then?"});
    list[0].messages.push_back({"user", "and last?"});
    RecallOptions options;
    options.protocol = RecallProtocol::TurnByTurn;
    options.kv.method = CompactionMethod::AttentionMatching;
    options.kv.compactionFloor = 0;
    options.kv.lossLimit.level = LossLimit::Level::Off;
    options.kv.keepRecent = 8;
    options.kv.margin = 8;
    options.kv.compactWhen = CompactWhen::TurnLate;
    const auto outcome = runRecall(model, bench.pool, list, options);
    ASSERT_TRUE(outcome) << outcome.error().what;
    EXPECT_EQ(outcome->total.cases, 1);
    EXPECT_EQ(outcome->compactions, 2) << "when the second and the third answer have ended";
    EXPECT_GT(outcome->evictions, 0);
    EXPECT_LT(outcome->liveBytes, outcome->logicalBytes);
    EXPECT_GT(outcome->rows[0].promptTokens, 250) << "the earlier answers stand in the prompt";
    list[0].messages = {{"system", "nobody asks"}};
    const auto nothing = runRecall(model, bench.pool, list, options);
    ASSERT_FALSE(nothing);
    EXPECT_EQ(nothing.error().code, ErrorCode::InvalidArgument);
}

TEST(Recall, queryPass_isTimedSeparately) {
    Bench bench;
    RecallOptions options;
    options.kv.method = CompactionMethod::AttentionMatching;
    options.kv.compactionFloor = 0;
    options.kv.lossLimit.level = LossLimit::Level::Off;
    options.kv.keepRecent = 8;
    options.kv.headBudgets = HeadBudgets::Coverage;  // auto would read the text again
    options.kv.querySource = QuerySource::Context;
    const auto outcome = bench.run(questions(1), options);
    ASSERT_TRUE(outcome) << outcome.error().what;
    EXPECT_GT(outcome->evictions, 0);
    EXPECT_GT(outcome->queriesMs, 0);
    EXPECT_LE(outcome->queriesMs, outcome->compactionMs);
    EXPECT_TRUE(recallJson(*outcome).contains("queries_ms"));
    options.kv.querySource = QuerySource::Captured;
    EXPECT_FALSE(recallJson(*bench.run(questions(1), options)).contains("queries_ms"));
}

TEST(Recall, tokensBeforeQuestion_endWithTheText) {
    Bench bench;
    const auto list = questions(1);
    const LoadedModel& model = bench.model.model();
    const auto prompt = promptTokens(model, list[0].messages).value();
    const std::size_t before = tokensBeforeQuestion(model, list[0].messages, prompt).value();
    const std::string text =
        model.tokenizer.decode(std::span(prompt).first(before), SpecialOutput::Show).value();
    EXPECT_TRUE(text.ends_with("\n\n")) << text;
    EXPECT_EQ(text.find("what?"), std::string::npos);
}

TEST(RecallCases, validList_isParsed) {
    const auto list = recallCasesFromJson(Json::array({oneCase()}));
    ASSERT_TRUE(list) << list.error().what;
    EXPECT_EQ(list->front().kind, "facts1");
    EXPECT_EQ(list->front().approxTokens, 500);
    EXPECT_EQ(list->front().messages[0].content, "Read this.");
    EXPECT_EQ(list->front().key, "7");
}

TEST(RecallCases, invalidFields_areReportedByName) {
    for (const auto& [key, value, named] : std::vector<std::tuple<std::string, Json, std::string>>{
             {"kind", 3, "cases[1].kind"},
             {"approx_tokens", -1, "cases[1].approx_tokens"},
             {"messages", Json::array(), "cases[1].messages"},
             {"messages", Json::array({{{"role", "user"}}}), "cases[1].messages[0].content"},
             {"key", "", "cases[1].key"}}) {
        Json bad = oneCase();
        bad[key] = value;
        const auto list = recallCasesFromJson(Json::array({oneCase(), bad}));
        ASSERT_FALSE(list) << key;
        EXPECT_NE(list.error().what.find(named), std::string::npos) << list.error().what;
    }
    EXPECT_FALSE(recallCasesFromJson(Json::object()));
}

TEST(Recall, answerWithTheKey_countsAsAHit) {
    Bench bench;
    auto list = cases(4);
    const auto blind = bench.run(list, {});
    ASSERT_TRUE(blind) << blind.error().what;
    // The fake model answers arbitrarily; its own answers become the keys, except in one case.
    for (std::size_t i = 0; i < list.size(); ++i)
        list[i].key = i == 2 ? "never said" : blind->rows[i].text.substr(3, 5);
    const auto outcome = bench.run(list, {});
    EXPECT_EQ(outcome->total.cases, 4);
    EXPECT_EQ(outcome->total.hits, 3);
    EXPECT_DOUBLE_EQ(outcome->total.rate(), 0.75);
    ASSERT_EQ(outcome->byKind.size(), 2U);
    EXPECT_EQ(outcome->byKind[0].first, "facts1@100");
    EXPECT_EQ(outcome->byKind[0].second.hits, 1);
    EXPECT_EQ(outcome->byKind[1].second.hits, 2);
    EXPECT_EQ(outcome->rows[0].tokens.size(), 28U);
    EXPECT_EQ(outcome->evictions, 0);
    EXPECT_EQ(outcome->liveBytes, outcome->logicalBytes);
    EXPECT_EQ(outcome->note, "");
}

TEST(Recall, budgetAsShareOfThePrompt_evicts) {
    Bench bench;
    const auto outcome = bench.run(cases(3), evicting(0.5));
    ASSERT_TRUE(outcome) << outcome.error().what;
    EXPECT_GE(outcome->compactions, 3);
    EXPECT_LT(outcome->liveBytes, outcome->logicalBytes);
    for (const RecallRow& row : outcome->rows)
        EXPECT_GE(row.evictions, row.promptTokens / 2 - 1) << row.promptTokens;
    EXPECT_EQ(outcome->note, "");
}

TEST(Recall, S1_69_compressionWithoutEviction_isReported) {
    Bench bench;
    RecallOptions options = evicting(1.0);
    options.maxTokens = 4;  // stays below the margin
    const auto outcome = bench.run(cases(2), options);
    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->evictions, 0);
    EXPECT_NE(outcome->note.find("nothing was evicted"), std::string::npos);
    EXPECT_TRUE(recallJson(*outcome).contains("note"));
}

TEST(Recall, invalidShares_areRejected) {
    Bench bench;
    for (const double share : {0.0, -1.0, 1.01, std::numeric_limits<double>::quiet_NaN()})
        EXPECT_EQ(bench.run(cases(1), evicting(share)).error().code, ErrorCode::Range) << share;
}

/// Counts its calls in either direction.
class CountingCodec final : public PageCodec {
  public:
    explicit CountingCodec(std::unique_ptr<PageCodec> codec) : codec_(std::move(codec)) {}
    [[nodiscard]] std::string_view name() const override { return codec_->name(); }
    [[nodiscard]] std::uint64_t identity() const override { return codec_->identity(); }
    [[nodiscard]] Result<std::vector<std::byte>> encode(const KvCache& cache,
                                                        TokenRun run) const override {
        ++encoded;
        return codec_->encode(cache, run);
    }
    [[nodiscard]] Status decode(std::span<const std::byte> bytes, TokenRun run,
                                KvCache& cache) const override {
        ++decoded;
        return codec_->decode(bytes, run, cache);
    }
    mutable int encoded = 0, decoded = 0;

  private:
    std::unique_ptr<PageCodec> codec_;
};

TEST(Recall, storedCaches_answerAfterDecoding) {
    Bench bench;
    RecallOptions options;
    const auto list = questions(3);
    const auto whole = bench.run(list, options);
    const CountingCodec exact(makeRowsCodec());
    options.stored = &exact;
    const auto stored = bench.run(list, options);
    ASSERT_TRUE(whole);
    ASSERT_TRUE(stored) << stored.error().what;
    EXPECT_EQ(exact.encoded, 3);
    EXPECT_EQ(exact.decoded, 3);
    for (std::size_t i = 0; i < list.size(); ++i)
        EXPECT_EQ(stored->rows[i].tokens, whole->rows[i].tokens) << "every bit came back";
    options.protocol = RecallProtocol::AfterPrompt;
    EXPECT_EQ(bench.run(list, options).error().code, ErrorCode::Conflict);
}

TEST(Recall, limitProgressAndStop_areHonoured) {
    Bench bench;
    RecallOptions options;
    options.limit = 3;
    std::stop_source stop;
    options.stop = stop.get_token();
    std::vector<std::int64_t> told;
    options.progress = [&](std::int64_t done, std::int64_t total) {
        told.push_back(done);
        EXPECT_EQ(total, 3);
    };
    EXPECT_EQ(bench.run(cases(5), options)->total.cases, 3);
    EXPECT_EQ(told, (std::vector<std::int64_t>{1, 2, 3}));
    options.progress = [&](std::int64_t, std::int64_t) { stop.request_stop(); };
    EXPECT_EQ(bench.run(cases(5), options).error().code, ErrorCode::Cancelled);
}

TEST(RecallJson, report_hasTheDocumentedMembers) {
    RecallOutcome outcome;
    outcome.total = {4, 3};
    outcome.byKind = {{"facts1@500", {4, 3}}};
    RecallRow row{"facts1@500", 12, {1, 2}, "text", "key", true};
    row.evictions = 5;
    row.liveOfLogical = 0.5;
    outcome.rows.push_back(std::move(row));
    const OrderedJson json = recallJson(outcome);
    for (const char* key : {"total", "by_kind", "prompt_tokens", "evictions", "live_bytes",
                            "logical_bytes", "live_of_logical", "bits_per_number", "seconds"})
        EXPECT_TRUE(json.contains(key)) << key;
    EXPECT_EQ(json["by_kind"]["facts1@500"]["rate"], 0.75);
    EXPECT_FALSE(json.contains("rows"));
    EXPECT_EQ(recallJson(outcome, RecallDetail::WithRows)["rows"][0]["greedy_ids"],
              (OrderedJson{1, 2}));
}

}  // namespace
}  // namespace lacuna
