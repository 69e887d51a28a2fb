// Cost of a conversation in the window: time to open it, longest time that the window's thread is
// blocked while it is opened, unfolded and scrolled, and resident memory. Covers conversations of
// several lengths, one line without spaces, and a long paste. Prints one JSON object per line.
// Usage: bench_chat [messages ...]; default: 200 500 1000 10000 and the long texts.

#include <QElapsedTimer>
#include <QFile>
#include <QScrollBar>
#include <QTimer>
#include <QToolButton>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <vector>

#include "app/state/chat/chat_model.h"
#include "tests/ui/offscreen.h"
#include "ui/chat/chat_view.h"
#include "ui/chat/message_view.h"
#include "ui/style/theme.h"

namespace {

using namespace lacuna;

double rssMib() {
    QFile file(QStringLiteral("/proc/self/status"));
    if (!file.open(QIODevice::ReadOnly)) return 0;
    for (const QByteArray& line : file.readAll().split('\n'))
        if (line.startsWith("VmRSS:"))
            return line.mid(6).simplified().split(' ')[0].toDouble() / 1024;
    return 0;
}

/// Returns the processor time of the window's thread. Unlike wall time this excludes other
/// programs.
double cpuMs() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

/// Runs the event loop until nothing is pending. Returns the longest interval between two polls, in
/// milliseconds of processor time.
double settle(const std::function<bool()>& done) {
    double longest = 0;
    int idle = 0;
    while (idle < 3 || !done()) {
        const double began = cpuMs();
        QCoreApplication::processEvents(QEventLoop::AllEvents);
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        const double ms = cpuMs() - began;
        longest = std::max(longest, ms);
        idle = done() && ms < 0.5 ? idle + 1 : 0;
    }
    return longest;
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

void measure(const QString& name, const QVector<app::ChatLine>& lines, bool unfold) {
    app::ChatModel model;
    model.setLines(lines);
    ui::ThemeSource themes(ui::ThemeChoice::Light);
    const double before = rssMib();
    QElapsedTimer clock;
    clock.start();
    const double began = cpuMs();
    ui::ChatView view(themes);
    view.resize(900, 700);
    view.show();
    view.setModel(&model);
    const double first = cpuMs() - began;
    const double held = std::max(first, settle([] { return true; }));
    const double open = static_cast<double>(clock.nsecsElapsed()) / 1e6;
    if (unfold) {
        for (QToolButton* button : view.findChildren<QToolButton*>())
            if (button->text().startsWith(QStringLiteral("Show "))) button->click();
    }
    clock.start();
    const double slice = settle([&view] {
        for (const auto* message : view.findChildren<ui::MessageView*>())
            if (message->writing()) return false;
        return true;
    });
    const double unfolded = static_cast<double>(clock.nsecsElapsed()) / 1e6;
    const double opened = rssMib();
    QScrollBar& bar = *view.verticalScrollBar();
    constexpr int kSteps = 200;
    double step = 0;
    for (int i = 0; i <= kSteps; ++i) {
        const double from = cpuMs();
        bar.setValue(static_cast<int>(static_cast<qint64>(bar.maximum()) * i / kSteps));
        const double moved = cpuMs() - from;
        step = std::max({step, moved, settle([] { return true; })});
    }
    std::printf(
        "{\"case\": \"%s\", \"messages\": %lld, \"open_ms\": %.1f, \"unfold_ms\": %.1f, "
        "\"longest_hold_cpu_ms\": %.1f, \"longest_scroll_step_cpu_ms\": %.1f, \"views\": %lld, "
        "\"rss_mib\": %.1f, \"rss_grown_mib\": %.1f, \"rss_after_scrolling_mib\": %.1f}\n",
        qPrintable(name), static_cast<long long>(lines.size()), open, unfold ? unfolded : 0.0,
        std::max(held, slice), step,
        static_cast<long long>(view.findChildren<ui::MessageView*>().size()), opened,
        opened - before, rssMib());
    std::fflush(stdout);
}

app::ChatLine line(app::MessageRole speaker, const QString& text) {
    app::ChatLine one;
    one.speaker = speaker;
    one.text = text;
    return one;
}

}  // namespace

int main(int argc, char** argv) {
    ui::offscreenApplication();
    std::vector<int> lengths;
    for (int i = 1; i < argc; ++i) lengths.push_back(std::atoi(argv[i]));
    measure(QStringLiteral("warm up"), conversation(20), false);
    for (const int messages : lengths.empty() ? std::vector{200, 500, 1000, 10'000} : lengths)
        measure(QStringLiteral("conversation"), conversation(messages), false);
    if (!lengths.empty()) return 0;
    QVector<app::ChatLine> large;
    for (int i = 0; i < 260; ++i)
        large << line(i % 2 == 0 ? app::MessageRole::Person : app::MessageRole::Model,
                      QStringLiteral("A sentence of a long text, of many.\n\n").repeated(365));
    measure(QStringLiteral("3.5 MB in 260 messages"), large, false);
    QString run;
    for (int i = 0; i < 1'000'000; ++i) run += QChar(u'a' + i * 7 % 26);
    measure(QStringLiteral("line of 1 MB, question"), {line(app::MessageRole::Person, run)}, true);
    measure(QStringLiteral("line of 1 MB, answer"), {line(app::MessageRole::Model, run)}, true);
    const QString marks = QLatin1Char('a') + QString(10'000, QChar(0x0301));
    measure(QStringLiteral("10,000 combining marks"), {line(app::MessageRole::Person, marks)},
            false);
    measure(
        QStringLiteral("20,000 empty lines"),
        {line(app::MessageRole::Model, QString(20'000, QLatin1Char('\n')) + QStringLiteral("end"))},
        true);
    app::ChatLine pasted = line(app::MessageRole::Person, QStringLiteral("What is it?"));
    pasted.attachment = QStringLiteral("Pasted text");
    pasted.attachmentText = QStringLiteral("A sentence of a long text.\n").repeated(103'000);
    measure(QStringLiteral("paste of 2.8 MB, attached"), {pasted}, false);
    measure(QStringLiteral("text of 2.8 MB"),
            {line(app::MessageRole::Person, pasted.attachmentText)}, true);
    return 0;
}
