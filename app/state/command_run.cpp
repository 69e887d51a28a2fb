#include "app/state/command_run.h"

#include <QStringDecoder>

#include "app/state/number_format.h"
#include "app/state/own_program.h"
#include "app/state/program_files.h"

namespace lacuna::app {

struct CommandRun::Impl {
    explicit Impl(const QString& path) : asked(path), program(path) {}
    OwnProgram asked;  ///< for the table
    OwnProgram program;
    QByteArray told;
    bool read = false;
    CommandTable table;
    CommandRunView view;
    QStringDecoder letters{QStringDecoder::Utf8};
    qsizetype bytes = 0;  ///< of the output, dropped ones counted
};

CommandRun::CommandRun(const QString& program, QObject* parent)
    : QObject(parent), m_impl(std::make_unique<Impl>(program)) {
    Impl& my = *m_impl;
    connect(&my.asked, &OwnProgram::printed, this,
            [&my](const QByteArray& bytes) { my.told += bytes; });
    connect(&my.asked, &OwnProgram::ended, this, [this, &my](const ProgramEnd& end) {
        my.table = readCommands(my.told);
        if (!end.good && !end.complaint.isEmpty()) my.table.problem = end.complaint.trimmed();
        my.told.clear();
        Q_EMIT tableRead();
    });
    connect(&my.program, &OwnProgram::progress, this,
            [this, &my](const QString& line, double share) {
                my.view.progress = line;
                my.view.share = share;
                Q_EMIT changed();
            });
    connect(&my.program, &OwnProgram::printed, this, [this, &my](const QByteArray& bytes) {
        const qsizetype room = kMostOutput - my.bytes;
        my.bytes += bytes.size();
        if (room <= 0) return;
        const QString more = my.letters.decode(bytes.left(room));
        my.view.output += more;
        Q_EMIT printed(more);
    });
    connect(&my.program, &OwnProgram::ended, this, [this, &my](const ProgramEnd& end) {
        CommandRunView& view = my.view;
        view.running = view.stopping = false;
        view.problem = !end.good && !end.stopped;
        const QString error = errorSentence(end.complaint);
        const QString said = end.complaint.trimmed();
        if (end.stopped)
            view.sentence = tr("Stopped.");
        else if (end.good)
            view.sentence = said.isEmpty() ? tr("Done.") : tr("Done. %1").arg(said);
        else if (!error.isEmpty() || !said.isEmpty())
            view.sentence = error.isEmpty() ? said : error;
        else
            view.sentence =
                tr("It ended with status %1 and said nothing about why.").arg(end.status);
        if (my.bytes > kMostOutput)
            view.sentence +=
                QLatin1Char(' ') + tr("It printed %1, of which the first %2 are shown.")
                                       .arg(bytesText(my.bytes), bytesText(kMostOutput));
        Q_EMIT changed();
        Q_EMIT ended();
    });
}

CommandRun::~CommandRun() = default;

void CommandRun::readTable() {
    Impl& my = *m_impl;
    if (my.read) return;
    my.read = true;
    my.asked.begin({QStringLiteral("manual"), QStringLiteral("--json")}, true);
}

const CommandTable& CommandRun::table() const {
    return m_impl->table;
}

const CommandRunView& CommandRun::view() const {
    return m_impl->view;
}

void CommandRun::run(const QStringList& words) {
    Impl& my = *m_impl;
    if (my.view.running) return;
    my.view = CommandRunView{};
    my.view.line = commandLine(words);
    my.view.running = true;
    my.bytes = 0;
    my.letters.resetState();
    my.program.begin(words, true);
    Q_EMIT changed();
}

void CommandRun::stop() {
    if (!m_impl->program.running() || m_impl->program.stopping()) return;
    m_impl->view.stopping = true;
    m_impl->program.stop();
    Q_EMIT changed();
}

QString CommandRun::saveOutput(const QString& path) const {
    return saveFile(path, m_impl->view.output.toUtf8());
}

}  // namespace lacuna::app
