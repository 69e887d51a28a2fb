#include "app/main/command_options.h"

#include "engine/base/string_format.h"

namespace lacuna::cli {
namespace {

void addGrid(CLI::App* command, GridArguments& a) {
    command->add_option("model", a.model, "Model; the bundled one when left out");
    command
        ->add_option("--methods", a.methods,
                     "am, am-uniform, am-reconstruction, keydiff, keydiff-adaptive, keep_low, "
                     "keep_high, recent, random, observation_window, observation_window-adaptive, "
                     "reconstruct, accumulated_attention, expected_attention, tri_attention, or "
                     "NAME:key=value:key=value; of a quality table: \"am coverage\", keydiff, ...")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->capture_default_str();
    command->add_option("--ratios", a.ratios, "How many times smaller the cache shall get")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->capture_default_str();
    command->add_option("--budgets", a.budgets, "Slots per head, beside the ratios")
        ->delimiter(',')
        ->allow_extra_args(false);
    command->add_option("--out", a.out,
                        "Folder for table, CSV, JSON and picture; a stopped run goes on there");
    command->add_flag("--fresh", a.fresh, "Begin anew instead of going on");
    command->add_flag("--json", a.json, "Print JSON instead of the table");
    command->add_flag("--exact", a.exact, "float32 activations");
    addSettings(command, a.settings);
}

/// The table of the window's quality page: methods, ratios and rounds are its own unless they are
/// given, and what it does not look at is refused.
void addTable(CLI::App* bench, BenchCompressionArguments& b, Action& action) {
    TableArguments& t = b.table;
    auto* table = bench
                      ->add_option("--table", t.size,
                                   "Fill the quality table of the model, which the window shows "
                                   "and goes on with: small takes minutes, whole hours")
                      ->check(CLI::IsMember({"small", "whole"}));
    for (const char* other : {"--budgets", "--tokens", "--heads-every", "--text-limit"})
        bench->get_option(other)->excludes(table);
    const auto count = [&](const char* name, std::optional<int>& into, int least, int most,
                           const char* help) {
        bench->add_option(name, into, help)->check(CLI::Range(least, most))->needs(table);
    };
    count("--ruler-length", t.rulerLength, 64, 1000000, "Tokens of a RULER question");
    count("--ruler-rows", t.rulerRows, 0, 1000, "Questions of each RULER task");
    count("--windows", t.windows, 0, 100000, "Windows of running text, at most");
    bench->callback([bench, &b, &action] {
        if (bench->count("--methods") > 0) b.table.methods = b.grid.methods;
        if (bench->count("--ratios") > 0) b.table.ratios = b.grid.ratios;
        if (bench->count("--rounds") > 0) b.table.rounds = b.rounds;
        action = [&b] { return cli::benchCompression(b); };
    });
}

void addQuality(CLI::App& app, QualityArguments& a, Action& action) {
    BenchCompressionArguments& b = a.benchCompression;
    CLI::App* bench = app.add_subcommand(
        "bench-compression",
        "Recall, KL and perplexity of compacted caches against the whole one; minutes");
    addGrid(bench, b.grid);
    auto* cases = bench->add_option(
        "--cases", b.cases, "JSON list of questions as for recall; made on the spot when left out");
    bench->add_option("--limit", b.limit, "Only the first N of them")
        ->check(CLI::Range(0, 1000000))
        ->needs(cases);
    bench->add_option("--every", b.every, "Only every N-th of them")
        ->check(CLI::Range(1, 1000000))
        ->needs(cases)
        ->capture_default_str();
    bench->add_option("--rounds", b.rounds, "Questions of each task and length; 0: none")
        ->check(CLI::Range(0, 1000))
        ->excludes(cases)
        ->capture_default_str();
    bench->add_option("--tokens", b.tokens, "Length of the longest text, about")
        ->check(CLI::Range(64, 1000000))
        ->excludes(cases)
        ->capture_default_str();
    bench->add_option("--seed", b.seed, "Other questions")
        ->check(CLI::Range(0, 1000000000))
        ->excludes(cases)
        ->capture_default_str();
    bench->add_option("--heads-every", b.headEvery, "Heads are compared on every N-th question")
        ->check(CLI::Range(1, 1000000))
        ->capture_default_str();
    bench->add_option("--text", b.text, "Running text; a bundled one when left out");
    bench->add_option("--text-limit", b.textLimit, "Only the first N tokens of it")
        ->check(CLI::Range(0, 100000000));
    addTable(bench, b, action);

    CLI::App* sweep = app.add_subcommand(
        "sweep",
        "Methods and sizes tried on a conversation of yours, with those that nothing beats marked");
    addGrid(sweep, a.sweep.grid);
    auto* messages =
        sweep->add_option("--messages", a.sweep.messages, "JSON list of {role, content}");
    sweep->add_option("--report", a.sweep.report, "report.json that holds the conversation")
        ->excludes(messages);
    sweep->callback([&] { action = [&] { return cli::sweep(a.sweep); }; });
}

void addAsked(CLI::App* command, AskedArguments& a) {
    command->add_option("-p,--prompt", a.prompt, "The message");
    command->add_option("-f,--file", a.file, "Read the message from a file");
    command->add_option("--system", a.system, "System message");
    command->add_option("--messages", a.messages,
                        "JSON list of {role, content}; its last question is asked");
    command->add_option("--report", a.report,
                        "report.json; its newest answered question is asked again");
}

void addCompare(CLI::App& app, QualityArguments& a, Action& action) {
    CompareArguments& c = a.compare;
    CLI::App* command = app.add_subcommand(
        "compare", "Answer one prompt under two settings and show where they part");
    command->add_option("model", c.model, "Model; the bundled one when left out");
    addAsked(command, c.asked);
    const auto side = [command](const char* name, std::vector<std::string>& into,
                                const char* help) {
        command->add_option(name, into, help)
            ->type_name("KEY=VALUE,...")
            ->expected(1)
            ->required()
            ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    };
    side("--a", c.first, "Settings of A");
    side("--b", c.second, "Settings of B");
    command->add_flag("--json", c.json, "Print JSON");
    command->add_flag("--exact", c.exact, "float32 activations");
    addSettings(command, c.settings);
    command->callback([&] { action = [&] { return cli::compare(a.compare); }; });

    PreviewArguments& p = a.preview;
    CLI::App* preview = app.add_subcommand("preview",
                                           "Estimate what a compaction after a prompt would leave, "
                                           "then do it and compare; prints JSON");
    preview->add_option("model", p.model, "Model; the bundled one when left out");
    addAsked(preview, p.asked);
    preview
        ->add_option("--heads", p.heads,
                     "Heads fitted for the estimate, evenly spread; 0: as many as the window fits")
        ->check(CLI::Range(0, 100000))
        ->capture_default_str();
    preview->add_flag("--exact", p.exact, "float32 activations");
    addSettings(preview, p.settings);
    preview->callback([&] { action = [&] { return cli::preview(a.preview); }; });
}

}  // namespace

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

void addSettings(CLI::App* command, std::vector<std::string>& into) {
    command
        ->add_option("--set", into,
                     "Setting as key=value; may be repeated. `lacuna settings` lists them")
        ->type_name("KEY=VALUE")
        ->expected(1)
        ->allow_extra_args(false)  // what follows is no setting
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void addQualityCommands(CLI::App& app, QualityArguments& arguments, Action& action) {
    addQuality(app, arguments, action);
    addCompare(app, arguments, action);
}

}  // namespace lacuna::cli
