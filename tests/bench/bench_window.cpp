// Delay of the window's event loop under full load: the engine writes an answer, a million samples
// are stored and charted, a conversation of ten thousand messages is scrolled, a text of 5 MB is
// pasted and sent, and the report page is opened with its pictures. A timer of 10 ms measures its
// own delay. Prints one JSON object for each part and one for all. Exit status 1 if a goal is
// missed (p99 below 16 ms, at most 100 ms). Usage: bench_window MODEL.gguf [samples] [messages]
// [seconds per part]

#include <QClipboard>
#include <QElapsedTimer>
#include <QScrollBar>
#include <QTimer>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

#include "app/state/application_state.h"
#include "app/state/chat/chat_controller.h"
#include "app/state/chat/chat_model.h"
#include "app/state/models/model_controller.h"
#include "app/state/telemetry/metrics_store.h"
#include "engine/base/clock.h"
#include "tests/ui/offscreen.h"
#include "tests/ui/session_tape.h"
#include "ui/chat/chat_view.h"
#include "ui/chat/prompt_box.h"
#include "ui/report/export_page.h"
#include "ui/style/theme.h"
#include "ui/window/action_registry.h"
#include "ui/window/main_window.h"

namespace {

using namespace lacuna;

constexpr int kBeatMs = 10;
constexpr int kScrollMs = 30;
constexpr double kGoalP99Ms = 16, kGoalMaxMs = 100;
constexpr qsizetype kPasteBytes = 5'000'000;

/// Delays of a timer of kBeatMs in milliseconds, and how often an answer was being written.
class Heartbeat {
  public:
    explicit Heartbeat(const app::ChatController& chat) : m_chat(chat) {
        m_timer.setTimerType(Qt::PreciseTimer);
        QObject::connect(&m_timer, &QTimer::timeout, [this] {
            m_late.push_back(
                std::max(0.0, static_cast<double>(m_since.nsecsElapsed()) / 1e6 - kBeatMs));
            m_since.restart();
            m_answering += m_chat.anyAnswering() ? 1 : 0;
        });
    }
    void start() {
        m_late.clear();
        m_answering = 0;
        m_since.start();
        m_timer.start(kBeatMs);
    }
    std::vector<double> stop() {
        m_timer.stop();
        return std::move(m_late);
    }
    [[nodiscard]] int answering() const {
        return m_answering;
    }  ///< number of beats during an answer

  private:
    const app::ChatController& m_chat;
    int m_answering = 0;
    QTimer m_timer;
    QElapsedTimer m_since;
    std::vector<double> m_late;
};

double percentile(std::vector<double> values, double share) {
    if (values.empty()) return 0;
    std::sort(values.begin(), values.end());
    return values[std::min(values.size() - 1,
                           static_cast<std::size_t>(share * static_cast<double>(values.size())))];
}

/// The goals that apply to a part. For brief work spread over many beats only the longest delay
/// counts, but its beats are part of the total.
enum class Judged { Both, Longest };

/// Prints a line. Returns true if it meets the goals.
bool tell(const char* part, const std::vector<double>& late, int answering,
          Judged judged = Judged::Both) {
    const double p99 = percentile(late, 0.99), most = percentile(late, 1.0);
    std::printf(
        "{\"part\": \"%s\", \"beats\": %zu, \"while_answering\": %d, \"delay_p50_ms\": %.1f, "
        "\"delay_p99_ms\": %.1f, \"delay_max_ms\": %.1f}\n",
        part, late.size(), answering, percentile(late, 0.5), p99, most);
    std::fflush(stdout);
    return (judged == Judged::Longest || p99 < kGoalP99Ms) && most < kGoalMaxMs;
}

/// Returns alternating questions and answers of some 500 characters each.
QVector<app::ChatLine> conversation(int messages) {
    QVector<app::ChatLine> lines;
    for (int i = 0; i < messages; ++i) {
        app::ChatLine line;
        line.speaker = i % 2 == 0 ? app::MessageRole::Person : app::MessageRole::Model;
        line.text =
            QStringLiteral("Message %1 has **words** and `code`.\n\n").arg(i) +
            QStringLiteral("One of its sentences, of which it has several. ").repeated(3 + i % 11) +
            QStringLiteral("\n\n- one\n- two\n");
        lines << line;
    }
    return lines;
}

bool waitFor(int most, const std::function<bool()>& done) {
    QElapsedTimer clock;
    clock.start();
    while (!done() && clock.elapsed() < most)
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents, 50);
    return done();
}

/// Runs the event loop for `milliseconds`.
void live(int milliseconds) {
    QTimer::singleShot(milliseconds, qApp, &QCoreApplication::quit);
    QApplication::exec();
}

