#include "ui/pages/log_page.h"

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
#include <QSortFilterProxyModel>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QUrl>
#include <QVBoxLayout>
#include <algorithm>

#include "app/state/files/program_log.h"
#include "app/state/number_format.h"
#include "app/state/telemetry/session_feed.h"
#include "ui/panels/event_log_model.h"
#include "ui/style/theme.h"
#include "ui/style/widget_roles.h"

namespace lacuna::ui {

namespace {

using app::LogSeverity;
using app::ProgramLog;

constexpr int kRowHeight = 24;  ///< px
constexpr int kLinesShown = 5;  ///< lines of the field with the selected ones

LogSeverity severityAt(const QModelIndex& index) {
    return static_cast<LogSeverity>(index.data(ProgramLog::SeverityRole).toInt());
}

/// Source of lines: the program's log, or the session only.
enum class Origin { Both, Session, Program };

class LogFilter final : public QSortFilterProxyModel {
  public:
    explicit LogFilter(QObject* parent) : QSortFilterProxyModel(parent) {}
    void setLeast(LogSeverity least) {
        m_least = least;
        invalidateFilter();
    }
    void setOrigin(Origin origin) {
        m_origin = origin;
        invalidateFilter();
    }
    void setWords(const QString& text) {
        m_words = text.split(QLatin1Char(' '), Qt::SkipEmptyParts);
        invalidateFilter();
    }

  protected:
    [[nodiscard]] bool filterAcceptsRow(int row, const QModelIndex& parent) const override {
        const QModelIndex text = sourceModel()->index(row, ProgramLog::Text, parent);
        if (severityAt(text) < m_least) return false;
        const bool ofSession = text.data(EventLogModel::SessionRole).toBool();
        if (m_origin == (ofSession ? Origin::Program : Origin::Session)) return false;
        const QString whole = text.siblingAtColumn(ProgramLog::Source).data().toString() +
                              QLatin1Char(' ') + text.data().toString();
        return std::all_of(m_words.begin(), m_words.end(), [&](const QString& word) {
            return whole.contains(word, Qt::CaseInsensitive);
        });
    }

  private:
    LogSeverity m_least = LogSeverity::Debug;
    Origin m_origin = Origin::Both;
    QStringList m_words;
};

/// Marks errors and warnings by a symbol and a word as well as a colour.
class LineDelegate final : public QStyledItemDelegate {
  public:
    LineDelegate(const ThemeSource& themes, QObject* parent)
        : QStyledItemDelegate(parent), m_themes(themes) {}

  protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
        QStyledItemDelegate::initStyleOption(option, index);
        option->textElideMode = Qt::ElideRight;
        const Theme& theme = m_themes.theme();
        const LogSeverity severity = severityAt(index);
        if (index.column() == ProgramLog::Severity && severity >= LogSeverity::Warning)
            option->text = QStringLiteral("\u26a0 ") + option->text;
        const bool words = index.column() == ProgramLog::Text;
        const QColor colour = severity == LogSeverity::Error           ? theme.bad
                              : severity == LogSeverity::Warning       ? theme.pending
                              : words && severity > LogSeverity::Debug ? theme.text
                                                                       : theme.secondary;
        option->palette.setColor(QPalette::Text, colour);
    }

  private:
    const ThemeSource& m_themes;
};

}  // namespace

LogPage::LogPage(ProgramLog& log, app::SessionFeed& feed, const ThemeSource& themes,
                 QWidget* parent)
    : QWidget(parent),
      m_log(log),
      m_themes(themes),
      m_events(new EventLogModel(log, feed, this)),
      m_filter(new LogFilter(this)) {
    setWindowTitle(tr("Event log"));
    m_filter->setSourceModel(m_events);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(12, 12, 12, 12);
    layout->setSpacing(8);
    layout->addWidget(buildFilter());
    buildTable();
    layout->addWidget(m_table, 1);
    layout->addWidget(m_lines);
    m_place = plainLabel({}, this);
    m_place->setWordWrap(true);
    m_place->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    layout->addWidget(m_place);
    layout->addWidget(buildButtons());
    connect(m_filter, &QAbstractItemModel::rowsAboutToBeInserted, this, [this] {
        const QScrollBar* bar = m_table->verticalScrollBar();
        m_atEnd = bar->value() >= bar->maximum() - 2;
    });
    connect(m_filter, &QAbstractItemModel::rowsInserted, this, &LogPage::follow);
    connect(m_filter, &QAbstractItemModel::rowsRemoved, this, &LogPage::showCount);
    connect(m_filter, &QAbstractItemModel::modelReset, this, &LogPage::follow);
    connect(&m_log, &ProgramLog::problemChanged, this, &LogPage::showPlace);
    connect(&m_themes, &ThemeSource::changed, m_table->viewport(), qOverload<>(&QWidget::update));
    setFocusProxy(m_words);
    showCount();
    showPlace();
    m_table->scrollToBottom();
}

