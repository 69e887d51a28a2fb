#pragma once
/// \file
/// The page of cache formats: presets and formats with what each costs on the model in use, a
/// button that measures them, the smallest that passes, the bits of keys and values as two steppers
/// with bytes and damage said before they are applied, how far a cache is that changes its format,
/// and what rotated codes are turned by. Next to the main window, which stays in use. GUI thread.

#include <QDialog>

#include "app/state/quality_controller.h"

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
class QualityFoot;
class RecodingBox;
class RotationBox;

class FormatWindow final : public QDialog {
    Q_OBJECT

  public:
    FormatWindow(app::QualityController& quality, app::CalibrationController& calibration,
                 app::ConfigController& config, app::SessionFeed& feed, QWidget* parent = nullptr);
    /// Brings the window to the front, the bits as they are asked for.
    void open() override;

    [[nodiscard]] QTableView& table() { return *m_table; }
    [[nodiscard]] QualityFoot& foot() { return *m_foot; }
    [[nodiscard]] RecodingBox& recoding() { return *m_recoding; }
    [[nodiscard]] RotationBox& rotations() { return *m_rotations; }
    [[nodiscard]] QSpinBox& keyBits() { return *m_keys; }
    [[nodiscard]] QSpinBox& valueBits() { return *m_values; }
    [[nodiscard]] QPushButton& useRowButton() { return *m_useRow; }
    [[nodiscard]] QPushButton& usePassingButton() { return *m_usePassing; }
    [[nodiscard]] QPushButton& useBitsButton() { return *m_useBits; }
    [[nodiscard]] QPushButton& copyButton() { return *m_copy; }
    [[nodiscard]] QString gate() const;
    [[nodiscard]] QString bytes() const;
    [[nodiscard]] QString damage() const;

  private:
    [[nodiscard]] QHBoxLayout* buildHead();
    void buildTable();
    [[nodiscard]] QHBoxLayout* buildGate();
    [[nodiscard]] QWidget* buildBits();
    void refresh();
    void showGate();
    void showRow();
    void showBits();
    void stepTo(const QString& format);
    /// Copies: a row of the table goes while its settings are applied.
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
    QLabel* m_damage = nullptr;
    QPushButton* m_useBits = nullptr;
    RecodingBox* m_recoding = nullptr;
    RotationBox* m_rotations = nullptr;
    QualityFoot* m_foot = nullptr;
};

}  // namespace lacuna::ui