app::PromptDraft question(const QString& text) {
    app::PromptDraft draft;
    draft.text = text;
    return draft;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        std::fprintf(stderr, "usage: bench_window MODEL.gguf [samples] [messages] [seconds]\n");
        return 2;
    }
    const int samples = argc > 2 ? std::atoi(argv[2]) : 1'000'000;
    const int messages = argc > 3 ? std::atoi(argv[3]) : 10'000;
    const int part = 1000 * (argc > 4 ? std::atoi(argv[4]) : 8);
    ui::offscreenApplication();
    ui::ThemeSource themes(ui::ThemeChoice::Light);
    app::ApplicationOptions options;
    options.settings << QStringLiteral("max_tokens=100000") << QStringLiteral("context_shift=4");
    app::ApplicationState state(options);
    ui::MainWindow window(state, themes);
    window.resize(1280, 800);
    window.show();
    app::ChatController& chat = state.chat();
    state.model().load(QString::fromLocal8Bit(argv[1]));
    if (!waitFor(60'000, [&state] { return state.model().problem().isEmpty(); })) {
        std::fprintf(stderr, "%s\n", qPrintable(state.model().problem()));
        return 1;
    }
    // Steps of some 4 ms that end before the engine's first step.
    constexpr int kPerAnswer = 2000;
    constexpr qint64 kNsPerAnswer = 13'000'000'000;
    const int answers = samples / kPerAnswer + 1;
    ui::playTape(state.metrics(), {.answers = answers,
                                   .tokens = kPerAnswer,
                                   .idleSeconds = 0.02,
                                   .stepMs = 1,
                                   .startNs = SteadyClock().nowNs() - answers * kNsPerAnswer});
    window.showWholeSession();

    const qint64 answered = chat.current();
    const auto ask = [&chat] {
        if (!chat.answering()) chat.submit(question(QStringLiteral("Tell me a very long story.")));
    };
    // Starts one answer after another, whichever conversation is shown.
    QObject::connect(
        &chat, &app::ChatController::answerFinished, &chat,
        [&](qint64 id) {
            if (id != answered) return;
            const qint64 shown = chat.current();
            chat.select(answered);
            ask();
            chat.select(shown);
        },
        Qt::QueuedConnection);
    ask();
    waitFor(10'000, [&chat] { return !chat.currentModel().line(1).text.isEmpty(); });

    Heartbeat beat(chat);
    int answering = 0;
    std::vector<double> all;
    bool good = true;
    const auto ended = [&](const char* name, Judged judged = Judged::Both) {
        const std::vector<double> late = beat.stop();
        all.insert(all.end(), late.begin(), late.end());
        answering += beat.answering();
        good = tell(name, late, beat.answering(), judged) && good;
    };

    beat.start();
    live(part);
    ended("an answer is written");

    QVector<app::ChatLine> lines = conversation(messages);
    chat.newConversation();
    const qint64 longOne = chat.current();
    live(200);
    beat.start();
    chat.currentModel().setLines(std::move(lines));
    live(part / 4);
    ended("a long conversation is opened");

    QTimer scroll;
    double place = 0;
    QScrollBar& bar = *window.chatView().verticalScrollBar();
    QObject::connect(&scroll, &QTimer::timeout, [&] {
        place += 0.37;
        bar.setValue(static_cast<int>((0.5 + 0.5 * std::sin(place)) * bar.maximum()));
    });
    beat.start();
    scroll.start(kScrollMs);
    live(part);
    scroll.stop();
    ended("it is scrolled through");

    const QString pasted =
        QStringLiteral("A sentence of a long text.\n").repeated(kPasteBytes / 27);
    QGuiApplication::clipboard()->setText(pasted);
    beat.start();
    QTimer::singleShot(part / 8, [&] { window.prompt().edit()->paste(); });
    live(part / 2);
    ended("5 MB are pasted");

    chat.newConversation();
    live(200);
    beat.start();
    QTimer::singleShot(part / 8, [&] { Q_EMIT window.prompt().sendRequested(); });
    live(part);
    ended("5 MB are sent");

    beat.start();
    QTimer::singleShot(part / 8,
                       [&] { window.actions().find(QStringLiteral("report.export"))->trigger(); });
    live(part);
    window.showTelemetry();
    ended("the page of the report is opened", Judged::Longest);

    beat.start();
    for (int i = 0; i < 6; ++i) {
        chat.select(i % 2 == 0 ? answered : longOne);
        live(part / 12);
    }
    ended("conversations are looked at in turn");

    good = tell("all", all, answering) && good;
    chat.select(answered);
    chat.stop();
    waitFor(5000, [&chat] { return !chat.anyAnswering(); });
    return good ? 0 : 1;
}
