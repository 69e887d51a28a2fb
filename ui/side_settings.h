#pragma once
/// \file
/// The settings that decide a comparison, for one side: method, ratio, budget and cache type, with
/// a line about all others. GUI thread.

#include <QHash>
#include <QWidget>

class QLabel;

namespace lacuna::app {
class ConfigController;
}

namespace lacuna::ui {

class KnobRow;

class SideSettings final : public QWidget {
    Q_OBJECT

  public:
    explicit SideSettings(app::ConfigController& config, QWidget* parent = nullptr);
    [[nodiscard]] KnobRow* row(const QString& key) const { return m_rows.value(key); }

  private:
    QHash<QString, KnobRow*> m_rows;
};

}  // namespace lacuna::ui
