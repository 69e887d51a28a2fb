#pragma once
/// \file
/// The conversations: choose, search in titles and texts, new, rename, delete. Those that are being
/// answered carry a mark.

#include <QVector>
#include <QWidget>

class QLineEdit;
class QListView;

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

    /// Conversations whose messages have these words; shown beside those whose titles match.
    void showFound(const QString& words, const QVector<qint64>& conversations);

  Q_SIGNALS:
    void searchWanted(const QString& words);
    void newWanted();
    void renameWanted();
    void deleteWanted();

  private:
    class Filter;
    void search(const QString& words);
    void showCurrent();
    void showMenu(const QPoint& at);

    app::ChatController& m_chat;
    QLineEdit* m_search;
    QListView* m_list;
    Filter* m_filter;
    bool m_filtering = false;  ///< the list changes by itself, not by the person
};

}  // namespace lacuna::ui
