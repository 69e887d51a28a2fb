// The commands as the program tells them, and what a person filled in as words of a call.

#include "app/state/command_table.h"

#include <gtest/gtest.h>

#include "tests/app/core_application.h"

namespace lacuna::app {
namespace {

CommandRow command() {
    coreApplication();
    const CommandTable table = readCommands(R"({"schema": "lacuna-commands", "version": 1,
        "commands": [
          {"words": ["tier"], "help": "a group", "group": true, "options": []},
          {"words": ["bench", "cache"], "help": "Measure", "group": false, "options": [
            {"name": "model", "positional": true, "required": true, "value": "TEXT",
             "help": "GGUF file"},
            {"name": "--keep", "required": true, "many": true, "value": "INT", "help": "Layers"},
            {"name": "--exact", "value": "", "help": "float32"},
            {"name": "--restore", "value": "TEXT:{answer,auto}", "default": "answer",
             "choices": ["answer", "auto"], "help": "Which"},
            {"name": "--out", "value": "TEXT", "help": "Folder to write to"}]}]})");
    EXPECT_EQ(table.problem, QString());
    EXPECT_EQ(table.commands.size(), 1) << "a group does nothing by itself";
    return table.commands.value(0);
}

TEST(CommandTable, whatIsNoTable_isAProblemAndNoCommands) {
    coreApplication();
    for (const char* text : {"", "{", "[]", R"({"schema": "other", "version": 1})",
                             R"({"schema": "lacuna-commands", "version": 2, "commands": []})"}) {
        const CommandTable table = readCommands(text);
        EXPECT_TRUE(table.commands.isEmpty()) << text;
        EXPECT_FALSE(table.problem.isEmpty()) << text;
    }
}

TEST(CommandWords, ofEveryKindOfOption_areThoseOfACall) {
    const CommandRow row = command();
    EXPECT_EQ(row.name(), QStringLiteral("bench cache"));
    EXPECT_EQ(missingOptions(row, {}),
              (QStringList{QStringLiteral("model"), QStringLiteral("--keep")}));
    const CommandValues values{{QStringLiteral("model"), QStringLiteral(" /a b/m.gguf ")},
                               {QStringLiteral("--keep"), QStringLiteral("0,1 \"2 3\"")},
                               {QStringLiteral("--exact"), QStringLiteral("on")},
                               {QStringLiteral("--restore"), QString()}};
    EXPECT_TRUE(missingOptions(row, values).isEmpty());
    const QStringList words = commandWords(row, values);
    EXPECT_EQ(words.join(QLatin1Char('|')),
              QStringLiteral("bench|cache|/a b/m.gguf|--keep|0,1|--keep|2 3|--exact"))
        << "positionals before options of several words";
    EXPECT_EQ(commandLine(words),
              QStringLiteral("lacuna bench cache '/a b/m.gguf' --keep 0,1 --keep '2 3' --exact"));
    EXPECT_EQ(commandLine({QStringLiteral("it's"), QString()}),
              QStringLiteral("lacuna 'it'\\''s' ''"));
}

TEST(CommandOptions, thatNamePaths_areToldApart) {
    const CommandRow row = command();
    EXPECT_TRUE(namesPath(row.options[0]));
    EXPECT_FALSE(namesOutput(row.options[0]));
    EXPECT_FALSE(namesPath(row.options[1]));
    EXPECT_FALSE(namesPath(row.options[3])) << "a choice";
    EXPECT_TRUE(namesPath(row.options[4]));
    EXPECT_TRUE(namesOutput(row.options[4]));
    EXPECT_TRUE(namesFolder(row.options[4]));
}

}  // namespace
}  // namespace lacuna::app
