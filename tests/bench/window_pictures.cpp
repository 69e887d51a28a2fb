// Pictures of every page, dialogue and state of the window, for visual review:
//   window_pictures FOLDER LANGUAGE WIDTHxHEIGHT...     all of them in both themes at each size
//   window_pictures --screenshots FOLDER                those of the README
// Runs a session with the bundled model on this machine: texts are read, asked about and compacted,
// settings compared and swept, a report written and opened. Tables that would take minutes, a long
// answer with code and a hub are made up, for the first form only. tests/bench/window_pictures.sh
// runs all.

#include <QApplication>
#include <QDir>
#include <QElapsedTimer>
#include <QHash>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QMenuBar>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QTabWidget>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QTemporaryFile>
#include <QToolButton>
#include <algorithm>
#include <cstdio>
#include <functional>
#include <utility>

#include "app/serve/window_server.h"
#include "app/state/application_state.h"
#include "app/state/chat/chat_controller.h"
#include "app/state/chat/chat_model.h"
#include "app/state/engine/engine_text.h"
#include "app/state/experiments/measurement_controller.h"
#include "app/state/experiments/quality_controller.h"
#include "app/state/models/model_controller.h"
#include "app/state/models/model_library.h"
#include "app/state/report/recording_controller.h"
#include "app/state/report/report_controller.h"
#include "app/state/server/server_controller.h"
#include "app/state/settings/config_controller.h"
#include "app/state/telemetry/session_feed.h"
#include "engine/quality/table_files.h"
#include "engine/session/event.h"
#include "tests/app/hub/fake_hub.h"
#include "tests/support/made_up_table.h"
#include "ui/charts/pareto_plot.h"
#include "ui/chat/chat_view.h"
#include "ui/chat/find_bar.h"
#include "ui/chat/message_editor.h"
#include "ui/chat/prompt_box.h"
#include "ui/pages/compare_page.h"
#include "ui/pages/download_page.h"
#include "ui/pages/models_page.h"
#include "ui/pages/progress_footer.h"
#include "ui/pages/remote_page.h"
#include "ui/pages/sweep_page.h"
#include "ui/panels/preview_panel.h"
#include "ui/panels/settings_panel.h"
#include "ui/panels/telemetry_panel.h"
#include "ui/style/language.h"
#include "ui/style/theme.h"
#include "ui/window/action_registry.h"
#include "ui/window/demo_bar.h"
#include "ui/window/guided_demo.h"
#include "ui/window/main_window.h"
#include "ui/window/page_stack.h"
#include "ui/window/recorded_view.h"
#include "ui/window/window_dialogs.h"
#include "ui/window/window_notices.h"

