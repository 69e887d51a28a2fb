#pragma once
/// \file
/// Slider and number field of one setting. The slider works in whole steps of the setting; digits
/// typed on it go to the field. The field takes any number, also one outside the range: refusing
/// it, with a reason, is the rule engine's business.

#include <QDoubleSpinBox>
#include <QSlider>

#include "app/state/view_types.h"

namespace lacuna::ui {

class KnobField final : public QDoubleSpinBox {
    Q_OBJECT

  public:
    explicit KnobField(QWidget* parent = nullptr);
    void configure(const app::KnobView& view);
    /// Arrows stop at the range; digits do not.
    void stepBy(int steps) override;
    /// Without needless zeros: "8.0", "8.25".
    [[nodiscard]] QString textFromValue(double value) const override;

  protected:
    void wheelEvent(QWheelEvent* event) override;

  private:
    double m_least = 0, m_most = 1;
};

class KnobSlider final : public QSlider {
    Q_OBJECT

  public:
    explicit KnobSlider(QWidget* parent = nullptr);
    void configure(const app::KnobView& view);
    /// Without the noise of binary fractions: 0.3, not 0.30000000000000004.
    [[nodiscard]] double knobValue() const;
    void setKnobValue(double value);

  Q_SIGNALS:
    /// A digit was typed; the field should take it.
    void digitTyped(const QString& digit);

  protected:
    void keyPressEvent(QKeyEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;

  private:
    double m_least = 0, m_step = 1;
};

}  // namespace lacuna::ui
