// Memory of the process during a session in the window: the bundled model is loaded, answers, reads
// a text and compacts it; settings are compared and swept, a report is written, and other models
// are loaded before the bundled one returns. After each phase the engine idles long enough to
// release memory for estimates. Then prints one JSON object: resident memory by kind
// (/proc/self/status), allocated and free bytes of the C heap, and the figures of the window. With
// --trim also the resident memory after malloc_trim. Exit status 1 if memory after the return to
// the bundled model exceeds that after its first load by more than the limit (MiB, default 96).
// Usage: bench_memory [--limit MIB] [--trim] [OTHER.gguf...]

#include <malloc.h>

#include <QElapsedTimer>
#include <QTemporaryDir>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "app/state/application_state.h"
#include "app/state/chat/chat_controller.h"
#include "app/state/experiments/measurement_controller.h"
#include "app/state/models/model_controller.h"
#include "app/state/report/report_controller.h"
#include "app/state/settings/config_controller.h"
#include "app/state/telemetry/session_feed.h"
#include "tests/ui/offscreen.h"
#include "ui/style/theme.h"
#include "ui/window/action_registry.h"
#include "ui/window/guided_demo.h"
#include "ui/window/main_window.h"

namespace {

using namespace lacuna;

constexpr int kPatienceMs = 900'000;  ///< timeout of one engine operation
constexpr int kRestMs = 12'000;
constexpr double kMiB = 1024.0 * 1024.0;

bool waitUntil(const std::function<bool()>& done) {
    QElapsedTimer clock;
    clock.start();
    while (!done() && clock.elapsed() < kPatienceMs)
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents, 50);
    if (!done()) std::fprintf(stderr, "a phase did not end in time\n");
    return done();
}

void rest(int milliseconds = kRestMs) {
    QElapsedTimer clock;
    clock.start();
    while (clock.elapsed() < milliseconds) {
        QCoreApplication::processEvents({}, 20);
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);  // no event loop runs
    }
}

/// Returns a line of /proc/self/status, in MiB.
double statusMiB(const char* key) {
    std::ifstream file("/proc/self/status");
    for (std::string line; std::getline(file, line);)
        if (line.starts_with(key)) return std::atof(line.c_str() + std::strlen(key) + 1) / 1024;
    return 0;
}

class Session {
  public:
    explicit Session(const QString& data)
        : m_state(app::ApplicationOptions{
              .settings = {QStringLiteral("temperature=0"), QStringLiteral("max_tokens=96"),
                           QStringLiteral("precision=fast")},
              .workerNiceness = 0,
              .dataFolder = data}),
          m_window(m_state, m_themes) {
        m_window.resize(1280, 800);
        m_window.show();
    }

    [[nodiscard]] app::ApplicationState& state() { return m_state; }

