// Options of the commands that measure speed and formats: bench and bench-formats.

#include <CLI/CLI.hpp>

#include "app/bench/bench_options.h"

namespace lacuna::cli {
namespace {

void addBenchCache(CLI::App& bench, BenchmarkArguments& a, Action& action) {
    CLI::App* cache = bench.add_subcommand("cache",
                                           "Time compaction, growth, trim and copy of a cache "
                                           "without a model; plain copying for comparison");
    BenchCacheArguments& b = a.benchCache;
    cache->add_option("--layers", b.layers, "Layers")
        ->check(CLI::Range(1, 1024))
        ->capture_default_str();
    cache->add_option("--heads", b.heads, "KV heads")
        ->check(CLI::Range(1, 1024))
        ->capture_default_str();
    cache->add_option("--dim", b.dim, "Length of a key")
        ->check(CLI::Range(8, 4096))
        ->capture_default_str();
    cache->add_option("--tokens", b.tokens, "Tokens in the cache")
        ->check(CLI::Range(512, 1000000))
        ->capture_default_str();
    cache->add_option("--threads", b.threads, "Compute threads; 0 = one, then two")
        ->check(CLI::Range(0, 256));
    cache->add_option("--repeat", b.repeat, "Runs; prints medians")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    cache->callback([&] { action = [&] { return cli::benchCache(a.benchCache); }; });
}

void addBenchRows(CLI::App& bench, BenchmarkArguments& a, Action& action) {
    CLI::App* rows = bench.add_subcommand(
        "rows",
        "Time attention products with rows of each cache format; memory bandwidth for comparison");
    BenchRowsArguments& b = a.benchRows;
    rows->add_option("--mebibytes", b.mebibytes,
                     "Rows of each format, more than any CPU cache holds")
        ->check(CLI::Range(1, 16384))
        ->capture_default_str();
    rows->add_option("--threads", b.threads, "Compute threads; 0 = one, then two")
        ->check(CLI::Range(0, 256));
    rows->add_option("--repeat", b.repeat, "Passes; prints medians")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    rows->callback([&] { action = [&] { return cli::benchRows(a.benchRows); }; });
}

void addBenchCompaction(CLI::App& bench, BenchmarkArguments& a, Action& action) {
    CLI::App* compaction = bench.add_subcommand("compaction",
                                                "Time attention matching of a full cache in the "
                                                "background of a conversation, without a model");
    BenchCompactionArguments& b = a.benchCompaction;
    compaction->add_option("--layers", b.layers, "Layers")
        ->check(CLI::Range(1, 1024))
        ->capture_default_str();
    compaction->add_option("--heads", b.heads, "KV heads")
        ->check(CLI::Range(1, 1024))
        ->capture_default_str();
    compaction->add_option("--group", b.group, "Query heads per KV head")
        ->check(CLI::Range(1, 64))
        ->capture_default_str();
    compaction->add_option("--dim", b.dim, "Length of a key")
        ->check(CLI::Range(8, 4096))
        ->capture_default_str();
    compaction->add_option("--tokens", b.tokens, "Tokens in the cache")
        ->check(CLI::Range(512, 1000000))
        ->capture_default_str();
    compaction->add_option("--ratio", b.ratio, "AM ratio")
        ->check(numberBetween(1.1, 8))
        ->capture_default_str();
    compaction->add_option("--threads", b.threads, "Background threads; 0 = cores")
        ->check(CLI::Range(0, 256));
    compaction->add_option("--step-ms", b.stepMs, "Pause between two tokens")
        ->check(CLI::Range(0, 10000))
        ->capture_default_str();
    compaction->add_flag("--foreground", b.foreground, "Stop the conversation meanwhile");
    compaction->callback([&] { action = [&] { return cli::benchCompaction(a.benchCompaction); }; });
}

void addBenchParallel(CLI::App& bench, BenchmarkArguments& a, Action& action) {
    CLI::App* parallel = bench.add_subcommand(
        "parallel",
        "Run several conversations at once: tokens per second, and the delay from a long prompt");
    BenchParallelArguments& b = a.benchParallel;
    parallel->add_option("model", b.model, "Model; default: bundled model");
    parallel->add_option("--answers", b.answers, "Concurrent answers, one run for each number")
        ->delimiter(',')
        ->check(CLI::Range(1, 16))
        ->capture_default_str();
    parallel->add_option("--prompt", b.prompt, "Words per question")
        ->check(CLI::Range(1, 100000))
        ->capture_default_str();
    parallel->add_option("--decode", b.decode, "Tokens per answer")
        ->check(CLI::Range(2, 100000))
        ->capture_default_str();
    parallel->add_option("--long-prompt", b.longPrompt, "Words in the long prompt")
        ->check(CLI::Range(64, 100000))
        ->capture_default_str();
    parallel->add_option("--repeat", b.repeat, "Runs; prints medians")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    addSettings(parallel, b.settings);
    parallel->callback([&] { action = [&] { return cli::benchParallel(a.benchParallel); }; });
}

void addBenchPrefix(CLI::App& bench, BenchmarkArguments& a, Action& action) {
    CLI::App* prefix = bench.add_subcommand(
        "prefix", "Time to the first token of a text, with and without the prefix cache");
    BenchPrefixArguments& b = a.benchPrefix;
    prefix->add_option("model", b.model, "Model; default: bundled model");
    prefix
        ->add_option("--prompt", b.prompt,
                     "Tokens of the text; shorter ones are not stored on disk")
        ->check(CLI::Range(256, 1000000))
        ->capture_default_str();
    prefix->add_option("--repeat", b.repeat, "Runs; prints medians")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    prefix->add_option("--folder", b.folder,
                       "Folder on the disk to measure; default: folder of temporary files");
    prefix->add_option("--stored", b.stored, "Folder where the text is stored already")->group("");
    addSettings(prefix, b.settings);
    prefix->callback([&] { action = [&] { return cli::benchPrefix(a.benchPrefix); }; });
}

void addBench(CLI::App& app, BenchmarkArguments& a, Action& action) {
    CLI::App* bench = app.add_subcommand("bench", "Measure speed; prints one JSON object");
    bench->add_option("model", a.bench.model, "Model");
    bench->add_option("--prefill", a.bench.prefill, "Prompt tokens")
        ->check(CLI::Range(0, 1000000))
        ->capture_default_str();
    bench->add_option("--decode", a.bench.decode, "Tokens decoded one by one")
        ->check(CLI::Range(0, 1000000))
        ->capture_default_str();
    bench->add_option("--context", a.bench.context, "Tokens already in the cache")
        ->check(CLI::Range(0, 10000000));
    bench->add_option("--threads", a.bench.threads, "Compute threads; 0 = cores")
        ->check(CLI::Range(0, 256));
    bench->add_option("--repeat", a.bench.repeat, "Runs; prints medians")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    bench->add_option("--kv-type", a.bench.kvType, "f16, bf16, f32, q8_0, q4_0 or t8 to t1")
        ->capture_default_str();
    bench->add_flag("--apart", a.bench.apart,
                    "Decode with a cache without the prompt, as other programs do");
    bench->add_flag("!--no-compaction", a.bench.compaction, "Skip the compaction");
    addBenchCache(*bench, a, action);
    addBenchRows(*bench, a, action);
    addBenchCompaction(*bench, a, action);
    addBenchParallel(*bench, a, action);
    addBenchPrefix(*bench, a, action);
    bench->callback([&, bench] {
        if (!bench->get_subcommands().empty()) return;
        if (a.bench.model.empty()) throw CLI::RequiredError("model");
        action = [&] { return cli::bench(a.bench); };
    });
}

void addBenchFormats(CLI::App& app, BenchmarkArguments& a, Action& action) {
    BenchFormatsArguments& b = a.benchFormats;
    CLI::App* command =
        app.add_subcommand("bench-formats",
                           "Compare cache formats and other codes with 16 bits in one table: bits, "
                           "bytes, KL, perplexity, recall; takes minutes");
    command->add_option("model", b.model, "Model; default: bundled model");
    command
        ->add_option("--formats", b.formats,
                     "Rows: t1 to t8, q8_0, q4_0, ggml-q8_0, ggml-q4_0, u1 to u8, or KEYS/VALUES; "
                     "then words: rotated, calibrated, plain, preserve, qjl, simulated, am 8x, "
                     "l2 8x; \"t3 calibrated\",\"q4_0 rotated\"")
        ->delimiter(',')
        ->allow_extra_args(false);
    command
        ->add_option("--set", b.settings,
                     "Setting for all rows, e.g. exact_window=0; may be repeated")
        ->type_name("KEY=VALUE")
        ->expected(1)
        ->allow_extra_args(false)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    command->add_option("--text", b.text, "Running text; default: a bundled story");
    const auto count = [&](const char* name, auto& into, int least, int most, const char* help) {
        command->add_option(name, into, help)->check(CLI::Range(least, most));
    };
    count("--rounds", b.rounds, 0, 1000, "Dialogues per task and length; default: 2");
    count("--windows", b.windows, 0, 100000,
          "Maximum number of windows of running text; default: 8");
    count("--context", b.context, 16, 1000000, "Tokens of a window to read first");
    count("--after", b.after, 2, 100000, "Tokens of a window to measure after them");
    count("--speed-context", b.speedContext, 0, 1000000,
          "Tokens in the cache for the speed measurement; 0 skips it");
    command->add_option(
        "--out", b.out,
        "Folder for formats.json, .md and .csv; an interrupted run resumes from it");
    command->add_flag("--fresh", b.fresh, "Measure everything again");
    command->add_flag("--json", b.json, "Print JSON instead of the table");
    command->add_flag("--exact", b.exact, "float32 activations");
    command->callback([&] { action = [&] { return cli::benchFormats(a.benchFormats); }; });
}

}  // namespace

void addBenchmarks(CLI::App& app, BenchmarkArguments& arguments, Action& action) {
    addBench(app, arguments, action);
    addBenchFormats(app, arguments, action);
}

}  // namespace lacuna::cli
