#include "app/state/telemetry/session_feed.h"

#include <QHash>
#include <QSet>
#include <QString>
#include <QStringList>
#include <algorithm>
#include <utility>

#include "app/state/engine/compaction_text.h"
#include "app/state/engine/engine_text.h"
#include "app/state/list_text.h"
#include "app/state/number_format.h"
#include "app/state/view_rows.h"
#include "app/state/view_types.h"
#include "engine/base/clock.h"
#include "engine/session/event.h"
#include "engine/session/memory_probe.h"
#include "engine/settings/conversation_settings.h"
#include "engine/settings/facts.h"

namespace lacuna::app {

namespace {

// Describes compactions for the timeline.

QString causeText(CompactionCause cause) {
    switch (cause) {
        case CompactionCause::Budget:
            return SessionFeed::tr("budget");
        case CompactionCause::Manual:
            return SessionFeed::tr("manual");
        case CompactionCause::ConfigChange:
            return SessionFeed::tr("settings changed");
        case CompactionCause::MemoryLimit:
            return SessionFeed::tr("cache limit reached");
        case CompactionCause::Restore:
            return SessionFeed::tr("tokens restored");
    }
    return {};
}

QString lookedBackSentence(const RestoredRow& row) {
    if (!row.problem.isEmpty())
        return SessionFeed::tr("The tokens this question needs were not restored: %1")
            .arg(row.problem);
    if (row.tokens == 0)
        return SessionFeed::tr("This question needs no evicted tokens (%1)")
            .arg(durationText(row.seconds));
    if (row.offered)
        return SessionFeed::tr("This question needs %1 evicted tokens.").arg(countText(row.tokens));
    return SessionFeed::tr(
               "%1 tokens restored for this question in %2. Compactions now keep %3 tokens of this "
               "conversation (%4) unchanged.")
        .arg(countText(row.tokens), durationText(row.seconds), countText(row.keptTokens),
             bytesText(row.keptBytes));
}

QString restoredSentence(const RestoredRow& row) {
    if (row.forQuestion) return lookedBackSentence(row);
    if (!row.problem.isEmpty()) return SessionFeed::tr("Not restored: %1").arg(row.problem);
    if (!row.ended)
        return SessionFeed::tr("Restoring %1 tokens; %2 tokens of the text are read again.")
            .arg(countText(row.tokens), countText(row.reread));
    return SessionFeed::tr(
               "Restored %1 tokens in %2; %3 were read again. Compactions now keep %4 tokens of "
               "this conversation (%5) unchanged.")
        .arg(countText(row.tokens), durationText(row.seconds), countText(row.reread),
             countText(row.keptTokens), bytesText(row.keptBytes));
}

/// "Compaction 3 done in 2.1 ms: 294,912 to 73,728 slots in all heads".
QString compactionTitle(const CompactionRow& row) {
    const QString name = SessionFeed::tr("Compaction %1").arg(row.number);
    switch (outcomeOf(row)) {
        case CompactionOutcome::Limited:
            return SessionFeed::tr("%1 limited: %2x requested, %3x achieved")
                .arg(name, realText(row.requestedRatio, 1), realText(row.achievedRatio, 1));
        case CompactionOutcome::Done:
            if (row.background)
                return SessionFeed::tr(
                           "%1 done in the background in %2, pause %3: %4 to %5 slots in all heads")
                    .arg(name, durationText(row.workMs() / 1e3), durationText(row.pauseMs() / 1e3),
                         countText(row.slotsBefore), countText(row.slotsAfter));
            return SessionFeed::tr("%1 done in %2: %3 to %4 slots in all heads")
                .arg(name, durationText(row.pauseMs() / 1e3), countText(row.slotsBefore),
                     countText(row.slotsAfter));
        case CompactionOutcome::Skipped:
            return SessionFeed::tr("%1 skipped: %2")
                .arg(name, keysInWords(compactionText(row.notes)));
        case CompactionOutcome::Failed:
            return SessionFeed::tr("%1 failed: %2").arg(name, compactionText(row.notes));
        case CompactionOutcome::Running:
            return SessionFeed::tr("%1 started in the background, not finished").arg(name);
        case CompactionOutcome::Cancelled:
            return SessionFeed::tr("%1 cancelled: %2").arg(name, compactionText(row.notes));
    }
    return name;
}

QString keptSentence(const KeptInformation& kept) {
    return SessionFeed::tr("%1 of the text's information kept; weakest passage %2.")
        .arg(percentText(kept.all), percentText(kept.worst));
}

/// Returns cause, sizes, time by stage and notes, one per line; for a started compaction, that it
/// is not finished.
QString compactionDetail(const CompactionRow& row) {
    const CompactionOutcome outcome = outcomeOf(row);
    QStringList lines;
    lines << SessionFeed::tr("Cause: %1; method %2; at %3 tokens.")
                 .arg(causeText(row.cause), choiceWords("method", keyOf(row.method)),
                      countText(row.tokens));
    if (outcome == CompactionOutcome::Running) {
        lines << SessionFeed::tr(
                     "Until it ends, the cache holds %1 in %2 slots of all heads; the result will "
                     "appear under the same number.")
                     .arg(bytesText(row.liveBytesBefore), countText(row.slotsBefore));
        if (!row.notes.empty()) lines << compactionText(row.notes);
        return lines.join(QLatin1Char('\n'));
    }
    lines << SessionFeed::tr("Live bytes %1 to %2.")
                 .arg(bytesText(row.liveBytesBefore), bytesText(row.liveBytesAfter));
    lines << SessionFeed::tr("Score %1, select %2, fit %3, apply %4.")
                 .arg(durationText(row.scoreMs / 1e3), durationText(row.selectMs / 1e3),
                      durationText(row.fitMs / 1e3), durationText(row.applyMs / 1e3));
    if (row.queriesMs > 0)
        lines << SessionFeed::tr("Reading for queries %1.").arg(durationText(row.queriesMs / 1e3));
    lines << SessionFeed::tr("Pause %1, work %2.")
                 .arg(durationText(row.pauseMs() / 1e3), durationText(row.workMs() / 1e3));
    if (row.requestedRatio > 0 && compacted(outcome))
        lines << SessionFeed::tr("Requested %1x, achieved %2x.")
                     .arg(realText(row.requestedRatio, 1), realText(row.achievedRatio, 1));
    if (row.kept) {
        lines << keptSentence(*row.kept);
        lines << SessionFeed::tr(
                     "KL mean %1, p99 %2 nats; same most likely token at %3 of positions.")
                     .arg(realText(row.kept->klMean, 4), realText(row.kept->klP99, 3),
                          percentText(row.kept->sameTop));
    }
    if (row.heldOutError) {
        lines << SessionFeed::tr("Output error on held-out queries: %1.")
                     .arg(realText(*row.heldOutError, 4));
    }
    if (compacted(outcome) && !row.notes.empty()) lines << compactionText(row.notes);
    return lines.join(QLatin1Char('\n'));
}

/// Minimum decoding time for a rate.
constexpr double kLeastRateSeconds = 0.25;

QString capitalised(QString text) {
    if (!text.isEmpty()) text[0] = text.at(0).toUpper();
    return text;
}

}  // namespace

struct SessionFeed::Impl {
    SessionFeed& owner;
    SteadyClock clock;
    MemoryProbe memory{clock};
    EngineView engine;
    const ConversationSettings& settings;  ///< active settings
    QVector<EventRow> timeline;
    QVector<SampleRow> samples;
    struct Cache {
        SampleRow row;
        CompactionState compaction;
    };
    struct Decoding {
        qint64 turn = 0;
        qint64 beganNs = 0;
        qint64 tokens = 0;
        double rate = 0;  ///< tokens per second
    };
    QHash<qint64, Decoding> decodings;  ///< by conversation
    QHash<qint64, Cache> caches;        ///< latest step by conversation
    QHash<qint64, QString> kept;        ///< information kept by the latest measured compaction, by
                                        ///< conversation, as a sentence
    qint64 shown = 0;                   ///< shown conversation; 0 before the first one is set
    CompactionState compaction;         ///< from the latest step of the shown conversation
    QHash<qint64, RecodingView> recodings;  ///< latest one by conversation
    std::optional<RecodingView> recoding;   ///< that of the shown conversation
    qint64 compactions = 0;                 ///< last number assigned
    qint64 compactionsDone = 0;
    struct Running {
        qint64 conversation = 0;
        qint64 id = 0;
        qint64 number = 0;
    };
    QVector<Running> inBackground;     ///< in the order of their starts
    QSet<qint64> compactionsExpected;  ///< ids of conversations
    EngineJob otherJob = EngineJob::None;
    int modelContext = 0;
    int modelHeads = 0;  ///< key-value heads over all layers
    bool engineDirty = false;

