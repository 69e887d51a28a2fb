#pragma once
/// \file
/// What is remembered of texts that were read, and where: the places that keep them, what they gave
/// and why they gave nothing, and what each conversation holds. Empties a place on request, after a
/// while in which that can be taken back. Owned by the GUI thread.

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

/// One place that keeps texts for whoever begins alike.
struct TierView {
    qint64 limitBytes = 0;  ///< 0: it is off
    qint64 bytes = 0;
    qint64 entries = 0;
    qint64 lookups = 0, hits = 0;
    qint64 tokensReused = 0;
    double savedSeconds = 0;  ///< reading what was reused would have taken
    /// What hits were, and why lookups gave nothing: words and how often, the most frequent first.
    QVector<std::pair<QString, qint64>> hitKinds, missReasons;
    QString remark;   ///< about what it holds; empty: nothing to say
    QString trouble;  ///< why it cannot do its work, a sentence; empty: it can
    PageFidelity fidelity = PageFidelity::Auto;  ///< of what it keeps from now on, on disk
};

/// What is known of one conversation's cache.
struct ConversationMemory {
    qint64 id = 0;
    QString title;
    bool isPrivate = false;
    qint64 tokens = 0;     ///< of its cache after its last step; 0: it has had none in this run
    qint64 liveBytes = 0;  ///< of it
    qint64 promptTokens = 0, reusedTokens = 0;  ///< of its last question
    QString from;  ///< where the reused ones came from, or why there were not more; a sentence
};

struct MemoryView {
    TierView memory;
    TierView disk;
    qint64 promptTokens = 0, reusedTokens = 0;  ///< of all questions of this run
    qint64 cacheBytes = 0;  ///< of all conversations' caches after the last step
    QVector<ConversationMemory> conversations;  ///< as they stand in the list
};

class MemoryController final : public QObject {
    Q_OBJECT

  public:
    /// How long a place waits before it is emptied.
    static constexpr int kUndoMs = 8'000;

    /// `feed` knows the caches of conversations.
    MemoryController(CommandSink& engine, ChatController& chat, const SessionFeed& feed,
                     QObject* parent = nullptr);

    [[nodiscard]] MemoryView view() const;
    /// Empties it in `kUndoMs`.
    void clear(MemoryTier tier);
    /// How closely rows are kept on disk from now on.
    void keepPagesAs(PageFidelity fidelity);
    /// Nothing is emptied after all.
    void undoClear();
    /// The place that is emptied unless that is taken back.
    [[nodiscard]] std::optional<MemoryTier> clearing() const { return m_clearing; }
    [[nodiscard]] int secondsLeft() const;

    // From the engine.
    void onPrefixes(const PrefixCacheChanged& event);
    void onTurnStarted(const TurnStarted& event);
    void onSample(const StepSample& event);
    void onModelGone();

  Q_SIGNALS:
    void changed();

  private:
    void clearNow();

    CommandSink& m_engine;
    ChatController& m_chat;
    const SessionFeed& m_feed;
    MemoryView m_view;  ///< without conversations
    QHash<qint64, ConversationMemory> m_known;
    QHash<qint64, qint64> m_cacheBytesOf;  ///< live bytes of each conversation, newest
    std::optional<MemoryTier> m_clearing;
    QTimer m_undo;
};

}  // namespace lacuna::app
