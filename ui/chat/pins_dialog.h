#pragma once
/// \file
/// Lists the pinned words of the conversation, which compaction never evicts, with their token
/// counts, navigation to each, and unpin. Stays open next to the window. GUI thread.

#include <QDialog>
#include <QVector>

#include "app/state/chat/pinned_words.h"

class QLabel;
class QListWidget;
class QPushButton;

namespace lacuna::app {
class ChatController;
class SessionFeed;
}  // namespace lacuna::app

namespace lacuna::ui {

class PinsDialog final : public QDialog {
    Q_OBJECT

  public:
    /// Both references must outlive this object.
    PinsDialog(app::ChatController& chat, const app::SessionFeed& feed, QWidget* parent);

  Q_SIGNALS:
    void showRequested(const lacuna::app::PinRow& pin);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void fill();
    void unpinChosen();
    void showButtons();

    app::ChatController& m_chat;
    const app::SessionFeed& m_feed;
    QVector<app::PinRow> m_pins;
    QListWidget* m_list;
    QLabel* m_sum;
    QPushButton* m_show;
    QPushButton* m_unpin;
    QPushButton* m_unpinAll;
};

}  // namespace lacuna::ui