    Impl(SessionFeed& self, const ConversationSettings& inEffect)
        : owner(self), settings(inEffect) {
        refreshCompressionLine();
    }

    EventRow event(EventKind kind, const QString& title) const {
        EventRow row;
        row.timeNs = clock.nowNs();
        row.when = QDateTime::currentDateTime();
        row.kind = kind;
        row.title = title;
        return row;
    }

    void publish(EventRow row) {
        timeline.push_back(row);
        Q_EMIT owner.eventArrived(row);
    }

    /// Settings of the shown conversation.
    [[nodiscard]] const EngineConfig& config() const { return settings.of(ConversationId(shown)); }

    void refreshCompressionLine() {
        const bool enabled = config().kv.method != CompactionMethod::None;
        QString line;
        if (!enabled) {
            line = owner.tr(
                "Compression off: no method is chosen. Changing the AM ratio or the budget turns "
                "it on.");
        } else if (compaction.phase == CompactionPhase::Unknown) {
            line = owner.tr("Compression idle: nothing is cached yet.");
        } else {
            line = keysInWords(compactionText(compaction));
            if (compaction.phase < CompactionPhase::Compacting)
                line = owner.tr("Compression %1").arg(line);
            else
                line.front() = line.front().toUpper();
            if (const QString sentence = kept.value(shown); !sentence.isEmpty())
                line = sentence + QLatin1Char(' ') + line;  // The state comes last, because the end
                                                            // of the line may be elided.
        }
        const bool works = enabled && active(compaction.phase);
        if (line == engine.compressionLine && works == engine.compressionActive) return;
        engine.compressionLine = line;
        engine.compressionActive = works;
        engineDirty = true;
    }

