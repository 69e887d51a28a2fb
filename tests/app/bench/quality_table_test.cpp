// The quality table of a model: its figures from cells, its files, and a cancelled run.

#include "engine/quality/quality_table.h"

#include <gtest/gtest.h>

#include <cmath>

#include "app/bench/ruler.h"
#include "app/bench/table_rows.h"
#include "app/bench/table_run.h"
#include "engine/base/file.h"
#include "engine/base/string_format.h"
#include "tests/support/random_model.h"
#include "tests/support/temporary_folder.h"

namespace lacuna {
namespace {

TableSetting setting(const char* method, double ratio, EvictionPolicy policy) {
    TableSetting one{.grid = {.method = method,
                              .asked = format("{:g}x", ratio),
                              .settings = format("norm_policy={}", method),
                              .setting = {}},
                     .ratio = ratio};
    one.grid.setting.kv.method = CompactionMethod::Eviction;
    one.grid.setting.kv.compactionFloor = 0;
    one.grid.setting.kv.lossLimit.level = LossLimit::Level::Off;
    one.grid.setting.kv.evictionPolicy = policy;
    one.grid.setting.kv.keepRecent = 8;
    one.grid.setting.budgetShare = 1 / ratio;
    return one;
}

GridCell cell(std::int64_t live, double ms) {
    GridCell one;
    one.evictions = 1;
    one.liveBytes = live;
    one.logicalBytes = 100;
    one.compactionMs = ms;
    return one;
}

TEST(QualityTable, figures_areComputedFromTheNamedTexts) {
    std::vector<GridItem> items(7);
    for (std::size_t i = 0; i < 3; ++i) items[i].key = "7";
    for (std::size_t i = 3; i < 6; ++i) {
        items[i].score = [](std::string_view) { return 0.0; };
        items[i].kind = i == 5 ? "ruler b" : "ruler a";
    }
    std::vector<TableSetting> settings{setting("recent_only", 4, EvictionPolicy::StreamingLLM),
                                       setting("random", 64, EvictionPolicy::Random)};
    settings[1].grid.refused = "too small";
    GridCells cells;
    for (std::size_t i = 0; i < 7; ++i) {
        cells[{i, 0}] = cell(static_cast<std::int64_t>(10 * (i + 1)), 100);
        cells[{i, 1}].refused = "too small";
    }
    // The full cache answers two of three dialogues; one of the two is lost, and the one it fails
    // is hit by chance.
    cells[{0, 0}].fullHit = cells[{0, 0}].hit = true;
    cells[{1, 0}].fullHit = true;
    cells[{2, 0}].hit = true;
    // Tasks have equal weight, regardless of their number of questions.
    for (std::size_t i = 3; i < 6; ++i) cells[{i, 0}].fullScore = 1.0;
    cells[{3, 0}].score = 1.0;
    cells[{4, 0}].score = 0.0;
    cells[{5, 0}].score = 1.0;
    cells[{6, 0}].kl = {0.1, 0.3};
    cells[{6, 0}].fullNll = 1;
    cells[{6, 0}].compactedNll = 2;
    QualityTable table;
    addRows(table, items, settings, cells);
    ASSERT_EQ(table.rows.size(), 2U);
    const TableRow& row = table.rows[0];
    EXPECT_EQ(row.answerable, 2);
    EXPECT_EQ(row.hits, 1);
    EXPECT_EQ(row.questions, 3);
    EXPECT_NEAR(row.rulerShare().value(), 0.75, 1e-12);
    EXPECT_EQ(row.positions, 2);
    EXPECT_NEAR(row.klMean, 0.2, 1e-12);
    EXPECT_NEAR(row.perplexity, std::exp(2.0), 1e-9);
    EXPECT_NEAR(row.liveBytes, 40, 1e-9);
    EXPECT_NEAR(row.seconds, 0.1, 1e-12);
    EXPECT_EQ(table.full.hits, 2);
    EXPECT_NEAR(table.full.ruler, 100, 1e-9);
    EXPECT_NEAR(table.full.perplexity, std::exp(1.0), 1e-9);
    EXPECT_NEAR(table.full.liveBytes, 100, 1e-9);
    EXPECT_EQ(table.rows[1].refused, "too small");
    EXPECT_EQ(table.rows[1].items, 0);
    EXPECT_FALSE(table.rows[1].rulerShare());
    EXPECT_TRUE(table.complete());
    const std::string page = qualityTableMarkdown(table);
    EXPECT_NE(page.find("| recent_only | 4x | 1 of 2 | 75.0 % | 0.2000 |"), std::string::npos)
        << page;
    EXPECT_NE(page.find("too small"), std::string::npos) << page;
    EXPECT_NE(page.find("are not reliable"), std::string::npos) << page;
}

TEST(QualityTable, fullCacheSummary_omitsUnmeasuredTasks) {
    QualityTable table;
    table.full.questions = 3;
    table.full.rulerFull = 55.4;
    const std::string ruler = qualityTableMarkdown(table);
    EXPECT_NE(ruler.find("The full cache has a RULER score of 55.4 over 3 questions. "),
              std::string::npos)
        << ruler;
    EXPECT_EQ(ruler.find("dialogues"), std::string::npos) << ruler;
    EXPECT_EQ(ruler.find("perplexity of"), std::string::npos) << ruler;
    table.full.questions = 0;
    table.full.answerable = 4;
    const std::string recall = qualityTableMarkdown(table);
    EXPECT_NE(recall.find("The full cache answers 4 dialogues. "), std::string::npos) << recall;
    EXPECT_EQ(recall.find("RULER score"), std::string::npos) << recall;
}

TEST(QualityTable, csvRows_haveAsManyCellsAsTheHeader) {
    QualityTable table;
    TableRow measured;
    measured.method = "a";
    measured.items = measured.positions = 1;
    TableRow textless = measured;
    textless.positions = 0;
    TableRow waiting;
    waiting.method = "b";
    table.rows = {measured, textless, waiting};
    const std::string csv = qualityTableCsv(table);
    std::vector<std::int64_t> commas;
    for (std::size_t from = 0, end = 0; (end = csv.find("\r\n", from)) != std::string::npos;
         from = end + 2)
        commas.push_back(std::count(csv.begin() + static_cast<std::ptrdiff_t>(from),
                                    csv.begin() + static_cast<std::ptrdiff_t>(end), ','));
    ASSERT_EQ(commas.size(), 5U) << csv;
    for (const std::int64_t count : commas) EXPECT_EQ(count, commas.front()) << csv;
}

/// A byte-level model with random weights and a context for a table of a few texts.
struct Bench {
    std::shared_ptr<const LoadedModel> loaded =
        test::makeRandomModel(test::smallSpec(), DType::F32).value();
    ThreadPool pool{1};
    std::unique_ptr<Transformer> transformer =
        Transformer::create(loaded, pool, {.precision = Precision::Exact, .maxTokens = 256})
            .value();
    Transformer& model = *transformer;
    test::TemporaryFolder folder;
    bool stopped = false;
    int rulerRows = 0;

