#pragma once
/// \file
/// Editor that replaces a message in the chat: text field, cost of sending, send and cancel.
/// Ctrl+Enter sends, Esc cancels. GUI thread.

#include <QWidget>
#include <optional>

#include "app/state/view_types.h"

class QLabel;
class QPlainTextEdit;
class QPushButton;

namespace lacuna::ui {

class MessageEditor final : public QWidget {
    Q_OBJECT

  public:
    MessageEditor(const app::ChatLine& line, QWidget* parent);
    [[nodiscard]] QString text() const;
    void focusText();
    /// Tokens that sending would make the model read; nullopt: not known.
    void showCost(std::optional<qint64> tokens);
    [[nodiscard]] QWidgetList tabChain() const;

  Q_SIGNALS:
    void sendRequested(const QString& text);
    void cancelled();

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void fitHeight();
    void send();

    QPlainTextEdit* m_text;
    QLabel* m_cost;
    QPushButton* m_send;
    QPushButton* m_cancel;
    bool m_question;
};

}  // namespace lacuna::ui
