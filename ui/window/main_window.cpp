#include "ui/window/main_window.h"

#include <QApplication>
#include <QCloseEvent>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFileInfo>
#include <QGridLayout>
#include <QMenu>
#include <QMenuBar>
#include <QMimeData>
#include <QScreen>
#include <QSettings>
#include <QSplitter>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <chrono>
#include <utility>

#include "app/remote/remote_controller.h"
#include "app/state/application_state.h"
#include "app/state/chat/chat_controller.h"
#include "app/state/experiments/quality_controller.h"
#include "app/state/models/memory_controller.h"
#include "app/state/models/model_controller.h"
#include "app/state/report/recorded_session.h"
#include "app/state/report/recording_controller.h"
#include "app/state/report/report_controller.h"
#include "app/state/server/server_controller.h"
#include "app/state/settings/config_controller.h"
#include "app/state/storage/conversation_storage.h"
#include "app/state/telemetry/memory_verdict.h"
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
#include "ui/pages/models_page.h"
#include "ui/panels/cache_state_panel.h"
#include "ui/panels/predicted_loss_label.h"
#include "ui/panels/preview_panel.h"
#include "ui/panels/profile_panel.h"
#include "ui/panels/settings_panel.h"
#include "ui/panels/telemetry_panel.h"
#include "ui/panels/timeline_panel.h"
#include "ui/panels/verdict_strip.h"
#include "ui/report/export_page.h"
#include "ui/report/report_exporter.h"
#include "ui/report/report_page.h"
#include "ui/style/page_kit.h"
#include "ui/window/action_registry.h"
#include "ui/window/answer_alert.h"
#include "ui/window/demo_bar.h"
#include "ui/window/guided_demo.h"
#include "ui/window/page_stack.h"
#include "ui/window/recorded_view.h"
#include "ui/window/status_line.h"
#include "ui/window/time_bar.h"
#include "ui/window/welcome_page.h"
#include "ui/window/window_actions.h"
#include "ui/window/window_dialogs.h"
#include "ui/window/window_notices.h"

