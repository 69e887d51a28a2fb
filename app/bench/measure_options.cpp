// Options of the commands that measure the model's loss: recall to bench-compression, and fit-head.

#include <CLI/CLI.hpp>
#include <optional>

#include "app/bench/bench_options.h"

namespace lacuna::cli {
namespace {

void addRecall(CLI::App& app, MeasureArguments& a, Action& action) {
    CLI::App* recall = app.add_subcommand(
        "recall", "Ask for facts hidden in long texts and count the correct answers");
    recall->add_option("model", a.recall.model, "Model")->required();
    CLI::Option* const cases = recall->add_option(
        "cases", a.recall.cases, "JSON list of {kind, approx_tokens, messages, answer, key}");
    CLI::Option* const made =
        recall
            ->add_option("--made", a.recall.made,
                         "Instead of a file: generate this many facts, register lines and pairs of "
                         "each length from the bundled text")
            ->check(CLI::Range(1, 1000))
            ->excludes(cases);
    recall
        ->add_option("--lengths", a.recall.lengths, "Approximate tokens of generated texts, as N,N")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(CLI::Range(64, 1048576))
        ->needs(made)
        ->capture_default_str();
    recall->add_option("--seed", a.recall.seed, "Seed of the generated cases")
        ->check(CLI::Range(0, 1000000000))
        ->needs(made)
        ->capture_default_str();
    recall->add_option("--limit", a.recall.limit, "Only the first N cases")
        ->check(CLI::Range(0, 1000000));
    recall
        ->add_option("--budget-share", a.recall.budgetShare,
                     "Budget as a share of each prompt, e.g. 0.5")
        ->check(numberBetween(0, 1));
    recall->add_option("--rows", a.recall.rows, "Write the result of each case to this JSON file");
    recall->add_flag("--exact", a.recall.exact, "float32 activations");
    recall->add_flag("--after-prompt", a.recall.afterPrompt,
                     "Compact after the question, not between text and question");
    recall
        ->add_option("--restore", a.recall.restore,
                     "Ask again after restoring the line with the answer (answer), or the evicted "
                     "tokens the question needs (auto)")
        ->expected(0, 1)
        ->default_str("answer")
        ->check(CLI::IsMember({"answer", "auto"}))
        ->excludes("--after-prompt");
    recall
        ->add_flag("--turns", a.recall.turns,
                   "Ask the messages of a case one after another in one conversation; the last "
                   "answer counts")
        ->excludes("--after-prompt");
    addSettings(recall, a.recall.settings);
    recall->callback([&] { action = [&] { return cli::recall(a.recall); }; });
}

void addRuler(CLI::App& app, MeasureArguments& a, Action& action) {
    CLI::App* ruler = app.add_subcommand("ruler",
                                         "Score RULER's thirteen tasks with texts compacted before "
                                         "their questions, and with the full cache; takes minutes");
    ruler->add_option("model", a.ruler.model, "Model; default: bundled model");
    ruler->add_option("--length", a.ruler.length, "Tokens of prompt and answer together")
        ->check(CLI::Range(64, 1048576))
        ->capture_default_str();
    ruler->add_option("--rows", a.ruler.rows, "Questions per task")
        ->check(CLI::Range(1, 10000))
        ->capture_default_str();
    ruler->add_option("--tasks", a.ruler.tasks, "Only these tasks, as NAME,NAME; default: all")
        ->delimiter(',')
        ->allow_extra_args(false);
    ruler->add_option("--seed", a.ruler.seed, "Seed of the questions")
        ->check(CLI::Range(0, 1000000000))
        ->capture_default_str();
    ruler
        ->add_option("--budget-share", a.ruler.budgetShare,
                     "Budget as a share of each text, e.g. 0.25")
        ->check(numberBetween(0, 1));
    ruler->add_option("--text", a.ruler.text, "Running text; default: a bundled text");
    ruler->add_option("--answers", a.ruler.answers,
                      "Write questions and answers to this JSON file");
    ruler->add_flag("--exact", a.ruler.exact, "float32 activations");
    addSettings(ruler, a.ruler.settings);
    ruler->callback([&] { action = [&] { return cli::ruler(a.ruler); }; });
}

void addPerplexity(CLI::App& app, MeasureArguments& a, Action& action) {
    CLI::App* command = app.add_subcommand(
        "perplexity", "Measure how well a model predicts a text; prints one JSON object");
    command
        ->add_option("files", a.perplexityPlaces, "[MODEL] TEXT.txt; default model: bundled model")
        ->required()
        ->expected(1, 2);
    command->add_option("--model", a.perplexity.model, "Model");
    command
        ->add_option("--ctx", a.perplexity.window,
                     "Tokens of a window; default: the model's context")
        ->check(CLI::Range(2, 100000000));
    command
        ->add_option("--stride", a.perplexity.stride,
                     "Tokens from one window to the next; default: the window")
        ->check(CLI::Range(1, 100000000));
    command->add_option("--limit", a.perplexity.limit, "Only the first N tokens of the text")
        ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 40));
    command->add_flag("--exact", a.perplexity.exact, "float32 activations");
    addSettings(command, a.perplexity.settings);
    command->callback([&] {
        a.perplexity.file = a.perplexityPlaces.back();
        if (a.perplexityPlaces.size() == 2) a.perplexity.model = a.perplexityPlaces.front();
        action = [&] { return cli::perplexity(a.perplexity); };
    });
}

