#pragma once
/// \file
/// The main window: chat in the centre; sessions, tuning, telemetry and timeline in docks around
/// it; menus and tool bar from the action registry. It only builds and lays out. Behaviour belongs
/// to WindowActions, WindowDialogs, WindowNotices, RetentionPresenter and ReportExporter, which it
/// owns. GUI thread.

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
class SettingsPanel;
class ModelBar;
class NoticeBar;
class PanelDock;
class ProfilePanel;
class PromptBox;
class AttachmentController;
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
class PreviewPanel;
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
    [[nodiscard]] SettingsPanel& tuning() { return *m_settingRows; }
    [[nodiscard]] PreviewPanel& whatIf() { return *m_whatIf; }
    [[nodiscard]] ProfilePanel& profiles() { return *m_profiles; }
    [[nodiscard]] NoticeBar& notice() { return *m_notice; }
    [[nodiscard]] FindBar& find() { return *m_find; }
    [[nodiscard]] CommandPalette& palette() { return *m_palette; }
    /// Connections to remote engines.
    [[nodiscard]] app::RemoteController& remote() { return *m_remote; }
    [[nodiscard]] WindowDialogs& dialogs() { return *m_dialogs; }
    /// View of a recorded session, shown instead of the live one.
    [[nodiscard]] RecordedView& recorded() { return *m_recorded; }
    [[nodiscard]] TimeBar& timeBar() { return *m_timeBar; }

    /// A dock that an action can focus.
    struct Panel {
        QString id, name;
        PanelDock* dock = nullptr;
        QKeySequence key;
    };
    /// Panels in focus order.
    [[nodiscard]] QList<Panel> panels() const;
    /// Moves the focus to the next visible one of prompt and panels.
    void focusNextPane();
    /// Resets every panel of the current layout to its default position.
    void resetLayout();
    void chooseLayout(WindowLayout layout);
    [[nodiscard]] const WindowLayouts& layouts() const { return *m_layouts; }
    /// Arranges all panels for the current window size.
    void arrangePanels();
    /// Restores window and dock geometry and the folders last used in file dialogs.
    void restoreLayout(QSettings& settings);
    void saveLayout(QSettings& settings) const;
    /// Shows the whole session in the charts.
    void showWholeSession();
    /// Tints the words of the chat by what the cache still holds of them and shows the strip below.
    void showRetention();
    /// Raises one of the panels at the bottom.
    void showMaps();
    void showTelemetry();
    /// Opens the dialog that exports a report.
    void openExport();
    [[nodiscard]] ExportDialog* exportDialog() const { return m_export; }
    /// Writes a report with charts, maps and a picture of this window to `folder`.
    void exportReport(const QString& folder);
    /// Takes a picture of the window for the next report.
    void keepPicture(const QString& name, const QString& caption);
    /// Loads the model, or shows it on the models page if a remote engine is in use.
    void openModel(const QString& path);
    /// Closes without asking about requests that the server is still answering.
    void closeAtOnce();
    /// Shows a notice with a button that starts the demo; nothing starts automatically.
    void offerDemo();
    /// Starts the full guided demo, which shows its steps in the demo bar and writes its report to
    /// `folder`.
    GuidedDemo* startDemo(const QString& folder, const QString& model = {});
    /// Starts the twenty-second demo with the current model.
    GuidedDemo* startShortDemo();
    [[nodiscard]] DemoBar& demoBar() { return *m_demoBar; }
    /// Shows the page with suggestions for new users.
    void openWelcome();
    [[nodiscard]] WelcomePage* welcome() const { return m_welcome; }

  Q_SIGNALS:
    /// Emitted when another layout is chosen or the panels are reset.
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
    SettingsPanel* m_settingRows = nullptr;
    PreviewPanel* m_whatIf = nullptr;
    ProfilePanel* m_profiles = nullptr;
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
    std::unique_ptr<AttachmentController> m_attachments;
    std::unique_ptr<AnswerAlert> m_alert;
    std::unique_ptr<WindowActions> m_does;
    std::unique_ptr<WindowLayouts> m_layouts;
    GuidedDemo* m_demo = nullptr;
    DemoBar* m_demoBar = nullptr;
    WelcomePage* m_welcome = nullptr;
    ExportDialog* m_export = nullptr;
    bool m_laidOut = false;
    bool m_narrow = false;  ///< sessions share the dock area of the settings because the window is
                            ///< narrow
    bool m_closes = false;  ///< closing without further questions
};

}  // namespace lacuna::ui
