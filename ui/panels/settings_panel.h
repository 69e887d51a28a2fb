#pragma once
/// \file
/// The Memory panel of the chat page: profile, AM ratio, token budget and loss limit, the state of
/// the cache, and all other settings under Advanced with a search field. Built from the settings
/// table.

#include <QHash>
#include <QList>
#include <QScrollArea>
#include <QStringList>
#include <functional>

class QCheckBox;
class QLabel;
class QLineEdit;
class QPushButton;
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
    /// Optional widgets; each may be null.
    struct Notes {
        QWidget* predictedLoss = nullptr;  ///< placed under the ratio
        QWidget* cache = nullptr;          ///< state of the cache, placed under the first settings
        QWidget* whatIf = nullptr;         ///< placed under Advanced
        QWidget* profiles = nullptr;       ///< placed above all settings
    };
    SettingsPanel(app::ConfigController& config, const Notes& notes, QWidget* parent = nullptr);
    [[nodiscard]] SettingRow* row(const QString& key) const { return m_rows.value(key); }
    [[nodiscard]] QLineEdit& search() const { return *m_search; }
    /// Expands the group of a setting and scrolls to it.
    void reveal(const QString& key);
    /// Disables all settings except those accepted by `stays` and shows `reason`, a sentence. An
    /// empty reason enables all.
    void setReason(const QString& reason, const std::function<bool(const QString& key)>& stays);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void buildHead(QVBoxLayout* layout, const Notes& notes);
    void buildOwn(QVBoxLayout* layout);
    void buildStatus(QVBoxLayout* layout);
    void buildFirst(QVBoxLayout* layout, const Notes& notes);
    void buildGroups(QVBoxLayout* layout, const Notes& notes);
    void addRow(const QString& key, QVBoxLayout* layout);
    QVBoxLayout* addFold(const QString& title, QVBoxLayout* layout);
    void find(const QString& typed);
    void refreshStatus();
    void refreshUndo();
    void hold(bool held);

    app::ConfigController& m_config;
    QHash<QString, SettingRow*> m_rows;
    QScrollArea* m_area = nullptr;
    QLineEdit* m_search = nullptr;
    QList<QPushButton*> m_folds;
    QHash<QString, QPushButton*> m_foldOf;   ///< fold of each setting
    QHash<QLabel*, QStringList> m_headings;  ///< settings under each heading
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
