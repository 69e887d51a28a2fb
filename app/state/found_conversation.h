#pragma once
/// \file
/// A conversation that has the words of a search in one of its messages. A plain value.

#include <QString>

namespace lacuna::app {

struct FoundConversation {
    qint64 id = 0;
    QString excerpt;  ///< of the first such message, around the words, on one line
};

}  // namespace lacuna::app
