#include "ui/panels/timeline_panel.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDesktopServices>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QSet>
#include <QSplitter>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QUrl>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "app/state/files/program_log.h"
#include "app/state/number_format.h"
#include "ui/style/page_kit.h"

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
        case app::EventKind::Program:
            return TimelineModel::tr("Program");
    }
    return {};
}

namespace {

/// Times of other days include the date.
QString timeText(const app::EventRow& row) {
    return row.when.toString(row.when.date() == QDate::currentDate()
                                 ? QStringLiteral("HH:mm:ss")
                                 : QStringLiteral("MM-dd HH:mm:ss"));
}

QString kindText(const app::EventRow& row) {
    return (row.problem ? QStringLiteral("\u26a0 ") : QString()) + eventKindText(row.kind);
}

QString lineText(const app::EventRow& row) {
    if (row.kind == app::EventKind::Program) return row.detail;
    QString text = row.title;
    if (!row.detail.isEmpty())
        text += factSeparator() + QString(row.detail).replace(QLatin1Char('\n'), factSeparator());
    return app::lineText({row.when,
                          row.problem ? app::LogSeverity::Warning : app::LogSeverity::Info,
                          eventKindText(row.kind), text});
}

}  // namespace

TimelineModel::TimelineModel(QObject* parent)
    : RowTable(
          {{tr("Time"), {}, CellAlign::Words, timeText},
           {tr("Kind"), {}, CellAlign::Words, kindText},
           {tr("Event"), {}, CellAlign::Words, [](const app::EventRow& row) { return row.title; }}},
          parent) {}

void TimelineModel::setRows(QVector<app::EventRow> rows) {
    m_dropped = std::max<qsizetype>(0, rows.size() - kMaxRows);
    rows.remove(0, m_dropped);
    resetRows(std::move(rows));
}

void TimelineModel::add(const app::EventRow& row) {
    // Drops a tenth at once, so a full timeline does not shift its view at every event.
    constexpr int kGone = kMaxRows / 10;
    if (rowCount() >= kMaxRows) {
        dropFirst(kGone);
        m_dropped += kGone;
    }
    append(row);
}

std::optional<int> TimelineModel::rowOfCompaction(qint64 number) const {
    // Searches from the newest, since the user usually clicks recent events.
    for (int i = rowCount() - 1; i >= 0; --i)
        if (number > 0 && row(i)->compaction == number) return i;
    return std::nullopt;
}

QVariant TimelineModel::cell(const app::EventRow& row, int /*column*/, int role) const {
    switch (role) {
        case KindRole:
            return static_cast<int>(row.kind);
        case ProblemRole:
            return row.problem;
        case DetailRole:
            return row.detail;
        case Qt::ToolTipRole:
            return tipText(row.detail);
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
                                     app::EventKind::Notice,     app::EventKind::Error,
                                     app::EventKind::Program};
constexpr int kEverything = 0, kProblems = 1, kFirstKind = 2;

}  // namespace

TimelinePanel::TimelinePanel(const ThemeSource& themes, app::ProgramLog* log, QWidget* parent)
    : QWidget(parent),
      m_themes(themes),
      m_log(log),
      m_model(new TimelineModel(this)),
      m_filter(new TimelineFilter(this)) {
    setWindowTitle(tr("Timeline"));
    m_filter->setSourceModel(m_model);
    QVBoxLayout* layout = columnLayout(this, 0);
    layout->addWidget(buildToolBar());
    buildTable();
    layout->addWidget(m_split, 1);
    connect(m_filter, &QAbstractItemModel::rowsInserted, this, &TimelinePanel::showCount);
    connect(m_filter, &QAbstractItemModel::rowsRemoved, this, &TimelinePanel::showCount);
    connect(m_filter, &QAbstractItemModel::modelReset, this, &TimelinePanel::showCount);
    connect(&m_themes, &ThemeSource::changed, m_table->viewport(), qOverload<>(&QWidget::update));
    connectLog();
    setFocusProxy(m_words);
    setRows({});
    showCount();
    showPlace();
}

void TimelinePanel::connectLog() {
    if (m_log == nullptr) return;
    connect(m_log, &QAbstractItemModel::rowsInserted, this,
            [this](const QModelIndex&, int first, int last) { addFromLog(first, last); });
    connect(m_log, &app::ProgramLog::problemChanged, this, &TimelinePanel::showPlace);
}

/// New lines are appended one at a time; those of earlier runs arrive in one batch. A new line that
/// was made of an event is not shown, since the event itself is.
void TimelinePanel::addFromLog(int first, int last) {
    if (!m_live) return;
    if (first != last || last != m_log->rowCount() - 1) return setRows(sessionRows());
    const app::LogLine& line = m_log->line(last);
    if (!app::isEvent(line) && line.severity > app::LogSeverity::Debug) add(app::eventOf(line));
}

