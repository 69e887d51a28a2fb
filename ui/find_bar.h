#pragma once
/// \file
/// Finds words in the conversation on screen: the places that have them as a list of snippets, and
/// a way from one to the next. Hidden until it is wanted. GUI thread.

#include <QFrame>
#include <QTimer>

#include "app/state/line_search.h"

class QLabel;
class QLineEdit;
class QListWidget;
class QToolButton;

namespace lacuna::app {
class ChatController;
class ChatModel;
}  // namespace lacuna::app

namespace lacuna::ui {

class ChatView;

class FindBar final : public QFrame {
    Q_OBJECT

  public:
    /// Both outlive it.
    FindBar(app::ChatController& chat, ChatView& page, QWidget* parent);
    /// Shows itself and takes the keyboard; what was sought last stands there, selected.
    void open();
    /// Goes on from the place shown, round the end.
    void goNext();
    void goBack();
    void close();

  Q_SIGNALS:
    /// The person has done with it.
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

    app::ChatController& m_chat;
    ChatView& m_page;
    QLineEdit* m_words;
    QLabel* m_count;
    QToolButton* m_back;
    QToolButton* m_next;
    QListWidget* m_list;
    QTimer m_rest;  ///< from the last key to the search
    app::LineHits m_found;
    int m_shown = -1;  ///< hit that is shown; -1: none yet
};

}  // namespace lacuna::ui