namespace lacuna::ui {

namespace {

constexpr int kSessionsWidth = 216;
constexpr int kMemoryWidth = 328;
constexpr int kHeaderHeight = 44;
constexpr int kNarrowWindow = 1000;  ///< px; narrower windows show no list of conversations and a
                                     ///< rail of icons
constexpr int kLowWindow = 660;      ///< px; lower windows show no charts below the chat
constexpr int kTallWindow = 950;     ///< px; from this height on the retention strip shows its text
constexpr int kStripHeight = 64;
constexpr int kLeastCharts = 172, kMostCharts = 240;  ///< px; height of the charts below the chat
constexpr int kFrameWidth = 8, kFrameHeight = 36;     ///< px; frame size on most systems
constexpr int kVerdictMs = 1000;                      ///< interval at which ages are updated
constexpr const char* kHiddenPanels = "window/hiddenPanels";
constexpr const char* kColumns = "window/columns";

qint64 steadyNs() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

QString demoOffer() {
    return MainWindow::tr(
        "New here? A 20-second demo shows what the cache costs and what compaction saves.");
}

/// Focuses the widget or the first focusable one inside.
void focusInside(QWidget& pane) {
    if (QWidget* first = pane.focusProxy(); first != nullptr && first->isVisible())
        return first->setFocus(Qt::ShortcutFocusReason);
    for (QWidget* child : pane.findChildren<QWidget*>())
        if (child->isVisible() && child->isEnabled() && (child->focusPolicy() & Qt::TabFocus) != 0)
            return child->setFocus(Qt::ShortcutFocusReason);
}

}  // namespace

MainWindow::MainWindow(app::ApplicationState& state, ThemeSource& themes, QWidget* parent)
    : QMainWindow(parent),
      m_state(state),
      m_themes(themes),
      m_remote(std::make_unique<app::RemoteController>(state)),
      m_actions(new ActionRegistry(this)) {
    setWindowTitle(tr("Lacuna"));
    setAcceptDrops(true);
    buildPages();
    m_dialogs = std::make_unique<WindowDialogs>(state, *m_remote, themes, *m_pages, *this);
    m_cacheView = std::make_unique<RetentionPresenter>(state, *m_chatView, *m_retention, *m_maps);
    m_recorded = std::make_unique<RecordedView>(
        state, RecordedView::Panels{*m_timeBar, *m_chatView, *m_retention, *m_maps, *m_cacheView,
                                    *m_telemetry, *m_strip, *m_timeline, *m_context, *m_prompt,
                                    *m_find, *m_notice});
    m_exporter = std::make_unique<ReportExporter>(state, themes, *m_cacheView, *this);
    state.report().setPdfMaker(reportPdf);
    m_notices = std::make_unique<WindowNotices>(state, *m_notice, *m_dialogs);
    m_attachments = std::make_unique<AttachmentController>(state, *m_prompt, *m_context, *m_notice);
    m_alert = std::make_unique<AnswerAlert>(state.chat(), *this, notifyDesktop);
    m_does = std::make_unique<WindowActions>(
        *m_actions, WindowActions::Targets{state, *m_remote, themes, *this, *m_dialogs,
                                           *m_cacheView, *m_chatView, *m_prompt, *m_attachments,
                                           *m_find, *m_notice, *m_sessions, *m_telemetry, *m_maps});
    m_actions->buildMenus(menuBar());
    auto* models = new QMenu(m_changeModel);
    for (const char* id : {"model.load", "model.bundled", "model.page", "remote.connect"})
        models->addAction(m_actions->find(QString::fromLatin1(id)));
    m_changeModel->setMenu(models);
    m_cacheState->setActions(m_actions->find(QStringLiteral("cache.compact")),
                             m_actions->find(QStringLiteral("cache.rebuild")));
    connectState();
    fitPanels();
    layout()->activate();  // determines the minimum size
    resize(1440, 900);
    showChat();
    showEngine();
    m_prompt->focusText();  // a question can be typed immediately, even while a model is loading
}

MainWindow::~MainWindow() {
    m_remote->disconnectNow();  // while all its observers still exist
}

void MainWindow::buildPages() {
    auto* centre = new QWidget(this);
    QHBoxLayout* columns = rowLayout(centre, 0);
    m_rail = new NavigationRail(m_themes, centre);
    columns->addWidget(m_rail);
    QVBoxLayout* column = columnLayout(nullptr, 0);
    m_timeBar = new TimeBar(m_themes, centre);
    m_pages = new PageStack(centre);
    column->addWidget(buildHeader());
    column->addWidget(hairline(centre));
    column->addWidget(m_timeBar);
    column->addWidget(m_pages, 1);
    columns->addLayout(column, 1);
    setCentralWidget(centre);
    m_pages->addTab(Page::Chat, buildChatPage(), pageTitle(Page::Chat));
    m_telemetry = new TelemetryPanel(m_state.metrics(), m_themes, this);
    m_maps = new CacheMapPanel(m_themes, this);
    m_timeline = new TimelinePanel(m_themes, &m_state.log(), this);
    m_pages->addTab(Page::Monitor, m_telemetry, tr("Charts"));
    m_pages->addTab(Page::Monitor, m_maps, tr("Cache map"));
    m_pages->addTab(Page::Monitor, m_timeline, tr("Timeline"));
    m_strip->follow(*m_telemetry);
    m_rail->setCurrent(Page::Chat);
}

QWidget* MainWindow::buildHeader() {
    auto* header = new QWidget(this);
    header->setFixedHeight(kHeaderHeight);
    QHBoxLayout* row = rowLayout(header, Spacing::wide);
    row->setContentsMargins(Spacing::unit, 0, Spacing::wide, 0);
    m_modelBar = new ModelBar(header);
    connect(m_modelBar, &ModelBar::skipRequested, &m_state.model(),
            &app::ModelController::skipMeasuring);
    m_changeModel = new QToolButton(header);
    m_changeModel->setText(tr("Change model"));
    m_changeModel->setPopupMode(QToolButton::InstantPopup);
    m_changeModel->setFocusPolicy(Qt::TabFocus);
    setAccessible(m_changeModel, m_changeModel->text());
    m_processMemory = shrinkingCaption(header);
    m_processMemory->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    row->addWidget(m_modelBar);
    row->addWidget(m_changeModel);
    row->addWidget(m_processMemory, 1);
    return header;
}

QWidget* MainWindow::buildChatPage() {
    auto* page = new QWidget(this);
    QVBoxLayout* layout = columnLayout(page, 0);
    m_sessions = new SessionList(m_state.chat(), page);
    m_whatIf = new PreviewPanel(m_state.preview(), m_state.config(), m_state.chat(),
                                m_state.quality(), page);
    auto* predictedLoss =
        new PredictedLossLabel(m_state.preview(), m_state.config(), m_state.feed(), page);
    m_profiles = new ProfilePanel(m_state.profiles(), m_state.chat(), page);
    m_cacheState = new CacheStatePanel(page);
    m_settingRows = new SettingsPanel(m_state.config(),
                                      {.predictedLoss = predictedLoss,
                                       .cache = m_cacheState,
                                       .whatIf = m_whatIf,
                                       .profiles = m_profiles},
                                      page);
    m_columns = new QSplitter(Qt::Horizontal, page);
    m_columns->addWidget(m_sessions);
    m_columns->addWidget(buildConversation());
    m_columns->addWidget(m_settingRows);
    m_columns->setStretchFactor(1, 1);
    m_columns->setChildrenCollapsible(false);
    m_columns->setHandleWidth(Spacing::hairWidth);
    m_sessions->setMinimumWidth(kSessionsWidth * 3 / 4);
    m_settingRows->setMinimumWidth(kMemoryWidth - Spacing::unit);
    m_columns->setSizes({kSessionsWidth, kSessionsWidth + kMemoryWidth, kMemoryWidth});
    m_verdict = new VerdictStrip(page);
    m_strip =
        new TelemetryPanel(m_state.metrics(), m_themes, page, TelemetryPanel::Charts::Primary);
    layout->addWidget(m_columns, 1);
    layout->addWidget(hairline(page));
    layout->addWidget(m_verdict);
    layout->addWidget(hairline(page));
    layout->addWidget(m_strip);
    page->setFocusProxy(m_prompt->edit());
    return page;
}

QWidget* MainWindow::buildConversation() {
    auto* centre = new QWidget(this);
    QVBoxLayout* layout = columnLayout(centre, 0);
    m_notice = new NoticeBar(centre);
    m_demoBar = new DemoBar(centre);
    m_chatView = new ChatView(m_themes, centre);
    m_find = new FindBar(m_state.chat(), *m_chatView, centre);
    m_context = new ContextStrip(m_themes, centre);
    m_retention = new RetentionStrip(m_themes, centre);
    m_retention->hide();
    m_prompt = new PromptBox(centre);
    layout->addWidget(m_demoBar);
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
    connect(m_demoBar, &DemoBar::suggestionsRequested, this, &MainWindow::openWelcome);
    connect(m_demoBar, &DemoBar::ended, this, &MainWindow::openWelcome);
    connect(m_demoBar, &DemoBar::repeatRequested, this, [this] {
        const bool whole = m_demo != nullptr && m_demo->length() == DemoLength::Whole;
        m_actions->find(whole ? QStringLiteral("demo.run") : QStringLiteral("demo.short"))
            ->trigger();
    });
    // A question of the user's own makes the result of the demo obsolete.
    connect(&m_state.chat(), &app::ChatController::stateChanged, this, [this] {
        if (m_state.chat().answering() && (m_demo == nullptr || !m_demo->running()))
            m_demoBar->hide();
    });
    connect(m_prompt, &PromptBox::stopRequested, &m_state.chat(), &app::ChatController::stop);
    return centre;
}

QList<MainWindow::Panel> MainWindow::panels() const {
    return {{QStringLiteral("sessions"), tr("conversations"), m_sessions},
            {QStringLiteral("tuning"), tr("memory"), m_settingRows},
            {QStringLiteral("charts"), tr("charts"), m_strip}};
}

void MainWindow::setPanelShown(const QString& id, bool shown) {
    m_hidden.removeAll(id);
    if (!shown) m_hidden << id;
    fitPanels();
    // A small window hides panels, but not one that was just asked for.
    for (const Panel& panel : panels())
        if (panel.id == id) panel.widget->setVisible(shown);
    // A narrow window has room for one of the columns next to the conversation.
    if (shown && width() < kNarrowWindow && id == QLatin1String("sessions")) m_settingRows->hide();
    if (shown && width() < kNarrowWindow && id == QLatin1String("tuning")) m_sessions->hide();
    m_verdict->setChartsShown(!m_strip->isHidden());
    Q_EMIT layoutChosen();
}

void MainWindow::focusPanel(const QString& id) {
    m_pages->open(Page::Chat);
    setPanelShown(id, true);
    for (const Panel& panel : panels())
        if (panel.id == id) focusInside(*panel.widget);
}

void MainWindow::focusNextPane() {
    QList<QWidget*> panes{m_pages};
    for (const Panel& panel : panels()) panes.push_back(panel.widget);
    panes.push_back(m_rail);
    qsizetype at = 0;
    for (qsizetype i = 0; i < panes.size(); ++i)
        if (panes.at(i)->isAncestorOf(QApplication::focusWidget())) at = i;
    for (qsizetype step = 1; step <= panes.size(); ++step) {
        QWidget* next = panes.at((at + step) % panes.size());
        if (next == m_pages) return m_pages->open(m_pages->current());
        if (next->isVisible()) return focusInside(*next);
    }
}

/// Shows the panels for which the window has room, except those that the user has hidden.
void MainWindow::fitPanels() {
    const bool narrow = width() < kNarrowWindow;
    const auto wanted = [this](const char* id) {
        return !m_hidden.contains(QString::fromLatin1(id));
    };
    m_rail->setNarrow(narrow);
    m_sessions->setVisible(wanted("sessions") && !narrow);
    m_settingRows->setVisible(wanted("tuning"));
    m_strip->setVisible(wanted("charts") && height() >= kLowWindow);
    m_strip->setFixedHeight(std::clamp(height() * 24 / 100, kLeastCharts, kMostCharts));
    m_verdict->setChartsShown(!m_strip->isHidden());
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
    m_dialogs->confirmClosing(finish, [this] { closeAtOnce(); });
}

void MainWindow::resizeEvent(QResizeEvent* event) {
    QMainWindow::resizeEvent(event);
    // A small window needs the height of the strip's text for the chat.
    m_retention->setMaximumHeight(height() >= kTallWindow ? QWIDGETSIZE_MAX : kStripHeight);
    fitPanels();
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
    m_hidden = settings.value(QString::fromLatin1(kHiddenPanels)).toStringList();
    m_columns->restoreState(settings.value(QString::fromLatin1(kColumns)).toByteArray());
    fitPanels();
    m_dialogs->files().restore(settings);
}

void MainWindow::saveLayout(QSettings& settings) const {
    settings.setValue(QStringLiteral("window/geometry"), saveGeometry());
    settings.setValue(QString::fromLatin1(kHiddenPanels), m_hidden);
    settings.setValue(QString::fromLatin1(kColumns), m_columns->saveState());
    m_dialogs->files().save(settings);
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
        showUnavailableSettings();
    });
    connect(m_recorded.get(), &RecordedView::changed, this, [this] {
        if (m_recorded->shown()) m_pages->open(Page::Chat);
        showUnavailableSettings();
        showChat();
        showEngine();
    });
    connect(m_timeBar, &TimeBar::moved, this, &MainWindow::showVerdict);
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
    connect(m_rail, &NavigationRail::chosen, this, [this](Page page) { m_pages->open(page); });
    connect(m_pages, &PageStack::pageRequested, this, [this](Page page) {
        if (page == Page::Reports) proposeReport();
        m_dialogs->buildPage(page);
    });
    connect(m_pages, &PageStack::changed, this, [this] {
        m_rail->setCurrent(m_pages->current());
        m_cacheView->setMapsSeen(m_pages->shown() == m_maps);
        m_actions->refreshChecks();
        Q_EMIT layoutChosen();
    });
    connect(m_verdict, &VerdictStrip::memoryClicked, this, [this] { m_pages->open(*m_telemetry); });
    connect(m_verdict, &VerdictStrip::answersClicked, this, [this] {
        m_pages->open(*m_telemetry);
        m_telemetry->showChart(ChartId::Quality);
    });
    connect(m_verdict, &VerdictStrip::measureRequested, this, [this] {
        m_state.config().edit(QStringLiteral("loss_limit"), QStringLiteral("balanced"),
                              app::EditPace::Settled);
        m_state.chat().compactNow();
    });
    connect(m_verdict, &VerdictStrip::chartsToggled, this,
            [this](bool shown) { setPanelShown(QStringLiteral("charts"), shown); });
    connect(m_strip, &TelemetryPanel::enlargeRequested, this,
            [this] { m_pages->open(*m_telemetry); });
    connect(&m_state.feed(), &app::SessionFeed::compactionArrived, this, &MainWindow::showVerdict);
    connect(&m_state.config(), &app::ConfigController::statusChanged, this,
            &MainWindow::showVerdict);
    auto* ages = new QTimer(this);
    connect(ages, &QTimer::timeout, this, &MainWindow::showVerdict);
    ages->start(kVerdictMs);
    if (app::ConversationStorage* storage = m_state.storage()) {
        connect(m_sessions, &SessionList::searchRequested, storage,
                &app::ConversationStorage::search);
        connect(storage, &app::ConversationStorage::found, m_sessions, &SessionList::showFound);
    }
    connect(m_telemetry, &TelemetryPanel::csvRequested, m_dialogs.get(), [this] {
        m_dialogs->chooseTableFile([this](const QString& path) { m_telemetry->saveCsv(path); });
    });
    connect(m_telemetry, &TelemetryPanel::pngRequested, m_dialogs.get(), [this] {
        m_dialogs->choosePictureFile([this](const QString& path) { m_telemetry->savePng(path); });
    });
    for (const TelemetryPanel* panel : {m_telemetry, m_strip})
        connect(panel, &TelemetryPanel::compactionPicked, this, [this](qint64 number) {
            m_pages->open(*m_timeline);
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
    for (TelemetryPanel* charts : {m_telemetry, m_strip}) charts->setConversation(chat.current());
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
    showVerdict();
}

void MainWindow::showVerdict() {
    const app::EngineView& live = m_state.feed().engine();
    const app::ModelView& model = m_state.model().view();
    const qint64 weights = model.state == app::ModelState::Ready ? model.weightBytes : 0;
    const app::ProcessMemory memory = app::divideMemory(
        live.rssBytes, weights, m_state.memory().cacheBytes(), live.prefixBytesAlone);
    const QString process = live.rssBytes > 0 ? app::processMemoryText(memory) : QString();
    if (process != m_processMemory->forms().value(0)) {
        m_processMemory->setForms({process, app::processMemoryText(memory, true)});
        // The facts of the model are shortened first.
        m_processMemory->setMinimumWidth(process.isEmpty() ? 0 : m_processMemory->widthOf(1));
        explain(m_processMemory, tr("Memory of the process"), process);
    }
    if (m_recorded->shown()) {
        const app::RecordedSession& session = *m_state.recording().session();
        const qint64 conversation = m_timeBar->conversation(), time = m_timeBar->timeNs();
        const app::EngineView then = session.engineAt(conversation, time);
        const app::MemoryVerdict verdict = app::verdictOf(
            then, session.metrics().compactions(), conversation, m_state.config().asked(), time);
        m_verdict->show(verdict, time);
        m_cacheState->show(verdict, then.compressionLine);
        return;
    }
    const QString elsewhere =
        live.remote ? tr("%1 answers; its memory is not measured here.").arg(live.remote->name)
                    : QString();
    const app::MemoryVerdict verdict = app::verdictOf(
        live, m_state.metrics().compactions(), m_state.chat().current(), m_state.config().asked());
    m_verdict->show(verdict, steadyNs(), elsewhere);
    m_cacheState->show(verdict, elsewhere.isEmpty() ? live.compressionLine : elsewhere);
}

/// Disables settings that have no effect: with a remote engine, those not sent with a question; in
/// a recorded session, all.
void MainWindow::showUnavailableSettings() {
    const QString over = m_recorded->liveMeasurementBlocker();
    const QString why = over.isEmpty() ? m_state.localEngineBlocker() : over;
    m_settingRows->setReason(why, [this, over](const QString& key) {
        return over.isEmpty() && m_remote->isForwarded(key);
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
    m_pages->open(Page::Chat);
    m_cacheView->showOverlay();
}

void MainWindow::showMaps() {
    m_pages->open(*m_maps);
    m_cacheView->refresh();
}

void MainWindow::showTelemetry() {
    m_pages->open(Page::Chat);
}

void MainWindow::proposeReport() {
    if (m_export == nullptr) {
        m_export = new ExportPage(
            m_state.report(),
            {.chooseFolder =
                 [this](ExportPage::Chosen chosen) {
                     m_dialogs->chooseReportFolder(std::move(chosen));
                 },
             .write = [this](
                          const QString& folder,
                          const app::ReportParts& parts) { m_exporter->exportTo(folder, parts); },
             .pictures = [this](ExportPage::Drawn drawn) { m_exporter->preview(std::move(drawn)); },
             .openReport = [this](const QString& path) { m_state.recording().open(path); },
             .chooseReport = [this] { m_dialogs->chooseReport(); }},
            this);
        m_pages->addTab(Page::Reports, m_export, tr("Export"));
    }
    m_export->propose(m_dialogs->proposedReportFolder());
}

void MainWindow::exportReport(const QString& folder) {
    m_exporter->exportTo(folder);
}

void MainWindow::addPicture(const QString& name, const QString& caption) {
    m_exporter->addPicture(name, caption);
}

void MainWindow::offerDemo() {
    m_notice->showMessage(
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
        connect(m_welcome, &WelcomePage::settingsRequested, this,
                [this] { focusPanel(QStringLiteral("tuning")); });
    }
    m_welcome->showMessage(m_demoBar->isVisible() ? m_demoBar->sentence() : QString());
    m_welcome->open();
}

}  // namespace lacuna::ui
