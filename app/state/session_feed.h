#pragma once
/// \file
/// What happened, as rows: steps, compactions, configurations, answers, timeline. Charts, timeline
/// and status bar follow these signals; each batch of steps comes as one signal. Owned by the GUI
/// thread.

#include <QObject>
#include <QVector>
#include <memory>
#include <optional>

#include "app/state/recoding_view.h"
#include "app/state/restored_row.h"
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
struct SpanBroughtBack;
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
    /// Reads the settings in force, which outlive it; a change is told to it (onApplied, onDropped)
    /// once they state it.
    explicit SessionFeed(const ConversationSettings& inForce, QObject* parent = nullptr);
    ~SessionFeed() override;

    [[nodiscard]] const EngineView& engine() const;
    [[nodiscard]] const QVector<EventRow>& timeline() const;
    /// Whether a compaction of the conversation on screen is at work in the background.
    [[nodiscard]] bool compactsBeside() const;
    /// How far the cache on screen is on its way to another number format, or how that ended last;
    /// nothing: there was none. engineChanged tells of it.
    [[nodiscard]] const std::optional<RecodingView>& recoding() const;
    /// Those that reached their end and changed a cache.
    [[nodiscard]] qint64 compactionsDone() const;

    // From the engine. flush() ends a batch: it sends the collected steps and the changed status.
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
    void onBroughtBack(const SpanBroughtBack& event);
    void onRecoded(const CacheRecoded& event);
    void onNotice(const Notice& event);
    void onFatal(const Error& error);
    /// Whose cache the status shows; figures of other conversations are kept until they are shown.
    void showConversation(qint64 conversation);
    /// The newest sample of a conversation's cache; without tokens: it has none. Status bar, memory
    /// page and charts all show this.
    [[nodiscard]] SampleRow cacheOf(qint64 conversation) const;
    /// What the local engine works at besides answers. Compactions and recodings are known here,
    /// and go first.
    void showJob(EngineJob job);
    /// A compaction was requested, and onCompaction() will say how it ended.
    void expectCompaction(qint64 conversation);
    /// Which engine elsewhere answers, and how it is; nothing: the local one answers.
    void showRemote(const std::optional<RemoteView>& remote);
    /// Its cache was given back: what was known of it is not true any more.
    void forgetCache(qint64 conversation);
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
    /// The cache on screen is another one, or was released; `cache`: its newest sample, with the
    /// time of the change.
    void cacheShown(const lacuna::app::SampleRow& cache);
    /// No conversation has a cache any more: the model is another one, or none.
    void cachesDropped(qint64 timeNs);

  private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

}  // namespace lacuna::app
