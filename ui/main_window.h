#pragma once
/// \file
/// The window: chat in the middle, sessions, tuning, telemetry and timeline as docks around it;
/// menus and tool bar made from the action registry. Builds and lays out; what is done, asked, said
/// and shown of the cache is the business of the owners it makes: WindowActions, WindowDialogs,
/// WindowNotices, RetentionPresenter, ReportExporter. GUI thread.

#include <QKeySequence>
#include <QList>
#include <QMainWindow>
#include <memory>

class QAction;
class QSettings;
class QToolBar;

namespace lacuna::app {
class ApplicationState;
class RemoteController;
}  // namespace lacuna::app

namespace lacuna::ui {

class ActionRegistry;
class AnswerAlert;
class CacheMapPanel;
class ChatView;
class CommandPalette;
class ContextStrip;
class DemoBar;
class ExportDialog;
class FindBar;
class GuidedDemo;
class KnobPanel;
class ModelBar;
class NoticeBar;
class PanelDock;
class ProfileBox;
class PromptBox;
class PromptDesk;
class RecordedView;
class ReportExporter;
class RetentionPresenter;
class RetentionStrip;
class SessionList;
class StatusLine;
class TelemetryPanel;
class ThemeSource;
class TimeBar;
class TimelinePanel;
class WelcomePage;
class WhatIfBox;
class WindowActions;
class WindowDialogs;
class WindowLayouts;
class WindowNotices;
enum class WindowLayout;

class MainWindow final : public QMainWindow {
    Q_OBJECT

  public:
    MainWindow(app::ApplicationState& state, ThemeSource& themes, QWidget* parent = nullptr);
    ~MainWindow() override;

    [[nodiscard]] ActionRegistry& actions() { return *m_actions; }
    [[nodiscard]] PromptBox& prompt() { return *m_prompt; }
    [[nodiscard]] ChatView& chatView() { return *m_chatView; }
    [[nodiscard]] KnobPanel& tuning() { return *m_knobs; }
    [[nodiscard]] WhatIfBox& whatIf() { return *m_whatIf; }
    [[nodiscard]] ProfileBox& profiles() { return *m_profiles; }
    [[nodiscard]] NoticeBar& notice() { return *m_notice; }
    [[nodiscard]] FindBar& find() { return *m_find; }
    [[nodiscard]] CommandPalette& palette() { return *m_palette; }
    /// Engines elsewhere.
    [[nodiscard]] app::RemoteController& remote() { return *m_remote; }
    [[nodiscard]] WindowDialogs& dialogs() { return *m_dialogs; }
    /// A recorded session in place of the live one.
    [[nodiscard]] RecordedView& recorded() { return *m_recorded; }
    [[nodiscard]] TimeBar& timeBar() { return *m_timeBar; }

    /// A dock that an action leads to.
    struct Panel {
        QString id, name;
        PanelDock* dock = nullptr;
        QKeySequence key;
    };
    /// In the order a person goes round them.
    [[nodiscard]] QList<Panel> panels() const;
    /// Puts the keyboard into the next of prompt and panels that is in sight.
    void focusNextPane();
    /// Puts every panel of the layout in use to its place.
    void resetLayout();
    void chooseLayout(WindowLayout layout);
    [[nodiscard]] const WindowLayouts& layouts() const { return *m_layouts; }
    /// All panels, each at its place for a window of this size.
    void arrangePanels();
    /// Places of window and docks, and the folders that files were last chosen from.
    void restoreLayout(QSettings& settings);
    void saveLayout(QSettings& settings) const;
    /// Charts show the session from its start.
    void showWholeSession();
    /// Tints the words of the chat by what the cache still holds of them, with a strip below.
    void showRetention();
    /// Brings one of the panels at the bottom to the front.
    void showMaps();
    void showTelemetry();
    /// Asks where the report goes and what is in it.
    void openExport();
    [[nodiscard]] ExportDialog* exportDialog() const { return m_export; }
    /// Writes report, charts, maps and a picture of this window into `folder`.
    void exportReport(const QString& folder);
    /// A picture of the window as it is now, for the next report.
    void keepPicture(const QString& name, const QString& caption);
    /// Loads it, or shows it on the page of models where an engine elsewhere is in use.
    void openModel(const QString& path);
    /// Without asking about requests that the server is answering.
    void closeAtOnce();
    /// A notice with a button for it; nothing starts by itself.
    void offerDemo();
    /// Starts the whole guided demo; it tells its steps in its bar and writes its report into
    /// `folder`.
    GuidedDemo* startDemo(const QString& folder, const QString& model = {});
    /// The one of twenty seconds, with the model in use.
    GuidedDemo* startShortDemo();
    [[nodiscard]] DemoBar& demoBar() { return *m_demoBar; }
    /// Ways to go on for whoever is new.
    void openWelcome();
    [[nodiscard]] WelcomePage* welcome() const { return m_welcome; }

  Q_SIGNALS:
    /// Another layout, or the panels are back at their places.
    void layoutChosen();

  protected:
    bool event(QEvent* event) override;
    void childEvent(QChildEvent* event) override;
    void closeEvent(QCloseEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

  private:
    void buildChat();
    GuidedDemo* start(GuidedDemo* demo);
    void buildDocks();
    void buildToolBar();
    void addToolButton(const char* id, QAction* before);
    void fitToolBar();
    void fitColumns();
    void connectState();
    void showChat();
    void showEngine();
    void showRests();

    app::ApplicationState& m_state;
    ThemeSource& m_themes;
    std::unique_ptr<app::RemoteController> m_remote;
    ActionRegistry* m_actions;
    ChatView* m_chatView = nullptr;
    RetentionStrip* m_retention = nullptr;
    ContextStrip* m_context = nullptr;
    PromptBox* m_prompt = nullptr;
    FindBar* m_find = nullptr;
    NoticeBar* m_notice = nullptr;
    TimeBar* m_timeBar = nullptr;
    QToolBar* m_toolBar = nullptr;
    ModelBar* m_modelBar = nullptr;
    StatusLine* m_status = nullptr;
    SessionList* m_sessions = nullptr;
    KnobPanel* m_knobs = nullptr;
    WhatIfBox* m_whatIf = nullptr;
    ProfileBox* m_profiles = nullptr;
    TelemetryPanel* m_telemetry = nullptr;
    TimelinePanel* m_timeline = nullptr;
    CacheMapPanel* m_maps = nullptr;
    PanelDock* m_sessionsDock = nullptr;
    PanelDock* m_tuningDock = nullptr;
    PanelDock* m_telemetryDock = nullptr;
    PanelDock* m_timelineDock = nullptr;
    PanelDock* m_mapsDock = nullptr;
    CommandPalette* m_palette = nullptr;
    std::unique_ptr<WindowDialogs> m_dialogs;
    std::unique_ptr<RetentionPresenter> m_cacheView;
    std::unique_ptr<RecordedView> m_recorded;
    std::unique_ptr<ReportExporter> m_exporter;
    std::unique_ptr<WindowNotices> m_notices;
    std::unique_ptr<PromptDesk> m_desk;
    std::unique_ptr<AnswerAlert> m_alert;
    std::unique_ptr<WindowActions> m_does;
    std::unique_ptr<WindowLayouts> m_layouts;
    GuidedDemo* m_demo = nullptr;
    DemoBar* m_demoBar = nullptr;
    WelcomePage* m_welcome = nullptr;
    ExportDialog* m_export = nullptr;
    bool m_laidOut = false;
    bool m_narrow = false;  ///< sessions went to the settings because the window became narrow
    bool m_closes = false;  ///< nothing more is asked
};

}  // namespace lacuna::ui
