// The table of cache formats: the gate, predictions for pairs without a measurement, its files, and
// a run that measures formats and their speed.

#include "engine/quality/format_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "app/bench/table_run.h"
#include "engine/base/file.h"
#include "engine/quality/quality_table.h"
#include "tests/support/random_model.h"
#include "tests/support/temporary_folder.h"

namespace lacuna {
namespace {

TableRow measured(const char* format, double bytesPerToken, double klMean, double ratio = 1) {
    TableRow row;
    row.method = format;
    row.ratio = ratio;
    row.items = 4;
    row.positions = 2048;
    row.klMean = klMean;
    row.bytesPerToken = bytesPerToken;
    return row;
}

QualityTable someTable() {
    QualityTable table;
    table.size = TableSize::Formats;
    table.full = measured("full cache", 160, 0);
    TableRow refused;
    refused.method = "q4_0";
    refused.refused = "groups of 32 do not divide a head";
    table.rows = {measured("t8/t4", 66, 0.001),  measured("t8/t4 am", 20, 0.002, 4),
                  measured("t5/t4", 50, 0.0049), measured("t4", 44, 0.005),
                  measured("t3", 36, 0.08),      refused};
    return table;
}

TEST(FormatGate, incompleteTable_isReported) {
    QualityTable table = someTable();
    table.done = 3;
    table.total = 20;
    EXPECT_TRUE(gateText(*formatGate(table, kMaxFormatKl)).starts_with("So far t5/t4"));
    EXPECT_TRUE(gateText(*formatGate(table, 1e-4)).starts_with("So far none of 4"));
    table.done = table.total;
    EXPECT_TRUE(gateText(*formatGate(table, kMaxFormatKl)).starts_with("t5/t4 is"));
    EXPECT_TRUE(gateText(*formatGate(table, 1e-4)).starts_with("None of 4"));
}

TEST(FormatGate, smallestFormatBelowTheBound_isChosen) {
    const QualityTable table = someTable();
    const auto gate = formatGate(table, kMaxFormatKl);
    ASSERT_TRUE(gate);
    EXPECT_EQ(gate->chosen.method, "t5/t4") << "at the bound is not below it";
    EXPECT_EQ(gate->measured, 4) << "neither what evicts nor what is refused";
    EXPECT_EQ(gate->passed, 2);
    const std::string sentence = gateText(*gate);
    EXPECT_NE(sentence.find("t5/t4"), std::string::npos) << sentence;
    EXPECT_NE(sentence.find("0.0049"), std::string::npos) << sentence;
    EXPECT_NE(sentence.find("2 of 4"), std::string::npos) << sentence;
    EXPECT_EQ(formatGate(table, 0.1)->chosen.method, "t3") << "a wider bound, a smaller format";
    const auto none = formatGate(table, 1e-4);
    ASSERT_TRUE(none);
    EXPECT_EQ(none->passed, 0);
    EXPECT_EQ(none->chosen.method, "full cache");
    EXPECT_NE(gateText(*none).find("16 bits"), std::string::npos);
    EXPECT_FALSE(formatGate(QualityTable{}, 1)) << "nothing was measured";
}

TEST(FormatGate, formatWithoutSavings_isNotACandidate) {
    QualityTable table = someTable();
    for (TableRow& row : table.rows) row.logicalBytes = 100;
    for (TableRow& row : table.rows) row.liveBytes = row.method == "t5/t4" ? 101 : 60;
    const auto gate = formatGate(table, kMaxFormatKl);
    ASSERT_TRUE(gate);
    EXPECT_EQ(gate->chosen.method, "t8/t4") << "t5/t4 takes more than 16 bits";
    EXPECT_EQ(gate->measured, 3);
}

TEST(FormatTable, remarks_distinguishPendingShortAndSkippedTexts) {
    TableRow row = measured("t8", 90, 0.001);
    EXPECT_EQ(tableRemark(row), "");
    row.unsaved = 2;
    EXPECT_EQ(tableRemark(row), "no byte saved in 2 short texts");
    row.open = 6;
    EXPECT_EQ(tableRemark(row), "4 of 10 texts so far; no byte saved in 2 short texts");
    row.unsaved = 0;
    row.left = 1;
    EXPECT_EQ(tableRemark(row), "5 of 11 texts so far; 1 texts left out: all in 16 bits");
    row.open = 0;
    row.ratio = 4;
    EXPECT_EQ(tableRemark(row), "1 texts not compacted");
    QualityTable table = someTable();
    table.rows = {row};
    table.rows[0].open = 3;
    table.rows[0].unsaved = 1;
    const auto back = qualityTableFromJson(Json::parse(dumpJson(qualityTableJson(table))));
    ASSERT_TRUE(back);
    EXPECT_EQ(tableRemark(back->rows[0]), tableRemark(table.rows[0]));
    EXPECT_NE(qualityTableMarkdown(table).find("no byte saved in 1 short texts"),
              std::string::npos);
}

TEST(FormatLoss, quantisationErrors_matchPublishedCodebooks) {
    constexpr std::array kPublished{.363380, .117482, .034548, .009501,
                                    .002505, .000644, .000163, .000041};
    for (std::size_t i = 0; i < kPublished.size(); ++i)
        EXPECT_NEAR(codeError(static_cast<int>(i) + 1), kPublished.at(i), 1e-6) << i + 1;
}

TEST(FormatLoss, unmeasuredPair_isPredictedFromMeasuredPairs) {
    constexpr double kKeys = 0.7, kValues = 0.2;
    const auto law = [](int keys, int values) {
        return kKeys * codeError(keys) + kValues * codeError(values);
    };
    QualityTable table;
    table.rows = {measured("t8/t4", 1, law(8, 4)), measured("t4", 1, law(4, 4))};
    EXPECT_FALSE(formatLoss(table, "t6", "t3")) << "two pairs say nothing of a third";
    // Neither group codes nor evictions predict anything about rotated codes.
    table.rows.push_back(measured("q4_0", 1, 5));
    table.rows.push_back(measured("t8/t4 am", 1, 5, 4));
    EXPECT_FALSE(formatLoss(table, "t6", "t3"));
    table.rows.push_back(measured("t3/t2", 1, law(3, 2)));
    const auto predicted = formatLoss(table, "t6", "t3");
    ASSERT_TRUE(predicted);
    EXPECT_FALSE(predicted->measured);
    EXPECT_EQ(predicted->pairs, 3);
    EXPECT_NEAR(predicted->klMean, law(6, 3), 1e-9);
    const auto known = formatLoss(table, "t4", "t4");
    ASSERT_TRUE(known);
    EXPECT_TRUE(known->measured);
    EXPECT_EQ(known->klMean, law(4, 4));
    EXPECT_EQ(formatLoss(table, "q4_0", "q4_0")->klMean, 5);
    EXPECT_FALSE(formatLoss(table, "q8_0", "q8_0")) << "no law is stated for groups";
}

TEST(FormatLoss, singleSideErrors_areNonNegative) {
    QualityTable table;
    // These errors fall with coarser values, so an unbounded fit would go below zero.
    table.rows = {measured("t4/t8", 1, 0.02), measured("t4", 1, 0.015),
                  measured("t4/t2", 1, 0.005)};
    for (int keys = 1; keys <= 8; ++keys)
        for (int values = 1; values <= 8; ++values) {
            const std::string k = "t" + std::to_string(keys), v = "t" + std::to_string(values);
            EXPECT_GE(formatLoss(table, k, v)->klMean, 0) << k << v;
        }
}

TEST(FormatTable, csvRows_haveAsManyCellsAsTheHeader) {
    QualityTable table = someTable();
    table.rows[0].speed = DecodeSpeed{.tokensPerSecond = 30, .ofFull = 1.1};
    table.rows[2].positions = 0;
    const std::string csv = qualityTableCsv(table);
    std::vector<std::int64_t> commas;
    for (std::size_t from = 0, end = 0; (end = csv.find("\r\n", from)) != std::string::npos;
         from = end + 2)
        commas.push_back(std::count(csv.begin() + static_cast<std::ptrdiff_t>(from),
                                    csv.begin() + static_cast<std::ptrdiff_t>(end), ','));
    ASSERT_EQ(commas.size(), 8U) << csv;
    for (const std::int64_t count : commas) EXPECT_EQ(count, commas.front()) << csv;
    const std::string page = qualityTableMarkdown(table);
    for (std::size_t from = page.find("\n| "), bars = 0; from != std::string::npos;
         from = page.find("\n| ", from + 1)) {
        const std::size_t end = page.find('\n', from + 1);
        const auto count = static_cast<std::size_t>(
            std::count(page.begin() + static_cast<std::ptrdiff_t>(from),
                       page.begin() + static_cast<std::ptrdiff_t>(end), '|'));
        if (bars == 0) bars = count;
        EXPECT_EQ(count, bars) << page.substr(from, end - from);
    }
}

/// A byte-level model with random weights, and a table of two formats and an eviction.
struct Bench {
    std::shared_ptr<const LoadedModel> loaded =
        test::makeRandomModel(test::smallSpec(), DType::F32).value();
    ThreadPool pool{1};
    std::unique_ptr<Transformer> transformer =
        Transformer::create(loaded, pool, {.precision = Precision::Exact, .maxTokens = 256})
            .value();
    test::TemporaryFolder folder;
    bool stopped = false;
    std::string machine = {};

