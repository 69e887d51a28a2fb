#pragma once
/// \file
/// Where a person writes: text field, attachment chips, send and stop. Enter sends, Shift+Enter
/// breaks the line. A pasted text over `kLongPaste` bytes becomes a chip next to the field, so that
/// typing stays quick.

#include <QFrame>
#include <QPlainTextEdit>

#include "app/state/chat_controller.h"

class QLabel;
class QPushButton;

namespace lacuna::ui {

enum class PromptState { Writing, Answering };

/// The text field alone.
class PromptEdit final : public QPlainTextEdit {
    Q_OBJECT

  public:
    static constexpr qsizetype kLongPaste = 16 * 1024;  ///< bytes of UTF-8

    explicit PromptEdit(QWidget* parent);

  Q_SIGNALS:
    void sendWanted();
    void longTextPasted(const QString& text);

  protected:
    void keyPressEvent(QKeyEvent* event) override;
    void insertFromMimeData(const QMimeData* source) override;

  private:
    void fitHeight();
};

class PromptBox final : public QFrame {
    Q_OBJECT

  public:
    explicit PromptBox(QWidget* parent = nullptr);
    [[nodiscard]] app::PromptDraft draft() const;
    void setText(const QString& text);
    void attach(const QString& name, const QString& text);
    void clear();
    /// `reason` why sending is impossible now, or empty.
    void setState(PromptState state, const QString& reason);
    void focusText();
    [[nodiscard]] PromptEdit* edit() const { return m_edit; }

  Q_SIGNALS:
    void sendWanted();
    void stopWanted();

  private:
    void showAttachment();
    void showButtons();

    PromptEdit* m_edit;
    QFrame* m_chip;
    QLabel* m_chipText;
    QPushButton* m_send;
    QPushButton* m_stop;
    QString m_attachmentName;
    QString m_attachmentText;
    QString m_reason;
    PromptState m_state = PromptState::Writing;
};

}  // namespace lacuna::ui