QWidget* TimelinePanel::buildToolBar() {
    auto* bar = new QWidget(this);
    QHBoxLayout* row = rowLayout(bar);
    row->setContentsMargins(Spacing::unit, Spacing::half, Spacing::unit, Spacing::half);
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
    m_count = captionLabel({}, bar);
    QPushButton* copy =
        pushButton(tr("Copy"), tr("Copy the selected rows, or all rows shown."), bar);
    m_folder = pushButton(tr("Open log folder"), {}, bar);
    row->addWidget(m_kinds);
    row->addWidget(m_words, 1);
    row->addStretch(1);
    for (QWidget* part : QList<QWidget*>{m_count, copy, m_folder}) row->addWidget(part);
    connect(copy, &QPushButton::clicked, this,
            [this] { QApplication::clipboard()->setText(text()); });
    connect(m_folder, &QPushButton::clicked, this, [this] {
        QDesktopServices::openUrl(QUrl::fromLocalFile(QFileInfo(m_log->path()).absolutePath()));
    });
    return bar;
}

void TimelinePanel::buildTable() {
    m_split = new QSplitter(Qt::Horizontal, this);
    m_split->setChildrenCollapsible(false);
    m_table = new QTableView(m_split);
    m_table->setModel(m_filter);
    m_table->setItemDelegate(new EventDelegate(m_themes, m_table));
    styleTable(m_table, tr("Timeline"));
    m_table->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::Interactive);
    m_table->horizontalHeader()->setStretchLastSection(true);
    const QFontMetrics letters(font());
    m_table->setColumnWidth(
        TimelineModel::Time,
        letters.horizontalAdvance(QStringLiteral("00-00 00:00:00")) + Spacing::wide);
    m_table->setColumnWidth(TimelineModel::Kind,
                            letters.horizontalAdvance(QStringLiteral("\u26a0 ") +
                                                      eventKindText(app::EventKind::Compaction)) +
                                Spacing::wide);
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

QVector<app::EventRow> TimelinePanel::sessionRows() const {
    QVector<app::EventRow> rows = m_model->rows();
    rows.removeIf([](const app::EventRow& row) { return row.kind == app::EventKind::Program; });
    return rows;
}

void TimelinePanel::setRows(const QVector<app::EventRow>& rows, Source source) {
    m_live = source == Source::Live;
    QVector<app::EventRow> all;
    QSet<qint64> times;
    for (const app::EventRow& row : rows) times.insert(row.when.toMSecsSinceEpoch());
    for (int i = 0; m_live && m_log != nullptr && i < m_log->rowCount(); ++i) {
        const app::LogLine& line = m_log->line(i);
        const bool known = app::isEvent(line) && times.contains(line.when.toMSecsSinceEpoch());
        if (!known && line.severity > app::LogSeverity::Debug) all.push_back(app::eventOf(line));
    }
    all += rows;
    std::stable_sort(all.begin(), all.end(), [](const app::EventRow& a, const app::EventRow& b) {
        return a.when < b.when;
    });
    m_model->setRows(std::move(all));
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
    QString text = event->kind == app::EventKind::Program ? QString() : event->title;
    if (!text.isEmpty() && !event->detail.isEmpty()) text += QLatin1Char('\n');
    m_details->setPlainText(text + event->detail);
    Q_EMIT rowSelected(*event);
}

void TimelinePanel::showCount() {
    const int shown = m_filter->rowCount(), all = m_model->rowCount();
    QString text = all == 1 && shown == 1 ? tr("1 event")
                   : shown == all
                       ? tr("%1 events").arg(app::countText(all))
                       : tr("%1 of %2 events").arg(app::countText(shown), app::countText(all));
    if (m_model->dropped() > 0)
        text += tr(", %1 older ones dropped").arg(app::countText(m_model->dropped()));
    m_count->setText(text);
}

/// Shows the place of the log, or why it is not on disk.
void TimelinePanel::showPlace() {
    m_folder->setVisible(m_log != nullptr);
    if (m_log == nullptr) return;
    const QString path = m_log->path();
    m_folder->setEnabled(!path.isEmpty());
    explain(m_folder, !m_log->problem().isEmpty() ? m_log->problem()
                      : path.isEmpty()            ? tr("This run writes no log to disk.")
                                                  : path);
}

QString TimelinePanel::text() const {
    QSet<int> selected;
    for (const QModelIndex& index : m_table->selectionModel()->selectedRows())
        selected.insert(index.row());
    QStringList lines;
    for (int row = 0; row < m_filter->rowCount(); ++row)
        if (selected.isEmpty() || selected.contains(row))
            lines << lineText(*m_model->row(m_filter->mapToSource(m_filter->index(row, 0)).row()));
    return lines.join(QLatin1Char('\n'));
}

}  // namespace lacuna::ui
