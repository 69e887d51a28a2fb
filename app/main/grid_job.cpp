#include "app/main/grid_job.h"

#include <chrono>
#include <filesystem>

#include "app/main/cli_support.h"
#include "engine/base/clock.h"
#include "engine/base/file.h"
#include "engine/base/json.h"
#include "engine/base/string_format.h"
#include "engine/quality/grid_plot.h"
#include "engine/quality/grid_table.h"
#include "engine/session/measured_settings.h"
#include "engine/session/read_facts.h"

namespace lacuna::cli {
namespace {

constexpr std::size_t kStateLimit = std::size_t{1} << 30;
constexpr int kStateVersion = 1;
constexpr std::int64_t kKeepNs = 1'000'000'000;

/// Stores the cells of a running measurement next to its results.
class StateFile {
  public:
    StateFile(const GridJob& job, std::string fingerprint)
        : job_(job),
          path_(std::filesystem::path(job.out) / (job.name + ".cells.json")),
          fingerprint_(std::move(fingerprint)) {}

    /// Returns the cells of an earlier run; empty if there are none.
    [[nodiscard]] Result<GridCells> read() const {
        if (job_.out.empty() || job_.fresh || !std::filesystem::exists(path_)) return GridCells{};
        LACUNA_TRY(const std::string text, readFile(path_, kStateLimit));
        const auto cells = parse(text);
        if (!cells) return tl::unexpected<Error>(withPrefix(cells.error(), path_.string()));
        return *cells;
    }
    /// Writes the cells, at most once per second except at the end of the run.
    [[nodiscard]] Status keep(const GridCells& cells, std::size_t total) {
        if (job_.out.empty()) return {};
        const std::int64_t now = clock_.nowNs();
        const bool ending =
            (job_.shadow.cancelled && job_.shadow.cancelled()) || cells.size() == total;
        if (!ending && now - writtenNs_ < kKeepNs) return {};
        writtenNs_ = now;
        const OrderedJson state{{"schema", "lacuna-grid"},
                                {"version", kStateVersion},
                                {"fingerprint", fingerprint_},
                                {"cells", gridCellsJson(cells)}};
        return writeFileAtomically(path_, dumpJson(state) + "\n");
    }

  private:
    [[nodiscard]] Result<GridCells> parse(const std::string& text) const {
        LACUNA_TRY(const Json state, parseJson(text, kDenseJson));
        if (!state.is_object() || state.value("schema", Json()) != "lacuna-grid" ||
            state.value("version", Json()) != kStateVersion || !state.contains("cells"))
            return fail(ErrorCode::Incompatible, "the file does not hold cells of a measurement");
        if (state.value("fingerprint", Json()) != fingerprint_)
            return fail(ErrorCode::Conflict,
                        "the file holds cells of another measurement (model, texts, settings or "
                        "head profile differ); choose another folder or use --fresh to start over");
        return gridCellsFromJson(state["cells"]);
    }

