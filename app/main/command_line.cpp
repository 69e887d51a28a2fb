#include "app/main/command_line.h"

#include <signal.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "app/main/cli_support.h"
#include "app/main/command_options.h"
#include "app/main/commands.h"
#include "app/main/option_pages.h"
#include "app/main/serve_command.h"
#include "engine/base/string_format.h"
#include "engine/format/printable.h"
#include "engine/format/quantise_model.h"
#include "engine/kernels/cpu_features.h"

namespace lacuna::cli {
namespace {

/// CLI::Range takes what is not a number for one in range.
CLI::Validator realBetween(double least, double most) {
    return CLI::Validator(
        [=](const std::string& text) {
            double value = 0;
            const bool read = CLI::detail::lexical_cast(text, value);
            const bool good = read && value >= least && value <= most;
            return good ? std::string()
                        : format("Value {} not in range {} to {}", text, least, most);
        },
        format("FLOAT in [{} - {}]", least, most));
}

ErrorCode codeOf(const CLI::Error& error) {
    if (error.get_name() == "ExcludesError") return ErrorCode::Conflict;
    const bool range = std::string_view(error.what()).find(" not in range ") != std::string::npos;
    return range ? ErrorCode::Range : ErrorCode::InvalidArgument;
}

/// What a refused command line is answered with: the error as every other is said, and how the
/// command is called.
std::string refusal(const CLI::App* root, const CLI::Error& error) {
    const CLI::App* command = root;
    std::string name = root->get_name();
    while (!command->get_subcommands().empty()) {
        command = command->get_subcommands().back();
        name += " " + command->get_name();
    }
    const auto formatter = std::dynamic_pointer_cast<CLI::Formatter>(command->get_formatter());
    const std::string usage = formatter == nullptr ? "" : formatter->make_usage(command, name);
    return format("lacuna: {}\n{}More: {} --help\n",
                  lineForTerminal(describe(Error{codeOf(error), error.what(), {}})), usage, name);
}

struct Arguments {
    GenerateArguments generate;
    QuantiseArguments quantise;
    CutLayersArguments cutLayers;
    LogitsArguments logits;
    TokenizeArguments tokenize;
    RecallArguments recall;
    RulerArguments ruler;
    PerplexityArguments perplexity;
    PrecisionArguments precision;
    PresetsArguments presets;
    TierArguments tier;
    BenchFormatsArguments benchFormats;
    RenderArguments render;
    std::vector<std::string> perplexityPlaces;
    InspectArguments inspect;
    CalibrateArguments calibrate;
    FitHeadArguments fitHead;
    KvtcArguments kvtc;
    QualityArguments quality;
    BenchArguments bench;
    BenchCacheArguments benchCache;
    BenchRowsArguments benchRows;
    BenchCompactionArguments benchCompaction;
    BenchParallelArguments benchParallel;
    BenchPrefixArguments benchPrefix;
    ReplayArguments replay;
    WindowArguments window;
    ServeArguments serve;
    std::string file, folder, out, type = "q8_0";
    std::string shell;  ///< whose completion is asked for
    bool json = false;
};

void addTalking(CLI::App& app, Arguments& a, Action& action) {
    CLI::App* generate =
        app.add_subcommand("generate", "Answer one message and print the answer as it comes");
    generate->add_option("model", a.generate.model,
                         "GGUF file or safetensors folder; the bundled model when left out");
    generate->add_option("-p,--prompt", a.generate.prompt, "The message");
    generate->add_option("-f,--file", a.generate.file,
                         "Read the message from a file; - is standard input");
    generate->add_option("--system", a.generate.system, "System message");
    generate->add_option("--stop", a.generate.stop, "Stop string; may be repeated");
    generate->add_option("--report", a.generate.report,
                         "Write a report of the run into this folder");
    addAnswerOptions(*generate, a.generate.answer);
    generate->add_flag("--json", a.generate.json, "Print one JSON object instead of text");
    generate->add_flag("--exact", a.generate.exact, "float32 activations");
    addSettings(generate, a.generate.settings);
    generate->callback([&] { action = [&] { return cli::generate(a.generate); }; });

    CLI::App* chat = app.add_subcommand("chat", "Talk in the terminal");
    chat->add_option("model", a.generate.model,
                     "GGUF file or safetensors folder; the bundled model when left out");
    chat->add_option("--system", a.generate.system, "System message");
    chat->add_option("--stop", a.generate.stop, "Stop string; may be repeated");
    addAnswerOptions(*chat, a.generate.answer);
    chat->add_option("--report", a.generate.report,
                     "Write a report of the session into this folder");
    addSettings(chat, a.generate.settings);
    chat->callback([&] { action = [&] { return cli::chat(a.generate); }; });
}

void addModels(CLI::App& app, Arguments& a, Action& action) {
    CLI::App* inspect = app.add_subcommand("inspect", "Say what a model file is and what it needs");
    inspect->add_option("file", a.inspect.file, "GGUF file or safetensors folder")->required();
    inspect->add_flag("--json", a.inspect.json, "Print JSON");
    addSettings(inspect, a.inspect.settings);
    auto* tensor =
        inspect->add_option("--tensor", a.inspect.tensor, "Write rows of this tensor as float32");
    inspect->add_option("--rows", a.inspect.rows, "Only the first N rows")
        ->needs(tensor)
        ->check(CLI::Range(1, 1000000000));
    inspect->add_option("--out", a.inspect.out, "NumPy file, float32 [rows, columns]")
        ->needs(tensor);
    inspect->callback([&] { action = [&] { return cli::inspect(a.inspect); }; });

    CLI::App* convert =
        app.add_subcommand("convert", "Write a safetensors folder as one GGUF file");
    convert
        ->add_option("folder", a.folder, "Folder with config.json, tokenizer.json, *.safetensors")
        ->required();
    convert->add_option("out", a.out, "GGUF file to write")->required();
    convert->add_option("type,--type", a.type, "Type of the matrices: q8_0, f16, bf16, f32")
        ->capture_default_str();
    convert->callback([&] { action = [&] { return cli::convert(a.folder, a.out, a.type); }; });
}

void addQuantising(CLI::App& app, Arguments& a, Action& action) {
    CLI::App* quantise =
        app.add_subcommand("quantize", "Write a model with F32, F16 or BF16 weights in fewer bits");
    quantise->add_option("in", a.quantise.in, "GGUF file or safetensors folder")->required();
    quantise->add_option("out", a.quantise.out, "GGUF file to write")->required();
    quantise->add_option("type", a.quantise.type, recipeNames())->required();
    quantise->add_option("--threads", a.quantise.threads, "Compute threads; 0 = cores")
        ->check(CLI::Range(0, 256));
    quantise->callback([&] { action = [&] { return cli::quantise(a.quantise); }; });

    CLI::App* cut = app.add_subcommand(
        "cut-layers",
        "Write some layers of a GGUF model as a model of their own, for --draft-model");
    cut->add_option("in", a.cutLayers.in, "GGUF file")->required();
    cut->add_option("out", a.cutLayers.out, "GGUF file to write")->required();
    cut->add_option("--keep", a.cutLayers.keep, "Layers to keep, such as 0,1,10,11")
        ->required()
        ->delimiter(',');
    cut->callback([&] { action = [&] { return cli::cutLayers(a.cutLayers); }; });
}

void addBenchCache(CLI::App& bench, Arguments& a, Action& action) {
    CLI::App* cache = bench.add_subcommand(
        "cache",
        "Compaction, growth, trim and copy of a cache without a model, beside plain copying");
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
    cache->add_option("--repeat", b.repeat, "Runs; medians are printed")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    cache->callback([&] { action = [&] { return cli::benchCache(a.benchCache); }; });
}

void addBenchRows(CLI::App& bench, Arguments& a, Action& action) {
    CLI::App* rows = bench.add_subcommand(
        "rows", "Attention's products with rows of each cache format, beside the bandwidth");
    BenchRowsArguments& b = a.benchRows;
    rows->add_option("--mebibytes", b.mebibytes, "Rows of each format, out of every cache")
        ->check(CLI::Range(1, 16384))
        ->capture_default_str();
    rows->add_option("--threads", b.threads, "Compute threads; 0 = one, then two")
        ->check(CLI::Range(0, 256));
    rows->add_option("--repeat", b.repeat, "Passes; medians are printed")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    rows->callback([&] { action = [&] { return cli::benchRows(a.benchRows); }; });
}

void addBenchCompaction(CLI::App& bench, Arguments& a, Action& action) {
    CLI::App* compaction = bench.add_subcommand(
        "compaction", "Attention matching of a whole cache beside a conversation, without a model");
    BenchCompactionArguments& b = a.benchCompaction;
    compaction->add_option("--layers", b.layers, "Layers")
        ->check(CLI::Range(1, 1024))
        ->capture_default_str();
    compaction->add_option("--heads", b.heads, "KV heads")
        ->check(CLI::Range(1, 1024))
        ->capture_default_str();
    compaction->add_option("--group", b.group, "Query heads of a KV head")
        ->check(CLI::Range(1, 64))
        ->capture_default_str();
    compaction->add_option("--dim", b.dim, "Length of a key")
        ->check(CLI::Range(8, 4096))
        ->capture_default_str();
    compaction->add_option("--tokens", b.tokens, "Tokens in the cache")
        ->check(CLI::Range(512, 1000000))
        ->capture_default_str();
    compaction->add_option("--ratio", b.ratio, "AM ratio")
        ->check(realBetween(1.1, 8))
        ->capture_default_str();
    compaction->add_option("--threads", b.threads, "Threads of the work; 0 = cores")
        ->check(CLI::Range(0, 256));
    compaction->add_option("--step-ms", b.stepMs, "Pause between two tokens")
        ->check(CLI::Range(0, 10000))
        ->capture_default_str();
    compaction->add_flag("--foreground", b.foreground, "Stop the conversation for it");
    compaction->callback([&] { action = [&] { return cli::benchCompaction(a.benchCompaction); }; });
}

void addBenchParallel(CLI::App& bench, Arguments& a, Action& action) {
    CLI::App* parallel = bench.add_subcommand(
        "parallel",
        "Several conversations at once: tokens a second, and the delay beside a long prompt");
    BenchParallelArguments& b = a.benchParallel;
    parallel->add_option("model", b.model, "Model; the bundled one when left out");
    parallel->add_option("--answers", b.answers, "Answers at once, one run for each number")
        ->delimiter(',')
        ->check(CLI::Range(1, 16))
        ->capture_default_str();
    parallel->add_option("--prompt", b.prompt, "Words of each question")
        ->check(CLI::Range(1, 100000))
        ->capture_default_str();
    parallel->add_option("--decode", b.decode, "Tokens of each answer")
        ->check(CLI::Range(2, 100000))
        ->capture_default_str();
    parallel->add_option("--long-prompt", b.longPrompt, "Words of the long prompt")
        ->check(CLI::Range(64, 100000))
        ->capture_default_str();
    parallel->add_option("--repeat", b.repeat, "Runs; medians are printed")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    addSettings(parallel, b.settings);
    parallel->callback([&] { action = [&] { return cli::benchParallel(a.benchParallel); }; });
}

void addBenchPrefix(CLI::App& bench, Arguments& a, Action& action) {
    CLI::App* prefix = bench.add_subcommand(
        "prefix",
        "Time to the first token of a text that was read before, and of one that was not");
    BenchPrefixArguments& b = a.benchPrefix;
    prefix->add_option("model", b.model, "Model; the bundled one when left out");
    prefix->add_option("--prompt", b.prompt, "Tokens of the text; fewer are not kept on disk")
        ->check(CLI::Range(256, 1000000))
        ->capture_default_str();
    prefix->add_option("--repeat", b.repeat, "Runs; medians are printed")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    prefix->add_option("--folder", b.folder,
                       "Folder on the disk to measure; that of temporary files when left out");
    prefix->add_option("--stored", b.stored, "Folder that holds the text already")->group("");
    addSettings(prefix, b.settings);
    prefix->callback([&] { action = [&] { return cli::benchPrefix(a.benchPrefix); }; });
}

void addMeasuring(CLI::App& app, Arguments& a, Action& action) {
    CLI::App* logits = app.add_subcommand("logits", "Write the logits of given token ids");
    logits->add_option("model", a.logits.model, "Model")->required();
    logits->add_option("--ids", a.logits.ids, "JSON list of token ids, or an object with `prompt`")
        ->required();
    logits->add_option("--out", a.logits.out, "NumPy file, float32 [tokens, vocabulary]")
        ->required();
    logits->add_option("--greedy", a.logits.greedy, "Continue with N greedy tokens")
        ->check(CLI::Range(0, 1000000));
    logits->add_option("--threads", a.logits.threads, "Compute threads")->check(CLI::Range(0, 256));
    logits->add_option("--chunk", a.logits.chunk, "Tokens per forward pass")
        ->check(CLI::Range(1, 4096));
    logits->add_option("--kv-type", a.logits.kvType, "f16, bf16, f32, q8_0, q4_0 or t8 to t1")
        ->capture_default_str();
    logits->add_flag("--exact", a.logits.exact,
                     "float32 activations (and a float32 cache unless --kv-type is given)");
    logits->callback([&, logits] {
        if (a.logits.exact && logits->count("--kv-type") == 0) a.logits.kvType = "f32";
        action = [&] { return cli::logits(a.logits); };
    });

    CLI::App* tokenize = app.add_subcommand("tokenize", "Text to token ids and back");
    tokenize
        ->add_option("model", a.tokenize.model, "Model, vocabulary GGUF, folder or tokenizer.json")
        ->required();
    auto* text = tokenize->add_option("--file", a.tokenize.file, "Text file");
    auto* lines =
        tokenize->add_option("--lines", a.tokenize.lines, "JSON list of strings")->excludes(text);
    tokenize->add_option("--decode", a.tokenize.decode, "JSON list of ids")
        ->excludes(text)
        ->excludes(lines);
    tokenize->add_flag("--plain", a.tokenize.plain,
                       "Control tokens spelled in the text stay text, as in a chat message");
    tokenize->add_flag("--edges", a.tokenize.edges, "Add begin and end tokens as the file says");
    tokenize->callback([&] { action = [&] { return cli::tokenize(a.tokenize); }; });

    CLI::App* recall = app.add_subcommand(
        "recall", "Ask for facts hidden in long texts and count the right answers");
    recall->add_option("model", a.recall.model, "Model")->required();
    recall
        ->add_option("cases", a.recall.cases,
                     "JSON list of {kind, approx_tokens, messages, answer, key}")
        ->required();
    recall->add_option("--limit", a.recall.limit, "Only the first N cases")
        ->check(CLI::Range(0, 1000000));
    recall
        ->add_option("--budget-share", a.recall.budgetShare,
                     "Budget as a share of each prompt, e.g. 0.5")
        ->check(realBetween(0, 1));
    recall->add_option("--rows", a.recall.rows, "Write the outcome of each case to this JSON file");
    recall->add_flag("--exact", a.recall.exact, "float32 activations");
    recall->add_flag(
        "--after-prompt", a.recall.afterPrompt,
        "Compact with the question already read, instead of between text and question");
    recall
        ->add_option("--restore", a.recall.restore,
                     "Ask once more after the line with the answer was brought back (answer), or "
                     "what the question looks for among forgotten tokens (auto)")
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
    bench->add_option("--repeat", a.bench.repeat, "Runs; medians are printed")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    bench->add_option("--kv-type", a.bench.kvType, "f16, bf16, f32, q8_0, q4_0 or t8 to t1")
        ->capture_default_str();
    bench->add_flag("--apart", a.bench.apart,
                    "Decode on a cache without the prompt, as other programs do");
    bench->add_flag("!--no-compaction", a.bench.compaction, "Leave the compaction out");
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

void addRuler(CLI::App& app, Arguments& a, Action& action) {
    CLI::App* ruler = app.add_subcommand(
        "ruler",
        "RULER's thirteen tasks, each text compacted before its question is read; beside the score "
        "stands the whole cache's. Minutes");
    ruler->add_option("model", a.ruler.model, "Model; the bundled one when left out");
    ruler->add_option("--length", a.ruler.length, "Tokens of prompt and answer together")
        ->check(CLI::Range(64, 1048576))
        ->capture_default_str();
    ruler->add_option("--rows", a.ruler.rows, "Questions of each task")
        ->check(CLI::Range(1, 10000))
        ->capture_default_str();
    ruler->add_option("--tasks", a.ruler.tasks, "Only these, as NAME,NAME; all when left out")
        ->delimiter(',')
        ->allow_extra_args(false);
    ruler->add_option("--seed", a.ruler.seed, "Other questions")
        ->check(CLI::Range(0, 1000000000))
        ->capture_default_str();
    ruler
        ->add_option("--budget-share", a.ruler.budgetShare,
                     "Budget as a share of each text, e.g. 0.25")
        ->check(realBetween(0, 1));
    ruler->add_option("--text", a.ruler.text, "Running text; a bundled one when left out");
    ruler->add_option("--answers", a.ruler.answers,
                      "Write what was asked and said to this JSON file");
    ruler->add_flag("--exact", a.ruler.exact, "float32 activations");
    addSettings(ruler, a.ruler.settings);
    ruler->callback([&] { action = [&] { return cli::ruler(a.ruler); }; });
}

void addPerplexity(CLI::App& app, Arguments& a, Action& action) {
    CLI::App* command = app.add_subcommand(
        "perplexity", "Measure how well a model predicts a text; prints one JSON object");
    command
        ->add_option("files", a.perplexityPlaces,
                     "[MODEL] TEXT.txt; the bundled model when only the text is given")
        ->required()
        ->expected(1, 2);
    command->add_option("--model", a.perplexity.model, "Model");
    command
        ->add_option("--ctx", a.perplexity.window,
                     "Tokens of a window; the model's context when left out")
        ->check(CLI::Range(2, 100000000));
    command
        ->add_option("--stride", a.perplexity.stride,
                     "Tokens from one window to the next; the window when left out")
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

void addPrecision(CLI::App& app, Arguments& a, Action& action) {
    CLI::App* command = app.add_subcommand(
        "precision",
        "Measure how far rounded products move what a model predicts, and how fast each arithmetic "
        "is; prints one JSON object");
    command->add_option("model", a.precision.model, "Model; the bundled one when left out");
    const auto count = [&](const char* name, int& value, int most, const char* help) {
        command->add_option(name, value, help)->check(CLI::Range(1, most))->capture_default_str();
    };
    command->add_option("--threads", a.precision.threads, "Compute threads; 0: one for each core")
        ->check(CLI::Range(0, 256))
        ->capture_default_str();
    count("--prefill", a.precision.prefill, 100000, "Tokens of a prompt");
    count("--decode", a.precision.decode, 100000, "Tokens of an answer");
    count("--repeat", a.precision.repeat, 1000, "Rounds; medians are printed");
    command->callback([&] { action = [&] { return cli::precision(a.precision); }; });
}

void addTier(CLI::App& app, Arguments& a, Action& action) {
    CLI::App* tier = app.add_subcommand(
        "tier", "What is kept on disk of texts that were read: how much, whether it is sound");
    tier->require_subcommand(1);
    const auto add = [&](const char* name, const char* help) {
        CLI::App* command = tier->add_subcommand(name, help);
        command->add_option("--data-dir", a.tier.dataFolder,
                            "Folder for personal data, as of `window`; your own when left out");
        command->callback([&a, &action, name] {
            a.tier.action = name;
            action = [&a] { return cli::tier(a.tier); };
        });
        return command;
    };
    add("status", "Print bytes and files by model as JSON");
    add("clear", "Remove the pages of all models, or of one")
        ->add_option("--model", a.tier.model, "Only those of the model with this fingerprint");
    add("verify",
        "Read every page and put the damaged ones aside; exit status 65 if there are any");
    add("codec", "Say or set how closely pages keep what was computed")
        ->add_option("codec", a.tier.codec,
                     "exact: bit for bit; q8: codes of 8 bits; auto: transform coding where it was "
                     "calibrated on the model (calibrate-kv --transform), else q8. Counts for "
                     "programs that are started from now on; pages that are less exact than asked "
                     "for are not read")
        ->check(CLI::IsMember({"auto", "q8", "exact"}));
}

void addPresets(CLI::App& app, Arguments& a, Action& action) {
    PresetsArguments& p = a.presets;
    CLI::App* command = app.add_subcommand(
        "presets",
        "Measure the cache formats on a model, which the window shows and goes on with, and say "
        "which is the smallest that passes; minutes");
    command->add_option("model", p.model, "Model; the bundled one when left out");
    command
        ->add_option("--most-kl", p.mostKl,
                     "A format passes with a mean divergence from 16 bits below this, nats")
        ->check(CLI::Range(1e-9, 100.0))
        ->capture_default_str();
    auto* kept =
        command->add_flag("--kept", p.kept, "Show what was measured before; measure nothing");
    command->add_flag("--fresh", p.fresh, "Measure everything again")->excludes(kept);
    command->add_flag("--json", p.json, "Print JSON instead of the tables");
    command->add_flag("--exact", p.exact, "float32 activations")->excludes(kept);
    command
        ->add_option("--formats", p.formats,
                     "Only these: t8/t4, \"t8/t4 l2\", \"t8/t4 am\", t6/t4, t5/t4, t4, t8, t3, "
                     "t3/t2, t2, q8_0, q4_0")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->excludes(kept);
    const auto count = [&](const char* name, std::optional<int>& into, int least, int most,
                           const char* help) {
        command->add_option(name, into, help)->check(CLI::Range(least, most))->excludes(kept);
    };
    count("--rounds", p.rounds, 0, 1000, "Dialogues of each task and length");
    count("--windows", p.windows, 0, 100000, "Windows of running text, at most");
    count("--speed-context", p.speedContext, 0, 1000000,
          "Tokens in the cache when speed is measured; 0: it is not");
    command->add_option("--out", p.out,
                        "Folder for the table instead of the person's own, which the window shows");
    command->callback([&] { action = [&] { return cli::presets(a.presets); }; });
}

void addBenchFormats(CLI::App& app, Arguments& a, Action& action) {
    BenchFormatsArguments& b = a.benchFormats;
    CLI::App* command = app.add_subcommand(
        "bench-formats",
        "Formats of the cache in one table with the codes they are compared with: bits, bytes, KL, "
        "perplexity, recall against 16 bits; minutes");
    command->add_option("model", b.model, "Model; the bundled one when left out");
    command
        ->add_option("--formats", b.formats,
                     "Rows: t1 to t8, q8_0, q4_0, ggml-q8_0, ggml-q4_0, u1 to u8, or KEYS/VALUES; "
                     "then words: rotated, calibrated, plain, preserve, qjl, simulated, am 8x, "
                     "l2 8x; \"t3 calibrated\",\"q4_0 rotated\"")
        ->delimiter(',')
        ->allow_extra_args(false);
    command
        ->add_option("--set", b.settings, "Setting for all rows, exact_window=0; may be repeated")
        ->type_name("KEY=VALUE")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    command->add_option("--text", b.text, "Running text; a bundled story when left out");
    const auto count = [&](const char* name, auto& into, int least, int most, const char* help) {
        command->add_option(name, into, help)->check(CLI::Range(least, most));
    };
    count("--rounds", b.rounds, 0, 1000, "Dialogues of each task and length; 2 when left out");
    count("--windows", b.windows, 0, 100000, "Windows of running text, at most; 8 when left out");
    count("--context", b.context, 16, 1000000, "Tokens of a window that are read first");
    count("--after", b.after, 2, 100000, "Tokens of a window that are followed then");
    count("--speed-context", b.speedContext, 0, 1000000,
          "Tokens in the cache when speed is measured; 0: it is not");
    command->add_option("--out", b.out,
                        "Folder for formats.json, .md and .csv, and for going on after an "
                        "interruption");
    command->add_flag("--fresh", b.fresh, "Measure everything again");
    command->add_flag("--json", b.json, "Print JSON instead of the table");
    command->add_flag("--exact", b.exact, "float32 activations");
    command->callback([&] { action = [&] { return cli::benchFormats(a.benchFormats); }; });
}

void addRender(CLI::App& app, Arguments& a, Action& action) {
    CLI::App* command =
        app.add_subcommand("render", "Print the prompt that a chat template makes of messages");
    command->add_option("model", a.render.model, "Model")->required();
    command
        ->add_option("messages", a.render.messages,
                     "JSON: a list of messages, or an object with `messages` and other variables")
        ->required();
    command->add_option("--template", a.render.file,
                        "Template text to use instead of the model's own");
    command->add_option("--tools", a.render.tools, "JSON list of tools");
    command->add_flag("!--no-generation-prompt", a.render.generationPrompt,
                      "Leave the start of an answer out");
    command->add_flag("--ids", a.render.ids, "Print token ids instead of text");
    command
        ->add_option("--set", a.render.variables,
                     "Variable of the template as NAME=JSON; may be repeated")
        ->type_name("NAME=JSON")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    command->callback([&] { action = [&] { return cli::render(a.render); }; });
}

void addKvtc(CLI::App& app, Arguments& a, Action& action) {
    KvtcArguments& b = a.kvtc;
    CLI::App* command = app.add_subcommand(
        "kvtc",
        "Store the cache of a text by transform coding, decode it, follow the text with it, and "
        "print what it takes and costs as JSON: tokens (stored in each window), bytes_per_token "
        "(everything stored counted), ratio_end_to_end (16-bit rows over bytes), cosine_k and "
        "cosine_v (of coded rows), kl_mean and kl_p99 (nats, of what follows), perplexity_change "
        "(0.01: 1 % higher), encode_mb_per_s and decode_mb_per_s (of 16-bit rows, one thread). "
        "Needs lacuna calibrate-kv MODEL --transform");
    command->add_option("model", b.model, "Model")->required();
    command->add_option("text", b.text, "Text file; the start of it is stored")->required();
    command->add_option("--ratio", b.ratio, "Nominal ratio of what is coded, without plain tokens")
        ->check(realBetween(2, 64))
        ->capture_default_str();
    command
        ->add_option("--code", b.code,
                     "step (one step, entropy-coded) or plan (bits by plan; ratios 2, 3, 4, 6, 8, "
                     "12, 16, 24, 32, 48, 64); what the calibration found better when left out")
        ->check(CLI::IsMember({"step", "plan"}));
    command->add_option("--bundle", b.bundle, "Bundle; the one next to the model when left out");
    command->add_option("--context", b.context, "Tokens that are stored")
        ->check(CLI::Range(16, 1000000))
        ->capture_default_str();
    command->add_option("--after", b.after, "Tokens that are followed then")
        ->check(CLI::Range(1, 100000))
        ->capture_default_str();
    command->add_option("--windows", b.windows, "Windows of the text, at most")
        ->check(CLI::Range(1, 100000))
        ->capture_default_str();
    command
        ->add_option("--window", b.window,
                     "Newest tokens that are stored as they are; as the bundle says when left out")
        ->check(CLI::Range(0, 4096));
    command->add_option("--threads", b.threads, "Compute threads of the model; 0 = cores")
        ->check(CLI::Range(0, 256));
    command->add_flag("--exact", b.exact, "float32 activations and cache");
    command->callback([&] { action = [&] { return cli::kvtc(a.kvtc); }; });
}

void addCompression(CLI::App& app, Arguments& a, Action& action) {
    CLI::App* calibrate = app.add_subcommand(
        "calibrate-kv",
        "Measure which heads of a model need far context, fit what foretells which tokens they "
        "need, or calibrate the rotations of rotated codes; seconds to minutes");
    calibrate->add_option("model", a.calibrate.model, "Model; the bundled one when left out");
    calibrate->add_option("--out", a.calibrate.out,
                          "Profile to write; next to the model when left out, or among your own "
                          "data where its folder cannot be written");
    CLI::Option* const questions = calibrate->add_flag(
        "--questions", a.calibrate.questions,
        "Measure with questions about texts, for the bench (head_budgets=questions); minutes");
    CLI::Option* const surrogate = calibrate
                                       ->add_flag("--surrogate", a.calibrate.surrogate,
                                                  "Fit a surrogate of reconstruction scores, so "
                                                  "that they need no second reading; minutes")
                                       ->excludes(questions);
    CLI::Option* const rotations =
        calibrate
            ->add_flag("--rotations", a.calibrate.rotations,
                       "Calibrate the rotations of rotated codes (kv_type=t8 to t1) on the model, "
                       "one for keys and one for values of each head; minutes")
            ->excludes(questions)
            ->excludes(surrogate);
    CLI::Option* const layers =
        calibrate
            ->add_flag("--layers", a.calibrate.layers,
                       "Measure what rotated codes of each layer cost the model, for extra_bits; "
                       "under the rotations it has, so after --rotations; minutes")
            ->excludes(questions)
            ->excludes(surrogate)
            ->excludes(rotations);
    CLI::Option* const transform =
        calibrate
            ->add_flag("--transform", a.calibrate.transform,
                       "Calibrate the transform that stored caches are coded with (lacuna kvtc): "
                       "components of keys and values over groups of layers; minutes")
            ->excludes(questions)
            ->excludes(surrogate)
            ->excludes(rotations)
            ->excludes(layers);
    calibrate
        ->add_option("--layer-group", a.calibrate.layerGroup,
                     "Layers that are transformed together; 0 = all of them")
        ->check(CLI::Range(0, 1024))
        ->capture_default_str()
        ->needs(transform);
    calibrate->add_option("--bits", a.calibrate.bits, "Of the codes that layers are measured with")
        ->check(CLI::Range(1, 8))
        ->capture_default_str()
        ->needs(layers);
    calibrate->add_option(
        "--text", a.calibrate.text,
        "With --questions, --surrogate, --rotations, --layers or --transform: text file around "
        "the facts, or to fit to; a bundled one when left out");
    calibrate
        ->add_option("--fit-tokens", a.calibrate.fitTokens,
                     "Tokens of the text that is fitted to, at most; 40000 with --surrogate, 30000 "
                     "with --rotations or --transform, 512 with --layers when left out")
        ->check(CLI::Range(100, 100000000))
        ->excludes(questions);
    calibrate->add_option("--rounds", a.calibrate.rounds, "Questions of each task and length")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str()
        ->needs(questions);
    calibrate->add_option("--tokens", a.calibrate.tokens, "Length of the longest text, about")
        ->check(CLI::Range(64, 1000000))
        ->capture_default_str()
        ->needs(questions);
    calibrate->add_option("--seed", a.calibrate.seed, "Other questions")
        ->check(CLI::Range(0, 1000000000))
        ->capture_default_str()
        ->needs(questions);
    calibrate->add_option("--threads", a.calibrate.threads, "Compute threads; 0 = cores")
        ->check(CLI::Range(0, 256));
    calibrate->add_flag("--exact", a.calibrate.exact, "Compute with 32-bit activations")
        ->excludes(questions);
    calibrate->add_flag("--json", a.calibrate.json,
                        "Print {seconds, heads:[[...]]} as JSON; of a surrogate {seconds, overlap, "
                        "correlation}, of rotations {seconds, tokens, hash}, of layers {seconds, "
                        "keys:[...], values:[...]}");
    calibrate->callback([&] { action = [&] { return cli::calibrate(a.calibrate); }; });

    CLI::App* fit = app.add_subcommand(
        "fit-head", "Compact one head by attention matching and compare its answers");
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
                    "query_source=captured|random; may be "
                    "repeated")
        ->type_name("KEY=VALUE")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    fit->callback([&] { action = [&] { return cli::fitHead(a.fitHead); }; });
}

void addReports(CLI::App& app, Arguments& a, Action& action) {
    CLI::App* replay =
        app.add_subcommand("replay", "Run a reported session again and compare every token");
    replay->add_option("report", a.replay.report, "report.json")->required();
    replay->add_option("--model", a.replay.model,
                       "Model file, when it lies elsewhere on this machine");
    replay->add_option("--draft-model", a.replay.draft,
                       "The same for the model that guessed ahead");
    replay->add_option("--threads", a.replay.threads, "Compute threads; 0 = as recorded")
        ->check(CLI::Range(0, 256));
    replay->callback([&] { action = [&] { return cli::replayReport(a.replay); }; });

    CLI::App* settings =
        app.add_subcommand("settings", "List every setting with range, unit and default");
    settings->add_flag("--json", a.json, "Print JSON");
    settings->callback([&] { action = [&] { return cli::settingsTable(a.json); }; });
}

/// What a package installs of this table of options.
void addPages(CLI::App& app, Arguments& a, Action& action) {
    CLI::App* manual = app.add_subcommand("manual", "Print the manual page, for man");
    manual->callback([&] { action = [&] { return print(manualPage(app)); }; });
    CLI::App* completion =
        app.add_subcommand("completion", "Print what a shell needs to complete a command line");
    completion->add_option("shell", a.shell, "bash or zsh")
        ->required()
        ->check(CLI::IsMember({"bash", "zsh"}));
    completion->callback([&] {
        action = [&] { return print(a.shell == "zsh" ? zshCompletion(app) : bashCompletion(app)); };
    });
}

void addServe(CLI::App& app, Arguments& a, Action& action, int argc, char** argv) {
    CLI::App* command = app.add_subcommand(
        "serve", "Answer OpenAI's API over HTTP, without a window; ends on SIGTERM");
    ServeArguments& s = a.serve;
    command->add_option("model", s.model,
                        "GGUF file or safetensors folder; the bundled model when left out");
    command->add_option("--host", s.host, "Address to listen at; another one needs a key")
        ->capture_default_str();
    command->add_option("--port", s.port, "Port; 0 takes a free one")
        ->check(CLI::Range(0, 65535))
        ->capture_default_str();
    command->add_option("--alias", s.alias,
                        "Name of the model for clients, further ones after commas; that of its "
                        "file when left out");
    const auto many = [&](const char* name, std::vector<std::string>& into, const char* type,
                          const char* help) {
        command->add_option(name, into, help)
            ->type_name(type)
            ->expected(1)
            ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    };
    many("--api-key", s.keys, "KEY", "Key that clients must show; may be repeated");
    many("--allow-host", s.hosts, "NAME", "Further name it answers to; may be repeated");
    many("--allow-origin", s.origins, "ORIGIN",
         "Web page that may ask through a browser; may be repeated");
    command->add_option("--slots", s.slots, "Answers at once, each with a cache; setting parallel")
        ->check(CLI::Range(1, 16));
    command->add_option("--slot-dir", s.slotFolder, "Folder for caches that clients save");
    auto* named =
        command->add_option("--chat-template", s.chatTemplate, "Built-in chat template by name");
    command
        ->add_option("--chat-template-file", s.chatTemplateFile,
                     "File with a chat template (Jinja) in place of the model's own")
        ->excludes(named);
    command->add_option("--draft-model", s.draftModel,
                        "Smaller model of the same vocabulary that guesses ahead");
    command
        ->add_option("--reasoning", s.reasoning,
                     "Whether the model thinks first; auto: where its template knows of it")
        ->check(CLI::IsMember({"on", "off", "auto"}))
        ->capture_default_str();
    auto* vectors = command->add_flag("--embeddings", s.embeddings,
                                      "Answer with vectors of texts as well (/v1/embeddings)");
    command
        ->add_option("--pooling", s.pooling,
                     "Of which tokens a vector is made: all (mean, when left out), the first (cls) "
                     "or last one; none: one for each")
        ->check(CLI::IsMember({"mean", "cls", "last", "none"}))
        ->needs(vectors);
    addSettings(command, s.settings);
    command->callback(
        [&, argc, argv] { action = [&, argc, argv] { return cli::serve(argc, argv, a.serve); }; });
}

void addWindow(CLI::App& app, Arguments& a, Action& action, int argc, char** argv) {
    const auto look = [&](CLI::App* command) {
        command->add_option("--theme", a.window.theme, "light or dark")
            ->check(CLI::IsMember({"light", "dark"}));
        command
            ->add_option("--language", a.window.language,
                         "Language of this start: en, de or zh_CN; as chosen in the window, or "
                         "that of the system, when left out")
            ->check(CLI::IsMember({"en", "de", "zh_CN"}));
        command->add_option("--size", a.window.size, "Window size, e.g. 1280x800")
            ->check(CLI::Validator(
                [](const std::string& text) {
                    int width = 0;
                    int height = 0;
                    int used = 0;
                    const bool good =
                        std::sscanf(text.c_str(), "%5dx%5d%n", &width, &height, &used) == 2 &&
                        used == static_cast<int>(text.size()) && width > 0 && height > 0;
                    return good ? std::string() : "expected WIDTHxHEIGHT, got " + text;
                },
                "WxH"));
        addSettings(command, a.window.settings);
    };
    CLI::App* demo =
        app.add_subcommand("demo", "Run the guided demo and write report, charts and screenshots");
    demo->add_option("--out", a.window.out, "Folder to write to")->required();
    demo->add_option("--model", a.window.model, "Model; the bundled one when left out");
    look(demo);
    demo->callback(
        [&, argc, argv] { action = [&, argc, argv] { return cli::demo(argc, argv, a.window); }; });

    CLI::App* window = app.add_subcommand(
        "window", "Start the window (also without a command, or with a model in its place)");
    window->add_option("model", a.window.model, "Model to load");
    window->add_option("--data-dir", a.window.data,
                       "Folder for conversations, e.g. of a second window; your own when left out");
    look(window);
    window->callback([&, argc, argv] {
        action = [&, argc, argv] { return cli::window(argc, argv, a.window); };
    });
}

/// A model in the place of a command is one to open in the window, as file managers hand it over.
/// @return the arguments, with the command put in where it was left out
std::vector<std::string> withCommand(int argc, char** argv) {
    std::vector<std::string> words(argv, argv + argc);
    if (words.size() < 2) return words;
    const std::filesystem::path first = words[1];
    std::error_code unknown;
    const bool folder = std::filesystem::exists(first / "config.json", unknown);
    if (folder || first.extension() == ".gguf") words.insert(words.begin() + 1, "window");
    return words;
}

}  // namespace

int run(int argc, char** argv) {
    ::signal(SIGPIPE, SIG_IGN);
    ::signal(SIGXFSZ, SIG_IGN);
    CLI::App app("Lacuna: chat with a local model and see what its KV cache costs", "lacuna");
    app.set_version_flag("--version", std::string("lacuna ") + LACUNA_VERSION);
    app.require_subcommand(0, 1);
    app.failure_message(refusal);
    Arguments arguments;
    Action action;
    addTalking(app, arguments, action);
    addModels(app, arguments, action);
    addQuantising(app, arguments, action);
    addMeasuring(app, arguments, action);
    addRuler(app, arguments, action);
    addPerplexity(app, arguments, action);
    addPrecision(app, arguments, action);
    addPresets(app, arguments, action);
    addTier(app, arguments, action);
    addBenchFormats(app, arguments, action);
    addRender(app, arguments, action);
    addCompression(app, arguments, action);
    addKvtc(app, arguments, action);
    addQualityCommands(app, arguments.quality, action);
    addReports(app, arguments, action);
    addServe(app, arguments, action, argc, argv);
    addWindow(app, arguments, action, argc, argv);
    addPages(app, arguments, action);
    const std::vector<std::string> words = withCommand(argc, argv);
    std::vector<const char*> pointers;
    for (const std::string& word : words) pointers.push_back(word.c_str());
    try {
        app.parse(static_cast<int>(pointers.size()), pointers.data());
    } catch (const CLI::ParseError& e) {
        const int status = app.exit(e);
        return status == 0 ? 0 : static_cast<int>(ErrorClass::Usage);
    }
    if (const Status kernels = checkKernelChoice(); !kernels) return report(kernels.error());
    const int status = action ? action() : window(argc, argv, arguments.window);
    const bool stopped = status == static_cast<int>(ErrorClass::Cancelled);
    return stopped && Interrupts::status() != 0 ? Interrupts::status() : status;
}

}  // namespace lacuna::cli