    [[nodiscard]] TableRun::Request request() {
        TableMeasure measure;
        measure.dialogueLengths = {100};
        measure.rulerLength = 2000;
        measure.rulerRows = rulerRows;
        measure.textContext = 200;
        measure.textAfter = 40;
        const std::string story =
            readFile(std::string(LACUNA_RESOURCE_DIR) + "/texts/the_naval_treaty.txt", 1U << 20)
                .value();
        TableRun::Request request{
            .measure = measure,
            .texts = {.filler = story, .book = story, .cases = {}},
            .settings = {setting("keydiff", 2, EvictionPolicy::KeyDiff),
                         setting("recent_only", 4, EvictionPolicy::StreamingLLM)},
            .shadow = {},
            .head = {},
            .files = tableFiles(folder.path(), "fake", TableSize::Small),
            .fresh = false};
        request.head.fingerprint = "fake";
        request.head.model = "fake";
        request.shadow.cancelled = [this] { return stopped; };
        return request;
    }
    [[nodiscard]] Status fill(TableRun& run) {
        while (!run.done()) LACUNA_TRY_STATUS(run.step(model, pool));
        return run.keep();
    }
};

QualityTable withoutTimes(QualityTable table) {
    table.seconds = 0;
    table.date.clear();
    for (TableRow& row : table.rows) row.seconds = 0;
    return table;
}

TEST(QualityTableRun, everySetting_isMeasuredAndStored) {
    Bench bench;
    TableRun run(*bench.loaded, bench.request());
    const Status filled = bench.fill(run);
    ASSERT_TRUE(filled) << describe(filled.error());
    const QualityTable& table = run.table();
    EXPECT_TRUE(table.complete());
    ASSERT_EQ(table.rows.size(), 2U);
    for (const TableRow& row : table.rows) {
        EXPECT_GT(row.positions, 0);
        EXPECT_GT(row.klMean, 0) << "something was lost";
        EXPECT_LT(row.liveBytes, row.logicalBytes);
        EXPECT_EQ(row.left, 0) << row.refused;
    }
    EXPECT_LT(table.rows[1].liveBytes, table.rows[0].liveBytes);
    const auto kept = readTable(bench.request().files->table, "fake");
    ASSERT_TRUE(kept && *kept);
    EXPECT_EQ(dumpJson(qualityTableJson(**kept)), dumpJson(qualityTableJson(table)));
}

TEST(QualityTableRun, interruptedRun_resumesToTheSameTable) {
    Bench bench;
    QualityTable whole;
    {
        TableRun run(*bench.loaded, bench.request());
        ASSERT_TRUE(bench.fill(run));
        whole = withoutTimes(run.table());
    }
    TableRun::Request fresh = bench.request();
    fresh.fresh = true;
    std::int64_t before = 0;
    {
        TableRun run(*bench.loaded, std::move(fresh));
        while (run.cellsDone() < 3) ASSERT_TRUE(run.step(bench.model, bench.pool));
        bench.stopped = true;
        const Status cut = run.step(bench.model, bench.pool);
        ASSERT_FALSE(cut);
        EXPECT_EQ(cut.error().code, ErrorCode::Cancelled);
        before = run.cellsDone();
        ASSERT_TRUE(run.keep());
        // The same run object can continue, too.
        bench.stopped = false;
        ASSERT_TRUE(run.step(bench.model, bench.pool));
        EXPECT_EQ(run.cellsDone(), before + 1);
    }
    TableRun run(*bench.loaded, bench.request());
    ASSERT_TRUE(bench.fill(run));
    EXPECT_GE(run.known(), before);
    EXPECT_EQ(dumpJson(qualityTableJson(withoutTimes(run.table()))),
              dumpJson(qualityTableJson(whole)));
}

TEST(QualityTableRun, filesOfAnotherPlanOrModel_areRejectedWithAMessage) {
    Bench bench;
    const TableFiles files = *bench.request().files;
    {
        TableRun run(*bench.loaded, bench.request());
        while (run.cellsDone() < 2) ASSERT_TRUE(run.step(bench.model, bench.pool));
        ASSERT_TRUE(run.keep());
    }
    const auto refusal = [&](TableRun::Request request) {
        TableRun run(*bench.loaded, std::move(request));
        Status status;
        while (status && !run.done()) status = run.step(bench.model, bench.pool);
        return status ? Error{} : status.error();
    };
    TableRun::Request other = bench.request();
    other.settings[0].grid.settings = "keep_recent=9";
    EXPECT_EQ(refusal(std::move(other)).code, ErrorCode::Conflict);
    other = bench.request();
    other.head.precision = "exact";
    EXPECT_NE(refusal(std::move(other)).what.find("start over"), std::string::npos);
    ASSERT_TRUE(writeFileAtomically(files.cells, "{\"schema\":"));
    const Error damaged = refusal(bench.request());
    EXPECT_NE(damaged.what.find(files.cells.filename().string()), std::string::npos)
        << damaged.what;
    const auto foreign = readTable(files.table, "another");
    ASSERT_FALSE(foreign);
    EXPECT_EQ(foreign.error().code, ErrorCode::Incompatible);
    EXPECT_NE(foreign.error().what.find("another model"), std::string::npos);
    ASSERT_TRUE(writeFileAtomically(files.table, "{}"));
    EXPECT_FALSE(readTable(files.table, "fake"));
    EXPECT_FALSE(readTable(bench.folder.path() / "none.json", "fake").value());
    TableRun::Request fresh = bench.request();
    fresh.fresh = true;
    EXPECT_TRUE(refusal(std::move(fresh)).what.empty()) << "starting over asks no file";
}

/// Removes bytes that are not valid characters, because only one of the two decoders replaces them.
std::string plain(std::string text) {
    std::erase_if(text, [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
    return text;
}

/// A RULER question is asked and scored as by `lacuna-bench ruler`, although its text is read once
/// for all settings.
TEST(QualityTableRun, rulerScores_equalThoseOfTheRulerCommand) {
    Bench bench;
    bench.rulerRows = 1;
    RulerOptions options;
    options.kv = setting("recent_only", 4, EvictionPolicy::StreamingLLM).grid.setting.kv;
    options.budgetShare = 0.25;
    options.length = 2000;
    options.rows = 1;
    options.seed = 7;
    options.tasks = {"niah_single_1", "qa_1"};
    options.text = bench.request().texts.book;
    const auto alone = runRuler(bench.model, bench.pool, options);
    ASSERT_TRUE(alone) << describe(alone.error());
    const TableRun::Request request = bench.request();
    TableItems maker(*bench.loaded, request.measure, request.texts);
    while (!maker.done()) ASSERT_TRUE(maker.step({}));
    const std::vector<GridItem> items = std::move(maker).take();
    int compared = 0;
    for (const RulerRow& row : alone->questions) {
        const auto item = std::ranges::find(items, "ruler " + row.question.task, &GridItem::kind);
        ASSERT_NE(item, items.end()) << row.question.task;
        ShadowOptions shadow;
        shadow.headTokens = 0;
        auto run = ShadowRun::read(bench.model, bench.pool, item->text, shadow);
        ASSERT_TRUE(run) << describe(run.error());
        const auto record = (*run)->measure(request.settings[1].grid.setting);
        ASSERT_TRUE(record) << describe(record.error());
        EXPECT_GT(record->evictions, 0);
        EXPECT_EQ(plain(record->greedy->fullText), plain(row.whole));
        EXPECT_EQ(plain(record->greedy->text), plain(row.answer));
        EXPECT_EQ(item->score(record->greedy->text), row.score);
        ++compared;
    }
    EXPECT_EQ(compared, 2);
}

}  // namespace
}  // namespace lacuna
