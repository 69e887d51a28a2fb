#pragma once
/// \file
/// Tries methods, ratios and budgets on the current conversation: the selection, a plot of bytes
/// against loss, the same as a table, and a button that applies a selected point. The main window
/// stays usable. GUI thread.

#include <QList>
#include <QWidget>

#include "app/state/experiments/measure_views.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QVBoxLayout;

namespace lacuna::app {
class ConfigController;
class MeasurementController;
}  // namespace lacuna::app

namespace lacuna::ui {

class ChartTablePage;
struct ChartTable;
class ProgressFooter;
class ParetoPlot;
class ThemeSource;

/// One row per setting.
[[nodiscard]] ChartTable sweepTable(const QVector<app::SweptSetting>& rows);

class SweepPage final : public QWidget {
    Q_OBJECT

  public:
    SweepPage(app::MeasurementController& measurement, app::ConfigController& config,
              const ThemeSource& themes, QWidget* parent = nullptr);

    [[nodiscard]] app::SweepAsk asked() const;
    [[nodiscard]] ParetoPlot& plot() { return *m_plot; }
    [[nodiscard]] ChartTablePage& table() { return *m_table; }
    [[nodiscard]] ProgressFooter& bar() { return *m_bar; }

  private:
    [[nodiscard]] QWidget* buildAsk();
    [[nodiscard]] QWidget* buildResults();
    void begin();
    void showResult(const app::SweepView& view);
    void showRows(const QVector<app::SweptSetting>& rows);
    void choose(int row);
    void apply(int row);

    app::MeasurementController& m_measurement;
    app::ConfigController& m_config;
    QVector<app::SweptSetting> m_rows;
    QList<QCheckBox*> m_methods;
    QLineEdit* m_ratios = nullptr;
    QLineEdit* m_budgets = nullptr;
    QComboBox* m_loss = nullptr;
    ParetoPlot* m_plot;
    ChartTablePage* m_table = nullptr;
    QLabel* m_chosen = nullptr;
    QPushButton* m_apply = nullptr;
    ProgressFooter* m_bar = nullptr;
};

}  // namespace lacuna::ui
