#pragma once
/// \file
/// The main window: the navigation rail, a header with the model, and the pages. It builds the chat
/// page and the charts of the Monitor page; WindowDialogs builds the other pages when they are
/// first opened. It only builds and lays out. Behaviour belongs to WindowActions, WindowDialogs,
/// WindowNotices, RetentionPresenter and ReportExporter, which it owns. GUI thread.

#include <QList>
#include <QMainWindow>
#include <QStringList>
#include <memory>

#include "ui/window/navigation_rail.h"

class QAction;
class QSettings;
class QSplitter;
class QToolButton;

namespace lacuna::app {
class ApplicationState;
class RemoteController;
}  // namespace lacuna::app

namespace lacuna::ui {

class ActionRegistry;
class AnswerAlert;
class CacheMapPanel;
class CacheStatePanel;
class ChatView;
class ContextStrip;
class DemoBar;
class FindBar;
class ElidingLabel;
class ExportPage;
class GuidedDemo;
class SettingsPanel;
class ModelBar;
class NoticeBar;
class PageStack;
class ProfilePanel;
class PromptBox;
class AttachmentController;
class RecordedView;
class ReportExporter;
class RetentionPresenter;
class RetentionStrip;
class SessionList;
class TelemetryPanel;
class ThemeSource;
class TimeBar;
class TimelinePanel;
class VerdictStrip;
class WelcomePage;
class PreviewPanel;
class WindowActions;
class WindowDialogs;
class WindowNotices;

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
    /// Connections to remote engines.
    [[nodiscard]] app::RemoteController& remote() { return *m_remote; }
    [[nodiscard]] WindowDialogs& dialogs() { return *m_dialogs; }
    /// View of a recorded session, shown instead of the live one.
    [[nodiscard]] RecordedView& recorded() { return *m_recorded; }
    [[nodiscard]] TimeBar& timeBar() { return *m_timeBar; }

    [[nodiscard]] PageStack& pages() { return *m_pages; }
    [[nodiscard]] VerdictStrip& verdict() { return *m_verdict; }
    /// The charts of the Monitor page, and the primary ones below the chat.
    [[nodiscard]] TelemetryPanel& telemetry() { return *m_telemetry; }
    [[nodiscard]] TelemetryPanel& chartStrip() { return *m_strip; }
    [[nodiscard]] TimelinePanel& timeline() { return *m_timeline; }
    /// A part of the chat page that can be hidden.
    struct Panel {
        QString id, name;
        QWidget* widget = nullptr;
    };
    /// Conversations, memory, charts.
    [[nodiscard]] QList<Panel> panels() const;
    /// Shows or hides a panel, as chosen by the user.
    void setPanelShown(const QString& id, bool shown);
    /// Shows the chat page and moves the focus into one of its panels.
    void focusPanel(const QString& id);
    /// Moves the focus to the next visible one of prompt, panels and rail.
    void focusNextPane();
    /// Restores geometry, page, panels and the folders last used in file dialogs.
    void restoreLayout(QSettings& settings);
    void saveLayout(QSettings& settings) const;
    /// Shows the whole session in the charts.
    void showWholeSession();
    /// Tints the words of the chat by what the cache still holds of them and shows the strip below.
    void showRetention();
    [[nodiscard]] ExportPage* exportPage() const { return m_export; }
    /// Shows the cache map, or the chat page with its charts.
    void showMaps();
    void showTelemetry();
    /// Writes a report with charts, maps and a picture of this window to `folder`.
    void exportReport(const QString& folder);
    /// Takes a picture of the window for the next report.
    void addPicture(const QString& name, const QString& caption);
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
    /// Emitted when another page is shown or a panel is shown or hidden.
    void layoutChosen();

  protected:
    void closeEvent(QCloseEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

  private:
    void buildPages();
    [[nodiscard]] QWidget* buildHeader();
    [[nodiscard]] QWidget* buildChatPage();
    [[nodiscard]] QWidget* buildConversation();
    GuidedDemo* start(GuidedDemo* demo);
    void proposeReport();
    void fitPanels();
    void showVerdict();
    void connectState();
    void showChat();
    void showEngine();
    void showUnavailableSettings();

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
    NavigationRail* m_rail = nullptr;
    PageStack* m_pages = nullptr;
    ModelBar* m_modelBar = nullptr;
    QToolButton* m_changeModel = nullptr;
    ElidingLabel* m_processMemory = nullptr;
    QSplitter* m_columns = nullptr;  ///< conversations, conversation, memory
    VerdictStrip* m_verdict = nullptr;
    TelemetryPanel* m_strip = nullptr;
    SessionList* m_sessions = nullptr;
    SettingsPanel* m_settingRows = nullptr;
    CacheStatePanel* m_cacheState = nullptr;
    PreviewPanel* m_whatIf = nullptr;
    ProfilePanel* m_profiles = nullptr;
    TelemetryPanel* m_telemetry = nullptr;
    TimelinePanel* m_timeline = nullptr;
    CacheMapPanel* m_maps = nullptr;
    std::unique_ptr<WindowDialogs> m_dialogs;
    std::unique_ptr<RetentionPresenter> m_cacheView;
    std::unique_ptr<RecordedView> m_recorded;
    std::unique_ptr<ReportExporter> m_exporter;
    std::unique_ptr<WindowNotices> m_notices;
    std::unique_ptr<AttachmentController> m_attachments;
    std::unique_ptr<AnswerAlert> m_alert;
    std::unique_ptr<WindowActions> m_does;
    GuidedDemo* m_demo = nullptr;
    DemoBar* m_demoBar = nullptr;
    WelcomePage* m_welcome = nullptr;
    ExportPage* m_export = nullptr;
    QStringList m_hidden;   ///< ids of the panels that the user has hidden
    bool m_closes = false;  ///< closing without further questions
};

}  // namespace lacuna::ui
