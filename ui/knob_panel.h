#pragma once
/// \file
/// The tuning panel: settings in groups, made from the knob table. Compression first and open;
/// sampling and the run can be folded.

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

class YieldingLabel;

class KnobRow;

class KnobPanel final : public QWidget {
    Q_OBJECT

  public:
    /// What belongs to the AM ratio, to the budget and to all, each of which may be null.
    struct Notes {
        QWidget* damage = nullptr;    ///< stands under the ratio
        QWidget* whatIf = nullptr;    ///< stands under the budget
        QWidget* profiles = nullptr;  ///< stands above all
    };
    KnobPanel(app::ConfigController& config, const Notes& notes, QWidget* parent = nullptr);
    /// Whether what is set here is for the shown conversation alone.
    [[nodiscard]] QCheckBox* ownBox() const { return m_own; }
    [[nodiscard]] KnobRow* row(const QString& key) const { return m_rows.value(key); }
    /// Why settings have no effect now, a sentence: all but those that `stays` names are disabled
    /// and say so. Empty: all can be changed.
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
    QHash<QString, KnobRow*> m_rows;
    KnobRow* m_first = nullptr;
    QLayout* m_page = nullptr;  ///< of all settings
    bool m_held = false;        ///< a mouse button is down on the panel
    YieldingLabel* m_status = nullptr;
    QLabel* m_revision = nullptr;
    QToolButton* m_undo = nullptr;
    QCheckBox* m_own = nullptr;
    QToolButton* m_reset = nullptr;
    QWidget* m_profiles = nullptr;
};

}  // namespace lacuna::ui
