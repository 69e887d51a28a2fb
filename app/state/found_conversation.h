#pragma once
/// \file
/// A conversation that has the words of a search in one of its messages. A plain value.

#include <QString>

namespace lacuna::app {

struct FoundConversation {
    qint64 id = 0;
    QString excerpt;        ///< of the first such message, around the words, on one line
    qint64 hiddenLine = 0;  ///< where only a branch that is not shown has them: id of that line
};

}  // namespace lacuna::app
