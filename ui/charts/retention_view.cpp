#include "ui/charts/retention_view.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <array>
#include <cmath>

#include "app/state/number_format.h"

namespace lacuna::ui {

namespace {

constexpr int kEdge = 8;
constexpr int kStripHeight = 28;
/// Height of the colour legend.
constexpr int kKeyHeight = 18;
/// Tokens of text shown on either side of the pointed token.
constexpr qsizetype kContext = 160;

/// One pixel column of the strip: mean share and most frequent state of its tokens.
struct Column {
    float share = 0;
    RetentionState state = RetentionState::Kept;
};

Column columnOf(const app::RetentionView& view, qsizetype first, qsizetype end) {
    std::array<int, kRetentionStates> counts{};
    float sum = 0;
    for (qsizetype i = first; i < end; ++i) {
        sum += view.share[i];
        ++counts[static_cast<std::size_t>(retentionStateOf(view, i))];
    }
    const auto most = std::max_element(counts.begin(), counts.end()) - counts.begin();
    return {sum / static_cast<float>(end - first), static_cast<RetentionState>(most)};
}

}  // namespace

RetentionStrip::RetentionStrip(const ThemeSource& themes, QWidget* parent)
    : PlotWidget(themes, parent) {
    setAccessibleName(tr("Retention"));
    describe();
}

void RetentionStrip::setEmptyText(const QString& text) {
    if (m_empty == text) return;
    m_empty = text;
    if (!m_view.share.isEmpty()) return;
    describe();
    update();
}

void RetentionStrip::setView(const app::RetentionView& view) {
    m_view = view;
    m_pointed.reset();
    m_image = QImage();
    describe();
    update();
}

void RetentionStrip::describe() {
    const qsizetype count = m_view.share.size();
    if (count == 0) {
        setAccessibleDescription(emptyText());
        return;
    }
    std::array<qint64, kRetentionStates> counts{};
    for (qsizetype i = 0; i < count; ++i)
        ++counts[static_cast<std::size_t>(retentionStateOf(m_view, i))];
    const auto of = [&](RetentionState state) {
        return app::countText(counts[static_cast<std::size_t>(state)]);
    };
    setAccessibleDescription(tr("%1 tokens: %2 kept everywhere, %3 merged, %4 in part, %5 evicted.")
                                 .arg(app::countText(count), of(RetentionState::Kept),
                                      of(RetentionState::Merged), of(RetentionState::Thinned),
                                      of(RetentionState::Evicted)));
}

QRectF RetentionStrip::stripRect() const {
    return QRectF(kEdge, kEdge + kKeyHeight, width() - 2 * kEdge, kStripHeight);
}

QSize RetentionStrip::sizeHint() const {
    return {480, kEdge * 2 + kKeyHeight + kStripHeight + 64};
}
QSize RetentionStrip::minimumSizeHint() const {
    return {160, kEdge * 2 + kKeyHeight + kStripHeight};
}

qsizetype RetentionStrip::tokenAt(double x) const {
    const QRectF strip = stripRect();
    const double share = (x - strip.left()) / std::max(1.0, strip.width());
    const auto last = static_cast<double>(m_view.share.size() - 1);
    return static_cast<qsizetype>(
        std::clamp(std::floor(share * (last + 1)), 0.0, std::max(0.0, last)));
}

void RetentionStrip::draw() {
    const Theme& theme = this->theme();
    const QRectF strip = stripRect();
    const double ratio = devicePixelRatioF();
    const int columns = std::max(1, static_cast<int>(strip.width() * ratio));
    const int rows = std::max(1, static_cast<int>(strip.height() * ratio));
    m_image = QImage(columns, rows, QImage::Format_RGB32);
    m_image.setDevicePixelRatio(ratio);
    m_image.fill(theme.raised);
    const qsizetype count = m_view.share.size();
    for (int x = 0; x < columns; ++x) {
        const qsizetype first = count * x / columns;
        const qsizetype end = std::max(first + 1, count * (x + 1) / columns);
        const Column column = columnOf(m_view, first, std::min(end, count));
        const QRgb colour = retentionStateColour(column.state, theme).rgb();
        // An evicted token keeps a short bar in its colour to stand out from the background.
        const int height =
            std::max(column.state == RetentionState::Evicted ? rows / 8 : 1,
                     static_cast<int>(std::lround(column.share * static_cast<float>(rows))));
        for (int y = rows - height; y < rows; ++y) m_image.setPixel(x, y, colour);
    }
}

QString RetentionStrip::emptyText() const {
    if (!m_view.share.isEmpty()) return {};
    if (!m_empty.isEmpty()) return m_empty;
    return tr("What the cache still holds of each token appears here after the first prompt.");
}

void RetentionStrip::paintPlot(QPainter& painter) {
    const Theme& theme = this->theme();
    const QFontMetricsF small = smallLetters();
    painter.setFont(Theme::font(FontRole::Small));
    const QRectF strip = stripRect();
    draw();
    painter.drawImage(strip.topLeft(), m_image);
    double x = kEdge;
    for (int i = 0; i < kRetentionStates; ++i) {
        const auto state = static_cast<RetentionState>(i);
        const QString name = retentionStateText(state);
        if (x + small.horizontalAdvance(name) + 14 > width() - kEdge) break;
        painter.fillRect(QRectF(x, kEdge + 3, 9, 9), retentionStateColour(state, theme));
        painter.setPen(theme.secondary);
        painter.drawText(QPointF(x + 13, kEdge + 11), name);
        x += small.horizontalAdvance(name) + 26;
    }
    const qsizetype pointed = m_pointed.value_or(m_view.share.size() - 1);
    if (m_pointed) {
        const double at = strip.left() + strip.width() * (static_cast<double>(pointed) + 0.5) /
                                             static_cast<double>(m_view.share.size());
        painter.setPen(QPen(theme.text, 1));
        painter.drawLine(QPointF(at, strip.top() - 3), QPointF(at, strip.bottom() + 3));
    }
    paintText(painter, pointed);
}

void RetentionStrip::paintText(QPainter& painter, qsizetype around) const {
    const Theme& theme = this->theme();
    const QFontMetricsF letters(Theme::font(FontRole::Base));
    const double top = stripRect().bottom() + kEdge, lineHeight = letters.height() + 3;
    const double bottom = height() - kEdge;
    if (top + lineHeight > bottom) return;
    painter.setFont(Theme::font(FontRole::Base));
    const qsizetype count = m_view.tokens();
    double x = kEdge, y = top;
    for (qsizetype i = std::max<qsizetype>(0, around - kContext); i < count; ++i) {
        const QString piece = visiblePiece(m_view, i);
        const double width = letters.horizontalAdvance(piece);
        if (x + width > this->width() - kEdge && x > kEdge) {
            x = kEdge;
            y += lineHeight;
            if (y + lineHeight > bottom) break;
        }
        const RetentionState state = retentionStateOf(m_view, i);
        QColor tint = retentionStateColour(state, theme);
        tint.setAlphaF(0.22F);
        const QRectF cell(x, y, width, lineHeight - 2);
        painter.fillRect(cell, tint);
        painter.setPen(state == RetentionState::Evicted ? theme.secondary : theme.text);
        painter.drawText(cell, Qt::AlignLeft | Qt::AlignVCenter, piece);
        // Struck out as well as tinted, so colour is not the only cue.
        if (state == RetentionState::Evicted)
            painter.drawLine(QPointF(cell.left(), cell.center().y()),
                             QPointF(cell.right(), cell.center().y()));
        if (i == m_pointed) {
            painter.setPen(theme.text);
            painter.drawRect(cell.adjusted(0, 0, -1, -1));
        }
        x += width;
    }
}

void RetentionStrip::point(std::optional<qsizetype> token) {
    if (token == m_pointed) return;
    m_pointed = token;
    update();
    if (!token) return describe();
    setAccessibleDescription(tokenDescription(m_view, *token));
}

void RetentionStrip::mouseMoveEvent(QMouseEvent* event) {
    if (m_view.share.isEmpty() || !stripRect().adjusted(0, -4, 0, 4).contains(event->position())) {
        readOut({}, {});
        return;
    }
    const qsizetype token = tokenAt(event->position().x());
    point(token);
    readOut(event->position().toPoint(), tokenDescription(m_view, token));
}

void RetentionStrip::mousePressEvent(QMouseEvent* event) {
    if (!m_view.share.isEmpty() && stripRect().contains(event->position()))
        point(tokenAt(event->position().x()));
}

void RetentionStrip::keyPressEvent(QKeyEvent* event) {
    const qsizetype last = m_view.share.size() - 1;
    if (last < 0) return QWidget::keyPressEvent(event);
    const qsizetype at = m_pointed.value_or(last);
    switch (event->key()) {
        case Qt::Key_Left:
            return point(std::max<qsizetype>(0, at - 1));
        case Qt::Key_Right:
            return point(std::min(last, at + 1));
        case Qt::Key_PageUp:
            return point(std::max<qsizetype>(0, at - 64));
        case Qt::Key_PageDown:
            return point(std::min(last, at + 64));
        case Qt::Key_Home:
            return point(0);
        case Qt::Key_End:
            return point(last);
        default:
            QWidget::keyPressEvent(event);
    }
}

void RetentionStrip::leaveEvent(QEvent* event) {
    point(std::nullopt);
    QWidget::leaveEvent(event);
}

}  // namespace lacuna::ui
