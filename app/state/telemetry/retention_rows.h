#pragma once
/// \file
/// Retention as shown in the window: the engine's figures combined with the text of the tokens, the
/// compaction that evicted each token, and the tokens of each message. GUI thread.

#include <QHash>
#include <QVector>
#include <optional>

#include "app/state/view_types.h"
#include "engine/values/compaction_values.h"

namespace lacuna {
struct ModelFacts;
struct RetentionSnapshot;
}  // namespace lacuna

namespace lacuna::app {

/// Converts a snapshot; `lostBy` is left empty. The cost of slots, and which layers read the rows
/// of another, are known only with the model.
[[nodiscard]] RetentionView viewOf(const RetentionSnapshot& snapshot,
                                   const ModelFacts* model = nullptr);

/// Remembers the last snapshot of each conversation, because the compaction that evicted a token
/// can only be derived from a series of snapshots.
class RetentionHistory {
  public:
    /// Records a compaction; `number` as in CompactionRow.
    void compacted(qint64 conversation, qint64 number);
    /// Records the measured information kept by the latest compaction.
    void measured(qint64 conversation, const KeptInformation& kept);
    /// Fills `lostBy` and the weakest passage.
    [[nodiscard]] RetentionView noted(RetentionView view);

  private:
    struct Seen {
        QVector<qint64> lostBy;  ///< [tokens] as in RetentionView
        qint64 newest = 0;       ///< number of the latest compaction
        int unseen = 0;          ///< compactions since the last snapshot
        std::optional<KeptInformation> kept = std::nullopt;  ///< measured for the latest compaction
    };
    QHash<qint64, Seen> m_seen;  ///< by conversation
};

/// A token's range in a message.
struct TokenSpan {
    qsizetype start = 0, length = 0;  ///< in the message as sent
    qsizetype token = 0;
};

/// Returns the token spans of each line, ascending, in the text of messageText(). A message has
/// none if the cache does not contain it verbatim, because the template changed it or it was not
/// read yet.
[[nodiscard]] QVector<QVector<TokenSpan>> tokenSpans(const RetentionView& view,
                                                     const QVector<ChatLine>& lines);

}  // namespace lacuna::app
