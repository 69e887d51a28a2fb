#pragma once
/// \file
/// One setting: name, value asked for (slider and field), value in force next to it, state of a
/// change, and for a refused one the sentence with a button for the nearest valid value. Draws and
/// emits only.

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

class YieldingLabel;

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

/// A list of choices, for any page that scrolls. It opens by mouse and keys. A wheel over it, as
/// over every input here, scrolls what it stands in, with the focus and without: one that was just
/// used must not change under a panel that is scrolled.
class KnobChoice final : public QComboBox {
  public:
    using QComboBox::QComboBox;

  protected:
    void wheelEvent(QWheelEvent* event) override;
};

/// Slider and number field of one setting. The slider works in whole steps of the setting; that of
/// a factor in equal parts between its doublings, which a drag rests on and a page leads to. Digits
/// typed on it go to the field. The field takes any number, also one outside the range: refusing
/// it, with a reason, is the rule engine's business.
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
    void mouseMoveEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;

  private:
    [[nodiscard]] double atPlace(double place) const;
    [[nodiscard]] double placeOf(double value) const;

    double m_least = 0, m_step = 1;
    QVector<double> m_stops;  ///< kCoarse places apart; empty: a place is a step
};

class KnobRow final : public QWidget {
    Q_OBJECT

  public:
    explicit KnobRow(const app::KnobView& view, QWidget* parent = nullptr);
    [[nodiscard]] const QString& key() const { return m_view.key; }
    /// What takes the keys first.
    [[nodiscard]] QWidget* input() const;
    void show(const app::KnobView& view);
    /// Why it cannot be changed now, a sentence, which is then its tool tip; empty: it can.
    void setReason(const QString& reason);
    /// While held, the row keeps its height: what it says of a refusal appears afterwards.
    void setHeld(bool held);

  Q_SIGNALS:
    /// `settled`: no further values of this drag follow.
    void moved(const QString& key, const SettingValue& value);
    void settled(const QString& key, const SettingValue& value);
    /// A text in the form that the command line takes.
    void entered(const QString& key, const QString& text);
    void nearestWanted(const QString& key);
    void discardWanted(const QString& key);

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

    app::KnobView m_view;
    QString m_reason;
    bool m_held = false;
    QLabel* m_name = nullptr;
    YieldingLabel* m_effective = nullptr;
    QLabel* m_state = nullptr;
    KnobSlider* m_slider = nullptr;
    KnobField* m_field = nullptr;
    QComboBox* m_choice = nullptr;
    QLineEdit* m_text = nullptr;
    QWidget* m_problem = nullptr;
    QLabel* m_sentence = nullptr;
    QPushButton* m_nearest = nullptr;
};

/// A row that shows a setting of `config` as it is at any time, and changes it there.
[[nodiscard]] KnobRow* settingRow(app::ConfigController& config, const QString& key,
                                  QWidget* parent);

}  // namespace lacuna::ui
