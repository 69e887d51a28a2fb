#include "app/bench/bench_line.h"

#include "app/bench/bench_options.h"
#include "app/main/command_program.h"

namespace lacuna::cli {
namespace {

constexpr ManualTexts kPages{
    .summary = "measure language models and the loss of their KV cache",
    .description =
        "The benchmarks of Lacuna: recall, RULER and perplexity of compacted caches, tables of "
        "methods and cache formats, speed of models and of parts of the engine. Results are JSON "
        "or tables; a measurement with --out can be stopped and resumed. The window of lacuna(1) "
        "shows the tables of bench-compression --table and presets, and starts this program to "
        "fill them."};

}  // namespace

int runBench(int argc, char** argv) {
    CLI::App app(
        "Lacuna's benchmarks: recall, RULER, perplexity, tables of methods and formats, "
        "speed",
        "lacuna-bench");
    app.set_version_flag("--version", std::string("lacuna-bench ") + LACUNA_VERSION);
    app.require_subcommand(1, 1);
    MeasureArguments measures;
    BenchmarkArguments benchmarks;
    Action action;
    addMeasures(app, measures, action);
    addBenchmarks(app, benchmarks, action);
    return parseAndRun(app, kPages, action, std::vector<std::string>(argv, argv + argc), {});
}

}  // namespace lacuna::cli
