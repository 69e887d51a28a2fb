#pragma once
/// \file
/// The commands of the program `lacuna-bench`, one function each; every one returns the exit
/// status. Arguments are plain structs filled by bench_options.cpp and measure_options.cpp.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/main/commands.h"

namespace lacuna::cli {

struct RecallArguments {
    std::string model;
    std::string cases;  ///< a file; empty: they are made
    int made = 0;       ///< rounds of facts, lines and pairs at each of `lengths`
    std::vector<int> lengths = {500, 1500};  ///< tokens of a made text, about
    std::uint64_t seed = 1;                  ///< of made cases
    std::vector<std::string> settings;
    std::optional<double> budgetShare;
    int limit = 0;
    std::string rows;  ///< file for the outcome of each case
    bool exact = false;
    bool afterPrompt = false;  ///< compaction sees the question too
    std::string restore = {};  ///< what is brought back before it is asked once more; empty:
                               ///< nothing
    bool turns = false;        ///< the messages of a case are asked one after another
};
[[nodiscard]] int recall(const RecallArguments& arguments);

struct RulerArguments {
    std::string model;  ///< empty: the bundled one
    int length = 4096;  ///< tokens of prompt and answer
    int rows = 5;       ///< questions of each task
    std::vector<std::string> settings;
    std::optional<double> budgetShare;
    std::vector<std::string> tasks;  ///< empty: all
    int seed = 0;
    std::string text;     ///< running text; empty: the bundled one
    std::string answers;  ///< file for the outcome of each question
    bool exact = false;
};
[[nodiscard]] int ruler(const RulerArguments& arguments);

struct PerplexityArguments {
    std::string model;  ///< empty: the bundled one
    std::string file;   ///< the text
    std::vector<std::string> settings;
    int window = 0;  ///< tokens; 0: the model's context
    int stride = 0;  ///< tokens; 0: the window
    std::int64_t limit = 0;
    bool exact = false;
};
[[nodiscard]] int perplexity(const PerplexityArguments& arguments);

struct PresetsArguments {
    std::string model;      ///< empty: the bundled one
    double mostKl = 0.005;  ///< nats; below it a format passes
    bool kept = false;      ///< only what is kept is shown, nothing is measured
    bool fresh = false;
    bool json = false;
    bool exact = false;
    std::vector<std::string> formats;  ///< rows by name; empty: all
    // In place of what the table of formats measures.
    std::optional<int> rounds, windows, speedContext;
    std::string out;  ///< folder for a table of its own; empty: the person's, which the window
                      ///< shows
};
[[nodiscard]] int presets(const PresetsArguments& arguments);

struct BenchFormatsArguments {
    std::string model;                 ///< empty: the bundled one
    std::vector<std::string> formats;  ///< rows (bench_format.h); empty: the usual
    std::vector<std::string> settings;
    std::string text;  ///< running text; empty: a bundled story
    // In place of what the table of formats measures.
    std::optional<int> rounds, windows, context, after;
    int speedContext = 0;  ///< tokens in the cache when speed is measured; 0: it is not
    std::string out;       ///< folder for results and for going on after an interruption
    bool fresh = false;
    bool json = false;
    bool exact = false;
};
[[nodiscard]] int benchFormats(const BenchFormatsArguments& arguments);

struct KvtcArguments {
    std::string model;   ///< empty: the bundled one
    std::string text;    ///< file
    double ratio = 8;    ///< nominal
    std::string code;    ///< "step", "plan"; empty: the better one of the bundle; "q8", "rows"
    std::string bundle;  ///< file; empty: the one next to the model
    int context = 3072;  ///< tokens that are stored
    int after = 256;     ///< tokens that are followed
    int windows = 4;
    int window = -1;         ///< newest tokens that are stored more closely; -1: as the bundle says
    double windowRatio = 8;  ///< nominal, of those, `ratio` at most; 0: in 8 bits
    int recall = 0;          ///< rounds of made dialogues that are asked of a stored cache; 0: none
    int threads = 0;
    bool exact = false;
};
[[nodiscard]] int kvtc(const KvtcArguments& arguments);

struct FitHeadArguments {
    std::string folder;  ///< with keys.npy, values.npy, queries_fit.npy, queries_test.npy
    int keep = 0;
    std::vector<std::string> settings;
};
[[nodiscard]] int fitHead(const FitHeadArguments& arguments);

/// The quality table of a model (table_run.h) in place of a grid of one's own.
struct TableArguments {
    std::string size;                  ///< "small", "whole"; empty: no table
    std::vector<std::string> methods;  ///< rows by name; empty: all
    std::vector<double> ratios;        ///< empty: those of the table
    // In place of what the size stands for.
    std::optional<int> rounds, rulerLength, rulerRows, windows;
};
struct BenchCompressionArguments {
    TableArguments table;
    GridArguments grid{.model = {},
                       .methods = {"am", "keydiff", "recent", "random"},
                       .ratios = {2, 4, 8},
                       .budgets = {},
                       .settings = {},
                       .out = {}};
    std::string cases;  ///< empty: questions made on the spot
    int limit = 0;      ///< only the first cases; 0: all
    int every = 1;      ///< only every n-th case, from the first
    int rounds = 2;     ///< questions of each task and length, when made
    int tokens = 1500;  ///< of the longest text, at most three quarters of the context
    int seed = 7;       ///< of the questions; calibrate-kv asks others
    int headEvery = 4;  ///< heads are compared on every n-th question
    std::string text;   ///< running text; empty: the bundled one
    int textLimit = 0;  ///< only the first tokens of it; 0: all
};
[[nodiscard]] int benchCompression(const BenchCompressionArguments& arguments);

struct BenchArguments {
    std::string model;
    int prefill = 512;
    int decode = 64;
    int context = 0;
    int threads = 0;
    int repeat = 3;
    std::string kvType = "f16";
    bool apart = false;  ///< prompt and answer each after `context` tokens only
    bool compaction = true;
};
[[nodiscard]] int bench(const BenchArguments& arguments);

/// Shape of Qwen3-8B unless said otherwise.
struct BenchCacheArguments {
    int layers = 36;
    int heads = 8;  ///< KV heads
    int dim = 128;
    int tokens = 8192;
    int threads = 0;
    int repeat = 3;
};
[[nodiscard]] int benchCache(const BenchCacheArguments& arguments);

struct BenchRowsArguments {
    int mebibytes = 192;  ///< of the rows of each format
    int threads = 0;
    int repeat = 3;
};
[[nodiscard]] int benchRows(const BenchRowsArguments& arguments);

struct BenchCompactionArguments {
    int layers = 36, heads = 8, group = 4, dim = 128;  ///< group: query heads of a KV head
    int tokens = 8192;
    double ratio = 8;
    int threads = 0;
    int stepMs = 20;  ///< between two tokens
    bool foreground = false;
};
[[nodiscard]] int benchCompaction(const BenchCompactionArguments& arguments);

/// The bundled model unless another is named.
struct BenchParallelArguments {
    std::string model;
    std::vector<int> answers{1, 2, 4, 8};
    int prompt = 32;        ///< words of each question
    int decode = 64;        ///< tokens of each answer
    int longPrompt = 1500;  ///< words
    int repeat = 3;
    std::vector<std::string> settings;
};
[[nodiscard]] int benchParallel(const BenchParallelArguments& arguments);

/// The bundled model unless another is named.
struct BenchPrefixArguments {
    std::string model;
    int prompt = 3000;  ///< tokens
    int repeat = 3;
    std::vector<std::string> settings;
    std::string folder;  ///< on the disk to measure; empty: that of temporary files
    std::string stored;  ///< of the process that is started to find what lies here
};
[[nodiscard]] int benchPrefix(const BenchPrefixArguments& arguments);

}  // namespace lacuna::cli
