// What the window shows of the inside of the cache, and when it asks for it: after an answer, after
// a compaction, when another conversation comes up, and once a second while an answer is written
// and the map is in sight. Split from main_window.cpp; both implement ui/main_window.h.

#include <utility>

#include "app/state/application_state.h"
#include "app/state/chat_controller.h"
#include "app/state/model_controller.h"
#include "app/state/session_feed.h"
#include "ui/cache_map_panel.h"
#include "ui/chat_view.h"
#include "ui/main_window.h"
#include "ui/panel_dock.h"
#include "ui/retention_view.h"

namespace lacuna::ui {

namespace {

constexpr int kLookMs = 1000;

}  // namespace

void MainWindow::connectRetention() {
    connect(&m_state, &app::ApplicationState::retentionArrived, this, &MainWindow::takeRetention);
    connect(&m_state.chat(), &app::ChatController::answerFinished, this,
            &MainWindow::refreshRetention);
    connect(&m_state.feed(), &app::SessionFeed::compactionArrived, this,
            &MainWindow::refreshRetention);
    connect(&m_state.chat(), &app::ChatController::currentChanged, this, [this] {
        showNoRetention();
        refreshRetention();
    });
    // A dock behind another tab counts as visible to its widgets; only this signal knows better.
    connect(m_mapsDock, &QDockWidget::visibilityChanged, this, [this](bool seen) {
        m_mapsSeen = seen;
        if (seen) refreshRetention();
    });
    m_look.setInterval(kLookMs);
    connect(&m_look, &QTimer::timeout, this, [this] {
        if (m_mapsSeen && m_state.chat().answering() && !m_lookAsked) askRetention();
    });
    m_look.start();
}

void MainWindow::showRetention() {
    m_retention->show();
    refreshRetention();
}

void MainWindow::showMaps() {
    m_mapsDock->show();
    m_mapsDock->raise();
    refreshRetention();
}

void MainWindow::showTelemetry() {
    m_telemetryDock->show();
    m_telemetryDock->raise();
}

void MainWindow::hideRetention() {
    m_retention->hide();
    m_chatView->showPlain();
}

void MainWindow::refreshRetention() {
    m_overlayStale = true;
    if (m_retention->isVisible() || m_mapsSeen) askRetention();
}

void MainWindow::askRetention() {
    if (!m_state.model().problem().isEmpty()) return;
    m_lookAsked = true;
    m_state.chat().requestRetention();
}

void MainWindow::showNoRetention() {
    m_retention->setView({});
    m_maps->setView({});
    m_chatView->showPlain();
}

void MainWindow::takeRetention(const app::RetentionView& view) {
    m_lookAsked = false;
    exportWith(view);
    if (view.conversation != m_state.chat().current()) return;
    if (m_mapsSeen) m_maps->setView(view);
    // Tinting a long conversation costs a layout; once for each compaction or answer is enough.
    if (!m_retention->isVisible() || !std::exchange(m_overlayStale, false)) return;
    m_retention->setView(view);
    m_chatView->showRetention(view);
}

}  // namespace lacuna::ui
