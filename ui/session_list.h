#pragma once
/// \file
/// The conversations: choose, search in titles and texts, new, rename, delete. Under a title stands
/// when it was changed last, or, of one found by its messages, what stands there. Those that are
/// being answered carry a mark.

#include <QVector>
#include <QWidget>

class QFontMetrics;
class QLabel;
class QLineEdit;
class QListView;

namespace lacuna::app {
class ChatController;
struct FoundConversation;
}  // namespace lacuna::app

namespace lacuna::ui {

/// The title in no more than `width` px: cut once, between two words, with its last ones kept.
[[nodiscard]] QString shortTitle(const QString& title, const QFontMetrics& letters, int width,
                                 Qt::TextElideMode ofOneWord = Qt::ElideRight);

class SessionList final : public QWidget {
    Q_OBJECT

  public:
    explicit SessionList(app::ChatController& chat, QWidget* parent = nullptr);
    void focusSearch();
    /// Clears a search that hides the conversation on screen.
    void reveal();

    /// Conversations whose messages have these words; shown alongside those whose titles match.
    void showFound(const QString& words, const QVector<app::FoundConversation>& conversations);

  Q_SIGNALS:
    void searchWanted(const QString& words);
    void newWanted();
    void renameWanted();
    void deleteWanted();

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    class Filter;
    void search(const QString& words);
    void showCurrent();
    void showNone();
    void goToList();
    void showMenu(const QPoint& at);
    void choose(qint64 conversation);
    void showWantedLine();

    app::ChatController& m_chat;
    QLineEdit* m_search;
    QListView* m_list;
    QLabel* m_none;  ///< says that nothing was found
    Filter* m_filter;
    /// A line of a branch that is not shown yet, and its conversation; 0: none is wanted.
    qint64 m_wantedLine = 0, m_wantedIn = 0;
    qint64 m_added = 0;        ///< conversation that came into the list last
    bool m_filtering = false;  ///< the list changes by itself, not by the person
};

}  // namespace lacuna::ui
