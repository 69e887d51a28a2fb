#include "app/state/command_table.h"

#include <QCoreApplication>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QRegularExpression>

namespace lacuna::app {

namespace {

struct CommandTexts {
    Q_DECLARE_TR_FUNCTIONS(CommandTable)
};

QStringList textsOf(const QJsonValue& list) {
    QStringList texts;
    for (const QJsonValue& one : list.toArray()) texts << one.toString();
    return texts;
}

CommandOption optionOf(const QJsonObject& json) {
    CommandOption option;
    option.name = json.value(QLatin1String("name")).toString();
    option.positional = json.value(QLatin1String("positional")).toBool();
    option.required = json.value(QLatin1String("required")).toBool();
    option.many = json.value(QLatin1String("many")).toBool();
    option.value = json.value(QLatin1String("value")).toString();
    option.initial = json.value(QLatin1String("default")).toString();
    option.choices = textsOf(json.value(QLatin1String("choices")));
    option.help = json.value(QLatin1String("help")).toString();
    return option;
}

bool mentions(const CommandOption& option, const char* pattern) {
    const QRegularExpression words(QString::fromLatin1(pattern),
                                   QRegularExpression::CaseInsensitiveOption);
    return words.match(option.name + QLatin1Char(' ') + option.help).hasMatch();
}

/// Inside single quotes where a shell would take it for more than a word.
QString shellWord(const QString& word) {
    static const QRegularExpression plain(QStringLiteral("^[A-Za-z0-9_@%+=:,./-]+$"));
    if (plain.match(word).hasMatch()) return word;
    QString quoted = word;
    quoted.replace(QLatin1Char('\''), QLatin1String("'\\''"));
    return QLatin1Char('\'') + quoted + QLatin1Char('\'');
}

}  // namespace

CommandTable readCommands(const QByteArray& json) {
    const QJsonObject table = QJsonDocument::fromJson(json).object();
    CommandTable read;
    if (table.value(QLatin1String("schema")).toString() != QLatin1String("lacuna-commands") ||
        table.value(QLatin1String("version")).toInt() != 1) {
        read.problem = CommandTexts::tr("The program did not say which commands it has.");
        return read;
    }
    for (const QJsonValue& one : table.value(QLatin1String("commands")).toArray()) {
        const QJsonObject row = one.toObject();
        if (row.value(QLatin1String("group")).toBool()) continue;
        CommandRow command;
        command.words = textsOf(row.value(QLatin1String("words")));
        command.help = row.value(QLatin1String("help")).toString();
        for (const QJsonValue& option : row.value(QLatin1String("options")).toArray())
            command.options << optionOf(option.toObject());
        read.commands << command;
    }
    return read;
}

QStringList missingOptions(const CommandRow& command, const CommandValues& values) {
    QStringList missing;
    for (const CommandOption& option : command.options)
        if (option.required && values.value(option.name).trimmed().isEmpty())
            missing << option.name;
    return missing;
}

QStringList commandWords(const CommandRow& command, const CommandValues& values) {
    // Positionals first: behind an option of several words they would be taken for more of those.
    QStringList words = command.words;
    QStringList options;
    for (const CommandOption& option : command.options) {
        const QString value = values.value(option.name).trimmed();
        if (value.isEmpty()) continue;
        const QStringList parts = option.many ? QProcess::splitCommand(value) : QStringList{value};
        if (option.positional) {
            words << parts;
        } else if (option.value.isEmpty()) {
            options << option.name;
        } else {
            for (const QString& part : parts) options << option.name << part;
        }
    }
    return words + options;
}

QString commandLine(const QStringList& words) {
    QStringList shown{QStringLiteral("lacuna")};
    for (const QString& word : words) shown << shellWord(word);
    return shown.join(QLatin1Char(' '));
}

bool namesPath(const CommandOption& option) {
    if (option.value == QLatin1String("PATH")) return true;
    return option.value.startsWith(QLatin1String("TEXT")) && option.choices.isEmpty() &&
           option.name != QLatin1String("--set") &&
           mentions(option, "\\b(files?|folder|model|bundle|json|profile|text)\\b") &&
           option.name != QLatin1String("--system") && option.name != QLatin1String("--stop");
}

bool namesOutput(const CommandOption& option) {
    return mentions(option, "\\bwrite\\b|^(--)?out\\b|^--report\\b");
}

bool namesFolder(const CommandOption& option) {
    return mentions(option, "^folder\\b|\\b(into this|this) folder\\b|\\bfolder (for|to|with)\\b");
}

}  // namespace lacuna::app
