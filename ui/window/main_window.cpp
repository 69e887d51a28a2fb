#include "ui/window/main_window.h"

#include <QApplication>
#include <QChildEvent>
#include <QCloseEvent>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFileInfo>
#include <QGridLayout>
#include <QMenuBar>
#include <QMimeData>
#include <QScreen>
#include <QSettings>
#include <QTabBar>
#include <QTimer>
#include <QToolBar>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "app/remote/remote_controller.h"
#include "app/state/application_state.h"
#include "app/state/chat/chat_controller.h"
#include "app/state/experiments/quality_controller.h"
#include "app/state/models/model_controller.h"
#include "app/state/report/recorded_session.h"
#include "app/state/report/recording_controller.h"
#include "app/state/report/report_controller.h"
#include "app/state/server/server_controller.h"
#include "app/state/storage/conversation_storage.h"
#include "app/state/telemetry/metrics_store.h"
#include "app/state/telemetry/session_feed.h"
#include "ui/charts/retention_view.h"
#include "ui/chat/attachment_controller.h"
#include "ui/chat/chat_view.h"
#include "ui/chat/find_bar.h"
#include "ui/chat/prompt_box.h"
#include "ui/chat/retention_presenter.h"
#include "ui/chat/session_list.h"
#include "ui/pages/model_details.h"
#include "ui/pages/models_window.h"
#include "ui/panels/predicted_loss_label.h"
#include "ui/panels/preview_panel.h"
#include "ui/panels/profile_panel.h"
#include "ui/panels/settings_panel.h"
#include "ui/panels/telemetry_panel.h"
#include "ui/panels/timeline_panel.h"
#include "ui/report/export_dialog.h"
#include "ui/report/report_exporter.h"
#include "ui/report/report_page.h"
#include "ui/style/theme.h"
#include "ui/style/widget_roles.h"
#include "ui/window/action_registry.h"
#include "ui/window/answer_alert.h"
#include "ui/window/demo_bar.h"
#include "ui/window/guided_demo.h"
#include "ui/window/panel_dock.h"
#include "ui/window/recorded_view.h"
#include "ui/window/status_line.h"
#include "ui/window/time_bar.h"
#include "ui/window/welcome_page.h"
#include "ui/window/window_actions.h"
#include "ui/window/window_dialogs.h"
#include "ui/window/window_layouts.h"
#include "ui/window/window_notices.h"

