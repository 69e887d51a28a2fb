#pragma once
/// \file
/// A search result: a conversation that contains the searched words. A plain value.

#include <QString>

namespace lacuna::app {

struct FoundConversation {
    qint64 id = 0;
    QString excerpt;        ///< text around the match in the first such message, on one line
    qint64 hiddenLine = 0;  ///< id of the matching line if it is only in a hidden branch; otherwise
                            ///< 0
};

}  // namespace lacuna::app
