#include "app/main/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "app/main/cli_support.h"
#include "app/main/command_options.h"
#include "app/main/command_program.h"
#include "app/main/commands.h"
#include "app/main/download_command.h"
#include "app/main/serve_command.h"
#include "engine/base/string_format.h"
#include "engine/format/quantise_model.h"

namespace lacuna::cli {
namespace {

struct Arguments {
    GenerateArguments generate;
    QuantiseArguments quantise;
    CutLayersArguments cutLayers;
    TierArguments tier;
    RenderArguments render;
    InspectArguments inspect;
    CalibrateArguments calibrate;
    QualityArguments quality;
    MeasuringArguments measuring;
    ReplayArguments replay;
    WindowArguments window;
    ServeArguments serve;
    DownloadArguments download;
    std::string file, folder, out, type = "q8_0";
    bool json = false;
};

void addTalking(CLI::App& app, Arguments& a, Action& action) {
    CLI::App* generate =
        app.add_subcommand("generate", "Answer one message and print the answer as it is written");
    generate->add_option("model", a.generate.model,
                         "GGUF file or safetensors folder (default: the bundled model)");
    generate->add_option("-p,--prompt", a.generate.prompt, "The message");
    generate->add_option("-f,--file", a.generate.file,
                         "Read the message from a file; - is standard input");
    generate->add_option("--system", a.generate.system, "System message");
    generate->add_option("--stop", a.generate.stop, "Stop string; may be repeated");
    generate->add_option("--report", a.generate.report, "Write a report of the run to this folder");
    addAnswerOptions(*generate, a.generate.answer);
    generate->add_flag("--json", a.generate.json, "Print one JSON object instead of text");
    generate->add_flag("--exact", a.generate.exact, "float32 activations");
    addSettings(generate, a.generate.settings);
    generate->callback([&] { action = [&] { return cli::generate(a.generate); }; });

    CLI::App* chat = app.add_subcommand("chat", "Chat in the terminal");
    chat->add_option("model", a.generate.model,
                     "GGUF file or safetensors folder (default: the bundled model)");
    chat->add_option("--system", a.generate.system, "System message");
    chat->add_option("--stop", a.generate.stop, "Stop string; may be repeated");
    addAnswerOptions(*chat, a.generate.answer);
    chat->add_option("--report", a.generate.report, "Write a report of the session to this folder");
    addSettings(chat, a.generate.settings);
    chat->callback([&] { action = [&] { return cli::chat(a.generate); }; });
}

void addModels(CLI::App& app, Arguments& a, Action& action) {
    CLI::App* inspect = app.add_subcommand(
        "inspect", "Show what a model file contains and how much memory it needs");
    inspect->add_option("file", a.inspect.file, "GGUF file or safetensors folder")->required();
    inspect->add_flag("--json", a.inspect.json, "Print JSON");
    addSettings(inspect, a.inspect.settings);
    auto* tensor = inspect->add_option("--tensor", a.inspect.tensor,
                                       "Write the rows of this tensor as float32");
    inspect->add_option("--rows", a.inspect.rows, "Only the first N rows")
        ->needs(tensor)
        ->check(CLI::Range(1, 1000000000));
    inspect->add_option("--out", a.inspect.out, "NumPy file, float32 [rows, columns]")
        ->needs(tensor);
    inspect->callback([&] { action = [&] { return cli::inspect(a.inspect); }; });

    CLI::App* convert =
        app.add_subcommand("convert", "Convert a safetensors folder to one GGUF file");
    convert
        ->add_option("folder", a.folder, "Folder with config.json, tokenizer.json, *.safetensors")
        ->required();
    convert->add_option("out", a.out, "GGUF file to write")->required();
    convert->add_option("type,--type", a.type, "Type of the matrices: q8_0, f16, bf16, f32")
        ->capture_default_str();
    convert->callback([&] { action = [&] { return cli::convert(a.folder, a.out, a.type); }; });
}

void addQuantising(CLI::App& app, Arguments& a, Action& action) {
    CLI::App* quantise = app.add_subcommand(
        "quantize", "Quantise a model with F32, F16 or BF16 weights to fewer bits");
    quantise->add_option("in", a.quantise.in, "GGUF file or safetensors folder")->required();
    quantise->add_option("out", a.quantise.out, "GGUF file to write")->required();
    quantise->add_option("type", a.quantise.type, recipeNames())->required();
    quantise->add_option("--threads", a.quantise.threads, "Compute threads; 0 = cores")
        ->check(CLI::Range(0, 256));
    quantise->callback([&] { action = [&] { return cli::quantise(a.quantise); }; });

    CLI::App* cut = app.add_subcommand(
        "cut-layers", "Write some layers of a GGUF model as a separate model for --draft-model");
    cut->add_option("in", a.cutLayers.in, "GGUF file")->required();
    cut->add_option("out", a.cutLayers.out, "GGUF file to write")->required();
    cut->add_option("--keep", a.cutLayers.keep, "Layers to keep, such as 0,1,10,11")
        ->required()
        ->delimiter(',');
    cut->callback([&] { action = [&] { return cli::cutLayers(a.cutLayers); }; });
}

void addDownload(CLI::App& app, Arguments& a, Action& action, int argc, char** argv) {
    CLI::App* command = app.add_subcommand("download",
                                           "Download a model from a hub or a URL; repeat the "
                                           "command to resume an interrupted download");
    DownloadArguments& d = a.download;
    command
        ->add_option("model", d.what,
                     "OWNER/NAME on the hub, or the URL of a file; LACUNA_HUB_TOKEN can hold a "
                     "token for the hub")
        ->type_name("NAME")
        ->required();
    command
        ->add_option("file", d.file, "File of the repository; not needed if it has only one model")
        ->type_name("NAME");
    command->add_option("--out", d.out,
                        "Folder to write to (default: the model folder of your data)");
    command->add_option("--sha256", d.sha256,
                        "Digest that the file must have (default: the one reported by the hub)");
    command->add_option("--hub", d.hub, "URL of the hub (default: Hugging Face)");
    command->add_flag("--allow-http", d.plainHttp,
                      "Allow unencrypted downloads from other machines");
    command->add_flag("--list", d.list, "Only list the models of the repository and their sizes");
    command->callback([&, argc, argv] {
        action = [&, argc, argv] { return cli::download(argc, argv, a.download); };
    });
}

void addTier(CLI::App& app, Arguments& a, Action& action) {
    CLI::App* tier =
        app.add_subcommand("tier", "Show, check, clear or configure the prefix cache on disk");
    tier->require_subcommand(1);
    const auto add = [&](const char* name, const char* help) {
        CLI::App* command = tier->add_subcommand(name, help);
        command->add_option("--data-dir", a.tier.dataFolder,
                            "Folder for personal data, as in `window` (default: your own)");
        command->callback([&a, &action, name] {
            a.tier.action = name;
            action = [&a] { return cli::tier(a.tier); };
        });
        return command;
    };
    add("status", "Print bytes and files per model as JSON");
    add("clear", "Remove the pages of all models or of one")
        ->add_option("--model", a.tier.model, "Only pages of the model with this fingerprint")
        ->type_name("FINGERPRINT");
    add("verify", "Read every page and quarantine damaged ones; exit status 65 if there are any");
    add("codec", "Show or set the precision of pages")
        ->add_option("codec", a.tier.codec,
                     "exact: bit for bit; q8: codes of 8 bits; auto: transform coding if it was "
                     "calibrated on the model (calibrate-kv --transform), otherwise q8. Applies to "
                     "programs started from now on; pages less precise than requested are not used")
        ->check(CLI::IsMember({"auto", "q8", "exact"}));
}

void addRender(CLI::App& app, Arguments& a, Action& action) {
    CLI::App* command =
        app.add_subcommand("render", "Print the prompt that a chat template renders from messages");
    command->add_option("model", a.render.model, "Model")->required();
    command
        ->add_option("messages", a.render.messages,
                     "JSON: a list of messages, or an object with `messages` and other variables")
        ->required();
    command->add_option("--template", a.render.file,
                        "Template text to use instead of the model's own");
    command->add_option("--tools", a.render.tools, "JSON list of tools");
    command->add_flag("!--no-generation-prompt", a.render.generationPrompt,
                      "Omit the start of an answer");
    command->add_flag("--ids", a.render.ids, "Print token ids instead of text");
    command
        ->add_option("--set", a.render.variables,
                     "Variable of the template as NAME=JSON; may be repeated")
        ->type_name("NAME=JSON")
        ->expected(1)
        ->allow_extra_args(false)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    command->callback([&] { action = [&] { return cli::render(a.render); }; });
}

void addCompression(CLI::App& app, Arguments& a, Action& action) {
    CLI::App* calibrate = app.add_subcommand(
        "calibrate-kv",
        "Measure which heads of a model need distant context, fit a surrogate that predicts which "
        "tokens they need, or calibrate the rotations of rotated codes; takes seconds to minutes");
    calibrate->add_option("model", a.calibrate.model, "Model (default: the bundled model)");
    calibrate->add_option("--out", a.calibrate.out,
                          "Profile to write (default: next to the model, or in your data folder if "
                          "its folder is not writable)");
    CLI::Option* const questions =
        calibrate->add_flag("--questions", a.calibrate.questions,
                            "Measure with questions about texts, for benchmarks "
                            "(head_budgets=questions); takes minutes");
    CLI::Option* const surrogate = calibrate
                                       ->add_flag("--surrogate", a.calibrate.surrogate,
                                                  "Fit a surrogate for reconstruction scores, so "
                                                  "that they need no second reading; takes minutes")
                                       ->excludes(questions);
    CLI::Option* const rotations =
        calibrate
            ->add_flag("--rotations", a.calibrate.rotations,
                       "Calibrate the rotations of rotated codes (kv_type=t8 to t1) for keys and "
                       "values of each head; takes minutes")
            ->excludes(questions)
            ->excludes(surrogate);
    CLI::Option* const layers =
        calibrate
            ->add_flag("--layers", a.calibrate.layers,
                       "Measure the error that rotated codes cause in each layer, for extra_bits; "
                       "run it after --rotations; takes minutes")
            ->excludes(questions)
            ->excludes(surrogate)
            ->excludes(rotations);
    CLI::Option* const transform =
        calibrate
            ->add_flag("--transform", a.calibrate.transform,
                       "Calibrate the transform for stored caches (lacuna-bench kvtc) on keys and "
                       "values of groups of layers; takes minutes")
            ->excludes(questions)
            ->excludes(surrogate)
            ->excludes(rotations)
            ->excludes(layers);
    calibrate
        ->add_flag("--query-centres", a.calibrate.centres,
                   "Calibrate the query centres of each head, for norm_policy=tri_attention; takes "
                   "seconds to minutes")
        ->excludes(questions)
        ->excludes(surrogate)
        ->excludes(rotations)
        ->excludes(layers)
        ->excludes(transform);
    calibrate
        ->add_option("--layer-group", a.calibrate.layerGroup,
                     "Layers transformed together; 0 = all")
        ->check(CLI::Range(0, 1024))
        ->capture_default_str()
        ->needs(transform);
    calibrate
        ->add_option("--bits", a.calibrate.bits, "Bits of the codes that layers are measured with")
        ->check(CLI::Range(1, 8))
        ->capture_default_str()
        ->needs(layers);
    calibrate->add_option("--text", a.calibrate.text,
                          "With --questions, --surrogate, --rotations, --layers, --transform or "
                          "--query-centres: text file to hide facts in or to fit to (default: "
                          "Alice in Wonderland, which no quality measurement uses)");
    calibrate
        ->add_option(
            "--fit-tokens", a.calibrate.fitTokens,
            "Maximum tokens of the text to fit to (default: 40000 with --surrogate, 30000 with "
            "--rotations or --transform, 8192 with --query-centres, 512 with --layers)")
        ->check(CLI::Range(100, 100000000))
        ->excludes(questions);
    calibrate->add_option("--rounds", a.calibrate.rounds, "Questions per task and length")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str()
        ->needs(questions);
    calibrate
        ->add_option("--tokens", a.calibrate.tokens,
                     "Approximate length of the longest text in tokens")
        ->check(CLI::Range(64, 1000000))
        ->capture_default_str()
        ->needs(questions);
    calibrate->add_option("--seed", a.calibrate.seed, "Seed of the questions")
        ->check(CLI::Range(0, 1000000000))
        ->capture_default_str()
        ->needs(questions);
    calibrate->add_option("--threads", a.calibrate.threads, "Compute threads; 0 = cores")
        ->check(CLI::Range(0, 256));
    calibrate->add_flag("--exact", a.calibrate.exact, "float32 activations")->excludes(questions);
    calibrate->add_flag("--json", a.calibrate.json,
                        "Print {seconds, heads:[[...]]} as JSON; for a surrogate {seconds, "
                        "overlap, correlation}, for rotations and query centres {seconds, tokens, "
                        "hash}, for layers {seconds, keys:[...], values:[...]}");
    calibrate->callback([&] { action = [&] { return cli::calibrate(a.calibrate); }; });
}

void addReports(CLI::App& app, Arguments& a, Action& action) {
    CLI::App* replay =
        app.add_subcommand("replay", "Run the session of a report again and compare every token");
    replay->add_option("report", a.replay.report, "report.json")->required();
    replay->add_option("--model", a.replay.model,
                       "Model file, if its path differs on this machine");
    replay->add_option("--draft-model", a.replay.draft, "The same for the draft model");
    replay->add_option("--threads", a.replay.threads, "Compute threads; 0 = as recorded")
        ->check(CLI::Range(0, 256));
    replay->callback([&] { action = [&] { return cli::replayReport(a.replay); }; });

    CLI::App* settings =
        app.add_subcommand("settings", "List every setting with range, unit and default");
    settings->add_flag("--json", a.json, "Print JSON");
    settings->callback([&] { action = [&] { return cli::settingsTable(a.json); }; });
}

void addServe(CLI::App& app, Arguments& a, Action& action, int argc, char** argv) {
    CLI::App* command = app.add_subcommand(
        "serve", "Serve OpenAI's API over HTTP without a window; ends on SIGTERM");
    ServeArguments& s = a.serve;
    command->add_option("model", s.model,
                        "GGUF file or safetensors folder (default: the bundled model)");
    command
        ->add_option("--host", s.host,
                     "Addresses to listen on, separated by commas; addresses reachable from other "
                     "machines need a key")
        ->capture_default_str();
    command->add_option("--port", s.port, "Port; 0 = any free port")
        ->check(CLI::Range(0, 65535))
        ->capture_default_str();
    command->add_option(
        "--alias", s.alias,
        "Names of the model for clients, separated by commas (default: its file name)");
    const auto many = [&](const char* name, std::vector<std::string>& into, const char* type,
                          const char* help) {
        command->add_option(name, into, help)
            ->type_name(type)
            ->expected(1)
            ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    };
    many("--api-key", s.keys, "KEY", "API key that clients must send; may be repeated");
    command->add_option("--api-key-file", s.keyFile, "File with API keys, one per line");
    many("--allow-host", s.hosts, "NAME",
         "Additional host name that requests may use; may be repeated");
    many("--allow-origin", s.origins, "ORIGIN",
         "Origin of a web page that may send requests from a browser; may be repeated");
    command
        ->add_option("--slots", s.slots, "Parallel answers, each with its own cache; sets parallel")
        ->check(CLI::Range(1, 16));
    command->add_option("--body-limit", s.bodyMiB, "Maximum size of a request body in MiB")
        ->check(CLI::Range(1, 64))
        ->capture_default_str();
    command
        ->add_option(
            "--metrics", s.metrics,
            "Serve /metrics; open: without a key; auto: on unless other machines can connect")
        ->check(CLI::IsMember({"on", "off", "open", "auto"}))
        ->capture_default_str();
    command->add_option("--slot-dir", s.slotFolder, "Folder for caches saved by clients");
    auto* named =
        command->add_option("--chat-template", s.chatTemplate, "Built-in chat template by name");
    command
        ->add_option("--chat-template-file", s.chatTemplateFile,
                     "File with a chat template (Jinja) to use instead of the model's own")
        ->excludes(named);
    command->add_option("--draft-model", s.draftModel,
                        "Smaller draft model with the same vocabulary");
    command
        ->add_option(
            "--reasoning", s.reasoning,
            "Let the model think before it answers; auto: if its chat template supports it")
        ->check(CLI::IsMember({"on", "off", "auto"}))
        ->capture_default_str();
    auto* vectors = command->add_flag("--embeddings", s.embeddings,
                                      "Also serve embeddings of texts (/v1/embeddings)");
    command
        ->add_option("--pooling", s.pooling,
                     "Tokens that form an embedding: mean of all (default), the first (cls) or the "
                     "last; none: one embedding per token")
        ->check(CLI::IsMember({"mean", "cls", "last", "none"}))
        ->needs(vectors);
    command->add_flag("--verbose", s.verbose,
                      "Include the native response and the full prompt in answers (__verbose)");
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
                         "Language of this start: en, de or zh_CN (default: as chosen in the "
                         "window, otherwise that of the system)")
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
    demo->add_option("--model", a.window.model, "Model (default: the bundled model)");
    look(demo);
    demo->callback(
        [&, argc, argv] { action = [&, argc, argv] { return cli::demo(argc, argv, a.window); }; });

