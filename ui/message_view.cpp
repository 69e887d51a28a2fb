#include "ui/message_view.h"

#include <QAbstractTextDocumentLayout>
#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QScrollBar>
#include <QTextCursor>
#include <QToolButton>
#include <QToolTip>
#include <QVBoxLayout>
#include <QWheelEvent>
#include <cmath>

#include "app/state/number_format.h"
#include "ui/markdown_writer.h"
#include "ui/theme.h"
#include "ui/widget_roles.h"

namespace lacuna::ui {

namespace {

using app::LineState;
using app::Speaker;

/// Characters of a column; longer lines are hard to read.
constexpr int kColumn = 76;
/// px from the edge of a text's widget to its letters: border and margin of the document.
constexpr int kTextInset = 3;

QString speakerName(Speaker speaker) {
    switch (speaker) {
        case Speaker::System:
            return MessageView::tr("System");
        case Speaker::Person:
            return MessageView::tr("You");
        case Speaker::Model:
            return MessageView::tr("Model");
    }
    return {};
}

/// "2,104 prompt tokens (1,998 cached) · 12 answer tokens · first token 0.84 s · 21.4 tok/s · 2
/// compactions"
QString figuresText(const app::TurnRow& row) {
    const QString dot = QStringLiteral("  ") + QChar(0x00B7) + QStringLiteral("  ");
    QStringList parts;
    const QString prompt =
        MessageView::tr("%1 prompt tokens").arg(app::countText(row.promptTokens));
    parts << (row.reusedTokens > 0
                  ? prompt + MessageView::tr(" (%1 cached)").arg(app::countText(row.reusedTokens))
                  : prompt);
    parts << MessageView::tr("%1 answered").arg(app::countText(row.answerTokens));
    // An answer stopped while the prompt was read never had one.
    parts << MessageView::tr("first token %1")
                 .arg(row.firstTokenSeconds > 0 ? app::durationText(row.firstTokenSeconds)
                                                : QString(QChar(0x2013)));
    if (row.decodeSeconds > 0 && row.answerTokens > 1) {
        const double speed = static_cast<double>(row.answerTokens) / row.decodeSeconds;
        parts << MessageView::tr("%1 tok/s").arg(app::rateText(speed));
    }
    if (row.compactions == 1) parts << MessageView::tr("1 compaction");
    if (row.compactions > 1)
        parts << MessageView::tr("%1 compactions").arg(app::countText(row.compactions));
    return parts.join(dot);
}

QToolButton* quietButton(const QString& text, const QString& name, QWidget* parent) {
    auto* button = new QToolButton(parent);
    button->setText(text);
    button->setToolTip(name);
    button->setFont(Theme::font(FontRole::Small));
    setRole(button, QStringLiteral("quiet"));
    setAccessible(button, name);
    return button;
}

}  // namespace

MessageText::MessageText(QWidget* parent) : QTextBrowser(parent) {
    setRole(this, QStringLiteral("page"));
    setFrameShape(QFrame::NoFrame);
    setOpenLinks(false);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setTabChangesFocus(true);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    viewport()->setAutoFillBackground(false);
    document()->setDocumentMargin(2);
    document()->setUndoRedoEnabled(false);
    connect(document()->documentLayout(), &QAbstractTextDocumentLayout::documentSizeChanged, this,
            [this] { fitHeight(); });
}

void MessageText::fitHeight() {
    const int height = static_cast<int>(std::ceil(document()->size().height())) + 4;
    if (height != minimumHeight()) setFixedHeight(height);
}

void MessageText::resizeEvent(QResizeEvent* event) {
    QTextBrowser::resizeEvent(event);
    fitHeight();
}

void MessageText::wheelEvent(QWheelEvent* event) {
    event->ignore();
}

bool MessageText::viewportEvent(QEvent* event) {
    if (event->type() != QEvent::ToolTip || !tipAt) return QTextBrowser::viewportEvent(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const QString tip = tipAt(cursorForPosition(help->pos()).position());
    if (tip.isEmpty()) {
        QToolTip::hideText();
    } else {
        QToolTip::showText(help->globalPos(), tip, this);
    }
    return true;
}

MessageView::MessageView(const app::ChatLine& line, const ThemeSource& themes, QWidget* parent)
    : QFrame(parent), m_themes(themes), m_line(line) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(12, 8, 12, 8);
    layout->setSpacing(2);
    buildHead(layout);
    if (!line.attachment.isEmpty()) buildAttachment(layout);
    m_text = new MessageText(this);
    m_text->installEventFilter(this);
    layout->addWidget(m_text);
    buildFoot(layout);
    setMaximumWidth(fontMetrics().averageCharWidth() * (kColumn + 14));
    applyTheme();
    show(line);
}

MessageView::~MessageView() = default;

void MessageView::buildHead(QVBoxLayout* layout) {
    auto* head = new QHBoxLayout;
    head->setSpacing(4);
    m_who = captionLabel(speakerName(m_line.speaker), this);
    m_who->setIndent(kTextInset);
    head->addWidget(m_who);
    head->addStretch(1);
    m_actions = new QWidget(this);
    auto* buttons = new QHBoxLayout(m_actions);
    buttons->setContentsMargins(0, 0, 0, 0);
    buttons->setSpacing(2);
    QToolButton* copy = quietButton(tr("Copy"), tr("Copy this message"), m_actions);
    copy->installEventFilter(this);
    connect(copy, &QToolButton::clicked, this, &MessageView::copyText);
    buttons->addWidget(copy);
    if (m_line.speaker == Speaker::Model) {
        QToolButton* again =
            quietButton(tr("Regenerate"), tr("Answer the last question again"), m_actions);
        again->installEventFilter(this);
        connect(again, &QToolButton::clicked, this, &MessageView::regenerateWanted);
        buttons->addWidget(again);
    }
    // Room is kept for the buttons, so that showing them moves nothing.
    QSizePolicy policy = m_actions->sizePolicy();
    policy.setRetainSizeWhenHidden(true);
    m_actions->setSizePolicy(policy);
    head->addWidget(m_actions);
    layout->addLayout(head);
}

void MessageView::buildAttachment(QVBoxLayout* layout) {
    auto* chip = new QFrame(this);
    setRole(chip, QStringLiteral("chip"));
    auto* inner = new QHBoxLayout(chip);
    inner->setContentsMargins(8, 4, 8, 4);
    auto* label = new QLabel(
        tr("%1  %2, %3 characters")
            .arg(m_line.attachment, app::bytesText(m_line.attachmentText.toUtf8().size()),
                 app::countText(m_line.attachmentText.size())),
        chip);
    label->setToolTip(m_line.attachmentText.left(600) + QChar(0x2026));
    inner->addWidget(label);
    auto* row = new QHBoxLayout;
    row->addWidget(chip);
    row->addStretch(1);
    layout->addLayout(row);
}

void MessageView::buildFoot(QVBoxLayout* layout) {
    m_problem = captionLabel({}, this);
    m_problem->setWordWrap(true);
    m_figures = captionLabel({}, this);
    m_figures->setWordWrap(true);
    m_problem->setIndent(kTextInset);
    m_figures->setIndent(kTextInset);
    layout->addWidget(m_problem);
    layout->addWidget(m_figures);
}

void MessageView::appendText(const QString& text) {
    m_line.text += text;
    if (m_writer) {
        m_writer->append(text);
    } else {
        QTextCursor end(m_text->document());
        end.movePosition(QTextCursor::End);
        end.insertText(text, QTextCharFormat());
    }
}

void MessageView::show(const app::ChatLine& line) {
    const bool newText = line.text != m_line.text;
    m_line = line;
    if (newText) writeText();
    m_text->setVisible(!line.text.isEmpty() || m_tint.has_value());
    setAccessible(m_text, tr("Message of %1").arg(speakerName(line.speaker)), line.text.left(200));
    showFigures();
    showActions();
}

void MessageView::applyTheme() {
    m_writer.reset();
    writeText();
    update();
}

void MessageView::writeText() {
    const Theme& theme = m_themes.theme();
    const bool formatted = m_line.speaker == Speaker::Model && !m_tint;
    if (formatted) {
        if (!m_writer) m_writer = std::make_unique<MarkdownWriter>(*m_text->document(), theme);
        m_writer->reset(m_line.text, theme);
        return;
    }
    m_writer.reset();
    m_runs = m_tint ? runsOf(*m_tint) : QVector<TintRun>();
    writeTinted(*m_text->document(), m_tint ? app::messageText(m_line) : m_line.text, m_runs,
                theme);
}

void MessageView::setTint(std::optional<MessageTint> tint) {
    if (!tint && !m_tint) return;
    const bool same = tint && m_tint && runsOf(*tint) == m_runs;
    m_tint = std::move(tint);
    m_text->tipAt = nullptr;
    if (m_tint) m_text->tipAt = [this](int place) { return sentenceAt(*m_tint, place); };
    if (!same) writeText();
    m_text->setVisible(!m_line.text.isEmpty() || m_tint.has_value());
}

void MessageView::showFigures() {
    const bool writing = m_line.state == LineState::Waiting || m_line.state == LineState::Streaming;
    const QString state = m_line.state == LineState::Waiting     ? tr("reading the prompt")
                          : m_line.state == LineState::Streaming ? tr("writing")
                                                                 : QString();
    m_who->setText(state.isEmpty() ? speakerName(m_line.speaker)
                                   : speakerName(m_line.speaker) + QStringLiteral("  ") +
                                         QChar(0x00B7) + QStringLiteral("  ") + state);
    m_problem->setText(m_line.problem);
    m_problem->setVisible(!m_line.problem.isEmpty());
    setRole(m_problem, m_line.state == LineState::Failed ? QStringLiteral("bad")
                                                         : QStringLiteral("secondary"));
    m_figures->setVisible(m_line.figures.has_value() && !writing);
    if (m_line.figures) m_figures->setText(figuresText(*m_line.figures));
}

void MessageView::showActions() {
    bool focused = false;
    const QWidget* focus = QApplication::focusWidget();
    if (focus != nullptr) focused = focus == m_text || m_actions->isAncestorOf(focus);
    const bool writing = m_line.state == LineState::Waiting || m_line.state == LineState::Streaming;
    m_actions->setVisible(!writing && (underMouse() || focused));
}

void MessageView::copyText() const {
    QApplication::clipboard()->setText(m_line.text);
}

void MessageView::enterEvent(QEnterEvent* event) {
    QFrame::enterEvent(event);
    showActions();
}

void MessageView::leaveEvent(QEvent* event) {
    QFrame::leaveEvent(event);
    showActions();
}

void MessageView::paintEvent(QPaintEvent*) {
    if (m_line.speaker == Speaker::Model) return;
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(m_themes.theme().raised);
    painter.drawRoundedRect(rect(), 6, 6);
}

bool MessageView::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::FocusIn || event->type() == QEvent::FocusOut) {
        // After the focus has arrived where it goes.
        QMetaObject::invokeMethod(
            this, [this] { showActions(); }, Qt::QueuedConnection);
    }
    return QFrame::eventFilter(watched, event);
}

}  // namespace lacuna::ui