namespace lacuna::ui {
namespace {

constexpr int kRestMs = 60;
constexpr int kPreviewMs = 4000;      ///< charts of the preview are drawn sequentially
constexpr int kPatienceMs = 600'000;  ///< timeout of one engine operation
const QSize kFrame(8, 36);            ///< window frame of most systems

void settle(int milliseconds = 200) {
    QElapsedTimer clock;
    clock.start();
    while (clock.elapsed() < milliseconds) {
        QCoreApplication::processEvents({}, 20);
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);  // no event loop runs
    }
}

bool waitUntil(const std::function<bool()>& done) {
    return test::waitFor(done, kPatienceMs);
}

const char* const kCodeAnswer =
    "A stable sort keeps items with equal keys in the order they came in. There are two ways to "
    "have one here.\n\n"
    "## With the standard library\n\n"
    "`std::stable_sort` takes **O(n log n)** comparisons where it may have memory for a copy, and "
    "*O(n log² n)* where it may not:\n\n"
    "```cpp\n"
    "struct Reading {\n"
    "    std::string station;\n"
    "    double level = 0;  // metres above chart datum\n"
    "};\n\n"
    "void byStation(std::vector<Reading>& readings) {\n"
    "    std::stable_sort(readings.begin(), readings.end(),\n"
    "                     [](const Reading& a, const Reading& b) {\n"
    "                         return a.station < b.station;\n"
    "                     });\n"
    "}\n"
    "```\n\n"
    "## Where keys are small numbers\n\n"
    "1. Count how often each key comes.\n"
    "2. Turn counts into places by a running sum.\n"
    "3. Put every item at its place, in the order they came in.\n\n"
    "| way | time | extra memory |\n|---|---|---|\n"
    "| `stable_sort` | O(n log n) | n items |\n| counting | O(n + k) | n items, k numbers |\n\n"
    "```python\ndef counting_sort(items, key, k):\n    buckets = [[] for _ in range(k)]\n"
    "    for item in items:\n        buckets[key(item)].append(item)\n"
    "    return [item for bucket in buckets for item in bucket]\n```\n\n"
    "> Both need memory for a second copy; a heap sort does not, and is not stable.\n";

/// Returns a table of the loaded model.
QualityTable madeUpTable(const app::ModelView& model, TableSize size) {
    QualityTable made = test::madeUpTable(size);
    made.model = model.name.toStdString();
    made.fingerprint = model.fingerprint.toStdString();
    made.machine = "made up";
    if (size == TableSize::Formats) return made;
    made.autoBudgets = "am task_free";
    for (const double ratio : {2.0, 4.0, 8.0}) {
        const auto less = static_cast<int>(ratio);
        made.rows.push_back(test::madeUpRow("am task_free", ratio, 30 - less, 0.01));
        made.rows.push_back(test::madeUpRow("am coverage", ratio, 28 - less, 0.03));
        made.rows.push_back(test::madeUpRow("keydiff", ratio, 16 - less, 0.5));
        made.rows.push_back(test::madeUpRow("recent", ratio, 4, 1.25));
    }
    made.rows.push_back(test::refusedRow("am coverage", 64, "AM ratio 64 is above 50"));
    return made;
}

/// The window with a session of its own.
class Stage {
  public:
    Stage()
        : m_state(app::ApplicationOptions{
              .settings = {QStringLiteral("temperature=0"), QStringLiteral("max_tokens=160")},
              .workerNiceness = 0,
              .dataFolder = data(),
              .server =
                  [](EngineHost& engine, app::ServerProgram::ViewCallback told) {
                      return std::make_unique<app::WindowServer>(engine, "pictures",
                                                                 std::move(told));
                  },
              .program = QCoreApplication::applicationDirPath() + QStringLiteral("/lacuna")}),
          m_window(m_state, m_themes) {}

    MainWindow& window() { return m_window; }
    app::ApplicationState& state() { return m_state; }
    ThemeSource& themes() { return m_themes; }

