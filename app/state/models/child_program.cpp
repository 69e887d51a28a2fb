#include "app/state/models/child_program.h"

#include <sys/prctl.h>
#include <unistd.h>

#include <QCoreApplication>
#include <QFileInfo>
#include <QProcess>
#include <QRegularExpression>
#include <QTimer>
#include <algorithm>
#include <csignal>
#include <utility>

#include "app/state/engine/engine_text.h"

namespace lacuna::app {

namespace {

constexpr int kNiceness = 10;
constexpr int kKillAfterMs = 10'000;
constexpr qsizetype kMostSaid = 64 * 1024;

/// Parses progress lines such as "calibrating: 300 of 30000 tokens" or "quantising to Q4_K: 42 %".
double shareIn(const QString& line) {
    static const QRegularExpression percent(QStringLiteral("(\\d{1,3})(?:\\.\\d+)? %"));
    static const QRegularExpression of(QStringLiteral("(\\d{1,15}) of (\\d{1,15})"));
    if (const auto match = percent.match(line); match.hasMatch())
        return std::min(match.captured(1).toDouble() / 100, 1.0);
    if (const auto match = of.match(line); match.hasMatch() && match.captured(2).toDouble() > 0)
        return std::min(match.captured(1).toDouble() / match.captured(2).toDouble(), 1.0);
    return -1;
}

}  // namespace

QString errorMessageOf(const QString& complaint) {
    static const QRegularExpression error(QStringLiteral("^lacuna: [A-Z][A-Z0-9_]*: (.+)$"),
                                          QRegularExpression::MultilineOption);
    const auto match = error.match(complaint);
    return match.hasMatch() ? engineText(match.captured(1)) : QString();
}

QString failureMessage(const ProgramEnd& end) {
    if (!end.started) return end.complaint;
    const QString error = errorMessageOf(end.complaint);
    return error.isEmpty() ? QCoreApplication::translate(
                                 "ModelJobs", "It ended with status %1 and reported no reason.")
                                 .arg(end.status)
                           : error;
}

QString benchProgram(const QString& program) {
    const QFileInfo own(program.isEmpty() ? QCoreApplication::applicationFilePath() : program);
    return own.canonicalPath() + QStringLiteral("/lacuna-bench");
}

struct ChildProgram::Impl {
    QString program, dataFolder;
    std::unique_ptr<QProcess> process;
    bool stopping = false;
    int lastSignal = SIGTERM;  ///< sent to the process if the window dies without stopping it
    QByteArray line;           ///< incomplete line of standard error
    QString complaints;        ///< standard error without progress lines
    QTimer impatience;
};

ChildProgram::ChildProgram(const QString& program, QObject* parent)
    : QObject(parent), m_impl(std::make_unique<Impl>()) {
    m_impl->program = program.isEmpty() ? QCoreApplication::applicationFilePath() : program;
    m_impl->impatience.setSingleShot(true);
    connect(&m_impl->impatience, &QTimer::timeout, this, [this] {
        if (m_impl->process) m_impl->process->kill();
    });
}

ChildProgram::~ChildProgram() {
    if (!m_impl->process) return;
    m_impl->process->disconnect(this);
    m_impl->process->kill();
    m_impl->process->waitForFinished();
}

void ChildProgram::setDataFolder(const QString& folder) {
    m_impl->dataFolder = folder;
}

bool ChildProgram::running() const {
    return m_impl->process && m_impl->process->state() != QProcess::NotRunning;
}

bool ChildProgram::stopping() const {
    return running() && m_impl->stopping;
}

void ChildProgram::begin(const QStringList& arguments, bool publishOutput) {
    Impl& my = *m_impl;
    my.stopping = false;
    my.line.clear();
    my.complaints.clear();
    my.process = std::make_unique<QProcess>();
    QProcess& process = *my.process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("LACUNA_PROGRESS"), QStringLiteral("lines"));
    if (!my.dataFolder.isEmpty())
        environment.insert(QStringLiteral("LACUNA_DATA_DIR"), my.dataFolder);
    process.setProcessEnvironment(environment);
    process.setChildProcessModifier([signal = my.lastSignal] {
        // The kernel terminates the process with its parent, even if the parent crashes.
        ::prctl(PR_SET_PDEATHSIG, signal);
        [[maybe_unused]] const int niceness = ::nice(kNiceness);
    });
    process.setStandardInputFile(QProcess::nullDevice());
    connect(&process, &QProcess::readyReadStandardError, this, &ChildProgram::listen);
    if (publishOutput)
        connect(&process, &QProcess::readyReadStandardOutput, this,
                [this] { Q_EMIT printed(m_impl->process->readAllStandardOutput()); });
    else
        process.setStandardOutputFile(QProcess::nullDevice());
    connect(&process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error != QProcess::FailedToStart) return;
        m_impl->complaints =
            tr("%1 cannot be started: %2.").arg(m_impl->program, m_impl->process->errorString());
        finish({.started = false, .complaint = {}});
    });
    connect(&process, &QProcess::finished, this, [this](int status, QProcess::ExitStatus how) {
        listen();
        finish({.good = how == QProcess::NormalExit && status == 0,
                .status = status,
                .complaint = {}});
    });
    process.start(my.program, arguments);
}

/// Processes the standard error received so far.
void ChildProgram::listen() {
    Impl& my = *m_impl;
    my.line += my.process->readAllStandardError();
    qsizetype end = 0;
    while ((end = my.line.indexOf('\n')) >= 0) {
        const QString said = QString::fromUtf8(my.line.left(end));
        my.line.remove(0, end + 1);
        if (said.startsWith(QLatin1String("progress: ")))
            Q_EMIT progress(said.mid(10), shareIn(said));
        else if (my.complaints.size() < kMostSaid)
            my.complaints += said + QLatin1Char('\n');
    }
    if (my.line.size() > kMostSaid) my.line.clear();
}

void ChildProgram::finish(ProgramEnd end) {
    Impl& my = *m_impl;
    my.impatience.stop();
    end.stopped = std::exchange(my.stopping, false) && !end.good;
    end.complaint = my.complaints;
    Q_EMIT ended(end);
}

void ChildProgram::allowPause() {
    m_impl->lastSignal = SIGKILL;
}

void ChildProgram::pause(bool paused) {
    if (!running() || m_impl->process->processId() <= 0) return;
    ::kill(static_cast<pid_t>(m_impl->process->processId()), paused ? SIGSTOP : SIGCONT);
}

void ChildProgram::stop() {
    if (!running() || m_impl->stopping) return;
    m_impl->stopping = true;
    m_impl->process->terminate();
    pause(false);  // A suspended process would not receive the signal.
    m_impl->impatience.start(kKillAfterMs);
}

}  // namespace lacuna::app
