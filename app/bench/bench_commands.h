#pragma once
/// \file
/// The commands of the program `lacuna-bench`, one function each; all return the exit status.
/// Arguments are plain structs filled by bench_options.cpp and measure_options.cpp.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/main/commands.h"

namespace lacuna::cli {

struct RecallArguments {
    std::string model;
    std::string cases;  ///< file of cases; empty: generated cases
    int made = 0;       ///< rounds of facts, lines and pairs generated per entry of `lengths`
    std::vector<int> lengths = {500, 1500};  ///< approximate tokens of a generated text
    std::uint64_t seed = 1;                  ///< seed of generated cases
    std::vector<std::string> settings;
    std::optional<double> budgetShare;
    int limit = 0;
    std::string rows;  ///< output file for the result of each case
    bool exact = false;
    bool afterPrompt = false;  ///< compaction also sees the question
    std::string restore = {};  ///< tokens restored before a case is asked a second time; empty:
                               ///< none
    bool turns = false;        ///< ask the messages of a case one after another
};
[[nodiscard]] int recall(const RecallArguments& arguments);

struct RulerArguments {
    std::string model;  ///< empty: the bundled model
    int length = 4096;  ///< tokens of prompt and answer
    int rows = 5;       ///< questions per task
    std::vector<std::string> settings;
    std::optional<double> budgetShare;
    std::vector<std::string> tasks;  ///< empty: all
    int seed = 0;
    std::string text;     ///< prose text; empty: the bundled text
    std::string answers;  ///< output file for the result of each question
    bool exact = false;
};
[[nodiscard]] int ruler(const RulerArguments& arguments);

struct PerplexityArguments {
    std::string model;  ///< empty: the bundled model
    std::string file;   ///< text to predict
    std::vector<std::string> settings;
    int window = 0;  ///< tokens; 0: the model's context
    int stride = 0;  ///< tokens; 0: the window
    std::int64_t limit = 0;
    bool exact = false;
};
[[nodiscard]] int perplexity(const PerplexityArguments& arguments);

struct PresetsArguments {
    std::string model;     ///< empty: the bundled model
    double maxKl = 0.005;  ///< KL threshold in nats below which a format passes
    bool kept = false;     ///< only print the stored table, measure nothing
    bool fresh = false;
    bool json = false;
    bool exact = false;
    std::vector<std::string> formats;  ///< rows by name; empty: all
    // Overrides of the values of the formats table.
    std::optional<int> rounds, windows, speedContext;
    std::string out;  ///< output folder of the table; empty: the user's data folder, which the
                      ///< window shows
};
[[nodiscard]] int presets(const PresetsArguments& arguments);

struct BenchFormatsArguments {
    std::string model;                 ///< empty: the bundled model
    std::vector<std::string> formats;  ///< row names (bench_format.h); empty: the default rows
    std::vector<std::string> settings;
    std::string text;  ///< prose text; empty: a bundled story
    // Overrides of the values of the formats table.
    std::optional<int> rounds, windows, context, after;
    int speedContext = 0;  ///< tokens in the cache during speed measurement; 0: speed is not
                           ///< measured
    std::string out;       ///< folder for results and for resuming after an interruption
    bool fresh = false;
    bool json = false;
    bool exact = false;
};
[[nodiscard]] int benchFormats(const BenchFormatsArguments& arguments);

struct KvtcArguments {
    std::string model;   ///< empty: the bundled model
    std::string text;    ///< text file
    double ratio = 8;    ///< nominal compression ratio
    std::string code;    ///< "step", "plan"; empty: the better one of the bundle; "q8", "rows"
    std::string bundle;  ///< bundle file; empty: the one next to the model
    int context = 3072;  ///< stored tokens
    int after = 256;     ///< tokens evaluated after them
    int windows = 4;
    int window = -1;  ///< newest tokens, stored with higher precision; -1: as given by the bundle
    double windowRatio = 8;  ///< their nominal ratio, at most `ratio`; 0: 8 bits
    int recall = 0;          ///< rounds of generated dialogues asked of a stored cache; 0: none
    int threads = 0;
    bool exact = false;
};
[[nodiscard]] int kvtc(const KvtcArguments& arguments);

struct FitHeadArguments {
    std::string folder;  ///< folder with keys.npy, values.npy, queries_fit.npy, queries_test.npy
    int keep = 0;
    std::vector<std::string> settings;
};
[[nodiscard]] int fitHead(const FitHeadArguments& arguments);

/// Arguments of the quality table of a model (table_run.h), which replaces a user-defined grid.
struct TableArguments {
    std::string size;                  ///< "small", "whole"; empty: no table
    std::vector<std::string> methods;  ///< row names; empty: all
    std::vector<double> ratios;        ///< empty: the ratios of the table
    // Overrides of the values implied by the size.
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
    std::string cases;  ///< empty: generated questions
    int limit = 0;      ///< only the first cases; 0: all
    int every = 1;      ///< use every n-th case, starting with the first
    int rounds = 2;     ///< rounds of generated questions per task and length
    int tokens = 1500;  ///< tokens of the longest text, at most three quarters of the context
    int seed = 7;       ///< seed of the questions, different from that of calibrate-kv
    int headEvery = 4;  ///< compare heads on every n-th question
    std::string text;   ///< prose text; empty: the bundled text
    int textLimit = 0;  ///< number of its tokens used; 0: all
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
    bool apart = false;  ///< measure prompt and answer separately, each after `context` tokens
    bool compaction = true;
};
[[nodiscard]] int bench(const BenchArguments& arguments);

/// Defaults are the shape of Qwen3-8B.
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
    int mebibytes = 192;  ///< size of the rows of each format
    int threads = 0;
    int repeat = 3;
};
[[nodiscard]] int benchRows(const BenchRowsArguments& arguments);

struct BenchCompactionArguments {
    int layers = 36, heads = 8, group = 4, dim = 128;  ///< group: query heads per KV head
    int tokens = 8192;
    double ratio = 8;
    int threads = 0;
    int stepMs = 20;  ///< time between two tokens
    bool foreground = false;
};
[[nodiscard]] int benchCompaction(const BenchCompactionArguments& arguments);

/// Uses the bundled model unless another one is given.
struct BenchParallelArguments {
    std::string model;
    std::vector<int> answers{1, 2, 4, 8};
    int prompt = 32;        ///< words per question
    int decode = 64;        ///< tokens per answer
    int longPrompt = 1500;  ///< words
    int repeat = 3;
    std::vector<std::string> settings;
};
[[nodiscard]] int benchParallel(const BenchParallelArguments& arguments);

/// Uses the bundled model unless another one is given.
struct BenchPrefixArguments {
    std::string model;
    int prompt = 3000;  ///< tokens
    int repeat = 3;
    std::vector<std::string> settings;
    std::string folder;  ///< folder on the disk to measure; empty: folder of temporary files
    std::string stored;  ///< internal: folder of a stored text, set for the restarted process
};
[[nodiscard]] int benchPrefix(const BenchPrefixArguments& arguments);

}  // namespace lacuna::cli