QWidget* LogPage::buildFilter() {
    auto* bar = new QWidget(this);
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(8);
    auto* filter = static_cast<LogFilter*>(m_filter);
    m_origin = new QComboBox(bar);
    m_origin->setAccessibleName(tr("Source of lines"));
    m_origin->addItem(tr("Session and program"), static_cast<int>(Origin::Both));
    m_origin->addItem(tr("Session only"), static_cast<int>(Origin::Session));
    m_origin->addItem(tr("Program log only"), static_cast<int>(Origin::Program));
    m_origin->setItemData(
        1, tipText(tr("Answers, compactions and settings, without warnings and errors")),
        Qt::ToolTipRole);
    connect(m_origin, &QComboBox::currentIndexChanged, this, [this, filter] {
        filter->setOrigin(static_cast<Origin>(m_origin->currentData().toInt()));
        showCount();
    });
    m_severity = new QComboBox(bar);
    m_severity->setAccessibleName(tr("Lines shown"));
    m_severity->addItem(tr("Everything"), static_cast<int>(LogSeverity::Debug));
    m_severity->addItem(tr("Warnings and errors"), static_cast<int>(LogSeverity::Warning));
    m_severity->addItem(tr("Errors"), static_cast<int>(LogSeverity::Error));
    connect(m_severity, &QComboBox::currentIndexChanged, this, [this, filter] {
        filter->setLeast(static_cast<LogSeverity>(m_severity->currentData().toInt()));
        showCount();
    });
    m_words = new QLineEdit(bar);
    m_words->setPlaceholderText(tr("Filter"));
    m_words->setAccessibleName(tr("Words that a line must contain"));
    m_words->setClearButtonEnabled(true);
    connect(m_words, &QLineEdit::textChanged, this, [this, filter](const QString& text) {
        filter->setWords(text);
        showCount();
    });
    m_count = plainLabel({}, bar);
    m_count->setFont(Theme::font(FontRole::Small));
    setRole(m_count, QStringLiteral("secondary"));
    row->addWidget(m_origin);
    row->addWidget(m_severity);
    row->addWidget(m_words, 1);
    row->addWidget(m_count);
    return bar;
}

void LogPage::buildTable() {
    m_table = new QTableView(this);
    m_table->setModel(m_filter);
    m_table->setItemDelegate(new LineDelegate(m_themes, m_table));
    m_table->setAccessibleName(tr("Log"));
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setTabKeyNavigation(false);
    m_table->setShowGrid(false);
    m_table->setWordWrap(false);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    m_table->verticalHeader()->setDefaultSectionSize(kRowHeight);
    m_table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    m_table->horizontalHeader()->setHighlightSections(false);
    m_table->horizontalHeader()->setStretchLastSection(true);
    const QFontMetrics letters(font());
    const auto width = [&](const QString& widest) {
        return letters.horizontalAdvance(widest) + 20;
    };
    m_table->setColumnWidth(ProgramLog::Time, width(QStringLiteral("0000-00-00 00:00:00")));
    m_table->setColumnWidth(ProgramLog::Severity, width(QStringLiteral("\u26a0 warning")));
    m_table->setColumnWidth(ProgramLog::Source, width(QStringLiteral("compaction")));
    m_lines = new QPlainTextEdit(this);
    m_lines->setReadOnly(true);
    m_lines->setAccessibleName(tr("Selected lines"));
    m_lines->setTabChangesFocus(true);
    m_lines->setPlaceholderText(tr("Select lines to read them in full."));
    m_lines->setFixedHeight(QFontMetrics(m_lines->font()).lineSpacing() * kLinesShown + 16);
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &LogPage::showLines);
}

QWidget* LogPage::buildButtons() {
    auto* buttons = new QWidget(this);
    auto* row = new QHBoxLayout(buttons);
    row->setContentsMargins(0, 0, 0, 0);
    auto* copy = new QPushButton(tr("Copy"), buttons);
    copy->setToolTip(tipText(tr("Copy the selected lines, or all lines shown.")));
    connect(copy, &QPushButton::clicked, this,
            [this] { QApplication::clipboard()->setText(text()); });
    auto* folder = new QPushButton(tr("Open folder"), buttons);
    folder->setToolTip(tipText(tr("Open the folder of this log file.")));
    folder->setEnabled(!m_log.path().isEmpty());
    connect(folder, &QPushButton::clicked, this, [this] {
        QDesktopServices::openUrl(QUrl::fromLocalFile(QFileInfo(m_log.path()).absolutePath()));
    });
    row->addStretch(1);
    row->addWidget(copy);
    row->addWidget(folder);
    return buttons;
}

void LogPage::follow() {
    showCount();
    if (m_atEnd) m_table->scrollToBottom();
}

void LogPage::showCount() {
    const int shown = m_filter->rowCount(), all = m_events->rowCount();
    m_count->setText(shown == all
                         ? tr("%1 lines").arg(app::countText(all))
                         : tr("%1 of %2 lines").arg(app::countText(shown), app::countText(all)));
}

void LogPage::showLines() {
    m_lines->setPlainText(m_table->selectionModel()->hasSelection() ? text() : QString());
}

void LogPage::showPlace() {
    const QString path = m_log.path();
    m_place->setText(!m_log.problem().isEmpty() ? m_log.problem()
                     : path.isEmpty()           ? tr("This run writes no log to disk.")
                                                : path);
    setRole(m_place,
            m_log.problem().isEmpty() ? QStringLiteral("secondary") : QStringLiteral("bad"));
}

QString LogPage::text() const {
    QList<int> rows;
    for (const QModelIndex& index : m_table->selectionModel()->selectedRows()) rows << index.row();
    std::sort(rows.begin(), rows.end());
    if (rows.isEmpty())
        for (int row = 0; row < m_filter->rowCount(); ++row) rows << row;
    QStringList lines;
    for (const int row : rows) {
        const QModelIndex source = m_filter->mapToSource(m_filter->index(row, 0));
        lines << app::lineText(m_events->line(source.row()));
    }
    return lines.join(QLatin1Char('\n'));
}

}  // namespace lacuna::ui