    bool load() {
        m_state.model().loadBundled();
        return waitUntil([this] { return m_state.model().view().state == app::ModelState::Ready; });
    }
    void trigger(const char* id) {
        if (QAction* action = m_window.actions().find(QLatin1String(id))) action->trigger();
        settle();
    }
    void set(const QVector<std::pair<QString, QString>>& values) {
        m_state.config().editAll(values);
        m_state.config().submitNow();
        waitUntil([&] {
            return std::all_of(values.begin(), values.end(), [this](const auto& one) {
                return m_state.config().effective(one.first) == one.second;
            });
        });
    }
    void ask(const QString& text, const QString& title = {}, const QString& attached = {}) {
        m_state.chat().submit({text, title, attached});
        waitUntil([this] { return !m_state.chat().answering(); });
    }
    /// Reads a text and asks about it, first in full and then four times smaller.
    void talk() {
        const DemoScript script = loadDemoScript();
        set({{QStringLiteral("background"), QStringLiteral("off")}});
        ask(QStringLiteral("Hello! Who are you?"));
        m_state.chat().newConversation();
        ask(script.read, script.title, script.text);
        m_read = m_state.chat().current();
        ask(script.questions.front().ask);
        set({{QStringLiteral("method"), QStringLiteral("am")},
             {QStringLiteral("am_ratio"), QStringLiteral("4")}});
        estimate();
        const qint64 before = m_state.feed().compactionsDone();
        m_state.chat().compactNow();
        waitUntil([&] { return m_state.feed().compactionsDone() > before; });
        for (int i = 1; i < script.questions.size(); ++i) ask(script.questions.at(i).ask);
        m_window.showWholeSession();
        settle(800);
    }
    void compare() {
        trigger("measure.compare");
        m_compare = m_window.findChild<ComparePage*>();
        m_compare->findChild<QPlainTextEdit*>()->setPlainText(loadDemoScript().story);
        m_compare->bar().beginButton().click();
        waitUntil([this] { return m_state.measurement().view().what == app::Measuring::Nothing; });
        settle();
    }
    void sweep() {
        trigger("measure.sweep");
        m_sweep = m_window.findChild<SweepPage*>();
        m_sweep->bar().beginButton().click();
        waitUntil([this] { return m_state.measurement().view().what == app::Measuring::Nothing; });
        settle();
        m_sweep->plot().choose(1);
    }
    ComparePage& compared() { return *m_compare; }
    SweepPage& swept() { return *m_sweep; }
    [[nodiscard]] qint64 read() const { return m_read; }
    [[nodiscard]] QString data() const { return m_folder.filePath(QStringLiteral("data")); }
    [[nodiscard]] QString folder() const { return m_folder.path(); }

  private:
    void estimate() {
        for (QPushButton* button : m_window.whatIf().findChildren<QPushButton*>()) {
            if (!button->isEnabled()) continue;
            button->click();  // Estimate is the first page
            break;
        }
        settle(3000);
    }

    const QTemporaryDir m_folder{QDir::tempPath() + QStringLiteral("/lacuna")};
    ThemeSource m_themes{ThemeChoice::Light};
    app::ApplicationState m_state;
    MainWindow m_window;
    ComparePage* m_compare = nullptr;
    SweepPage* m_sweep = nullptr;
    qint64 m_read = 0;
};

void save(QWidget& widget, const QString& path) {
    const QImage picture = widget.grab().toImage().convertToFormat(QImage::Format_RGB32);
    if (!picture.save(path)) std::fprintf(stderr, "cannot write %s\n", qPrintable(path));
}

/// Takes all pictures at one size in one theme and restores the window afterwards. Can be called
/// repeatedly.
class Photographer {
  public:
    explicit Photographer(Stage& stage)
        : m_stage(stage), m_window(stage.window()), m_state(stage.state()) {}

