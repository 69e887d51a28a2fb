#include "app/state/models/model_controller.h"

#include <QDir>
#include <QFileInfo>

#include "app/state/engine/engine_text.h"
#include "app/state/files/program_files.h"
#include "app/state/number_format.h"
#include "app/state/view_rows.h"
#include "engine/session/command.h"

namespace lacuna::app {

ModelController::ModelController(CommandSink& engine, QObject* parent)
    : QObject(parent), m_engine(engine) {}

ModelController::~ModelController() = default;

void ModelController::load(const QString& path) {
    m_draft = m_draftOf ? m_draftOf(path) : QString();
    read(path);
}

void ModelController::loadAlone(const QString& path) {
    m_draft.clear();
    read(path);
}

void ModelController::read(const QString& path) {
    m_view.state = ModelState::Loading;
    m_view.problem.clear();
    m_view.path = path;
    m_view.name = QFileInfo(path).fileName();
    m_view.loadShare = 0;
    m_view.precisionShare = -1;
    Q_EMIT changed();
    m_engine.send(
        LoadModel{std::filesystem::path(fromQt(path)), std::filesystem::path(fromQt(m_draft))});
}

void ModelController::loadBundled() {
    const QString path = bundledModelPath();
    if (!path.isEmpty()) {
        load(path);
        return;
    }
    m_view.problem = tr("The bundled model was not found in %1. Load another one.")
                         .arg(resourceFolders().join(QStringLiteral(", ")));
    Q_EMIT changed();
}

void ModelController::unload() {
    m_engine.send(UnloadModel{});
}

void ModelController::stopLoading() {
    if (loading()) m_engine.send(CancelTurn{});
}

void ModelController::measurePrecision() {
    m_engine.send(MeasurePrecision{});
}

void ModelController::skipPrecision() {
    m_engine.send(SkipPrecision{});
}

void ModelController::fitSurrogate() {
    m_engine.send(FitSurrogate{});
}

void ModelController::skipSurrogate() {
    m_engine.send(SkipSurrogate{});
}

void ModelController::skipMeasuring() {
    if (measuringPrecision())
        skipPrecision();
    else
        skipSurrogate();
}

void ModelController::inspect(const QString& path) {
    m_engine.send(InspectModel{std::filesystem::path(fromQt(path))});
}

QString ModelController::problem() const {
    switch (m_view.state) {
        case ModelState::Ready:
            return {};
        case ModelState::Loading:
            return tr("The model is being loaded.");
        case ModelState::Failed:
        case ModelState::None:
            return m_view.problem.isEmpty() ? tr("Load a model first.") : m_view.problem;
    }
    return {};
}

void ModelController::onLoading(const ModelLoading& event) {
    m_view.state = ModelState::Loading;
    m_view.loadShare = event.share;
    Q_EMIT changed();
}

void ModelController::onLoaded(const ModelLoaded& event) {
    m_view = viewOf(event.facts, event.seconds);
    m_ready = m_view;
    Q_EMIT changed();
    Q_EMIT loaded(m_view.path);
}

void ModelController::onFailed(const ModelFailed& event) {
    const QString problem = engineText(event.error.what);
    if (event.previousStillLoaded && m_ready.state == ModelState::Ready) {
        m_view = m_ready;
        m_view.problem = tr("%1 The previous model stays loaded.").arg(problem);
    } else {
        m_view.state = ModelState::Failed;
        m_view.problem = problem;
    }
    Q_EMIT changed();
    // Cancelling a load does not imply that the draft model is unsuitable.
    const QString draft = std::exchange(m_draft, {});
    Q_EMIT failed(toQt(event.path), event.error.code == ErrorCode::Cancelled ? QString() : draft,
                  problem, m_view.state == ModelState::Failed);
}

void ModelController::onUnloaded() {
    m_view = m_ready = ModelView{};
    m_heads = {};
    Q_EMIT changed();
}

void ModelController::onHeads(const HeadProfilesInEffect& event) {
    m_heads.note.clear();
    if (event.profiles.taskFree != nullptr) m_heads.share = -1;
    if (event.profiles.taskFree != nullptr && event.seconds > 0)
        m_heads.note =
            tr("Its heads were measured without a task, in %1 s.").arg(realText(event.seconds, 1));
    else if (event.profiles.taskFree != nullptr)
        m_heads.note = tr("Its heads were measured without a task.");
    else if (event.profiles.copyScores != nullptr)
        m_heads.note = tr("Until its heads are measured, slots are divided by their copy scores.");
    else if (event.profiles.questions != nullptr)
        m_heads.note = tr("Its heads were measured with questions (bench).");
    QString fitted;
    if (event.profiles.surrogate != nullptr && event.fitSeconds > 0)
        fitted = tr("Its surrogate, which predicts which tokens are needed, was fitted in %1 s.")
                     .arg(realText(event.fitSeconds, 1));
    else if (event.profiles.surrogate != nullptr)
        fitted = tr("It has a surrogate, which predicts which tokens are needed.");
    if (!fitted.isEmpty())
        m_heads.note = m_heads.note.isEmpty() ? fitted : m_heads.note + QLatin1Char('\n') + fitted;
    Q_EMIT changed();
}

void ModelController::onSurrogate(const SurrogateFitted& event) {
    m_heads.fitShare = event.ended ? -1 : event.share;
    Q_EMIT changed();
}

void ModelController::onHeads(const HeadsMeasured& event) {
    m_heads.share = event.total > 0 ? event.share : -1;
    Q_EMIT changed();
}

/// Concerns the model in use, which is not the displayed one while another is loading.
void ModelController::onPrecision(const PrecisionChosen& event) {
    m_ready.precisionNote = engineText(event.note);
    if (m_view.state == ModelState::Ready) m_view.precisionNote = m_ready.precisionNote;
    Q_EMIT changed();
}

void ModelController::onPrecision(const PrecisionMeasured& event) {
    m_ready.precisionShare = event.ended ? -1 : event.share;
    if (m_view.state == ModelState::Ready) m_view.precisionShare = m_ready.precisionShare;
    Q_EMIT changed();
}

void ModelController::onInspected(const ModelInspected& event) {
    Q_EMIT inspected(viewOf(event));
}

}  // namespace lacuna::app
