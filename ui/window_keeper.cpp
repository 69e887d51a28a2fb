#include "ui/window_keeper.h"

#include <QDockWidget>
#include <QEvent>
#include <QFileInfo>

#include "app/state/application_state.h"
#include "app/state/model_controller.h"
#include "app/state/program_files.h"
#include "ui/main_window.h"
#include "ui/theme.h"

namespace lacuna::ui {

namespace {

constexpr int kRestMs = 400;
constexpr const char* kTheme = "window/theme";
constexpr const char* kModel = "window/model";

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

QString storedModel(const QSettings& settings) {
    const QString path = settings.value(QString::fromLatin1(kModel)).toString();
    return QFileInfo::exists(path) ? path : QString();
}

WindowKeeper::WindowKeeper(QSettings& settings, app::ApplicationState& state, ThemeSource& themes,
                           MainWindow& window)
    : m_settings(settings), m_state(state), m_themes(themes), m_window(window) {
    m_rest.setSingleShot(true);
    m_rest.setInterval(kRestMs);
    connect(&m_rest, &QTimer::timeout, this, &WindowKeeper::keepPlaces);
    const auto soon = [this] { m_rest.start(); };
    for (QDockWidget* dock : window.findChildren<QDockWidget*>()) {
        connect(dock, &QDockWidget::visibilityChanged, this, soon);
        connect(dock, &QDockWidget::dockLocationChanged, this, soon);
        connect(dock, &QDockWidget::topLevelChanged, this, soon);
        dock->installEventFilter(this);
    }
    window.installEventFilter(this);
    connect(&window, &MainWindow::layoutChosen, this, soon);
    connect(&themes, &ThemeSource::changed, this, &WindowKeeper::keepTheme);
    connect(&state.model(), &app::ModelController::changed, this, &WindowKeeper::keepModel);
}

WindowKeeper::~WindowKeeper() {
    keepPlaces();
}

bool WindowKeeper::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize || event->type() == QEvent::Move) m_rest.start();
    return QObject::eventFilter(watched, event);
}

void WindowKeeper::keepTheme() {
    m_settings.setValue(QString::fromLatin1(kTheme), choiceName(m_themes.choice()));
    m_settings.sync();
}

/// Only one that could be loaded: a program that cannot start with its model is of no use.
void WindowKeeper::keepModel() {
    const app::ModelView& model = m_state.model().view();
    const QString key = QString::fromLatin1(kModel);
    if (model.state != app::ModelState::Ready || m_settings.value(key).toString() == model.path)
        return;
    m_settings.setValue(key, model.path);
    m_settings.sync();
}

void WindowKeeper::keepPlaces() {
    m_rest.stop();
    m_window.saveLayout(m_settings);
    m_settings.sync();
}

}  // namespace lacuna::ui