    /// Prints the figures of a phase. Returns the resident MiB.
    double phase(const char* name) {
        rest();
        const app::EngineView& engine = m_state.feed().engine();
        const struct mallinfo2 heap = ::mallinfo2();
        const double resident = statusMiB("VmRSS:");
        std::printf(
            "{\"phase\": \"%s\", \"rss_mib\": %.1f, \"anonymous_mib\": %.1f, \"file_mib\": %.1f, "
            "\"shared_mib\": %.1f, \"peak_mib\": %.1f, \"heap_allocated_mib\": %.1f, "
            "\"heap_free_mib\": %.1f, ",
            name, resident, statusMiB("RssAnon:"), statusMiB("RssFile:"), statusMiB("RssShmem:"),
            statusMiB("VmHWM:"), static_cast<double>(heap.uordblks + heap.hblkhd) / kMiB,
            static_cast<double>(heap.fordblks) / kMiB);
        if (m_trims) {
            ::malloc_trim(0);
            std::printf("\"rss_trimmed_mib\": %.1f, ", statusMiB("VmRSS:"));
        }
        std::printf(
            "\"weights_mib\": %.1f, \"kv_live_mib\": %.1f, \"kv_allocated_mib\": %.1f, "
            "\"kept_mib\": %.1f}\n",
            static_cast<double>(m_state.model().view().weightBytes) / kMiB,
            static_cast<double>(engine.liveBytes) / kMiB,
            static_cast<double>(engine.allocatedBytes) / kMiB,
            static_cast<double>(engine.prefixBytes) / kMiB);
        std::fflush(stdout);
        return resident;
    }
    bool load(const QString& path) {
        if (path.isEmpty())
            m_state.model().loadBundled();
        else
            m_state.model().load(path);
        return waitUntil([this] { return !m_state.model().loading(); }) &&
               m_state.model().problem().isEmpty();
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
    void compact() {
        const qint64 before = m_state.feed().compactionsDone();
        m_state.chat().compactNow();
        waitUntil([&] { return m_state.feed().compactionsDone() > before; });
    }
    void waitForMeasuring() {
        waitUntil([this] { return m_state.measurement().view().what == app::Measuring::Nothing; });
    }
    void exportTo(const QString& folder) {
        m_state.report().exportTo(folder, {});
        waitUntil([this] { return !m_state.report().running(); });
    }
    void trimAfterEachPhase() { m_trims = true; }

  private:
    ui::ThemeSource m_themes{ui::ThemeChoice::Light};
    app::ApplicationState m_state;
    ui::MainWindow m_window;
    bool m_trims = false;
};

}  // namespace

int main(int argc, char** argv) {
    double limit = 96;
    bool trims = false;
    std::vector<QString> others;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        if (word == "--limit" && i + 1 < argc)
            limit = std::atof(argv[++i]);
        else if (word == "--trim")
            trims = true;
        else
            others.push_back(QString::fromLocal8Bit(argv[i]));
    }
    ui::offscreenApplication();
    const QTemporaryDir folder;
    const ui::DemoScript script = ui::loadDemoScript();
    if (!script.problem.isEmpty()) {
        std::fprintf(stderr, "%s\n", qPrintable(script.problem));
        return 1;
    }
    Session session(folder.filePath(QStringLiteral("data")));
    if (trims) session.trimAfterEachPhase();
    app::ApplicationState& state = session.state();
    session.phase("window opened");
    if (!session.load({})) return 1;
    const double first = session.phase("bundled model loaded");
    session.ask(QStringLiteral("Hello! Who are you?"));
    session.phase("short chat");
    state.chat().newConversation();
    session.ask(script.read, script.title, script.text);
    session.phase("text read");
    session.set({{QStringLiteral("method"), QStringLiteral("am")},
                 {QStringLiteral("am_ratio"), QStringLiteral("8")}});
    session.compact();
    session.phase("attention matching");
    session.ask(script.questions.front().ask);
    session.phase("asked afterwards");
    state.measurement().resetSidesToSettings();
    state.measurement().compare(script.story);
    session.waitForMeasuring();
    session.phase("compared");
    state.measurement().sweep({.methods = {QStringLiteral("am"), QStringLiteral("keydiff")},
                               .ratios = QStringLiteral("2, 8"),
                               .budgets = {}});
    session.waitForMeasuring();
    session.phase("swept");
    session.exportTo(folder.filePath(QStringLiteral("report")));
    session.phase("report written");
    for (const QString& other : others) {
        if (!session.load(other)) return 1;
        const std::string name = other.section(QLatin1Char('/'), -1).toStdString();
        session.phase((name + " loaded").c_str());
        state.chat().newConversation();
        session.ask(QStringLiteral("Tell me about the history of Python in five sentences."));
        session.phase((name + " asked").c_str());
    }
    if (!session.load({})) return 1;
    const double again = session.phase("bundled model again");
    state.model().unload();
    waitUntil([&] { return state.model().view().state == app::ModelState::None; });
    session.phase("no model");
    if (again - first <= limit) return 0;
    std::fprintf(stderr, "%.0f MiB after the return, %.0f MiB at first\n", again, first);
    return 1;
}
