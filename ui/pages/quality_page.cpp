#include "ui/pages/quality_page.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QRegularExpression>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "app/state/experiments/measurement_controller.h"
#include "app/state/figure_language.h"
#include "app/state/list_text.h"
#include "app/state/number_format.h"
#include "ui/pages/progress_footer.h"
#include "ui/style/page_kit.h"
#include "ui/style/row_table.h"

namespace lacuna::ui {

namespace {

using app::QualityController;
using app::QualityRowView;

using QualityRow = const QualityRowView&;
constexpr int kNoteColumn = 10;

QString realOr(const std::optional<double>& value, int decimals) {
    return value ? app::realText(*value, decimals) : dash();
}

QString percentOf(double share) {
    return app::realText(share * 100, 1) + QStringLiteral(" %");
}

QString methodOf(QualityRow row) {
    return app::MeasurementController::methodLabel(row.method);
}

/// The sentence without the code of its rule, which the tooltip has.
QString remarkOf(QualityRow row) {
    static const QRegularExpression code(QStringLiteral("^[A-Z][A-Z0-9-]+: "));
    if (!row.refused.isEmpty()) return QString(row.refused).remove(code);
    if (row.items == 0) return QualityPage::tr("not measured yet");
    QStringList remarks;
    if (row.open > 0)
        remarks << QualityPage::tr("%1 of %2 texts so far")
                       .arg(row.items + row.left)
                       .arg(row.items + row.left + row.open);
    if (row.left > 0) remarks << QualityPage::tr("%1 texts not compacted").arg(row.left);
    return app::listed(remarks);
}

/// A figure of a row, unknown until the row is measured.
template <std::optional<double> (*Figure)(QualityRow), QString (*Text)(double)>
RowTable<QualityRowView>::Column figure(const QString& name, const QString& tip) {
    return {name, tip, CellAlign::Figures,
            [](QualityRow row) {
                const auto value = row.items > 0 ? Figure(row) : std::nullopt;
                return value ? Text(*value) : dash();
            },
            [](QualityRow row) {
                const auto value = row.items > 0 ? Figure(row) : std::nullopt;
                return QVariant(value.value_or(RowTable<QualityRowView>::kNoFigure));
            }};
}

template <std::optional<double> QualityRowView::*Member>
std::optional<double> valueOf(QualityRow row) {
    return row.*Member;
}

template <int Decimals>
QString numberText(double value) {
    return app::realText(value, Decimals);
}

std::optional<double> shareLeft(QualityRow row) {
    if (row.logicalBytes <= 0) return std::nullopt;
    return row.liveBytes / row.logicalBytes;
}

std::optional<double> meanBytes(QualityRow row) {
    return row.liveBytes;
}

std::optional<double> meanSeconds(QualityRow row) {
    return row.seconds;
}

QString sizeText(double count) {
    return app::bytesText(std::llround(count));
}

std::vector<RowTable<QualityRowView>::Column> qualityColumns() {
    return {
        {QualityPage::tr("Method"),
         QualityPage::tr(
             "Attention matching (am) with each way to divide slots among heads, and eviction "
             "with each policy. Other settings as at program start. Questions: the head "
             "profile was made with questions of the tested kinds, a bench option."),
         CellAlign::Words, methodOf},
        {QualityPage::tr("Requested"),
         QualityPage::tr("How many times smaller the cache should become."), CellAlign::Figures,
         [](QualityRow row) -> QString { return app::shortText(row.ratio, 4) + QLatin1Char('x'); },
         [](QualityRow row) { return QVariant(row.ratio); }},
        {QualityPage::tr("Recall"),
         QualityPage::tr(
             "Of the dialogues answered correctly with the full cache, how many are also "
             "answered correctly with the compacted cache. Compaction runs after the text is "
             "read and before the question."),
         CellAlign::Figures,
         [](QualityRow row) {
             return row.items == 0 || row.answerable == 0
                        ? dash()
                        : QualityPage::tr("%1 of %2").arg(row.hits).arg(row.answerable);
         },
         [](QualityRow row) {
             return QVariant(row.items == 0 || row.answerable == 0
                                 ? RowTable<QualityRowView>::kNoFigure
                                 : static_cast<double>(row.hits) /
                                       static_cast<double>(row.answerable));
         }},
        figure<valueOf<&QualityRowView::rulerShare>, percentOf>(
            QualityPage::tr("RULER"),
            QualityPage::tr(
                "Mean score over the 13 tasks of RULER, as a share of the full cache's score. "
                "The model gets the question only after the text is compacted.")),
        figure<valueOf<&QualityRowView::klMean>, numberText<4>>(
            QualityPage::tr("KL mean"),
            QualityPage::tr(
                "Divergence of the next-token distribution from that of the full cache, in "
                "nats, mean over running text after the compaction.")),
        figure<valueOf<&QualityRowView::klP99>, numberText<3>>(
            QualityPage::tr("KL p99"),
            QualityPage::tr("The same at the 99th percentile of positions.")),
        figure<valueOf<&QualityRowView::perplexity>, numberText<2>>(
            QualityPage::tr("Perplexity"),
            QualityPage::tr("Perplexity of the same running text with the compacted cache.")),
        figure<shareLeft, percentOf>(
            QualityPage::tr("Bytes left"),
            QualityPage::tr(
                "Bytes held after the compaction, positions and marks included, as a share of "
                "the full cache.")),
        figure<meanBytes, sizeText>(QualityPage::tr("Live bytes"),
                                    QualityPage::tr("The same in bytes, mean over the texts.")),
        figure<meanSeconds, app::durationText>(
            QualityPage::tr("Time"),
            QualityPage::tr(
                "Mean time of a compaction on this machine, including the passes for its "
                "queries.")),
        {QualityPage::tr("Note"),
         QualityPage::tr("Why there are no results, or how many texts are excluded."),
         CellAlign::Words, remarkOf}};
}

}  // namespace

class QualityModel final : public RowTable<QualityRowView> {
  public:
    explicit QualityModel(QObject* parent) : RowTable(qualityColumns(), parent) {}

