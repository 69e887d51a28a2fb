#include "ui/pages/sweep_page.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "app/state/experiments/measurement_controller.h"
#include "app/state/number_format.h"
#include "app/state/settings/config_controller.h"
#include "ui/charts/pareto_plot.h"
#include "ui/charts/plot_cell.h"
#include "ui/pages/progress_footer.h"
#include "ui/style/page_kit.h"
#include "ui/style/row_table.h"

namespace lacuna::ui {

namespace {

constexpr int kLossLetters = 18;
constexpr int kAskWidth = 270;
/// Methods preselected for a first sweep.
const QStringList& firstMethods() {
    static const QStringList names{QStringLiteral("am"), QStringLiteral("keydiff"),
                                   QStringLiteral("recent")};
    return names;
}

QString percent(double share, int decimals) {
    return app::realText(share * 100, decimals) + QChar(0x00A0) + QLatin1Char('%');
}

/// "+2.3 %", or "0.0 %" if it rounds to zero.
QString changeText(double change) {
    if (std::abs(change) < 0.0005) return percent(0, 1);
    return (change > 0 ? QStringLiteral("+") : QString(QChar(0x2212))) +
           percent(std::abs(change), 1);
}

}  // namespace

ChartTable sweepTable(const QVector<app::SweptSetting>& rows) {
    ChartTable table;
    table.header = {
        SweepPage::tr("Method"),         SweepPage::tr("Requested"),  SweepPage::tr("Best"),
        SweepPage::tr("Bytes left"),     SweepPage::tr("KL, nats"),   SweepPage::tr("KL p99"),
        SweepPage::tr("Same top token"), SweepPage::tr("Perplexity"), SweepPage::tr("Output error"),
        SweepPage::tr("Time"),           SweepPage::tr("Answers")};
    table.textColumns = {0, 1, 2};
    for (const app::SweptSetting& row : rows) {
        QStringList cells{app::MeasurementController::methodLabel(row.method), row.asked};
        if (row.answers == 0) {
            while (cells.size() + 1 < table.header.size()) cells << dash();
            table.rows << (cells << (row.tried() ? SweepPage::tr("nothing evicted")
                                                 : SweepPage::tr("pending")));
            continue;
        }
        const QString change = changeText(row.perplexityChange);
        cells << (row.onFront ? QString(QChar(0x2605)) : QString()) << percent(row.liveShare, 1)
              << app::realText(row.klMean, 4) << app::realText(row.klP99, 4) << percent(row.top1, 1)
              << change << (row.outputError ? app::realText(*row.outputError, 3) : dash())
              << app::durationText(row.compactionMs / 1e3) << app::countText(row.answers);
        table.rows << cells;
    }
    return table;
}

SweepPage::SweepPage(app::MeasurementController& measurement, app::ConfigController& config,
                     const ThemeSource& themes, QWidget* parent)
    : QWidget(parent),
      m_measurement(measurement),
      m_config(config),
      m_plot(new ParetoPlot(themes, this)) {
    setWindowTitle(tr("Sweep settings over this conversation"));
    QVBoxLayout* layout = pageLayout(this);
    QHBoxLayout* row = rowLayout(nullptr, Spacing::wide);
    row->addWidget(buildAsk());
    row->addWidget(buildResults(), 1);
    layout->addLayout(row, 1);
    m_bar = new ProgressFooter(measurement, app::Measuring::Sweep, tr("Sweep"), this);
    layout->addWidget(m_bar);
    connect(m_bar, &ProgressFooter::beginRequested, this, &SweepPage::begin);
    connect(&measurement, &app::MeasurementController::swept, this, &SweepPage::showResult);
    connect(&measurement, &app::MeasurementController::sweptSoFar, this,
            [this](const app::SweepView& view) { showRows(view.rows); });
    setFocusProxy(m_methods.front());
    choose(-1);
}

QWidget* SweepPage::buildAsk() {
    auto* side = new QWidget(this);
    side->setFixedWidth(kAskWidth);
    QVBoxLayout* layout = columnLayout(side, Spacing::half);
    QLabel* title = plainLabel(tr("Methods"), side);
    title->setFont(Theme::font(FontRole::Title));
    layout->addWidget(title);
    for (const auto& [name, help] : app::MeasurementController::methods()) {
        const QString label = app::MeasurementController::methodLabel(name);
        auto* box = new QCheckBox(label, side);
        box->setObjectName(name);
        box->setChecked(firstMethods().contains(name));
        box->setToolTip(tipText(help));
        setAccessible(box, label, help);
        m_methods << box;
        layout->addWidget(box);
        QLabel* said = captionLabel(help, side);
        said->setContentsMargins(Spacing::wide + Spacing::unit, 0, 0, Spacing::half);
        said->setWordWrap(true);
        layout->addWidget(said);
    }
    auto* sizes = new QFormLayout;
    sizes->setContentsMargins(0, Spacing::unit, 0, 0);
    m_ratios = new QLineEdit(QStringLiteral("2, 4, 8"), side);
    m_budgets = new QLineEdit(side);
    m_budgets->setPlaceholderText(tr("slots per head, e.g. 512, 1024"));
    setAccessible(m_ratios, tr("Ratios"), tr("Compression ratios, e.g. 2, 4, 8"));
    setAccessible(m_budgets, tr("Budgets"), m_budgets->placeholderText());
    sizes->addRow(plainLabel(tr("Ratios"), side), m_ratios);
    sizes->addRow(plainLabel(tr("Budgets"), side), m_budgets);
    layout->addLayout(sizes);
    QLabel* note =
        captionLabel(tr("Every method at every size, on a copy of the cache of each answer of this "
                        "conversation. Other settings are the current ones."),
                     side);
    note->setWordWrap(true);
    layout->addWidget(note);
    layout->addStretch(1);
    return side;
}

QWidget* SweepPage::buildResults() {
    auto* splitter = new QSplitter(Qt::Vertical, this);
    splitter->setChildrenCollapsible(false);
    auto* upper = new QWidget(splitter);
    QVBoxLayout* top = columnLayout(upper, Spacing::half);
    QHBoxLayout* head = rowLayout();
    m_chosen = wrappedLabel(upper);
    m_loss = new QComboBox(upper);
    for (const SweepLoss loss : {SweepLoss::Kl, SweepLoss::OtherToken, SweepLoss::OutputError})
        m_loss->addItem(lossName(loss), static_cast<int>(loss));
    // Takes the available width, so the page fits a small screen.
    m_loss->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_loss->setMinimumContentsLength(kLossLetters);
    setAccessible(m_loss, tr("Vertical axis"));
    connect(m_loss, &QComboBox::currentIndexChanged, this,
            [this] { m_plot->setLoss(static_cast<SweepLoss>(m_loss->currentData().toInt())); });
    m_apply = pushButton(tr("Apply these settings"), {}, upper);
    connect(m_apply, &QPushButton::clicked, this, [this] { apply(m_plot->chosen()); });
    head->addWidget(m_loss, 1);
    head->addStretch(1);
    head->addWidget(m_apply);
    top->addLayout(head);
    top->addWidget(m_chosen);
    top->addWidget(m_plot, 1);
    m_table = new ChartTablePage(splitter);
    m_table->setTitle(tr("Every setting"));
    m_table->setTable(sweepTable({}));
    connect(m_table->view().selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& current) { m_plot->choose(current.row()); });
    connect(m_plot, &ParetoPlot::chosenChanged, this, &SweepPage::choose);
    connect(m_plot, &ParetoPlot::applyRequested, this, &SweepPage::apply);
    splitter->addWidget(upper);
    splitter->addWidget(m_table);
    splitter->setStretchFactor(0, 3);
    splitter->setStretchFactor(1, 2);
    return splitter;
}

