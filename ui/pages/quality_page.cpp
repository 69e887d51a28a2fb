#include "ui/pages/quality_page.h"

#include <QAbstractTableModel>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "app/state/experiments/measurement_controller.h"
#include "app/state/figure_language.h"
#include "app/state/list_text.h"
#include "app/state/number_format.h"
#include "ui/pages/measure_footer.h"
#include "ui/style/theme.h"
#include "ui/style/widget_roles.h"

namespace lacuna::ui {

namespace {

using app::QualityController;
using app::QualityRowView;

constexpr int kSortRole = Qt::UserRole;
/// Sort value of a missing figure: after all others in ascending order.
constexpr double kNoFigure = 1e300;

enum Column {
    Method,
    Asked,
    Recall,
    Ruler,
    KlMean,
    KlP99,
    Perplexity,
    BytesLeft,
    LiveBytes,
    Seconds,
    Remark,
    kColumns
};

QString dash() {
    return QString(QChar(0x2013));
}

QString realOr(const std::optional<double>& value, int decimals) {
    return value ? app::realText(*value, decimals) : dash();
}

QString recallText(const QualityRowView& row) {
    return row.asks == 0 ? dash() : QualityPage::tr("%1 of %2").arg(row.hits).arg(row.asks);
}

QString percent(double share) {
    return app::realText(share * 100, 1) + QStringLiteral(" %");
}

QString remarkOf(const QualityRowView& row) {
    if (!row.refused.isEmpty()) return row.refused;
    if (row.items == 0) return QualityPage::tr("not measured yet");
    QStringList remarks;
    if (row.open > 0)
        remarks << QualityPage::tr("%1 of %2 texts so far")
                       .arg(row.items + row.left)
                       .arg(row.items + row.left + row.open);
    if (row.left > 0) remarks << QualityPage::tr("%1 texts not compacted").arg(row.left);
    return app::listed(remarks);
}

QString cellText(const QualityRowView& row, int column) {
    if (column == Method) return app::MeasurementController::methodLabel(row.method);
    if (column == Asked) return app::shortText(row.ratio, 4) + QLatin1Char('x');
    if (column == Remark) return remarkOf(row);
    if (row.items == 0) return dash();
    switch (column) {
        case Recall:
            return recallText(row);
        case Ruler:
            return row.rulerShare ? percent(*row.rulerShare) : dash();
        case KlMean:
            return realOr(row.klMean, 4);
        case KlP99:
            return realOr(row.klP99, 3);
        case Perplexity:
            return realOr(row.perplexity, 2);
        case BytesLeft:
            return row.logicalBytes > 0 ? percent(row.liveBytes / row.logicalBytes) : dash();
        case LiveBytes:
            return app::bytesText(std::llround(row.liveBytes));
        case Seconds:
            return app::durationText(row.seconds);
        default:
            return {};
    }
}

QVariant sortKey(const QualityRowView& row, int column) {
    if (column == Method || column == Remark) return cellText(row, column);
    if (column == Asked) return row.ratio;
    if (row.items == 0) return kNoFigure;
    switch (column) {
        case Recall:
            return row.asks == 0 ? kNoFigure
                                 : static_cast<double>(row.hits) / static_cast<double>(row.asks);
        case Ruler:
            return row.rulerShare.value_or(kNoFigure);
        case KlMean:
            return row.klMean.value_or(kNoFigure);
        case KlP99:
            return row.klP99.value_or(kNoFigure);
        case Perplexity:
            return row.perplexity.value_or(kNoFigure);
        case BytesLeft:
            return row.logicalBytes > 0 ? row.liveBytes / row.logicalBytes : kNoFigure;
        case LiveBytes:
            return row.liveBytes;
        case Seconds:
            return row.seconds;
        default:
            return {};
    }
}

QString headText(int column) {
    switch (column) {
        case Method:
            return QualityPage::tr("Method");
        case Asked:
            return QualityPage::tr("Requested");
        case Recall:
            return QualityPage::tr("Recall");
        case Ruler:
            return QualityPage::tr("RULER");
        case KlMean:
            return QualityPage::tr("KL mean");
        case KlP99:
            return QualityPage::tr("KL p99");
        case Perplexity:
            return QualityPage::tr("Perplexity");
        case BytesLeft:
            return QualityPage::tr("Bytes left");
        case LiveBytes:
            return QualityPage::tr("Live bytes");
        case Seconds:
            return QualityPage::tr("Time");
        default:
            return QualityPage::tr("Note");
    }
}

QString headTip(int column) {
    switch (column) {
        case Method:
            return QualityPage::tr(
                "Attention matching (am) with each way to divide slots among heads, and eviction "
                "with each policy. Other settings as at program start. Questions: the head profile "
                "was made with questions of the tested kinds, a bench option.");
        case Asked:
            return QualityPage::tr("How many times smaller the cache should become.");
        case Recall:
            return QualityPage::tr(
                "Of the dialogues answered correctly with the full cache, how many are also "
                "answered correctly with the compacted cache. Compaction runs after the text is "
                "read and before the question.");
        case Ruler:
            return QualityPage::tr(
                "Mean score over the 13 tasks of RULER, as a share of the full cache's score. The "
                "model gets the question only after the text is compacted.");
        case KlMean:
            return QualityPage::tr(
                "Divergence of the next-token distribution from that of the full cache, in nats, "
                "mean over running text after the compaction.");
        case KlP99:
            return QualityPage::tr("The same at the 99th percentile of positions.");
        case Perplexity:
            return QualityPage::tr("Perplexity of the same running text with the compacted cache.");
        case BytesLeft:
            return QualityPage::tr(
                "Bytes held after the compaction, positions and marks included, as a share of the "
                "full cache.");
        case LiveBytes:
            return QualityPage::tr("The same in bytes, mean over the texts.");
        case Seconds:
            return QualityPage::tr(
                "Mean time of a compaction on this machine, including the passes for its queries.");
        default:
            return QualityPage::tr("Why there are no results, or how many texts are excluded.");
    }
}

}  // namespace

/// Model of the table rows; the sort role returns figures as numbers.
class QualityModel final : public QAbstractTableModel {
  public:
    using QAbstractTableModel::QAbstractTableModel;

