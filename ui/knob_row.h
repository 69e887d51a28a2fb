#pragma once
/// \file
/// One setting: name, value asked for (slider and field), value in force next to it, state of a
/// change, and for a refused one the sentence with a button for the nearest valid value. Draws and
/// emits only.

#include <QWidget>

#include "app/state/view_types.h"

class QComboBox;
class QHBoxLayout;
class QLabel;
class QLineEdit;
class QPushButton;

namespace lacuna::app {
class ConfigController;
}

namespace lacuna::ui {

class KnobSlider;
class KnobField;

class KnobRow final : public QWidget {
    Q_OBJECT

  public:
    explicit KnobRow(const app::KnobView& view, QWidget* parent = nullptr);
    [[nodiscard]] const QString& key() const { return m_view.key; }
    void show(const app::KnobView& view);

  Q_SIGNALS:
    /// `settled`: no further values of this drag follow.
    void moved(const QString& key, double value);
    void settled(const QString& key, double value);
    /// A choice or a text, in the form that the command line takes.
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
    QLabel* m_name = nullptr;
    QLabel* m_effective = nullptr;
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