    [[nodiscard]] SampleRow cacheOf(qint64 conversation) const {
        SampleRow row = caches.value(conversation).row;
        row.conversation = conversation;
        return row;
    }

    /// Emits cacheShown. Samples collected so far belong to the previous cache and must be flushed
    /// first.
    void announceCache() {
        SampleRow row = cacheOf(shown);
        row.timeNs = clock.nowNs();
        Q_EMIT owner.cacheShown(row);
    }

    void refreshJob() {
        const bool compacts = !compactionsExpected.isEmpty() || !inBackground.isEmpty();
        const bool recodes = std::any_of(recodings.cbegin(), recodings.cend(),
                                         [](const RecodingView& view) { return !view.ended; });
        const EngineJob job = compacts  ? EngineJob::Compaction
                              : recodes ? EngineJob::Recoding
                                        : otherJob;
        if (std::exchange(engine.job, job) != job) engineDirty = true;
    }

    /// Discards all caches, which are released with their model.
    void dropCaches() {
        caches.clear();
        kept.clear();
        decodings.clear();
        recodings.clear();
        recoding.reset();
        inBackground.clear();
        compactionsExpected.clear();
        refreshJob();
        engine.decodeTokensPerSecond = 0;
        showCache();
        refreshCompressionLine();
        engineDirty = true;
        Q_EMIT owner.cachesDropped(clock.nowNs());
    }

    /// Tokens decoded so far, divided by the time since decoding began, compactions included.
    double rateOf(const SampleRow& row) {
        Decoding& decoding = decodings[row.conversation];
        if (decoding.turn != row.turn || decoding.tokens == 0)
            decoding = {row.turn, row.timeNs - static_cast<qint64>(row.stepMs * 1e6), 0};
        decoding.tokens += row.tokens;
        const double seconds = static_cast<double>(row.timeNs - decoding.beganNs) / 1e9;
        decoding.rate = seconds > 0 ? static_cast<double>(decoding.tokens) / seconds : 0;
        return decoding.rate;
    }
    [[nodiscard]] bool longEnough(const SampleRow& row) const {
        const double seconds =
            static_cast<double>(row.timeNs - decodings.value(row.conversation).beganNs) / 1e9;
        return seconds >= kLeastRateSeconds;
    }

