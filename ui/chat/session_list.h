#pragma once
/// \file
/// The list of conversations: select, search in titles and messages, new, rename, delete. Each
/// entry shows the time of its last change or, for a match in its messages, the matching text.
/// Conversations with a running answer are marked.

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

/// Shortens the title to at most `width` px: elided once between two words, with its last words
/// kept.
[[nodiscard]] QString shortTitle(const QString& title, const QFontMetrics& letters, int width,
                                 Qt::TextElideMode ofOneWord = Qt::ElideRight);

class SessionList final : public QWidget {
    Q_OBJECT

  public:
    explicit SessionList(app::ChatController& chat, QWidget* parent = nullptr);
    void focusSearch();
    /// Clears a search that hides the current conversation.
    void reveal();

    /// Sets the conversations whose messages contain these words; shown together with title
    /// matches.
    void showFound(const QString& words, const QVector<app::FoundConversation>& conversations);

  Q_SIGNALS:
    void searchRequested(const QString& words);
    void newRequested();
    void renameRequested();
    void deleteRequested();

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
    void showRequestedLine();

    app::ChatController& m_chat;
    QLineEdit* m_search;
    QListView* m_list;
    QLabel* m_none;  ///< states that there are no matches
    Filter* m_filter;
    /// Line to show on a branch that is not displayed yet, and its conversation; 0: none.
    qint64 m_requestedLine = 0, m_requestedIn = 0;
    qint64 m_added = 0;        ///< conversation added to the list last
    bool m_filtering = false;  ///< the selection is changed by the filter, not by the user
};

}  // namespace lacuna::ui