namespace lacuna::ui {

namespace {

constexpr int kSessionsWidth = 216;
constexpr int kTuningWidth = 316;
constexpr int kTelemetryShare = 38;  ///< percent of the height
constexpr int kLowTelemetryShare = 26;
constexpr int kLowWindow = 700;  ///< px; in lower windows the charts leave more height to the chat
constexpr int kNarrowWindow = 1000;  ///< px; in narrower windows sessions and tuning share one dock
                                     ///< area
constexpr int kTallWindow = 950;     ///< px; from this height on the retention strip shows its text
constexpr int kStripHeight = 64;
constexpr int kFrameWidth = 8, kFrameHeight = 36;  ///< px; frame size on most systems
struct ToolButton {
    const char* action;
    bool givesWay = false;  ///< hidden in a narrow window
};
constexpr std::array kToolButtons{
    ToolButton{"model.load"},          ToolButton{"chat.regenerate", true},
    ToolButton{"chat.stop", true},     ToolButton{"cache.compact"},
    ToolButton{"report.export", true}, ToolButton{"theme.toggle", true},
    ToolButton{"view.palette"}};
constexpr int kWideWindow = 1600;  ///< px; from this width on timeline and telemetry are side by
                                   ///< side

QString demoOffer() {
    return MainWindow::tr(
        "New here? A 20-second demo shows what the cache costs and what compaction saves.");
}

}  // namespace

MainWindow::MainWindow(app::ApplicationState& state, ThemeSource& themes, QWidget* parent)
    : QMainWindow(parent),
      m_state(state),
      m_themes(themes),
      m_remote(std::make_unique<app::RemoteController>(state)),
      m_actions(new ActionRegistry(this)),
      m_layouts(std::make_unique<WindowLayouts>(*this)) {
    setWindowTitle(tr("Lacuna"));
    setAcceptDrops(true);
    setDockNestingEnabled(true);
    setDockOptions(AllowNestedDocks | AllowTabbedDocks);
    buildChat();
    buildDocks();
    m_palette = new CommandPalette(*m_actions, this);
    m_dialogs = std::make_unique<WindowDialogs>(state, *m_remote, themes, *this);
    m_cacheView = std::make_unique<RetentionPresenter>(state, *m_chatView, *m_retention, *m_maps);
    m_recorded = std::make_unique<RecordedView>(
        state,
        RecordedView::Panels{*m_timeBar, *m_chatView, *m_retention, *m_maps, *m_cacheView,
                             *m_telemetry, *m_timeline, *m_context, *m_prompt, *m_find, *m_notice});
    m_exporter = std::make_unique<ReportExporter>(state, themes, *m_cacheView, *this);
    state.report().setPdfMaker(reportPdf);
    m_notices = std::make_unique<WindowNotices>(state, *m_notice, *m_dialogs);
    m_attachments = std::make_unique<AttachmentController>(state, *m_prompt, *m_context, *m_notice);
    m_alert = std::make_unique<AnswerAlert>(state.chat(), *this, notifyDesktop);
    m_does = std::make_unique<WindowActions>(
        *m_actions,
        WindowActions::Targets{state, *m_remote, themes, *this, *m_dialogs, *m_cacheView,
                               *m_palette, *m_chatView, *m_prompt, *m_attachments, *m_find,
                               *m_notice, *m_sessions, *m_telemetry, *m_maps});
    m_actions->buildMenus(menuBar());
    buildToolBar();
    m_status = new StatusLine(state.machine(), this);
    setStatusBar(m_status);
    connectState();
    layout()->activate();  // determines the minimum size
    resize(1440, 900);
    showChat();
    showEngine();
    m_prompt->focusText();  // a question can be typed immediately, even while a model is loading
}

MainWindow::~MainWindow() {
    m_remote->disconnectNow();  // while all its observers still exist
}

void MainWindow::buildChat() {
    auto* centre = new QWidget(this);
    auto* layout = new QVBoxLayout(centre);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    m_notice = new NoticeBar(centre);
    m_demoBar = new DemoBar(centre);
    m_timeBar = new TimeBar(m_themes, centre);
    m_chatView = new ChatView(m_themes, centre);
    m_find = new FindBar(m_state.chat(), *m_chatView, centre);
    m_context = new ContextStrip(m_themes, centre);
    m_retention = new RetentionStrip(m_themes, centre);
    m_retention->hide();
    m_prompt = new PromptBox(centre);
    layout->addWidget(m_demoBar);
    layout->addWidget(m_timeBar);
    layout->addWidget(m_find);
    // Notices overlay the chat, so nothing moves under the mouse when they appear.
    auto* chat = new QGridLayout;
    chat->addWidget(m_chatView, 0, 0);
    chat->addWidget(m_notice, 0, 0, Qt::AlignTop);
    m_notice->raise();
    layout->addLayout(chat, 1);
    layout->addWidget(hairline(centre));
    layout->addWidget(m_retention);
    layout->addWidget(m_context);
    layout->addWidget(m_prompt);
    setCentralWidget(centre);
    connect(m_demoBar, &DemoBar::onwardWanted, this, &MainWindow::openWelcome);
    connect(m_demoBar, &DemoBar::ended, this, &MainWindow::openWelcome);
    connect(m_demoBar, &DemoBar::againWanted, this, [this] {
        const bool whole = m_demo != nullptr && m_demo->length() == DemoLength::Whole;
        m_actions->find(whole ? QStringLiteral("demo.run") : QStringLiteral("demo.short"))
            ->trigger();
    });
    // A question of the user's own makes the result of the demo obsolete.
    connect(&m_state.chat(), &app::ChatController::stateChanged, this, [this] {
        if (m_state.chat().answering() && (m_demo == nullptr || !m_demo->running()))
            m_demoBar->hide();
    });
    connect(m_prompt, &PromptBox::stopWanted, &m_state.chat(), &app::ChatController::stop);
}

void MainWindow::buildDocks() {
    m_sessions = new SessionList(m_state.chat(), this);
    m_whatIf = new PreviewPanel(m_state.preview(), m_state.config(), m_state.chat(),
                                m_state.quality(), this);
    auto* predictedLoss = new PredictedLossLabel(m_state.preview(), m_state.config(), this);
    m_profiles = new ProfilePanel(m_state.profiles(), m_state.chat(), this);
    m_settingRows = new SettingsPanel(
        m_state.config(),
        {.predictedLoss = predictedLoss, .whatIf = m_whatIf, .profiles = m_profiles}, this);
    m_telemetry = new TelemetryPanel(m_state.metrics(), m_themes, this);
    m_timeline = new TimelinePanel(m_themes, this);
    m_maps = new CacheMapPanel(m_themes, this);
    m_sessionsDock =
        new PanelDock(QStringLiteral("dock.sessions"), tr("Conversations"), m_sessions, this);
    m_tuningDock = new PanelDock(QStringLiteral("dock.tuning"), tr("Tuning"), m_settingRows, this);
    m_telemetryDock =
        new PanelDock(QStringLiteral("dock.telemetry"), tr("Telemetry"), m_telemetry, this);
    m_timelineDock =
        new PanelDock(QStringLiteral("dock.timeline"), tr("Timeline"), m_timeline, this);
    m_mapsDock = new PanelDock(QStringLiteral("dock.maps"), tr("Cache map"), m_maps, this);
    setTabPosition(Qt::BottomDockWidgetArea, QTabWidget::North);
    setCorner(Qt::BottomLeftCorner, Qt::BottomDockWidgetArea);
    setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
    arrangePanels();
}

QList<MainWindow::Panel> MainWindow::panels() const {
    const auto key = [](int digit) { return QKeySequence(Qt::CTRL | Qt::Key(Qt::Key_0 + digit)); };
    return {{QStringLiteral("sessions"), tr("conversations"), m_sessionsDock, key(2)},
            {QStringLiteral("tuning"), tr("tuning"), m_tuningDock, key(3)},
            {QStringLiteral("telemetry"), tr("telemetry"), m_telemetryDock, key(4)},
            {QStringLiteral("maps"), tr("cache map"), m_mapsDock, key(5)},
            {QStringLiteral("timeline"), tr("timeline"), m_timelineDock, key(6)}};
}

void MainWindow::focusNextPane() {
    QList<QWidget*> panes{centralWidget()};
    for (const Panel& panel : panels()) panes.push_back(panel.dock);
    qsizetype at = 0;
    for (qsizetype i = 0; i < panes.size(); ++i) {
        if (panes.at(i)->isAncestorOf(QApplication::focusWidget())) at = i;
    }
    for (qsizetype step = 1; step <= panes.size(); ++step) {
        QWidget* next = panes.at((at + step) % panes.size());
        if (next == centralWidget()) {
            m_prompt->focusText();
            return;
        }
        if (!next->isVisible()) continue;
        static_cast<PanelDock*>(next)->focusInside();
        return;
    }
}

void MainWindow::resetLayout() {
    m_layouts->reset();
    Q_EMIT layoutChosen();
}

void MainWindow::chooseLayout(WindowLayout layout) {
    m_layouts->choose(layout);
    Q_EMIT layoutChosen();
}

/// Panels that are visible side by side while being moved would widen a small window, so they are
/// shown only when all are in position.
void MainWindow::arrangePanels() {
    const QSize before = size();
    const bool narrow = width() < kNarrowWindow;
    const bool wide = width() >= kWideWindow;
    m_narrow = narrow;
    for (const Panel& panel : panels()) {
        panel.dock->setFloating(false);
        panel.dock->hide();
    }
    addDockWidget(narrow ? Qt::RightDockWidgetArea : Qt::LeftDockWidgetArea, m_sessionsDock);
    addDockWidget(Qt::RightDockWidgetArea, m_tuningDock);
    addDockWidget(Qt::BottomDockWidgetArea, m_telemetryDock);
    addDockWidget(Qt::BottomDockWidgetArea, m_mapsDock);
    addDockWidget(Qt::BottomDockWidgetArea, m_timelineDock);
    if (narrow) tabifyDockWidget(m_tuningDock, m_sessionsDock);
    if (wide) splitDockWidget(m_telemetryDock, m_timelineDock, Qt::Horizontal);
    tabifyDockWidget(m_telemetryDock, m_mapsDock);
    if (!wide) tabifyDockWidget(m_telemetryDock, m_timelineDock);
    for (const Panel& panel : panels()) panel.dock->show();
    resizeDocks({m_sessionsDock, m_tuningDock}, {kSessionsWidth, kTuningWidth}, Qt::Horizontal);
    const int share = height() < kLowWindow ? kLowTelemetryShare : kTelemetryShare;
    resizeDocks({m_telemetryDock}, {height() * share / 100}, Qt::Vertical);
    if (wide) resizeDocks({m_telemetryDock, m_timelineDock}, {62, 38}, Qt::Horizontal);
    if (narrow) m_tuningDock->raise();
    m_telemetryDock->raise();
    layout()->activate();
    if (size() != before && !isMaximized() && !isFullScreen()) resize(before);
}

/// Keeps the figures of the status line: descriptions of actions are shown as tool tips only.
bool MainWindow::event(QEvent* event) {
    return event->type() == QEvent::StatusTip || QMainWindow::event(event);
}

/// Docks create tab bars when they are combined, in any layout.
void MainWindow::childEvent(QChildEvent* event) {
    QMainWindow::childEvent(event);
    if (event->type() != QEvent::ChildPolished) return;
    if (auto* tabs = qobject_cast<QTabBar*>(event->child())) setAccessible(tabs, tr("Panels"));
}

void MainWindow::closeAtOnce() {
    m_closes = true;
    close();
}

void MainWindow::closeEvent(QCloseEvent* event) {
    app::ServerController& server = m_state.server();
    if (m_closes || server.open() == 0) return QMainWindow::closeEvent(event);
    event->ignore();
    const auto finish = [this, &server] {
        connect(&server, &app::ServerController::changed, this, [this, &server] {
            if (server.off()) closeAtOnce();
        });
        server.finish();
    };
    m_dialogs->askClosing(finish, [this] { closeAtOnce(); });
}

void MainWindow::showEvent(QShowEvent* event) {
    QMainWindow::showEvent(event);
    if (std::exchange(m_laidOut, true)) return;
    // Dock sizes are shares of the window size, which is known only now.
    QTimer::singleShot(0, this, &MainWindow::resetLayout);
}

void MainWindow::resizeEvent(QResizeEvent* event) {
    QMainWindow::resizeEvent(event);
    // A small window needs the height of the strip's text for the chat.
    m_retention->setMaximumHeight(height() >= kTallWindow ? QWIDGETSIZE_MAX : kStripHeight);
    fitToolBar();
    // Panels must not be moved inside an event handler of the window.
    if (m_laidOut && (width() < kNarrowWindow) != m_narrow)
        QTimer::singleShot(0, this, &MainWindow::fitColumns);
}

/// Three columns leave no room for the chat in a narrow window: sessions are then tabbed with the
/// settings, and get their own column again when the window is wide.
void MainWindow::fitColumns() {
    const bool narrow = width() < kNarrowWindow;
    if (narrow == m_narrow) return;
    const bool inPlace = !m_sessionsDock->isFloating() && !m_tuningDock->isFloating() &&
                         !m_sessionsDock->isHidden() && !m_tuningDock->isHidden();
    const bool together = tabifiedDockWidgets(m_tuningDock).contains(m_sessionsDock);
    m_narrow = narrow;
    if (!inPlace || narrow == together) return;
    if (narrow) {
        tabifyDockWidget(m_tuningDock, m_sessionsDock);
        m_tuningDock->raise();
    } else {
        addDockWidget(Qt::LeftDockWidgetArea, m_sessionsDock);
        resizeDocks({m_sessionsDock, m_tuningDock}, {kSessionsWidth, kTuningWidth}, Qt::Horizontal);
    }
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    if (!filesIn(*event->mimeData()).isEmpty()) event->acceptProposedAction();
}

/// A single model is loaded and a report is opened. Several models or folders go to the models
/// page; anything else is attached to the next question.
void MainWindow::dropEvent(QDropEvent* event) {
    const QStringList paths = filesIn(*event->mimeData());
    event->acceptProposedAction();
    const auto isModel = [](const QString& path) {
        return path.endsWith(QStringLiteral(".gguf"), Qt::CaseInsensitive) ||
               QFileInfo::exists(path + QStringLiteral("/config.json"));
    };
    const bool all = std::all_of(paths.begin(), paths.end(), [&](const QString& path) {
        return isModel(path) || QFileInfo(path).isDir();
    });
    const QString report = paths.size() == 1 ? app::reportAt(paths.front()) : QString();
    if (!report.isEmpty())
        m_state.recording().open(report);
    else if (!all || paths.isEmpty())
        m_attachments->attachFiles(paths);
    else if (paths.size() == 1 && isModel(paths.front()))
        openModel(paths.front());
    else
        m_dialogs->openModels().take(paths);
}

void MainWindow::openModel(const QString& path) {
    if (m_state.localEngineBlocker().isEmpty())
        m_state.model().load(path);
    else
        m_dialogs->openModels().take({path});
}

void MainWindow::restoreLayout(QSettings& settings) {
    const QByteArray geometry = settings.value(QStringLiteral("window/geometry")).toByteArray();
    // The first window must fit the screen together with its system frame.
    if (!restoreGeometry(geometry))
        resize(size().boundedTo(screen()->availableSize() - QSize(kFrameWidth, kFrameHeight)));
    if (m_layouts->restore(settings)) m_laidOut = true;
    m_dialogs->files().restore(settings);
    m_dialogs->places().restore(settings);
}

void MainWindow::saveLayout(QSettings& settings) const {
    settings.setValue(QStringLiteral("window/geometry"), saveGeometry());
    m_layouts->save(settings);
    m_dialogs->files().save(settings);
    m_dialogs->places().save(settings);
}

void MainWindow::buildToolBar() {
    m_toolBar = new QToolBar(tr("Main"), this);
    QToolBar* bar = m_toolBar;
    bar->setObjectName(QStringLiteral("toolbar.main"));
    bar->setMovable(false);
    bar->setToolButtonStyle(Qt::ToolButtonTextOnly);
    m_modelBar = new ModelBar(bar);
    connect(m_modelBar, &ModelBar::skipWanted, &m_state.model(),
            &app::ModelController::skipMeasuring);
    bar->addWidget(m_modelBar);
    auto* gap = new QWidget(bar);
    gap->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    bar->addWidget(gap);
    for (const ToolButton& one : kToolButtons) addToolButton(one.action, nullptr);
    addToolBar(Qt::TopToolBarArea, bar);
    setContextMenuPolicy(Qt::NoContextMenu);
}

void MainWindow::addToolButton(const char* id, QAction* before) {
    QAction* action = m_actions->find(QString::fromLatin1(id));
    m_toolBar->insertAction(before, action);
    QWidget* button = m_toolBar->widgetForAction(action);
    button->setFocusPolicy(Qt::TabFocus);
    setAccessible(button, action->text());
}

/// In a narrow window some buttons are hidden in favour of the model's name; menu and palette
/// contain them.
void MainWindow::fitToolBar() {
    if (m_toolBar == nullptr) return;
    const bool wide = width() >= kNarrowWindow;
    QAction* before = nullptr;
    for (auto one = std::rbegin(kToolButtons); one != std::rend(kToolButtons); ++one) {
        QAction* action = m_actions->find(QString::fromLatin1(one->action));
        const bool there = m_toolBar->actions().contains(action);
        if (!wide && one->givesWay && there) m_toolBar->removeAction(action);
        if (wide && !there) addToolButton(one->action, before);
        if (m_toolBar->actions().contains(action)) before = action;
    }
}

void MainWindow::connectState() {
    const auto showModel = [this] {
        if (m_state.remote()) return m_modelBar->show(*m_state.remote());
        const app::QualityProgressView& quality = m_state.quality().progress();
        const double done = quality.total > 0 ? static_cast<double>(quality.done) /
                                                    static_cast<double>(quality.total)
                                              : 0;
        m_modelBar->show(m_state.model().view(), m_state.model().heads(),
                         quality.running ? done : -1);
    };
    connect(&m_state.model(), &app::ModelController::changed, this, showModel);
    connect(&m_state.quality(), &app::QualityController::changed, this, showModel);
    showModel();
    connect(&m_state, &app::ApplicationState::remoteChanged, this, [this, showModel] {
        showModel();
        showRests();
    });
    connect(m_recorded.get(), &RecordedView::changed, this, [this] {
        showRests();
        showChat();
        showEngine();
    });
    connect(&m_state.chat(), &app::ChatController::currentChanged, this, &MainWindow::showChat);
    connect(&m_state.chat(), &app::ChatController::titleChanged, this, &MainWindow::showChat);
    connect(&m_state.chat(), &app::ChatController::prefillChanged, this, &MainWindow::showEngine);
    connect(&m_state.chat(), &app::ChatController::stateChanged, this, &MainWindow::showEngine);
    connect(&m_state.feed(), &app::SessionFeed::engineChanged, this, &MainWindow::showEngine);
    connect(&m_state.feed(), &app::SessionFeed::eventArrived, m_timeline,
            [this](const app::EventRow& row) {
                if (!m_recorded->shown()) m_timeline->add(row);
            });
    m_timeline->setRows(m_state.feed().timeline());
    // Widgets of a dock in an inactive tab count as visible; only this signal is accurate.
    connect(m_mapsDock, &QDockWidget::visibilityChanged, m_cacheView.get(),
            &RetentionPresenter::setMapsSeen);
    if (app::ConversationStorage* storage = m_state.storage()) {
        connect(storage, &app::ConversationStorage::keepingChanged, m_status,
                &StatusLine::showKeeping);
        connect(m_sessions, &SessionList::searchWanted, storage, &app::ConversationStorage::search);
        connect(storage, &app::ConversationStorage::found, m_sessions, &SessionList::showFound);
    }
    connect(m_telemetry, &TelemetryPanel::csvWanted, m_dialogs.get(), [this] {
        m_dialogs->chooseTableFile([this](const QString& path) { m_telemetry->saveCsv(path); });
    });
    connect(m_telemetry, &TelemetryPanel::pngWanted, m_dialogs.get(), [this] {
        m_dialogs->choosePictureFile([this](const QString& path) { m_telemetry->savePng(path); });
    });
    connect(m_telemetry, &TelemetryPanel::compactionPicked, this, [this](qint64 number) {
        m_timelineDock->show();
        m_timelineDock->raise();
        m_timeline->selectCompaction(number);
    });
}

void MainWindow::showChat() {
    app::ChatController& chat = m_state.chat();
    if (m_recorded->shown()) {
        const QString name = m_state.recording().session()->name();
        return setWindowTitle(oneLine(name, kMaxTitleLength) + QStringLiteral(" - ") +
                              tr("Lacuna"));
    }
    m_chatView->setModel(&chat.currentModel());
    setWindowTitle(oneLine(chat.title(chat.current()), kMaxTitleLength) + QStringLiteral(" - ") +
                   tr("Lacuna"));
}

void MainWindow::showEngine() {
    const app::EngineView& engine = m_state.feed().engine();
    if (!m_recorded->shown()) {
        app::EngineView here = engine;
        // When idle, shows the rate of the conversation's last answer.
        if (here.activity == EngineState::Idle)
            here.decodeTokensPerSecond = app::answerRate(m_state.chat().currentModel().lines());
        m_context->show(here, m_state.chat().prefill());
    }
    m_status->show(engine);
    m_status->showRecoding(engine.remote ? std::nullopt : m_state.feed().recoding());
}

/// Disables settings that have no effect: with a remote engine, those not sent with a question; in
/// a recorded session, all.
void MainWindow::showRests() {
    const QString over = m_recorded->liveMeasurementBlocker();
    const QString why = over.isEmpty() ? m_state.localEngineBlocker() : over;
    m_settingRows->setReason(why, [this, over](const QString& key) {
        return over.isEmpty() && m_remote->goesAlong(key);
    });
    m_whatIf->setEnabled(why.isEmpty());
    m_whatIf->setToolTip(tipText(why));
    if (why.isEmpty()) return;
    m_notice->withdraw(demoOffer());
    if (m_demo != nullptr) m_demo->cancel();
}

void MainWindow::showWholeSession() {
    m_telemetry->setSpan(ChartSpan::All);
}

void MainWindow::showRetention() {
    m_cacheView->showOverlay();
}

void MainWindow::showMaps() {
    m_mapsDock->show();
    m_mapsDock->raise();
    m_cacheView->refresh();
}

void MainWindow::showTelemetry() {
    m_telemetryDock->show();
    m_telemetryDock->raise();
}

void MainWindow::openExport() {
    if (m_export == nullptr)
        m_export = new ExportDialog(
            m_state.report(),
            {.chooseFolder =
                 [this](ExportDialog::Chosen chosen) {
                     m_dialogs->chooseReportFolder(std::move(chosen));
                 },
             .write = [this](
                          const QString& folder,
                          const app::ReportParts& parts) { m_exporter->exportTo(folder, parts); },
             .pictures =
                 [this](ExportDialog::Drawn drawn) { m_exporter->preview(std::move(drawn)); },
             .openReport = [this](const QString& path) { m_state.recording().open(path); }},
            this);
    m_export->open(m_dialogs->proposedReportFolder());
}

void MainWindow::exportReport(const QString& folder) {
    m_exporter->exportTo(folder);
}

void MainWindow::keepPicture(const QString& name, const QString& caption) {
    m_exporter->keepPicture(name, caption);
}

void MainWindow::offerDemo() {
    m_notice->tell(
        NoticeKind::Info, demoOffer(), tr("Start the demo"),
        [this] { actions().find(QStringLiteral("demo.short"))->trigger(); },
        [this] { return actions().find(QStringLiteral("demo.short"))->isEnabled(); });
    // The notice is obsolete once the user has sent a message.
    connect(&m_state.chat(), &app::ChatController::stateChanged, m_notice, [this] {
        if (m_state.chat().answering()) m_notice->withdraw(demoOffer());
    });
}

GuidedDemo* MainWindow::startDemo(const QString& folder, const QString& model) {
    return start(new GuidedDemo(m_state, *this,
                                {.length = DemoLength::Whole, .folder = folder, .model = model}));
}

GuidedDemo* MainWindow::startShortDemo() {
    showTelemetry();
    const bool tinted = m_retention->isVisible();
    GuidedDemo* demo = start(new GuidedDemo(m_state, *this, {.length = DemoLength::Short}));
    if (tinted) return demo;
    // The words of the demo stay tinted until another conversation is selected.
    connect(&m_state.chat(), &app::ChatController::currentChanged, demo, [this, demo] {
        if (demo->running()) return;
        disconnect(&m_state.chat(), nullptr, demo, nullptr);
        if (m_retention->isVisible()) m_actions->find(QStringLiteral("view.retention"))->trigger();
    });
    return demo;
}

GuidedDemo* MainWindow::start(GuidedDemo* demo) {
    if (m_demo != nullptr) {
        m_demo->cancel();
        m_demo->deleteLater();
    }
    m_demo = demo;
    m_notice->withdraw(demoOffer());
    m_notices->follow(*m_demo);
    m_demoBar->follow(*m_demo);
    // After the caller has connected to its signals.
    QTimer::singleShot(0, m_demo, &GuidedDemo::start);
    return m_demo;
}

void MainWindow::openWelcome() {
    if (m_welcome == nullptr) {
        m_welcome = new WelcomePage(*m_actions, this);
        connect(m_welcome, &WelcomePage::questionChosen, this, [this](const QString& question) {
            m_actions->find(QStringLiteral("chat.new"))->trigger();
            m_prompt->setText(question);
            m_prompt->focusText();
        });
        connect(m_welcome, &WelcomePage::tuneChosen, this, [this] {
            chooseLayout(WindowLayout::Tune);
            m_tuningDock->focusInside();
        });
    }
    m_welcome->tell(m_demoBar->isVisible() ? m_demoBar->sentence() : QString());
    m_welcome->open();
}

}  // namespace lacuna::ui
