// Options of the commands that measure what a model says: logits to ruler, and what it loses to a
// format.

#include <CLI/CLI.hpp>
#include <optional>

#include "app/main/command_options.h"
#include "app/main/commands.h"

namespace lacuna::cli {
namespace {

void addAnswers(CLI::App& app, MeasuringArguments& a, Action& action) {
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
    CLI::Option* const cases = recall->add_option(
        "cases", a.recall.cases, "JSON list of {kind, approx_tokens, messages, answer, key}");
    CLI::Option* const made =
        recall
            ->add_option("--made", a.recall.made,
                         "In place of a file: so many facts, register lines and pairs of each "
                         "length, made with the bundled text")
            ->check(CLI::Range(1, 1000))
            ->excludes(cases);
    recall->add_option("--lengths", a.recall.lengths, "Tokens of made texts, about, as N,N")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(CLI::Range(64, 1048576))
        ->needs(made)
        ->capture_default_str();
    recall->add_option("--seed", a.recall.seed, "Other made cases")
        ->check(CLI::Range(0, 1000000000))
        ->needs(made)
        ->capture_default_str();
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
}

void addRuler(CLI::App& app, MeasuringArguments& a, Action& action) {
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

void addPerplexity(CLI::App& app, MeasuringArguments& a, Action& action) {
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

void addPrecision(CLI::App& app, MeasuringArguments& a, Action& action) {
    CLI::App* command = app.add_subcommand(
        "precision",
        "Measure how far rounded products move what a model predicts, and how fast each arithmetic "
        "is; prints one JSON object and keeps the divergences for precision=auto, which takes 8 "
        "bits in two terms for a model that was not measured");
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
    command->add_option("--out", a.precision.out,
                        "Write the divergences to this file instead of keeping them; as "
                        "NAME.precision.json next to NAME.gguf it ships with the model");
    command->callback([&] { action = [&] { return cli::precision(a.precision); }; });
}

void addPresets(CLI::App& app, MeasuringArguments& a, Action& action) {
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

void addKvtc(CLI::App& app, MeasuringArguments& a, Action& action) {
    KvtcArguments& b = a.kvtc;
    CLI::App* command = app.add_subcommand(
        "kvtc",
        "Store the cache of a text by transform coding, decode it, follow the text with it, and "
        "print what it takes and costs as JSON: tokens (stored in each window), bytes_per_token "
        "(everything stored counted), ratio_end_to_end (16-bit rows over bytes), cosine_k and "
        "cosine_v (of coded rows; null where there are none), kl_mean and kl_p99 (nats, of what "
        "follows), perplexity_change "
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
                     "12, 16, 24, 32, 48, 64); what the calibration found better when left out. To "
                     "compare with, and without a bundle: q8 (8 bits and zstd), rows (zstd alone)")
        ->check(CLI::IsMember({"step", "plan", "q8", "rows"}));
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
        ->add_option(
            "--window", b.window,
            "Newest tokens, which are coded more closely; as the bundle says when left out")
        ->check(CLI::Range(0, 4096));
    command
        ->add_option("--window-ratio", b.windowRatio,
                     "Nominal ratio of the newest tokens, as the disk tier has it; never above "
                     "--ratio, and 0 "
                     "keeps them in 8 bits")
        ->check(CLI::Range(0.0, 64.0))
        ->capture_default_str();
    command
        ->add_option("--recall", b.recall,
                     "Rounds of made dialogues (six each) that are asked of whole caches and of "
                     "stored ones")
        ->check(CLI::Range(0, 1000));
    command->add_option("--threads", b.threads, "Compute threads of the model; 0 = cores")
        ->check(CLI::Range(0, 256));
    command->add_flag("--exact", b.exact, "float32 activations and cache");
    command->callback([&] { action = [&] { return cli::kvtc(a.kvtc); }; });
}

}  // namespace

void addMeasuring(CLI::App& app, MeasuringArguments& arguments, Action& action) {
    addAnswers(app, arguments, action);
    addRuler(app, arguments, action);
    addPerplexity(app, arguments, action);
    addPrecision(app, arguments, action);
    addPresets(app, arguments, action);
    addKvtc(app, arguments, action);
}

}  // namespace lacuna::cli
