#pragma once
/// \file
/// The quality page: a table of methods x ratios for the current model with losses on dialogues,
/// RULER and running text. A button fills it, and a stopped measurement can be continued. The main
/// window stays usable; answers take precedence over the measurement. GUI thread.

#include <QWidget>

#include "app/state/experiments/quality_controller.h"

class QComboBox;
class QHBoxLayout;
class QLabel;
class QPushButton;
class QSortFilterProxyModel;
class QTableView;

namespace lacuna::ui {

class MeasureFooter;
class QualityModel;

class QualityPage final : public QWidget {
    Q_OBJECT

  public:
    explicit QualityPage(app::QualityController& quality, QWidget* parent = nullptr);

    /// The displayed table size.
    [[nodiscard]] app::QualityController::Size size() const;
    [[nodiscard]] QTableView& table() { return *m_table; }
    [[nodiscard]] MeasureFooter& foot() { return *m_foot; }
    [[nodiscard]] QPushButton& copyButton() { return *m_copy; }
    [[nodiscard]] QPushButton& saveButton() { return *m_save; }
    [[nodiscard]] QString conditions() const;
    /// The table in the format of the file name: Markdown for .md, otherwise CSV.
    [[nodiscard]] QByteArray exported(const QString& fileName) const;

  Q_SIGNALS:
    void saveRequested();

  protected:
    /// Selects the table that is being measured.
    void showEvent(QShowEvent* event) override;

  private:
    [[nodiscard]] QHBoxLayout* buildHead();
    void buildTable();
    void refresh();

    app::QualityController& m_quality;
    QualityModel* m_model;
    QSortFilterProxyModel* m_sorted;
    QLabel* m_title = nullptr;
    QComboBox* m_size = nullptr;
    QPushButton* m_copy = nullptr;
    QPushButton* m_save = nullptr;
    QLabel* m_conditions = nullptr;
    QLabel* m_whole = nullptr;
    QTableView* m_table = nullptr;
    QLabel* m_empty = nullptr;
    MeasureFooter* m_foot = nullptr;
};

}  // namespace lacuna::ui
