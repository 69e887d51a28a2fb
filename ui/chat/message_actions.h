#pragma once
/// \file
/// Actions on single messages: edit, regenerate, branches, pinned words. Also handles the same
/// requests from the chat view. GUI thread.

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

class MessageActions final : public QObject {
    Q_OBJECT

  public:
    /// Registers the actions in `actions`; all references must outlive this object. `window` is the
    /// parent of dialogs.
    MessageActions(ActionRegistry& actions, app::ApplicationState& state, ChatView& chat,
                   NoticeBar& notice, QWidget& window);
    /// Updates which actions are disabled, and why.
    void refresh();

  private:
    void addEditing();
    void addBranches();
    void addPins();
    /// Disables all actions while a recorded session is shown; returns whether one is.
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
    void publishEvicted(qint64 tokens, qint64 first, qint64 count);
    /// Row that a branch action applies to: the chosen message, otherwise the last one with
    /// branches; -1 if there is none.
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
