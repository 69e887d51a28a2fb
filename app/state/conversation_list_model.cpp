#include "app/state/conversation_list_model.h"

#include <QDateTime>
#include <QLocale>

namespace lacuna::app {

namespace {

QString tipOf(const ConversationRow& row) {
    QString tip =
        ConversationListModel::tr("%1, %n message(s)", nullptr, row.messages).arg(row.title);
    if (row.changed != 0) {
        const QDateTime when = QDateTime::fromMSecsSinceEpoch(row.changed);
        tip += ConversationListModel::tr("\nLast changed %1.")
                   .arg(QLocale::c().toString(when, QStringLiteral("d MMM yyyy, HH:mm")));
    }
    if (!row.settings.isEmpty())
        tip += ConversationListModel::tr("\nLast answered with %1.").arg(row.settings);
    if (row.ownSettings) tip += ConversationListModel::tr("\nIt has cache settings of its own.");
    return tip;
}

QString accessibleTextOf(const ConversationRow& row) {
    QString text = row.title;
    if (row.answering) text += ConversationListModel::tr(", answering");
    if (row.ownSettings) text += ConversationListModel::tr(", own cache settings");
    return text;
}

}  // namespace

int ConversationListModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

QVariant ConversationListModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const ConversationRow& row = m_rows.at(index.row());
    switch (role) {
        case TitleRole:
            return row.title;
        case Qt::ToolTipRole:
            return tipOf(row);
        case Qt::AccessibleTextRole:
            return accessibleTextOf(row);
        case IdRole:
            return row.id;
        case AnsweringRole:
            return row.answering;
        case OwnSettingsRole:
            return row.ownSettings;
        default:
            return {};
    }
}

std::optional<int> ConversationListModel::rowOf(qint64 id) const {
    for (int row = 0; row < rowCount(); ++row) {
        if (m_rows.at(row).id == id) return row;
    }
    return std::nullopt;
}

void ConversationListModel::prepend(const ConversationRow& row) {
    beginInsertRows({}, 0, 0);
    m_rows.prepend(row);
    endInsertRows();
}

void ConversationListModel::update(const ConversationRow& row) {
    const auto at = rowOf(row.id);
    if (!at) return;
    m_rows[*at] = row;
    Q_EMIT dataChanged(index(*at), index(*at));
}

void ConversationListModel::remove(qint64 id) {
    const auto at = rowOf(id);
    if (!at) return;
    beginRemoveRows({}, *at, *at);
    m_rows.removeAt(*at);
    endRemoveRows();
}

}  // namespace lacuna::app
