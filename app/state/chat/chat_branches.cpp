#include "app/state/chat/chat_branches.h"

#include <QHash>
#include <QSet>
#include <algorithm>

namespace lacuna::app {

namespace {

/// Returns the ids of all alternatives at `row` in the order of creation.
QVector<qint64> linesAt(const QVector<ChatLine>& lines, const QVector<HiddenLine>& hidden,
                        qsizetype row) {
    if (lines[row].speaker == MessageRole::System) return {lines[row].id};
    QVector<qint64> ids{lines[row].id};
    const qint64 parent = parentOf(lines, row);
    for (const HiddenLine& one : hidden)
        if (one.parent == parent) ids.push_back(one.line.id);
    std::sort(ids.begin(), ids.end());
    return ids;
}

/// Keeps the entries whose index is `wanted`, in order. Linear time, because long conversations
/// have thousands of lines.
template <class Wanted>
void keepOnly(QVector<HiddenLine>& hidden, const Wanted& wanted) {
    QVector<HiddenLine> kept;
    kept.reserve(hidden.size());
    for (qsizetype at = 0; at < hidden.size(); ++at)
        if (wanted(at)) kept.push_back(std::move(hidden[at]));
    hidden = std::move(kept);
}

}  // namespace

qint64 parentOf(const QVector<ChatLine>& lines, qsizetype row) {
    return row == 0 || lines[row - 1].speaker == MessageRole::System ? 0 : lines[row - 1].id;
}

BranchPosition branchAt(const QVector<ChatLine>& lines, const QVector<HiddenLine>& hidden,
                        qsizetype row) {
    if (hidden.isEmpty() || row < 0 || row >= lines.size()) return {};
    const QVector<qint64> ids = linesAt(lines, hidden, row);
    return {static_cast<int>(ids.indexOf(lines[row].id)) + 1, static_cast<int>(ids.size())};
}

int lastBranching(const QVector<ChatLine>& lines, const QVector<HiddenLine>& hidden) {
    QSet<qint64> parents;
    for (const HiddenLine& one : hidden) parents.insert(one.parent);
    for (qsizetype row = parents.isEmpty() ? -1 : lines.size() - 1; row >= 0; --row)
        if (lines[row].speaker != MessageRole::System && parents.contains(parentOf(lines, row)))
            return static_cast<int>(row);
    return -1;
}

qint64 lineOfBranch(const QVector<ChatLine>& lines, const QVector<HiddenLine>& hidden,
                    qsizetype row, int number) {
    if (row < 0 || row >= lines.size()) return 0;
    return linesAt(lines, hidden, row).value(number - 1);
}

void hideFrom(QVector<ChatLine>& lines, QVector<HiddenLine>& hidden, qsizetype row) {
    for (qsizetype at = row; at < lines.size(); ++at)
        hidden.push_back({lines[at], parentOf(lines, at)});
    lines.resize(row);
}

QVector<ChatLine> removeBranch(QVector<HiddenLine>& hidden, qint64 id) {
    QHash<qint64, qsizetype> places, last;  // index of each line by id, and of the line hidden last
                                            // by parent id
    for (qsizetype at = 0; at < hidden.size(); ++at) {
        places.insert(hidden[at].line.id, at);
        last.insert(hidden[at].parent, at);
    }
    QVector<ChatLine> branch;
    QVector<bool> taken(hidden.size(), false);
    for (qsizetype at = places.value(id, -1); at >= 0 && !taken[at];
         at = last.value(branch.back().id, -1)) {
        taken[at] = true;
        branch.push_back(std::move(hidden[at].line));
    }
    keepOnly(hidden, [&taken](qsizetype at) { return !taken[at]; });
    return branch;
}

QVector<qint64> pathTo(const QVector<HiddenLine>& hidden, qint64 id) {
    QHash<qint64, qint64> parents;
    for (const HiddenLine& one : hidden) parents.insert(one.line.id, one.parent);
    QVector<qint64> way;
    for (qint64 step = id; parents.contains(step); step = parents.take(step)) way.push_back(step);
    std::reverse(way.begin(), way.end());
    return way;
}

void moveToEnd(QVector<HiddenLine>& hidden, const QVector<qint64>& ids) {
    QHash<qint64, qsizetype> places;
    for (qsizetype at = 0; at < hidden.size(); ++at) places.insert(hidden[at].line.id, at);
    QVector<HiddenLine> moved;
    QVector<bool> taken(hidden.size(), false);
    for (const qint64 id : ids) {
        const qsizetype at = places.value(id, -1);
        if (at < 0 || taken[at]) continue;
        taken[at] = true;
        moved.push_back(std::move(hidden[at]));
    }
    keepOnly(hidden, [&taken](qsizetype at) { return !taken[at]; });
    hidden += moved;
}

QVector<HiddenLine> removeFollowers(QVector<HiddenLine>& hidden, const QVector<qint64>& ids) {
    QMultiHash<qint64, qsizetype> behind;
    for (qsizetype at = 0; at < hidden.size(); ++at) behind.insert(hidden[at].parent, at);
    QVector<bool> taken(hidden.size(), false);
    QVector<qint64> open = ids;
    while (!open.isEmpty()) {
        const qint64 id = open.takeLast();
        for (auto next = behind.constFind(id); next != behind.cend() && next.key() == id; ++next) {
            if (taken[*next]) continue;
            taken[*next] = true;
            open.push_back(hidden[*next].line.id);
        }
    }
    QVector<HiddenLine> followers;
    for (qsizetype at = 0; at < hidden.size(); ++at)
        if (taken[at]) followers.push_back(hidden[at]);
    keepOnly(hidden, [&taken](qsizetype at) { return !taken[at]; });
    return followers;
}

}  // namespace lacuna::app