    static TableSetting setting(const char* name, int keyBits, int valueBits) {
        TableSetting one{.grid = {.method = name, .asked = "1x", .settings = name, .setting = {}}};
        one.grid.setting.kv.exactWindow = 0;  // the texts are shorter than this window
        one.grid.setting.kv.quant = {.bits = keyBits, .group = 0};
        one.grid.setting.kv.values =
            KvRowType{.type = DType::F16, .quant = {.bits = valueBits, .group = 0}};
        return one;
    }
    [[nodiscard]] TableRun::Request request() {
        TableMeasure measure;
        measure.size = TableSize::Formats;
        measure.dialogueLengths = {100};
        measure.rulerRows = 0;
        measure.textContext = 200;
        measure.textAfter = 40;
        measure.speed = {.context = 120, .rounds = 3, .tokens = 4};
        TableRun::Request request{.measure = measure,
                                  .texts = {.filler = readFile(std::string(LACUNA_RESOURCE_DIR) +
                                                                   "/texts/the_naval_treaty.txt",
                                                               1U << 20)
                                                          .value(),
                                            .book = {},
                                            .cases = {}},
                                  .settings = {setting("t8/t4", 8, 4), setting("t2", 2, 2),
                                               setting("t8/t4 l2", 8, 4), setting("refused", 8, 4)},
                                  .shadow = {},
                                  .head = {},
                                  .files = tableFiles(folder.path(), "fake", TableSize::Formats),
                                  .fresh = false};
        request.settings[2].ratio = 2;
        request.settings[2].grid.setting.kv.method = CompactionMethod::Eviction;
        request.settings[2].grid.setting.kv.evictionPolicy = EvictionPolicy::KeyDiff;
        request.settings[2].grid.setting.kv.compactionFloor = 0;
        request.settings[2].grid.setting.kv.lossLimit.level = LossLimit::Level::Off;
        request.settings[2].grid.setting.kv.keepRecent = 8;
        request.settings[2].grid.setting.budgetShare = 0.5;
        request.settings[3].grid.refused = "not with this model";
        request.head.fingerprint = "fake";
        request.head.machine = machine;
        request.shadow.cancelled = [this] { return stopped; };
        return request;
    }
    [[nodiscard]] Status fill(TableRun& run) {
        while (!run.done()) LACUNA_TRY_STATUS(run.step(*transformer, pool));
        return run.keep();
    }
};

QualityTable withoutTimes(QualityTable table) {
    table.seconds = 0;
    table.date.clear();
    table.full.speed.reset();
    for (TableRow& row : table.rows) {
        row.seconds = 0;
        row.speed.reset();
    }
    return table;
}

TEST(FormatRun, formats_areMeasuredWithSpeed_andStored) {
    Bench bench;
    TableRun run(*bench.loaded, bench.request());
    const Status filled = bench.fill(run);
    ASSERT_TRUE(filled) << describe(filled.error());
    const QualityTable& table = run.table();
    EXPECT_TRUE(table.complete());
    ASSERT_EQ(table.rows.size(), 4U);
    const TableRow &safe = table.rows[0], &coarse = table.rows[1], &evicted = table.rows[2];
    for (const TableRow* row : {&safe, &coarse, &evicted}) {
        EXPECT_LT(row->liveBytes, row->logicalBytes) << row->method << " saved nothing";
        EXPECT_GT(row->klMean, 0);
        EXPECT_GT(row->allocatedPerToken, row->bytesPerToken * 0.999);
        ASSERT_TRUE(row->speed) << row->method;
        EXPECT_GT(row->speed->tokensPerSecond, 0);
        EXPECT_EQ(row->speed->context, 120);
    }
    EXPECT_GT(coarse.klMean, safe.klMean);
    EXPECT_LT(coarse.top1, 1.0);
    // Heads of 32: 4 and 2 bits per number, and an f16 scale per row.
    EXPECT_NEAR(safe.bitsPerNumber, 6 + 0.5, 1e-9);
    EXPECT_NEAR(coarse.bitsPerNumber, 2 + 0.5, 1e-9);
    EXPECT_NEAR(table.full.bitsPerNumber, 16, 1e-9);
    EXPECT_LT(evicted.bytesPerToken, 0.65 * safe.bytesPerToken)
        << "half of the slots; positions and marks come on top";
    EXPECT_EQ(table.rows[3].refused, "not with this model");
    EXPECT_FALSE(table.rows[3].speed);
    ASSERT_TRUE(table.full.speed);
    EXPECT_EQ(table.full.speed->ofFull, 1);
    EXPECT_NE(table.conditions.find("speed of 4 tokens after 120"), std::string::npos)
        << table.conditions;
    EXPECT_EQ(table.conditions.find("RULER"), std::string::npos) << table.conditions;
    const auto kept = readTable(bench.request().files->table, "fake");
    ASSERT_TRUE(kept && *kept) << (kept ? "" : describe(kept.error()));
    EXPECT_EQ(dumpJson(qualityTableJson(**kept)), dumpJson(qualityTableJson(table)));
}

TEST(FormatRun, cancelledDuringSpeedMeasurement_resumesWithStoredSpeeds) {
    Bench bench;
    QualityTable whole;
    std::int64_t total = 0;
    {
        TableRun run(*bench.loaded, bench.request());
        ASSERT_TRUE(bench.fill(run));
        whole = run.table();
        total = run.cellsTotal();
    }
    TableRun::Request fresh = bench.request();
    fresh.fresh = true;
    std::optional<DecodeSpeed> first;
    {
        TableRun run(*bench.loaded, std::move(fresh));
        while (run.cellsDone() < total - 3) ASSERT_TRUE(run.step(*bench.transformer, bench.pool));
        first = run.table().rows[0].speed;
        ASSERT_TRUE(first) << "the first speed is there, the second is not";
        EXPECT_FALSE(run.table().rows[1].speed);
        bench.stopped = true;
        const Status cut = run.step(*bench.transformer, bench.pool);
        ASSERT_FALSE(cut);
        EXPECT_EQ(cut.error().code, ErrorCode::Cancelled);
        ASSERT_TRUE(run.keep());
        bench.stopped = false;
    }
    TableRun run(*bench.loaded, bench.request());
    ASSERT_TRUE(bench.fill(run));
    EXPECT_EQ(run.known(), total - 3);
    EXPECT_EQ(run.table().rows[0].speed->tokensPerSecond, first->tokensPerSecond);
    EXPECT_TRUE(run.table().rows[1].speed);
    EXPECT_EQ(dumpJson(qualityTableJson(withoutTimes(run.table()))),
              dumpJson(qualityTableJson(withoutTimes(whole))));
}

TEST(FormatRun, damagedOrForeignFiles_areRefusedWithAMessage) {
    Bench bench;
    const TableFiles files = *bench.request().files;
    std::string cells;
    {
        TableRun run(*bench.loaded, bench.request());
        ASSERT_TRUE(bench.fill(run));
        cells = readFile(files.cells, 1U << 24).value();
    }
    const auto refusal = [&] {
        TableRun run(*bench.loaded, bench.request());
        Status status;
        while (status && !run.done()) status = run.step(*bench.transformer, bench.pool);
        return status ? Error{} : status.error();
    };
    const auto damagedBy = [&](const std::string& from, const std::string& to) {
        std::string text = cells;
        const std::size_t at = text.rfind(from);
        EXPECT_NE(at, std::string::npos) << from;
        text.replace(at, from.size(), to);
        EXPECT_TRUE(writeFileAtomically(files.cells, text));
        return refusal();
    };
    EXPECT_EQ(damagedBy("\"setting\":2", "\"setting\":9").code, ErrorCode::Incompatible);
    EXPECT_NE(damagedBy("\"tokens_per_second\":", "\"tokens_per_second\":-").what.find("speeds"),
              std::string::npos);
    EXPECT_EQ(damagedBy("\"version\":1", "\"version\":2").code, ErrorCode::Incompatible);
    EXPECT_FALSE(damagedBy("]", "").what.empty());
    ASSERT_TRUE(writeFileAtomically(files.cells, cells));
    bench.machine = "another";
    EXPECT_EQ(refusal().code, ErrorCode::Conflict) << "speeds of two machines are no table";
    bench.machine.clear();
    EXPECT_TRUE(refusal().what.empty()) << "whole again";
    const auto foreign = readTable(files.table, "another");
    ASSERT_FALSE(foreign);
    EXPECT_EQ(foreign.error().code, ErrorCode::Incompatible);
}

}  // namespace
}  // namespace lacuna
