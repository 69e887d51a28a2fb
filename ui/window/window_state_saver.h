#pragma once
/// \file
/// Saves the user's window settings as soon as they change: theme, panel positions, layout. They
/// survive a kill or power loss; the file is replaced atomically. GUI thread.

#include <QObject>
#include <QSettings>
#include <QString>
#include <QTimer>

namespace lacuna::ui {

class MainWindow;
class ThemeSource;
enum class ThemeChoice;

[[nodiscard]] ThemeChoice storedTheme(const QSettings& settings);

class WindowStateSaver final : public QObject {
    Q_OBJECT

  public:
    /// All references must outlive this object. `settings` is written from the start.
    WindowStateSaver(QSettings& settings, ThemeSource& themes, MainWindow& window);
    /// Writes pending changes.
    ~WindowStateSaver() override;

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void storeTheme();
    void storePositions();

    QSettings& m_settings;
    ThemeSource& m_themes;
    MainWindow& m_window;
    QTimer m_rest;  ///< delay between the last move of a panel and writing
};

}  // namespace lacuna::ui
