#pragma once
/// \file
/// Fusion with borders that are seen: its own are a darker shade of the window, which vanishes on a
/// dark one. Boxes to tick, number fields, choices and handles of sliders get the border colour of
/// the palette (role Dark, 3:1 against the surface) and the accent while they have the focus.
/// Buttons of dialogs have no icons.

#include <QProxyStyle>

namespace lacuna::ui {

class ControlStyle final : public QProxyStyle {
    Q_OBJECT

  public:
    ControlStyle();
    void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                       const QWidget* widget) const override;
    void drawComplexControl(ComplexControl control, const QStyleOptionComplex* option,
                            QPainter* painter, const QWidget* widget) const override;
    [[nodiscard]] int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                                QStyleHintReturn* answer) const override;
};

}  // namespace lacuna::ui