  protected:
    [[nodiscard]] QVariant cell(const QualityRowView& row, int column, int role) const override {
        if (role != Qt::ToolTipRole) return {};
        if (column == kNoteColumn && !row.refused.isEmpty()) return tipText(row.refused);
        QStringList lines{row.settings};
        if (row.items > 0)
            lines << QualityPage::tr("%1 texts, %2 RULER questions, %3 positions of text")
                         .arg(app::countText(row.items), app::countText(row.questions),
                              app::countText(row.positions));
        return tipText(lines.join(QLatin1Char('\n')));
    }
};

QualityPage::QualityPage(app::QualityController& quality, QWidget* parent)
    : QWidget(parent),
      m_quality(quality),
      m_model(new QualityModel(this)),
      m_sorted(new QSortFilterProxyModel(this)) {
    setWindowTitle(tr("Quality of this model"));
    QVBoxLayout* layout = pageLayout(this);
    layout->addLayout(buildHead());
    layout->addWidget(m_conditions = wrappedCaption(this));
    layout->addWidget(m_whole = wrappedLabel(this));
    buildTable();
    setFocusProxy(m_table);
    layout->addWidget(m_table, 1);
    m_foot = new MeasureFooter(
        quality, [this] { return size(); }, this);
    layout->addWidget(m_foot);
    connect(&quality, &QualityController::changed, this, &QualityPage::refresh);
    refresh();
}

QHBoxLayout* QualityPage::buildHead() {
    m_title = titleLabel(this);
    m_size = new QComboBox(this);
    m_size->addItem(tr("Small: minutes"));
    m_size->addItem(tr("Full: hours"));
    explain(m_size, tr("Size of the measurement"),
            tr("Small: 6 dialogues, RULER at 1,024 tokens once, 2 windows of text. Full: 45 "
               "dialogues, RULER at 4,096 tokens four times, 10 windows. Each at ratios 2, 4, 8, "
               "16 and 32."));
    connect(m_size, &QComboBox::currentIndexChanged, this, [this] {
        m_foot->clear();
        refresh();
    });
    m_copy = pushButton(tr("Copy"), tr("Copy the table as Markdown."), this);
    m_save = pushButton(tr("Save\u2026"), tr("Save the table as CSV or Markdown."), this);
    connect(m_copy, &QPushButton::clicked, this, [this] {
        QApplication::clipboard()->setText(m_quality.markdown(size()));
        m_foot->showMessage(tr("Table copied."), false);
    });
    connect(m_save, &QPushButton::clicked, this, &QualityPage::saveRequested);
    return rowOf(m_title, {m_size, m_copy, m_save});
}

void QualityPage::buildTable() {
    m_table = new QTableView(this);
    m_sorted->setSourceModel(m_model);
    m_sorted->setSortRole(QualityModel::kSortRole);
    m_table->setModel(m_sorted);
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(-1, Qt::AscendingOrder);
    styleTable(m_table, tr("Quality of this model, methods by ratios"), TableDensity::Dense);
    m_table->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_empty = plainLabel({}, m_table->viewport());
    m_empty->setAlignment(Qt::AlignCenter);
    m_empty->setWordWrap(true);
    setRole(m_empty, QStringLiteral("secondary"));
    auto* over = new QVBoxLayout(m_table->viewport());
    over->addWidget(m_empty);
}

void QualityPage::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    if (m_quality.progress().running && m_quality.filling() != QualityController::Formats)
        m_size->setCurrentIndex(m_quality.filling());
}

