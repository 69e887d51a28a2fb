#pragma once
/// \file
/// Retention as the window shows it: the figures of the engine with the text of the tokens, since
/// which compaction a token is gone, and which part of each message a token stands for. GUI thread.

#include <QHash>
#include <QVector>
#include <optional>

#include "app/state/view_types.h"
#include "engine/values/compaction_values.h"

namespace lacuna {
struct RetentionSnapshot;
}

namespace lacuna::app {

/// All but `lostBy`, which is left empty.
[[nodiscard]] RetentionView viewOf(const RetentionSnapshot& snapshot);

/// Remembers of each conversation what was held when it was last looked at: since which compaction
/// a token is gone only a series of snapshots can tell.
class RetentionHistory {
  public:
    /// A compaction was done there; `number` as in CompactionRow.
    void compacted(qint64 conversation, qint64 number);
    /// What the newest compaction kept of the text was measured.
    void measured(qint64 conversation, const KeptInformation& kept);
    /// Fills `lostBy` and the weakest passage.
    [[nodiscard]] RetentionView noted(RetentionView view);

  private:
    struct Seen {
        QVector<qint64> lostBy;                              ///< [tokens] as in RetentionView
        qint64 newest = 0;                                   ///< number of the last compaction
        int unseen = 0;                                      ///< compactions since the last look
        std::optional<KeptInformation> kept = std::nullopt;  ///< by the newest compaction
    };
    QHash<qint64, Seen> m_seen;  ///< by conversation
};

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
