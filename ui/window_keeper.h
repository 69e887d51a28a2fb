#pragma once
/// \file
/// Keeps what a person chose of the window at once, not only when it closes: theme, places of the
/// panels, the layout. So it is there after a kill or a loss of power too; the
/// file is replaced as a whole. GUI thread.

#include <QObject>
#include <QSettings>
#include <QString>
#include <QTimer>

namespace lacuna::ui {

class MainWindow;
class ThemeSource;
enum class ThemeChoice;

[[nodiscard]] ThemeChoice storedTheme(const QSettings& settings);

class WindowKeeper final : public QObject {
    Q_OBJECT

  public:
    /// All outlive it. `settings` is written from now on.
    WindowKeeper(QSettings& settings, ThemeSource& themes, MainWindow& window);
    /// What waits to be written is.
    ~WindowKeeper() override;

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void keepTheme();
    void keepPlaces();

    QSettings& m_settings;
    ThemeSource& m_themes;
    MainWindow& m_window;
    QTimer m_rest;  ///< from the last move of a panel until places are written
};

}  // namespace lacuna::ui
