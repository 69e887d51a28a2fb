#include "ui/control_style.h"

#include <QPainter>
#include <QStyleFactory>
#include <QStyleOption>

namespace lacuna::ui {

namespace {

constexpr double kRadius = 2.5;

QColor borderOf(const QStyleOption& option) {
    const QPalette& palette = option.palette;
    if (!option.state.testFlag(QStyle::State_Enabled)) return palette.color(QPalette::Mid);
    const bool focus = option.state.testFlag(QStyle::State_HasFocus);
    return palette.color(focus ? QPalette::Highlight : QPalette::Dark);
}

void paintBorder(QPainter& painter, const QRect& around, const QColor& colour) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(colour, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(QRectF(around).adjusted(0.5, 0.5, -0.5, -0.5), kRadius, kRadius);
    painter.restore();
}

void paintTick(QPainter& painter, const QRectF& box, const QColor& colour) {
    painter.setPen(QPen(colour, 2, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    const auto at = [&](double x, double y) {
        return QPointF(box.left() + box.width() * x, box.top() + box.height() * y);
    };
    painter.drawPolyline(QPolygonF({at(0.24, 0.54), at(0.43, 0.73), at(0.77, 0.30)}));
}

void paintCheckBox(QPainter& painter, const QStyleOption& option) {
    const QPalette& palette = option.palette;
    const bool enabled = option.state.testFlag(QStyle::State_Enabled);
    const bool on = option.state.testFlag(QStyle::State_On);
    const QRectF box = QRectF(option.rect).adjusted(0.5, 0.5, -0.5, -0.5);
    const QColor full = palette.color(enabled ? QPalette::Highlight : QPalette::Mid);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(on ? full : borderOf(option), 1));
    painter.setBrush(on ? full : palette.color(QPalette::Base));
    painter.drawRoundedRect(box, kRadius, kRadius);
    if (on) {
        const auto group = enabled ? QPalette::Active : QPalette::Disabled;
        paintTick(painter, box, palette.color(group, QPalette::HighlightedText));
    }
    painter.restore();
}

}  // namespace

ControlStyle::ControlStyle() : QProxyStyle(QStyleFactory::create(QStringLiteral("Fusion"))) {}

void ControlStyle::drawPrimitive(PrimitiveElement element, const QStyleOption* option,
                                 QPainter* painter, const QWidget* widget) const {
    if (element == PE_IndicatorCheckBox) {
        paintCheckBox(*painter, *option);
        return;
    }
    QProxyStyle::drawPrimitive(element, option, painter, widget);
}

void ControlStyle::drawComplexControl(ComplexControl control, const QStyleOptionComplex* option,
                                      QPainter* painter, const QWidget* widget) const {
    QProxyStyle::drawComplexControl(control, option, painter, widget);
    // Fusion leaves a row free above and below a number field.
    if (control == CC_SpinBox)
        paintBorder(*painter, option->rect.adjusted(0, 1, 0, -1), borderOf(*option));
    if (control == CC_ComboBox) paintBorder(*painter, option->rect, borderOf(*option));
    if (control == CC_Slider)
        paintBorder(
            *painter,
            subControlRect(CC_Slider, option, SC_SliderHandle, widget).adjusted(1, 1, -1, -1),
            borderOf(*option));
}

/// The style's own icons on buttons of dialogs are made for a light ground.
int ControlStyle::styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                            QStyleHintReturn* answer) const {
    if (hint == SH_DialogButtonBox_ButtonsHaveIcons) return 0;
    return QProxyStyle::styleHint(hint, option, widget, answer);
}

}  // namespace lacuna::ui
