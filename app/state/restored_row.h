#pragma once
/// \file
/// Tokens that were brought back after compactions had forgotten them, as the window shows it.
/// Plain values.

#include <QString>
#include <QtGlobal>

namespace lacuna::app {

/// One request for such tokens: while it is at work, and at its end.
struct RestoredRow {
    qint64 timeNs = 0;
    qint64 conversation = 0;
    qint64 tokens = 0;      ///< asked for; 0: a question looked for none
    qint64 reread = 0;      ///< tokens of the text that are read again for it
    qint64 keptTokens = 0;  ///< of the conversation, that no compaction forgets from now on
    qint64 keptBytes = 0;   ///< that their rows take in an uncompressed cache
    double seconds = 0;
    bool ended = false;
    bool forQuestion = false;  ///< what a question looked for, by itself
    bool offered = false;      ///< its tokens are only named
    QString problem = {};      ///< why nothing has changed, a sentence; empty: it was done
    QString sentence = {};     ///< all of this in words
};

}  // namespace lacuna::app
