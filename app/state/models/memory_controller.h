#pragma once
/// \file
/// The prefix cache as the window shows it: its tiers in memory and on disk with their hits and
/// misses, and the cache of each conversation. Empties a tier on request, after a delay during
/// which this can be undone. Owned by the GUI thread.

#include <QHash>
#include <QObject>
#include <QString>
#include <QTimer>
#include <QVector>
#include <optional>
#include <utility>

#include "app/state/view_types.h"
#include "engine/values/prefix_values.h"

namespace lacuna {
class CommandSink;
struct PrefixCacheChanged;
struct StepSample;
struct TurnStarted;
}  // namespace lacuna

namespace lacuna::app {

class ChatController;
class SessionFeed;

enum class MemoryTier { Memory, Disk };

/// One tier of the prefix cache.
struct TierView {
    qint64 limitBytes = 0;  ///< 0 if the tier is disabled
    qint64 bytes = 0;
    qint64 entries = 0;
    qint64 lookups = 0, hits = 0;
    qint64 tokensReused = 0;
    double savedSeconds = 0;  ///< predicted time to compute the reused tokens
    /// Kinds of hits and reasons for misses, with counts, most frequent first.
    QVector<std::pair<QString, qint64>> hitKinds, missReasons;
    QString remark;                              ///< note on its contents, or empty
    QString problem;                             ///< why the tier does not work; empty if it does
    PageFidelity fidelity = PageFidelity::Auto;  ///< precision of rows written to disk from now on
};

/// Figures of one conversation's cache.
struct ConversationMemory {
    qint64 id = 0;
    QString title;
    bool isPrivate = false;
    qint64 tokens = 0;  ///< tokens in its cache after the last step; 0 if it had none in this run
    qint64 liveBytes = 0;                       ///< live bytes of its cache
    qint64 promptTokens = 0, reusedTokens = 0;  ///< of its last turn
    QString from;  ///< source of the reused tokens, or the reason why no more were reused
};

struct MemoryView {
    TierView memory;
    TierView disk;
    qint64 promptTokens = 0, reusedTokens = 0;  ///< sums over all turns of this run
    qint64 cacheBytes = 0;       ///< size of the caches of all conversations after the last step
    qint64 stateBytes = 0;       ///< part of it: states of recurrent layers
    qint64 checkpointBytes = 0;  ///< part of it: checkpoints of these states
    QVector<ConversationMemory> conversations;  ///< in list order
};

class MemoryController final : public QObject {
    Q_OBJECT

  public:
    /// Delay in ms before a tier is emptied.
    static constexpr int kUndoMs = 8'000;

    /// `feed` provides the figures of the conversations' caches.
    MemoryController(CommandSink& engine, ChatController& chat, const SessionFeed& feed,
                     QObject* parent = nullptr);

    [[nodiscard]] MemoryView view() const;
    /// Size of the caches of all conversations after the last step.
    [[nodiscard]] qint64 cacheBytes() const { return m_view.cacheBytes; }
    /// Empties the tier after `kUndoMs`.
    void clear(MemoryTier tier);
    /// Sets the precision of rows written to disk from now on.
    void setPageFidelity(PageFidelity fidelity);
    /// Cancels a pending clear().
    void undoClear();
    /// The tier to be emptied, unless cancelled.
    [[nodiscard]] std::optional<MemoryTier> clearing() const { return m_clearing; }
    [[nodiscard]] int secondsLeft() const;

    // Input from the engine:
    void onPrefixes(const PrefixCacheChanged& event);
    void onTurnStarted(const TurnStarted& event);
    void onSample(const StepSample& event);
    void onModelReleased();

  Q_SIGNALS:
    void changed();

  private:
    void clearNow();

    CommandSink& m_engine;
    ChatController& m_chat;
    const SessionFeed& m_feed;
    MemoryView m_view;  ///< without `conversations`
    QHash<qint64, ConversationMemory> m_known;
    QHash<qint64, qint64> m_cacheBytesOf;  ///< latest live bytes by conversation
    std::optional<MemoryTier> m_clearing;
    QTimer m_undo;
};

}  // namespace lacuna::app
