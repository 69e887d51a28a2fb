#pragma once
/// \file
/// The window: chat in the middle, sessions, tuning, telemetry and timeline as docks around it;
/// menus and tool bar made from the action registry. Composes and connects, holds no state of its
/// own.

#include <QMainWindow>
#include <QVector>

#include "app/state/view_types.h"

class QSettings;

namespace lacuna::app {
class ApplicationState;
}

namespace lacuna::ui {

class ActionRegistry;
class ChatView;
class CommandPalette;
class ContextStrip;
class GuidedDemo;
class KnobPanel;
class ModelBar;
class ModelDetails;
class NoticeBar;
class PanelDock;
class PromptBox;
class RetentionStrip;
class SessionList;
class StatusLine;
class TelemetryPanel;
class ThemeSource;
class TimelinePanel;

class MainWindow final : public QMainWindow {
    Q_OBJECT

  public:
    MainWindow(app::ApplicationState& state, ThemeSource& themes, QWidget* parent = nullptr);
    ~MainWindow() override;

    [[nodiscard]] ActionRegistry& actions() { return *m_actions; }
    [[nodiscard]] PromptBox& prompt() { return *m_prompt; }
    [[nodiscard]] ChatView& chatView() { return *m_chatView; }
    [[nodiscard]] KnobPanel& tuning() { return *m_knobs; }
    [[nodiscard]] NoticeBar& notice() { return *m_notice; }
    [[nodiscard]] CommandPalette& palette() { return *m_palette; }

    void resetLayout();
    void restoreLayout(QSettings& settings);
    void saveLayout(QSettings& settings) const;
    /// Charts show the session from its start.
    void showWholeSession();
    /// Shows what the cache still holds of each token, under the chat.
    void showRetention();
    /// Charts of the session as pictures, in the light theme, for a report.
    [[nodiscard]] QVector<app::ChartImage> chartImages() const;
    /// Writes report, charts and a picture of this window into `folder`.
    void exportReport(const QString& folder);
    /// Starts the guided demo; it tells its steps in the notice bar and writes its report into
    /// `folder`.
    GuidedDemo* startDemo(const QString& folder);

  protected:
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

  private:
    void buildChat();
    void buildDocks();
    void buildToolBar();
    void connectState();
    // window_actions.cpp
    void addFileActions();
    void addEditActions();
    void addModelActions();
    void addSessionActions();
    void addViewActions();
    void addHelpActions();
    void refreshActions();
    void send();
    void chooseModel();
    void chooseModelFolder();
    void chooseModelToInspect();
    void showModelDetails();
    void showModelPage(const app::ModelPageView& page);
    void chooseReportFolder();
    void renameConversation();
    void deleteConversation();
    void copyLastAnswer();
    void focusNextPane();
    void showAbout();

    void showModel();
    void showChat();
    void showEngine();
    void refreshRetention();

    app::ApplicationState& m_state;
    ThemeSource& m_themes;
    ActionRegistry* m_actions;
    ChatView* m_chatView = nullptr;
    RetentionStrip* m_retention = nullptr;
    ContextStrip* m_context = nullptr;
    PromptBox* m_prompt = nullptr;
    NoticeBar* m_notice = nullptr;
    ModelBar* m_modelBar = nullptr;
    StatusLine* m_status = nullptr;
    SessionList* m_sessions = nullptr;
    KnobPanel* m_knobs = nullptr;
    TelemetryPanel* m_telemetry = nullptr;
    TimelinePanel* m_timeline = nullptr;
    PanelDock* m_sessionsDock = nullptr;
    PanelDock* m_tuningDock = nullptr;
    PanelDock* m_telemetryDock = nullptr;
    PanelDock* m_timelineDock = nullptr;
    CommandPalette* m_palette = nullptr;
    ModelDetails* m_details = nullptr;
    GuidedDemo* m_demo = nullptr;
    bool m_laidOut = false;
};

}  // namespace lacuna::ui
