#include "app/main/option_pages.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <string_view>
#include <vector>

#include "engine/base/string_format.h"
#include "engine/settings/engine_config.h"
#include "engine/settings/setting_spec.h"
#include "engine/settings/setting_value.h"

namespace lacuna::cli {
namespace {

// --- contents of the option table ---------------------------------------------------------

std::vector<const CLI::App*> commandsOf(const CLI::App& app) {
    return app.get_subcommands([](const CLI::App* one) { return !one->get_name().empty(); });
}

std::vector<const CLI::Option*> optionsOf(const CLI::App& app, bool positional) {
    return app.get_options(
        [&](const CLI::Option* one) { return one->get_positional() == positional; });
}

bool takesValue(const CLI::Option& option) {
    return option.get_items_expected_max() > 0;
}

/// Returns "-p", "--prompt".
std::vector<std::string> namesOf(const CLI::Option& option) {
    std::vector<std::string> names;
    for (const std::string& name : option.get_snames()) names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
    return names;
}

/// Parses a type such as "TEXT:{on,off,auto}"; empty if any value is allowed.
std::vector<std::string> choicesOf(const CLI::Option& option) {
    const std::string type = option.get_type_name();
    const auto open = type.find('{');
    const auto close = type.rfind('}');
    if (open == std::string::npos || close == std::string::npos || close < open) return {};
    return CLI::detail::split(type.substr(open + 1, close - open - 1), ',');
}

bool takesSettings(const CLI::Option& option) {
    return option.check_lname("set") && option.get_type_name() == "KEY=VALUE";
}

/// A command with the words that select it: {"bench", "cache"}.
struct Command {
    std::vector<std::string> words;
    const CLI::App* app;
};

void collect(const CLI::App& app, std::vector<std::string> words, std::vector<Command>& into) {
    into.push_back({words, &app});
    for (const CLI::App* one : commandsOf(app)) {
        words.push_back(one->get_name());
        collect(*one, words, into);
        words.pop_back();
    }
}

std::vector<Command> allCommands(const CLI::App& app) {
    std::vector<Command> commands;
    collect(app, {}, commands);
    return commands;
}

std::string joined(const std::vector<std::string>& words, std::string_view between) {
    return fmt::format("{}", fmt::join(words, between));
}

// --- man -------------------------------------------------------------------------------------

constexpr std::size_t kManLine = 72;

/// Escapes a text for troff: minus signs that can be copied, no requests at the beginning of a
/// line, line breaks between words.
std::string troff(std::string_view text) {
    std::string out;
    std::size_t begin = 0;  // start of the line
    for (char c : text) {
        if (c == ' ' && out.size() - begin >= kManLine) c = '\n';
        if (c == '\n') begin = out.size() + 1;
        const bool lineBegins = out.empty() || out.back() == '\n';
        if (lineBegins && (c == '.' || c == '\'')) out += "\\&";
        if (c == '\\') {
            out += "\\e";
        } else if (c == '-') {
            out += "\\-";
        } else {
            out += c;
        }
    }
    return out;
}

std::string manOption(const CLI::Option& option) {
    std::string head;
    for (const std::string& name : namesOf(option)) {
        if (!head.empty()) head += ", ";
        head += "\\fB" + troff(name) + "\\fR";
    }
    if (option.get_positional()) head = "\\fI" + troff(option.get_name()) + "\\fR";
    std::string type = option.get_type_name();
    if (takesValue(option) && !option.get_positional() && !type.empty())
        head += " \\fI" + troff(type) + "\\fR";
    std::string text = troff(option.get_description());
    if (!option.get_default_str().empty())
        text += troff(format(" (default {})", option.get_default_str()));
    if (text.empty()) text = "\\&";
    return format(".TP\n{}\n{}\n", head, text);
}

std::string manOptions(const CLI::App& app) {
    std::string text;
    for (const bool positional : {true, false})
        for (const CLI::Option* option : optionsOf(app, positional)) text += manOption(*option);
    return text;
}

std::string manSettings() {
    const EngineConfig defaults;
    std::string text;
    for (const SettingSpec& spec : settingSpecs()) {
        text += format(".TP\n\\fB{}\\fR\n{}\n", troff(spec.key), troff(spec.help));
        text += troff(format("Range: {}. Default: {}.", settingRange(spec),
                             settingValueText(defaults, spec.key))) +
                "\n";
    }
    return text;
}

// --- shells ----------------------------------------------------------------------------------

/// Quotes a text for use inside single quotes of a shell.
std::string shellWord(std::string_view text) {
    std::string out = "'";
    for (const char c : text) {
        if (c == '\'')
            out += "'\\''";
        else
            out += c;
    }
    return out + "'";
}

std::vector<std::string> settingKeys() {
    std::vector<std::string> keys;
    for (const SettingSpec& spec : settingSpecs()) keys.emplace_back(spec.key);
    return keys;
}

/// Escapes an argument of zsh's _arguments, where brackets and colons are special.
std::string zshText(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
        out += c;
    }
    return out;
}

/// Returns the name of a shell function: "lacuna-bench" -> "_lacuna_bench".
std::string functionName(std::string_view program) {
    std::string name = "_" + std::string(program);
    std::ranges::replace(name, '-', '_');
    return name;
}

std::string zshName(const std::string& function, const Command& command) {
    std::string name = function;
    for (const std::string& word : command.words) name += "_" + word;
    std::ranges::replace(name, '-', '_');
    return name;
}

/// Two underscores avoid a clash with a command `settings`.
std::string zshSettings(const std::string& function) {
    return function + "__settings";
}

/// Completion action for the value of an option or a positional.
std::string zshAction(const std::string& function, const CLI::Option& option) {
    if (takesSettings(option)) return zshSettings(function);
    const std::vector<std::string> choices = choicesOf(option);
    return choices.empty() ? "_files" : "(" + joined(choices, " ") + ")";
}

std::string zshCommand(const std::string& function, const Command& command) {
    const CLI::App& app = *command.app;
    std::string text = format("{}() {{\n", zshName(function, command));
    std::vector<std::string> arguments;
    for (const CLI::Option* option : optionsOf(app, false)) {
        const std::string value =
            takesValue(*option)
                ? format(":{}:{}", zshText(option->get_single_name()), zshAction(function, *option))
                : "";
        const std::string many = takesSettings(*option) ? "*" : "";
        for (const std::string& name : namesOf(*option))
            arguments.push_back(shellWord(
                format("{}{}[{}]{}", many, name, zshText(option->get_description()), value)));
    }
    const std::vector<const CLI::App*> commands = commandsOf(app);
    if (commands.empty()) {
        int place = 0;
        for (const CLI::Option* option : optionsOf(app, true))
            arguments.push_back(shellWord(format("{}:{}:{}", ++place, zshText(option->get_name()),
                                                 zshAction(function, *option))));
        text += format("  _arguments {}\n}}\n", joined(arguments, " \\\n    "));
        return text;
    }
    arguments.push_back(shellWord("1: :->command"));
    arguments.push_back(shellWord("*:: :->rest"));
    text += "  local state line\n  local -a commands=(\n";
    for (const CLI::App* one : commands)
        text +=
            format("    {}\n",
                   shellWord(format("{}:{}", zshText(one->get_name()), one->get_description())));
    text += format("  )\n  _arguments -C {}\n  case $state in\n", joined(arguments, " \\\n    "));
    text += "    command) _describe command commands; _files ;;\n    rest) case $line[1] in\n";
    for (const CLI::App* one : commands) {
        Command next = command;
        next.words.push_back(one->get_name());
        text += format("      {}) {} ;;\n", one->get_name(), zshName(function, next));
    }
    return text + "      esac ;;\n  esac\n}\n";
}

}  // namespace

