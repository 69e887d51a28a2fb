#include "ui/knob_slider.h"

#include <QKeyEvent>
#include <QSignalBlocker>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

namespace lacuna::ui {

namespace {

constexpr double kFieldLimit = 1e9;
constexpr int kCoarse = 10;
constexpr double kDigits = 1e10;  ///< finer than any step, coarser than a double

/// Least value of slider and arrows; an optional number starts with "off", shown for 0.
double leastOf(const app::KnobView& view) {
    return view.kind == KnobKind::OptionalInteger ? 0 : view.minimum;
}

int decimalsOf(const app::KnobView& view) {
    if (view.kind != KnobKind::Real) return 0;
    return view.step >= 0.1 ? 1 : view.step >= 0.01 ? 2 : 3;
}

}  // namespace

KnobField::KnobField(QWidget* parent) : QDoubleSpinBox(parent) {
    setKeyboardTracking(false);
    setAlignment(Qt::AlignRight);
    setRange(-kFieldLimit, kFieldLimit);
    setFocusPolicy(Qt::StrongFocus);
    setFixedWidth(96);
}

void KnobField::configure(const app::KnobView& view) {
    m_least = leastOf(view);
    m_most = view.maximum;
    // Two digits more than a step, so that a value between two steps can be typed and is shown as
    // typed.
    setDecimals(view.kind == KnobKind::Real ? decimalsOf(view) + 1 : 0);
    setSingleStep(view.step);
    if (view.kind == KnobKind::OptionalInteger) {
        setMinimum(0);
        setSpecialValueText(tr("off"));
    }
}

void KnobField::stepBy(int steps) {
    const double wanted = std::clamp(value() + steps * singleStep(), m_least, m_most);
    setValue(wanted);
}

QString KnobField::textFromValue(double value) const {
    QString text = QDoubleSpinBox::textFromValue(value);
    if (decimals() > 1 && text.endsWith(QLatin1Char('0'))) text.chop(1);
    return text;
}

void KnobField::wheelEvent(QWheelEvent* event) {
    // A wheel that scrolls the panel must not change a setting on its way.
    if (hasFocus()) {
        QDoubleSpinBox::wheelEvent(event);
    } else {
        event->ignore();
    }
}

KnobSlider::KnobSlider(QWidget* parent) : QSlider(Qt::Horizontal, parent) {
    setFocusPolicy(Qt::StrongFocus);
}

void KnobSlider::configure(const app::KnobView& view) {
    const QSignalBlocker quiet(this);
    m_least = leastOf(view);
    m_step = view.step > 0 ? view.step : 1;
    const double most = std::min(view.maximum, view.sliderMost);
    setRange(0, std::max(1, static_cast<int>(std::lround((most - m_least) / m_step))));
    setSingleStep(1);
    setPageStep(kCoarse);
}

double KnobSlider::knobValue() const {
    return std::round((m_least + m_step * value()) * kDigits) / kDigits;
}

void KnobSlider::setKnobValue(double value) {
    const QSignalBlocker quiet(this);
    setValue(static_cast<int>(std::lround(std::clamp((value - m_least) / m_step, 0.0, 1e9))));
}

void KnobSlider::keyPressEvent(QKeyEvent* event) {
    const QString text = event->text();
    if (!text.isEmpty() && (text.at(0).isDigit() || text.at(0) == QLatin1Char('-'))) {
        Q_EMIT digitTyped(text);
        return;
    }
    QSlider::keyPressEvent(event);
}

void KnobSlider::wheelEvent(QWheelEvent* event) {
    if (hasFocus()) {
        QSlider::wheelEvent(event);
    } else {
        event->ignore();
    }
}

}  // namespace lacuna::ui
