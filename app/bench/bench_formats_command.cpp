// bench-formats: table of cache formats and the codes they are compared with.

#include <filesystem>

#include "app/bench/bench_commands.h"
#include "app/bench/bench_format.h"
#include "app/bench/quality_table_command.h"
#include "app/bench/table_run.h"
#include "app/main/cli_support.h"
#include "app/main/measuring_input.h"
#include "app/main/task_free_profile.h"
#include "engine/base/file.h"
#include "engine/base/json.h"
#include "engine/base/string_format.h"
#include "engine/generate/cache_shape.h"
#include "engine/session/measured_settings.h"
#include "engine/session/read_facts.h"

namespace lacuna::cli {
namespace {

constexpr const char* kName = "formats";
/// Settings that are given by the rows of the table.
constexpr std::string_view kOfRows[] = {
    "kv_type=", "v_type=", "kv_rotation=", "method=", "budget=", "am_ratio="};

/// Returns the configuration not determined by the rows. Errors: Conflict, those of withExact and
/// greedySettings.
Result<EngineConfig> baseConfig(const BenchFormatsArguments& a) {
    for (const std::string& one : a.settings)
        for (const std::string_view key : kOfRows)
            if (one.starts_with(key))
                return fail(
                    ErrorCode::Conflict,
                    format("{} is set by the rows of the table; choose rows with --formats instead",
                           one));
    LACUNA_TRY(const auto given, withExact(a.settings, a.exact));
    return greedySettings(given);
}

Result<std::vector<BenchFormat>> formatsOf(const BenchFormatsArguments& a) {
    std::vector<std::string> names = a.formats;
    if (names.empty()) names.assign(defaultBenchFormats().begin(), defaultBenchFormats().end());
    std::vector<BenchFormat> formats;
    for (const std::string& name : names) {
        LACUNA_TRY(BenchFormat format, benchFormatNamed(name));
        formats.push_back(std::move(format));
    }
    return formats;
}

/// Returns why a model cannot use a row; empty if it can. The reasons agree with the errors of
/// creating the caches.
std::string refusalOf(const BenchFormat& format, const EngineConfig& config,
                      const MeasuredModel& model) {
    if (const auto valid = check(config, &model.facts, machineFacts()); !valid)
        return violationsError(valid.error()).what;
    if (format.rotation == KvRotation::Calibrated && model.loaded->rotations == nullptr)
        return model.facts.rotationsNote.empty() ? "this model has no calibrated rotations; make "
                                                   "them with lacuna calibrate-kv --rotations"
                                                 : model.facts.rotationsNote;
    if (!format.rows) return {};
    if (const Status uniform = checkUniformCache(model.loaded->spec, "simulated formats"); !uniform)
        return uniform.error().what;
    const int dim = model.loaded->spec.headDim;
    for (const auto& [what, coding] :
         {std::pair("keys", format.rows->keys), std::pair("values", format.rows->values)})
        if (const Status checked = checkRowCoding(what, coding, dim); !checked)
            return checked.error().what;
    return {};
}

TableSetting settingOf(const BenchFormat& format, EngineConfig config, const MeasuredModel& model) {
    TableSetting made{.grid = {.method = format.name,
                               .asked = lacuna::format("{:g}x", format.ratio),
                               .settings = {},
                               .setting = benchSetting(format, config.kv)},
                      .ratio = format.ratio};
    config.kv = made.grid.setting.kv;
    made.grid.refused = refusalOf(format, config, model);
    made.grid.settings = settingsText(config);
    return made;
}

TableMeasure measureOf(const BenchFormatsArguments& a, int context) {
    TableMeasure measure = tableMeasure(TableSize::Formats, context);
    measure.speed.context = a.speedContext;
    if (a.rounds) measure.dialogueRounds = *a.rounds;
    if (a.windows) measure.textWindows = *a.windows;
    if (a.context) measure.textContext = *a.context;
    if (a.after) measure.textAfter = *a.after;
    return measure;
}

Result<TableTexts> textsOf(const BenchFormatsArguments& a) {
    TableTexts texts;
    LACUNA_TRY(texts.filler, bundledText());
    if (a.text.empty()) {
        LACUNA_TRY(texts.book, bundledBook());
    } else {
        LACUNA_TRY(texts.book, readText(a.text));
    }
    return texts;
}

Status writeResults(const std::filesystem::path& out, const QualityTable& table) {
    LACUNA_TRY_STATUS(writeFileAtomically(out / "formats.md", qualityTableMarkdown(table)));
    return writeFileAtomically(out / "formats.csv", qualityTableCsv(table));
}

Result<int> benchFormatsOrError(const BenchFormatsArguments& a, const std::stop_token& stop) {
    LACUNA_TRY_STATUS(checkOutputs(
        {.outputs = gridFiles(a.out, kName), .models = {a.model}, .inputs = {a.text}}));
    LACUNA_TRY(const std::vector<BenchFormat> formats, formatsOf(a));
    LACUNA_TRY(const EngineConfig config, baseConfig(a));
    LACUNA_TRY(TableTexts texts, textsOf(a));
    LACUNA_TRY(MeasuredModel model, loadForMeasuring(a.model, config, stop));
    const TableMeasure measure = measureOf(a, model.facts.context);
    LACUNA_TRY_STATUS(checkWithinContext("--context and --after",
                                         std::int64_t{measure.textContext} + measure.textAfter,
                                         model.facts.context));
    LACUNA_TRY_STATUS(checkWithinContext("--speed-context",
                                         std::int64_t{measure.speed.context} + measure.speed.tokens,
                                         model.facts.context));
    TableRun::Request request{.measure = measure,
                              .texts = std::move(texts),
                              .settings = {},
                              .shadow = {.type = DType::F16,
                                         .chunk = config.prefillChunk,
                                         .headTokens = 0,
                                         .seed = config.sampling.seed.value_or(0),
                                         .profiles = model.profiles,
                                         .cancelled = [stop] { return stop.stop_requested(); }},
                              .head = tableHead({model.facts, model.profiles}, machineFacts()),
                              .files = {},
                              .fresh = a.fresh};
    request.head.program = "Lacuna " LACUNA_VERSION;
    for (const BenchFormat& one : formats)
        request.settings.push_back(settingOf(one, config, model));
    const std::filesystem::path out(a.out);
    if (!a.out.empty())
        request.files =
            TableFiles{.table = out / "formats.json", .cells = out / "formats.cells.json"};
    TableRun run(*model.loaded, std::move(request));
    LACUNA_TRY_STATUS(fillTable(run, model));
    if (!a.out.empty()) LACUNA_TRY_STATUS(writeResults(out, run.table()));
    if (a.json) return printJson(qualityTableJson(run.table()));
    return printPage(qualityTableMarkdown(run.table()));
}

}  // namespace

int benchFormats(const BenchFormatsArguments& arguments) {
    const Interrupts interrupts;
    const auto status = benchFormatsOrError(arguments, interrupts.token());
    return status ? *status : report(status.error());
}

}  // namespace lacuna::cli
