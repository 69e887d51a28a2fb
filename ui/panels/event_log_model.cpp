#include "ui/panels/event_log_model.h"

#include <algorithm>
#include <utility>

#include "app/state/telemetry/session_feed.h"
#include "ui/panels/timeline_panel.h"
#include "ui/style/widget_roles.h"

namespace lacuna::ui {

namespace {

/// Builds a line for a session event that is not in the log.
app::LogLine sessionLine(const app::EventRow& row) {
    QString text = row.title;
    if (!row.detail.isEmpty())
        text += factDot() + QString(row.detail).replace(QLatin1Char('\n'), factDot());
    return {row.when, app::LogSeverity::Info, eventKindText(row.kind), text};
}

/// Translates the log's own identifiers to the terms of the timeline.
QString sourceText(const QString& source) {
    using Kind = app::EventKind;
    static constexpr std::pair<const char*, Kind> kKinds[] = {{"model", Kind::Model},
                                                              {"answer", Kind::Turn},
                                                              {"settings", Kind::Config},
                                                              {"compaction", Kind::Compaction},
                                                              {"notice", Kind::Notice}};
    for (const auto& [word, kind] : kKinds)
        if (source == QLatin1String(word)) return eventKindText(kind);
    if (source == QLatin1String("program")) return EventLogModel::tr("Program");
    return source == QLatin1String("engine") ? EventLogModel::tr("Engine") : source;
}

QString severityText(app::LogSeverity severity) {
    switch (severity) {
        case app::LogSeverity::Debug:
            return EventLogModel::tr("Debug");
        case app::LogSeverity::Info:
            return EventLogModel::tr("Info");
        case app::LogSeverity::Warning:
            return EventLogModel::tr("Warning");
        case app::LogSeverity::Error:
            return EventLogModel::tr("Error");
    }
    return {};
}

}  // namespace

EventLogModel::EventLogModel(app::ProgramLog& log, app::SessionFeed& feed, QObject* parent)
    : QAbstractTableModel(parent), m_log(log) {
    QVector<Entry> all;
    for (int row = 0; row < log.rowCount(); ++row) all.push_back({log.line(row), false});
    for (const app::EventRow& row : feed.timeline())
        if (!app::lineOf(row)) all.push_back({sessionLine(row), true});
    addAll(std::move(all));
    connect(&log, &QAbstractItemModel::rowsInserted, this,
            [this](const QModelIndex&, int first, int last) { takeFromLog(first, last); });
    connect(&feed, &app::SessionFeed::eventArrived, this, [this](const app::EventRow& row) {
        if (!app::lineOf(row)) add({sessionLine(row), true});
    });
}

void EventLogModel::addAll(QVector<Entry> entries) {
    beginResetModel();
    m_lines.insert(m_lines.end(), std::make_move_iterator(entries.begin()),
                   std::make_move_iterator(entries.end()));
    std::stable_sort(m_lines.begin(), m_lines.end(),
                     [](const Entry& a, const Entry& b) { return a.line.when < b.line.when; });
    while (m_lines.size() > kMaxRows) m_lines.pop_front();
    endResetModel();
}

void EventLogModel::add(Entry entry) {
    if (m_lines.size() >= kMaxRows) {
        constexpr int kGone = static_cast<int>(kMaxRows) / 10;
        beginRemoveRows({}, 0, kGone - 1);
        m_lines.erase(m_lines.begin(), m_lines.begin() + kGone);
        endRemoveRows();
    }
    const int at = rowCount();
    beginInsertRows({}, at, at);
    m_lines.push_back(std::move(entry));
    endInsertRows();
}

/// New lines are appended one at a time; those of earlier runs arrive in one batch.
void EventLogModel::takeFromLog(int first, int last) {
    if (first == last && last == m_log.rowCount() - 1) return add({m_log.line(last), false});
    QVector<Entry> entries;
    for (int row = first; row <= last; ++row) entries.push_back({m_log.line(row), false});
    addAll(std::move(entries));
}

int EventLogModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_lines.size());
}

int EventLogModel::columnCount(const QModelIndex& parent) const {
    return m_log.columnCount(parent);
}

QVariant EventLogModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) return {};
    const Entry& entry = m_lines[static_cast<std::size_t>(index.row())];
    if (role == SessionRole) return entry.ofSession;
    if (index.column() == app::ProgramLog::Source && role == Qt::DisplayRole)
        return sourceText(entry.line.source);
    if (index.column() == app::ProgramLog::Severity && role == Qt::DisplayRole)
        return severityText(entry.line.severity);
    return app::cellOf(entry.line, index.column(), role);
}

QVariant EventLogModel::headerData(int section, Qt::Orientation orientation, int role) const {
    return m_log.headerData(section, orientation, role);
}

}  // namespace lacuna::ui
