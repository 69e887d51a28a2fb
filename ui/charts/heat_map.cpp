#include "ui/charts/heat_map.h"

#include <QCoreApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "app/state/list_text.h"
#include "app/state/number_format.h"
#include "ui/charts/chart_scale.h"

namespace lacuna::ui {

namespace {

constexpr float kNoCell = std::numeric_limits<float>::quiet_NaN();

struct HeatMapTexts {
    Q_DECLARE_TR_FUNCTIONS(HeatMap)
};

/// Sum of the slots of a layer.
qint64 slotsOf(const app::RetentionView& view, int layer) {
    const auto first = view.slots.begin() + view.headsBefore(layer);
    return std::accumulate(first, first + view.headsOf(layer), qint64{0});
}

/// Bytes of some slots of a layer, from their share of its total; all slots of a layer cost the
/// same.
qint64 bytesOf(const app::RetentionView& view, int layer, qint64 slots) {
    double all = 0;
    for (int one = 0; one < view.layers; ++one)
        all += static_cast<double>(slotsOf(view, one)) * view.elementsOf(one);
    const double share = static_cast<double>(slots) * view.elementsOf(layer);
    return all == 0 ? 0 : static_cast<qint64>(static_cast<double>(view.liveBytes) * share / all);
}

/// Names the layer whose rows a layer without rows reads.
QString readsText(const app::RetentionView& view, int layer) {
    const int owner = layer < view.cacheLayers.size() ? view.cacheLayers[layer] : layer;
    return owner == layer ? HeatMapTexts::tr("Layer %1 has no cache").arg(layer + 1)
                          : HeatMapTexts::tr("Layer %1 reads the cache of layer %2")
                                .arg(layer + 1)
                                .arg(owner + 1);
}

QString headSentence(const app::RetentionView& view, int layer, int head) {
    if (view.headsOf(layer) == 0) return readsText(view, layer);
    if (head >= view.headsOf(layer))
        return HeatMapTexts::tr("Layer %1 has no head %2").arg(layer + 1).arg(head + 1);
    const int slots = view.slots[view.headsBefore(layer) + head];
    const auto tokens = static_cast<double>(std::max<qsizetype>(view.tokens(), 1));
    return HeatMapTexts::tr("Layer %1, head %2: %3 slots for %4 tokens (%5), %6")
        .arg(layer + 1)
        .arg(head + 1)
        .arg(app::countText(slots), app::countText(view.tokens()),
             app::percentText(static_cast<double>(slots) / tokens),
             app::bytesText(bytesOf(view, layer, slots)));
}

ChartTable headTable(const app::RetentionView& view) {
    ChartTable table;
    table.header << HeatMapTexts::tr("Layer");
    for (int head = 0; head < view.heads; ++head)
        table.header << HeatMapTexts::tr("Head %1").arg(head + 1);
    table.header << HeatMapTexts::tr("Bytes");
    for (int layer = 0; layer < view.layers; ++layer) {
        QStringList row{app::countText(layer + 1)};
        for (int head = 0; head < view.heads; ++head)
            row << (head < view.headsOf(layer)
                        ? app::countText(view.slots[view.headsBefore(layer) + head])
                        : QString());
        const qint64 bytes = bytesOf(view, layer, slotsOf(view, layer));
        table.rows << row + QStringList{view.headsOf(layer) == 0 ? readsText(view, layer)
                                                                 : app::bytesText(bytes)};
    }
    return table;
}

std::array<qint64, kRetentionStates> countStates(const QVector<RetentionState>& states) {
    std::array<qint64, kRetentionStates> counts{};
    for (const RetentionState state : states) ++counts[static_cast<std::size_t>(state)];
    return counts;
}

QString retentionSentence(const app::RetentionView& view, int layer, int token) {
    if (view.headsOf(layer) == 0)
        return HeatMapTexts::tr("%1. %2.").arg(tokenDescription(view, token),
                                               readsText(view, layer));
    return HeatMapTexts::tr("%1. Layer %2: %3 of %4 heads hold it.")
        .arg(tokenDescription(view, token))
        .arg(layer + 1)
        .arg(view.holders[layer * view.tokens() + token])
        .arg(view.headsOf(layer));
}

ChartTable retentionTable(const app::RetentionView& view) {
    ChartTable table;
    table.header = {HeatMapTexts::tr("Token"), HeatMapTexts::tr("Text"), HeatMapTexts::tr("State"),
                    HeatMapTexts::tr("Held by"), HeatMapTexts::tr("Layers")};
    for (qsizetype token = 0; token < view.tokens(); ++token) {
        table.rows << QStringList{app::countText(token + 1), visiblePiece(view, token),
                                  retentionStateText(retentionStateOf(view, token)),
                                  app::percentText(static_cast<double>(view.share[token])),
                                  layersText(view, token)};
    }
    return table;
}

}  // namespace

HeatMap headMap(const app::RetentionView& view) {
    HeatMap map;
    map.id = QStringLiteral("head-map");
    map.title = HeatMapTexts::tr("Slots per head");
    map.rowName = HeatMapTexts::tr("layer");
    map.columnName = HeatMapTexts::tr("head");
    map.empty =
        HeatMapTexts::tr("The number of slots per head appears here with the first prompt.");
    map.definitions = HeatMapTexts::tr(
        "One cell per layer and key-value head. Full colour: as many slots as the conversation has "
        "tokens; paler: fewer after compaction.");
    if (view.slots.isEmpty() || view.tokens() == 0) return map;
    map.rows = view.layers;
    map.columns = view.heads;
    const auto tokens = static_cast<float>(view.tokens());
    for (int layer = 0; layer < view.layers; ++layer) {
        for (int head = 0; head < view.heads; ++head) {
            const bool there = head < view.headsOf(layer);
            const int slots = there ? view.slots[view.headsBefore(layer) + head] : 0;
            map.values << (there ? std::min(1.0F, static_cast<float>(slots) / tokens) : kNoCell);
            map.cellTexts << (there ? app::countText(slots) : QString());
        }
    }
    const auto [least, most] = std::minmax_element(view.slots.begin(), view.slots.end());
    map.leastText = QStringLiteral("0");
    map.greatestText = HeatMapTexts::tr("%1 slots").arg(app::countText(view.tokens()));
    map.headline = *least == *most ? app::countText(*most)
                                   : app::countText(*least) + QChar(0x2013) + app::countText(*most);
    map.notes << HeatMapTexts::tr("slots per head") << app::bytesText(view.liveBytes);
    map.description = HeatMapTexts::tr(
                          "Slots by layer and head: %1 layers of %2 heads, %3 to %4 slots for %5 "
                          "tokens, %6 in total.")
                          .arg(view.layers)
                          .arg(view.heads)
                          .arg(app::countText(*least), app::countText(*most),
                               app::countText(view.tokens()), app::bytesText(view.liveBytes));
    map.sentence = [view](int layer, int head) { return headSentence(view, layer, head); };
    map.table = [view] { return headTable(view); };
    return map;
}

HeatMap retentionMap(const app::RetentionView& view) {
    HeatMap map;
    map.id = QStringLiteral("retention-map");
    map.title = HeatMapTexts::tr("Retention by token and layer");
    map.rowName = HeatMapTexts::tr("layer");
    map.columnName = HeatMapTexts::tr("token");
    map.empty = HeatMapTexts::tr(
        "What each layer still holds of each token appears here with the first prompt.");
    map.definitions = HeatMapTexts::tr(
        "One column per token, one row per layer; the darker, the more heads of the layer still "
        "hold the token. The band above shows the overall state of the token.");
    if (view.holders.isEmpty() || view.tokens() == 0) return map;
    map.rows = view.layers;
    map.columns = static_cast<int>(view.tokens());
    map.values.reserve(view.holders.size());
    for (int layer = 0; layer < view.layers; ++layer) {
        const auto heads = static_cast<float>(view.headsOf(layer));
        for (qsizetype token = 0; token < view.tokens(); ++token)
            map.values << (heads > 0
                               ? static_cast<float>(view.holders[layer * view.tokens() + token]) /
                                     heads
                               : kNoCell);
    }
    map.states.reserve(view.tokens());
    for (qsizetype token = 0; token < view.tokens(); ++token)
        map.states << retentionStateOf(view, token);
    map.leastText = HeatMapTexts::tr("no head");
    map.greatestText = HeatMapTexts::tr("all heads");
    const auto counts = countStates(map.states);
    const auto of = [&](RetentionState state) { return counts[static_cast<std::size_t>(state)]; };
    const qint64 gone = of(RetentionState::Evicted);
    map.headline = HeatMapTexts::tr("%1 evicted").arg(app::countText(gone));
    map.notes << HeatMapTexts::tr("of %1 tokens").arg(app::countText(view.tokens()));
    map.description =
        HeatMapTexts::tr(
            "Retention: of %1 tokens %2 are kept everywhere, %3 merged, %4 kept in part and %5 "
            "evicted.")
            .arg(app::countText(view.tokens()), app::countText(of(RetentionState::Kept)),
                 app::countText(of(RetentionState::Merged)),
                 app::countText(of(RetentionState::Thinned)), app::countText(gone));
    map.sentence = [view](int layer, int token) { return retentionSentence(view, layer, token); };
    map.table = [view] { return retentionTable(view); };
    return map;
}

namespace {

constexpr double kEdge = 8;
constexpr double kBand = 5;         ///< height of the band of states
constexpr double kScaleWidth = 72;  ///< length of the legend's scale
/// px around a number inside its cell.
constexpr double kCellMargin = 6;

QColor mix(const QColor& a, const QColor& b, double share) {
    const auto part = [share](int from, int to) {
        return static_cast<int>(std::lround(from + (to - from) * share));
    };
    return QColor(part(a.red(), b.red()), part(a.green(), b.green()), part(a.blue(), b.blue()));
}

/// Mean of the cells of a row in [first, end); NaN if there are none.
double meanOf(const HeatMap& map, int row, int first, int end) {
    double sum = 0;
    int cells = 0;
    for (int column = first; column < end; ++column) {
        const auto value = static_cast<double>(map.values[qsizetype{row} * map.columns + column]);
        if (std::isnan(value)) continue;
        sum += value;
        ++cells;
    }
    return cells > 0 ? sum / cells : static_cast<double>(kNoCell);
}

/// Most frequent state in [first, end); evictions take precedence, so a gap is never hidden.
RetentionState stateWithin(const HeatMap& map, int first, int end) {
    int counts[kRetentionStates] = {};
    for (int column = first; column < end; ++column)
        ++counts[static_cast<std::size_t>(map.states[column])];
    return static_cast<RetentionState>(std::max_element(std::begin(counts), std::end(counts)) -
                                       std::begin(counts));
}

/// First column or row of `cells` that a picture of `pixels` shows.
int firstCell(int pixel, int pixels, int cells) {
    return static_cast<int>(qint64{cells} * pixel / pixels);
}

}  // namespace

QColor heatColour(double share, const Theme& theme) {
    const bool light = theme.kind == ThemeKind::Light;
    const QColor faint = light ? QColor(236, 239, 242) : QColor(48, 50, 52);
    // Nearly full is the most frequent value: its colour is strong, but not glaring next to the
    // chat.
    const QColor middle = light ? QColor(0x6F, 0xB1, 0xD6) : QColor(0x24, 0x69, 0x94);
    const double at = std::clamp(share, 0.0, 1.0);
    return at < 0.5 ? mix(faint, middle, at / 0.5) : mix(middle, theme.accent, (at - 0.5) / 0.5);
}

HeatMapView::HeatMapView(const ThemeSource& themes, QWidget* parent) : PlotWidget(themes, parent) {}

void HeatMapView::setMap(HeatMap map) {
    m_map = std::move(map);
    m_image = QImage();
    if (m_pointed && (m_pointed->x() >= m_map.columns || m_pointed->y() >= m_map.rows))
        m_pointed.reset();
    setAccessibleName(m_map.title);
    describe();
    update();
}

void HeatMapView::describe() {
    if (m_map.isEmpty()) {
        setAccessibleDescription(app::titled(m_map.title, m_map.empty));
    } else {
        setAccessibleDescription(m_pointed ? m_map.sentence(m_pointed->y(), m_pointed->x())
                                           : m_map.description);
    }
}

QRectF HeatMapView::plot() const {
    const QFontMetricsF letters = smallLetters();
    const double top =
        kEdge + headingHeight() + letters.height() + 2 + (m_map.states.isEmpty() ? 0 : kBand + 2);
    const double left = kEdge + letters.horizontalAdvance(QStringLiteral("000")) + 4;
    const double bottom = height() - kEdge - 2 * letters.height() - 8;
    return {left, top, std::max(20.0, width() - kEdge - left), std::max(20.0, bottom - top)};
}

QRectF HeatMapView::cellRect(QPoint cell) const {
    const QRectF area = plot();
    const double w = area.width() / m_map.columns, h = area.height() / m_map.rows;
    return {area.left() + cell.x() * w, area.top() + cell.y() * h, w, h};
}

std::optional<QPoint> HeatMapView::cellAt(QPointF at) const {
    const QRectF area = plot();
    if (m_map.isEmpty() || !area.contains(at)) return std::nullopt;
    const double x = (at.x() - area.left()) / area.width() * m_map.columns;
    const double y = (at.y() - area.top()) / area.height() * m_map.rows;
    return QPoint(std::min(static_cast<int>(x), m_map.columns - 1),
                  std::min(static_cast<int>(y), m_map.rows - 1));
}

void HeatMapView::draw() {
    const Theme& theme = this->theme();
    const double ratio = devicePixelRatioF();
    // One pixel per cell if there is room, otherwise one per pixel of the screen.
    const int wide = std::max(1, static_cast<int>(plot().width() * ratio));
    const int columns = std::min(m_map.columns, wide);
    m_image = QImage(columns, m_map.rows, QImage::Format_RGB32);
    m_band = QImage(columns, 1, QImage::Format_RGB32);
    QRgb scale[256];
    for (int i = 0; i < 256; ++i) scale[i] = heatColour(i / 255.0, theme).rgb();
    for (int row = 0; row < m_map.rows; ++row) {
        auto* pixels = reinterpret_cast<QRgb*>(m_image.scanLine(row));
        for (int x = 0; x < columns; ++x) {
            const double mean = meanOf(m_map, row, firstCell(x, columns, m_map.columns),
                                       firstCell(x + 1, columns, m_map.columns));
            pixels[x] =
                std::isnan(mean)
                    ? theme.surface.rgb()
                    : scale[static_cast<int>(std::lround(std::clamp(mean, 0.0, 1.0) * 255))];
        }
    }
    for (int x = 0; x < columns && !m_map.states.isEmpty(); ++x) {
        const RetentionState state = stateWithin(m_map, firstCell(x, columns, m_map.columns),
                                                 firstCell(x + 1, columns, m_map.columns));
        m_band.setPixel(x, 0, retentionStateColour(state, theme).rgb());
    }
}

Heading HeatMapView::heading() const {
    return {m_map.title, m_map.headline, m_map.notes};
}

QString HeatMapView::emptyText() const {
    return m_map.isEmpty() ? m_map.empty : QString();
}

void HeatMapView::paintPlot(QPainter& painter) {
    if (m_map.isEmpty()) return;
    if (m_image.isNull()) draw();
    const QRectF area = plot();
    painter.drawImage(area, m_image);
    if (!m_map.states.isEmpty())
        painter.drawImage(QRectF(area.left(), area.top() - kBand - 2, area.width(), kBand), m_band);
    paintCellTexts(painter);
    paintAxes(painter, area);
    paintLegend(painter);
    if (!m_pointed) return;
    const QRectF cell = cellRect(*m_pointed);
    painter.setPen(QPen(theme().text, 1));
    painter.setBrush(Qt::NoBrush);
    if (cell.width() < 4)
        painter.drawLine(QPointF(cell.center().x(), area.top() - kBand - 2),
                         QPointF(cell.center().x(), area.bottom()));
    painter.drawRect(cell.width() < 4 ? cell.adjusted(-2, 0, 2, 0) : cell);
}

void HeatMapView::paintCellTexts(QPainter& painter) const {
    if (m_map.cellTexts.isEmpty()) return;
    const QFontMetricsF letters = smallLetters();
    double widest = 0;
    for (const QString& text : m_map.cellTexts)
        widest = std::max(widest, letters.horizontalAdvance(text));
    const QRectF first = cellRect({0, 0});
    const bool lines = first.width() >= 6 && first.height() >= 6;
    painter.setPen(QPen(theme().surface, 1));
    for (int row = 1; lines && row < m_map.rows; ++row)
        painter.drawLine(cellRect({0, row}).topLeft(), cellRect({m_map.columns, row}).topLeft());
    for (int column = 1; lines && column < m_map.columns; ++column)
        painter.drawLine(cellRect({column, 0}).topLeft(), cellRect({column, m_map.rows}).topLeft());
    if (first.width() < widest + kCellMargin || first.height() < letters.height()) return;
    painter.setFont(Theme::font(FontRole::Small));
    for (int row = 0; row < m_map.rows; ++row) {
        for (int column = 0; column < m_map.columns; ++column) {
            const qsizetype at = qsizetype{row} * m_map.columns + column;
            if (std::isnan(m_map.values[at])) continue;
            const QColor behind = heatColour(static_cast<double>(m_map.values[at]), theme());
            const bool onDark = contrastRatio(behind, Qt::white) > contrastRatio(behind, Qt::black);
            painter.setPen(onDark ? Qt::white : Qt::black);
            painter.drawText(cellRect({column, row}), Qt::AlignCenter, m_map.cellTexts[at]);
        }
    }
}

void HeatMapView::paintAxes(QPainter& painter, const QRectF& area) const {
    const QFontMetricsF letters = smallLetters();
    painter.setFont(Theme::font(FontRole::Small));
    painter.setPen(theme().secondary);
    const double bandRoom = m_map.states.isEmpty() ? 0 : kBand + 2;
    painter.drawText(
        QRectF(kEdge, area.top() - bandRoom - letters.height() - 1, area.width(), letters.height()),
        Qt::AlignLeft | Qt::AlignVCenter,
        tr("%1 down, %2 across").arg(m_map.rowName, m_map.columnName));
    const double rowHeight = area.height() / m_map.rows;
    const int everyRow = std::max(1, static_cast<int>(std::ceil(letters.height() / rowHeight)));
    for (int row = 0; row < m_map.rows; row += everyRow) {
        const QRectF cell = cellRect({0, row});
        painter.drawText(
            QRectF(0, cell.center().y() - letters.height() / 2, area.left() - 4, letters.height()),
            Qt::AlignRight | Qt::AlignVCenter, app::countText(row + 1));
    }
    const double wide = letters.horizontalAdvance(app::countText(m_map.columns)) + 12;
    const int most = std::max(2, static_cast<int>(area.width() / wide));
    const int every =
        m_map.columns <= most ? 1 : std::max(1, static_cast<int>(niceStep(m_map.columns, most)));
    for (int column = every - 1; column < m_map.columns; column += every) {
        const double x = cellRect({column, 0}).center().x();
        // The last label is moved inwards if the edge would cut it.
        const double left = std::min(x - wide / 2, width() - wide);
        painter.drawText(QRectF(left, area.bottom() + 2, wide, letters.height()), Qt::AlignCenter,
                         app::countText(column + 1));
    }
}

void HeatMapView::paintLegend(QPainter& painter) const {
    const Theme& theme = this->theme();
    const QFontMetricsF letters = smallLetters();
    const double top = height() - kEdge - letters.height() + 2;
    double x = plot().left();
    painter.setFont(Theme::font(FontRole::Small));
    const auto say = [&](const QString& text) {
        const double wide = letters.horizontalAdvance(text);
        painter.setPen(theme.secondary);
        painter.drawText(QRectF(x, top, wide + 1, letters.height()), Qt::AlignCenter, text);
        x += wide + 5;
    };
    say(m_map.leastText);
    QLinearGradient scale(x, 0, x + kScaleWidth, 0);
    for (int i = 0; i <= 10; ++i) scale.setColorAt(i / 10.0, heatColour(i / 10.0, theme));
    painter.fillRect(QRectF(x, top + 3, kScaleWidth, letters.height() - 6), scale);
    x += kScaleWidth + 5;
    say(m_map.greatestText);
    x += 10;
    for (int i = 0; i < kRetentionStates && !m_map.states.isEmpty(); ++i) {
        const auto state = static_cast<RetentionState>(i);
        if (x + 13 + letters.horizontalAdvance(retentionStateText(state)) > width() - kEdge) break;
        painter.fillRect(QRectF(x, top + letters.height() / 2 - 4, 9, 9),
                         retentionStateColour(state, theme));
        x += 13;
        say(retentionStateText(state));
        x += 6;
    }
}

void HeatMapView::point(std::optional<QPoint> cell) {
    if (cell == m_pointed) return;
    m_pointed = cell;
    describe();
    update();
}

void HeatMapView::mouseMoveEvent(QMouseEvent* event) {
    const auto cell = cellAt(event->position());
    point(cell);
    readOut(event->position().toPoint(),
            cell ? m_map.sentence(cell->y(), cell->x()) : m_map.definitions);
}

void HeatMapView::mousePressEvent(QMouseEvent* event) {
    const auto cell = cellAt(event->position());
    point(cell);
    if (cell && event->button() == Qt::LeftButton) Q_EMIT cellPicked(cell->y(), cell->x());
}

void HeatMapView::step(int byColumns, int byRows) {
    const QPoint from = m_pointed.value_or(QPoint(m_map.columns - 1, 0));
    point(QPoint(std::clamp(from.x() + byColumns, 0, m_map.columns - 1),
                 std::clamp(from.y() + byRows, 0, m_map.rows - 1)));
    readOut(cellRect(*m_pointed).bottomRight().toPoint(),
            m_map.sentence(m_pointed->y(), m_pointed->x()));
}

void HeatMapView::keyPressEvent(QKeyEvent* event) {
    if (m_map.isEmpty()) return QWidget::keyPressEvent(event);
    const int page = std::max(1, m_map.columns / 10);
    switch (event->key()) {
        case Qt::Key_Left:
            return step(-1, 0);
        case Qt::Key_Right:
            return step(1, 0);
        case Qt::Key_Up:
            return step(0, -1);
        case Qt::Key_Down:
            return step(0, 1);
        case Qt::Key_PageUp:
            return step(-page, 0);
        case Qt::Key_PageDown:
            return step(page, 0);
        case Qt::Key_Home:
            return step(-m_map.columns, 0);
        case Qt::Key_End:
            return step(m_map.columns, 0);
        case Qt::Key_Return:
        case Qt::Key_Enter:
            if (m_pointed) Q_EMIT cellPicked(m_pointed->y(), m_pointed->x());
            return;
        case Qt::Key_Escape:
            if (!m_pointed) break;
            readOut({}, {});
            return point(std::nullopt);
        default:
            break;
    }
    QWidget::keyPressEvent(event);
}

void HeatMapView::leaveEvent(QEvent* event) {
    if (!hasFocus()) point(std::nullopt);
    QWidget::leaveEvent(event);
}

void HeatMapView::focusOutEvent(QFocusEvent* event) {
    point(std::nullopt);
    QWidget::focusOutEvent(event);
}

}  // namespace lacuna::ui