    void takeEmpty(const QString& folder, QSize size) {
        begin(folder, size);
        take(m_window, "empty");
    }
    /// Prepares the made-up content once.
    void prepare() {
        for (const TableSize size : {TableSize::Small, TableSize::Formats}) {
            const QualityTable table = madeUpTable(m_state.model().view(), size);
            const auto files = tableFiles(m_stage.data().toStdString(), table.fingerprint, size);
            if (!storeTable(files.table, table))
                std::fprintf(stderr, "cannot write %s\n", files.table.c_str());
        }
        m_state.quality().readTables();
        m_hub.repository("maker/pilot-gguf", {{"pilot-q8_0.gguf", test::ggufBytes(400'000)},
                                              {"pilot-q4_0.gguf", test::ggufBytes(200'000)}});
        writeReport();
        makeCode();
        m_state.drain();
    }
    void takeAll(const QString& folder, QSize size) {
        begin(folder, size);
        takeChat();
        takeMenus();
        takeSettings();
        for (const char* page :
             {"help.shortcuts", "help.log", "help.about", "help.welcome", "measure.compare",
              "measure.sweep", "measure.quality", "measure.formats", "memory.open", "chat.rename",
              "chat.system", "pin.list", "report.export", "model.details"})
            takePage(page);
        takeModels();
        takeServer();
        takeRemote();
        takeContextFull();
        takePagesOfRail();
        takePanels();
        takeRecorded();
        takeDemo();
    }

  private:
    void begin(const QString& folder, QSize size) {
        m_folder = folder;
        m_size = size;
        QDir().mkpath(folder);
        m_window.show();
        m_window.notice().hide();
        m_stage.trigger("page.chat");
        m_window.resize(size);
        settle(400);
    }
    void take(QWidget& widget, const QString& name) {
        save(widget, m_folder + QLatin1Char('/') + name + QStringLiteral(".png"));
    }
    /// Gives a dialog its own size, or the largest that the screen allows.
    void fit(QWidget& page) {
        constexpr const char* kOwn = "ownSize";  // size before a smaller screen reduced it
        if (!page.property(kOwn).isValid()) page.setProperty(kOwn, page.size());
        page.resize(page.property(kOwn).toSize().boundedTo(m_size - kFrame));
        settle(kRestMs);
    }
    QList<QWidget*> pages() const {
        QList<QWidget*> found;
        for (QWidget* page : QApplication::topLevelWidgets())
            if (page != &m_window && page->isVisible() && page->inherits("QDialog")) found << page;
        return found;
    }
    void closePages() {
        for (QWidget* page : pages()) page->close();
        settle(50);
    }
    void takePage(const char* id) {
        m_stage.trigger(id);
        settle(QLatin1String(id) == QLatin1String("report.export") ? kPreviewMs : kRestMs);
        for (QWidget* page : pages()) {
            fit(*page);
            take(*page, QLatin1String(id));
        }
        if (pages().isEmpty()) take(m_window, QLatin1String(id));
        closePages();
        m_stage.trigger("page.chat");
    }
    void takeChat() {
        m_state.chat().select(m_stage.read());
        settle(400);
        take(m_window, "conversation");
        m_stage.trigger("view.retention");
        settle(600);
        take(m_window, "overlay");
        m_stage.trigger("view.retention");
        m_window.chatView().beginEdit(2);
        settle();
        take(m_window, "message-edited");
        m_stage.trigger("page.chat");
        for (auto* editor : m_window.chatView().findChildren<MessageEditor*>())
            Q_EMIT editor->cancelled();
        settle();
        m_stage.trigger("chat.find");
        if (auto* words = m_window.find().findChild<QLineEdit*>())
            words->setText(QStringLiteral("the"));
        settle(600);
        take(m_window, "find");
        m_window.find().close();
        m_window.notice().showMessage(
            NoticeKind::Problem,
            QStringLiteral("The model could not be loaded: /home/ada/models/broken.gguf ends after "
                           "1,204 of 9,112 tensors' bytes; download it again."),
            m_window.actions().find(QStringLiteral("model.load"))->text(), [] {});
        m_window.prompt().attach(QStringLiteral("contract.pdf"), loadDemoScript().text);
        settle(400);
        take(m_window, "notice-and-attachment");
        m_window.notice().hide();
        m_window.prompt().clear();
        m_state.chat().select(m_code);
        settle(500);
        m_window.chatView().verticalScrollBar()->setValue(0);
        settle(300);
        take(m_window, "code");
        m_state.chat().select(m_stage.read());
        settle(200);
    }
    void takeMenus() {
        for (QAction* top : m_window.menuBar()->actions()) {
            QMenu* menu = top->menu();
            if (menu == nullptr) continue;
            menu->resize(menu->sizeHint());
            take(*menu, QStringLiteral("menu-%1").arg(m_window.menuBar()->actions().indexOf(top)));
        }
    }
    /// Takes all settings, including those outside of the visible part of the panel.
    void takeSettings() {
        auto* panel = m_window.findChild<SettingsPanel*>();
        for (QPushButton* fold : panel->findChildren<QPushButton*>())
            if (fold->isCheckable() && !fold->isChecked()) fold->click();
        settle();
        if (auto* area = panel->findChild<QScrollArea*>()) take(*area->widget(), "settings");
    }
    void takeModels() {
        ModelsPage& models = m_window.dialogs().openModels();
        waitUntil([this] { return !m_state.library().scanning(); });
        models.choose(m_state.model().view().path);
        settle(kRestMs);
        take(m_window, "models-here");
        models.planTableButton().click();
        settle(kRestMs);
        take(m_window, "models-plan-table");
        models.planTableButton().click();
        models.tabs().setCurrentIndex(1);
        DownloadPage& downloads = models.downloads();
        settle(kRestMs);
        take(m_window, "models-download-empty");
        downloads.hubField().setText(m_hub.address());
        Q_EMIT downloads.hubField().editingFinished();
        downloads.nameField().setText(QStringLiteral("maker/pilot-gguf"));
        downloads.lookUpButton().click();
        test::waitFor([&] { return downloads.offers().rowCount() > 0; });
        if (downloads.downloads().rowCount() == 0) {
            downloads.fetchButton().click();
            test::waitFor([&] { return downloads.downloads().rowCount() > 0; });
            settle(600);
        }
        settle(kRestMs);
        take(m_window, "models-download");
        models.choose(m_state.model().view().path);
        models.tabs().setCurrentIndex(2);
        settle(kRestMs);
        take(m_window, "models-prepare");
        models.tabs().setCurrentIndex(0);
        m_stage.trigger("page.chat");
    }
    void takeServer() {
        m_stage.trigger("server.open");
        take(m_window, "server.open");
        QWidget& page = *m_window.pages().shown();
        for (QWidget* one : page.findChildren<QWidget*>())
            if (one->inherits("QSpinBox")) one->setProperty("value", 0);
        const auto buttons = page.findChildren<QPushButton*>();
        if (!buttons.isEmpty()) buttons.front()->click();
        test::waitFor([this] { return m_state.server().view().state == app::ServerState::On; },
                      5000);
        settle(400);
        take(m_window, "server-on");
        m_state.server().stop();
        test::waitFor([this] { return m_state.server().off(); }, 5000);
        m_stage.trigger("page.chat");
    }
    void takeRemote() {
        takePage("remote.connect");
        m_stage.trigger("remote.connect");
        RemotePage& page = *m_window.dialogs().remoteWindow();
        if (page.engines().count() == 0) {
            page.newButton().click();
            page.nameField().setText(QStringLiteral("Workstation in the cellar"));
            page.addressField().setText(QStringLiteral("192.168.1.20:8000"));
            page.saveButton().click();
        }
        settle(kRestMs);
        take(m_window, "remote-filled");
        m_stage.trigger("page.chat");
    }
    void takeContextFull() {
        m_window.dialogs().showContextFull(app::asSentence(app::engineText(
            QStringLiteral("the prompt has 9204 tokens and the context has room for 8192; shorten "
                           "the conversation or raise the context"))));
        settle();
        for (QWidget* page : pages()) {
            fit(*page);
            take(*page, "context-full");
        }
        closePages();
    }
    void takePagesOfRail() {
        for (const Page page : kPages) {
            for (int tab = 0; tab < m_window.pages().tabs(page).count(); ++tab) {
                m_window.pages().open(page);
                m_window.pages().tabs(page).setCurrentIndex(tab);
                settle(500);
                take(m_window, QStringLiteral("page-%1-%2").arg(pageKey(page)).arg(tab));
            }
        }
        m_stage.trigger("page.chat");
    }
    void takePanels() {
        m_stage.trigger("telemetry.table");
        settle(300);
        take(m_window, "tables");
        m_stage.trigger("telemetry.table");
        m_window.pages().open(m_window.telemetry());
        m_window.telemetry().showMore(true);
        settle(500);
        take(m_window, "telemetry-all");
        m_window.telemetry().showMore(false);
        m_stage.trigger("page.chat");
        m_stage.trigger("focus.tuning");
    }
    void takeRecorded() {
        m_state.recording().open(m_folderOfReport + QStringLiteral("/report.json"));
        test::waitFor([this] { return m_window.recorded().shown(); });
        settle(600);
        take(m_window, "recorded");
        m_state.recording().close();
        settle();
    }
    void takeDemo() {
        const qint64 shown = m_state.chat().current();
        GuidedDemo* demo = m_window.startShortDemo();
        settle(600);
        take(m_window, "demo");
        demo->cancel();
        settle(300);
        take(m_window, "demo-stopped");
        m_window.demoBar().hide();
        m_window.prompt().clear();
        closePages();
        waitUntil([this] { return !m_state.chat().answering(); });
        m_state.chat().select(shown);
    }
    /// Writes the report of the session so far.
    void writeReport() {
        m_folderOfReport = m_stage.folder() + QStringLiteral("/contract-review");
        bool written = false;
        QObject::connect(&m_state.report(), &app::ReportController::finished, &m_window,
                         [&written] { written = true; });
        m_state.report().exportTo(m_folderOfReport, {}, {.pdf = false});
        test::waitFor([&] { return written; });
    }
    /// Makes up a long answer with code, which the bundled model cannot give.
    void makeCode() {
        m_code = m_state.chat().newConversation();
        m_state.chat().rename(m_code, QStringLiteral("Sorting readings by station"));
        app::ChatLine question, answer;
        question.speaker = app::MessageRole::Person;
        question.text = QStringLiteral(
            "How do I sort these readings by station without changing the order within a station?");
        answer.speaker = app::MessageRole::Model;
        answer.text = QString::fromUtf8(kCodeAnswer);
        m_state.chat().currentModel().setLines({question, answer});
        m_state.chat().select(m_stage.read());
        const app::ChatLine& words = m_state.chat().currentModel().line(2);
        m_state.chat().pin({words.id, 0, words.text.size()});
        m_state.chat().select(m_stage.read());
    }

    Stage& m_stage;
    MainWindow& m_window;
    app::ApplicationState& m_state;
    test::FakeHub m_hub;
    QString m_folder;
    QSize m_size;
    QString m_folderOfReport;
    qint64 m_code = 0;
};

const std::pair<ThemeChoice, const char*> kThemes[]{{ThemeChoice::Light, "light"},
                                                    {ThemeChoice::Dark, "dark"}};

constexpr int kColours = 256;

/// Keeps the most frequent colours and maps every other one to the nearest of them. The window has
/// few colours, and a picture with a palette is a third as large.
QImage withFewColours(const QImage& picture) {
    QHash<QRgb, int> counts;
    for (int y = 0; y < picture.height(); ++y)
        for (int x = 0; x < picture.width(); ++x) ++counts[picture.pixel(x, y)];
    QVector<QRgb> table(counts.keyBegin(), counts.keyEnd());
    std::sort(table.begin(), table.end(), [&counts](QRgb a, QRgb b) {
        return std::pair(counts[a], a) > std::pair(counts[b], b);
    });
    table.resize(std::min<qsizetype>(table.size(), kColours));
    const auto apart = [](QRgb a, QRgb b) {
        const int red = qRed(a) - qRed(b), green = qGreen(a) - qGreen(b),
                  blue = qBlue(a) - qBlue(b);
        return red * red + green * green + blue * blue;
    };
    QHash<QRgb, uchar> places;
    for (const QRgb colour : counts.keys())
        places[colour] = static_cast<uchar>(
            std::min_element(table.begin(), table.end(),
                             [&](QRgb a, QRgb b) { return apart(a, colour) < apart(b, colour); }) -
            table.begin());
    QImage few(picture.size(), QImage::Format_Indexed8);
    few.setColorTable(table);
    for (int y = 0; y < picture.height(); ++y)
        for (int x = 0; x < picture.width(); ++x) few.scanLine(y)[x] = places[picture.pixel(x, y)];
    return few;
}

void saveSmall(QWidget& widget, const QString& path) {
    const QImage picture = widget.grab().toImage().convertToFormat(QImage::Format_RGB32);
    if (!withFewColours(picture).save(path, "PNG", 0))
        std::fprintf(stderr, "cannot write %s\n", qPrintable(path));
}

int screenshots(const QString& folder) {
    Stage stage;
    MainWindow& window = stage.window();
    window.resize(1280, 800);
    window.show();
    if (!stage.load()) return 1;
    stage.talk();
    stage.compare();
    stage.sweep();
    stage.trigger("page.chat");
    stage.state().chat().select(stage.read());
    stage.trigger("view.retention");
    settle(800);
    const auto path = [&folder](const char* name) {
        return folder + QLatin1Char('/') + QLatin1String(name) + QStringLiteral(".png");
    };
    for (const auto& [choice, theme] : kThemes) {
        stage.themes().setChoice(choice);
        for (const QSize size : {QSize(1280, 800), QSize(1920, 1080)}) {
            window.resize(size);
            settle(1000);
            saveSmall(window, folder + QStringLiteral("/%1-%2x%3.png")
                                           .arg(QLatin1String(theme))
                                           .arg(size.width())
                                           .arg(size.height()));
        }
    }
    stage.themes().setChoice(ThemeChoice::Light);
    window.resize(1280, 800);
    window.showMaps();
    settle(1000);
    saveSmall(window, path("cache-map"));
    for (const auto& [id, page, name] : {std::tuple<const char*, QWidget*, const char*>{
                                             "measure.compare", &stage.compared(), "compare"},
                                         {"measure.sweep", &stage.swept(), "sweep"}}) {
        stage.trigger(id);
        settle(400);
        saveSmall(*page, path(name));
    }
    return 0;
}

int pictures(const QStringList& arguments) {
    Stage stage;
    Photographer photographer(stage);
    const auto each = [&](const std::function<void(const QString& folder, QSize size)>& take) {
        for (const auto& [choice, theme] : kThemes) {
            stage.themes().setChoice(choice);
            for (int i = 3; i < arguments.size(); ++i) {
                const QStringList size = arguments[i].split(QLatin1Char('x'));
                const QSize logical(size.value(0).toInt(), size.value(1).toInt());
                const double scale = stage.window().devicePixelRatioF();
                QString folder = QStringLiteral("%1/%2-%3-%4x%5")
                                     .arg(arguments[1], arguments[2], QLatin1String(theme))
                                     .arg(logical.width() * scale)
                                     .arg(logical.height() * scale);
                if (scale > 1) folder += QStringLiteral("@%1").arg(scale);
                take(folder, logical);
            }
        }
    };
    each([&](const QString& folder, QSize size) { photographer.takeEmpty(folder, size); });
    if (!stage.load()) return 1;
    stage.talk();
    stage.compare();
    stage.sweep();
    photographer.prepare();
    each([&](const QString& folder, QSize size) { photographer.takeAll(folder, size); });
    return 0;
}

int run(const QStringList& arguments) {
    if (arguments.size() == 3 && arguments[1] == QLatin1String("--screenshots"))
        return screenshots(arguments[2]);
    if (arguments.size() < 4) {
        std::fputs(
            "usage: window_pictures FOLDER LANGUAGE WIDTHxHEIGHT... | --screenshots FOLDER\n",
            stderr);
        return 64;
    }
    const Translation translation(languageOf(arguments[2]));
    return pictures(arguments);
}

}  // namespace
}  // namespace lacuna::ui

int main(int argc, char** argv) {
    // A screen large enough for every page.
    QTemporaryFile screen;
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM") && screen.open()) {
        screen.write(R"({"screens": [{"name": "large", "x": 0, "y": 0, "width": 3840,
                     "height": 2160, "logicalDpi": 96, "logicalBaseDpi": 96, "dpr": 1}]})");
        screen.flush();
        qputenv("QT_QPA_PLATFORM", "offscreen:configfile=" + screen.fileName().toLocal8Bit());
    }
    QApplication application(argc, argv);
    QApplication::setApplicationVersion(QStringLiteral(LACUNA_VERSION));
    return lacuna::ui::run(QApplication::arguments());
}
