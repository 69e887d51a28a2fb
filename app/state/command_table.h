#pragma once
/// \file
/// The commands of the command line with their options, as the program itself tells them (`lacuna
/// manual --json`), and the words of one call. Pure values and functions.

#include <QByteArray>
#include <QMap>
#include <QString>
#include <QStringList>
#include <QVector>

namespace lacuna::app {

struct CommandOption {
    QString name;  ///< "--keep"; of a positional "model"
    bool positional = false;
    bool required = false;
    bool many = false;  ///< several words, or given several times
    QString value;      ///< type of what follows, "INT:INT in [1 - 64]"; empty: a flag
    QString initial;    ///< what counts when it is left out; empty: not said
    QStringList choices;
    QString help;  ///< English, as the command line says it
};

struct CommandRow {
    QStringList words;  ///< {"bench", "cache"}
    QString help;
    QVector<CommandOption> options;  ///< positionals first, in their order

    [[nodiscard]] QString name() const { return words.join(QLatin1Char(' ')); }
};

struct CommandTable {
    QVector<CommandRow> commands;  ///< those that do something by themselves
    QString problem;               ///< why there are none
};

[[nodiscard]] CommandTable readCommands(const QByteArray& json);

/// What a person gave, by the names of the options; of a flag any text that is not empty.
using CommandValues = QMap<QString, QString>;

/// Required options that have no value yet.
[[nodiscard]] QStringList missingOptions(const CommandRow& command, const CommandValues& values);
/// The words after "lacuna". An option that is given several times has its values parted by blanks,
/// with quotes around one that holds some.
[[nodiscard]] QStringList commandWords(const CommandRow& command, const CommandValues& values);
/// The same as a line for a shell.
[[nodiscard]] QString commandLine(const QStringList& words);
/// Does the option name a file or a folder?
[[nodiscard]] bool namesPath(const CommandOption& option);
/// One that the command writes; else one that is there.
[[nodiscard]] bool namesOutput(const CommandOption& option);
[[nodiscard]] bool namesFolder(const CommandOption& option);

}  // namespace lacuna::app
