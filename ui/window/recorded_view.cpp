#include "ui/window/recorded_view.h"

#include "app/state/application_state.h"
#include "app/state/chat/chat_controller.h"
#include "app/state/report/recorded_session.h"
#include "app/state/report/recording_controller.h"
#include "app/state/telemetry/metrics_store.h"
#include "app/state/telemetry/session_feed.h"
#include "ui/charts/retention_view.h"
#include "ui/chat/chat_view.h"
#include "ui/chat/find_bar.h"
#include "ui/chat/prompt_box.h"
#include "ui/chat/retention_presenter.h"
#include "ui/panels/telemetry_panel.h"
#include "ui/panels/timeline_panel.h"
#include "ui/window/status_line.h"
#include "ui/window/time_bar.h"
#include "ui/window/window_notices.h"

namespace lacuna::ui {

RecordedView::RecordedView(app::ApplicationState& state, const Panels& panels)
    : m_state(state), m_on(panels) {
    app::RecordingController& recording = state.recording();
    m_on.bar.hide();
    connect(&recording, &app::RecordingController::changed, this, &RecordedView::follow);
    connect(&recording, &app::RecordingController::failed, this, [this](const QString& sentence) {
        m_on.notice.showMessage(NoticeKind::Problem, sentence);
    });
    connect(&recording, &app::RecordingController::replayChanged, this,
            [this] { m_on.bar.showReplay(m_state.recording().replayed()); });
    connect(&m_on.bar, &TimeBar::moved, this, &RecordedView::showMoment);
    connect(&m_on.bar, &TimeBar::closeRequested, this, &RecordedView::close);
    connect(&m_on.bar, &TimeBar::replayRequested, &recording, &app::RecordingController::replay);
    connect(&m_on.bar, &TimeBar::cancelRequested, &recording,
            &app::RecordingController::cancelReplay);
    connect(&m_on.timeline, &TimelinePanel::rowSelected, this, [this](const app::EventRow& row) {
        if (m_shown) m_on.bar.goTo(row.timeNs);
    });
    // Selecting a live conversation closes the recorded session.
    connect(&state.chat(), &app::ChatController::currentChanged, this, &RecordedView::close);
}

QString recordedInstead(app::ApplicationState& state) {
    return state.recording().session() == nullptr
               ? QString()
               : RecordedView::tr(
                     "A recorded session is open. Close it to return to the live one.");
}

QString RecordedView::liveMeasurementBlocker() const {
    return recordedInstead(m_state);
}

void RecordedView::close() {
    m_state.recording().close();
}

void RecordedView::follow() {
    if (m_shown) leave();
    if (m_state.recording().session() != nullptr) enter();
    Q_EMIT changed();
}

void RecordedView::enter() {
    const app::RecordedSession& session = *m_state.recording().session();
    m_shown = true;
    m_on.presenter.hold(true);
    if (!m_on.find.isHidden()) m_on.find.close();
    m_on.prompt.hide();
    m_liveOverlay = !m_on.strip.isHidden();
    m_lines = std::make_unique<app::ChatModel>();
    m_on.chat.setReadOnly(true);
    m_on.chat.setPins({});
    m_on.chat.setEmptyText(tr("There are no messages before this moment."));
    m_on.chat.setModel(m_lines.get());
    // First the charts that follow the others: they redraw when the others change.
    for (TelemetryPanel* panel : {&m_on.charts, &m_on.telemetry})
        panel->setStore(session.metrics(), TelemetryPanel::Source::Recorded);
    m_on.timeline.setRows(session.timeline(), TimelinePanel::Source::Recorded);
    m_on.strip.setVisible(m_overlay);
    m_on.bar.setSession(&session);
    m_on.bar.show();
    m_on.bar.slider().setFocus();
}

void RecordedView::leave() {
    m_shown = false;
    m_on.bar.setSession(nullptr);
    m_on.bar.hide();
    m_on.prompt.show();
    m_on.strip.setVisible(m_liveOverlay);
    m_on.chat.setReadOnly(false);
    m_on.chat.setModel(&m_state.chat().currentModel());
    m_on.chat.setPins(m_state.chat().pins());
    m_lines.reset();
    for (TelemetryPanel* panel : {&m_on.charts, &m_on.telemetry})
        panel->setStore(m_state.metrics(), TelemetryPanel::Source::Live);
    m_on.timeline.setRows(m_state.feed().timeline());
    m_on.context.show(m_state.feed().engine(), m_state.chat().prefill());
    m_on.presenter.hold(false);
    m_on.prompt.focusText();
}

/// Existing lines are reused, so a long conversation is not laid out again at each step.
void RecordedView::showMoment() {
    const app::RecordedSession* session = m_state.recording().session();
    if (!m_shown || session == nullptr) return;
    const qint64 time = m_on.bar.timeNs();
    const qint64 conversation = m_on.bar.conversation();
    m_lines->become(session->linesAt(conversation, time));
    for (TelemetryPanel* panel : {&m_on.telemetry, &m_on.charts}) panel->setCursor(time);
    m_on.context.show(session->engineAt(conversation, time), std::nullopt);
    showHeld();
}

void RecordedView::showHeld() {
    const app::RecordedSession* session = m_state.recording().session();
    const app::RetentionView view =
        session->retentionAt(m_on.bar.conversation(), m_on.bar.timeNs());
    m_on.maps.setView(view);
    if (!m_overlay) return;
    m_on.strip.setEmptyText(tr("The report has no data on the cache at this moment."));
    m_on.strip.setView(view);
    if (view.tokens() > 0)
        m_on.chat.showRetention(view);
    else
        m_on.chat.showPlain();
}

void RecordedView::toggleOverlay() {
    m_overlay = !m_overlay;
    m_on.strip.setVisible(m_overlay);
    if (m_overlay)
        showHeld();
    else
        m_on.chat.showPlain();
}

}  // namespace lacuna::ui
