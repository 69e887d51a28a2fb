#pragma once
/// \file
/// One setting: name, requested value (slider and field), active value next to it and the state of
/// a change. A refused value shows a sentence and a button for the nearest valid value. Only draws
/// and emits signals.

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QSlider>
#include <QWidget>

#include "app/state/view_types.h"

class QHBoxLayout;
class QLabel;
class QLineEdit;
class QPushButton;

namespace lacuna::app {
class ConfigController;
}

namespace lacuna::ui {

class ElidingLabel;

class SettingNumberField final : public QDoubleSpinBox {
    Q_OBJECT

  public:
    explicit SettingNumberField(QWidget* parent = nullptr);
    void configure(const app::SettingView& view);
    /// Arrow keys stop at the range limits; typed digits do not.
    void stepBy(int steps) override;
    /// Omits trailing zeros: "8.0", "8.25".
    [[nodiscard]] QString textFromValue(double value) const override;

  protected:
    void wheelEvent(QWheelEvent* event) override;

  private:
    double m_minimum = 0, m_maximum = 1;
};

/// A combo box for scrolling pages that opens by mouse and keys. The wheel scrolls the page even if
/// the box has the focus, as for every input here: a recently used box must not change while the
/// panel is scrolled.
class SettingComboBox final : public QComboBox {
  public:
    using QComboBox::QComboBox;

  protected:
    void wheelEvent(QWheelEvent* event) override;
};

/// Slider of one setting, paired with a number field. It moves in whole steps; for a factor, in
/// equal parts between doublings, at which a drag rests and to which Page Up/Down jump. Typed
/// digits go to the field, which accepts any number: the rule engine refuses invalid ones with a
/// reason.
class SettingSlider final : public QSlider {
    Q_OBJECT

  public:
    explicit SettingSlider(QWidget* parent = nullptr);
    void configure(const app::SettingView& view);
    /// Value without binary rounding noise: 0.3, not 0.30000000000000004.
    [[nodiscard]] double settingValueFrom() const;
    void changeSettingValue(double value);

  Q_SIGNALS:
    /// Emitted when a digit was typed; the field should receive it.
    void digitTyped(const QString& digit);

  protected:
    void keyPressEvent(QKeyEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;

  private:
    [[nodiscard]] double valueAtPosition(double place) const;
    [[nodiscard]] double placeOf(double value) const;

    double m_minimum = 0, m_step = 1;
    QVector<double> m_stops;  ///< kCoarse slider positions apart; empty: one position per step
};

class SettingRow final : public QWidget {
    Q_OBJECT

  public:
    explicit SettingRow(const app::SettingView& view, QWidget* parent = nullptr);
    [[nodiscard]] const QString& key() const { return m_view.key; }
    /// The widget that receives the focus first.
    [[nodiscard]] QWidget* input() const;
    void show(const app::SettingView& view);
    /// Disables the row with `reason`, a sentence shown as its tool tip; empty enables it.
    void setReason(const QString& reason);
    /// While held, the row keeps its height; the text of a refusal appears afterwards.
    void setHeld(bool held);

  Q_SIGNALS:
    /// `settled`: this drag produces no further values.
    void moved(const QString& key, const SettingValue& value);
    void settled(const QString& key, const SettingValue& value);
    /// `text` has the form used on the command line.
    void entered(const QString& key, const QString& text);
    void nearestRequested(const QString& key);
    void discardRequested(const QString& key);

  private:
    void buildHead();
    void buildNumber(QHBoxLayout* row);
    void buildChoice(QHBoxLayout* row);
    void buildText(QHBoxLayout* row);
    void buildProblem();
    void showHead();
    void showValue();
    void showProblem();
    void sliderMoved(int position);

    app::SettingView m_view;
    QString m_reason;
    bool m_held = false;
    QLabel* m_name = nullptr;
    ElidingLabel* m_effective = nullptr;
    QLabel* m_state = nullptr;
    SettingSlider* m_slider = nullptr;
    SettingNumberField* m_field = nullptr;
    QComboBox* m_choice = nullptr;
    QLineEdit* m_text = nullptr;
    QWidget* m_problem = nullptr;
    QLabel* m_sentence = nullptr;
    QPushButton* m_nearest = nullptr;
};

/// Creates a row that shows the current value of a setting of `config` and changes it there.
[[nodiscard]] SettingRow* settingRow(app::ConfigController& config, const QString& key,
                                     QWidget* parent);

}  // namespace lacuna::ui
