#pragma once
/// \file
/// What a person does to single messages, as named actions: edit, answer again, branches, pinned
/// words; and the same where it is wished in the chat itself. GUI thread.

#include <QObject>
#include <QPointer>

namespace lacuna::app {
class ApplicationState;
}  // namespace lacuna::app

namespace lacuna::ui {

class ActionRegistry;
class ChatView;
class NoticeBar;
class PinsDialog;

class TalkActions final : public QObject {
    Q_OBJECT

  public:
    /// Adds them to `actions`; all outlive this. `window` is what is opened over.
    TalkActions(ActionRegistry& actions, app::ApplicationState& state, ChatView& chat,
                NoticeBar& notice, QWidget& window);
    /// Sets what cannot be done now, and why.
    void refresh();

  private:
    void addEditing();
    void addBranches();
    void addPins();
    /// Says of all that they cannot be done while a recorded session is shown.
    bool rest();
    void refreshPins();
    void edit(int row);
    void regenerate(int row);
    void stepBranch(int by);
    void removeBranch(int row);
    void undoRemoveBranch();
    void pinMarked();
    void unpinMarked();
    void openPins();
    void showPins();
    void sayForgotten(qint64 tokens, qint64 first, qint64 count);
    /// The message that an action means: the chosen one, else the last with branches; -1: none.
    [[nodiscard]] int branchRow() const;
    [[nodiscard]] int editRow() const;

    ActionRegistry& m_actions;
    app::ApplicationState& m_state;
    ChatView& m_chat;
    NoticeBar& m_notice;
    QWidget& m_window;
    QPointer<PinsDialog> m_pins;
};

}  // namespace lacuna::ui
