#include "app/state/chat/chat_model.h"

#include <QDateTime>
#include <QSet>
#include <algorithm>
#include <utility>

#include "app/state/figure_language.h"
#include "app/state/list_text.h"

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
    startStreaming();
    m_lines.back().text += text;
    if (!text.isEmpty()) Q_EMIT textAppended(text);
}

void ChatModel::appendThought(const QString& text, double seconds, qint64 tokens) {
    if (m_lines.isEmpty()) return;
    startStreaming();
    Thought& thought = m_lines.back().thought;
    thought.text += text;
    thought.seconds = seconds;
    thought.tokens = tokens;
    Q_EMIT thoughtAppended(text);
}

/// Receivers of dataChanged read the line as it is, so text is appended afterwards.
void ChatModel::startStreaming() {
    if (m_lines.back().state == LineState::Streaming) return;
    m_lines.back().state = LineState::Streaming;
    lastChanged();
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

void ChatModel::replaceLastText(const QString& text, const Thought& thought) {
    if (m_lines.isEmpty()) return;
    ChatLine& last = m_lines.back();
    const bool same = last.text == text && last.thought.text == thought.text;
    last.text = text;
    last.thought = thought;
    if (!same) lastChanged();
}

void ChatModel::noteModel(const QString& name) {
    if (m_lines.isEmpty()) return;
    ChatLine& last = m_lines.back();
    if (last.text.isEmpty() || last.model.isEmpty())
        last.model = name;
    else if (!last.model.endsWith(name))
        last.model = listed({last.model, name});
    lastChanged();
}

void ChatModel::reopenLast() {
    finishLast(LineState::Waiting, {}, std::nullopt);
}

QString ChatModel::systemPrompt() const {
    const bool there = !m_lines.isEmpty() && m_lines.front().speaker == MessageRole::System;
    return there ? m_lines.front().text : QString();
}

void ChatModel::setSystemPrompt(const QString& text) {
    if (text == systemPrompt()) return;
    if (text.isEmpty()) {
        beginRemoveRows({}, 0, 0);
        m_lines.removeFirst();
        endRemoveRows();
    } else if (systemPrompt().isEmpty()) {
        beginInsertRows({}, 0, 0);
        ChatLine line;
        line.id = m_nextId++;
        line.speaker = MessageRole::System;
        line.text = text;
        m_lines.prepend(std::move(line));
        endInsertRows();
    } else {
        m_lines.front().text = text;
        Q_EMIT dataChanged(index(0), index(0));
    }
}

void ChatModel::removeLast() {
    if (m_lines.isEmpty()) return;
    const int row = rowCount() - 1;
    beginRemoveRows({}, row, row);
    m_lines.removeLast();
    endRemoveRows();
}

void ChatModel::setLines(QVector<ChatLine> lines, QVector<HiddenLine> hidden) {
    beginResetModel();
    m_lines = std::move(lines);
    m_hidden = std::move(hidden);
    for (const ChatLine& line : m_lines) m_nextId = std::max(m_nextId, line.id + 1);
    for (const HiddenLine& one : m_hidden) m_nextId = std::max(m_nextId, one.line.id + 1);
    QSet<qint64> taken{0};
    const auto own = [&](qint64& id) {
        if (taken.contains(id)) id = m_nextId++;
        taken.insert(id);
    };
    for (ChatLine& line : m_lines) own(line.id);
    for (HiddenLine& one : m_hidden) own(one.line.id);
    endResetModel();
}

namespace {

/// Returns true if both lines look the same to the user.
bool alike(const ChatLine& a, const ChatLine& b) {
    return a.speaker == b.speaker && a.state == b.state && a.text == b.text &&
           a.attachment == b.attachment && a.attachmentText == b.attachmentText &&
           a.thought.text == b.thought.text && a.model == b.model && a.problem == b.problem &&
           a.figures.has_value() == b.figures.has_value();
}

}  // namespace

void ChatModel::become(const QVector<ChatLine>& lines) {
    const auto [mine, theirs] =
        std::mismatch(m_lines.begin(), m_lines.end(), lines.begin(), lines.end(), alike);
    const auto same = static_cast<int>(theirs - lines.begin());
    if (same + 1 == rowCount() && rowCount() == lines.size() &&
        m_lines.back().speaker == lines.back().speaker) {
        const qint64 id = m_lines.back().id;
        m_lines.back() = lines.back();
        m_lines.back().id = id;
        return lastChanged();
    }
    if (same < rowCount()) {
        beginRemoveRows({}, same, rowCount() - 1);
        m_lines.resize(same);
        endRemoveRows();
    }
    if (same == lines.size()) return;
    beginInsertRows({}, same, static_cast<int>(lines.size()) - 1);
    for (ChatLine line : lines.mid(same)) {
        line.id = m_nextId++;
        m_lines.push_back(std::move(line));
    }
    endInsertRows();
}

void ChatModel::noteAskingAgain(qint64 line, qint64 tokens) {
    if (m_lines.isEmpty() || m_lines.back().id != line || !m_lines.back().figures) return;
    m_lines.back().figures->regenerateTokens = tokens;
    lastChanged();
}

void ChatModel::hideFrom(int row) {
    if (row >= rowCount()) return;
    beginRemoveRows({}, row, rowCount() - 1);
    app::hideFrom(m_lines, m_hidden, row);
    endRemoveRows();
}

void ChatModel::showHidden(int row, qint64 id) {
    hideFrom(row);
    QVector<ChatLine> branch = removeBranch(m_hidden, id);
    if (branch.isEmpty()) return;
    beginInsertRows({}, row, row + static_cast<int>(branch.size()) - 1);
    m_lines += branch;
    endInsertRows();
}

void ChatModel::showBranch(int row, int number) {
    const qint64 id = lineOfBranch(m_lines, m_hidden, row, number);
    if (id != 0 && id != m_lines[row].id) showHidden(row, id);
}

bool ChatModel::showLine(qint64 id) {
    const auto is = [id](const ChatLine& line) { return line.id == id; };
    if (std::any_of(m_lines.cbegin(), m_lines.cend(), is)) return true;
    const QVector<qint64> way = pathTo(m_hidden, id);
    if (way.isEmpty()) return false;
    const auto first =
        std::find_if(m_hidden.cbegin(), m_hidden.cend(),
                     [&way](const HiddenLine& one) { return one.line.id == way.front(); });
    const qint64 before = first->parent;
    moveToEnd(m_hidden, way);
    int row = systemPrompt().isEmpty() ? 0 : 1;
    for (int at = 0; before != 0 && at < rowCount(); ++at)
        if (m_lines[at].id == before) row = at + 1;
    showHidden(row, way.front());
    return true;
}

void ChatModel::showNewestSuccessor() {
    const qint64 last = parentOf(m_lines, rowCount());
    const auto next = std::find_if(m_hidden.crbegin(), m_hidden.crend(),
                                   [last](const HiddenLine& one) { return one.parent == last; });
    if (next != m_hidden.crend()) showHidden(rowCount(), next->line.id);
}

QVector<HiddenLine> ChatModel::removeBranchAt(int row) {
    const BranchPosition place = branchAt(row);
    const qint64 next =
        lineOfBranch(m_lines, m_hidden, row, place.number > 1 ? place.number - 1 : 2);
    const qint64 gone = m_lines[row].id;
    hideFrom(row);
    const auto at = std::find_if(m_hidden.begin(), m_hidden.end(),
                                 [gone](const HiddenLine& one) { return one.line.id == gone; });
    QVector<HiddenLine> branch{*at};
    m_hidden.erase(at);
    branch += removeFollowers(m_hidden, {gone});
    showHidden(row, next);
    return branch;
}

void ChatModel::releaseBranch(const QVector<HiddenLine>& branch, qint64 line) {
    m_hidden += branch;
    showLine(line);
}

void ChatModel::lastChanged() {
    const QModelIndex last = index(rowCount() - 1);
    Q_EMIT dataChanged(last, last);
}

namespace {

QString tipOf(const ConversationRow& row) {
    QString tip =
        ConversationListModel::tr("%1, %n message(s)", nullptr, row.messages).arg(row.title);
    if (row.changed != 0) {
        const QDateTime when = QDateTime::fromMSecsSinceEpoch(row.changed);
        tip += ConversationListModel::tr("\nLast changed %1.").arg(dateTimeText(when));
    }
    if (!row.settings.isEmpty())
        tip += ConversationListModel::tr("\nLast answer used %1.").arg(row.settings);
    if (row.ownSettings) tip += ConversationListModel::tr("\nIt has its own cache settings.");
    if (row.isPrivate) tip += ConversationListModel::tr("\nIt is private: nothing is stored.");
    return tip;
}

QString accessibleTextOf(const ConversationRow& row) {
    QString text = row.title;
    if (row.answering) text += ConversationListModel::tr(", answering");
    if (row.ownSettings) text += ConversationListModel::tr(", own cache settings");
    if (row.isPrivate) text += ConversationListModel::tr(", private");
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
        case ChangedRole:
            return row.changed;
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
