// presets: measures the cache formats on a model and reports which one passes.

#include <filesystem>

#include "app/bench/bench_commands.h"
#include "app/bench/quality_table_command.h"
#include "app/bench/table_run.h"
#include "app/main/cli_support.h"
#include "app/main/measuring_input.h"
#include "app/main/task_free_profile.h"
#include "engine/base/json.h"
#include "engine/model/weight_placement.h"
#include "engine/quality/format_table.h"
#include "engine/session/cache_presets.h"
#include "engine/session/read_facts.h"

namespace lacuna::cli {
namespace {

Result<TableFiles> filesOf(const PresetsArguments& a, const std::string& fingerprint) {
    const std::filesystem::path folder =
        a.out.empty() ? personalFolder() : std::filesystem::path(a.out);
    if (folder.empty())
        return fail(ErrorCode::InvalidArgument,
                    "there is no folder for personal data; choose one with --out");
    return tableFiles(folder, fingerprint, TableSize::Formats);
}

TableMeasure measureOf(const PresetsArguments& a, int context) {
    TableMeasure measure = tableMeasure(TableSize::Formats, context);
    if (a.rounds) measure.dialogueRounds = *a.rounds;
    if (a.windows) measure.textWindows = *a.windows;
    if (a.speedContext) measure.speed.context = *a.speedContext;
    return measure;
}

Result<QualityTable> measured(const PresetsArguments& a, const std::stop_token& stop,
                              ModelFacts& facts) {
    LACUNA_TRY(const auto given, withExact({}, a.exact));
    LACUNA_TRY(const EngineConfig config, greedySettings(given));
    LACUNA_TRY(MeasuredModel model, loadForMeasuring(a.model, config, stop));
    facts = model.facts;
    const TableModel subject{model.facts, model.profiles};
    const TableMeasure measure = measureOf(a, model.facts.context);
    LACUNA_TRY_STATUS(checkWithinContext("--speed-context",
                                         std::int64_t{measure.speed.context} + measure.speed.tokens,
                                         model.facts.context));
    TableRun::Request request{.measure = measure,
                              .texts = {},
                              .settings = {},
                              .shadow = {.type = DType::F16,
                                         .chunk = config.prefillChunk,
                                         .headTokens = 0,
                                         .seed = 0,
                                         .profiles = model.profiles,
                                         .cancelled = [stop] { return stop.stop_requested(); }},
                              .head = tableHead(subject, machineFacts()),
                              .files = {},
                              .fresh = a.fresh};
    LACUNA_TRY(request.texts.filler, bundledText());
    LACUNA_TRY(request.texts.book, bundledBook());
    request.head.program = "Lacuna " LACUNA_VERSION;
    LACUNA_TRY(request.settings, formatSettings(a.formats, subject, machineFacts()));
    LACUNA_TRY(request.files, filesOf(a, model.facts.fingerprint));
    TableRun run(*model.loaded, std::move(request));
    LACUNA_TRY_STATUS(fillTable(run, model));
    return run.table();
}

/// Returns the stored table of the model without running it. Errors: those of readTable.
Result<std::optional<QualityTable>> kept(const PresetsArguments& a, const std::stop_token& stop,
                                         ModelFacts& facts) {
    LACUNA_TRY(const auto path, modelPath(a.model));
    LACUNA_TRY(const auto model, loadToRun(path, {.progress = {}, .stop = stop}));
    facts = factsOf(*model);
    LACUNA_TRY(const TableFiles files, filesOf(a, facts.fingerprint));
    auto table = readTable(files.table, facts.fingerprint);
    if (!table || *table) return table;
    return readTable(shippedTablePath(path, TableSize::Formats), facts.fingerprint);
}

Result<int> presetsOrError(const PresetsArguments& a, const std::stop_token& stop) {
    std::optional<QualityTable> table;
    ModelFacts facts;
    if (a.kept) {
        LACUNA_TRY(table, kept(a, stop, facts));
    } else {
        LACUNA_TRY(table, measured(a, stop, facts));
    }
    const HeadProfiles none;
    const auto presets =
        cachePresets({facts, none}, machineFacts(), table ? &*table : nullptr, a.maxKl);
    const auto gate = table ? formatGate(*table, a.maxKl) : std::nullopt;
    if (a.json) {
        OrderedJson json{{"model", facts.name}, {"most_kl", a.maxKl}};
        json["gate"] = OrderedJson();
        if (gate)
            json["gate"] = {{"format", gate->passed > 0 ? gate->chosen.method : "f16"},
                            {"kl_mean", gate->chosen.klMean},
                            {"bytes_per_token", gate->chosen.bytesPerToken},
                            {"measured", gate->measured},
                            {"passed", gate->passed}};
        json["presets"] = cachePresetsJson(presets);
        json["table"] = table ? qualityTableJson(*table) : OrderedJson();
        return printJson(json);
    }
    std::string page = cachePresetsMarkdown(presets) + "\n";
    page += gate ? gateText(*gate) + "\n" : "The formats have not been measured on this model.\n";
    if (table) page += "\n" + qualityTableMarkdown(*table);
    return printPage(page);
}

}  // namespace

int presets(const PresetsArguments& arguments) {
    const Interrupts interrupts;
    const auto status = presetsOrError(arguments, interrupts.token());
    return status ? *status : report(status.error());
}

}  // namespace lacuna::cli
