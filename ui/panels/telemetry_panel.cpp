#include "ui/panels/telemetry_panel.h"

#include <QBuffer>
#include <QButtonGroup>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QScrollBar>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>

#include "app/state/files/program_files.h"
#include "app/state/list_text.h"
#include "app/state/number_format.h"
#include "ui/charts/plot_cell.h"
#include "ui/style/page_kit.h"

namespace lacuna::ui {

const char* metricName(app::Metric metric) {
    using app::Metric;
    switch (metric) {
        case Metric::LogicalBytes:
            return "logical_bytes";
        case Metric::LiveBytes:
            return "live_bytes";
        case Metric::CodeBytes:
            return "code_bytes";
        case Metric::ScaleBytes:
            return "scale_bytes";
        case Metric::ExactBytes:
            return "exact_window_bytes";
        case Metric::AllocatedBytes:
            return "allocated_bytes";
        case Metric::TargetBytes:
            return "budget_bytes";
        case Metric::TriggerBytes:
            return "trigger_bytes";
        case Metric::TokenRatio:
            return "token_ratio";
        case Metric::ByteRatio:
            return "byte_ratio";
        case Metric::ConfiguredRatio:
            return "configured_ratio";
        case Metric::DecodeRate:
            return "decode_tokens_per_second";
        case Metric::DecodeTrend:
            return "decode_trend_tokens_per_second";
        case Metric::PrefillRate:
            return "prefill_tokens_per_second";
        case Metric::StepMs:
            return "step_ms";
        case Metric::StateBytes:
            return "state_bytes";
        case Metric::CheckpointBytes:
            return "checkpoint_bytes";
        case Metric::MemoryRatio:
            return "memory_ratio";
        case Metric::ResidentBytes:
            return "resident_bytes";
        case Metric::WorkMs:
            return "compaction_ms";
        case Metric::PauseMs:
            return "compaction_pause_ms";
        case Metric::QualityKl:
            return "quality_kl";
        case Metric::QualityTop1:
            return "quality_top1_share";
        case Metric::QualityError:
            return "quality_output_error";
        case Metric::QualityCost:
            return "quality_cost_share";
        case Metric::ReuseShare:
            return "prompt_reused_share";
        case Metric::StoredBytes:
            return "stored_bytes_memory";
        case Metric::DiskBytes:
            return "stored_bytes_disk";
        case Metric::RestoredTokens:
            return "restored_tokens";
        case Metric::KeptTokens:
            return "restored_tokens_kept";
        case Metric::KeptBytes:
            return "restored_bytes_kept";
        case Metric::CacheShare:
            return "cache_share";
        case Metric::AnswersRunning:
            return "answers_running";
        case Metric::RequestsWaiting:
            return "requests_waiting";
        case Metric::AnswerRate:
            return "answer_tokens_per_second";
    }
    return "";
}

QByteArray metricsCsv(const app::MetricsStore& store) {
    QByteArray text("metric,seconds,tokens,value\n");
    const auto extent = store.extent(app::XAxis::Time);
    for (std::size_t i = 0; i < app::kMetricCount; ++i) {
        const auto metric = static_cast<app::Metric>(i);
        const app::SampleSeries& series = store.series(metric);
        for (std::size_t sample = 0; sample < series.size(); ++sample) {
            const app::SeriesPoint point = series.at(sample);
            const double seconds =
                (static_cast<double>(point.timeNs) - (extent ? extent->from : 0)) / 1e9;
            text += metricName(metric);
            text += ',' + QByteArray::number(seconds, 'f', 6) + ',' +
                    QByteArray::number(point.tokens) + ',' +
                    QByteArray::number(point.value, 'g', 15) + '\n';
        }
    }
    return text;
}

namespace {

/// Preferred width / height of a chart.
constexpr double kBestAspect = 1.8;

}  // namespace

ChartGrid::ChartGrid(QWidget* parent) : QScrollArea(parent), m_page(new QWidget) {
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFocusPolicy(Qt::NoFocus);
    // The page background is visible between the charts as hairlines.
    m_page->setAutoFillBackground(true);
    m_page->setBackgroundRole(QPalette::Mid);
    setWidget(m_page);
}

void ChartGrid::addChart(QWidget* chart) {
    chart->setParent(m_page);
    chart->show();
    m_charts.push_back(chart);
    arrange();
}

void ChartGrid::setShown(int count) {
    m_shown = count;
    for (int i = 0; i < m_charts.size(); ++i) m_charts[i]->setVisible(i < count);
    arrange();
}

void ChartGrid::setOneRow() {
    m_oneRow = true;
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    arrange();
}

QSize ChartGrid::cellsFor(QSize area, int charts) {
    const int most = std::clamp(area.width() / kMinWidth, 1, std::max(charts, 1));
    const int seenRows = std::max(1, area.height() / kMinHeight);
    QSize best(1, 1);
    double bestScore = -1;
    for (int columns = 1; columns <= most; ++columns) {
        const int rows = std::min(seenRows, (charts + columns - 1) / columns);
        // As many charts at once as possible; among those layouts, the one closest to the preferred
        // shape.
        const int seen = std::min(charts, rows * columns);
        const double aspect = (static_cast<double>(area.width()) / columns) /
                              (static_cast<double>(area.height()) / rows);
        const int empty = (columns - charts % columns) % columns;
        const double score =
            seen + 1 / (1 + std::abs(std::log(aspect / kBestAspect))) - 0.5 * empty / columns;
        if (score > bestScore) {
            bestScore = score;
            best = {columns, rows};
        }
    }
    return best;
}

void ChartGrid::arrange() {
    const int count = std::min(static_cast<int>(m_charts.size()), m_shown);
    if (count == 0) return;
    const QSize area = viewport()->size();
    const QSize cells = m_oneRow ? QSize(count, 1) : cellsFor(area, count);
    const int rows = (count + cells.width() - 1) / cells.width();
    const int height =
        m_oneRow ? area.height() : std::max(kMinHeight, area.height() / cells.height());
    m_page->resize(area.width(), std::max(area.height(), rows * height));
    for (int i = 0; i < count; ++i) {
        const int column = i % cells.width(), row = i / cells.width();
        // The charts of the last row share its full width.
        const int inRow = std::min(cells.width(), count - row * cells.width());
        const int left = area.width() * column / inRow, right = area.width() * (column + 1) / inRow;
        const int line = column + 1 < inRow ? 1 : 0;
        m_charts[i]->setGeometry(left, row * height, right - left - line,
                                 height - (row + 1 < rows ? 1 : 0));
    }
    verticalScrollBar()->setSingleStep(height / 4);
    verticalScrollBar()->setPageStep(height * cells.height());
}

QRect ChartGrid::seenPart() const {
    return QRect(-m_page->pos(), viewport()->size());
}

bool ChartGrid::shows(const QWidget* chart) const {
    return !chart->isHidden() && seenPart().intersects(chart->geometry());
}

int ChartGrid::readableCharts() const {
    const QRect seen = seenPart();
    return static_cast<int>(
        std::count_if(m_charts.begin(), m_charts.end(), [&](const QWidget* chart) {
            return !chart->isHidden() && seen.contains(chart->geometry()) &&
                   chart->width() >= kMinWidth - 1 && chart->height() >= kMinHeight - 1;
        }));
}

void ChartGrid::resizeEvent(QResizeEvent* event) {
    QScrollArea::resizeEvent(event);
    arrange();
}

bool ChartGrid::event(QEvent* event) {
    if (event->type() == QEvent::LayoutRequest) arrange();
    return QScrollArea::event(event);
}

namespace {

/// Each chart is redrawn at this interval, one chart per timer tick, so the event loop is never
/// blocked for longer than one takes.
constexpr int kActiveMs = 100;
constexpr int kInactiveMs = 250;
/// Below this width the captions of the buttons are hidden.
constexpr int kWideEnough = 780;
/// Below this width table, CSV and PNG move into a menu.
constexpr int kRoomForAll = 960;
/// Below this width the axes move into it, too.
constexpr int kRoomForAxes = 540;

std::int64_t steadyNs() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

/// A recorded session has an end, after which its figures do not age.
std::int64_t endNs(const app::MetricsStore& store) {
    const auto extent = store.extent(app::XAxis::Time);
    return extent ? static_cast<std::int64_t>(extent->to) : 0;
}

QToolButton* toolButton(QWidget* parent, const QString& text, const QString& tip) {
    auto* button = new QToolButton(parent);
    button->setText(text);
    button->setToolTip(tipText(tip));
    button->setAccessibleName(text);
    button->setAccessibleDescription(tip);
    button->setProperty("lacunaRole", QStringLiteral("quiet"));
    button->setFocusPolicy(Qt::TabFocus);
    return button;
}

QString spanText(ChartSpan span, app::XAxis axis) {
    const bool time = axis == app::XAxis::Time;
    switch (span) {
        case ChartSpan::Short:
            return time ? TelemetryPanel::tr("30 s") : TelemetryPanel::tr("1k");
        case ChartSpan::Middle:
            return time ? TelemetryPanel::tr("2 min") : TelemetryPanel::tr("4k");
        case ChartSpan::Long:
            return time ? TelemetryPanel::tr("10 min") : TelemetryPanel::tr("16k");
        case ChartSpan::All:
            return TelemetryPanel::tr("All");
    }
    return {};
}

}  // namespace

TelemetryPanel::TelemetryPanel(const app::MetricsStore& store, const ThemeSource& themes,
                               QWidget* parent, Charts charts)
    : QWidget(parent),
      m_store(&store),
      m_nowNs(steadyNs),
      m_themes(themes),
      m_charts(charts),
      m_timer(new QTimer(this)) {
    QVBoxLayout* layout = columnLayout(this, 0);
    QWidget* bar = buildToolBar();
    bar->setVisible(charts == Charts::All);
    layout->addWidget(bar);
    m_grid = new ChartGrid(this);
    layout->addWidget(m_grid, 1);
    buildCharts();
    if (charts == Charts::Primary) m_grid->setOneRow();
    showMore(false);
    connect(m_grid->verticalScrollBar(), &QScrollBar::valueChanged, this,
            [this] { m_stale = true; });
    connect(m_timer, &QTimer::timeout, this, &TelemetryPanel::tick);
    connect(&m_themes, &ThemeSource::changed, this, [this] {
        for (ChartCell* cell : m_cells) cell->setTheme(m_themes.theme());
    });
    showState();
}

TelemetryPanel::~TelemetryPanel() = default;

QWidget* TelemetryPanel::buildToolBar() {
    auto* bar = new QWidget(this);
    QHBoxLayout* row = rowLayout(bar, Spacing::half);
    row->setContentsMargins(Spacing::unit, Spacing::half, Spacing::unit, Spacing::half);
    bar->setMinimumWidth(1);  // a narrow dock clips the row, which must not impose a minimum width
    auto* live = toolButton(
        bar, tr("Live"),
        tr("Follow the newest steps, or freeze the view while recording continues (F8)"));
    live->setCheckable(true);
    connect(live, &QToolButton::clicked, this, &TelemetryPanel::toggleMode);
    const QFontMetrics letters(live->font());
    live->setMinimumWidth(
        std::max(letters.horizontalAdvance(tr("Live")), letters.horizontalAdvance(tr("Paused"))) +
        26);
    m_live = live;
    row->addWidget(live);
    auto* back = toolButton(bar, QString(), QString());
    setRole(back, QStringLiteral("primary"));
    connect(back, &QToolButton::clicked, this, &TelemetryPanel::followNewest);
    back->hide();
    m_back = back;
    row->addWidget(back);
    row->addSpacing(Spacing::unit);
    m_captions << captionLabel(tr("Window"), bar);
    row->addWidget(m_captions.back());
    m_spans = new QButtonGroup(this);
    for (const ChartSpan span :
         {ChartSpan::Short, ChartSpan::Middle, ChartSpan::Long, ChartSpan::All}) {
        QToolButton* button = toolButton(bar, spanText(span, app::XAxis::Time),
                                         tr("Time range that all charts show"));
        button->setCheckable(true);
        m_spans->addButton(button, static_cast<int>(span));
        row->addWidget(button);
    }
    connect(m_spans, &QButtonGroup::idClicked, this,
            [this](int id) { setSpan(static_cast<ChartSpan>(id)); });
    row->addSpacing(Spacing::unit);
    m_captions << captionLabel(tr("Axis"), bar);
    row->addWidget(m_captions.back());
    m_axes = new QButtonGroup(this);
    for (const app::XAxis axis : {app::XAxis::Time, app::XAxis::Tokens}) {
        QToolButton* button = toolButton(bar, axis == app::XAxis::Time ? tr("Time") : tr("Tokens"),
                                         tr("Horizontal axis: time, or tokens processed"));
        button->setCheckable(true);
        m_axes->addButton(button, static_cast<int>(axis));
        row->addWidget(button);
    }
    connect(m_axes, &QButtonGroup::idClicked, this,
            [this](int id) { setAxis(static_cast<app::XAxis>(id)); });
    row->addSpacing(Spacing::unit);
    QToolButton* all = toolButton(
        bar, tr("All conversations"),
        tr("Show the caches and compactions of all conversations, not only of the one shown"));
    all->setCheckable(true);
    connect(all, &QToolButton::toggled, this, &TelemetryPanel::showAllConversations);
    m_all = all;
    row->addWidget(all);
    QToolButton* others = toolButton(
        bar, tr("More charts"),
        tr("Also show throughput, latency by stage, quality, prompt reuse and stored prefixes"));
    others->setCheckable(true);
    connect(others, &QToolButton::toggled, this, &TelemetryPanel::showMore);
    m_others = others;
    row->addWidget(others);
    m_note = shrinkingCaption(bar);
    row->addWidget(m_note, 1, Qt::AlignRight | Qt::AlignVCenter);
    QToolButton* table =
        toolButton(bar, tr("Table"),
                   tr("Show the focused chart, or all visible charts, as a table, and back (F4)"));
    QToolButton* csv = toolButton(bar, tr("CSV"), tr("Save all samples as a CSV file"));
    QToolButton* png = toolButton(bar, tr("PNG"), tr("Save a picture of the charts"));
    connect(table, &QToolButton::clicked, this, &TelemetryPanel::toggleTable);
    connect(csv, &QToolButton::clicked, this, &TelemetryPanel::csvRequested);
    connect(png, &QToolButton::clicked, this, &TelemetryPanel::pngRequested);
    m_more = toolButton(bar, tr("More"), tr("Table, samples as a file, picture, horizontal axis"));
    m_more->setPopupMode(QToolButton::InstantPopup);
    m_more->setMenu(new QMenu(m_more));
    m_more->menu()->addAction(tr("Show as a table"), this, &TelemetryPanel::toggleTable);
    m_more->menu()->addAction(tr("Save samples (CSV)..."), this, &TelemetryPanel::csvRequested);
    m_more->menu()->addAction(tr("Save a picture (PNG)..."), this, &TelemetryPanel::pngRequested);
    m_more->menu()->addSeparator();
    m_more->menu()->addAction(tr("All conversations"), m_all, &QAbstractButton::toggle);
    m_more->menu()->addAction(tr("Axis: time"), this, [this] { setAxis(app::XAxis::Time); });
    m_more->menu()->addAction(tr("Axis: tokens"), this, [this] { setAxis(app::XAxis::Tokens); });
    m_more->hide();
    for (QToolButton* button : {table, csv, png}) row->addWidget(button);
    m_wide << all << table << csv << png;
    row->addWidget(m_more);
    return bar;
}

void TelemetryPanel::buildCharts() {
    for (const ChartId id : kCharts) {
        if (m_charts == Charts::Primary && m_cells.size() == kPrimaryCharts) break;
        auto* cell = new ChartCell(id, m_themes.theme());
        m_cells.push_back(cell);
        m_grid->addChart(cell);
        draw(cell, data());  // sets name and description before it is first visible
        connectCell(cell);
    }
}

void TelemetryPanel::connectCell(ChartCell* cell) {
    TimeSeriesView& view = cell->view();
    connect(&view, &TimeSeriesView::crosshairMoved, this, [this, cell](bool shown, double x) {
        for (ChartCell* other : m_cells) {
            const bool shares = other->id() != ChartId::LatencyHistogram;
            if (other != cell && shares)
                other->view().setCrosshair(shown ? std::optional(x) : std::nullopt);
        }
    });
    connect(&view, &TimeSeriesView::dotPicked, this, &TelemetryPanel::compactionPicked);
    if (m_charts == Charts::Primary) {
        connect(&view, &TimeSeriesView::resetRequested, this, &TelemetryPanel::enlargeRequested);
        return;
    }
    connect(&view, &TimeSeriesView::zoomRequested, this, [this](double at, double factor) {
        m_window.zoom(data(), at, factor);
        afterWindowChange();
    });
    connect(&view, &TimeSeriesView::panRequested, this, [this](double by) {
        m_window.pan(data(), by);
        afterWindowChange();
    });
    connect(&view, &TimeSeriesView::rangeRequested, this, [this](double from, double to) {
        m_window.show(data(), {from, to});
        afterWindowChange();
    });
    connect(&view, &TimeSeriesView::resetRequested, this, &TelemetryPanel::followNewest);
}

/// A live window of a given length ends at the current time even if nothing happens; the whole
/// session ends with its newest sample.
Range TelemetryPanel::data() const {
    Range stored = dataRange(*m_store, m_window.axis());
    const auto extent = m_store->extent(app::XAxis::Time);
    if (m_recorded || !extent || m_window.axis() != app::XAxis::Time ||
        m_window.span() == ChartSpan::All)
        return stored;
    stored.to = std::max(stored.to, (static_cast<double>(m_nowNs()) - extent->from) / 1e9);
    return stored;
}

void TelemetryPanel::showMore(bool more) {
    const QSignalBlocker quiet(m_others);
    m_others->setChecked(more);
    m_grid->setShown(more ? static_cast<int>(m_cells.size()) : kPrimaryCharts);
    if (isVisible()) refresh();
}

void TelemetryPanel::showChart(ChartId id) {
    const auto at = std::find_if(m_cells.begin(), m_cells.end(),
                                 [id](const ChartCell* cell) { return cell->id() == id; });
    if (at == m_cells.end()) return;
    if (at - m_cells.begin() >= kPrimaryCharts) showMore(true);
    m_grid->ensureWidgetVisible(*at);
}

void TelemetryPanel::follow(const TelemetryPanel& leader) {
    connect(&leader, &TelemetryPanel::modeChanged, this, [this, &leader] {
        m_window = leader.m_window;
        afterWindowChange();
    });
}

void TelemetryPanel::followNewest() {
    m_window.follow();
    for (ChartCell* each : m_cells) each->view().resetVertical();
    afterWindowChange();
}

void TelemetryPanel::toggleMode() {
    if (m_window.mode() == ViewMode::Live) {
        m_window.pause(data());
    } else {
        m_window.follow();
    }
    afterWindowChange();
}

void TelemetryPanel::toggleTable() {
    QVector<ChartCell*> chosen;
    for (ChartCell* cell : m_cells)
        if (cell->isAncestorOf(QWidget::window()->focusWidget())) chosen = {cell};
    if (chosen.isEmpty())
        std::copy_if(m_cells.begin(), m_cells.end(), std::back_inserter(chosen),
                     [this](const ChartCell* cell) { return m_grid->shows(cell); });
    if (chosen.isEmpty()) return;
    const ChartFace face = chosen.front()->otherFace();
    for (ChartCell* cell : chosen) cell->setFace(face);
    refresh();
}

bool TelemetryPanel::showsTable() const {
    const auto seen = std::find_if(m_cells.begin(), m_cells.end(),
                                   [this](const ChartCell* cell) { return m_grid->shows(cell); });
    return seen != m_cells.end() && (*seen)->face() == ChartFace::Table;
}

void TelemetryPanel::setConversation(qint64 conversation) {
    m_conversation = conversation;
    refresh();
}

void TelemetryPanel::showAllConversations(bool all) {
    m_all->setChecked(all);
    refresh();
}

void TelemetryPanel::setSpan(ChartSpan span) {
    m_window.setSpan(span);
    afterWindowChange();
}

void TelemetryPanel::setAxis(app::XAxis axis) {
    m_window.setAxis(axis);
    for (ChartCell* cell : m_cells) cell->view().setCrosshair(std::nullopt);
    afterWindowChange();
    showCursor();
}

void TelemetryPanel::setStore(const app::MetricsStore& store, Source source) {
    m_store = &store;
    if (!m_recorded) m_liveWindow = m_window;
    m_recorded = source == Source::Recorded;
    m_cursorNs.reset();
    m_window = m_liveWindow;
    if (m_recorded) {
        m_window.follow();
        m_window.setSpan(ChartSpan::All);
    }
    m_live->setEnabled(!m_recorded);
    for (ChartCell* cell : m_cells) {
        cell->view().setCrosshair(std::nullopt);
        cell->view().setMoment(std::nullopt);
        draw(cell, data());
    }
    afterWindowChange();
}

void TelemetryPanel::setCursor(std::optional<qint64> timeNs) {
    m_cursorNs = timeNs;
    showCursor();
}

std::optional<double> TelemetryPanel::cursor() const {
    const auto extent = m_store->extent(app::XAxis::Time);
    if (!m_cursorNs || !extent) return std::nullopt;
    if (m_window.axis() == app::XAxis::Tokens) return m_store->tokensAt(*m_cursorNs);
    return std::clamp((static_cast<double>(*m_cursorNs) - extent->from) / 1e9, 0.0,
                      (extent->to - extent->from) / 1e9);
}

/// Shows the figures at the cursor.
void TelemetryPanel::showCursor() {
    for (ChartCell* cell : m_cells)
        if (cell->id() != ChartId::LatencyHistogram) cell->view().setMoment(cursor());
    refresh();
}

void TelemetryPanel::afterWindowChange() {
    showState();
    refresh();
}

void TelemetryPanel::showState() {
    const bool live = m_window.mode() == ViewMode::Live;
    m_live->setChecked(live);
    m_live->setText(live ? tr("Live") : tr("Paused"));
    m_live->setAccessibleName(live ? tr("Live view") : tr("Paused view"));
    const QString back = m_recorded ? tr("Whole session") : tr("Back to live");
    m_back->setText(back);
    m_back->setToolTip(tipText(m_recorded ? tr("Show the whole session again (double-click)")
                                          : tr("Follow the newest steps again (F8)")));
    setAccessible(m_back, back, m_back->toolTip().simplified());
    m_back->setVisible(!live);
    for (QAbstractButton* button : m_spans->buttons()) {
        const auto span = static_cast<ChartSpan>(m_spans->id(button));
        button->setText(spanText(span, m_window.axis()));
        button->setAccessibleName(tr("Window %1").arg(button->text()));
    }
    m_spans->button(static_cast<int>(m_window.span()))->setChecked(true);
    m_axes->button(static_cast<int>(m_window.axis()))->setChecked(true);
    QStringList note;
    if (m_recorded)
        note << tr("recorded session");
    else if (!live)
        note << tr("recording continues");
    if (m_store->dropped() > 0)
        note << tr("%1 samples skipped").arg(app::countText(m_store->dropped()));
    m_note->setText(app::listed(note));
    Q_EMIT modeChanged();
}

void TelemetryPanel::tick() {
    // The age of the newest figure changes with time only; one update per second is enough.
    if (m_tick == 0) {
        const std::int64_t second = m_nowNs() / 1'000'000'000;
        const bool aged = m_window.mode() == ViewMode::Live && second != m_second;
        m_due = m_stale || m_store->changes() != m_seen || aged;
        m_second = second;
        m_seen = m_store->changes();
        m_stale = false;
    }
    if (m_due) drawIfVisible(m_cells[m_tick]);
    m_tick = (m_tick + 1) % m_cells.size();
}

void TelemetryPanel::drawIfVisible(ChartCell* cell) {
    // Charts that are scrolled away are drawn when scrolling makes them visible.
    if (!isVisible() || m_grid->shows(cell)) draw(cell, data());
}

void TelemetryPanel::refresh() {
    m_seen = m_store->changes();
    m_stale = false;
    for (ChartCell* cell : m_cells) drawIfVisible(cell);
}

void TelemetryPanel::draw(ChartCell* cell, Range stored) {
    ChartRequest request{.axis = m_window.axis(),
                         .window = m_window.window(stored),
                         .pixels = cell->view().plotPixels(),
                         .until = std::nullopt,
                         .nowNs = m_recorded ? endNs(*m_store) : m_nowNs(),
                         .moment = m_recorded ? cursor() : std::nullopt};
    if (!m_recorded && !m_all->isChecked()) request.conversation = m_conversation;
    if (m_window.mode() == ViewMode::Paused) request.until = m_window.until(stored);
    cell->setContent(buildChart(cell->id(), *m_store, request));
}

QByteArray TelemetryPanel::csv() const {
    return metricsCsv(*m_store);
}

void TelemetryPanel::saveCsv(const QString& path) {
    save(path, csv());
}

void TelemetryPanel::savePng(const QString& path) {
    save(path, picture());
}

QByteArray TelemetryPanel::picture() {
    const Range stored = data();
    for (ChartCell* cell : m_cells) draw(cell, stored);
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    m_grid->widget()->grab().save(&buffer, "PNG");
    return bytes;
}

void TelemetryPanel::save(const QString& path, const QByteArray& bytes) {
    const QString problem = app::saveFile(path, bytes);
    const QString sentence = problem.isEmpty() ? tr("Saved %1.").arg(path) : problem;
    m_note->setText(sentence);
    m_note->setToolTip(tipText(sentence));
    Q_EMIT noticed(sentence);
}

void TelemetryPanel::setTimer() {
    if (!isVisible()) return m_timer->stop();
    const int round = isActiveWindow() ? kActiveMs : kInactiveMs;
    m_timer->start(round / static_cast<int>(m_cells.size()));
}

void TelemetryPanel::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    m_stale = true;
    setTimer();
}

void TelemetryPanel::hideEvent(QHideEvent* event) {
    QWidget::hideEvent(event);
    setTimer();
}

void TelemetryPanel::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    m_stale = true;
    for (QLabel* label : m_captions + QList<QLabel*>{m_note})
        label->setVisible(width() >= kWideEnough);
    for (QToolButton* button : m_wide) button->setVisible(width() >= kRoomForAll);
    for (QAbstractButton* button : m_axes->buttons()) button->setVisible(width() >= kRoomForAxes);
    m_more->setVisible(width() < kRoomForAll);
}

bool TelemetryPanel::event(QEvent* event) {
    if (event->type() == QEvent::WindowActivate || event->type() == QEvent::WindowDeactivate)
        setTimer();
    return QWidget::event(event);
}

}  // namespace lacuna::ui
