#pragma once
/// \file
/// The tuning panel: groups of settings built from the settings table. Compression comes first and
/// is open; the sampling and runtime groups can be folded.

#include <QHash>
#include <QScrollArea>
#include <functional>

class QCheckBox;
class QLabel;
class QToolButton;
class QVBoxLayout;

namespace lacuna::app {
class ConfigController;
}

namespace lacuna::ui {

class ElidingLabel;

class SettingRow;

class SettingsPanel final : public QWidget {
    Q_OBJECT

  public:
    /// Optional widgets for the AM ratio, the budget and the whole panel; each may be null.
    struct Notes {
        QWidget* predictedLoss = nullptr;  ///< placed under the ratio
        QWidget* whatIf = nullptr;         ///< placed under the budget
        QWidget* profiles = nullptr;       ///< placed above all settings
    };
    SettingsPanel(app::ConfigController& config, const Notes& notes, QWidget* parent = nullptr);
    /// Check box that applies changes to the shown conversation only.
    [[nodiscard]] QCheckBox* ownBox() const { return m_own; }
    [[nodiscard]] SettingRow* row(const QString& key) const { return m_rows.value(key); }
    /// Disables all settings except those accepted by `stays` and shows `reason`, a sentence. An
    /// empty reason enables all.
    void setReason(const QString& reason, const std::function<bool(const QString& key)>& stays);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    enum class FoldState { Open, Closed };
    void buildHead(QVBoxLayout* layout, const Notes& notes);
    void buildOwn(QVBoxLayout* layout);
    void buildGroups(QVBoxLayout* layout, const Notes& notes);
    void addRow(const QString& key, QVBoxLayout* layout);
    QVBoxLayout* addFold(const QString& title, FoldState openAtStart, QVBoxLayout* layout);
    void refreshStatus();
    void refreshUndo();
    void hold(bool held);

    app::ConfigController& m_config;
    QHash<QString, SettingRow*> m_rows;
    SettingRow* m_first = nullptr;
    QLayout* m_page = nullptr;  ///< layout that holds all settings
    bool m_held = false;        ///< a mouse button is pressed on the panel
    ElidingLabel* m_status = nullptr;
    QLabel* m_revision = nullptr;
    QToolButton* m_undo = nullptr;
    QCheckBox* m_own = nullptr;
    QToolButton* m_reset = nullptr;
    QWidget* m_profiles = nullptr;
};

}  // namespace lacuna::ui
