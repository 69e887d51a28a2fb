// Measurements of the command line: the written output, and what an interrupted run leaves behind.

#include "app/main/grid_job.h"

#include <gtest/gtest.h>

#include "app/main/measuring_input.h"
#include "engine/base/file.h"
#include "engine/session/read_facts.h"
#include "tests/support/random_model.h"
#include "tests/support/temporary_folder.h"

namespace lacuna::cli {
namespace {

constexpr std::size_t kLimit = std::size_t{1} << 24;

struct Bench {
    test::TemporaryFolder folder;
    MeasuredModel model;
    GridJob job;

    Bench() {
        model.loaded = test::makeRandomModel(test::smallSpec(), DType::F32).value();
        model.facts = factsOf(*model.loaded);
        model.pool = std::make_unique<ThreadPool>(1);
        model.transformer = Transformer::create(model.loaded, *model.pool,
                                                {.precision = Precision::Exact, .maxTokens = 64})
                                .value();
        job.name = "bench";
        job.out = (folder.path() / "results").string();
        job.json = true;
        job.shadow.chunk = 64;
        for (const int number : {0, 1, 2}) job.items.push_back(item(number));
        GridSetting setting{.method = "recent", .asked = "4x", .settings = "", .setting = {}};
        setting.setting.kv.method = CompactionMethod::Eviction;
        setting.setting.kv.compactionFloor = 0;
        setting.setting.kv.lossLimit.level = LossLimit::Level::Off;
        setting.setting.kv.evictionPolicy = EvictionPolicy::StreamingLLM;
        setting.setting.kv.keepRecent = 8;
        setting.setting.budgetShare = 0.25;
        job.settings.push_back(setting);
    }
    static GridItem item(int number) {
        GridItem one{.kind = "text", .text = {}, .key = "", .headTokens = 0};
        for (int i = 0; i < 90; ++i)
            (i < 80 ? one.text.context : one.text.continuation)
                .push_back(3 + (i * i * 31 + i * 7 + number * 11) % 250);
        return one;
    }
    [[nodiscard]] std::filesystem::path file(const char* name) const {
        return std::filesystem::path(job.out) / name;
    }
    [[nodiscard]] Json cells() const {
        return *parseJson(*readFile(file("bench.cells.json"), kLimit));
    }
};

TEST(GridJob, finishedRun_writesEveryFormat) {
    Bench bench;
    const auto status = runGridJob(bench.model, bench.job);
    ASSERT_TRUE(status) << describe(status.error());
    EXPECT_EQ(*status, 0);
    for (const char* name : {"bench.json", "bench.csv", "bench.md", "bench.svg"})
        EXPECT_TRUE(std::filesystem::exists(bench.file(name))) << name;
    EXPECT_EQ(bench.cells()["cells"].size(), 3U);
    const Json result = *parseJson(*readFile(bench.file("bench.json"), kLimit));
    EXPECT_EQ(result["rows"][0]["items"], 3);
    EXPECT_GT(result["rows"][0]["evictions"], 0);
}

// A figure without these is an unsupported claim.
TEST(GridJob, S1_70_figures_includeProgramModelSettingsAndCaseCount) {
    Bench bench;
    ASSERT_TRUE(runGridJob(bench.model, bench.job));
    const Json result = *parseJson(*readFile(bench.file("bench.json"), kLimit));
    EXPECT_TRUE(result["program"].get<std::string>().starts_with("Lacuna "));
    EXPECT_EQ(result["fingerprint"], bench.model.facts.fingerprint);
    EXPECT_EQ(result["model"], bench.model.facts.name);
    EXPECT_EQ(result["settings"].size(), 1U);
    EXPECT_EQ(result["items"], 3);
    for (const Json& row : result["rows"]) EXPECT_EQ(row["items"], 3);
}

TEST(GridJob, stoppedRun_resumesWithItsFinishedCells) {
    Bench bench;
    bench.job.shadow.cancelled = [&] {
        return std::filesystem::exists(bench.file("bench.cells.json")) &&
               !bench.cells()["cells"].empty();
    };
    const auto stopped = runGridJob(bench.model, bench.job);
    ASSERT_FALSE(stopped);
    EXPECT_EQ(stopped.error().code, ErrorCode::Cancelled);
    ASSERT_TRUE(std::filesystem::exists(bench.file("bench.cells.json")));
    const std::size_t had = bench.cells()["cells"].size();
    EXPECT_GE(had, 1U);
    EXPECT_LT(had, 3U);
    bench.job.shadow.cancelled = {};
    ASSERT_TRUE(runGridJob(bench.model, bench.job));
    EXPECT_EQ(bench.cells()["cells"].size(), 3U);
}

TEST(GridJob, cellsOfAnotherMeasurement_areRejectedUnlessFresh) {
    Bench bench;
    ASSERT_TRUE(runGridJob(bench.model, bench.job));
    const auto before = *readFile(bench.file("bench.cells.json"), kLimit);
    bench.job.items.pop_back();
    const auto other = runGridJob(bench.model, bench.job);
    ASSERT_FALSE(other);
    EXPECT_EQ(other.error().code, ErrorCode::Conflict);
    EXPECT_EQ(*readFile(bench.file("bench.cells.json"), kLimit), before) << "nothing is lost";
    bench.job.fresh = true;
    ASSERT_TRUE(runGridJob(bench.model, bench.job));
    EXPECT_EQ(bench.cells()["cells"].size(), 2U);
}

TEST(GridJob, corruptCells_areReportedByFile) {
    Bench bench;
    ASSERT_TRUE(runGridJob(bench.model, bench.job));
    for (const char* text :
         {"", "[]", "{}", R"({"schema":"lacuna-grid","version":2,"cells":[]})"}) {
        ASSERT_TRUE(writeFileAtomically(bench.file("bench.cells.json"), text));
        const auto status = runGridJob(bench.model, bench.job);
        ASSERT_FALSE(status) << text;
        EXPECT_NE(status.error().what.find("bench.cells.json"), std::string::npos);
    }
}

TEST(GridJob, unusableFolder_isReported) {
    Bench bench;
    ASSERT_TRUE(writeFileAtomically(bench.folder.path() / "results", "a file"));
    EXPECT_EQ(runGridJob(bench.model, bench.job).error().code, ErrorCode::Write);
}

TEST(AskedMessages, exactlyOneSource_isAccepted) {
    QuestionArguments asked;
    EXPECT_EQ(messagesOfArguments(asked).error().code, ErrorCode::InvalidArgument);
    asked.prompt = "Hi";
    asked.system = "Be brief.";
    EXPECT_EQ(messagesOfArguments(asked)->size(), 2U);
    asked.messages = "x.json";
    EXPECT_EQ(messagesOfArguments(asked).error().code, ErrorCode::InvalidArgument);
    QuestionArguments missing;
    missing.file = "/no/such";
    EXPECT_EQ(messagesOfArguments(missing).error().code, ErrorCode::NotFound);
}

TEST(AskedMessages, trailingAnswers_areGeneratedAgain) {
    test::TemporaryFolder folder;
    const auto path = (folder.path() / "m.json").string();
    ASSERT_TRUE(writeFileAtomically(
        path, R"([{"role":"user","content":"A?"},{"role":"assistant","content":"B."}])"));
    QuestionArguments asked;
    asked.messages = path;
    const auto messages = messagesOfArguments(asked);
    ASSERT_TRUE(messages) << describe(messages.error());
    ASSERT_EQ(messages->size(), 1U);
    EXPECT_EQ(messages->front().content, "A?");
}

}  // namespace
}  // namespace lacuna::cli