    CLI::App* window = app.add_subcommand(
        "window", "Open the window (also without a command, or with a model instead of a command)");
    window->add_option("model", a.window.model, "Model to load; an open window loads it");
    window->add_option(
        "--data-dir", a.window.data,
        "Folder for conversations, for example of a second window (default: your own)");
    look(window);
    window->callback([&, argc, argv] {
        action = [&, argc, argv] { return cli::window(argc, argv, a.window); };
    });
}

/// A model in place of a command opens in the window; file managers start the program this way.
/// @return the arguments, with the omitted command inserted
std::vector<std::string> withCommand(int argc, char** argv) {
    std::vector<std::string> words(argv, argv + argc);
    if (words.size() < 2) return words;
    const std::filesystem::path first = words[1];
    std::error_code unknown;
    const bool folder = std::filesystem::exists(first / "config.json", unknown);
    if (folder || first.extension() == ".gguf") words.insert(words.begin() + 1, "window");
    return words;
}

constexpr ManualTexts kPages{
    .summary = "chat with a local language model and see what its KV cache costs",
    .description =
        "Lacuna is an inference engine for large language models that makes the memory of a "
        "conversation, its KV cache, visible: its live size, compaction times, the achieved ratio, "
        "and which tokens were kept, merged or dropped. Without a command the window opens. A "
        "model is a GGUF file or a safetensors folder; the default is the bundled model."};

/// Commands that moved from this program to lacuna-bench in 2026-11.
constexpr std::string_view kBenchCommands[] = {
    "recall", "ruler",         "perplexity",        "presets", "kvtc",
    "bench",  "bench-formats", "bench-compression", "fit-head"};

}  // namespace

