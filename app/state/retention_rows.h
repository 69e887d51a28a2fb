#pragma once
/// \file
/// Retention as the window shows it: the engine's figures with the text of the tokens, and since
/// which compaction a token is gone, which only a series of snapshots can tell. GUI thread.

#include <QHash>
#include <QVector>

#include "app/state/view_types.h"

namespace lacuna {
struct RetentionSnapshot;
}

namespace lacuna::app {

/// All but `lostBy`, which is left empty.
[[nodiscard]] RetentionView viewOf(const RetentionSnapshot& snapshot);

/// Remembers of each conversation what was held when it was last looked at.
class RetentionHistory {
  public:
    /// A compaction was done there; `number` as in CompactionRow.
    void compacted(qint64 conversation, qint64 number);
    /// Fills `lostBy`.
    [[nodiscard]] RetentionView noted(RetentionView view);

  private:
    struct Seen {
        QVector<qint64> lostBy;  ///< [tokens] as in RetentionView
        qint64 newest = 0;       ///< number of the last compaction
        int unseen = 0;          ///< compactions since the last look
    };
    QHash<qint64, Seen> m_seen;  ///< by conversation
};

}  // namespace lacuna::app
