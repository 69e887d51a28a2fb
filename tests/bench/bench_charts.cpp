// Delay of the event loop while the charts are active. A session of a given length is stored, six
// charts are visible and refresh, and new samples arrive; a timer of 10 ms measures its own delay.
// Prints one JSON object, and the cost of each chart to the error stream. Usage: bench_charts
// [samples stored] [samples per second] [seconds]

#include <QElapsedTimer>
#include <QTimer>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

#include "tests/ui/offscreen.h"
#include "tests/ui/session_tape.h"
#include "ui/charts/plot_cell.h"
#include "ui/panels/telemetry_panel.h"
#include "ui/style/theme.h"

namespace {

using namespace lacuna;

constexpr int kBeatMs = 10;
constexpr int kFeedMs = 50;

double percentile(std::vector<double> values, double share) {
    if (values.empty()) return 0;
    std::sort(values.begin(), values.end());
    return values[std::min(values.size() - 1,
                           static_cast<std::size_t>(share * static_cast<double>(values.size())))];
}

qint64 argument(int argc, char** argv, int index, qint64 otherwise) {
    return index < argc ? std::atoll(argv[index]) : otherwise;
}

double cpuMs() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

/// Returns the mean processor time of drawing every chart over the given span once, in
/// milliseconds. Unlike wall time this excludes other programs.
double refreshMs(ui::TelemetryPanel& panel, ui::ChartSpan span) {
    constexpr int kRounds = 20;
    panel.setSpan(span);
    QCoreApplication::processEvents();
    const double began = cpuMs();
    for (int i = 0; i < kRounds; ++i) {
        panel.refresh();
        panel.repaint();
        QCoreApplication::processEvents();
    }
    return (cpuMs() - began) / kRounds;
}

/// Returns the mean processor time of filling and painting one chart, in milliseconds.
double chartMs(ui::ChartCell& cell, const app::MetricsStore& store, const ui::ChartWindow& window) {
    constexpr int kRounds = 20;
    const double began = cpuMs();
    for (int i = 0; i < kRounds; ++i) {
        ui::ChartRequest request;
        request.window = window.window(ui::dataRange(store, app::XAxis::Time));
        request.pixels = cell.view().plotPixels();
        cell.setContent(ui::buildChart(cell.id(), store, request));
        cell.repaint();
        cell.view().repaint();
        QCoreApplication::processEvents();
    }
    return (cpuMs() - began) / kRounds;
}

}  // namespace

int main(int argc, char** argv) {
    const qint64 stored = argument(argc, argv, 1, 1'000'000);
    const qint64 perSecond = argument(argc, argv, 2, 1000);
    const qint64 seconds = argument(argc, argv, 3, 5);
    QApplication& application = ui::offscreenApplication();
    ui::ThemeSource themes(ui::ThemeChoice::Light);
    app::MetricsStore store;
    const int perAnswer = 2000;
    ui::playTape(store, {.answers = static_cast<int>(stored / perAnswer) + 1, .tokens = perAnswer});
    ui::TelemetryPanel panel(store, themes);
    panel.resize(1900, 420);
    panel.show();
    QCoreApplication::processEvents();
    const double all = refreshMs(panel, ui::ChartSpan::All);
    for (ui::ChartCell* cell : panel.cells()) {
        std::fprintf(stderr, "%s: %.2f ms\n", qPrintable(cell->view().content().id),
                     chartMs(*cell, store, panel.window()));
    }
    const double live = refreshMs(panel, ui::ChartSpan::Middle);

    QTimer feed;
    QObject::connect(&feed, &QTimer::timeout, [&] {
        QVector<app::SampleRow> rows(std::max<qint64>(1, perSecond * kFeedMs / 1000),
                                     *store.latest());
        qint64 time = store.latest()->timeNs;
        for (app::SampleRow& row : rows)
            row.timeNs = time += 1'000'000'000 / std::max<qint64>(1, perSecond);
        store.addSamples(rows);
    });
    std::vector<double> late;
    QElapsedTimer sinceBeat;
    QTimer beat;
    beat.setTimerType(Qt::PreciseTimer);
    QObject::connect(&beat, &QTimer::timeout, [&] {
        late.push_back(
            std::max(0.0, static_cast<double>(sinceBeat.nsecsElapsed()) / 1e6 - kBeatMs));
        sinceBeat.restart();
    });
    panel.setSpan(ui::ChartSpan::All);
    feed.start(kFeedMs);
    sinceBeat.start();
    beat.start(kBeatMs);
    QTimer::singleShot(static_cast<int>(seconds * 1000), &application, &QCoreApplication::quit);
    QApplication::exec();

    const auto samples = static_cast<double>(store.series(app::Metric::LiveBytes).size());
    std::printf(
        "{\"steps_stored\": %.0f, \"store_mib\": %.1f, \"charts_visible\": %d, "
        "\"steps_per_second\": %lld, "
        "\"refresh_all_cpu_ms\": %.2f, \"refresh_live_cpu_ms\": %.2f, \"loop_delay_p50_ms\": %.2f, "
        "\"loop_delay_p99_ms\": %.2f, \"loop_delay_max_ms\": %.2f, \"beats\": %zu}\n",
        samples, static_cast<double>(store.bytes()) / (1024.0 * 1024.0),
        panel.findChild<ui::ChartGrid*>()->readableCharts(), static_cast<long long>(perSecond), all,
        live, percentile(late, 0.5), percentile(late, 0.99), percentile(late, 1.0), late.size());
    return 0;
}