void addPresets(CLI::App& app, MeasureArguments& a, Action& action) {
    PresetsArguments& p = a.presets;
    CLI::App* command =
        app.add_subcommand("presets",
                           "Measure the cache formats on a model and report the smallest that "
                           "passes; the window shows the table. Takes minutes");
    command->add_option("model", p.model, "Model; default: bundled model");
    command
        ->add_option("--most-kl", p.maxKl,
                     "Largest mean divergence from 16 bits of a format that passes, in nats")
        ->check(CLI::Range(1e-9, 100.0))
        ->capture_default_str();
    auto* kept = command->add_flag("--kept", p.kept, "Show earlier results; measure nothing");
    command->add_flag("--fresh", p.fresh, "Measure everything again")->excludes(kept);
    command->add_flag("--json", p.json, "Print JSON instead of the tables");
    command->add_flag("--exact", p.exact, "float32 activations")->excludes(kept);
    command
        ->add_option("--formats", p.formats,
                     "Only these formats: t8/t4, \"t8/t4 l2\", \"t8/t4 am\", t6/t4, t5/t4, t4, t8, "
                     "t3, t3/t2, t2, q8_0, q4_0")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->excludes(kept);
    const auto count = [&](const char* name, std::optional<int>& into, int least, int most,
                           const char* help) {
        command->add_option(name, into, help)->check(CLI::Range(least, most))->excludes(kept);
    };
    count("--rounds", p.rounds, 0, 1000, "Dialogues per task and length");
    count("--windows", p.windows, 0, 100000, "Maximum number of windows of running text");
    count("--speed-context", p.speedContext, 0, 1000000,
          "Tokens in the cache for the speed measurement; 0 skips it");
    command->add_option(
        "--out", p.out,
        "Folder for the table; default: the user's data folder, which the window reads");
    command->callback([&] { action = [&] { return cli::presets(a.presets); }; });
}

void addKvtc(CLI::App& app, MeasureArguments& a, Action& action) {
    KvtcArguments& b = a.kvtc;
    CLI::App* command = app.add_subcommand(
        "kvtc",
        "Store the cache of a text by transform coding, decode it, continue the text with it, and "
        "print size and loss as JSON: tokens (stored in each window), bytes_per_token (all stored "
        "bytes), ratio_end_to_end (16-bit rows over bytes), cosine_k and cosine_v (of coded rows; "
        "null if there are none), kl_mean and kl_p99 (nats, of the continued text), "
        "perplexity_change (0.01: 1 % higher), encode_mb_per_s and decode_mb_per_s (of 16-bit "
        "rows, one thread). Needs lacuna calibrate-kv MODEL --transform");
    command->add_option("model", b.model, "Model")->required();
    command->add_option("text", b.text, "Text file; its start is stored")->required();
    command->add_option("--ratio", b.ratio, "Nominal ratio of the coded tokens, without plain ones")
        ->check(numberBetween(2, 64))
        ->capture_default_str();
    command
        ->add_option("--code", b.code,
                     "step (one step, entropy-coded) or plan (bits by plan; ratios 2, 3, 4, 6, 8, "
                     "12, 16, 24, 32, 48, 64); default: the one the calibration found better. For "
                     "comparison, without a bundle: q8 (8 bits and zstd), rows (only zstd)")
        ->check(CLI::IsMember({"step", "plan", "q8", "rows"}));
    command->add_option("--bundle", b.bundle, "Bundle; default: the one next to the model");
    command->add_option("--context", b.context, "Tokens to store")
        ->check(CLI::Range(16, 1000000))
        ->capture_default_str();
    command->add_option("--after", b.after, "Tokens to measure after them")
        ->check(CLI::Range(1, 100000))
        ->capture_default_str();
    command->add_option("--windows", b.windows, "Maximum number of windows of the text")
        ->check(CLI::Range(1, 100000))
        ->capture_default_str();
    command
        ->add_option("--window", b.window,
                     "Newest tokens, which are coded more precisely; default: as in the bundle")
        ->check(CLI::Range(0, 4096));
    command
        ->add_option("--window-ratio", b.windowRatio,
                     "Nominal ratio of the newest tokens, as in the prefix cache on disk; never "
                     "above --ratio; 0 keeps them in 8 bits")
        ->check(CLI::Range(0.0, 64.0))
        ->capture_default_str();
    command
        ->add_option("--recall", b.recall,
                     "Rounds of six generated dialogues, asked with full and with stored caches")
        ->check(CLI::Range(0, 1000));
    command->add_option("--threads", b.threads, "Compute threads of the model; 0 = cores")
        ->check(CLI::Range(0, 256));
    command->add_flag("--exact", b.exact, "float32 activations and cache");
    command->callback([&] { action = [&] { return cli::kvtc(a.kvtc); }; });
}

