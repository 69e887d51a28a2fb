#include "ui/chat/message_text.h"

#include <QAbstractTextDocumentLayout>
#include <QApplication>
#include <QClipboard>
#include <QFrame>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QMenu>
#include <QMimeData>
#include <QPainter>
#include <QPainterPath>
#include <QScrollBar>
#include <QTextBlock>
#include <QTextCursor>
#include <QToolButton>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "ui/chat/markdown_writer.h"
#include "ui/style/long_lines.h"
#include "ui/style/page_kit.h"

namespace lacuna::ui {

namespace {

constexpr qsizetype kMaxLanguage = 20;  ///< characters
constexpr float kQuoteBarAlpha = 0.35F;
constexpr double kQuoteBarWidth = 3;  ///< px
constexpr int kPanelRadius = 6;       ///< px
constexpr int kScrollHeight = 8;      ///< px
constexpr int kCopiedMs = 2000;
constexpr int kScrollStep = 40;  ///< px per notch of the wheel

/// px; width of the longest line of a block.
double widthOf(const QTextBlock& block) {
    double widest = 0;
    const QTextLayout& lines = *block.layout();
    for (int i = 0; i < lines.lineCount(); ++i)
        widest = std::max(widest, lines.lineAt(i).naturalTextWidth());
    return widest;
}

}  // namespace

QToolButton* quietButton(const QString& text, const QString& name, QWidget* parent) {
    auto* button = new QToolButton(parent);
    button->setText(text);
    button->setToolTip(tipText(name));
    button->setFont(Theme::font(FontRole::Small));
    setRole(button, QStringLiteral("quiet"));
    setAccessible(button, name);
    return button;
}

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
    // Only panels scroll.
    connect(horizontalScrollBar(), &QScrollBar::rangeChanged, this,
            [this] { horizontalScrollBar()->setRange(0, 0); });
    m_find.setSingleShot(true);
    m_find.setInterval(0);
    connect(&m_find, &QTimer::timeout, this, &MessageText::findPanels);
    connect(document(), &QTextDocument::contentsChanged, this, [this] { m_find.start(); });
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
    placePanels();
}

QVariant MessageText::loadResource(int, const QUrl&) {
    return {};
}

/// Joins lines that were split for layout; drops formats.
QMimeData* MessageText::createMimeDataFromSelection() const {
    const QTextCursor cursor = textCursor();
    if (!selectsCutLines(cursor)) return QTextBrowser::createMimeDataFromSelection();
    auto* copied = new QMimeData;
    copied->setText(selectedText(cursor));
    return copied;
}

void MessageText::contextMenuEvent(QContextMenuEvent* event) {
    QMenu* menu = createStandardContextMenu(event->pos());
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setToolTipsVisible(true);
    if (!offered.isEmpty()) {
        menu->addSeparator();
        menu->addActions(offered);
    }
    menu->popup(event->globalPos());
}

/// Scrolling keys go to the page, not to the text.
void MessageText::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_PageUp || event->key() == Qt::Key_PageDown) return event->ignore();
    QTextBrowser::keyPressEvent(event);
}

/// Vertical scrolling goes to the page.
void MessageText::wheelEvent(QWheelEvent* event) {
    const Panel* panel = panelAt(event->position().toPoint());
    const QPoint by = event->angleDelta();
    const bool shift = event->modifiers().testFlag(Qt::ShiftModifier);
    const int across = shift && by.x() == 0                  ? by.y()
                       : std::abs(by.x()) > std::abs(by.y()) ? by.x()
                                                             : 0;
    if (panel == nullptr || panel->scroll->isHidden() || across == 0) return event->ignore();
    panel->scroll->setValue(panel->scroll->value() - across * kScrollStep / 120);
    event->accept();
}

