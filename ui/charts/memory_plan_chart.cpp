#include "ui/charts/memory_plan_chart.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <array>

#include "app/state/number_format.h"
#include "ui/charts/chart_shapes.h"
#include "ui/style/widget_roles.h"

namespace lacuna::ui {

namespace {

using app::MemoryPart;

constexpr double kEdge = 8;
constexpr double kBarHeight = 20, kBarGap = 8;
/// If the free memory exceeds the longer bar by this factor, its line is off the axis.
constexpr double kMostScale = 2.5;

QColor colourOf(MemoryPart part, const SeriesColours& series) {
    switch (part) {
        case MemoryPart::Weights:
            return series.logical;
        case MemoryPart::Live:
            return series.live;
        case MemoryPart::States:
            return series.decode;
        case MemoryPart::Checkpoints:
            return series.prefill;
        case MemoryPart::Slack:
            return series.allocated;
        case MemoryPart::Activations:
            return series.budget;
        case MemoryPart::Shadow:
            return series.scales;
        case MemoryPart::Kept:
            return series.exact;
        case MemoryPart::Passing:
            return series.failed;
        case MemoryPart::Rest:
            return series.skipped;
    }
    return series.logical;
}

std::array<QString, 2> barNames() {
    return {MemoryPlanChart::tr("Planned"), MemoryPlanChart::tr("Measured")};
}

}  // namespace

MemoryPlanChart::MemoryPlanChart(const ThemeSource& themes, QWidget* parent)
    : PlotWidget(themes, parent) {
    setAccessible(this, tr("Memory plan"));
    describe();
}

void MemoryPlanChart::setPlan(const std::optional<app::MemoryPlanView>& plan,
                              const QString& reason) {
    if (plan == m_plan && reason == m_reason) return;
    m_plan = plan;
    m_reason = reason;
    describe();
    update();
}

void MemoryPlanChart::describe() {
    QString said = m_plan ? app::planText(*m_plan) : m_reason;
    if (m_plan && m_pointed >= 0) said = memoryPartText(static_cast<MemoryPart>(m_pointed));
    setAccessibleDescription(said);
}

QString MemoryPlanChart::memoryPartText(MemoryPart part) const {
    const auto bytes = [&](const app::MemoryBar& from) {
        return from.of(part) < 0 ? tr("not known") : app::bytesText(from.of(part));
    };
    QString text = tr("%1: planned %2").arg(app::partName(part), bytes(m_plan->planned));
    if (m_plan->measured) text += tr(", measured %1").arg(bytes(*m_plan->measured));
    return text + QStringLiteral(". ") + app::partHelp(part);
}

Heading MemoryPlanChart::heading() const {
    Heading head;
    head.title = tr("Memory plan");
    if (!m_plan) return head;
    head.headline = app::bytesText(m_plan->planned.total());
    head.notes << (m_plan->fits ? tr("fits here")
                                : tr("room for %1 of %2 tokens")
                                      .arg(app::countText(m_plan->largest),
                                           app::countText(m_plan->context)));
    head.notes << tr("cache %1, %2 tokens").arg(m_plan->cacheType, app::countText(m_plan->context));
    return head;
}

ChartFrame MemoryPlanChart::frame() const {
    ChartFrame frame;
    frame.size = QSizeF(size());
    const QFontMetricsF letters = smallLetters();
    double names = 0;
    for (const QString& name : barNames()) names = std::max(names, letters.horizontalAdvance(name));
    const double left = kEdge + names + 8;
    const double top = kChartEdge + headingHeight() + 4;
    frame.plot = {left, top, std::max(40.0, width() - kEdge - 8 - left),
                  2 * kBarHeight + kBarGap + 4};
    auto most = static_cast<double>(largestBar());
    if (limitFits()) most = std::max(most, static_cast<double>(m_plan->limit));
    frame.x = {0, roundUp(most * 1.02, ValueUnit::Bytes)};
    const int parts = std::max(2, static_cast<int>(frame.plot.width() / 90));
    const Ticks ticks = valueTicks(frame.x, ValueUnit::Bytes, parts);
    frame.xTicks = ticks.ticks;
    if (!frame.xTicks.empty()) frame.xTicks.back().label += QLatin1Char(' ') + ticks.unit;
    return frame;
}

qint64 MemoryPlanChart::largestBar() const {
    if (!m_plan) return 1;
    const qint64 measured = m_plan->measured ? m_plan->measured->total() : 0;
    return std::max<qint64>({m_plan->planned.total(), measured, 1});
}

bool MemoryPlanChart::limitFits() const {
    return m_plan && m_plan->limit > 0 &&
           static_cast<double>(m_plan->limit) <= kMostScale * static_cast<double>(largestBar());
}

QRectF MemoryPlanChart::bar(bool measured) const {
    const QRectF plot = frame().plot;
    const double top = plot.top() + 2 + (measured ? kBarHeight + kBarGap : 0);
    return {plot.left(), top, plot.width(), kBarHeight};
}

std::optional<QRectF> MemoryPlanChart::place(MemoryPart part, bool measured) const {
    if (!m_plan || (measured && !m_plan->measured)) return std::nullopt;
    const app::MemoryBar& bytes = measured ? *m_plan->measured : m_plan->planned;
    const ChartFrame shown = frame();
    double before = 0;
    for (int i = 0; i < static_cast<int>(part); ++i)
        before += static_cast<double>(std::max<qint64>(bytes.of(static_cast<MemoryPart>(i)), 0));
    const auto own = static_cast<double>(std::max<qint64>(bytes.of(part), 0));
    if (own <= 0) return std::nullopt;
    const QRectF whole = bar(measured);
    const double from = shown.pixelX(before);
    return QRectF(from, whole.top(), shown.pixelX(before + own) - from, whole.height());
}

std::optional<double> MemoryPlanChart::limitPosition() const {
    if (!m_plan || m_plan->limit <= 0) return std::nullopt;
    const ChartFrame shown = frame();
    return limitFits() ? shown.pixelX(static_cast<double>(m_plan->limit)) : shown.plot.right();
}

void MemoryPlanChart::paintPlot(QPainter& painter) {
    const ChartFrame shown = frame();
    const QFontMetricsF letters = smallLetters();
    painter.setFont(Theme::font(FontRole::Small));
    for (const Tick& tick : shown.xTicks) {
        const double x = shown.pixelX(tick.value);
        painter.setPen(QPen(theme().hairline, 1));
        painter.drawLine(QPointF(x, shown.plot.top()), QPointF(x, shown.plot.bottom()));
        painter.setPen(theme().secondary);
        const double wide = letters.horizontalAdvance(tick.label);
        const double left =
            std::clamp(x - wide / 2, kEdge, std::max(kEdge, width() - kEdge - wide));
        painter.drawText(QPointF(left, shown.plot.bottom() + letters.ascent() + 2), tick.label);
    }
    paintBar(painter, false);
    paintBar(painter, true);
    paintLimit(painter);
    paintLegend(painter);
}

void MemoryPlanChart::paintBar(QPainter& painter, bool measured) const {
    const QRectF whole = bar(measured);
    painter.setPen(theme().secondary);
    painter.drawText(QRectF(kEdge, whole.top(), whole.left() - kEdge - 8, whole.height()),
                     Qt::AlignRight | Qt::AlignVCenter, barNames().at(measured ? 1 : 0));
    if (measured && !m_plan->measured) {
        painter.drawText(whole.adjusted(4, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                         tr("after loading"));
        return;
    }
    for (int i = 0; i < app::kMemoryParts; ++i) {
        const auto part = static_cast<MemoryPart>(i);
        const auto box = place(part, measured);
        if (!box) continue;
        const QColor colour = colourOf(part, theme().series);
        painter.fillRect(*box, theme().surface);
        painter.fillRect(*box, stackBrush(colour, static_cast<std::size_t>(i)));
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(i == m_pointed && hasFocus() ? theme().text : theme().surface,
                            i == m_pointed && hasFocus() ? 2 : 1));
        painter.drawRect(*box);
    }
}

void MemoryPlanChart::paintLimit(QPainter& painter) const {
    const auto x = limitPosition();
    if (!x) return;
    const QRectF plot = frame().plot;
    painter.setPen(QPen(theme().series.trigger, 1.5, Qt::DotLine));
    if (limitFits()) painter.drawLine(QPointF(*x, plot.top()), QPointF(*x, plot.bottom() + 2));
    const QFontMetricsF letters = smallLetters();
    QString text = tr("%1 free").arg(app::bytesText(m_plan->limit));
    if (!limitFits()) text += QStringLiteral(" \u2192");
    const double wide = letters.horizontalAdvance(text);
    const double left = *x + 6 + wide < width() - kEdge ? *x + 6 : *x - 6 - wide;
    const QRectF box(left, plot.bottom() - kBarHeight + 1, wide, letters.height());
    painter.fillRect(box.adjusted(-2, 0, 2, 0), theme().surface);
    painter.setPen(theme().text);
    painter.drawText(box, Qt::AlignCenter, text);
}

void MemoryPlanChart::paintLegend(QPainter& painter) const {
    const QFontMetricsF letters = smallLetters();
    const double line = letters.height();
    double x = kEdge;
    double y = frame().plot.bottom() + line + 8;
    for (int i = 0; i < app::kMemoryParts; ++i) {
        const auto part = static_cast<MemoryPart>(i);
        const bool there =
            m_plan->planned.of(part) > 0 || (m_plan->measured && m_plan->measured->of(part) > 0);
        if (!there) continue;
        const QString name = app::partName(part);
        const double wide = letters.horizontalAdvance(name);
        if (x + 16 + wide > width() - kEdge && x > kEdge) {
            x = kEdge;
            y += line + 2;
        }
        const QRectF box(x, y + line / 2 - 5, 10, 10);
        painter.fillRect(box,
                         stackBrush(colourOf(part, theme().series), static_cast<std::size_t>(i)));
        painter.setPen(theme().secondary);
        painter.drawText(QRectF(x + 15, y, wide + 2, line), Qt::AlignLeft | Qt::AlignVCenter, name);
        x += 15 + wide + 14;
    }
}

void MemoryPlanChart::mouseMoveEvent(QMouseEvent* event) {
    QString said;
    for (int i = 0; m_plan && i < app::kMemoryParts; ++i)
        for (const bool measured : {false, true})
            if (const auto box = place(static_cast<MemoryPart>(i), measured);
                box && box->contains(event->position()))
                said = memoryPartText(static_cast<MemoryPart>(i));
    readOut(event->pos(), said);
}

void MemoryPlanChart::keyPressEvent(QKeyEvent* event) {
    const int step = event->key() == Qt::Key_Right ? 1 : event->key() == Qt::Key_Left ? -1 : 0;
    if (step == 0 || !m_plan) return QWidget::keyPressEvent(event);
    m_pointed = std::clamp(m_pointed + step, 0, app::kMemoryParts - 1);
    describe();
    readOut(rect().center(), memoryPartText(static_cast<MemoryPart>(m_pointed)));
    update();
}

}  // namespace lacuna::ui