/// Options for the table of the window's quality page. Methods, ratios and rounds are those of the
/// table unless given; options that the table does not use are rejected.
void addTable(CLI::App* bench, BenchCompressionArguments& b, Action& action) {
    TableArguments& t = b.table;
    auto* table = bench
                      ->add_option("--table", t.size,
                                   "Fill the quality table of the model, which the window shows: "
                                   "small takes minutes, whole takes hours")
                      ->check(CLI::IsMember({"small", "whole"}));
    for (const char* other : {"--budgets", "--tokens", "--heads-every", "--text-limit"})
        bench->get_option(other)->excludes(table);
    const auto count = [&](const char* name, std::optional<int>& into, int least, int most,
                           const char* help) {
        bench->add_option(name, into, help)->check(CLI::Range(least, most))->needs(table);
    };
    count("--ruler-length", t.rulerLength, 64, 1000000, "Tokens per RULER question");
    count("--ruler-rows", t.rulerRows, 0, 1000, "Questions per RULER task");
    count("--windows", t.windows, 0, 100000, "Maximum number of windows of running text");
    bench->callback([bench, &b, &action] {
        if (bench->count("--methods") > 0) b.table.methods = b.grid.methods;
        if (bench->count("--ratios") > 0) b.table.ratios = b.grid.ratios;
        if (bench->count("--rounds") > 0) b.table.rounds = b.rounds;
        action = [&b] { return cli::benchCompression(b); };
    });
}

void addBenchCompression(CLI::App& app, MeasureArguments& a, Action& action) {
    BenchCompressionArguments& b = a.benchCompression;
    CLI::App* bench = app.add_subcommand(
        "bench-compression",
        "Compare recall, KL and perplexity of compacted caches with the full cache; takes minutes");
    addGrid(bench, b.grid);
    auto* cases = bench->add_option("--cases", b.cases,
                                    "JSON list of questions as for recall; default: generated");
    bench->add_option("--limit", b.limit, "Only the first N of them")
        ->check(CLI::Range(0, 1000000))
        ->needs(cases);
    bench->add_option("--every", b.every, "Only every N-th of them")
        ->check(CLI::Range(1, 1000000))
        ->needs(cases)
        ->capture_default_str();
    bench->add_option("--rounds", b.rounds, "Questions per task and length; 0: none")
        ->check(CLI::Range(0, 1000))
        ->excludes(cases)
        ->capture_default_str();
    bench->add_option("--tokens", b.tokens, "Approximate length of the longest text")
        ->check(CLI::Range(64, 1000000))
        ->excludes(cases)
        ->capture_default_str();
    bench->add_option("--seed", b.seed, "Seed of the questions")
        ->check(CLI::Range(0, 1000000000))
        ->excludes(cases)
        ->capture_default_str();
    bench->add_option("--heads-every", b.headEvery, "Compare heads on every N-th question")
        ->check(CLI::Range(1, 1000000))
        ->capture_default_str();
    bench->add_option("--text", b.text, "Running text; default: a bundled text");
    bench->add_option("--text-limit", b.textLimit, "Only the first N tokens of the text")
        ->check(CLI::Range(0, 100000000));
    addTable(bench, b, action);
}

void addFitHead(CLI::App& app, MeasureArguments& a, Action& action) {
    CLI::App* fit = app.add_subcommand(
        "fit-head", "Compact one head by attention matching and compare its outputs");
    fit->add_option("folder", a.fitHead.folder,
                    "Folder with keys.npy values.npy queries_fit.npy queries_test.npy")
        ->required();
    fit->add_option("--keep", a.fitHead.keep, "Keys to keep")
        ->required()
        ->check(CLI::Range(1, 1 << 24));
    fit->add_option("--set", a.fitHead.settings,
                    "selector=coverage|distinct|rms|max|mean|omp|omp_fast, "
                    "mass=none|shift|redistribute|cluster|nnls, "
                    "values=direct|ols|ridge_orig|ridge_cluster, lambda=, anchor=, "
                    "effort=moved|thorough|live, "
                    "query_source=captured|random; may be "
                    "repeated")
        ->type_name("KEY=VALUE")
        ->expected(1)
        ->allow_extra_args(false)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    fit->callback([&] { action = [&] { return cli::fitHead(a.fitHead); }; });
}

}  // namespace

void addMeasures(CLI::App& app, MeasureArguments& arguments, Action& action) {
    addRecall(app, arguments, action);
    addRuler(app, arguments, action);
    addPerplexity(app, arguments, action);
    addPresets(app, arguments, action);
    addKvtc(app, arguments, action);
    addBenchCompression(app, arguments, action);
    addFitHead(app, arguments, action);
}

}  // namespace lacuna::cli
