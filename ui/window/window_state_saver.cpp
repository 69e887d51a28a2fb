#include "ui/window/window_state_saver.h"

#include <QEvent>

#include "app/state/files/program_files.h"
#include "ui/style/theme.h"
#include "ui/window/main_window.h"

namespace lacuna::ui {

namespace {

constexpr int kRestMs = 400;
constexpr const char* kTheme = "window/theme";

QString choiceName(ThemeChoice choice) {
    switch (choice) {
        case ThemeChoice::System:
            return QStringLiteral("system");
        case ThemeChoice::Light:
            return QStringLiteral("light");
        case ThemeChoice::Dark:
            return QStringLiteral("dark");
    }
    return {};
}

}  // namespace

ThemeChoice storedTheme(const QSettings& settings) {
    const QString name = settings.value(QString::fromLatin1(kTheme)).toString();
    if (name == QLatin1String("light")) return ThemeChoice::Light;
    if (name == QLatin1String("dark")) return ThemeChoice::Dark;
    return ThemeChoice::System;
}

WindowStateSaver::WindowStateSaver(QSettings& settings, ThemeSource& themes, MainWindow& window)
    : m_settings(settings), m_themes(themes), m_window(window) {
    m_rest.setSingleShot(true);
    m_rest.setInterval(kRestMs);
    connect(&m_rest, &QTimer::timeout, this, &WindowStateSaver::storePositions);
    const auto soon = [this] { m_rest.start(); };
    window.installEventFilter(this);
    connect(&window, &MainWindow::layoutChosen, this, soon);
    connect(&themes, &ThemeSource::changed, this, &WindowStateSaver::storeTheme);
}

WindowStateSaver::~WindowStateSaver() {
    storePositions();
}

bool WindowStateSaver::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize || event->type() == QEvent::Move) m_rest.start();
    return QObject::eventFilter(watched, event);
}

void WindowStateSaver::storeTheme() {
    m_settings.setValue(QString::fromLatin1(kTheme), choiceName(m_themes.choice()));
    m_settings.sync();
}

void WindowStateSaver::storePositions() {
    m_rest.stop();
    m_window.saveLayout(m_settings);
    m_settings.sync();
}

}  // namespace lacuna::ui
