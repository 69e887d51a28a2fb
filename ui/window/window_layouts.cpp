#include "ui/window/window_layouts.h"

#include <QSettings>
#include <array>

#include "ui/window/main_window.h"
#include "ui/window/panel_dock.h"

namespace lacuna::ui {

namespace {

constexpr int kLayoutVersion = 2;
constexpr const char* kCurrent = "window/layout";

struct LayoutRow {
    WindowLayout layout;
    const char* key;  ///< settings key; that of Tune is the oldest, from before there were several
                      ///< layouts
    std::array<const char*, 5> panels;  ///< initially visible panels; null: end of the list
};
constexpr std::array kLayouts{
    LayoutRow{WindowLayout::Chat, "window/state.chat", {"sessions"}},
    LayoutRow{WindowLayout::Tune,
              "window/state",
              {"sessions", "tuning", "telemetry", "maps", "timeline"}},
    LayoutRow{WindowLayout::Compare, "window/state.compare", {"telemetry", "maps", "timeline"}}};

const LayoutRow& rowOf(WindowLayout layout) {
    return kLayouts.at(static_cast<std::size_t>(layout));
}

bool shows(const LayoutRow& row, const QString& panel) {
    for (const char* one : row.panels)
        if (one != nullptr && panel == QLatin1String(one)) return true;
    return false;
}

}  // namespace

void WindowLayouts::choose(WindowLayout layout) {
    if (layout == m_current) return;
    m_places[m_current] = m_window.saveState(kLayoutVersion);
    m_current = layout;
    const QByteArray places = m_places.take(layout);
    if (places.isEmpty() || !m_window.restoreState(places, kLayoutVersion)) reset();
}

void WindowLayouts::reset() {
    m_window.arrangePanels();
    const LayoutRow& row = rowOf(m_current);
    for (const MainWindow::Panel& panel : m_window.panels())
        if (!shows(row, panel.id)) panel.dock->hide();
}

bool WindowLayouts::restore(const QSettings& settings) {
    const int current = settings.value(QString::fromLatin1(kCurrent), -1).toInt();
    if (current >= 0 && current < static_cast<int>(kLayouts.size()))
        m_current = static_cast<WindowLayout>(current);
    for (const LayoutRow& row : kLayouts)
        m_places[row.layout] = settings.value(QString::fromLatin1(row.key)).toByteArray();
    const QByteArray places = m_places.take(m_current);
    return !places.isEmpty() && m_window.restoreState(places, kLayoutVersion);
}

void WindowLayouts::save(QSettings& settings) const {
    settings.setValue(QString::fromLatin1(kCurrent), static_cast<int>(m_current));
    for (const LayoutRow& row : kLayouts) {
        const QByteArray places = row.layout == m_current ? m_window.saveState(kLayoutVersion)
                                                          : m_places.value(row.layout);
        if (!places.isEmpty()) settings.setValue(QString::fromLatin1(row.key), places);
    }
}

}  // namespace lacuna::ui
