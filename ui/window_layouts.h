#pragma once
/// \file
/// Ways to lay the window out: Chat for talking, Tune with every panel beside the chat, Compare
/// with charts and the comparison of two settings. Each keeps what a person moves in it, and can be
/// put back. GUI thread.

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
    /// What was moved in the one that is left is kept for when it comes back.
    void choose(WindowLayout layout);
    /// Puts every panel of the current one to its place.
    void reset();
    /// Whether there was one to restore.
    bool restore(const QSettings& settings);
    void save(QSettings& settings) const;

  private:
    MainWindow& m_window;
    WindowLayout m_current = WindowLayout::Tune;
    QMap<WindowLayout, QByteArray> m_places;  ///< of those that are not in sight
};

}  // namespace lacuna::ui
