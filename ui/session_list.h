#pragma once
/// \file
/// The conversations: choose, search by title, new, rename in place, delete.

#include <QWidget>

class QLineEdit;
class QListView;
class QSortFilterProxyModel;

namespace lacuna::app {
class ChatController;
}

namespace lacuna::ui {

class SessionList final : public QWidget {
    Q_OBJECT

  public:
    explicit SessionList(app::ChatController& chat, QWidget* parent = nullptr);
    void focusList();
    void focusSearch();

  Q_SIGNALS:
    void newWanted();
    void renameWanted();
    void deleteWanted();

  private:
    void showCurrent();
    void showMenu(const QPoint& at);

    app::ChatController& m_chat;
    QLineEdit* m_search;
    QListView* m_list;
    QSortFilterProxyModel* m_filter;
};

}  // namespace lacuna::ui