int run(int argc, char** argv) {
    if (argc > 1 &&
        std::ranges::find(kBenchCommands, std::string_view(argv[1])) != std::end(kBenchCommands))
        return report(Error{ErrorCode::InvalidArgument,
                            format("{0} is a command of lacuna-bench: lacuna-bench {0}", argv[1]),
                            {}});
    CLI::App app("Lacuna: chat with a local model and see what its KV cache costs", "lacuna");
    app.set_version_flag("--version", std::string("lacuna ") + LACUNA_VERSION);
    app.require_subcommand(0, 1);
    app.footer("Benchmarks of models and methods: lacuna-bench --help");
    Arguments arguments;
    Action action;
    addTalking(app, arguments, action);
    addModels(app, arguments, action);
    addQuantising(app, arguments, action);
    addMeasuring(app, arguments.measuring, action);
    addTier(app, arguments, action);
    addRender(app, arguments, action);
    addCompression(app, arguments, action);
    addQualityCommands(app, arguments.quality, action);
    addReports(app, arguments, action);
    addServe(app, arguments, action, argc, argv);
    addDownload(app, arguments, action, argc, argv);
    addWindow(app, arguments, action, argc, argv);
    return parseAndRun(app, kPages, action, withCommand(argc, argv),
                       [&] { return window(argc, argv, arguments.window); });
}

}  // namespace lacuna::cli
