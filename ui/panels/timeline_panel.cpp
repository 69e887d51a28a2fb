#include "ui/panels/timeline_panel.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QScrollBar>
#include <QSplitter>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>

#include "app/state/number_format.h"
#include "ui/style/theme.h"
#include "ui/style/widget_roles.h"

namespace lacuna::ui {

QString eventKindText(app::EventKind kind) {
    switch (kind) {
        case app::EventKind::Model:
            return TimelineModel::tr("Model");
        case app::EventKind::Turn:
            return TimelineModel::tr("Answer");
        case app::EventKind::Config:
            return TimelineModel::tr("Settings");
        case app::EventKind::Compaction:
            return TimelineModel::tr("Compaction");
        case app::EventKind::Notice:
            return TimelineModel::tr("Notice");
        case app::EventKind::Error:
            return TimelineModel::tr("Error");
    }
    return {};
}

TimelineModel::TimelineModel(QObject* parent) : QAbstractTableModel(parent) {}

void TimelineModel::setRows(const QVector<app::EventRow>& rows) {
    beginResetModel();
    const qsizetype skipped = std::max<qsizetype>(0, rows.size() - kMaxRows);
    m_rows.assign(rows.begin() + skipped, rows.end());
    m_forgotten = skipped;
    endResetModel();
}

void TimelineModel::add(const app::EventRow& row) {
    if (m_rows.size() >= static_cast<std::size_t>(kMaxRows)) {
        // Drops a tenth at once, so a full timeline does not shift its view at every event.
        constexpr int kGone = kMaxRows / 10;
        beginRemoveRows({}, 0, kGone - 1);
        m_rows.erase(m_rows.begin(), m_rows.begin() + kGone);
        m_forgotten += kGone;
        endRemoveRows();
    }
    const int at = rowCount();
    beginInsertRows({}, at, at);
    m_rows.push_back(row);
    endInsertRows();
}

void TimelineModel::clear() {
    setRows({});
}

const app::EventRow* TimelineModel::row(int index) const {
    return index >= 0 && index < rowCount() ? &m_rows[static_cast<std::size_t>(index)] : nullptr;
}

std::optional<int> TimelineModel::rowOfCompaction(qint64 number) const {
    // Searches from the newest, since the user usually clicks recent events.
    for (int i = rowCount() - 1; i >= 0; --i) {
        if (number > 0 && m_rows[static_cast<std::size_t>(i)].compaction == number) return i;
    }
    return std::nullopt;
}

int TimelineModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int TimelineModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : kColumns;
}

QVariant TimelineModel::data(const QModelIndex& index, int role) const {
    const app::EventRow* event = index.isValid() ? row(index.row()) : nullptr;
    if (event == nullptr) return {};
    switch (role) {
        case KindRole:
            return static_cast<int>(event->kind);
        case ProblemRole:
            return event->problem;
        case Qt::ToolTipRole:
            return event->detail.isEmpty() ? QVariant() : QVariant(tipText(event->detail));
        case DetailRole:
            return event->detail;
        case Qt::DisplayRole:
            break;
        default:
            return {};
    }
    switch (index.column()) {
        case Time:
            return event->when.toString(QStringLiteral("HH:mm:ss"));
        case Kind:
            return event->problem ? QStringLiteral("\u26a0 ") + eventKindText(event->kind)
                                  : eventKindText(event->kind);
        case What:
            return event->title;
        default:
            return {};
    }
}

QVariant TimelineModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) {
        return QAbstractTableModel::headerData(section, orientation, role);
    }
    switch (section) {
        case Time:
            return tr("Time");
        case Kind:
            return tr("Kind");
        case What:
            return tr("Event");
        default:
            return {};
    }
}

TimelineFilter::TimelineFilter(QObject* parent) : QSortFilterProxyModel(parent) {}

void TimelineFilter::setKind(std::optional<app::EventKind> kind) {
    m_kind = kind;
    invalidateFilter();
}

void TimelineFilter::setScope(TimelineScope scope) {
    m_scope = scope;
    invalidateFilter();
}

void TimelineFilter::setWords(const QString& text) {
    m_words = text.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    invalidateFilter();
}

