// bench-compression --table: the same quality table as on the window's quality page.

#include <algorithm>
#include <filesystem>
#include <optional>

#include "app/bench/bench_commands.h"
#include "app/bench/quality_table_command.h"
#include "app/bench/table_run.h"
#include "app/main/cli_support.h"
#include "app/main/measuring_input.h"
#include "app/main/task_free_profile.h"
#include "engine/base/clock.h"
#include "engine/base/file.h"
#include "engine/base/json.h"
#include "engine/base/string_format.h"
#include "engine/session/measured_settings.h"
#include "engine/session/read_facts.h"

namespace lacuna::cli {
namespace {

constexpr const char* kName = "quality";

Result<TableTexts> textsOf(const BenchCompressionArguments& a) {
    TableTexts texts;
    if (a.text.empty()) {
        LACUNA_TRY(texts.filler, bundledText());
    } else {
        LACUNA_TRY(texts.filler, readText(a.text));
    }
    LACUNA_TRY(texts.book, bundledBook());
    if (a.cases.empty()) return texts;
    LACUNA_TRY(const std::string text, readFile(a.cases, kTextLimit));
    LACUNA_TRY(const Json list, parseJson(text));
    LACUNA_TRY(texts.cases, recallCasesFromJson(list));
    if (a.limit > 0)
        texts.cases.resize(std::min(texts.cases.size(), static_cast<std::size_t>(a.limit)));
    std::vector<RecallCase> chosen;
    for (std::size_t i = 0; i < texts.cases.size(); i += static_cast<std::size_t>(a.every))
        chosen.push_back(std::move(texts.cases[i]));
    texts.cases = std::move(chosen);
    return texts;
}

TableMeasure measureOf(const TableArguments& table, const BenchCompressionArguments& a,
                       int context) {
    TableMeasure measure =
        tableMeasure(table.size == "whole" ? TableSize::Whole : TableSize::Small, context);
    if (table.rounds) measure.dialogueRounds = *table.rounds;
    if (table.rulerLength) measure.rulerLength = *table.rulerLength;
    if (table.rulerRows) measure.rulerRows = *table.rulerRows;
    if (table.windows) measure.textWindows = *table.windows;
    measure.seed = static_cast<std::uint64_t>(a.seed);
    return measure;
}

/// Returns settings under which loading measures a missing task-free profile, if a row of the table
/// needs it.
Result<EngineConfig> baseConfig(const GridArguments& a, const std::vector<std::string>& methods) {
    LACUNA_TRY(auto given, withExact(a.settings, a.exact));
    const bool byHeads = methods.empty() || std::ranges::count(methods, "am task_free") > 0;
    if (!byHeads) return greedySettings(given);
    std::vector<std::string> all{"method=am", "head_budgets=task_free"};
    all.insert(all.end(), given.begin(), given.end());
    return greedySettings(all);
}

std::string progressText(TableRun& run, const SteadyClock& clock, std::int64_t begin) {
    if (run.cellsTotal() == 0) return format("preparing texts: {:.0f} %", 100 * run.prepared());
    const std::int64_t made = run.cellsDone() - run.known();
    std::string text = format("{} of {} measured", run.cellsDone(), run.cellsTotal());
    if (made < 1) return text;
    const double left = secondsSince(clock, begin) / static_cast<double>(made) *
                        static_cast<double>(run.cellsTotal() - run.cellsDone());
    return text + (left < 120 ? format(", about {:.0f} s left", left)
                              : format(", about {:.0f} min left", left / 60));
}

}  // namespace

Status fillTable(TableRun& run, MeasuredModel& model) {
    const SteadyClock clock;
    const std::int64_t begin = clock.nowNs();
    ProgressLine line;
    while (!run.done()) {
        const Status stepped = run.step(*model.transformer, *model.pool);
        if (!stepped) {
            // Save the measurements so that a later run can resume.
            if (const Status kept = run.keep();
                !kept && stepped.error().code == ErrorCode::Cancelled)
                return kept;
            return stepped;
        }
        line.show(progressText(run, clock, begin));
    }
    return run.keep();
}

namespace {

Status writeResults(const std::string& folder, const QualityTable& table) {
    const std::filesystem::path out(folder);
    LACUNA_TRY_STATUS(writeFileAtomically(out / "quality.md", qualityTableMarkdown(table)));
    return writeFileAtomically(out / "quality.csv", qualityTableCsv(table));
}

/// Copies the table to the user's data folder, where the window reads it.
Status keepForWindow(const TableFiles& made, const TableFiles& own) {
    for (const auto& [from, to] : {std::pair(made.cells, own.cells), {made.table, own.table}}) {
        LACUNA_TRY(const std::string text, readFile(from, std::size_t{1} << 30));
        LACUNA_TRY_STATUS(writeFileInFolder(to, text));
    }
    return {};
}

}  // namespace

Result<int> qualityTable(const BenchCompressionArguments& a, std::stop_token stop) {
    const TableArguments& table = a.table;
    LACUNA_TRY_STATUS(checkOutputs({.outputs = gridFiles(a.grid.out, kName),
                                    .models = {a.grid.model},
                                    .inputs = {a.cases, a.text}}));
    LACUNA_TRY(TableTexts texts, textsOf(a));
    LACUNA_TRY(const EngineConfig config, baseConfig(a.grid, table.methods));
    LACUNA_TRY(MeasuredModel model, loadForMeasuring(a.grid.model, config, stop));
    const std::vector<double> all(tableRatios().begin(), tableRatios().end());
    TableRun::Request request{.measure = measureOf(table, a, model.facts.context),
                              .texts = std::move(texts),
                              .settings = {},
                              .shadow = {.type = config.kv.type,
                                         .chunk = config.prefillChunk,
                                         .headTokens = 0,
                                         .seed = config.sampling.seed.value_or(0),
                                         .profiles = model.profiles,
                                         .cancelled = [stop] { return stop.stop_requested(); }},
                              .head = tableHead({model.facts, model.profiles}, machineFacts()),
                              .files = {},
                              .fresh = a.grid.fresh};
    request.head.program = "Lacuna " LACUNA_VERSION;
    LACUNA_TRY(request.settings,
               tableSettings(table.methods, table.ratios.empty() ? all : table.ratios,
                             a.grid.settings, {model.facts, model.profiles}, machineFacts()));
    const std::filesystem::path folder = personalFolder();
    std::optional<TableFiles> own;
    if (!folder.empty()) own = tableFiles(folder, model.facts.fingerprint, request.measure.size);
    const std::filesystem::path out(a.grid.out);
    request.files = a.grid.out.empty() ? own
                                       : TableFiles{.table = out / "quality.json",
                                                    .cells = out / "quality.cells.json"};
    const auto files = request.files;
    TableRun run(*model.loaded, std::move(request));
    LACUNA_TRY_STATUS(fillTable(run, model));
    if (!a.grid.out.empty()) {
        LACUNA_TRY_STATUS(writeResults(a.grid.out, run.table()));
        if (own)
            if (const Status kept = keepForWindow(*files, *own); !kept)
                note(format("the window will not show this table: {}", describe(kept.error())));
    }
    if (a.grid.json) return printJson(qualityTableJson(run.table()));
    return printPage(qualityTableMarkdown(run.table()));
}

}  // namespace lacuna::cli
