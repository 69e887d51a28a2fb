#include "ui/timeline_model.h"

#include <QCoreApplication>

#include "ui/widget_roles.h"

namespace lacuna::ui {

QString eventKindText(app::EventKind kind) {
    const auto text = [](const char* words) {
        return QCoreApplication::translate("Timeline", words);
    };
    switch (kind) {
        case app::EventKind::Model:
            return text("Model");
        case app::EventKind::Turn:
            return text("Answer");
        case app::EventKind::Config:
            return text("Settings");
        case app::EventKind::Compaction:
            return text("Compaction");
        case app::EventKind::Notice:
            return text("Notice");
        case app::EventKind::Error:
            return text("Error");
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
        // A tenth at once, so that a full timeline does not shift its view at every event.
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
    // From the newest: what a person clicks is usually recent.
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
            return tr("What happened");
        default:
            return {};
    }
}

}  // namespace lacuna::ui