app::SweepAsk SweepPage::asked() const {
    app::SweepAsk ask;
    for (const QCheckBox* box : m_methods)
        if (box->isChecked()) ask.methods << box->objectName();
    ask.ratios = m_ratios->text();
    ask.budgets = m_budgets->text();
    return ask;
}

void SweepPage::begin() {
    m_measurement.sweep(asked());
    if (m_measurement.view().what == app::Measuring::Sweep) showRows({});
}

void SweepPage::showResult(const app::SweepView& view) {
    if (!view.problem.isEmpty()) {
        const auto tried = std::count_if(m_rows.begin(), m_rows.end(),
                                         [](const auto& row) { return row.tried(); });
        const QString stopped =
            tried == 0 ? tr("Stopped.")
                       : tr("Stopped: %1 of %2 settings tried.")
                             .arg(app::countText(tried), app::countText(m_rows.size()));
        m_bar->showMessage(view.cancelled ? stopped : view.problem, !view.cancelled);
        return;
    }
    showRows(view.rows);
    const auto without = std::count_if(m_rows.begin(), m_rows.end(),
                                       [](const auto& row) { return row.answers == 0; });
    if (without > 0)
        m_bar->showMessage(
            tr("Settings without results: %1. They evicted nothing because the answers are "
               "too short for them; sweep a longer conversation.")
                .arg(without),
            false);
}

/// Keeps the selected setting while further rows arrive.
void SweepPage::showRows(const QVector<app::SweptSetting>& rows) {
    m_rows = rows;
    m_plot->setRows(m_rows);
    m_table->setTable(sweepTable(m_rows));
    choose(m_plot->chosen());
}

void SweepPage::choose(int row) {
    const bool any = row >= 0 && row < m_rows.size();
    QString why = tr("Choose a point or a row first.");
    if (any) why = m_rows[row].valuesBlocker;
    m_apply->setEnabled(why.isEmpty());
    explain(m_apply, why);
    m_chosen->setText(any ? sweptText(m_rows[row]) + QLatin1Char('.') : QString());
    if (any && m_table->view().currentIndex().row() != row) m_table->view().selectRow(row);
}

void SweepPage::apply(int row) {
    if (row < 0 || row >= m_rows.size()) return;
    const app::SweptSetting& setting = m_rows[row];
    if (setting.values.isEmpty()) return m_bar->showMessage(setting.valuesBlocker, true);
    m_config.editAll(setting.values);
    const app::ConfigStatus& status = m_config.status();
    const bool refused = status.state == app::ChangeState::Rejected;
    m_bar->showMessage(
        refused ? status.sentence
                : tr("%1 %2 was sent to the engine.")
                      .arg(app::MeasurementController::methodLabel(setting.method), setting.asked),
        refused);
}

}  // namespace lacuna::ui
