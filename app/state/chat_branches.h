#pragma once
/// \file
/// Branches of a conversation: what stood where a message was edited or answered again. The lines
/// that are shown are one way through a tree; the others are hidden, each with the line it follows.
/// Plain values and pure functions.

#include <QVector>

#include "app/state/view_types.h"

namespace lacuna::app {

/// A line that stands in another branch than the one that is shown.
struct HiddenLine {
    ChatLine line;
    qint64 parent = 0;  ///< id of the line before it; 0: the conversation begins with it
};

/// Which branch is shown at a line, counted from 1 in the order in which they were begun.
struct BranchPlace {
    int number = 1;
    int count = 1;
    friend bool operator==(const BranchPlace&, const BranchPlace&) = default;
};

/// Id of the line that `row` follows in the tree; also of one behind the last. What the model is
/// told first is no part of it.
[[nodiscard]] qint64 parentOf(const QVector<ChatLine>& lines, qsizetype row);

[[nodiscard]] BranchPlace branchAt(const QVector<ChatLine>& lines,
                                   const QVector<HiddenLine>& hidden, qsizetype row);

/// Id of the line that branch `number` (from 1) has at `row`; 0: there is no such branch.
[[nodiscard]] qint64 lineOfBranch(const QVector<ChatLine>& lines, const QVector<HiddenLine>& hidden,
                                  qsizetype row, int number);

/// Moves the lines from `row` on to the end of the hidden ones, with what they follow.
void hideFrom(QVector<ChatLine>& lines, QVector<HiddenLine>& hidden, qsizetype row);

/// Takes a hidden line out with those that follow it, where they part the one that was hidden last.
/// In the order in which they are shown; empty: there is no such line.
[[nodiscard]] QVector<ChatLine> takeBranch(QVector<HiddenLine>& hidden, qint64 id);

/// Ids of the lines from the beginning to a hidden one, which is the last; empty: it is not hidden.
[[nodiscard]] QVector<qint64> wayTo(const QVector<HiddenLine>& hidden, qint64 id);

/// These come last, in this order: what was hidden last is what is shown where ways part.
void moveToEnd(QVector<HiddenLine>& hidden, const QVector<qint64>& ids);

/// Takes all hidden lines out that follow one of these, however far.
[[nodiscard]] QVector<HiddenLine> takeFollowers(QVector<HiddenLine>& hidden,
                                                const QVector<qint64>& ids);

}  // namespace lacuna::app
