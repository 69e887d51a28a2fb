#pragma once
/// \file
/// Answers one prompt under two sets of settings, A and B: both answers stream side by side with
/// the point of divergence marked, and a table compares cost and loss. The main window stays
/// usable. GUI thread.

#include <QHash>
#include <QTextCharFormat>
#include <QWidget>
#include <array>

#include "app/state/experiments/measure_views.h"
#include "ui/charts/chart_content.h"

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
class SettingRow;
class ProgressFooter;
class ThemeSource;

// Pure functions: a comparison of two sets of settings as rows of figures, and where the two
// answers diverge.

/// Columns: figure | A | B | B - A | note. Unknown values are shown as a dash, with the reason in
/// the note.
[[nodiscard]] ChartTable comparisonTable(const app::ComparisonView& view);
/// "First difference at token 12. A: “ foo”. B: the answer has ended." or "The same 128 tokens."
[[nodiscard]] QString divergenceSentence(const app::ComparisonView& view);
/// Length of the common prefix of the two texts.
[[nodiscard]] qsizetype commonLength(const QString& a, const QString& b);

/// The settings that decide a comparison, for one side: method, ratio, budget and cache type, with
/// a line about all others. GUI thread.
class SideSettings final : public QWidget {
    Q_OBJECT

  public:
    explicit SideSettings(app::ConfigController& config, QWidget* parent = nullptr);
    [[nodiscard]] SettingRow* row(const QString& key) const { return m_rows.value(key); }

  private:
    QHash<QString, SettingRow*> m_rows;
};

class ComparePage final : public QWidget {
    Q_OBJECT

  public:
    ComparePage(app::MeasurementController& measurement, const ThemeSource& themes,
                QWidget* parent = nullptr);

    [[nodiscard]] QPlainTextEdit& question() { return *m_question; }
    [[nodiscard]] SideSettings& settings(int side);
    [[nodiscard]] QTextEdit& answer(int side);
    [[nodiscard]] ChartTablePage& table() { return *m_table; }
    [[nodiscard]] ProgressFooter& bar() { return *m_bar; }
    [[nodiscard]] QString sentence() const;
    /// Keys and values of the settings for one side.
    [[nodiscard]] QVector<std::pair<QString, QString>> values(int side) const;
    /// Shows the result of a request to apply one side's settings.
    void showMessage(const QString& sentence, bool problem);

  Q_SIGNALS:
    /// Requests to apply the settings of a side to the main window.
    void useRequested(int side);

  protected:
    /// Initialises both sides from the active settings the first time.
    void showEvent(QShowEvent* event) override;

  private:
    void buildQuestion(QVBoxLayout* layout);
    void buildSides(QVBoxLayout* layout);
    [[nodiscard]] QWidget* buildSide(int side);
    void begin();
    void write(int side, const QString& text);
    void showResult(const app::ComparisonView& view);
    void showAnswers();
    void fill(QTextEdit& answer, const QString& text, qsizetype apart);
    [[nodiscard]] QTextCharFormat divergedFormat() const;

    app::MeasurementController& m_measurement;
    const ThemeSource& m_themes;
    app::ComparisonView m_view;  ///< state of the running comparison: the texts so far
    bool m_diverged = false;     ///< the answers already differ
    QPlainTextEdit* m_question = nullptr;
    std::array<SideSettings*, 2> m_settings{};
    std::array<QTextEdit*, 2> m_answers{};
    QLabel* m_sentence = nullptr;
    ChartTablePage* m_table = nullptr;
    ProgressFooter* m_bar = nullptr;
    bool m_taken = false;  ///< sides have been initialised from the settings
};

}  // namespace lacuna::ui
