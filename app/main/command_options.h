#pragma once
/// \file
/// Options of the command line that stand apart from command_line.cpp: those of the commands that
/// measure, and what several files of options share.

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "app/main/commands.h"

namespace lacuna::cli {

/// What the command that was chosen does; gives the exit status.
using Action = std::function<int()>;

/// --set KEY=VALUE, as often as wanted.
void addSettings(CLI::App* command, std::vector<std::string>& into);

/// CLI::Range takes what is not a number for one in range.
[[nodiscard]] CLI::Validator realBetween(double least, double most);

struct QualityArguments {
    BenchCompressionArguments benchCompression;
    SweepArguments sweep;
    CompareArguments compare;
    PreviewArguments preview;
};
/// bench-compression, sweep, compare, preview. `arguments` and `action` must outlive `app`.
void addQualityCommands(CLI::App& app, QualityArguments& arguments, Action& action);

struct MeasuringArguments {
    LogitsArguments logits;
    TokenizeArguments tokenize;
    RecallArguments recall;
    RulerArguments ruler;
    PerplexityArguments perplexity;
    std::vector<std::string> perplexityPlaces;
    PrecisionArguments precision;
    PresetsArguments presets;
    KvtcArguments kvtc;
};
/// logits, tokenize, recall, ruler, perplexity, precision, presets, kvtc; lives as long as those.
void addMeasuring(CLI::App& app, MeasuringArguments& arguments, Action& action);

struct BenchmarkArguments {
    BenchArguments bench;
    BenchCacheArguments benchCache;
    BenchRowsArguments benchRows;
    BenchCompactionArguments benchCompaction;
    BenchParallelArguments benchParallel;
    BenchPrefixArguments benchPrefix;
    BenchFormatsArguments benchFormats;
};
/// bench and its parts, bench-formats; lives as long as those.
void addBenchmarks(CLI::App& app, BenchmarkArguments& arguments, Action& action);

}  // namespace lacuna::cli
