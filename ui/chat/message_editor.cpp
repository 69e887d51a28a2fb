#include "ui/chat/message_editor.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QTextBlock>
#include <QVBoxLayout>
#include <algorithm>

#include "app/state/number_format.h"
#include "ui/style/page_kit.h"

namespace lacuna::ui {

namespace {

constexpr int kFewest = 2, kMost = 14;  ///< height of the field in lines

}  // namespace

MessageEditor::MessageEditor(const app::ChatLine& line, QWidget* parent)
    : QWidget(parent),
      m_text(new QPlainTextEdit(this)),
      m_cost(captionLabel({}, this)),
      m_send(new QPushButton(this)),
      m_cancel(new QPushButton(tr("Cancel"), this)),
      m_question(line.speaker == app::MessageRole::Person) {
    m_text->setPlainText(line.text);
    m_text->setTabChangesFocus(true);
    m_text->moveCursor(QTextCursor::End);
    setAccessible(m_text, m_question ? tr("Edit this question") : tr("Edit this answer"),
                  m_question ? tr("Enter sends, Shift+Enter starts a new line, Esc cancels. The "
                                  "old text is kept as another branch.")
                             : tr("Ctrl+Enter replaces the answer, Esc cancels. The old answer is "
                                  "kept as another branch."));
    m_send->setText(m_question ? tr("Send") : tr("Replace"));
    m_send->setToolTip(tipText(m_question ? tr("Replace the question and send it (Enter)")
                                          : tr("Replace the answer with this text (Ctrl+Enter)")));
    m_cancel->setToolTip(tipText(tr("Leave the message unchanged (Esc)")));
    m_cost->setWordWrap(true);
    QHBoxLayout* row = rowLayout();
    row->addWidget(m_cost, 1);
    row->addWidget(m_cancel);
    row->addWidget(m_send);
    QVBoxLayout* column = columnLayout(this, Spacing::half);
    column->addWidget(m_text);
    column->addLayout(row);
    for (QWidget* watched : {static_cast<QWidget*>(m_text), static_cast<QWidget*>(m_send),
                             static_cast<QWidget*>(m_cancel)})
        watched->installEventFilter(this);
    connect(m_send, &QPushButton::clicked, this, &MessageEditor::send);
    connect(m_cancel, &QPushButton::clicked, this, &MessageEditor::cancelled);
    connect(m_text->document(), &QTextDocument::blockCountChanged, this, &MessageEditor::fitHeight);
    showCost(std::nullopt);
    fitHeight();
}

QString MessageEditor::text() const {
    return m_text->toPlainText();
}

void MessageEditor::focusText() {
    m_text->setFocus(Qt::OtherFocusReason);
}

void MessageEditor::showCost(std::optional<qint64> tokens) {
    const QString stays = tr("The old text is kept as another branch.");
    if (!m_question)
        m_cost->setText(stays);
    else if (tokens && *tokens > 1)
        m_cost->setText(tr("%1 About %2 tokens are read for the answer; the rest is reused.")
                            .arg(stays, app::countText(*tokens)));
    else
        m_cost->setText(stays);
}

QWidgetList MessageEditor::tabChain() const {
    return {m_text, m_cancel, m_send};
}

void MessageEditor::fitHeight() {
    int lines = 0;
    for (QTextBlock block = m_text->document()->begin(); block.isValid() && lines < kMost;
         block = block.next())
        lines += 1 + block.length() / 80;
    lines = std::clamp(lines, kFewest, kMost);
    m_text->setFixedHeight(lines * m_text->fontMetrics().lineSpacing() + 14);
}

void MessageEditor::send() {
    if (!text().trimmed().isEmpty()) Q_EMIT sendRequested(text());
}

/// The send key of the prompt sends here too. Its keys are also shortcuts of the window; here they
/// apply to this message.
bool MessageEditor::eventFilter(QObject* watched, QEvent* event) {
    const bool pressed = event->type() == QEvent::KeyPress;
    if (!pressed && event->type() != QEvent::ShortcutOverride)
        return QWidget::eventFilter(watched, event);
    const auto* key = static_cast<QKeyEvent*>(event);
    const bool enter = key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter;
    const bool plain =
        m_question && watched == m_text && !key->modifiers().testFlag(Qt::ShiftModifier);
    const bool sends = enter && (plain || key->modifiers().testFlag(Qt::ControlModifier));
    if (!sends && key->key() != Qt::Key_Escape) return QWidget::eventFilter(watched, event);
    if (!pressed) {
        event->accept();
    } else if (sends) {
        send();
    } else {
        Q_EMIT cancelled();
    }
    return true;
}

}  // namespace lacuna::ui
