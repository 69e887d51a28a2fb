#pragma once
/// \file
/// One prompt answered under two settings: settings of A and B, both answers side by side as their
/// tokens come, with the place marked where they part, and a table of what each cost and lost.
/// Alongside the main window, which stays in use. GUI thread.

#include <QDialog>
#include <QHash>
#include <QTextCharFormat>
#include <QWidget>
#include <array>

#include "app/state/measure_views.h"
#include "ui/chart_content.h"

class QLabel;
class QPlainTextEdit;
class QTextEdit;
class QVBoxLayout;

namespace lacuna::app {
class ConfigController;
class MeasurementController;
}  // namespace lacuna::app

namespace lacuna::ui {

class ChartTablePage;
class KnobRow;
class MeasureBar;
class ThemeSource;

// A comparison of two settings as rows of figures, and where the two answers part. Pure functions.

/// Figure | A | B | B - A | note. What cannot be said is a dash, with the reason in the note.
[[nodiscard]] ChartTable comparisonTable(const app::ComparisonView& view);
/// "First difference at token 12. A: “ foo”. B: the answer has ended." or "The same 128 tokens."
[[nodiscard]] QString partingSentence(const app::ComparisonView& view);
/// Characters from which the two texts differ; the length of the shorter where one begins the
/// other.
[[nodiscard]] qsizetype commonLength(const QString& a, const QString& b);

/// The settings that decide a comparison, for one side: method, ratio, budget and cache type, with
/// a line about all others. GUI thread.
class SideSettings final : public QWidget {
    Q_OBJECT

  public:
    explicit SideSettings(app::ConfigController& config, QWidget* parent = nullptr);
    [[nodiscard]] KnobRow* row(const QString& key) const { return m_rows.value(key); }

  private:
    QHash<QString, KnobRow*> m_rows;
};

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
    /// Key and text of what a side is answered under.
    [[nodiscard]] QVector<std::pair<QString, QString>> values(int side) const;
    /// Says how the wish for a side's settings went.
    void tell(const QString& sentence, bool problem);

  Q_SIGNALS:
    /// These are to be the settings of the window.
    void useWanted(int side);

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
