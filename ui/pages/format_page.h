#pragma once
/// \file
/// The cache formats page: presets and formats with their measured cost on the current model, the
/// smallest one that passes, and steppers for key and value bits with bytes and predicted error
/// before they are applied. It also shows the progress of a format change and the rotation of
/// rotated codes. The main window stays usable. GUI thread.

#include <QWidget>

#include "app/state/experiments/quality_controller.h"

class QHBoxLayout;
class QLabel;
class QPushButton;
class QSpinBox;
class QTableView;
class QWidget;

namespace lacuna::app {
class CalibrationController;
class ConfigController;
class SessionFeed;
}  // namespace lacuna::app

namespace lacuna::ui {

class FormatModel;
class MeasureFooter;
class CacheFormatPanel;
class RotationPanel;

class FormatPage final : public QWidget {
    Q_OBJECT

  public:
    FormatPage(app::QualityController& quality, app::CalibrationController& calibration,
               app::ConfigController& config, app::SessionFeed& feed, QWidget* parent = nullptr);

    [[nodiscard]] QTableView& table() { return *m_table; }
    [[nodiscard]] MeasureFooter& foot() { return *m_foot; }
    [[nodiscard]] CacheFormatPanel& recoding() { return *m_recoding; }
    [[nodiscard]] RotationPanel& rotations() { return *m_rotations; }
    [[nodiscard]] QString gate() const;
    [[nodiscard]] QString bytes() const;
    [[nodiscard]] QString predictedLoss() const;

  protected:
    /// Resets the bits to the requested settings.
    void showEvent(QShowEvent* event) override;

  private:
    void buildTable();
    [[nodiscard]] QHBoxLayout* buildGate();
    [[nodiscard]] QWidget* buildBits();
    void refresh();
    void showGate();
    void showRow();
    void showBits();
    void stepTo(const QString& format);
    /// Parameters by value: applying settings can delete the table row that holds them.
    void apply(QString name, app::SettingTexts settings);
    [[nodiscard]] qint64 tokens() const;
    [[nodiscard]] app::BitsView bits() const;

    app::QualityController& m_quality;
    app::ConfigController& m_config;
    app::SessionFeed& m_feed;
    FormatModel* m_model;
    QLabel* m_title = nullptr;
    QLabel* m_conditions = nullptr;
    QTableView* m_table = nullptr;
    QLabel* m_help = nullptr;
    QLabel* m_gate = nullptr;
    QPushButton* m_usePassing = nullptr;
    QPushButton* m_useRow = nullptr;
    QPushButton* m_copy = nullptr;
    QSpinBox* m_keys = nullptr;
    QSpinBox* m_values = nullptr;
    QLabel* m_bytes = nullptr;
    QLabel* m_predictedLoss = nullptr;
    QPushButton* m_useBits = nullptr;
    CacheFormatPanel* m_recoding = nullptr;
    RotationPanel* m_rotations = nullptr;
    MeasureFooter* m_foot = nullptr;
};

}  // namespace lacuna::ui
