#include "app/state/model_jobs.h"

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

#include "app/state/engine_text.h"
#include "app/state/number_format.h"

namespace lacuna::app {

namespace {

constexpr int kNiceness = 10;
constexpr int kKillAfterMs = 10'000;
constexpr qsizetype kMostSaid = 64 * 1024;

struct KindRow {
    CalibrationKind kind;
    const char* option;  ///< of calibrate-kv; empty: none
    const char* name;
    const char* help;
};

constexpr KindRow kKinds[] = {
    {CalibrationKind::Heads, "", QT_TRANSLATE_NOOP("ModelJobs", "Heads"),
     QT_TRANSLATE_NOOP("ModelJobs",
                       "Which heads need far context, so that attention matching gives "
                       "slots to those. Seconds to minutes; the window measures them "
                       "by itself as well.")},
    {CalibrationKind::Rotations, "--rotations", QT_TRANSLATE_NOOP("ModelJobs", "Rotations"),
     QT_TRANSLATE_NOOP("ModelJobs", "Caches with 2 and 3 bits lose less. Minutes.")},
    {CalibrationKind::Layers, "--layers", QT_TRANSLATE_NOOP("ModelJobs", "Layers"),
     QT_TRANSLATE_NOOP("ModelJobs",
                       "Which layers get the extra bits (extra_bits). Minutes; after "
                       "the rotations, which it is measured under.")},
    {CalibrationKind::Transform, "--transform", QT_TRANSLATE_NOOP("ModelJobs", "Transform"),
     QT_TRANSLATE_NOOP("ModelJobs", "Caches that are stored on disk get smaller. Minutes.")},
    {CalibrationKind::Surrogate, "--surrogate", QT_TRANSLATE_NOOP("ModelJobs", "Surrogate"),
     QT_TRANSLATE_NOOP("ModelJobs",
                       "Evictions keep what a repetition of the text would look at, "
                       "without reading it again. Minutes.")},
};

const KindRow& rowOf(CalibrationKind kind) {
    return kKinds[static_cast<std::size_t>(kind)];
}

QString translated(const char* text) {
    return QCoreApplication::translate("ModelJobs", text);
}

/// "calibrating: 300 of 30000 tokens", "quantising to Q4_K: 42 %".
double shareIn(const QString& line) {
    static const QRegularExpression percent(QStringLiteral("(\\d{1,3})(?:\\.\\d+)? %"));
    static const QRegularExpression of(QStringLiteral("(\\d{1,15}) of (\\d{1,15})"));
    if (const auto match = percent.match(line); match.hasMatch())
        return std::min(match.captured(1).toDouble() / 100, 1.0);
    if (const auto match = of.match(line); match.hasMatch() && match.captured(2).toDouble() > 0)
        return std::min(match.captured(1).toDouble() / match.captured(2).toDouble(), 1.0);
    return -1;
}

/// The error line of the command line without its name and code: the sentence.
QString sentenceIn(const QString& said) {
    static const QRegularExpression error(QStringLiteral("^lacuna: [A-Z][A-Z0-9_]*: (.+)$"),
                                          QRegularExpression::MultilineOption);
    const auto match = error.match(said);
    return match.hasMatch() ? engineText(match.captured(1)) : QString();
}

}  // namespace

QString calibrationName(CalibrationKind kind) {
    return translated(rowOf(kind).name);
}

QString calibrationHelp(CalibrationKind kind) {
    return translated(rowOf(kind).help);
}

struct ModelJobs::Impl {
    QString program;
    JobView view;
    std::unique_ptr<QProcess> process;
    QByteArray line;     ///< of standard error, without its end yet
    QString complaints;  ///< what it said besides progress
    QTimer impatience;
    QString out;  ///< of convert and quantise
};

ModelJobs::ModelJobs(const QString& program, QObject* parent)
    : QObject(parent), m_impl(std::make_unique<Impl>()) {
    m_impl->program = program.isEmpty() ? QCoreApplication::applicationFilePath() : program;
    m_impl->impatience.setSingleShot(true);
    connect(&m_impl->impatience, &QTimer::timeout, this, [this] {
        if (m_impl->process) m_impl->process->kill();
    });
}

ModelJobs::~ModelJobs() {
    if (!m_impl->process) return;
    m_impl->process->disconnect(this);
    m_impl->process->kill();
    m_impl->process->waitForFinished();
}

const JobView& ModelJobs::view() const {
    return m_impl->view;
}

QStringList ModelJobs::convertTypes() {
    return {QStringLiteral("q8_0"), QStringLiteral("f16"), QStringLiteral("bf16"),
            QStringLiteral("f32")};
}

QStringList ModelJobs::quantiseTypes() {
    return {QStringLiteral("Q4_K_M"), QStringLiteral("Q5_K_M"), QStringLiteral("Q6_K"),
            QStringLiteral("Q8_0"), QStringLiteral("Q4_0")};
}

void ModelJobs::calibrate(const QString& model, CalibrationKind kind) {
    QStringList arguments{QStringLiteral("calibrate-kv"), model};
    if (*rowOf(kind).option != 0) arguments << QString::fromLatin1(rowOf(kind).option);
    m_impl->out.clear();
    begin(tr("Calibrating %1: %2").arg(QFileInfo(model).fileName(), calibrationName(kind)), model,
          arguments);
    m_impl->view.calibrated = true;
}

void ModelJobs::convert(const QString& folder, const QString& out, const QString& type) {
    m_impl->out = out;
    begin(tr("Converting %1 to %2").arg(QFileInfo(folder).fileName(), QFileInfo(out).fileName()),
          folder, {QStringLiteral("convert"), folder, out, QStringLiteral("--type"), type});
}

void ModelJobs::quantise(const QString& model, const QString& out, const QString& type) {
    m_impl->out = out;
    begin(tr("Quantising %1 to %2").arg(QFileInfo(model).fileName(), QFileInfo(out).fileName()),
          model, {QStringLiteral("quantize"), model, out, type});
}

void ModelJobs::begin(const QString& title, const QString& model, const QStringList& arguments) {
    Impl& my = *m_impl;
    if (my.view.running) return;
    my.view = JobView{};
    my.view.title = title;
    my.view.model = model;
    my.view.running = true;
    my.line.clear();
    my.complaints.clear();
    my.process = std::make_unique<QProcess>();
    QProcess& process = *my.process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("LACUNA_PROGRESS"), QStringLiteral("lines"));
    process.setProcessEnvironment(environment);
    process.setChildProcessModifier([] {
        // Gone with the window, however that ends.
        ::prctl(PR_SET_PDEATHSIG, SIGTERM);
        [[maybe_unused]] const int niceness = ::nice(kNiceness);
    });
    connect(&process, &QProcess::readyReadStandardError, this, [this] {
        Impl& now = *m_impl;
        now.line += now.process->readAllStandardError();
        qsizetype end = 0;
        while ((end = now.line.indexOf('\n')) >= 0) {
            const QString said = QString::fromUtf8(now.line.left(end));
            now.line.remove(0, end + 1);
            if (said.startsWith(QLatin1String("progress: "))) {
                now.view.line = said.mid(10);
                now.view.share = shareIn(now.view.line);
            } else if (now.complaints.size() < kMostSaid) {
                now.complaints += said + QLatin1Char('\n');
            }
        }
        if (now.line.size() > kMostSaid) now.line.clear();
        Q_EMIT changed();
    });
    connect(&process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error != QProcess::FailedToStart) return;
        Impl& now = *m_impl;
        now.view.running = now.view.stopping = false;
        now.view.problem = true;
        now.view.sentence =
            tr("%1 cannot be started: %2.").arg(now.program, now.process->errorString());
        Q_EMIT changed();
        Q_EMIT ended();
    });
    connect(&process, &QProcess::finished, this, [this](int status, QProcess::ExitStatus how) {
        Impl& now = *m_impl;
        now.impatience.stop();
        const bool stopped = now.view.stopping;
        const bool good = how == QProcess::NormalExit && status == 0;
        now.view.running = now.view.stopping = false;
        now.view.line.clear();
        now.view.share = -1;
        now.view.problem = !good && !stopped;
        if (good) {
            now.view.made = now.out;
            now.view.sentence =
                now.view.calibrated
                    ? tr("Done. It counts once the model is loaded again.")
                    : tr("Written to %1, %2.").arg(now.out, bytesText(QFileInfo(now.out).size()));
        } else if (stopped) {
            now.view.calibrated = false;
            now.view.sentence = tr("Stopped; nothing was kept of it.");
        } else {
            now.view.calibrated = false;
            now.view.sentence = sentenceIn(now.complaints);
            if (now.view.sentence.isEmpty())
                now.view.sentence =
                    tr("It ended with status %1 and said nothing about why.").arg(status);
        }
        Q_EMIT changed();
        Q_EMIT ended();
    });
    process.setStandardOutputFile(QProcess::nullDevice());
    process.start(my.program, arguments);
    Q_EMIT changed();
}

void ModelJobs::stop() {
    Impl& my = *m_impl;
    if (!my.view.running || my.view.stopping) return;
    my.view.stopping = true;
    my.process->terminate();
    my.impatience.start(kKillAfterMs);
    Q_EMIT changed();
}

}  // namespace lacuna::app
