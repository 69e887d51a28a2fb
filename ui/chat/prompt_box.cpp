#include "ui/chat/prompt_box.h"

#include <QAbstractTextDocumentLayout>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QMimeData>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QToolButton>
#include <QUrl>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <utility>

#include "app/state/number_format.h"
#include "ui/style/page_kit.h"

namespace lacuna::ui {

namespace {

constexpr int kMinLines = 2;
constexpr int kMaxLines = 8;
constexpr qsizetype kMaxChipName = 40;  ///< characters
constexpr qsizetype kTipLength = 600;   ///< characters of a text in the tool tip of its chip

QString joined(const QString& first, const QString& second) {
    if (first.isEmpty() || second.isEmpty()) return first + second;
    return first + QStringLiteral("\n\n") + second;
}

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
    // QPlainTextEdit reports the document height in wrapped lines.
    const int wrapped = static_cast<int>(std::ceil(document()->size().height()));
    const int lines = std::clamp(wrapped, kMinLines, kMaxLines);
    setFixedHeight(lines * fontMetrics().lineSpacing() + 18);
}

void PromptEdit::keyPressEvent(QKeyEvent* event) {
    const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (enter && !event->modifiers().testFlag(Qt::ShiftModifier)) {
        Q_EMIT sendRequested();
        return;
    }
    QPlainTextEdit::keyPressEvent(event);
}

QStringList filesIn(const QMimeData& data) {
    QStringList paths;
    for (const QUrl& url : data.urls())
        if (url.isLocalFile()) paths << url.toLocalFile();
    return paths;
}

bool PromptEdit::canInsertFromMimeData(const QMimeData* source) const {
    return source->hasUrls() || QPlainTextEdit::canInsertFromMimeData(source);
}

void PromptEdit::insertFromMimeData(const QMimeData* source) {
    if (const QStringList paths = filesIn(*source); !paths.isEmpty()) {
        Q_EMIT filesDropped(paths);
        return;
    }
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
      m_chips(new QScrollArea(this)),
      m_attach(new QToolButton(this)),
      m_line(shrinkingCaption(this)),
      m_send(new QPushButton(tr("Send"), this)),
      m_stop(new QPushButton(tr("Stop"), this)) {
    auto* chips = new QWidget(m_chips);
    m_chipRow = rowLayout(chips);
    m_chipRow->addStretch(1);
    m_chips->setWidget(chips);
    m_chips->setWidgetResizable(true);
    m_chips->setFrameShape(QFrame::NoFrame);
    m_chips->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_chips->setFocusPolicy(Qt::NoFocus);
    setRole(m_chips, QStringLiteral("clear"));
    m_chips->viewport()->setAutoFillBackground(false);
    chips->setAutoFillBackground(false);
    m_attach->setText(QStringLiteral("+"));
    m_attach->setFixedSize(m_send->sizeHint().height(), m_send->sizeHint().height());
    m_attach->setToolTip(
        tipText(tr("Attach text or source code files, or drop them here (Ctrl+Shift+A)")));
    setAccessible(m_attach, tr("Attach files"));
    setRole(m_send, QStringLiteral("primary"));
    setAccessible(m_send, tr("Send"));
    setAccessible(m_stop, tr("Stop the answer"));
    QVBoxLayout* buttons = columnLayout();
    buttons->addStretch(1);
    buttons->addWidget(m_send);
    buttons->addWidget(m_stop);
    QHBoxLayout* row = rowLayout();
    row->addWidget(m_attach, 0, Qt::AlignBottom);
    row->addWidget(m_edit, 1);
    row->addLayout(buttons);
    QVBoxLayout* layout = columnLayout(this, Spacing::half);
    layout->setContentsMargins(Spacing::wide, Spacing::half, Spacing::wide, Spacing::unit);
    layout->addWidget(m_line);
    layout->addWidget(m_chips);
    layout->addLayout(row);
    m_line->hide();
    connect(m_attach, &QToolButton::clicked, this, &PromptBox::attachRequested);
    connect(m_send, &QPushButton::clicked, this, &PromptBox::sendRequested);
    connect(m_stop, &QPushButton::clicked, this, &PromptBox::stopRequested);
    connect(m_edit, &PromptEdit::sendRequested, this, &PromptBox::sendRequested);
    connect(m_edit, &PromptEdit::filesDropped, this, &PromptBox::filesDropped);
    connect(m_edit, &PromptEdit::textChanged, this, &PromptBox::changed);
    connect(m_edit, &PromptEdit::longTextPasted, this,
            [this](const QString& text) { attach(tr("Pasted text"), text); });
    m_chips->hide();
    showButtons();
}

app::PromptDraft PromptBox::draft() const {
    app::PromptDraft draft;
    draft.text = m_edit->toPlainText();
    if (m_attachments.size() == 1) {
        draft.attachmentName = m_attachments.front().name;
        draft.attachmentText = m_attachments.front().text;
        return draft;
    }
    QStringList names;
    for (const Attachment& one : m_attachments) {
        names << one.name;
        draft.attachmentText =
            joined(draft.attachmentText, one.name + QStringLiteral(":\n\n") + one.text);
        draft.parts.push_back(
            {one.name, draft.attachmentText.size() - one.text.size(), one.text.size()});
    }
    draft.attachmentName = names.join(QStringLiteral(", "));
    return draft;
}

QStringList PromptBox::texts() const {
    QStringList texts{m_edit->toPlainText()};
    for (const Attachment& one : m_attachments) texts << one.text;
    return texts;
}

void PromptBox::setText(const QString& text) {
    m_edit->setPlainText(text);
}

void PromptBox::attach(const QString& name, const QString& text) {
    if (text.isEmpty()) return;
    Attachment one;
    one.name = name;
    one.text = text;
    addChip(one);
    m_attachments.push_back(std::move(one));
    changed();
}

void PromptBox::restoreDraft(const app::PromptDraft& refused) {
    m_edit->setPlainText(joined(refused.text, m_edit->toPlainText()));
    // Attachments added since then come after the restored ones.
    const QVector<Attachment> later = std::exchange(m_attachments, {});
    for (const Attachment& one : later) one.chip->deleteLater();
    if (refused.parts.isEmpty()) attach(refused.attachmentName, refused.attachmentText);
    for (const app::AttachedPart& part : refused.parts)
        attach(part.name, refused.attachmentText.mid(part.first, part.length));
    for (const Attachment& one : later) attach(one.name, one.text);
}

void PromptBox::clear() {
    for (const Attachment& one : m_attachments) one.chip->deleteLater();
    m_attachments.clear();
    m_edit->clear();
    changed();
}

void PromptBox::setState(PromptState state, const QString& reason) {
    m_state = state;
    m_reason = reason;
    showButtons();
}

void PromptBox::setNoRoom(const QString& reason) {
    if (m_noRoom == reason) return;
    m_noRoom = reason;
    showButtons();
}

QString PromptBox::sendBlocker() const {
    if (!m_reason.isEmpty()) return m_reason;
    const bool empty = m_attachments.isEmpty() && m_edit->toPlainText().trimmed().isEmpty();
    return empty ? tr("Write something first.") : m_noRoom;
}

QString PromptBox::longestAttached() const {
    const auto longest = std::max_element(m_attachments.begin(), m_attachments.end(),
                                          [](const Attachment& a, const Attachment& b) {
                                              return a.tokens.value_or(0) < b.tokens.value_or(0);
                                          });
    return longest == m_attachments.end() ? QString() : longest->name;
}

void PromptBox::showLine(const QString& sentence) {
    m_line->setText(sentence);
    m_line->setToolTip(tipText(sentence));
    m_line->setVisible(!sentence.isEmpty());
}

void PromptBox::focusText() {
    m_edit->setFocus(Qt::ShortcutFocusReason);
}

void PromptBox::addChip(Attachment& attachment) {
    attachment.chip = new QFrame(m_chips->widget());
    setRole(attachment.chip, QStringLiteral("chip"));
    QHBoxLayout* inner = rowLayout(attachment.chip);
    inner->setContentsMargins(Spacing::unit, Spacing::half, Spacing::half, Spacing::half);
    attachment.label = shrinkingLabel(attachment.chip);
    attachment.label->setToolTip(tipText(attachment.text.left(kTipLength)));
    auto* gone = new QToolButton(attachment.chip);
    gone->setText(tr("Remove"));
    setRole(gone, QStringLiteral("quiet"));
    const QString sentence = tr("Remove the attached text %1").arg(attachment.name);
    setAccessible(gone, sentence);
    gone->setToolTip(tipText(sentence));
    inner->addWidget(attachment.label);
    inner->addWidget(gone);
    connect(gone, &QToolButton::clicked, this, [this, chip = attachment.chip] { remove(chip); });
    m_chipRow->insertWidget(m_chipRow->count() - 1, attachment.chip);
    showChip(attachment);
}

void PromptBox::remove(const QFrame* chip) {
    const auto at = std::find_if(m_attachments.begin(), m_attachments.end(),
                                 [chip](const Attachment& one) { return one.chip == chip; });
    if (at == m_attachments.end()) return;
    at->chip->hide();
    at->chip->deleteLater();
    m_attachments.erase(at);
    changed();
    focusText();
}

void PromptBox::showChip(const Attachment& attachment) const {
    const QString name = oneLine(attachment.name, kMaxChipName);
    const QString size = app::bytesText(attachment.text.toUtf8().size());
    attachment.label->setForms(
        {attachment.tokens
             ? tr("%1  %2, %3 tokens").arg(name, size, app::countText(*attachment.tokens))
             : tr("%1  %2, %3 characters").arg(name, size, app::countText(attachment.text.size())),
         name});
    attachment.label->setMinimumWidth(attachment.label->widthOf(1));  // the row of chips scrolls
}

void PromptBox::changed() {
    m_chips->setVisible(!m_attachments.isEmpty());
    if (!m_attachments.isEmpty())
        m_chips->setFixedHeight(m_chips->widget()->sizeHint().height() +
                                m_chips->horizontalScrollBar()->sizeHint().height());
    m_wordTokens.reset();
    m_noRoom.clear();
    showButtons();
    Q_EMIT textsChanged();
}

void PromptBox::showTokens(const QVector<qint64>& tokens) {
    if (tokens.size() != m_attachments.size() + 1) return;
    m_wordTokens = tokens.front();
    for (qsizetype i = 0; i < m_attachments.size(); ++i) {
        m_attachments[i].tokens = tokens[i + 1];
        showChip(m_attachments[i]);
    }
}

std::optional<qint64> PromptBox::tokens() const {
    std::optional<qint64> all = m_wordTokens;
    for (const Attachment& one : m_attachments)
        all = all && one.tokens ? std::optional(*all + *one.tokens) : std::nullopt;
    return all && *all > 0 ? all : std::nullopt;
}

void PromptBox::showButtons() {
    const QString reason = sendBlocker();
    m_send->setVisible(m_state == PromptState::Writing);
    m_stop->setVisible(m_state == PromptState::Answering);
    m_send->setEnabled(reason.isEmpty());
    m_send->setToolTip(tipText(reason.isEmpty() ? tr("Send (Enter)") : reason));
    m_send->setAccessibleDescription(reason);
    m_stop->setToolTip(tipText(tr("Stop the answer (Esc)")));
}

}  // namespace lacuna::ui