bool TimelineFilter::filterAcceptsRow(int row, const QModelIndex& parent) const {
    const QAbstractItemModel* rows = sourceModel();
    const QModelIndex what = rows->index(row, TimelineModel::What, parent);
    if (m_kind && what.data(TimelineModel::KindRole).toInt() != static_cast<int>(*m_kind))
        return false;
    if (m_scope == TimelineScope::Problems && !what.data(TimelineModel::ProblemRole).toBool())
        return false;
    if (m_words.isEmpty()) return true;
    const QString text = rows->index(row, TimelineModel::Kind, parent).data().toString() +
                         QLatin1Char(' ') + what.data().toString() + QLatin1Char(' ') +
                         what.data(TimelineModel::DetailRole).toString();
    return std::all_of(m_words.begin(), m_words.end(), [&](const QString& word) {
        return text.contains(word, Qt::CaseInsensitive);
    });
}

namespace {

constexpr int kNarrow = 900, kTall = 280, kSmall = 640;  ///< px

/// Dims times and kinds and emphasises problems. A symbol and a word mark them without colour, too.
class EventDelegate final : public QStyledItemDelegate {
  public:
    EventDelegate(const ThemeSource& themes, QObject* parent)
        : QStyledItemDelegate(parent), m_themes(themes) {}

  protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
        QStyledItemDelegate::initStyleOption(option, index);
        option->textElideMode = Qt::ElideRight;
        const Theme& theme = m_themes.theme();
        const bool problem = index.data(TimelineModel::ProblemRole).toBool();
        const QColor colour = problem                                 ? theme.bad
                              : index.column() != TimelineModel::What ? theme.secondary
                                                                      : theme.text;
        option->palette.setColor(QPalette::Text, colour);
    }

  private:
    const ThemeSource& m_themes;
};

/// Entries of the kind box after "Everything" and "Problems".
constexpr app::EventKind kKinds[] = {app::EventKind::Compaction, app::EventKind::Config,
                                     app::EventKind::Turn,       app::EventKind::Model,
                                     app::EventKind::Notice,     app::EventKind::Error};
constexpr int kEverything = 0, kProblems = 1, kFirstKind = 2;

}  // namespace

TimelinePanel::TimelinePanel(const ThemeSource& themes, QWidget* parent)
    : QWidget(parent),
      m_themes(themes),
      m_model(new TimelineModel(this)),
      m_filter(new TimelineFilter(this)) {
    m_filter->setSourceModel(m_model);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(buildToolBar());
    buildTable();
    layout->addWidget(m_split, 1);
    connect(m_filter, &QAbstractItemModel::rowsInserted, this, &TimelinePanel::showCount);
    connect(m_filter, &QAbstractItemModel::rowsRemoved, this, &TimelinePanel::showCount);
    connect(m_filter, &QAbstractItemModel::modelReset, this, &TimelinePanel::showCount);
    connect(&m_themes, &ThemeSource::changed, m_table->viewport(), qOverload<>(&QWidget::update));
    showCount();
}

QWidget* TimelinePanel::buildToolBar() {
    auto* bar = new QWidget(this);
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(8, 2, 8, 2);
    row->setSpacing(8);
    m_kinds = new QComboBox(bar);
    m_kinds->setAccessibleName(tr("Kind of events shown"));
    m_kinds->addItem(tr("Everything"));
    m_kinds->addItem(tr("Problems"));
    for (const app::EventKind kind : kKinds) m_kinds->addItem(eventKindText(kind));
    connect(m_kinds, &QComboBox::currentIndexChanged, this, [this](int index) {
        m_filter->setScope(index == kProblems ? TimelineScope::Problems : TimelineScope::All);
        m_filter->setKind(index >= kFirstKind ? std::optional(kKinds[index - kFirstKind])
                                              : std::nullopt);
        showCount();
    });
    m_words = new QLineEdit(bar);
    m_words->setPlaceholderText(tr("Filter"));
    m_words->setAccessibleName(tr("Words that an event must contain"));
    m_words->setClearButtonEnabled(true);
    m_words->setMaximumWidth(260);
    connect(m_words, &QLineEdit::textChanged, this, [this](const QString& text) {
        m_filter->setWords(text);
        showCount();
    });
    m_count = plainLabel({}, bar);
    m_count->setFont(Theme::font(FontRole::Small));
    m_count->setProperty("lacunaRole", QStringLiteral("secondary"));
    row->addWidget(m_kinds);
    row->addWidget(m_words, 1);
    row->addStretch(1);
    row->addWidget(m_count);
    return bar;
}

