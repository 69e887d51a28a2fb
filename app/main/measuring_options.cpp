// Options of logits, tokenize and precision.

#include <CLI/CLI.hpp>

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

    CLI::App* tokenize = app.add_subcommand("tokenize", "Convert text to token ids and back");
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
                       "Treat control tokens in the text as plain text, as in a chat message");
    tokenize->add_flag("--edges", a.tokenize.edges,
                       "Add begin and end tokens as the model file specifies");
    tokenize->callback([&] { action = [&] { return cli::tokenize(a.tokenize); }; });
}

void addPrecision(CLI::App& app, MeasuringArguments& a, Action& action) {
    CLI::App* command = app.add_subcommand(
        "precision",
        "Measure how much each precision changes a model's predictions and how fast it is; prints "
        "one JSON object and saves the divergences for precision=auto, which uses 8 bits in two "
        "terms for a model that was not measured");
    command->add_option("model", a.precision.model, "Model (default: the bundled model)");
    const auto count = [&](const char* name, int& value, int most, const char* help) {
        command->add_option(name, value, help)->check(CLI::Range(1, most))->capture_default_str();
    };
    command->add_option("--threads", a.precision.threads, "Compute threads; 0 = cores")
        ->check(CLI::Range(0, 256))
        ->capture_default_str();
    count("--prefill", a.precision.prefill, 100000, "Tokens of a prompt");
    count("--decode", a.precision.decode, 100000, "Tokens of an answer");
    count("--repeat", a.precision.repeat, 1000, "Number of rounds, of which medians are printed");
    command->add_option("--out", a.precision.out,
                        "Write the divergences to this file instead of your data folder; "
                        "NAME.precision.json next to NAME.gguf is found with the model");
    command->callback([&] { action = [&] { return cli::precision(a.precision); }; });
}

}  // namespace

void addMeasuring(CLI::App& app, MeasuringArguments& arguments, Action& action) {
    addAnswers(app, arguments, action);
    addPrecision(app, arguments, action);
}

}  // namespace lacuna::cli
