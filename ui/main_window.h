#pragma once
/// \file
/// The window: chat in the middle, sessions, tuning, telemetry and timeline as docks around it;
/// menus and tool bar made from the action registry. Composes and connects, holds no state of its
/// own.

#include <QMainWindow>
#include <QTimer>
#include <QVector>

#include "app/state/view_types.h"
#include "ui/file_dialogs.h"

class QSettings;

namespace lacuna::app {
class ApplicationState;
}

namespace lacuna::ui {

class ActionRegistry;
class CacheMapPanel;
class ChatView;
class CommandPalette;
class CompareWindow;
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
class SweepWindow;
class TelemetryPanel;
class ThemeSource;
class TimelinePanel;
class WhatIfBox;

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
    [[nodiscard]] NoticeBar& notice() { return *m_notice; }
    [[nodiscard]] CommandPalette& palette() { return *m_palette; }

    void resetLayout();
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
    /// Charts of the session as pictures, in the light theme, for a report.
    [[nodiscard]] QVector<app::ChartImage> chartImages() const;
    /// Writes report, charts, maps and a picture of this window into `folder`.
    void exportReport(const QString& folder);
    /// A picture of the window as it is now, for the next report.
    void keepPicture(const QString& name, const QString& caption);
    /// A notice with a button for it; nothing starts by itself.
    void offerDemo();
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
    void connectKeeper();
    // window_actions.cpp
    void addFileActions();
    void addEditActions();
    void addModelActions();
    void addSessionActions();
    void addViewActions();
    void addHelpActions();
    void refreshActions();
    // window_measuring.cpp
    void addMeasuringActions();
    void openCompare();
    void openSweep();
    // window_retention.cpp
    void connectRetention();
    void hideRetention();
    void refreshRetention();
    void askRetention();
    void showNoRetention();
    void takeRetention(const app::RetentionView& view);
    // window_report.cpp
    void exportWith(const app::RetentionView& view);
    void writeReport(const QString& folder, const app::RetentionView& view);
    // window_dialogs.cpp
    void send();
    void chooseModel();
    void chooseModelFolder();
    void chooseModelToInspect();
    void showModelDetails();
    void showModelPage(const app::ModelPageView& page);
    void chooseTableFile();
    void choosePictureFile();
    void chooseReportFolder();
    void renameConversation();
    void deleteConversation();
    void undoDelete();
    void copyLastAnswer();
    void focusNextPane();
    void showAbout();

    void showModel();
    void showChat();
    void showEngine();
    void showKeeping(int conversations, const QString& problem);

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
    WhatIfBox* m_whatIf = nullptr;
    TelemetryPanel* m_telemetry = nullptr;
    TimelinePanel* m_timeline = nullptr;
    CacheMapPanel* m_maps = nullptr;
    PanelDock* m_sessionsDock = nullptr;
    PanelDock* m_tuningDock = nullptr;
    PanelDock* m_telemetryDock = nullptr;
    PanelDock* m_timelineDock = nullptr;
    PanelDock* m_mapsDock = nullptr;
    CommandPalette* m_palette = nullptr;
    ModelDetails* m_details = nullptr;
    CompareWindow* m_compare = nullptr;
    SweepWindow* m_sweep = nullptr;
    GuidedDemo* m_demo = nullptr;
    FileDialogs m_files;
    QTimer m_look;                ///< at the inside of the cache, while it is in sight
    bool m_mapsSeen = false;      ///< the cache map is in sight
    bool m_lookAsked = false;     ///< and the engine has not answered yet
    bool m_overlayStale = false;  ///< the tinted words are older than the cache
    bool m_laidOut = false;
    QString m_notKept;                    ///< why conversations are not on disk, as told last
    QVector<app::ChartImage> m_pictures;  ///< kept for the next report
    QString m_exportFolder;               ///< of a report that waits for the maps
};

}  // namespace lacuna::ui
