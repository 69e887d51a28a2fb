#include "app/state/models/calibration_controller.h"

#include <optional>
#include <utility>

#include "app/state/engine/engine_text.h"
#include "app/state/files/bundled_texts.h"
#include "app/state/files/program_files.h"
#include "app/state/number_format.h"
#include "app/state/view_rows.h"
#include "engine/session/command.h"
#include "engine/session/event.h"
#include "engine/settings/config_check.h"
#include "engine/settings/facts.h"

namespace lacuna::app {

struct CalibrationController::Impl {
    CommandSink& engine;
    const MachineFacts machine;
    std::optional<ModelFacts> model;
    QString gone, paused, ended;
    bool running = false, stopping = false, problem = false, found = false;
    qint64 done = 0, total = 0;

    Impl(CommandSink& host, const MachineFacts& facts) : engine(host), machine(facts) {}

    void reset() {
        running = stopping = problem = false;
        done = total = 0;
        ended.clear();
    }
    [[nodiscard]] QString now() const {
        if (!model) return {};
        if (model->rotations != nullptr)
            return CalibrationController::tr(
                "Rotated codes use rotations calibrated on this model.");
        if (!model->rotationsNote.empty())
            return CalibrationController::tr(
                       "Rotated codes use random rotations, because the calibrated ones stored "
                       "with the model cannot be used: %1.")
                .arg(engineText(model->rotationsNote));
        return CalibrationController::tr(
            "Rotated codes use random rotations; calibrated ones lose less with 2 and 3 bits.");
    }
    [[nodiscard]] QString disabledReason() const {
        if (!gone.isEmpty()) return gone;
        if (!model) return CalibrationController::tr("Load a model first.");
        EngineConfig rotated;
        if (changeSetting(rotated, "kv_type", "t4")) return {};
        const auto valid = check(rotated, &*model, machine);
        return valid ? QString() : engineText(violationsError(valid.error()).what);
    }
    [[nodiscard]] QString sentence() const {
        if (!running) return ended;
        if (stopping) return CalibrationController::tr("Stopping\u2026");
        QString text = total > 0 ? CalibrationController::tr("Calibrating, %1 of %2 tokens read")
                                       .arg(countText(done), countText(total))
                                 : CalibrationController::tr("Generating the text");
        return paused.isEmpty() ? text : text + QStringLiteral(". ") + paused;
    }
};

CalibrationController::CalibrationController(CommandSink& engine, const MachineFacts& machine,
                                             QObject* parent)
    : QObject(parent), m_impl(std::make_unique<Impl>(engine, machine)) {}

CalibrationController::~CalibrationController() = default;

CalibrationView CalibrationController::view() const {
    const Impl& my = *m_impl;
    CalibrationView view;
    view.now = my.now();
    view.disabledReason = my.disabledReason();
    view.sentence = my.sentence();
    view.problem = !my.running && my.problem;
    view.running = my.running;
    view.stopping = my.stopping;
    view.share = my.total > 0 ? static_cast<double>(my.done) / static_cast<double>(my.total) : 0;
    view.loadAgain = my.found;
    return view;
}

void CalibrationController::calibrate() {
    Impl& my = *m_impl;
    if (my.running) return;
    my.reset();
    my.ended = my.disabledReason();
    CalibrateRotations request;
    if (my.ended.isEmpty()) {
        request.book = fromQt(bundledText(kCalibrationText));
        if (request.book.empty())
            my.ended = tr("The text that ships with the program was not found.");
    }
    my.running = my.ended.isEmpty();
    my.problem = !my.running;
    if (my.running) my.engine.send(std::move(request));
    Q_EMIT changed();
}

void CalibrationController::stop() {
    if (!m_impl->running || m_impl->stopping) return;
    m_impl->stopping = true;
    m_impl->engine.send(StopCalibration{});
    Q_EMIT changed();
}

void CalibrationController::loadAgain() {
    if (m_impl->found && m_impl->model) Q_EMIT loadRequested(toQt(m_impl->model->path));
}

void CalibrationController::setModel(const ModelFacts* facts) {
    m_impl->reset();
    m_impl->found = false;
    m_impl->model = facts == nullptr ? std::nullopt : std::optional<ModelFacts>(*facts);
    Q_EMIT changed();
}

void CalibrationController::setPaused(const QString& reason) {
    if (m_impl->paused == reason) return;
    m_impl->paused = reason;
    if (m_impl->running) Q_EMIT changed();
}

void CalibrationController::onCalibrated(const RotationsCalibrated& event) {
    Impl& my = *m_impl;
    if (!my.running) return;
    my.done = event.done;
    my.total = event.total;
    if (event.ended) {
        my.reset();
        my.found = my.found || !event.error;
        if (!event.error)
            my.ended = tr("Calibrated in %1 and saved as %2. It takes effect when the model is "
                          "loaded again.")
                           .arg(durationText(event.seconds), toQt(event.path));
        else if (event.error->code == ErrorCode::Cancelled)
            my.ended = tr("Stopped; nothing was saved.");
        else
            my.ended = engineText(event.error->what);
        my.problem = event.error && event.error->code != ErrorCode::Cancelled;
    }
    Q_EMIT changed();
}

void CalibrationController::onEngineEnded(const QString& reason) {
    m_impl->reset();
    m_impl->gone = reason;
    Q_EMIT changed();
}

}  // namespace lacuna::app