void TimelinePanel::buildTable() {
    m_split = new QSplitter(Qt::Horizontal, this);
    m_split->setChildrenCollapsible(false);
    m_table = new QTableView(m_split);
    m_table->setModel(m_filter);
    m_table->setItemDelegate(new EventDelegate(m_themes, m_table));
    m_table->setAccessibleName(tr("Timeline"));
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setTabKeyNavigation(false);
    m_table->setShowGrid(false);
    m_table->setWordWrap(false);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    m_table->verticalHeader()->setDefaultSectionSize(24);
    m_table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    m_table->horizontalHeader()->setHighlightSections(false);
    m_table->horizontalHeader()->setStretchLastSection(true);
    const QFontMetrics letters(font());
    m_table->setColumnWidth(TimelineModel::Time,
                            letters.horizontalAdvance(QStringLiteral("00:00:00")) + 12);
    m_table->setColumnWidth(TimelineModel::Kind,
                            letters.horizontalAdvance(QStringLiteral("\u26a0 ") +
                                                      eventKindText(app::EventKind::Compaction)) +
                                8);
    showEmptyHint(*m_table,
                  tr("Events of the session appear here: models, answers, settings, compactions."));
    m_details = new QPlainTextEdit(m_split);
    m_details->setReadOnly(true);
    m_details->setAccessibleName(tr("Details of the selected event"));
    m_details->setTabChangesFocus(true);
    m_details->setPlaceholderText(tr("Choose an event to read its details."));
    m_split->addWidget(m_table);
    m_split->addWidget(m_details);
    m_split->setStretchFactor(0, 3);
    m_split->setStretchFactor(1, 1);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            &TimelinePanel::showDetails);
}

void TimelinePanel::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    const bool below = width() < kNarrow && height() > kTall;
    m_split->setOrientation(below ? Qt::Vertical : Qt::Horizontal);
    fitDetails();
}

/// If there is room neither next to nor below the events, an empty details page is hidden.
void TimelinePanel::fitDetails() {
    const bool small = width() < kSmall && height() <= kTall;
    m_details->setVisible(!small || m_table->currentIndex().isValid());
}

void TimelinePanel::setRows(const QVector<app::EventRow>& rows) {
    m_model->setRows(rows);
    m_table->scrollToBottom();
}

void TimelinePanel::add(const app::EventRow& row) {
    // Follows the newest event unless the user has scrolled back.
    const QScrollBar* bar = m_table->verticalScrollBar();
    const bool atEnd = bar->value() >= bar->maximum() - 2;
    m_model->add(row);
    if (atEnd) m_table->scrollToBottom();
}

void TimelinePanel::selectCompaction(qint64 number) {
    const std::optional<int> row = m_model->rowOfCompaction(number);
    if (!row) return;
    QModelIndex shown = m_filter->mapFromSource(m_model->index(*row, 0));
    if (!shown.isValid()) {
        m_kinds->setCurrentIndex(kEverything);
        m_words->clear();
        shown = m_filter->mapFromSource(m_model->index(*row, 0));
    }
    m_table->setCurrentIndex(shown);
    m_table->scrollTo(shown, QAbstractItemView::PositionAtCenter);
}

void TimelinePanel::showDetails() {
    const QModelIndex source = m_filter->mapToSource(m_table->currentIndex());
    const app::EventRow* event = source.isValid() ? m_model->row(source.row()) : nullptr;
    fitDetails();
    if (event == nullptr) return m_details->clear();
    QString text = event->title;
    if (!event->detail.isEmpty()) text += QLatin1Char('\n') + event->detail;
    m_details->setPlainText(text);
    Q_EMIT rowSelected(*event);
}

void TimelinePanel::showCount() {
    const int shown = m_filter->rowCount(), all = m_model->rowCount();
    QString text = all == 1 && shown == 1 ? tr("1 event")
                   : shown == all
                       ? tr("%1 events").arg(app::countText(all))
                       : tr("%1 of %2 events").arg(app::countText(shown), app::countText(all));
    if (m_model->forgotten() > 0)
        text += tr(", %1 older ones dropped").arg(app::countText(m_model->forgotten()));
    m_count->setText(text);
}

}  // namespace lacuna::ui
