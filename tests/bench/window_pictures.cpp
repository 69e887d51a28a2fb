// Pictures of every page of the window, to be looked at: window_pictures FOLDER LANGUAGE light|dark
// WIDTHxHEIGHT. The engine only says what it is told, so that no model is needed; figures are those
// of a made-up session. tests/bench/window_pictures.sh makes them all.

#include <QAbstractButton>
#include <QApplication>
#include <QDir>
#include <QElapsedTimer>
#include <QMenu>
#include <QMenuBar>
#include <QPlainTextEdit>
#include <QScrollArea>
#include <QTemporaryDir>
#include <QTextStream>
#include <QToolButton>
#include <cstdio>

#include "app/state/application_state.h"
#include "app/state/chat_controller.h"
#include "app/state/recording_controller.h"
#include "app/state/report_controller.h"
#include "tests/support/fake_engine.h"
#include "tests/ui/session_tape.h"
#include "ui/action_registry.h"
#include "ui/guided_demo.h"
#include "ui/knob_panel.h"
#include "ui/language.h"
#include "ui/main_window.h"
#include "ui/prompt_box.h"
#include "ui/recorded_view.h"
#include "ui/theme.h"

namespace lacuna::ui {
namespace {

struct Order {
    QString folder;
    Language language = Language::English;
    ThemeChoice theme = ThemeChoice::Light;
    QSize size;
};

constexpr int kRestMs = 60;
constexpr int kPreviewMs = 4000;  ///< charts of the preview are drawn one after another
const QSize kFrame(8, 36);        ///< of most systems, around a window

void settle(int milliseconds = 200) {
    QElapsedTimer clock;
    clock.start();
    while (clock.elapsed() < milliseconds) QCoreApplication::processEvents({}, 20);
}

class Photographer {
  public:
    explicit Photographer(const Order& order)
        : m_order(order),
          m_themes(order.theme),
          m_engine(new app::FakeEngine),
          m_state(app::ApplicationOptions{}, std::unique_ptr<app::EngineHost>(m_engine)),
          m_window(m_state, m_themes) {}

    void run() {
        m_window.resize(m_order.size);
        m_window.show();
        settle();
        take(m_window, "empty");
        talk();
        take(m_window, "conversation");
        takeMenus();
        takeSettings();
        for (const char* page :
             {"view.palette", "help.shortcuts", "help.log", "help.about", "measure.compare",
              "measure.sweep", "measure.quality", "measure.formats", "memory.open", "server.open",
              "remote.connect", "chat.rename", "chat.system", "report.export", "help.welcome",
              "model.page"})
            takePage(page);
        takeLayouts();
        takeDemo();
        takeRecorded();
        trigger("telemetry.table");
        settle();
        take(m_window, "tables");
        trigger("telemetry.table");
        trigger("focus.maps");
        settle();
        take(m_window, "maps");
    }

  private:
    void trigger(const char* id) {
        if (QAction* action = m_window.actions().find(QLatin1String(id))) action->trigger();
    }
    void hear(Event event) {
        m_engine->post(std::move(event));
        m_state.drain();
        settle(20);
    }
    void talk() {
        hear(ModelLoaded{app::smallFacts(), 0.2});
        hear(StateChanged{EngineState::Idle});
        TapeOptions tape;
        tape.answers = 3;
        playTape(m_state.metrics(), tape);
        for (const char* question : {"Where does Ruth Weber live?", "And who else lives there?"}) {
            m_window.prompt().edit()->setPlainText(QString::fromLatin1(question));
            trigger("chat.send");
            TurnFinished finished;
            finished.conversation = ConversationId(m_state.chat().current());
            finished.text =
                "She lives by the harbour, in the third house from the bridge. Nobody "
                "else is named in the text that you gave me.";
            finished.reason = FinishReason::Stop;
            finished.stats.generatedTokens = 31;
            finished.stats.promptTokens = 1912;
            finished.stats.decodeSeconds = 1.4;
            finished.stats.compactions = 2;
            hear(finished);
        }
        settle(800);
    }
    void take(QWidget& widget, const char* name) {
        const QString path =
            m_order.folder + QLatin1Char('/') + QLatin1String(name) + QStringLiteral(".png");
        widget.grab().save(path);
    }
    void takePage(const char* id) {
        trigger(id);
        settle();
        for (QWidget* page : QApplication::topLevelWidgets()) {
            if (page == &m_window || !page->isVisible()) continue;
            // A page of its own size, or as large as the screen lets it be.
            page->resize(page->size().boundedTo(m_order.size - kFrame));
            settle(QLatin1String(id) == QLatin1String("report.export") ? kPreviewMs : kRestMs);
            take(*page, id);
            page->close();
        }
        settle(50);
    }
    void takeLayouts() {
        for (const char* layout : {"layout.chat", "layout.compare", "layout.tune"}) {
            trigger(layout);
            settle();
            for (QWidget* page : QApplication::topLevelWidgets())
                if (page != &m_window && page->isVisible()) page->close();
            take(m_window, layout);
        }
    }
    void takeDemo() {
        GuidedDemo* demo = m_window.startShortDemo();
        settle(400);
        take(m_window, "demo");
        demo->cancel();
        settle(50);
    }
    /// The session so far as its own report tells it.
    void takeRecorded() {
        const QTemporaryDir folder;
        bool written = false;
        QObject::connect(&m_state.report(), &app::ReportController::finished, &m_window,
                         [&written] { written = true; });
        m_state.report().exportTo(folder.path(), {}, {.pdf = false});
        for (int i = 0; i < 100 && !written; ++i) settle(20);
        m_state.recording().open(folder.filePath(QStringLiteral("report.json")));
        for (int i = 0; i < 100 && !m_window.recorded().shown(); ++i) settle(20);
        settle(400);
        take(m_window, "recorded");
        m_state.recording().close();
        settle();
    }
    void takeMenus() {
        for (QAction* top : m_window.menuBar()->actions()) {
            QMenu* menu = top->menu();
            if (menu == nullptr) continue;
            menu->resize(menu->sizeHint());
            take(*menu, qPrintable(QStringLiteral("menu-%1").arg(
                            m_window.menuBar()->actions().indexOf(top))));
        }
    }
    /// All of them, whatever is in sight of the panel.
    void takeSettings() {
        auto* panel = m_window.findChild<KnobPanel*>();
        for (QToolButton* fold : panel->findChildren<QToolButton*>())
            if (fold->isCheckable() && !fold->isChecked()) fold->click();
        settle();
        if (auto* area = panel->findChild<QScrollArea*>()) take(*area->widget(), "settings");
    }

    const Order m_order;
    ThemeSource m_themes;
    app::FakeEngine* m_engine;
    app::ApplicationState m_state;
    MainWindow m_window;
};

int pictures(const QStringList& arguments) {
    const QStringList size = arguments.value(4).split(QLatin1Char('x'));
    if (arguments.size() != 5 || size.size() != 2) {
        std::fputs("usage: window_pictures FOLDER LANGUAGE light|dark WIDTHxHEIGHT\n", stderr);
        return 64;
    }
    Order order{arguments[1], languageOf(arguments[2]),
                arguments[3] == QLatin1String("dark") ? ThemeChoice::Dark : ThemeChoice::Light,
                QSize(size[0].toInt(), size[1].toInt())};
    QDir().mkpath(order.folder);
    const Translation translation(order.language);
    Photographer(order).run();
    return 0;
}

}  // namespace
}  // namespace lacuna::ui

int main(int argc, char** argv) {
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    return lacuna::ui::pictures(QApplication::arguments());
}