    void setRows(const QVector<QualityRowView>& rows) {
        if (rows.size() == m_rows.size()) {
            m_rows = rows;
            if (!rows.isEmpty())
                Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
            return;
        }
        beginResetModel();
        m_rows = rows;
        endResetModel();
    }
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override {
        return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
    }
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override {
        return parent.isValid() ? 0 : static_cast<int>(kColumns);
    }
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override {
        if (!index.isValid() || index.row() >= m_rows.size()) return {};
        const QualityRowView& row = m_rows[index.row()];
        if (role == Qt::DisplayRole) return cellText(row, index.column());
        if (role == kSortRole) return sortKey(row, index.column());
        if (role == Qt::ToolTipRole) return tipText(tipOf(row, index.column()));
        if (role == Qt::TextAlignmentRole) return alignment(index.column());
        return {};
    }
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role) const override {
        if (orientation == Qt::Vertical || section < 0 || section >= kColumns)
            return QAbstractTableModel::headerData(section, orientation, role);
        if (role == Qt::DisplayRole) return headText(section);
        if (role == Qt::ToolTipRole) return tipText(headTip(section));
        if (role == Qt::TextAlignmentRole) return alignment(section);
        return {};
    }

  private:
    static QVariant alignment(int column) {
        const bool words = column == Method || column == Remark;
        return QVariant::fromValue(Qt::AlignVCenter | (words ? Qt::AlignLeft : Qt::AlignRight));
    }
    static QString tipOf(const QualityRowView& row, int column) {
        if (column == Remark && !row.refused.isEmpty()) return row.refused;
        QStringList lines{row.settings};
        if (row.items > 0)
            lines << QualityPage::tr("%1 texts, %2 RULER questions, %3 positions of text")
                         .arg(app::countText(row.items), app::countText(row.questions),
                              app::countText(row.positions));
        return lines.join(QLatin1Char('\n'));
    }

    QVector<QualityRowView> m_rows;
};

