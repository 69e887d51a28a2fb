#pragma once
/// \file
/// From tokens of the cache to the words on screen: which part of each message a token stands for.
/// Pure functions.

#include <QVector>

#include "app/state/view_types.h"

namespace lacuna::app {

/// A stretch of a message and the token it is.
struct TokenSpan {
    qsizetype start = 0, length = 0;  ///< in the message as it was sent
    qsizetype token = 0;
};

/// Spans of each line, ascending, in the text that messageText() gives. A message the cache does
/// not hold word for word (the template changed it, or it was not read yet) has none.
[[nodiscard]] QVector<QVector<TokenSpan>> tokenSpans(const RetentionView& view,
                                                     const QVector<ChatLine>& lines);

}  // namespace lacuna::app
