#pragma once
/// \file
/// Full-text search in the messages of a conversation, with the text around each match. Pure
/// functions.

#include <QString>
#include <QVector>

#include "app/state/view_types.h"

namespace lacuna::app {

/// One match in a conversation.
struct LineHit {
    int row = 0;
    bool attached = false;  ///< true if the match is in the attached text instead of the message
    int number = 0;         ///< number of earlier matches in the same text
    qint64 hiddenLine = 0;  ///< id of the line if it is in a hidden branch; `row` is then unused
    QString before, words, after;  ///< snippet without line breaks; `words` as spelled in the text
};

struct LineHits {
    QVector<LineHit> hits;  ///< in message order
    bool more = false;      ///< true if there are further matches
};

/// Finds at most `most` matches of `words`, ignoring case. Linear in the length of the texts.
[[nodiscard]] LineHits findInLines(const QVector<ChatLine>& lines, const QString& words, int most);

}  // namespace lacuna::app
