#pragma once
/// \file
/// A request to restore evicted tokens, as shown in the window. Plain values.

#include <QString>
#include <QtGlobal>

namespace lacuna::app {

/// One such request, either running or finished.
struct RestoredRow {
    qint64 timeNs = 0;
    qint64 conversation = 0;
    qint64 tokens = 0;      ///< number of requested tokens; 0 if a turn needed none
    qint64 reread = 0;      ///< tokens of the text that are recomputed for it
    qint64 keptTokens = 0;  ///< tokens of the conversation that later compactions keep
    qint64 keptBytes = 0;   ///< size of their rows in an uncompressed cache
    double seconds = 0;
    bool ended = false;
    bool forQuestion = false;  ///< requested automatically for a turn
    bool offered = false;      ///< only proposed to the user
    QString problem = {};      ///< why nothing has changed; empty on success
    QString sentence = {};     ///< description of all of the above
};

}  // namespace lacuna::app
