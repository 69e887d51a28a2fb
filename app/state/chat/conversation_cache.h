#pragma once
/// \file
/// Commands for the cache of the current conversation. Owned by the GUI thread.

#include <QObject>
#include <QString>

namespace lacuna {
class CommandSink;
struct PromptCacheMoved;
}  // namespace lacuna

namespace lacuna::app {

class ConversationList;
class EventDispatcher;

class ConversationCache final : public QObject {
    Q_OBJECT

  public:
    ConversationCache(CommandSink& engine, ConversationList& list, QObject* parent = nullptr);

    void compactNow();
    /// Cancels a background compaction.
    void stopCompaction();
    /// Restores evicted tokens, given by position in the cache.
    void bringBack(qint64 first, qint64 count);
    /// Drops the cache; the next turn reads the whole text again.
    void release();
    void requestRetention();
    /// Saves the cache to a file, or loads it from one which replaces the current cache. The result
    /// is reported by moved.
    void save(const QString& path);
    void load(const QString& path);

    void subscribeTo(EventDispatcher& events);
    void onMoved(const PromptCacheMoved& event);

  Q_SIGNALS:
    /// Emitted when the engine was requested to drop the conversation's cache.
    void released(qint64 conversation);
    /// Emitted when the engine was requested to compact the conversation's cache.
    void compactionRequested(qint64 conversation);
    /// Reports the result of saving or loading.
    void moved(const QString& sentence, bool problem);

  private:
    void releaseOf(qint64 conversation);

    CommandSink& m_engine;
    ConversationList& m_list;
    int m_moving = 0;  ///< pending requests to save or load
};

}  // namespace lacuna::app
