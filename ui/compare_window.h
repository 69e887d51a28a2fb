#pragma once
/// \file
/// One prompt answered under two settings: settings of A and B, both answers side by side as their
/// tokens come, with the place marked where they part, and a table of what each cost and lost.
/// Alongside the main window, which stays in use. GUI thread.

#include <QDialog>
#include <QTextCharFormat>
#include <array>

#include "app/state/measure_views.h"

class QLabel;
class QPlainTextEdit;
class QTextEdit;
class QVBoxLayout;

namespace lacuna::app {
class MeasurementController;
}

namespace lacuna::ui {

class ChartTablePage;
class MeasureBar;
class SideSettings;
class ThemeSource;

class CompareWindow final : public QDialog {
    Q_OBJECT

  public:
    CompareWindow(app::MeasurementController& measurement, const ThemeSource& themes,
                  QWidget* parent = nullptr);
    /// Brings the window to the front; sides are taken from the settings in force the first time.
    void open() override;

    [[nodiscard]] QPlainTextEdit& question() { return *m_question; }
    [[nodiscard]] SideSettings& settings(int side);
    [[nodiscard]] QTextEdit& answer(int side);
    [[nodiscard]] ChartTablePage& table() { return *m_table; }
    [[nodiscard]] MeasureBar& bar() { return *m_bar; }
    [[nodiscard]] QString sentence() const;

  private:
    void buildQuestion(QVBoxLayout* layout);
    void buildSides(QVBoxLayout* layout);
    [[nodiscard]] QWidget* buildSide(int side);
    void begin();
    void write(int side, const QString& text);
    void show(const app::ComparisonView& view);
    void showAnswers();
    void fill(QTextEdit& answer, const QString& text, qsizetype apart);
    [[nodiscard]] QTextCharFormat partedFormat() const;

    app::MeasurementController& m_measurement;
    const ThemeSource& m_themes;
    app::ComparisonView m_view;  ///< of what runs: the texts so far
    bool m_parted = false;       ///< the answers differ in what there is of them
    QPlainTextEdit* m_question = nullptr;
    std::array<SideSettings*, 2> m_settings{};
    std::array<QTextEdit*, 2> m_answers{};
    QLabel* m_sentence = nullptr;
    ChartTablePage* m_table = nullptr;
    MeasureBar* m_bar = nullptr;
    bool m_taken = false;  ///< sides have been taken from the settings
};

}  // namespace lacuna::ui
