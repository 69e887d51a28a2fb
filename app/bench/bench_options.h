#pragma once
/// \file
/// Options of the commands of `lacuna-bench`. Arguments and action must outlive `app`.

#include <CLI/CLI.hpp>

#include "app/bench/bench_commands.h"
#include "app/main/shared_options.h"

namespace lacuna::cli {

struct MeasureArguments {
    RecallArguments recall;
    RulerArguments ruler;
    PerplexityArguments perplexity;
    std::vector<std::string> perplexityPlaces;
    PresetsArguments presets;
    KvtcArguments kvtc;
    BenchCompressionArguments benchCompression;
    FitHeadArguments fitHead;
};
/// recall, ruler, perplexity, presets, kvtc, bench-compression, fit-head.
void addMeasures(CLI::App& app, MeasureArguments& arguments, Action& action);

struct BenchmarkArguments {
    BenchArguments bench;
    BenchCacheArguments benchCache;
    BenchRowsArguments benchRows;
    BenchCompactionArguments benchCompaction;
    BenchParallelArguments benchParallel;
    BenchPrefixArguments benchPrefix;
    BenchFormatsArguments benchFormats;
};
/// bench and its subcommands, bench-formats.
void addBenchmarks(CLI::App& app, BenchmarkArguments& arguments, Action& action);

}  // namespace lacuna::cli
