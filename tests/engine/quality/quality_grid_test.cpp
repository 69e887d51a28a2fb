#include "engine/quality/quality_grid.h"

#include <gtest/gtest.h>

#include "app/bench/case_items.h"
#include "engine/base/string_format.h"
#include "engine/quality/grid_items.h"
#include "engine/quality/grid_plot.h"
#include "engine/quality/grid_table.h"
#include "tests/support/fake_model.h"
#include "tests/support/random_model.h"

namespace lacuna {
namespace {

struct Bench {
    ThreadPool pool{1};
    std::unique_ptr<Transformer> model =
        Transformer::create(test::makeRandomModel(test::smallSpec(), DType::F32).value(), pool,
                            {.precision = Precision::Exact, .maxTokens = 64})
            .value();
    GridOptions options;
    std::vector<GridItem> items;
    std::vector<GridSetting> settings;

    Bench() {
        options.shadow.chunk = 64;
        for (int i = 0; i < 3; ++i) items.push_back(item(i));
        for (const double share : {0.5, 0.2}) settings.push_back(recent(share));
    }
    static GridItem item(int number) {
        GridItem one{
            .kind = number == 0 ? "first" : "rest", .text = {}, .key = "", .headTokens = 0};
        for (int i = 0; i < 90; ++i)
            (i < 80 ? one.text.context : one.text.continuation)
                .push_back(3 + (i * i * 31 + i * 7 + number * 11) % 250);
        one.text.answerTokens = 4;
        if (number == 0) one.headTokens = 4;
        return one;
    }
    static GridSetting recent(double share) {
        GridSetting setting{
            .method = "recent", .asked = format("{}", share), .settings = "", .setting = {}};
        setting.setting.kv.method = CompactionMethod::Eviction;
        setting.setting.kv.compactionFloor = 0;
        setting.setting.kv.lossLimit.level = LossLimit::Level::Off;
        setting.setting.kv.evictionPolicy = EvictionPolicy::StreamingLLM;
        setting.setting.kv.keepRecent = 8;
        setting.setting.kv.nSink = 2;
        setting.setting.budgetShare = share;
        return setting;
    }
    Result<GridCells> run(GridCells known = {}) {
        return runGrid(*model, pool, items, settings, std::move(known), options);
    }
};

void eraseTimes(GridCells& cells) {
    for (auto& [at, cell] : cells) cell.compactionMs = 0;
}

TEST(QualityGrid, everySettingAndItem_givesACell) {
    Bench bench;
    std::vector<std::int64_t> seen;
    bench.options.progress = [&](std::int64_t done, std::int64_t total) {
        seen.push_back(done);
        EXPECT_EQ(total, 6);
    };
    const auto cells = bench.run();
    ASSERT_TRUE(cells) << describe(cells.error());
    EXPECT_EQ(seen, (std::vector<std::int64_t>{1, 2, 3, 4, 5, 6}));
    for (const auto& [at, cell] : *cells) {
        EXPECT_GT(cell.evictions, 0);
        EXPECT_GE(cell.kl.size(), 10U);
        EXPECT_EQ(cell.outputError.has_value(), at.first == 0);
    }
}

TEST(QualityGrid, interruptedRun_resumesToTheSameCells) {
    Bench bench;
    auto whole = bench.run().value();
    bool stopped = false;
    bench.options.shadow.cancelled = [&] { return stopped; };
    GridCells kept;
    bench.options.keep = [&](const GridCells& cells) {
        kept = cells;
        stopped = cells.size() == 3;
        return Status{};
    };
    const auto cut = bench.run();
    ASSERT_FALSE(cut);
    EXPECT_EQ(cut.error().code, ErrorCode::Cancelled);
    ASSERT_EQ(kept.size(), 3U);
    // A round trip through the file.
    const auto read = gridCellsFromJson(parseJson(dumpJson(gridCellsJson(kept))).value());
    ASSERT_TRUE(read) << describe(read.error());
    bench.options.shadow.cancelled = {};
    bench.options.keep = {};
    auto resumed = bench.run(*read).value();
    eraseTimes(whole);
    eraseTimes(resumed);
    EXPECT_EQ(dumpJson(gridCellsJson(resumed)), dumpJson(gridCellsJson(whole)));
}

TEST(QualityGrid, nothingEvicted_refusesTheCell_andExcludesItFromFigures) {
    Bench bench;
    bench.settings[1].setting.budgetShare = 1.0;
    const auto cells = bench.run();
    ASSERT_TRUE(cells) << describe(cells.error());
    EXPECT_NE(cells->at({0, 1}).refused.find("nothing was evicted"), std::string::npos);
    const auto rows = gridRows(bench.items, bench.settings, *cells);
    EXPECT_EQ(rows[0].items, 3);
    EXPECT_EQ(rows[1].items, 0);
    EXPECT_EQ(rows[1].refused, 3);
    EXPECT_FALSE(rows[1].onFront);
    EXPECT_EQ(gridRowsJson(rows)[1].contains("kl_mean"), false);
}

TEST(QualityGrid, errors_endTheRun) {
    Bench bench;
    bench.options.keep = [](const GridCells&) -> Status { return fail(ErrorCode::Write, "full"); };
    EXPECT_EQ(bench.run().error().code, ErrorCode::Write);
    bench.options.keep = {};
    bench.settings[0].setting.budgetShare = 2.0;
    EXPECT_EQ(bench.run().error().code, ErrorCode::Range);
    bench.items.clear();
    EXPECT_EQ(bench.run().error().code, ErrorCode::InvalidArgument);
}

TEST(GridState, errors_nameTheField) {
    Bench bench;
    const std::string good = dumpJson(gridCellsJson(bench.run().value()));
    for (const auto& [from, to, named] : std::vector<std::array<std::string, 3>>{
             {"\"item\":0", "\"item\":-1", "cells[0].item"},
             {"\"kl\":[", "\"kl\":[\"x\",", "cells[0].kl"},
             {"\"hit\":false", "\"hit\":0", "cells[0].hit"},
             {"\"live_bytes\":", "\"live\":", "cells[0].live_bytes"}}) {
        std::string bad = good;
        const auto at = bad.find(from);
        ASSERT_NE(at, std::string::npos) << from;
        bad.replace(at, from.size(), to);
        const auto cells = gridCellsFromJson(parseJson(bad).value());
        ASSERT_FALSE(cells) << from;
        EXPECT_NE(cells.error().what.find(named), std::string::npos) << cells.error().what;
    }
}

TEST(GridState, fingerprint_dependsOnEverythingCellsDependOn) {
    Bench bench;
    const ModelSpec& spec = bench.model->model().spec;
    const auto print = [&] {
        return gridFingerprint(spec, bench.items, bench.settings, bench.options.shadow);
    };
    const std::string first = print();
    EXPECT_EQ(print(), first);
    bench.items[2].text.continuation.back() += 1;
    const std::string second = print();
    bench.settings[1].settings = "keep_recent=9";
    const std::string third = print();
    bench.options.shadow.seed = 9;
    const std::string fourth = print();
    EXPECT_NE(first, second);
    EXPECT_NE(second, third);
    EXPECT_NE(third, fourth);
}

GridCell cell(std::vector<double> kl, std::int64_t live) {
    GridCell one;
    one.evictions = 1;
    one.liveBytes = live;
    one.logicalBytes = 100;
    one.kl = std::move(kl);
    return one;
}

TEST(GridTable, figures_areSumsOverCells) {
    std::vector<GridItem> items(3);
    for (std::size_t i = 0; i < items.size(); ++i) {
        items[i].kind = i == 0 ? "a" : "b";
        items[i].key = "7";
    }
    const std::vector<GridSetting> settings(
        1, {.method = "m", .asked = "4x", .settings = "", .setting = {}});
    GridCells cells;
    cells[{0, 0}] = cell({0.1, 0.3}, 20);
    cells[{1, 0}] = cell({0.2}, 30);
    cells[{2, 0}] = cell({0.6}, 40);
    for (std::size_t i = 0; i < 3; ++i) {
        GridCell& one = cells[{i, 0}];
        one.sameTop = 1;
        one.fullNll = 1;
        one.compactedNll = i == 0 ? 2 : 1;
        one.answered = 5;
        one.agreed = static_cast<std::int64_t>(i) + 3;
        one.hit = i > 0;
        one.fullHit = true;
    }
    const GridRow row = gridRows(items, settings, cells).front();
    EXPECT_NEAR(row.liveShare, 0.3, 1e-12);
    EXPECT_NEAR(row.divergence.klMean, 0.3, 1e-12);
    EXPECT_NEAR(row.divergence.top1, 0.75, 1e-12);
    EXPECT_NEAR(row.perplexityChange, std::exp(0.5) - 1, 1e-12) << "two of four positions lost 1";
    EXPECT_EQ(row.answerable, 3);
    EXPECT_EQ(row.fullHits, 3);
    EXPECT_NEAR(row.recall(), 2.0 / 3, 1e-12);
    EXPECT_EQ(row.sameAnswers, 1);
    EXPECT_EQ(row.agreedMedian, 4);
    const auto kinds = gridRowsByKind(items, settings, cells);
    ASSERT_EQ(kinds.size(), 2U);
    EXPECT_EQ(kinds[1].kind, "b");
    EXPECT_NEAR(kinds[1].divergence.klMean, 0.4, 1e-12);
}

GridRow placed(double live, double kl) {
    GridRow row;
    row.items = 1;
    row.liveShare = live;
    row.divergence.klMean = kl;
    return row;
}

TEST(GridTable, front_holdsNonDominatedRows) {
    std::vector<GridRow> rows{placed(0.5, 0.01), placed(0.25, 0.1), placed(0.5, 0.02),
                              placed(0.3, 0.2),  placed(0.25, 0.1), placed(0.1, 3.0)};
    rows.emplace_back();  // without a measurement
    markFront(rows);
    std::vector<bool> front;
    for (const GridRow& row : rows) front.push_back(row.onFront);
    EXPECT_EQ(front, (std::vector<bool>{true, true, false, false, true, true, false}));
}

TEST(GridTable, csvAndMarkdown_haveARowForEachSetting) {
    GridRow row = placed(0.25, 0.5);
    row.method = "a,b";
    row.asked = "=4x";
    const std::vector<GridRow> rows{row, GridRow{}};
    const std::string csv = gridCsv(rows);
    EXPECT_NE(csv.find("\"a,b\",'=4x,all,1,0,"), std::string::npos) << csv;
    std::vector<std::size_t> commas(1);
    bool quoted = false;
    for (const char c : csv) {
        if (c == '"') quoted = !quoted;
        if (c == ',' && !quoted) ++commas.back();
        if (c == '\n') commas.push_back(0);
    }
    EXPECT_EQ(commas, (std::vector<std::size_t>{22, 22, 22, 0}));
    const std::string table = gridMarkdown(rows);
    EXPECT_EQ(std::count(table.begin(), table.end(), '|'), 14 * 4);
    EXPECT_NE(table.find("are not reliable"), std::string::npos);
    std::vector<GridRow> many = rows;
    many[0].items = 50;
    EXPECT_EQ(gridMarkdown(many).find("are not reliable"), std::string::npos);
    EXPECT_EQ(gridMarkdown({}), "");
}

TEST(GridPlot, svg_showsEveryMeasuredRow_andHasNoScript) {
    std::vector<GridRow> rows{placed(0.5, 0.01), placed(0.25, 0.1), placed(0.5, 0.0)};
    rows[0].method = rows[1].method = "am";
    rows[2].method = "<b>&";
    rows[2].answerable = 2;
    rows.emplace_back();
    markFront(rows);
    const std::string svg = gridSvg(rows, "A & B");
    EXPECT_EQ(svg.rfind("<svg ", 0), 0U);
    EXPECT_TRUE(svg.ends_with("</svg>\n"));
    EXPECT_NE(svg.find("A &amp; B"), std::string::npos);
    EXPECT_NE(svg.find("&lt;b&gt;&amp;"), std::string::npos);
    EXPECT_EQ(svg.find("nan"), std::string::npos);
    EXPECT_EQ(svg.find("inf"), std::string::npos);
    std::size_t lines = 0;
    for (std::size_t at = svg.find("<polyline"); at != std::string::npos;
         at = svg.find("<polyline", at + 1))
        ++lines;
    EXPECT_EQ(lines, 4U) << "two curves in two panels";
}

TEST(GridItems, text_isSplitIntoWindows) {
    std::vector<TokenId> tokens(100);
    for (std::size_t i = 0; i < tokens.size(); ++i) tokens[i] = static_cast<TokenId>(i);
    const auto items = textItems(tokens, {.context = 50, .continuation = 20, .headTokens = 1});
    ASSERT_EQ(items.size(), 2U);
    EXPECT_EQ(items[1].text.context.front(), 20);
    EXPECT_EQ(items[1].text.continuation.front(), 70);
    EXPECT_EQ(items[1].text.continuation.size(), 20U);
    EXPECT_TRUE(
        textItems(std::span(tokens).first(69), {.context = 50, .continuation = 20}).empty());
}

TEST(GridItems, cases_areSplitBeforeTheQuestion) {
    const auto model = test::fakeLoadedModel();
    const std::vector<RecallCase> cases(
        2, {"facts1", 500, {{"user", "Read this.\n\nIt is 7.\n\nWhat is it?"}}, "7", "7"});
    const auto items =
        caseItems(*model, cases, {.answerTokens = 9, .headTokens = 3, .headEvery = 2}).value();
    ASSERT_EQ(items.size(), 2U);
    EXPECT_EQ(items[0].kind, "facts1@500");
    EXPECT_EQ(items[0].headTokens, 3);
    EXPECT_EQ(items[1].headTokens, 0);
    const auto text = [&](const std::vector<TokenId>& tokens) {
        return model->tokenizer.decode(tokens, SpecialOutput::Show).value();
    };
    EXPECT_TRUE(text(items[0].text.context).ends_with("It is 7.\n\n"));
    EXPECT_TRUE(text(items[0].text.continuation).starts_with("What is it?"));
    EXPECT_EQ(items[0].text.answerTokens, 9);
}

TEST(GridItems, conversation_hasAnItemForEachAnswer) {
    const auto model = test::fakeLoadedModel();
    std::vector<ChatMessage> messages{{"user", "A text.\n\nA question?"},
                                      {"assistant", "An answer."},
                                      {"user", "Another?"},
                                      {"assistant", "Yes."},
                                      {"user", "Sure?"}};
    const auto made = conversationItems(*model, messages, {.answerTokens = 5}).value();
    ASSERT_EQ(made.items.size(), 3U);
    EXPECT_EQ(made.left, 0);
    EXPECT_EQ(made.items[1].kind, "answer 2");
    EXPECT_EQ(made.items[1].text.answerTokens, 0);
    EXPECT_EQ(made.items[2].kind, "next answer");
    EXPECT_EQ(made.items[2].text.answerTokens, 5);
    const auto said =
        model->tokenizer.decode(made.items[1].text.continuation, SpecialOutput::Show).value();
    EXPECT_TRUE(said.ends_with("Yes.")) << said;
    messages.resize(1);
    messages[0].content.assign(5000, 'x');
    EXPECT_EQ(conversationItems(*model, messages, {}).error().code, ErrorCode::InvalidArgument);
    EXPECT_FALSE(conversationItems(*model, std::vector<ChatMessage>{{"assistant", "Hi"}}, {}));
}

TEST(GridItems, messages_areParsedOrRejectedByName) {
    const Json good = Json::parse(R"({"messages":[{"role":"user","content":"Hi"}]})");
    EXPECT_EQ(messagesFromJson(good).value()[0].content, "Hi");
    const auto bad = messagesFromJson(Json::parse(R"([{"role":"user"}])"));
    ASSERT_FALSE(bad);
    EXPECT_NE(bad.error().what.find("messages[0].content"), std::string::npos);
    EXPECT_FALSE(messagesFromJson(Json::array()));
}

}  // namespace
}  // namespace lacuna
