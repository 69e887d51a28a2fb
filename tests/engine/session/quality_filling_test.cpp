// The quality table of the model in use is filled in pauses: what is asked meanwhile comes first,
// what was measured stays, and files that cannot be used are named.

#include "engine/session/quality_filling.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "engine/base/file.h"
#include "engine/kv/eviction/reconstruction_surrogate.h"
#include "engine/session/measured_settings.h"
#include "tests/support/engine_runner.h"
#include "tests/support/temporary_folder.h"

namespace lacuna::test {
namespace {

std::string story() {
    std::string text;
    for (int i = 0; i < 400; ++i) text += "The " + std::to_string(i * 37 % 101) + "th door. ";
    return text;
}

FillQualityTable request(bool fresh = false) {
    return {.size = TableSize::Small,
            .fresh = fresh,
            .filler = story(),
            .book = story(),
            .program = "test"};
}

/// An engine that keeps tables below `folder`.
struct Filler {
    explicit Filler(const std::filesystem::path& folder, FakeModelOptions model = {})
        : runner({}, std::move(model)) {
        runner.profileFolder = folder;
    }

    void start() {
        runner.start();
        ASSERT_TRUE(runner.load());
        ASSERT_TRUE(runner.waitFor<QualityTablesKept>());
    }
    /// The `count`-th measurement's end.
    [[nodiscard]] QualityTableFilled ended(int count = 1) {
        for (int wait = 0; wait < 2000; ++wait) {
            int seen = 0;
            for (const QualityTableFilled& one : runner.all<QualityTableFilled>())
                if (one.ended && ++seen == count) return one;
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        ADD_FAILURE() << "it did not end";
        return {};
    }

    EngineRunner runner;
};

OrderedJson withoutTimes(QualityTable table) {
    table.seconds = 0;
    table.date.clear();
    for (TableRow& row : table.rows) row.seconds = 0;
    return qualityTableJson(table);
}

TEST(QualityFilling, table_isFilledKeptAndThereAfterTheNextLoad) {
    const TemporaryFolder folder;
    Filler filler(folder.path());
    filler.start();
    EXPECT_TRUE(filler.runner.all<QualityTablesKept>().front().tables.empty());
    filler.runner.queue.push(request());
    const QualityTableFilled end = filler.ended();
    ASSERT_FALSE(end.error) << describe(*end.error);
    ASSERT_NE(end.table, nullptr);
    EXPECT_TRUE(end.table->complete());
    const auto measured = std::ranges::count_if(
        end.table->rows, [](const TableRow& row) { return row.items > 0 && row.klMean > 0; });
    EXPECT_GT(measured, 10) << "something was lost by most of them";
    for (const TableRow& row : end.table->rows)
        EXPECT_TRUE(row.items > 0 || !row.refused.empty()) << row.method << row.ratio;
    filler.runner.queue.push(LoadModel{"fake"});
    ASSERT_TRUE(filler.runner.waitFor<QualityTablesKept>(2));
    const QualityTablesKept kept = filler.runner.all<QualityTablesKept>().back();
    ASSERT_EQ(kept.tables.size(), 1U);
    EXPECT_EQ(qualityTableJson(*kept.tables[0]), qualityTableJson(*end.table));
    EXPECT_TRUE(kept.problems.empty());
}

TEST(QualityFilling, questionMeanwhile_isAnsweredFirstAndTheTableIsTheSame) {
    OrderedJson calm;
    for (const bool asks : {false, true}) {
        const TemporaryFolder folder;
        Filler filler(folder.path());
        bool asked = false, answered = false, answeredFirst = false;
        filler.runner.onEvent = [&](const Event& event) {
            if (std::holds_alternative<TurnFinished>(event)) answered = true;
            const auto* filled = std::get_if<QualityTableFilled>(&event);
            if (filled == nullptr) return;
            if (filled->ended) answeredFirst = answered;
            if (!asks || asked || filled->done < 10) return;
            asked = true;
            filler.runner.submit(1, "Who is there?");
        };
        filler.start();
        filler.runner.queue.push(request());
        const QualityTableFilled end = filler.ended();
        ASSERT_FALSE(end.error) << describe(*end.error);
        filler.runner.finish();
        EXPECT_EQ(answeredFirst, asks);
        if (asks)
            EXPECT_EQ(withoutTimes(*end.table), calm);
        else
            calm = withoutTimes(*end.table);
    }
}

TEST(QualityFilling, stopped_keepsWhatWasMeasuredAndGoesOnInAnotherProgram) {
    const TemporaryFolder folder;
    std::int64_t done = 0;
    {
        Filler filler(folder.path());
        bool stopped = false;
        filler.runner.onEvent = [&](const Event& event) {
            const auto* filled = std::get_if<QualityTableFilled>(&event);
            if (filled == nullptr || filled->done < 10 || stopped) return;
            stopped = true;
            filler.runner.queue.push(StopQualityTable{});
        };
        filler.start();
        filler.runner.queue.push(request());
        const QualityTableFilled end = filler.ended();
        ASSERT_TRUE(end.error);
        EXPECT_EQ(end.error->code, ErrorCode::Cancelled);
        EXPECT_LT(end.done, end.total);
        done = end.done;
    }
    Filler filler(folder.path());
    filler.start();
    ASSERT_EQ(filler.runner.all<QualityTablesKept>().front().tables.size(), 1U);
    EXPECT_EQ(filler.runner.all<QualityTablesKept>().front().tables[0]->done, done);
    filler.runner.queue.push(request());
    const QualityTableFilled end = filler.ended();
    ASSERT_FALSE(end.error) << describe(*end.error);
    EXPECT_EQ(end.known, done);
    filler.runner.queue.push(request(true));
    EXPECT_EQ(filler.ended(2).known, 0) << "starting over asks nothing of what was measured";
}

TEST(QualityFilling, tableOfFormats_isFilledByTheSameCommandAndKeptApart) {
    const TemporaryFolder folder;
    FakeModelOptions model;
    model.headDim = 32;  // the shortest that rotated codes take
    Filler filler(folder.path(), model);
    bool stopped = false;
    filler.runner.onEvent = [&](const Event& event) {
        const auto* filled = std::get_if<QualityTableFilled>(&event);
        if (filled == nullptr || filled->done < 3 || stopped) return;
        stopped = true;
        filler.runner.queue.push(StopQualityTable{});
    };
    filler.start();
    FillQualityTable formats = request();
    formats.size = TableSize::Formats;
    filler.runner.queue.push(formats);
    const QualityTableFilled end = filler.ended();
    ASSERT_TRUE(end.error);
    EXPECT_EQ(end.error->code, ErrorCode::Cancelled) << describe(*end.error);
    ASSERT_NE(end.table, nullptr);
    EXPECT_EQ(end.table->size, TableSize::Formats);
    ASSERT_GT(end.table->rows[0].items, 0) << end.table->rows[0].refused;
    EXPECT_LT(end.table->rows[0].liveBytes, end.table->rows[0].logicalBytes) << "it was coded";
    EXPECT_EQ(end.table->rows[0].method, "t8/t4");
    filler.runner.queue.push(LoadModel{"fake"});
    ASSERT_TRUE(filler.runner.waitFor<QualityTablesKept>(2));
    const QualityTablesKept kept = filler.runner.all<QualityTablesKept>().back();
    ASSERT_EQ(kept.tables.size(), 1U);
    EXPECT_EQ(kept.tables[0]->size, TableSize::Formats);
    EXPECT_EQ(kept.tables[0]->done, end.done);
}

TEST(QualityFilling, withoutAModelOrWithADamagedFile_saysSo) {
    const TemporaryFolder folder;
    Filler filler(folder.path());
    const std::string fingerprint = fakeLoadedModel()->spec.fingerprint;
    const TableFiles files = tableFiles(folder.path(), fingerprint, TableSize::Small);
    std::filesystem::create_directories(files.table.parent_path());
    ASSERT_TRUE(writeFileAtomically(files.table, "{\"schema\":\"lacuna-quality\",\"version\":1}"));
    filler.runner.start();
    filler.runner.queue.push(request());
    const QualityTableFilled refused = filler.ended();
    ASSERT_TRUE(refused.error);
    EXPECT_NE(refused.error->what.find("no model is loaded"), std::string::npos);
    ASSERT_TRUE(filler.runner.load());
    ASSERT_TRUE(filler.runner.waitFor<QualityTablesKept>());
    const auto kept = filler.runner.all<QualityTablesKept>().front();
    EXPECT_TRUE(kept.tables.empty());
    ASSERT_EQ(kept.problems.size(), 1U);
    EXPECT_NE(kept.problems[0].find("small quality table"), std::string::npos) << kept.problems[0];
}

TEST(QualityFilling, tableNextToTheModel_isTakenWhereNoneIsKept) {
    const TemporaryFolder measured;
    const TemporaryFolder models;
    {
        Filler first(measured.path());
        first.start();
        first.runner.queue.push(request());
        ASSERT_FALSE(first.ended().error);
    }
    const std::string fingerprint = fakeLoadedModel()->spec.fingerprint;
    std::filesystem::copy_file(tableFiles(measured.path(), fingerprint, TableSize::Small).table,
                               shippedTablePath(models.path() / "model.gguf", TableSize::Small));
    const TemporaryFolder empty;
    Filler second(empty.path());
    ModelMakers makers = second.runner.models.makers();
    makers.load = [&models, plain = makers.load](const std::filesystem::path& path,
                                                 const LoadOptions& options) {
        auto model = plain(path, options);
        if (model)
            std::const_pointer_cast<LoadedModel>(*model)->path = models.path() / "model.gguf";
        return model;
    };
    second.runner.makers = std::move(makers);
    second.start();
    const auto kept = second.runner.all<QualityTablesKept>().front();
    EXPECT_TRUE(kept.problems.empty());
    ASSERT_EQ(kept.tables.size(), 1U);
    EXPECT_EQ(kept.tables[0]->fingerprint, fingerprint);
}

TEST(TableSettings, everyChoiceOfTheTable_isARowAtEveryRatioOrRefusedWithItsReason) {
    ModelFacts facts;
    facts.name = "small";
    facts.layers = facts.heads = facts.kvHeads = 2;
    facts.headDim = 8;
    facts.context = 1024;
    const HeadProfiles none;
    const std::vector<double> ratios{2, 1000};
    const auto settings = tableSettings({}, ratios, {}, {facts, none}, MachineFacts{});
    ASSERT_TRUE(settings) << describe(settings.error());
    const auto find = [&](const std::string& method, double ratio) {
        const auto at = std::ranges::find_if(*settings, [&](const TableSetting& one) {
            return one.grid.method == method && one.ratio == ratio;
        });
        return at == settings->end() ? TableSetting{} : *at;
    };
    EXPECT_EQ(find("am coverage", 2).grid.setting.kv.amRatio, 2);
    EXPECT_EQ(find("am coverage", 2).grid.refused, "");
    EXPECT_NE(find("am coverage", 1000).grid.refused.find("am_ratio"), std::string::npos)
        << find("am coverage", 1000).grid.refused;
    EXPECT_NE(find("am task_free", 2).grid.refused.find("not measured"), std::string::npos);
    EXPECT_FALSE(find("am questions", 2).grid.refused.empty()) << "there is no profile";
    EXPECT_EQ(find("keydiff", 1000).grid.setting.budgetShare, 1.0 / 1000);
    EXPECT_EQ(find("am auto", 2).grid.method, "") << "auto is one of the others";
    for (const char* policy : {"recent_only", "random", "observation_window"})
        EXPECT_EQ(find(policy, 2).grid.method, policy);
    HeadProfiles measured;
    measured.add({.layers = 2, .kvHeads = 2, .loss = {1, 0, 0, 0}});
    const std::vector<std::string> one{"am task_free"};
    const auto chosen = tableSettings(one, ratios, {}, {facts, measured}, MachineFacts{});
    ASSERT_TRUE(chosen);
    ASSERT_EQ(chosen->size(), 2U);
    EXPECT_EQ(chosen->front().grid.refused, "");
    const std::vector<std::string> unknown{"am cleverly"};
    EXPECT_FALSE(tableSettings(unknown, ratios, {}, {facts, none}, MachineFacts{}));
    const std::vector<std::string> base{"budget=9"};
    EXPECT_EQ(tableSettings({}, ratios, base, {facts, none}, MachineFacts{}).error().code,
              ErrorCode::Conflict);
    QualityTable table = tableHead({facts, measured}, MachineFacts{});
    KvOptions kv;
    EXPECT_EQ(tableMethodOf(kv, table), "") << "nothing is compacted";
    kv.method = CompactionMethod::AttentionMatching;
    kv.compactionFloor = 0;
    kv.lossLimit.level = LossLimit::Level::Off;
    EXPECT_EQ(tableMethodOf(kv, table), "am reconstruction") << "a repetition has its scores";
    measured.surrogate = std::make_shared<const ReconstructionSurrogate>();
    table = tableHead({facts, measured}, MachineFacts{});
    for (const double ratio : {4.0, 16.0}) {
        kv.amRatio = ratio;
        EXPECT_EQ(tableMethodOf(kv, table), "am reconstruction") << "what auto divides by";
    }
    kv.headBudgets = HeadBudgets::Uniform;
    EXPECT_EQ(tableMethodOf(kv, table), "am uniform");
    kv.method = CompactionMethod::Eviction;
    kv.compactionFloor = 0;
    kv.lossLimit.level = LossLimit::Level::Off;
    EXPECT_EQ(tableMethodOf(kv, table), table.autoPolicy);
}

}  // namespace
}  // namespace lacuna::test
