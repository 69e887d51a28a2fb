#pragma once
/// \file
/// Converts engine events to rows: steps, compactions, configurations, turns, timeline. Charts,
/// timeline and status bar subscribe to its signals; each batch of steps is one signal. Owned by
/// the GUI thread.

#include <QObject>
#include <QVector>
#include <memory>
#include <optional>

#include "app/state/chat/restored_row.h"
#include "app/state/telemetry/recoding_view.h"
#include "app/state/view_types.h"

namespace lacuna {
class ConversationSettings;
struct CacheRecoded;
struct CacheSettingsDropped;
struct CompactionHappened;
struct ConfigApplied;
struct ConfigRejected;
struct ModelFailed;
struct ModelLoaded;
struct Notice;
struct PrefixCacheChanged;
struct QualitySampled;
struct SpanRestored;
struct StateChanged;
struct StepSample;
struct TurnFinished;
struct TurnStarted;
struct Error;
}  // namespace lacuna

namespace lacuna::app {

class SessionFeed final : public QObject {
    Q_OBJECT

  public:
    /// Reads the active settings. After updating them, the caller reports a change by onApplied or
    /// onDropped. @pre `inEffect` outlives this object
    explicit SessionFeed(const ConversationSettings& inEffect, QObject* parent = nullptr);
    ~SessionFeed() override;

    [[nodiscard]] const EngineView& engine() const;
    [[nodiscard]] const QVector<EventRow>& timeline() const;
    /// Returns true while a background compaction of the shown conversation is running.
    [[nodiscard]] bool compactsInBackground() const;
    /// Progress or last result of recoding the shown cache; nullopt if there was none. Changes are
    /// reported by engineChanged.
    [[nodiscard]] const std::optional<RecodingView>& recoding() const;
    /// Number of compactions that completed and changed a cache.
    [[nodiscard]] qint64 compactionsDone() const;

    // Input from the engine. flush() ends a batch and publishes the collected steps and the changed
    // status.
    void onState(const StateChanged& event);
    void onLoaded(const ModelLoaded& event);
    void onFailed(const ModelFailed& event);
    void onUnloaded();
    void onTurnStarted(const TurnStarted& event);
    TurnRow onTurnFinished(const TurnFinished& event);
    void onApplied(const ConfigApplied& event);
    void onRejected(const ConfigRejected& event);
    void onDropped(const CacheSettingsDropped& event);
    void onSample(const StepSample& event);
    void onCompaction(const CompactionHappened& event);
    void onQuality(const QualitySampled& event);
    void onPrefixes(const PrefixCacheChanged& event);
    void onSpanRestored(const SpanRestored& event);
    void onRecoded(const CacheRecoded& event);
    void onNotice(const Notice& event);
    void onFatal(const Error& error);
    /// Selects the conversation whose cache the status shows. Figures of other conversations are
    /// kept.
    void showConversation(qint64 conversation);
    /// Returns the latest sample of a conversation's cache; without tokens if it has none. Used by
    /// status bar, memory page and charts.
    [[nodiscard]] SampleRow cacheOf(qint64 conversation) const;
    /// Sets the engine's other work. Compactions and recodings are tracked here and take
    /// precedence.
    void showJob(EngineJob job);
    /// Announces a requested compaction, whose result arrives through onCompaction().
    void expectCompaction(qint64 conversation);
    /// Sets the attached remote engine and its state; nullopt if the local one answers.
    void showRemote(const std::optional<RemoteView>& remote);
    /// Discards the figures of a conversation whose cache was released.
    void dropCache(qint64 conversation);
    void setSamplesDropped(qint64 count);
    void note(EventKind kind, const QString& title);
    void flush();

  Q_SIGNALS:
    void samplesArrived(const QVector<lacuna::app::SampleRow>& samples);
    void compactionArrived(const lacuna::app::CompactionRow& row);
    void qualityArrived(const lacuna::app::QualityRow& row);
    void configArrived(const lacuna::app::ConfigRow& row);
    void turnArrived(const lacuna::app::TurnRow& row);
    void storedArrived(const lacuna::app::StoredRow& row);
    void restoredArrived(const lacuna::app::RestoredRow& row);
    void eventArrived(const lacuna::app::EventRow& row);
    void engineChanged();
    /// Emitted when another cache is shown or the shown one was released; `cache` is its latest
    /// sample with the time of the change.
    void cacheShown(const lacuna::app::SampleRow& cache);
    /// Emitted when no conversation has a cache any more, because the model was changed or
    /// unloaded.
    void cachesDropped(qint64 timeNs);

  private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

}  // namespace lacuna::app