QualityPage::QualityPage(app::QualityController& quality, QWidget* parent)
    : QWidget(parent),
      m_quality(quality),
      m_model(new QualityModel(this)),
      m_sorted(new QSortFilterProxyModel(this)) {
    setWindowTitle(tr("Quality of this model"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(12, 12, 12, 12);
    layout->setSpacing(8);
    layout->addLayout(buildHead());
    m_conditions = captionLabel({}, this);
    m_conditions->setWordWrap(true);
    m_conditions->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_whole = plainLabel({}, this);
    m_whole->setWordWrap(true);
    layout->addWidget(m_conditions);
    layout->addWidget(m_whole);
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
    auto* row = new QHBoxLayout;
    row->setSpacing(8);
    m_title = yieldingLabel(this);
    m_title->setFont(Theme::font(FontRole::Title));
    m_size = new QComboBox(this);
    m_size->addItem(tr("Small: minutes"));
    m_size->addItem(tr("Full: hours"));
    m_size->setToolTip(tipText(
        tr("Small: 6 dialogues, RULER at 1,024 tokens once, 2 windows of text. Full: 45 dialogues, "
           "RULER at 4,096 tokens four times, 10 windows. Each at ratios 2, 4, 8, 16 and 32.")));
    setAccessible(m_size, tr("Size of the measurement"), m_size->toolTip().simplified());
    connect(m_size, &QComboBox::currentIndexChanged, this, [this] {
        m_foot->forget();
        refresh();
    });
    const auto add = [&](const QString& text, const QString& tip) {
        auto* button = new QPushButton(text, this);
        button->setAutoDefault(false);
        button->setToolTip(tipText(tip));
        setAccessible(button, text, tip);
        return button;
    };
    m_copy = add(tr("Copy"), tr("Copy the table as Markdown."));
    m_save = add(tr("Save\u2026"), tr("Save the table as CSV or Markdown."));
    connect(m_copy, &QPushButton::clicked, this, [this] {
        QApplication::clipboard()->setText(m_quality.markdown(size()));
        tell(tr("Table copied."), false);
    });
    connect(m_save, &QPushButton::clicked, this, &QualityPage::saveWanted);
    row->addWidget(m_title, 1);
    row->addWidget(m_size);
    row->addWidget(m_copy);
    row->addWidget(m_save);
    return row;
}

void QualityPage::buildTable() {
    m_table = new QTableView(this);
    m_sorted->setSourceModel(m_model);
    m_sorted->setSortRole(kSortRole);
    m_table->setModel(m_sorted);
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(-1, Qt::AscendingOrder);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(22);
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setTabKeyNavigation(false);
    m_table->setShowGrid(false);
    m_table->setWordWrap(false);
    m_table->horizontalHeader()->setHighlightSections(false);
    setRole(m_table, QStringLiteral("figures"));
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

QString QualityPage::sentence() const {
    return m_foot->sentence();
}

QPushButton& QualityPage::measureButton() {
    return m_foot->measureButton();
}

QPushButton& QualityPage::startOverButton() {
    return m_foot->startOverButton();
}

QPushButton& QualityPage::stopButton() {
    return m_foot->stopButton();
}

QString QualityPage::conditions() const {
    return m_conditions->text();
}

QByteArray QualityPage::exported(const QString& fileName) const {
    const bool markdown = fileName.endsWith(QStringLiteral(".md"), Qt::CaseInsensitive);
    return (markdown ? m_quality.markdown(size()) : m_quality.csv(size())).toUtf8();
}

void QualityPage::tell(const QString& sentence, bool problem) {
    m_foot->tell(sentence, problem);
}

void QualityPage::refresh() {
    const QString model = m_quality.modelName();
    m_title->setText(model.isEmpty() ? tr("No model loaded") : oneLine(model, kMaxTitleLength));
    const app::QualityTableView view = m_quality.table(size());
    const QualityRowView& whole = view.whole;
    m_model->setRows(view.rows);
    m_conditions->setText(view.there ? view.conditions : QString());
    m_conditions->setVisible(view.there);
    m_whole->setVisible(view.there && whole.items > 0);
    m_whole->setText(tr("With the full cache: %1 dialogues answered, %2 RULER questions asked, "
                        "perplexity %3, %4 per text.")
                         .arg(app::countText(whole.asks), app::countText(whole.questions),
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