    void showCache() {
        const Cache cache = caches.value(shown);
        engine.decodeTokensPerSecond = decodings.value(shown).rate;
        engine.contextTokens = cache.row.contextTokens;
        engine.logicalBytes = cache.row.logicalBytes;
        engine.liveBytes = cache.row.liveBytes;
        engine.allocatedBytes = cache.row.allocatedBytes;
        engine.stateBytes = cache.row.stateBytes;
        engine.checkpointBytes = cache.row.checkpointBytes;
        engine.slotsLargestHead = cache.row.slotsLargestHead;
        engine.slotsPerHead = cache.row.slotsPerHead();
        compaction = cache.compaction;
        showRecoding();
    }

    void showRecoding() {
        const auto found = recodings.constFind(shown);
        recoding = found == recodings.cend() ? std::nullopt : std::optional(*found);
    }

    /// Marks the compaction states of the latest steps as obsolete, because they refer to other
    /// settings.
    void outdateStandings() {
        for (Cache& cache : caches)
            if (cache.compaction.phase != CompactionPhase::Unknown)
                cache.compaction = {.phase = CompactionPhase::SettingsChanged};
        compaction = caches.value(shown).compaction;
    }

    /// Returns true if the event changes how the shown cache is stored or compacted.
    [[nodiscard]] bool changesShownCache(const ConfigApplied& event) const {
        const ConversationId id(shown);
        const bool concerns = event.conversation ? *event.conversation == id : !settings.hasOwn(id);
        return concerns && std::any_of(event.changes.begin(), event.changes.end(),
                                       [](const SettingChange& one) {
                                           return one.spec->scope == SettingScope::Conversation;
                                       });
    }

    [[nodiscard]] QString changeText(const ConfigApplied& event) const {
        if (!event.conversation) return differenceText(event.changes);
        QStringList parts;
        if (!event.ownBefore) parts << owner.tr("one conversation now has its own cache settings");
        if (!event.own) parts << owner.tr("one conversation uses the shared cache settings again");
        if (event.ownBefore && event.own) parts << owner.tr("for one conversation");
        parts << differenceText(event.changes);
        parts.removeAll(QString());
        return listed(parts);
    }

    /// A background compaction is reported at its start and at its end, under a single number.
    /// Reports of older recordings have no ids and are matched in order.
    qint64 numberOf(const CompactionHappened& event) {
        const CompactionReport& report = event.report;
        if (outcomeOf(report) == CompactionOutcome::Running) {
            inBackground.push_back({event.conversation.value, report.id, ++compactions});
            return compactions;
        }
        const auto begun =
            std::find_if(inBackground.cbegin(), inBackground.cend(), [&](const Running& one) {
                return one.conversation == event.conversation.value && one.id == report.id;
            });
        if (!report.background || begun == inBackground.cend()) return ++compactions;
        const qint64 number = begun->number;
        inBackground.erase(begun);
        return number;
    }

