#include "app/state/chat_model.h"

#include <algorithm>
#include <utility>

namespace lacuna::app {

int ChatModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_lines.size());
}

QVariant ChatModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const ChatLine& line = m_lines.at(index.row());
    switch (role) {
        case TextRole:
            return line.text;
        case SpeakerRole:
            return static_cast<int>(line.speaker);
        case StateRole:
            return static_cast<int>(line.state);
        case IdRole:
            return line.id;
        default:
            return {};
    }
}

QHash<int, QByteArray> ChatModel::roleNames() const {
    return {{TextRole, "text"}, {SpeakerRole, "speaker"}, {StateRole, "state"}, {IdRole, "lineId"}};
}

qint64 ChatModel::append(ChatLine line) {
    const int row = rowCount();
    line.id = m_nextId++;
    beginInsertRows({}, row, row);
    m_lines.push_back(std::move(line));
    endInsertRows();
    return m_lines.back().id;
}

void ChatModel::appendText(const QString& text) {
    if (m_lines.isEmpty()) return;
    ChatLine& last = m_lines.back();
    last.text += text;
    if (last.state != LineState::Streaming) {
        last.state = LineState::Streaming;
        lastChanged();
    }
    if (!text.isEmpty()) Q_EMIT textAppended(text);
}

void ChatModel::finishLast(LineState state, const QString& problem,
                           const std::optional<TurnRow>& figures) {
    if (m_lines.isEmpty()) return;
    ChatLine& last = m_lines.back();
    last.state = state;
    last.problem = problem;
    last.figures = figures;
    lastChanged();
}

void ChatModel::replaceLastText(const QString& text) {
    if (m_lines.isEmpty() || m_lines.back().text == text) return;
    m_lines.back().text = text;
    lastChanged();
}

void ChatModel::removeLast() {
    if (m_lines.isEmpty()) return;
    const int row = rowCount() - 1;
    beginRemoveRows({}, row, row);
    m_lines.removeLast();
    endRemoveRows();
}

void ChatModel::setLines(QVector<ChatLine> lines) {
    beginResetModel();
    m_lines = std::move(lines);
    for (ChatLine& line : m_lines) line.id = m_nextId++;
    endResetModel();
}

void ChatModel::lastChanged() {
    const QModelIndex last = index(rowCount() - 1);
    Q_EMIT dataChanged(last, last);
}

}  // namespace lacuna::app
