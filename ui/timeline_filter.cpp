#include "ui/timeline_filter.h"

#include <algorithm>

#include "ui/timeline_model.h"

namespace lacuna::ui {

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

}  // namespace lacuna::ui
