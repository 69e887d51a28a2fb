#include "ui/prompt_box.h"

#include <QAbstractTextDocumentLayout>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QMimeData>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "app/state/number_format.h"
#include "ui/theme.h"
#include "ui/widget_roles.h"

namespace lacuna::ui {

namespace {

constexpr int kMinLines = 2;
constexpr int kMaxLines = 8;

}  // namespace

PromptEdit::PromptEdit(QWidget* parent) : QPlainTextEdit(parent) {
    setRole(this, QStringLiteral("input"));
    setPlaceholderText(tr("Ask something. Enter sends, Shift+Enter starts a new line."));
    setTabChangesFocus(true);
    setAccessible(this, tr("Prompt"), tr("Enter sends, Shift+Enter starts a new line."));
    connect(document()->documentLayout(), &QAbstractTextDocumentLayout::documentSizeChanged, this,
            &PromptEdit::fitHeight);
    fitHeight();
}

void PromptEdit::fitHeight() {
    // The height of a plain text document is reported in lines as they are wrapped.
    const int wrapped = static_cast<int>(std::ceil(document()->size().height()));
    const int lines = std::clamp(wrapped, kMinLines, kMaxLines);
    setFixedHeight(lines * fontMetrics().lineSpacing() + 18);
}

void PromptEdit::keyPressEvent(QKeyEvent* event) {
    const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (enter && !event->modifiers().testFlag(Qt::ShiftModifier)) {
        Q_EMIT sendWanted();
        return;
    }
    QPlainTextEdit::keyPressEvent(event);
}

void PromptEdit::insertFromMimeData(const QMimeData* source) {
    const QString text = source->text();
    if (text.toUtf8().size() > kLongPaste) {
        Q_EMIT longTextPasted(text);
        return;
    }
    insertPlainText(text);
}

PromptBox::PromptBox(QWidget* parent)
    : QFrame(parent),
      m_edit(new PromptEdit(this)),
      m_chip(new QFrame(this)),
      m_chipText(plainLabel({}, m_chip)),
      m_send(new QPushButton(tr("Send"), this)),
      m_stop(new QPushButton(tr("Stop"), this)) {
    setRole(m_chip, QStringLiteral("chip"));
    auto* chip = new QHBoxLayout(m_chip);
    chip->setContentsMargins(8, 2, 4, 2);
    auto* remove = new QToolButton(m_chip);
    remove->setText(tr("Remove"));
    setRole(remove, QStringLiteral("quiet"));
    setAccessible(remove, tr("Remove the attached text"));
    remove->setToolTip(tipText(tr("Remove the attached text")));
    chip->addWidget(m_chipText);
    chip->addWidget(remove);
    setRole(m_send, QStringLiteral("primary"));
    setAccessible(m_send, tr("Send"));
    setAccessible(m_stop, tr("Stop the answer"));
    auto* chipRow = new QHBoxLayout;
    chipRow->addWidget(m_chip);
    chipRow->addStretch(1);
    auto* buttons = new QVBoxLayout;
    buttons->addStretch(1);
    buttons->addWidget(m_send);
    buttons->addWidget(m_stop);
    auto* row = new QHBoxLayout;
    row->setSpacing(8);
    row->addWidget(m_edit, 1);
    row->addLayout(buttons);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(16, 4, 16, 8);
    layout->setSpacing(4);
    layout->addLayout(chipRow);
    layout->addLayout(row);
    connect(remove, &QToolButton::clicked, this, [this] { attach({}, {}); });
    connect(m_send, &QPushButton::clicked, this, &PromptBox::sendWanted);
    connect(m_stop, &QPushButton::clicked, this, &PromptBox::stopWanted);
    connect(m_edit, &PromptEdit::sendWanted, this, &PromptBox::sendWanted);
    connect(m_edit, &PromptEdit::textChanged, this, &PromptBox::showButtons);
    connect(m_edit, &PromptEdit::longTextPasted, this,
            [this](const QString& text) { attach(tr("Pasted text"), text); });
    showAttachment();
    showButtons();
}

app::PromptDraft PromptBox::draft() const {
    return {m_edit->toPlainText(), m_attachmentName, m_attachmentText};
}

void PromptBox::setText(const QString& text) {
    m_edit->setPlainText(text);
}

void PromptBox::attach(const QString& name, const QString& text) {
    m_attachmentName = name;
    m_attachmentText = text;
    showAttachment();
    showButtons();
}

void PromptBox::clear() {
    m_edit->clear();
    attach({}, {});
}

void PromptBox::setState(PromptState state, const QString& reason) {
    m_state = state;
    m_reason = reason;
    showButtons();
}

void PromptBox::focusText() {
    m_edit->setFocus(Qt::ShortcutFocusReason);
}

void PromptBox::showAttachment() {
    m_chip->setVisible(!m_attachmentText.isEmpty());
    m_chipText->setText(tr("%1  %2, %3 characters")
                            .arg(m_attachmentName, app::bytesText(m_attachmentText.toUtf8().size()),
                                 app::countText(m_attachmentText.size())));
    m_chipText->setToolTip(tipText(m_attachmentText.left(600)));
}

void PromptBox::showButtons() {
    const QString nothing = draft().isEmpty() ? tr("Write something first.") : QString();
    const QString reason = m_reason.isEmpty() ? nothing : m_reason;
    m_send->setVisible(m_state == PromptState::Writing);
    m_stop->setVisible(m_state == PromptState::Answering);
    m_send->setEnabled(reason.isEmpty());
    m_send->setToolTip(tipText(reason.isEmpty() ? tr("Send (Enter)") : reason));
    m_send->setAccessibleDescription(reason);
    m_stop->setToolTip(tipText(tr("Stop the answer (Esc)")));
}

}  // namespace lacuna::ui
