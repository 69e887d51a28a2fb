#include "ui/window/window_program.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QIcon>
#include <QSettings>
#include <QStandardPaths>
#include <QTextStream>
#include <QTimer>
#include <optional>

#include "app/state/application_state.h"
#include "app/state/files/program_log.h"
#include "app/state/models/model_controller.h"
#include "app/state/models/model_library.h"
#include "app/state/telemetry/session_feed.h"
#include "ui/style/language.h"
#include "ui/style/theme.h"
#include "ui/window/guarded_application.h"
#include "ui/window/guided_demo.h"
#include "ui/window/main_window.h"
#include "ui/window/single_instance.h"
#include "ui/window/window_state_saver.h"

namespace lacuna::ui {

namespace {

QIcon programIcon() {
    QIcon icon;
    for (const int size : {16, 32, 48, 64, 128, 256})
        icon.addFile(QStringLiteral(":/icons/lacuna-%1.png").arg(size), QSize(size, size));
    return icon;
}

void nameApplication() {
    QApplication::setApplicationName(QStringLiteral("lacuna"));
    QApplication::setApplicationDisplayName(QStringLiteral("Lacuna"));
    QApplication::setApplicationVersion(QStringLiteral(LACUNA_VERSION));
    QApplication::setOrganizationName(QStringLiteral("lacuna"));
    QApplication::setDesktopFileName(QStringLiteral("org.lacuna.Lacuna"));
    QApplication::setWindowIcon(programIcon());
}

ThemeChoice choiceOf(StartTheme theme) {
    switch (theme) {
        case StartTheme::System:
            return ThemeChoice::System;
        case StartTheme::Light:
            return ThemeChoice::Light;
        case StartTheme::Dark:
            return ThemeChoice::Dark;
    }
    return ThemeChoice::System;
}

app::ApplicationOptions stateOptions(const WindowOptions& options) {
    app::ApplicationOptions state;
    for (const std::string& setting : options.settings)
        state.settings << QString::fromStdString(setting);
    state.server = options.server;
    return state;
}

/// Loads the requested model, otherwise the last one used, otherwise the bundled one. If the last
/// one does not load, the bundled one is loaded and a notice explains why.
void loadModel(app::ApplicationState& state, const WindowOptions& options) {
    if (!options.model.empty())
        return state.model().load(QString::fromStdString(options.model.string()));
    QString why;
    const QString last = state.library().takeLast(&why);
    if (!why.isEmpty()) state.feed().note(app::EventKind::Notice, why);
    if (last.isEmpty()) return state.model().loadBundled();
    auto* once = new QObject(&state);
    QObject::connect(&state.model(), &app::ModelController::loaded, once,
                     [once] { once->deleteLater(); });
    QObject::connect(&state.model(), &app::ModelController::failed, once,
                     [&state, once](const QString& path, const QString& draft,
                                    const QString& sentence, bool none) {
                         if (!draft.isEmpty() || !none)
                             return;  // it is retried without the draft model
                         once->deleteLater();
                         state.feed().note(
                             app::EventKind::Notice,
                             MainWindow::tr("%1, the last model in use, could not be loaded: %2 "
                                            "The bundled model answers instead.")
                                 .arg(path, sentence));
                         state.model().loadBundled();
                     });
    state.model().load(last);
}

std::optional<Language> languageRequested(const WindowOptions& options) {
    if (options.language.empty()) return std::nullopt;
    return languageOf(QString::fromStdString(options.language));
}

/// True if the start requires nothing that needs a window of its own.
bool mayJoinAnother(const WindowOptions& options) {
    return options.settings.empty() && options.theme == StartTheme::System &&
           options.language.empty() && options.width == 0 && options.height == 0;
}

/// The parameters of this start, to be passed to another window.
InstanceRequest handedOver(const WindowOptions& options) {
    InstanceRequest what{.model = {}, .activation = qEnvironmentVariable("XDG_ACTIVATION_TOKEN")};
    if (!options.model.empty())
        what.model = QFileInfo(QFile::decodeName(options.model.c_str())).absoluteFilePath();
    return what;
}

/// Display of the window: a user at one display cannot use a window on another.
QString thisDisplay() {
    const QString platform = QGuiApplication::platformName();
    return platform + qEnvironmentVariable(platform.startsWith(QLatin1String("wayland"))
                                               ? "WAYLAND_DISPLAY"
                                               : "DISPLAY");
}

void comeToFront(MainWindow& window, const QString& activation) {
    if (!activation.isEmpty()) qputenv("XDG_ACTIVATION_TOKEN", activation.toUtf8());
    window.setWindowState(window.windowState() & ~Qt::WindowMinimized);
    window.show();
    window.raise();
    window.activateWindow();
    QApplication::alert(&window);
}

/// The XDG specification requires absolute paths and ignores relative ones. Qt would resolve them
/// against the current folder, unlike the rest of the program.
void ignoreRelativeFolders() {
    for (const char* name : {"XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"}) {
        const QString folder = QFile::decodeName(qgetenv(name));
        if (folder.isEmpty() || QDir::isAbsolutePath(folder)) continue;
        QTextStream(stderr) << "lacuna: " << name << " is ignored: \"" << folder
                            << "\" is not an absolute path" << Qt::endl;
        qunsetenv(name);
    }
}

/// May be called on any thread.
void quitSoon() {
    QMetaObject::invokeMethod(qApp, &QCoreApplication::quit, Qt::QueuedConnection);
}

}  // namespace

int runWindow(int argc, char** argv, const WindowOptions& options) {
    ignoreRelativeFolders();
    const PlatformMessageFilter filter;
    DisplayCheck display;
    GuardedApplication application(argc, argv);
    display.passed();
    nameApplication();
    QSettings settings = windowSettings();
    const Translation translation(languageRequested(options).value_or(storedLanguage(settings)));
    app::ApplicationOptions stateSetup = stateOptions(options);
    stateSetup.dataFolder = options.dataFolder.empty()
                                ? QStandardPaths::writableLocation(QStandardPaths::AppDataLocation)
                                : QFile::decodeName(options.dataFolder.c_str());
    SingleInstance instance(singleInstance(stateSetup.dataFolder, thisDisplay()));
    if (mayJoinAnother(options) && instance.hasOtherOwner()) {
        const InstanceRequest what = handedOver(options);
        QTextStream say(stderr);
        if (!what.model.isEmpty() && !QFileInfo::exists(what.model)) {
            say << MainWindow::tr("%1 does not exist.").arg(what.model) << Qt::endl;
            return 1;
        }
        if (instance.handOver(what)) {
            say << MainWindow::tr("The window that is already open takes over.") << Qt::endl;
            return 0;
        }
    }
    ThemeSource themes(options.theme == StartTheme::System ? storedTheme(settings)
                                                           : choiceOf(options.theme));
    app::ApplicationState state(stateSetup);
    const app::QtMessages messages(state.log());
    MainWindow window(state, themes);
    window.restoreLayout(settings);
    if (options.width > 0 && options.height > 0) window.resize(options.width, options.height);
    QObject::connect(&state, &app::ApplicationState::conversationsRestored, &window,
                     [&window, &settings](bool none) {
                         const QString once = QStringLiteral("window/demoOffered");
                         if (!none || settings.value(once).toBool()) return;
                         settings.setValue(once, true);
                         window.offerDemo();
                     });
    application.onFailure(
        [&state](const QString& sentence) { state.feed().note(app::EventKind::Notice, sentence); });
    const std::stop_callback quitting(options.stop, [&window] {
        QMetaObject::invokeMethod(
            &window, [&window] { window.closeAtOnce(); }, Qt::QueuedConnection);
        quitSoon();
    });
    window.show();
    const WindowStateSaver storage(settings, themes, window);
    QObject::connect(&instance, &SingleInstance::handedOver, &window,
                     [&window](const InstanceRequest& what) {
                         comeToFront(window, what.activation);
                         if (!what.model.isEmpty()) window.openModel(what.model);
                     });
    loadModel(state, options);
    const int status = QApplication::exec();
    instance.close();  // the window is shutting down
    return status;
}

int runDemo(int argc, char** argv, const WindowOptions& options, const std::filesystem::path& out) {
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    ignoreRelativeFolders();
    const PlatformMessageFilter filter;
    DisplayCheck display;
    GuardedApplication application(argc, argv);
    display.passed();
    nameApplication();
    const Translation translation(languageRequested(options).value_or(Language::English));
    QTextStream say(stderr);
    ThemeSource themes(options.theme == StartTheme::System ? ThemeChoice::Light
                                                           : choiceOf(options.theme));
    app::ApplicationState state(stateOptions(options));
    MainWindow window(state, themes);
    window.resize(options.width > 0 ? options.width : 1440,
                  options.height > 0 ? options.height : 900);
    const std::stop_callback quitting(options.stop, quitSoon);
    window.show();
    int status = 1;
    QTimer::singleShot(0, &window, [&] {
        GuidedDemo* demo = window.startDemo(QString::fromStdString(out.string()),
                                            QString::fromStdString(options.model.string()));
        QObject::connect(demo, &GuidedDemo::stepChanged, &window,
                         [&say](const QString& sentence) { say << sentence << Qt::endl; });
        QObject::connect(demo, &GuidedDemo::finished, &window, [&](const QString& sentence) {
            say << sentence << Qt::endl;
            status = 0;
            QApplication::quit();
        });
        QObject::connect(demo, &GuidedDemo::failed, &window, [&](const QString& sentence) {
            say << sentence << Qt::endl;
            QApplication::quit();
        });
    });
    QApplication::exec();
    return status;
}

}  // namespace lacuna::ui