bool MessageText::viewportEvent(QEvent* event) {
    if (event->type() != QEvent::ToolTip || !tipAt) return QTextBrowser::viewportEvent(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const QString tip = tipAt(cursorForPosition(unscrolled(help->pos())).position());
    if (tip.isEmpty()) {
        QToolTip::hideText();
    } else {
        QToolTip::showText(help->globalPos(), tipText(tip), this);
    }
    return true;
}

const MessageText::Panel* MessageText::panelAt(const QPoint& at) const {
    const auto found = std::find_if(m_panels.begin(), m_panels.end(),
                                    [&at](const Panel& one) { return one.area.contains(at); });
    return found == m_panels.end() ? nullptr : &*found;
}

QPoint MessageText::unscrolled(const QPoint& at) const {
    const Panel* panel = panelAt(at);
    return panel == nullptr ? at : at + QPoint(panel->scroll->value(), 0);
}

QMouseEvent MessageText::unscrolled(const QMouseEvent& event) const {
    const QPointF at = event.position();
    const QPointF moved = at + QPointF(unscrolled(at.toPoint()) - at.toPoint());
    return {event.type(),
            moved,
            moved,
            event.globalPosition(),
            event.button(),
            event.buttons(),
            event.modifiers(),
            event.pointingDevice()};
}

void MessageText::mousePressEvent(QMouseEvent* event) {
    QMouseEvent moved = unscrolled(*event);
    QTextBrowser::mousePressEvent(&moved);
    event->setAccepted(moved.isAccepted());
}

void MessageText::mouseMoveEvent(QMouseEvent* event) {
    QMouseEvent moved = unscrolled(*event);
    QTextBrowser::mouseMoveEvent(&moved);
    event->setAccepted(moved.isAccepted());
}

void MessageText::mouseReleaseEvent(QMouseEvent* event) {
    QMouseEvent moved = unscrolled(*event);
    QTextBrowser::mouseReleaseEvent(&moved);
    event->setAccepted(moved.isAccepted());
}

void MessageText::mouseDoubleClickEvent(QMouseEvent* event) {
    QMouseEvent moved = unscrolled(*event);
    QTextBrowser::mouseDoubleClickEvent(&moved);
    event->setAccepted(moved.isAccepted());
}

void MessageText::paintEvent(QPaintEvent* event) {
    paintQuoteBars(event->rect());
    paintPanels(event->rect());
    QTextBrowser::paintEvent(event);
    paintScrolled(event->rect());
}

/// Paints one bar at the left per quote level.
void MessageText::paintQuoteBars(const QRect& area) {
    QPainter painter(viewport());
    QColor colour = palette().color(QPalette::Text);
    colour.setAlphaF(kQuoteBarAlpha);
    const QAbstractTextDocumentLayout& page = *document()->documentLayout();
    QTextBlock block = document()->findBlock(cursorForPosition(area.topLeft()).position());
    for (; block.isValid(); block = block.next()) {
        const QRectF box = page.blockBoundingRect(block);
        if (box.top() > area.bottom()) return;
        const QTextBlock next = block.next();
        for (int level = 0; level < quoteDepth(block); ++level) {
            const bool goesOn = next.isValid() && quoteDepth(next) > level;
            const double bottom = goesOn ? page.blockBoundingRect(next).top() : box.bottom();
            painter.fillRect(QRectF(kTextInset + level * kQuoteIndent, box.top(), kQuoteBarWidth,
                                    bottom - box.top()),
                             colour);
        }
    }
}

void MessageText::paintPanels(const QRect& area) {
    QPainter painter(viewport());
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    for (const Panel& panel : m_panels) {
        if (!panel.area.intersects(area)) continue;
        painter.setBrush(panel.colour);
        painter.drawRoundedRect(panel.area, kPanelRadius, kPanelRadius);
    }
}

/// Paints scrolled code over the unscrolled code below it.
void MessageText::paintScrolled(const QRect& area) {
    for (const Panel& panel : m_panels) {
        const int by = panel.scroll->value();
        const QRect code = panel.area.adjusted(0, kCodeBarHeight, 0, 0);
        if (by == 0 || !code.intersects(area)) continue;
        QPainter painter(viewport());
        painter.setClipRect(code.intersected(area));
        painter.fillRect(code, panel.colour);
        painter.translate(-by, 0);
        QAbstractTextDocumentLayout::PaintContext context;
        context.palette = palette();
        context.clip = code.translated(by, 0);
        for (const QTextEdit::ExtraSelection& one : extraSelections())
            context.selections.push_back({one.cursor, one.format});
        if (const QTextCursor cursor = textCursor(); cursor.hasSelection()) {
            const auto group = hasFocus() ? QPalette::Active : QPalette::Inactive;
            QTextCharFormat format;
            format.setBackground(palette().brush(group, QPalette::Highlight));
            format.setForeground(palette().brush(group, QPalette::HighlightedText));
            context.selections.push_back({cursor, format});
        }
        document()->documentLayout()->draw(&painter, context);
    }
}

void MessageText::findPanels() {
    const QVector<CodeBlock> blocks = codeBlocksIn(*document());
    while (m_panels.size() > static_cast<std::size_t>(blocks.size())) {
        m_panels.back().bar->deleteLater();
        m_panels.back().scroll->deleteLater();
        m_panels.pop_back();
    }
    for (qsizetype i = 0; i < blocks.size(); ++i) {
        if (static_cast<std::size_t>(i) == m_panels.size()) addPanel();
        Panel& panel = m_panels[static_cast<std::size_t>(i)];
        panel.first = blocks[i].first;
        panel.end = blocks[i].end;
        panel.language->setText(oneLine(blocks[i].language, kMaxLanguage));
    }
    placePanels();
    viewport()->update();
}

void MessageText::addPanel() {
    Panel panel;
    panel.bar = new QFrame(viewport());
    panel.bar->setCursor(Qt::ArrowCursor);
    panel.language = captionLabel({}, panel.bar);
    panel.copy = quietButton(tr("Copy"), tr("Copy this code block"), panel.bar);
    panel.copy->setFocusPolicy(Qt::NoFocus);  // the keyboard uses an action instead
    QHBoxLayout* row = rowLayout(panel.bar);
    row->setContentsMargins(kCodePadding + kTextInset - 1, 0, Spacing::half, 0);
    row->addWidget(panel.language);
    row->addStretch(1);
    row->addWidget(panel.copy);
    panel.scroll = new QScrollBar(Qt::Horizontal, viewport());
    panel.scroll->setFocusPolicy(Qt::NoFocus);
    panel.scroll->setCursor(Qt::ArrowCursor);
    setAccessible(panel.scroll, tr("Scroll this code block"));
    connect(panel.scroll, &QScrollBar::valueChanged, viewport(), qOverload<>(&QWidget::update));
    connect(panel.copy, &QToolButton::clicked, this,
            [this, at = m_panels.size()] { copyCode(at); });
    m_panels.push_back(panel);
}

void MessageText::placePanels() {
    const QAbstractTextDocumentLayout& page = *document()->documentLayout();
    int below = 0;  // the lower edge of the panel before
    for (Panel& panel : m_panels) {
        const QTextBlock first = document()->findBlock(panel.first);
        const QTextBlock last = document()->findBlock(panel.end);
        if (!first.isValid() || !last.isValid()) continue;
        double widest = 0;
        for (QTextBlock block = first; block.isValid() && block.position() <= panel.end;
             block = block.next())
            widest = std::max(widest, widthOf(block));
        const QTextBlockFormat format = first.blockFormat();
        const int left = std::max(0, static_cast<int>(format.leftMargin()) - kCodePadding);
        const int top =
            std::max(below, static_cast<int>(page.blockBoundingRect(first).top()) - kCodeBarHeight);
        const int over =
            static_cast<int>(std::ceil(widest + format.leftMargin() + format.rightMargin())) -
            viewport()->width();
        const int bottom = static_cast<int>(std::ceil(page.blockBoundingRect(last).bottom())) +
                           (over > 0 ? kScrollHeight : kCodePadding / 2);
        panel.area = QRect(QPoint(left, top), QPoint(viewport()->width() - 1, bottom));
        panel.colour = format.background().color();
        below = bottom + 1;
        panel.bar->setGeometry(left, top, panel.area.width(), kCodeBarHeight);
        panel.bar->show();
        panel.scroll->setRange(0, std::max(0, over));
        panel.scroll->setPageStep(viewport()->width());
        panel.scroll->setSingleStep(kScrollStep);
        panel.scroll->setGeometry(left, bottom - kScrollHeight, panel.area.width(), kScrollHeight);
        panel.scroll->setVisible(over > 0);
    }
}

void MessageText::copyCode(std::size_t at) {
    QTextCursor all(document());
    all.setPosition(m_panels[at].first);
    all.setPosition(m_panels[at].end, QTextCursor::KeepAnchor);
    QApplication::clipboard()->setText(selectedText(all));
    QToolButton* button = m_panels[at].copy;
    button->setText(tr("Copied"));
    QTimer::singleShot(kCopiedMs, button, [button] { button->setText(tr("Copy")); });
}

void MessageText::showSelection() {
    QTextCursor start = textCursor();
    start.setPosition(start.selectionStart());
    const QRect at = cursorRect(start);
    for (const Panel& panel : m_panels) {
        if (start.position() < panel.first || start.position() > panel.end) continue;
        const int value = panel.scroll->value();
        const bool seen = at.left() >= value && at.left() < value + viewport()->width();
        if (!seen) panel.scroll->setValue(at.left() - viewport()->width() / 3);
    }
}

}  // namespace lacuna::ui
