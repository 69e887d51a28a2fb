#include "app/main/command_options.h"

namespace lacuna::cli {
namespace {

void addSweep(CLI::App& app, QualityArguments& a, Action& action) {
    CLI::App* sweep = app.add_subcommand(
        "sweep", "Try methods and sizes on a conversation and mark those that no other beats");
    addGrid(sweep, a.sweep.grid);
    auto* messages =
        sweep->add_option("--messages", a.sweep.messages, "JSON list of {role, content}");
    sweep->add_option("--report", a.sweep.report, "report.json with the conversation")
        ->excludes(messages);
    sweep->callback([&] { action = [&] { return cli::sweep(a.sweep); }; });
}

void addRequested(CLI::App* command, QuestionArguments& a) {
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
        "compare", "Answer one prompt with two settings and show where the answers diverge");
    command->add_option("model", c.model, "Model (default: the bundled model)");
    addRequested(command, c.asked);
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
    CLI::App* preview = app.add_subcommand(
        "preview",
        "Predict the result of a compaction after a prompt, carry it out and compare; prints JSON");
    preview->add_option("model", p.model, "Model (default: the bundled model)");
    addRequested(preview, p.asked);
    preview
        ->add_option("--heads", p.heads,
                     "Heads fitted for the prediction, evenly spread; 0: as many as in the window")
        ->check(CLI::Range(0, 100000))
        ->capture_default_str();
    preview->add_flag("--exact", p.exact, "float32 activations");
    addSettings(preview, p.settings);
    preview->callback([&] { action = [&] { return cli::preview(a.preview); }; });
}

}  // namespace

void addQualityCommands(CLI::App& app, QualityArguments& arguments, Action& action) {
    addSweep(app, arguments, action);
    addCompare(app, arguments, action);
}

}  // namespace lacuna::cli