QualityController::Size QualityPage::size() const {
    return m_size->currentIndex() == 1 ? QualityController::Whole : QualityController::Small;
}

QString QualityPage::conditions() const {
    return m_conditions->text();
}

QByteArray QualityPage::exported(const QString& fileName) const {
    const bool markdown = fileName.endsWith(QStringLiteral(".md"), Qt::CaseInsensitive);
    return (markdown ? m_quality.markdown(size()) : m_quality.csv(size())).toUtf8();
}

void QualityPage::refresh() {
    const QString model = m_quality.modelName();
    m_title->setText(model.isEmpty() ? tr("No model loaded") : oneLine(model, kMaxTitleLength));
    const app::QualityTableView view = m_quality.table(size());
    const QualityRowView& whole = view.full;
    m_model->setRows(view.rows);
    m_conditions->setText(view.there ? view.conditions : QString());
    m_conditions->setVisible(view.there);
    m_whole->setVisible(view.there && whole.items > 0);
    m_whole->setText(tr("With the full cache: %1 dialogues answered, %2 RULER questions asked, "
                        "perplexity %3, %4 per text.")
                         .arg(app::countText(whole.answerable), app::countText(whole.questions),
                              realOr(whole.perplexity, 2),
                              app::bytesText(std::llround(whole.logicalBytes))));
    QStringList empty;
    if (!view.there) {
        if (model.isEmpty())
            empty << tr("Load a model first.");
        else
            empty
                << tr("Not measured on this model.")
                << tr("Measure tries every method at each ratio and reports the loss: recall, "
                      "RULER, KL, perplexity, bytes.")
                << tr("It runs while the conversation is idle, and can be stopped and continued.");
        if (!m_quality.problem().isEmpty()) empty << m_quality.problem();
    }
    m_empty->setText(empty.join(QLatin1Char('\n')));
    m_empty->setVisible(!empty.isEmpty());
    setAccessible(m_table, tr("Quality of this model, methods by ratios"), m_empty->text());
    m_copy->setEnabled(view.there);
    m_save->setEnabled(view.there);
}

}  // namespace lacuna::ui