std::string manualPage(const CLI::App& app, const ManualTexts& texts) {
    const std::string name = app.get_name();
    std::string title = name;
    std::ranges::transform(title, title.begin(),
                           [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    std::string page = format(".TH {} 1 {} \"lacuna {}\" \"User Commands\"\n", troff(title),
                              LACUNA_RELEASE_DATE, LACUNA_VERSION);
    page += format(".SH NAME\n{} \\- {}\n", troff(name), troff(texts.summary));
    page += format(".SH SYNOPSIS\n.B {}\n[\\fICOMMAND\\fR] [\\fIOPTIONS\\fR]\n", troff(name));
    page += ".SH DESCRIPTION\n" + troff(texts.description) + "\n";
    page += ".SH OPTIONS\n" + manOptions(app);
    page += ".SH COMMANDS\n";
    for (const Command& command : allCommands(app)) {
        if (command.words.empty()) continue;
        page += format(".SS \"{} {}\"\n{}\n", troff(name), troff(joined(command.words, " ")),
                       troff(command.app->get_description()));
        page += manOptions(*command.app);
    }
    page += ".SH SETTINGS\n" +
            troff(
                "Settings that --set KEY=VALUE changes. `lacuna settings` also prints units and "
                "the conditions under which a setting has no effect.\n") +
            manSettings();
    page += ".SH EXIT STATUS\n";
    const std::pair<std::string_view, std::string_view> statuses[] = {
        {"0", "Done."},
        {"2", "Invalid option, setting or combination."},
        {"65", "Invalid file or text."},
        {"66", "File missing or not readable."},
        {"69", "Not supported by this program."},
        {"70", "Internal error."},
        {"71", "Not enough memory."},
        {"74", "Reading or writing failed."},
        {"130, 143", "Interrupted, or ended by SIGTERM."}};
    for (const auto& [status, meaning] : statuses)
        page += format(".TP\n.B {}\n{}\n", status, troff(meaning));
    page += ".SH ENVIRONMENT\n.TP\n.B LACUNA_RESOURCES\n";
    page += troff("Folder with models/ and texts/ that replaces the bundled ones.\n");
    page += ".TP\n.B LACUNA_DATA_DIR\n";
    page += troff("Folder for personal data that replaces the one below.\n");
    page += ".SH FILES\n.TP\n.I /usr/share/lacuna\n";
    page += troff("The bundled model and texts.\n");
    page += ".TP\n.I ~/.local/share/lacuna\n";
    page += troff("Conversations, and measurements of models whose own folder is not writable.\n");
    return page;
}

std::string bashCompletion(const CLI::App& app) {
    std::string words, choices;
    for (const Command& command : allCommands(app)) {
        std::vector<std::string> all;
        for (const CLI::App* one : commandsOf(*command.app)) all.push_back(one->get_name());
        for (const CLI::Option* option : optionsOf(*command.app, false)) {
            const std::vector<std::string> names = namesOf(*option);
            all.insert(all.end(), names.begin(), names.end());
            const std::vector<std::string> values = choicesOf(*option);
            if (values.empty()) continue;
            choices += format("    {}) words={} ;;\n",
                              shellWord(joined(command.words, " ") + "|" + names.back()),
                              shellWord(joined(values, " ")));
        }
        words += format("    {}) words={} ;;\n", shellWord(joined(command.words, " ")),
                        shellWord(joined(all, " ")));
    }
    std::string settings, values;
    for (const SettingSpec& spec : settingSpecs()) {
        if (spec.field.choices.empty()) continue;
        const std::vector<std::string> of(spec.field.choices.begin(), spec.field.choices.end());
        values += format("    {}) words={} ;;\n", spec.key, shellWord(joined(of, " ")));
    }
    for (const std::string& key : settingKeys()) settings += " " + key + "=";
    std::vector<std::string> paths, groups;  // groups have subcommands
    for (const Command& command : allCommands(app)) {
        if (command.words.empty()) continue;
        paths.push_back(shellWord(joined(command.words, " ")));
        if (!commandsOf(*command.app).empty()) groups.push_back(joined(command.words, " "));
    }
    return format(
        R"(# bash completion of {5}, made by `{5} completion bash`.
{6}_words() {{
  case "$1" in
{0}  esac
}}
{6}_choices() {{
  case "$1" in
{1}  esac
}}
{6}_values() {{
  case "$1" in
{2}  esac
}}
{6}() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" before="" path="" word words="" i
  ((COMP_CWORD > 0)) && before="${{COMP_WORDS[COMP_CWORD - 1]}}"
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="${{path:+$path }}${{COMP_WORDS[i]}}"
    case "$word" in {3}) path="$word" ;; *) break ;; esac
  done
  # "--set key=value" comes as five words where "=" parts them
  if [[ $current == "=" ]]; then
    {6}_values "$before"
    COMPREPLY=($(compgen -W "$words"))
    return
  fi
  if [[ $before == "=" ]]; then
    {6}_values "${{COMP_WORDS[COMP_CWORD - 2]}}"
    COMPREPLY=($(compgen -W "$words" -- "$current"))
    return
  fi
  if [[ $before == "--set" ]]; then
    COMPREPLY=($(compgen -W "{4}" -- "$current"))
    compopt -o nospace 2>/dev/null
    return
  fi
  {6}_choices "$path|$before"
  if [[ -z $words && ( $current == -* || -z $path || " {7} " == *" $path "* ) ]]; then
    {6}_words "$path"
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -o default -F {6} {5}
)",
        words, choices, values, joined(paths, "|"), settings, app.get_name(),
        functionName(app.get_name()), joined(groups, " "));
}

std::string zshCompletion(const CLI::App& app) {
    const std::string name = app.get_name();
    const std::string function = functionName(name);
    std::string text = format("#compdef {0}\n# generated by `{0} completion zsh`\n", name);
    text += zshSettings(function) + "() {\n  local -a keys=(";
    for (const SettingSpec& spec : settingSpecs())
        text += "\n    " + shellWord(format("{}:{}", spec.key, zshText(spec.label)));
    text += "\n  )\n  if compset -P '*='; then\n    case ${words[CURRENT]%%=*} in\n";
    for (const SettingSpec& spec : settingSpecs()) {
        if (spec.field.choices.empty()) continue;
        const std::vector<std::string> of(spec.field.choices.begin(), spec.field.choices.end());
        text += format("    {}) compadd {} ;;\n", spec.key, joined(of, " "));
    }
    text += "    esac\n  else\n    _describe setting keys -S =\n  fi\n}\n";
    for (const Command& command : allCommands(app)) text += zshCommand(function, command);
    return text + function + " \"$@\"\n";
}

}  // namespace lacuna::cli
