#pragma once
/// \file
/// Window layouts: Chat, Tune with every panel next to the chat, Compare with charts and the
/// comparison of two settings. Each remembers its panel positions and can be reset. GUI thread.

#include <QByteArray>
#include <QMap>
#include <QString>

class QSettings;

namespace lacuna::ui {

class MainWindow;

enum class WindowLayout { Chat, Tune, Compare };

class WindowLayouts {
  public:
    explicit WindowLayouts(MainWindow& window) : m_window(window) {}

    [[nodiscard]] WindowLayout current() const { return m_current; }
    /// Switches the layout; the panel positions of the previous one are saved.
    void choose(WindowLayout layout);
    /// Resets every panel of the current layout to its default position.
    void reset();
    /// Returns whether a layout was restored.
    bool restore(const QSettings& settings);
    void save(QSettings& settings) const;

  private:
    MainWindow& m_window;
    WindowLayout m_current = WindowLayout::Tune;
    QMap<WindowLayout, QByteArray> m_places;  ///< positions of the inactive layouts
};

}  // namespace lacuna::ui
