#include "app/main/command_program.h"

#include <signal.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "app/main/cli_support.h"
#include "engine/base/string_format.h"
#include "engine/format/printable.h"
#include "engine/kernels/cpu_features.h"

namespace lacuna::cli {
namespace {

ErrorCode codeOf(const CLI::Error& error) {
    if (error.get_name() == "ExcludesError") return ErrorCode::Conflict;
    const bool range = std::string_view(error.what()).find(" not in range ") != std::string::npos;
    return range ? ErrorCode::Range : ErrorCode::InvalidArgument;
}

/// Returns the message for a rejected command line: the error in the usual form and the usage of
/// the command.
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

struct PageArguments {
    std::string shell;  ///< shell to generate the completion for
};

/// Adds the commands that generate a package's files from this option table.
void addPages(CLI::App& app, const ManualTexts& texts, PageArguments& a, Action& action) {
    CLI::App* manual = app.add_subcommand("manual", "Print the manual page");
    manual->callback([&] { action = [&] { return print(manualPage(app, texts)); }; });
    CLI::App* completion = app.add_subcommand("completion", "Print a shell completion script");
    completion->add_option("shell", a.shell, "bash or zsh")
        ->required()
        ->check(CLI::IsMember({"bash", "zsh"}));
    completion->callback([&] {
        action = [&] { return print(a.shell == "zsh" ? zshCompletion(app) : bashCompletion(app)); };
    });
}

/// Marks text options that take a file or folder, in all commands.
void namePaths(CLI::App& app) {
    constexpr std::string_view kPaths[] = {"model",
                                           "in",
                                           "out",
                                           "file",
                                           "files",
                                           "folder",
                                           "report",
                                           "messages",
                                           "template",
                                           "tools",
                                           "text",
                                           "cases",
                                           "answers",
                                           "rows",
                                           "ids",
                                           "lines",
                                           "decode",
                                           "bundle",
                                           "data-dir",
                                           "draft-model",
                                           "api-key-file",
                                           "slot-dir",
                                           "chat-template-file",
                                           "grammar",
                                           "json-schema",
                                           "prompt-cache",
                                           "stored"};
    for (CLI::Option* option : app.get_options()) {
        if (option->get_type_name() != "TEXT") continue;
        const std::string name =
            option->get_lnames().empty() ? option->get_name() : option->get_lnames().back();
        if (std::ranges::find(kPaths, name) != std::end(kPaths)) option->type_name("PATH");
    }
    for (CLI::App* command : app.get_subcommands({})) namePaths(*command);
}

}  // namespace

int parseAndRun(CLI::App& app, const ManualTexts& texts, Action& action,
                const std::vector<std::string>& words, const Action& otherwise) {
    ::signal(SIGPIPE, SIG_IGN);
    ::signal(SIGXFSZ, SIG_IGN);
    app.failure_message(refusal);
    PageArguments pages;
    addPages(app, texts, pages, action);
    namePaths(app);
    std::vector<const char*> pointers;
    for (const std::string& word : words) pointers.push_back(word.c_str());
    try {
        app.parse(static_cast<int>(pointers.size()), pointers.data());
    } catch (const CLI::ParseError& e) {
        const int status = app.exit(e);
        return status == 0 ? 0 : static_cast<int>(ErrorClass::Usage);
    }
    if (const Status kernels = checkKernelChoice(); !kernels) return report(kernels.error());
    const int status = action ? action() : otherwise();
    const bool stopped = status == static_cast<int>(ErrorClass::Cancelled);
    return stopped && Interrupts::status() != 0 ? Interrupts::status() : status;
}

}  // namespace lacuna::cli
