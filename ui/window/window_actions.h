#pragma once
/// \file
/// All actions of the window: names, shortcuts, implementation, and the reasons why they are
/// disabled. GUI thread.

#include <QObject>
#include <QPointer>
#include <QString>
#include <QWidget>
#include <memory>

namespace lacuna::app {
class ApplicationState;
class RemoteController;
}  // namespace lacuna::app

namespace lacuna::ui {

class ActionRegistry;
class CacheMapPanel;
class ChatView;
class ConversationExporter;
class RecentModels;
class FindBar;
class MainWindow;
class NoticeBar;
class PromptBox;
class AttachmentController;
class RetentionPresenter;
class SessionList;
class MessageActions;
class TelemetryPanel;
class ThemeSource;
class WindowDialogs;

class WindowActions final : public QObject {
    Q_OBJECT

  public:
    /// Objects that the actions operate on; all must outlive the actions.
    struct Targets {
        app::ApplicationState& state;
        app::RemoteController& remote;
        ThemeSource& themes;
        MainWindow& window;
        WindowDialogs& dialogs;
        RetentionPresenter& retention;
        ChatView& chat;
        PromptBox& prompt;
        AttachmentController& attachments;
        FindBar& find;
        NoticeBar& notice;
        SessionList& sessions;
        TelemetryPanel& telemetry;
        CacheMapPanel& maps;
    };

    /// Registers the actions in `actions` in menu order and keeps their reasons up to date. Also
    /// handles requests from the prompt and the list of conversations.
    WindowActions(ActionRegistry& actions, const Targets& on);
    ~WindowActions() override;

  private:
    void addFileActions();
    void addEditActions();
    void addTextActions();
    void refreshTextActions();
    void addModelActions();
    void addSessionActions();
    void addViewActions();
    void addToolActions();
    void addLanguages();
    void addHelpActions();
    void refresh();
    void refreshRecorded();
    void refreshStop();
    void refreshBringBack();
    [[nodiscard]] QString runningAnswersNote(const QString& noSubmit) const;

    void send();
    void attachFiles();
    void deleteConversation();
    void undoDelete();
    void rebuildCache();
    void bringBack();
    [[nodiscard]] QString lastAnswer() const;
    void copyLastAnswer();
    void copyLastCode();

    ActionRegistry& m_actions;
    const Targets m_on;
    QPointer<QWidget> m_text;  ///< last focused widget with text that can be copied
    std::unique_ptr<RecentModels> m_recent;
    std::unique_ptr<ConversationExporter> m_exporter;
    std::unique_ptr<MessageActions> m_messageActions;  ///< actions on single messages
    bool m_cached = false;  ///< the cache of the conversation holds tokens
};

}  // namespace lacuna::ui
