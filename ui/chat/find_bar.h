#pragma once
/// \file
/// Finds words in the conversation on screen: lists the matches as snippets and steps from one to
/// the next. Hidden until opened. GUI thread.

#include <QFrame>
#include <QTimer>

#include "app/state/chat/line_search.h"

class QLabel;
class QLineEdit;
class QListWidget;
class QToolButton;

namespace lacuna::app {
class ConversationList;
class ChatModel;
}  // namespace lacuna::app

namespace lacuna::ui {

class ChatView;

class FindBar final : public QFrame {
    Q_OBJECT

  public:
    /// Both references must outlive this object.
    FindBar(app::ConversationList& conversations, ChatView& page, QWidget* parent);
    /// Shows the bar and takes the focus; the previous search text is preselected.
    void open();
    /// Moves to the next match; wraps around.
    void findNext();
    void findPrevious();
    void close();

  Q_SIGNALS:
    /// Emitted when the user closes the bar.
    void closed();

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void search();
    void findInHidden(const app::ChatModel& model);
    void showHidden(const app::LineHit& place);
    void fillList();
    void showCount();
    void show(int hit);
    void step(int by);
    bool keyPressed(int key, Qt::KeyboardModifiers modifiers);

    app::ConversationList& m_conversations;
    ChatView& m_page;
    QLineEdit* m_words;
    QLabel* m_count;
    QToolButton* m_back;
    QToolButton* m_next;
    QListWidget* m_list;
    QTimer m_rest;  ///< delay between the last key and the search
    app::LineHits m_found;
    int m_shown = -1;  ///< index of the displayed match; -1: none yet
};

}  // namespace lacuna::ui
