#include "app/state/models/model_jobs.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <utility>

#include "app/state/models/child_program.h"
#include "app/state/number_format.h"

namespace lacuna::app {

namespace {

struct KindRow {
    CalibrationKind kind;
    const char* option;  ///< option of calibrate-kv; empty if it needs none
    const char* name;
    const char* help;
};

constexpr KindRow kKinds[] = {
    {CalibrationKind::Heads, "", QT_TRANSLATE_NOOP("ModelJobs", "Heads"),
     QT_TRANSLATE_NOOP(
         "ModelJobs",
         "Finds the heads that need distant context, so that attention matching gives them more "
         "slots. Takes seconds to minutes; the window also measures them automatically.")},
    {CalibrationKind::Rotations, "--rotations", QT_TRANSLATE_NOOP("ModelJobs", "Rotations"),
     QT_TRANSLATE_NOOP("ModelJobs", "Makes caches with 2 and 3 bits lose less. Takes minutes.")},
    {CalibrationKind::Layers, "--layers", QT_TRANSLATE_NOOP("ModelJobs", "Layers"),
     QT_TRANSLATE_NOOP("ModelJobs",
                       "Finds the layers that need extra bits (extra_bits). Takes minutes; run it "
                       "after calibrating rotations, which it depends on.")},
    {CalibrationKind::Transform, "--transform", QT_TRANSLATE_NOOP("ModelJobs", "Transform"),
     QT_TRANSLATE_NOOP("ModelJobs", "Makes caches stored on disk smaller. Takes minutes.")},
    {CalibrationKind::Surrogate, "--surrogate", QT_TRANSLATE_NOOP("ModelJobs", "Surrogate"),
     QT_TRANSLATE_NOOP("ModelJobs",
                       "Lets evictions keep what a repetition of the text would attend to, without "
                       "reading it again. Takes minutes.")},
    {CalibrationKind::Centres, "--query-centres", QT_TRANSLATE_NOOP("ModelJobs", "Query centres"),
     QT_TRANSLATE_NOOP("ModelJobs",
                       "Lets TriAttention evictions use the model's own queries during long "
                       "answers. Takes less than a minute for small models.")},
};

const KindRow& rowOf(CalibrationKind kind) {
    return kKinds[static_cast<std::size_t>(kind)];
}

QString translated(const char* text) {
    return QCoreApplication::translate("ModelJobs", text);
}

}  // namespace

QString calibrationName(CalibrationKind kind) {
    return translated(rowOf(kind).name);
}

QString calibrationHelp(CalibrationKind kind) {
    return translated(rowOf(kind).help);
}

struct ModelJobs::Impl {
    explicit Impl(const QString& path) : program(path) {}
    ChildProgram program;
    JobView view;
    QString out;  ///< output path of convert and quantise
};

ModelJobs::ModelJobs(const QString& program, QObject* parent)
    : QObject(parent), m_impl(std::make_unique<Impl>(program)) {
    connect(&m_impl->program, &ChildProgram::progress, this,
            [this](const QString& line, double share) {
                m_impl->view.line = line;
                m_impl->view.share = share;
                Q_EMIT changed();
            });
    connect(&m_impl->program, &ChildProgram::ended, this, &ModelJobs::finish);
}

ModelJobs::~ModelJobs() = default;

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
    JobView job;
    job.title = tr("Calibrating %1: %2").arg(QFileInfo(model).fileName(), calibrationName(kind));
    job.model = model;
    job.calibrated = true;
    begin(std::move(job), {}, arguments);
}

void ModelJobs::convert(const QString& folder, const QString& out, const QString& type) {
    JobView job;
    job.title =
        tr("Converting %1 to %2").arg(QFileInfo(folder).fileName(), QFileInfo(out).fileName());
    job.model = folder;
    begin(std::move(job), out,
          {QStringLiteral("convert"), folder, out, QStringLiteral("--type"), type});
}

void ModelJobs::quantise(const QString& model, const QString& out, const QString& type) {
    JobView job;
    job.title =
        tr("Quantising %1 to %2").arg(QFileInfo(model).fileName(), QFileInfo(out).fileName());
    job.model = model;
    begin(std::move(job), out, {QStringLiteral("quantize"), model, out, type});
}

void ModelJobs::begin(JobView job, const QString& out, const QStringList& arguments) {
    Impl& my = *m_impl;
    if (my.view.running) return;
    my.view = std::move(job);
    my.view.running = true;
    my.out = out;
    my.program.begin(arguments);
    Q_EMIT changed();
}

void ModelJobs::finish(const ProgramEnd& end) {
    JobView& view = m_impl->view;
    view.running = view.stopping = false;
    view.line.clear();
    view.share = -1;
    view.problem = !end.good && !end.stopped;
    if (end.good) {
        view.made = m_impl->out;
        view.sentence =
            view.calibrated
                ? tr("Done. It takes effect when the model is loaded again.")
                : tr("Written to %1, %2.").arg(view.made, bytesText(QFileInfo(view.made).size()));
    } else if (end.stopped) {
        view.sentence = tr("Stopped; nothing was saved.");
    } else {
        view.sentence = failureMessage(end);
    }
    view.calibrated = view.calibrated && end.good;
    Q_EMIT changed();
    Q_EMIT ended();
}

void ModelJobs::stop() {
    if (!m_impl->program.running() || m_impl->program.stopping()) return;
    m_impl->view.stopping = true;
    m_impl->program.stop();
    Q_EMIT changed();
}

}  // namespace lacuna::app