    void refreshLimits() {
        engine.contextLimit = config().context > 0 ? config().context : modelContext;
        engine.threads = config().threads;
        engineDirty = true;
    }
};

SessionFeed::SessionFeed(const ConversationSettings& inEffect, QObject* parent)
    : QObject(parent), m_impl(std::make_unique<Impl>(*this, inEffect)) {
    m_impl->refreshLimits();
}

SessionFeed::~SessionFeed() = default;

const EngineView& SessionFeed::engine() const {
    return m_impl->engine;
}
const QVector<EventRow>& SessionFeed::timeline() const {
    return m_impl->timeline;
}
const std::optional<RecodingView>& SessionFeed::recoding() const {
    return m_impl->recoding;
}
qint64 SessionFeed::compactionsDone() const {
    return m_impl->compactionsDone;
}

void SessionFeed::onState(const StateChanged& event) {
    m_impl->engine.activity = event.state;
    m_impl->engineDirty = true;
}

void SessionFeed::onLoaded(const ModelLoaded& event) {
    flush();
    m_impl->dropCaches();
    m_impl->modelContext = event.facts.context;
    m_impl->modelHeads = cacheHeads(event.facts);
    m_impl->engine.rssBytes = m_impl->memory.residentBytes();
    m_impl->refreshLimits();
    EventRow row = m_impl->event(
        EventKind::Model,
        tr("Model %1 loaded in %2").arg(toQt(event.facts.name), durationText(event.seconds)));
    row.detail =
        tr("%1 parameters, %2 of weights, %3 layers, %4 query and %5 key heads, context %6.\n%7")
            .arg(countText(event.facts.parameters), bytesText(event.facts.weightBytes),
                 countText(event.facts.layers), countText(event.facts.heads),
                 countText(event.facts.kvHeads), countText(event.facts.context),
                 engineText(event.facts.templateNote));
    m_impl->publish(row);
}

void SessionFeed::onFailed(const ModelFailed& event) {
    EventRow row = m_impl->event(EventKind::Model,
                                 tr("Model not loaded: %1").arg(engineText(event.error.what)));
    row.problem = true;
    row.detail = toQt(describe(event.error));
    m_impl->publish(row);
}

void SessionFeed::onUnloaded() {
    flush();
    m_impl->dropCaches();
    m_impl->modelContext = 0;
    m_impl->modelHeads = 0;
    EngineView fresh;
    fresh.remote = m_impl->engine.remote;
    fresh.revision = m_impl->engine.revision;
    fresh.samplesDropped = m_impl->engine.samplesDropped;
    fresh.rssBytes = m_impl->memory.residentBytes();
    fresh.compressionLine = m_impl->engine.compressionLine;
    fresh.job = m_impl->engine.job;
    m_impl->engine = std::move(fresh);
    m_impl->refreshLimits();
    m_impl->publish(m_impl->event(EventKind::Model, tr("Model unloaded")));
}

void SessionFeed::onTurnStarted(const TurnStarted& event) {
    EventRow row = m_impl->event(EventKind::Turn,
                                 tr("Answer %1 started: %2 prompt tokens, %3 already cached")
                                     .arg(countText(event.turn), countText(event.promptTokens),
                                          countText(event.reusedTokens)));
    row.detail = engineText(event.reuseNote);
    if (event.match != PrefixMatch::None) {
        const QString kept = tr("It starts from the prefix cache.");
        row.detail = row.detail.isEmpty() ? kept : kept + QLatin1Char(' ') + row.detail;
    }
    row.revision = event.revision.value;
    m_impl->publish(row);
    if (event.conversation.value == m_impl->shown) m_impl->engine.decodeTokensPerSecond = 0;
}

TurnRow SessionFeed::onTurnFinished(const TurnFinished& event) {
    flush();
    TurnRow row = lacuna::app::rowOf(event, m_impl->clock.nowNs());
    if (event.turn == 0) {  // The turn was withdrawn while waiting, so there are no figures.
        m_impl->publish(m_impl->event(EventKind::Turn, tr("A queued question was cancelled")));
        return row;
    }
    m_impl->decodings.remove(row.conversation);
    if (const double rate = answerRate(row); rate > 0 && row.conversation == m_impl->shown) {
        m_impl->engine.decodeTokensPerSecond = rate;
        m_impl->engineDirty = true;
    }
    EventRow line = m_impl->event(
        EventKind::Turn,
        tr("Answer %1 ended (%2): %3 tokens")
            .arg(countText(row.turn), engineText(row.finish), countText(row.answerTokens)));
    line.problem = event.error.has_value();
    if (event.error) line.detail = toQt(describe(*event.error));
    m_impl->publish(line);
    Q_EMIT turnArrived(row);
    return row;
}

void SessionFeed::onApplied(const ConfigApplied& event) {
    flush();
    ConfigRow row;
    row.timeNs = event.timeNs;
    row.revision = event.revision.value;
    row.applied = true;
    row.conversation =
        event.conversation ? std::optional(qint64{event.conversation->value}) : std::nullopt;
    row.summary = m_impl->changeText(event);
    if (m_impl->changesShownCache(event)) m_impl->outdateStandings();
    row.amRatio = event.config.kv.amRatio;
    row.budget = event.config.kv.budget;
    m_impl->engine.revision = row.revision;
    m_impl->refreshLimits();
    m_impl->refreshCompressionLine();
    Q_EMIT configArrived(row);
    EventRow line = m_impl->event(
        EventKind::Config, tr("Settings %1 applied: %2")
                               .arg(row.revision)
                               .arg(row.summary.isEmpty() ? tr("nothing changed") : row.summary));
    line.revision = row.revision;
    m_impl->publish(line);
}

void SessionFeed::onRejected(const ConfigRejected& event) {
    flush();
    ConfigRow row;
    row.timeNs = event.timeNs;
    row.revision = event.revision.value;
    row.amRatio = m_impl->config().kv.amRatio;
    row.budget = m_impl->config().kv.budget;
    QStringList sentences;
    for (const RuleViolation& violation : event.violations)
        sentences << engineText(violation.sentence);
    if (!event.violations.empty()) row.rule = toQt(event.violations.front().rule);
    row.summary = sentences.isEmpty() ? tr("rolled back") : sentences.front();
    Q_EMIT configArrived(row);
    EventRow line = m_impl->event(
        EventKind::Config,
        row.rule.isEmpty()
            ? tr("Settings %1 not applied: %2").arg(row.revision).arg(row.summary)
            : tr("Settings %1 rejected, %2: %3").arg(row.revision).arg(row.rule, row.summary));
    line.problem = true;
    line.revision = row.revision;
    line.detail = sentences.join(QLatin1Char('\n'));
    m_impl->publish(line);
}

void SessionFeed::onDropped(const CacheSettingsDropped& event) {
    m_impl->refreshLimits();
    m_impl->refreshCompressionLine();
    onNotice(Notice{event.sentence});
}

void SessionFeed::onSample(const StepSample& event) {
    SampleRow row = lacuna::app::rowOf(event);
    row.heads = m_impl->modelHeads;
    EngineView& engine = m_impl->engine;
    engine.rssBytes = row.rssBytes;
    if (row.phase == EngineState::Decode && row.stepMs > 0 && row.tokens > 0) {
        const double rate = m_impl->rateOf(row);
        if (m_impl->longEnough(row)) row.answerRate = rate;
    }
    Impl::Cache& cache = m_impl->caches[row.conversation];
    if (cache.compaction.background != event.compaction.background) m_impl->engineDirty = true;
    const bool released = cache.row.contextTokens > 0 && row.contextTokens == 0;
    cache = {row, event.compaction};
    if (m_impl->shown == 0) m_impl->shown = row.conversation;
    if (m_impl->shown == row.conversation) m_impl->showCache();
    m_impl->samples.push_back(row);
    if (!released || m_impl->shown != row.conversation) return;
    flush();
    m_impl->announceCache();
}

bool SessionFeed::compactsInBackground() const {
    return m_impl->caches.value(m_impl->shown).compaction.background;
}

void SessionFeed::showConversation(qint64 conversation) {
    if (m_impl->shown == conversation) return;
    flush();
    m_impl->shown = conversation;
    m_impl->showCache();
    m_impl->refreshCompressionLine();
    m_impl->engineDirty = true;
    m_impl->announceCache();
    flush();
}

SampleRow SessionFeed::cacheOf(qint64 conversation) const {
    return m_impl->cacheOf(conversation);
}

void SessionFeed::showJob(EngineJob job) {
    m_impl->otherJob = job;
    m_impl->refreshJob();
    flush();
}

void SessionFeed::expectCompaction(qint64 conversation) {
    m_impl->compactionsExpected.insert(conversation);
    m_impl->refreshJob();
    flush();
}

void SessionFeed::showRemote(const std::optional<RemoteView>& remote) {
    m_impl->engine.remote = remote;
    m_impl->engineDirty = true;
    flush();
}

/// Flushes earlier steps first to keep rows in order.
void SessionFeed::onQuality(const QualitySampled& event) {
    flush();
    Q_EMIT qualityArrived(lacuna::app::rowOf(event));
}

void SessionFeed::onCompaction(const CompactionHappened& event) {
    flush();
    const CompactionRow row =
        lacuna::app::rowOf(event, m_impl->settings.of(event.conversation), m_impl->numberOf(event));
    const CompactionOutcome outcome = outcomeOf(row);
    if (compacted(outcome)) ++m_impl->compactionsDone;
    if (row.kept)
        m_impl->kept[row.conversation] = keptSentence(*row.kept);
    else if (compacted(outcome))
        m_impl->kept.remove(row.conversation);
    m_impl->refreshCompressionLine();
    m_impl->compactionsExpected.remove(row.conversation);
    m_impl->refreshJob();
    EventRow line = m_impl->event(EventKind::Compaction, compactionTitle(row));
    line.timeNs = row.timeNs;
    line.detail = compactionDetail(row);
    line.problem = outcome == CompactionOutcome::Failed;
    line.compaction = row.number;
    line.revision = row.revision;
    Q_EMIT compactionArrived(row);
    m_impl->publish(line);
}

void SessionFeed::onPrefixes(const PrefixCacheChanged& event) {
    EngineView& engine = m_impl->engine;
    engine.prefixBytes = event.stats.bytes;
    engine.prefixBytesAlone = event.stats.bytesAlone;
    engine.prefixEntries = event.stats.entries;
    m_impl->engineDirty = true;
    flush();
    Q_EMIT storedArrived({m_impl->clock.nowNs(), event.stats.bytes, event.disk.bytes});
}

void SessionFeed::onSpanRestored(const SpanRestored& event) {
    flush();
    RestoredRow row{.timeNs = m_impl->clock.nowNs(),
                    .conversation = event.conversation.value,
                    .tokens = event.count,
                    .reread = event.rereadTokens,
                    .keptTokens = event.keptTokens,
                    .seconds = event.seconds,
                    .ended = event.ended,
                    .forQuestion = event.forQuestion,
                    .offered = event.offered,
                    .problem = {}};
    const SampleRow cache = m_impl->caches.value(row.conversation).row;
    if (cache.contextTokens > 0)
        row.keptBytes = row.keptTokens * (cache.logicalBytes / cache.contextTokens);
    if (event.error) row.problem = toQt(describe(*event.error));
    row.sentence = restoredSentence(row);
    Q_EMIT restoredArrived(row);
    if (!row.ended) return;
    EventRow line = m_impl->event(EventKind::Notice, row.sentence);
    line.problem = event.error.has_value() && !row.forQuestion;
    m_impl->publish(line);
}

/// The end of a recoding without a known start is ignored, because its cache was empty.
void SessionFeed::onRecoded(const CacheRecoded& event) {
    const qint64 conversation = event.conversation.value;
    if (event.ended && !m_impl->recodings.contains(conversation)) return;
    RecodingView view{.conversation = conversation,
                      .from = toQt(event.from),
                      .to = toQt(event.to),
                      .share = event.share,
                      .ended = event.ended,
                      .problem = event.error && event.error->code != ErrorCode::Cancelled};
    for (const auto& [key, text] : event.back) view.back.push_back({toQt(key), toQt(text)});
    if (event.error)
        view.outcome =
            tr("The cache stays in %1: %2.").arg(view.from, engineText(event.error->what));
    else if (event.ended)
        view.outcome = tr("The cache changed from %1 to %2.").arg(view.from, view.to);
    m_impl->recodings[conversation] = std::move(view);
    m_impl->refreshJob();
    if (m_impl->shown == 0) m_impl->shown = conversation;
    m_impl->showRecoding();
    m_impl->engineDirty = true;
}

void SessionFeed::onNotice(const Notice& event) {
    m_impl->publish(m_impl->event(EventKind::Notice, capitalised(engineText(event.sentence))));
}

void SessionFeed::onFatal(const Error& error) {
    m_impl->engine.activity.reset();
    m_impl->engineDirty = true;
    EventRow row =
        m_impl->event(EventKind::Error, tr("The engine stopped: %1").arg(engineText(error.what)));
    row.problem = true;
    row.detail = toQt(describe(error));
    m_impl->publish(row);
}

void SessionFeed::dropCache(qint64 conversation) {
    flush();
    m_impl->caches.remove(conversation);
    m_impl->recodings.remove(conversation);
    m_impl->inBackground.removeIf(
        [conversation](const auto& one) { return one.conversation == conversation; });
    m_impl->compactionsExpected.remove(conversation);
    m_impl->refreshJob();
    if (m_impl->shown != conversation) return;
    m_impl->showCache();
    m_impl->refreshCompressionLine();
    m_impl->engineDirty = true;
    m_impl->announceCache();
    flush();
}

void SessionFeed::setSamplesDropped(qint64 count) {
    if (m_impl->engine.samplesDropped == count) return;
    m_impl->engine.samplesDropped = count;
    m_impl->engineDirty = true;
}

void SessionFeed::note(EventKind kind, const QString& title) {
    m_impl->publish(m_impl->event(kind, title));
}

// Rows are published in the order of the events, so collected steps come first.
void SessionFeed::flush() {
    if (!m_impl->samples.isEmpty()) {
        const QVector<SampleRow> batch = std::exchange(m_impl->samples, {});
        m_impl->refreshCompressionLine();
        m_impl->engineDirty = true;
        Q_EMIT samplesArrived(batch);
    }
    if (std::exchange(m_impl->engineDirty, false)) Q_EMIT engineChanged();
}

}  // namespace lacuna::app
