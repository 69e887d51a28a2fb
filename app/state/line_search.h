#pragma once
/// \file
/// Finds words in the messages of a conversation, with what stands around them. Pure functions.

#include <QString>
#include <QVector>

#include "app/state/view_types.h"

namespace lacuna::app {

/// A place of a conversation that has the words.
struct LineHit {
    int row = 0;
    bool attached = false;  ///< in the text attached to the message, not in the message itself
    int number = 0;         ///< how many places of that text have the words before this one
    qint64 hiddenLine = 0;  ///< in a branch that is not shown: id of its line; `row` counts for
                            ///< nothing
    QString before, words, after;  ///< the snippet, without breaks; `words` as they are written
};

struct LineHits {
    QVector<LineHit> hits;  ///< from the first message to the last
    bool more = false;      ///< there are more than were asked for
};

/// Places of `words`, upper and lower case alike, no more than `most` of them. Linear in the texts.
[[nodiscard]] LineHits findInLines(const QVector<ChatLine>& lines, const QString& words, int most);

}  // namespace lacuna::app