    const GridJob& job_;
    const std::filesystem::path path_;
    const std::string fingerprint_;
    const SteadyClock clock_;
    std::int64_t writtenNs_ = 0;
};

/// Estimates the remaining time from the pace so far.
std::string remaining(std::int64_t done, std::int64_t total, double seconds) {
    if (done < 1) return "";
    const auto left = seconds / static_cast<double>(done) * static_cast<double>(total - done);
    return format(", about {:.0f} s left", left);
}

OrderedJson resultJson(const MeasuredModel& model, const GridJob& job, const GridCells& cells,
                       double seconds) {
    OrderedJson settings = OrderedJson::array();
    for (const GridSetting& one : job.settings)
        settings.push_back(
            {{"method", one.method}, {"asked", one.asked}, {"settings", one.settings}});
    return {{"schema", "lacuna-grid-result"},
            {"version", 1},
            {"program", "Lacuna " LACUNA_VERSION},
            {"model", model.facts.name},
            {"fingerprint", model.facts.fingerprint},
            {"precision", keyOf(model.facts.precision)},
            {"head_profile",
             {{"task_free", model.profiles.taskFree != nullptr},
              {"copy_scores", model.profiles.copyScores != nullptr},
              {"questions", model.profiles.questions != nullptr}}},
            {"items", job.items.size()},
            {"settings", settings},
            {"rows", gridRowsJson(gridRows(job.items, job.settings, cells))},
            {"by_kind", gridRowsJson(gridRowsByKind(job.items, job.settings, cells))},
            {"seconds", seconds}};
}

/// Returns a table of all items, and one of the prose items if there are questions too.
std::string tables(std::span<const GridRow> rows, std::span<const GridRow> kinds) {
    std::string out = gridMarkdown(rows);
    std::vector<GridRow> text;
    for (const GridRow& row : kinds)
        if (row.kind == "text") text.push_back(row);
    if (!text.empty() && text.size() < kinds.size())
        out += "\nRunning text alone:\n\n" + gridMarkdown(text);
    return out;
}

Status writeResults(const GridJob& job, const GridCells& cells, const OrderedJson& json) {
    const auto file = [&](const char* ending) {
        return std::filesystem::path(job.out) / (job.name + ending);
    };
    std::vector<GridRow> rows = gridRows(job.items, job.settings, cells);
    const auto kinds = gridRowsByKind(job.items, job.settings, cells);
    LACUNA_TRY_STATUS(writeFileAtomically(file(".md"), tables(rows, kinds)));
    LACUNA_TRY_STATUS(writeFileAtomically(file(".svg"), gridSvg(rows, job.title)));
    rows.insert(rows.end(), kinds.begin(), kinds.end());
    LACUNA_TRY_STATUS(writeFileAtomically(file(".csv"), gridCsv(rows)));
    return writeFileAtomically(file(".json"), dumpJson(json, 1) + "\n");
}

}  // namespace

Result<PreparedGrid> prepareGrid(const GridArguments& a, std::stop_token stop) {
    LACUNA_TRY(const auto methods, methodsNamed(a.methods));
    LACUNA_TRY(const auto given, withExact(a.settings, a.exact));
    LACUNA_TRY(const EngineConfig config, greedySettings(given));
    PreparedGrid prepared;
    LACUNA_TRY(prepared.model, loadForMeasuring(a.model, config, stop));
    GridJob& job = prepared.job;
    LACUNA_TRY(job.settings, gridSettings(methods, {.ratios = a.ratios, .budgets = a.budgets},
                                          a.settings, prepared.model.facts, machineFacts()));
    job.shadow = {.type = config.kv.type,
                  .chunk = config.prefillChunk,
                  .headTokens = 0,
                  .seed = config.sampling.seed.value_or(0),
                  .profiles = prepared.model.profiles,
                  .cancelled = [stop] { return stop.stop_requested(); }};
    job.out = a.out;
    job.fresh = a.fresh;
    job.json = a.json;
    return prepared;
}

Result<int> runGridJob(MeasuredModel& model, const GridJob& job) {
    if (!job.out.empty()) {
        std::error_code problem;
        std::filesystem::create_directories(job.out, problem);
        if (problem)
            return fail(ErrorCode::Write,
                        format("{} cannot be created: {}", job.out, problem.message()));
    }
    StateFile state(job, gridFingerprint(model.loaded->spec, job.items, job.settings, job.shadow));
    LACUNA_TRY(GridCells known, state.read());
    const std::size_t total = job.items.size() * job.settings.size();
    const auto before = static_cast<std::int64_t>(known.size());
    const SteadyClock clock;
    const std::int64_t begin = clock.nowNs();
    const auto elapsed = [&] { return secondsSince(clock, begin); };
    GridOptions options{.shadow = job.shadow, .progress = {}, .keep = {}};
    Result<GridCells> cells = GridCells{};
    {
        ProgressLine line;
        options.progress = [&](std::int64_t done, std::int64_t all) {
            line.show(format("{} of {} measured{}", done, all,
                             remaining(done - before, all - before, elapsed())));
        };
        options.keep = [&](const GridCells& all) { return state.keep(all, total); };
        cells = runGrid(*model.transformer, *model.pool, job.items, job.settings, std::move(known),
                        options);
    }
    if (!cells) return tl::unexpected<Error>(cells.error());
    const OrderedJson json = resultJson(model, job, *cells, elapsed());
    if (!job.out.empty()) LACUNA_TRY_STATUS(writeResults(job, *cells, json));
    if (job.json) return printJson(json);
    return printPage(gridMarkdown(gridRows(job.items, job.settings, *cells)));
}

}  // namespace lacuna::cli
