#pragma once
/// \file
/// Branches of a conversation, created by editing a message or regenerating an answer. The shown
/// lines are one path through a tree; all others are hidden and stored with the id of their parent
/// line. Plain values and pure functions.

#include <QVector>

#include "app/state/view_types.h"

namespace lacuna::app {

/// A line that is not on the shown path.
struct HiddenLine {
    ChatLine line;
    qint64 parent = 0;  ///< id of the previous line; 0 at the start of the conversation
};

/// Position of the shown branch at a line, counted from 1 in the order of creation.
struct BranchPosition {
    int number = 1;
    int count = 1;
    friend bool operator==(const BranchPosition&, const BranchPosition&) = default;
};

/// Returns the id of the parent of the line at `row`, which may be one past the end. System prompts
/// are not part of the tree.
[[nodiscard]] qint64 parentOf(const QVector<ChatLine>& lines, qsizetype row);

[[nodiscard]] BranchPosition branchAt(const QVector<ChatLine>& lines,
                                      const QVector<HiddenLine>& hidden, qsizetype row);

/// Returns the last row with several branches; -1 if there is none. Linear time.
[[nodiscard]] int lastBranching(const QVector<ChatLine>& lines, const QVector<HiddenLine>& hidden);

/// Returns the id of the line of branch `number` (from 1) at `row`; 0 if there is no such branch.
[[nodiscard]] qint64 lineOfBranch(const QVector<ChatLine>& lines, const QVector<HiddenLine>& hidden,
                                  qsizetype row, int number);

/// Moves the lines from `row` on to the end of the hidden ones and records their parents.
void hideFrom(QVector<ChatLine>& lines, QVector<HiddenLine>& hidden, qsizetype row);

/// Removes a hidden line and its descendants from `hidden` and returns them in display order. At
/// each branching point the most recently hidden branch is followed. Empty if there is no such
/// line.
[[nodiscard]] QVector<ChatLine> removeBranch(QVector<HiddenLine>& hidden, qint64 id);

/// Returns the ids from the first line to the hidden line `id`, inclusive; empty if it is not
/// hidden.
[[nodiscard]] QVector<qint64> pathTo(const QVector<HiddenLine>& hidden, qint64 id);

/// Moves these lines to the end in the given order, because the line hidden last is followed at a
/// branching point.
void moveToEnd(QVector<HiddenLine>& hidden, const QVector<qint64>& ids);

/// Removes all hidden descendants of the given lines and returns them.
[[nodiscard]] QVector<HiddenLine> removeFollowers(QVector<HiddenLine>& hidden,
                                                  const QVector<qint64>& ids);

}  // namespace lacuna::app
