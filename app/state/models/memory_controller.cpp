#include "app/state/models/memory_controller.h"

#include <algorithm>
#include <cmath>

#include "app/state/chat/chat_controller.h"
#include "app/state/chat/chat_model.h"
#include "app/state/engine/engine_text.h"
#include "app/state/list_text.h"
#include "app/state/number_format.h"
#include "app/state/telemetry/session_feed.h"
#include "app/state/view_rows.h"
#include "engine/session/command.h"

namespace lacuna::app {

namespace {

QString hitWords(PrefixMatch match) {
    switch (match) {
        case PrefixMatch::None:
            return MemoryController::tr("nothing");
        case PrefixMatch::Exact:
            return MemoryController::tr("the same text");
        case PrefixMatch::Longer:
            return MemoryController::tr("the start of a longer text");
        case PrefixMatch::Diverging:
            return MemoryController::tr("a text that continues differently");
        case PrefixMatch::Shorter:
            return MemoryController::tr("a shorter text that is its prefix");
    }
    return {};
}

void sortByCount(QVector<std::pair<QString, qint64>>& rows) {
    std::stable_sort(rows.begin(), rows.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
}

QString missWords(PrefixMiss miss) {
    switch (miss) {
        case PrefixMiss::Nothing:
            return MemoryController::tr("no stored text shares a prefix");
        case PrefixMiss::Held:
            return MemoryController::tr("the conversation already holds as much");
        case PrefixMiss::Short:
            return MemoryController::tr("too few tokens in common");
        case PrefixMiss::Fixed:
            return MemoryController::tr("the stored cache cannot go back that far");
        case PrefixMiss::Slower:
            return MemoryController::tr("reading it is predicted to be slower than computing");
        case PrefixMiss::Failed:
            return MemoryController::tr("it is damaged or missing, or there was not enough memory");
    }
    return {};
}

QVector<std::pair<QString, qint64>> reasonsOf(const std::array<std::int64_t, 6>& misses) {
    QVector<std::pair<QString, qint64>> rows;
    for (const auto& [miss, key] : kKeys<PrefixMiss>) {
        const qint64 count = misses[static_cast<std::size_t>(miss)];
        if (count > 0) rows.push_back({missWords(miss), count});
    }
    sortByCount(rows);
    return rows;
}

TierView memoryTier(const PrefixStats& stats) {
    TierView view;
    view.limitBytes = stats.limitBytes;
    view.bytes = stats.bytes;
    view.entries = stats.entries;
    view.lookups = stats.lookups;
    view.hits = stats.hits();
    view.tokensReused = stats.tokensReused;
    view.savedSeconds = stats.savedSeconds;
    for (const auto& [match, key] : kKeys<PrefixMatch>) {
        const qint64 count = stats.matches[static_cast<std::size_t>(match)];
        if (match != PrefixMatch::None && count > 0)
            view.hitKinds.push_back({hitWords(match), count});
    }
    view.missReasons = reasonsOf(stats.misses);
    sortByCount(view.hitKinds);
    return view;
}

/// Describes the predicted times that decided whether pages were read from disk.
QString decisionText(const PrefixLoad& load) {
    if (load.reason == LoadReason::Nothing) return {};
    const QString numbers =
        load.loadMs > 0 && load.computeMs > 0
            ? MemoryController::tr("reading %1, computing %2")
                  .arg(durationText(load.loadMs / 1e3), durationText(load.computeMs / 1e3))
            : MemoryController::tr("reading or computing has not been timed yet");
    const QString what =
        load.tookMs > 0 ? MemoryController::tr("%1 tokens read in %2")
                              .arg(countText(load.tokens), durationText(load.tookMs / 1e3))
                        : MemoryController::tr("%1 tokens not read").arg(countText(load.tokens));
    return MemoryController::tr("Last decision: %1; predicted: %2.").arg(what, numbers);
}

TierView diskTier(const PrefixDiskStats& stats) {
    TierView view;
    view.limitBytes = stats.limitBytes;
    view.bytes = stats.bytes;
    view.entries = stats.files;
    view.lookups = stats.lookups;
    view.hits = stats.hits;
    view.tokensReused = stats.tokensReused;
    view.savedSeconds = stats.savedSeconds;
    view.missReasons = reasonsOf(stats.misses);
    QStringList remarks;
    if (stats.queued > 0)
        remarks
            << MemoryController::tr("%1 waiting to be written.").arg(bytesText(stats.queuedBytes));
    if (stats.quarantined > 0)
        remarks << MemoryController::tr("%1 damaged pages were quarantined.")
                       .arg(countText(stats.quarantined));
    remarks << decisionText(stats.last);
    remarks.removeAll(QString());
    view.remark = remarks.join(QLatin1Char(' '));
    view.problem = engineText(stats.problem);
    view.fidelity = stats.fidelity;
    return view;
}

/// Describes the source of the reused tokens, or the engine's reason why no more were reused.
QString sourceOf(const TurnStarted& turn) {
    QString text;
    if (turn.reusedTokens == 0 && turn.reuseNote.empty())
        return MemoryController::tr("no stored text shares a prefix");
    if (turn.match != PrefixMatch::None)
        text = MemoryController::tr("from a prefix entry: %1").arg(hitWords(turn.match));
    else if (turn.reusedTokens > 0)
        text = MemoryController::tr("from its own cache");
    const QString note = engineText(turn.reuseNote);
    if (note.isEmpty()) return text;
    return text.isEmpty() ? note : clauses({text, note});
}

}  // namespace

MemoryController::MemoryController(CommandSink& engine, ChatController& chat,
                                   const SessionFeed& feed, QObject* parent)
    : QObject(parent), m_engine(engine), m_chat(chat), m_feed(feed) {
    m_undo.setSingleShot(true);
    m_undo.setInterval(kUndoMs);
    connect(&m_undo, &QTimer::timeout, this, &MemoryController::clearNow);
    const ConversationListModel& list = chat.conversations();
    connect(&list, &ConversationListModel::dataChanged, this, &MemoryController::changed);
    connect(&list, &ConversationListModel::rowsInserted, this, &MemoryController::changed);
    connect(&list, &ConversationListModel::rowsRemoved, this, &MemoryController::changed);
    connect(&chat, &ChatController::cacheReleased, this, [this](qint64 conversation) {
        m_known.remove(conversation);
        // Valid until the next step counts all caches again.
        const qint64 released = m_cacheBytesOf.take(conversation);
        m_view.cacheBytes = std::max<qint64>(0, m_view.cacheBytes - released);
        Q_EMIT changed();
    });
}

MemoryView MemoryController::view() const {
    MemoryView view = m_view;
    for (const ConversationRow& one : m_chat.conversations().rows()) {
        ConversationMemory known = m_known.value(one.id);
        known.id = one.id;
        known.title = one.title;
        known.isPrivate = one.isPrivate;
        const SampleRow cache = m_feed.cacheOf(one.id);
        known.tokens = cache.contextTokens;
        known.liveBytes = cache.liveBytes;
        view.conversations.push_back(std::move(known));
    }
    return view;
}

void MemoryController::clear(MemoryTier tier) {
    m_clearing = tier;
    m_undo.start();
    Q_EMIT changed();
}

void MemoryController::setPageFidelity(PageFidelity fidelity) {
    m_engine.send(SetPageFidelity{fidelity});
}

void MemoryController::undoClear() {
    m_undo.stop();
    m_clearing.reset();
    Q_EMIT changed();
}

int MemoryController::secondsLeft() const {
    return static_cast<int>(std::ceil(std::max(m_undo.remainingTime(), 0) / 1e3));
}

void MemoryController::clearNow() {
    const bool disk = m_clearing == MemoryTier::Disk;
    m_engine.send(ClearPrefixCache{.memory = !disk, .disk = disk});
    m_clearing.reset();
    Q_EMIT changed();
}

void MemoryController::onPrefixes(const PrefixCacheChanged& event) {
    m_view.memory = memoryTier(event.stats);
    m_view.disk = diskTier(event.disk);
    Q_EMIT changed();
}

void MemoryController::onTurnStarted(const TurnStarted& event) {
    m_view.promptTokens += event.promptTokens;
    m_view.reusedTokens += event.reusedTokens;
    ConversationMemory& known = m_known[event.conversation.value];
    known.promptTokens = event.promptTokens;
    known.reusedTokens = event.reusedTokens;
    known.from = sourceOf(event);
    Q_EMIT changed();
}

/// Does not emit changed(), because many steps occur per second; the end of the turn does.
void MemoryController::onSample(const StepSample& event) {
    m_cacheBytesOf[event.conversation.value] = event.kv.contentBytes();
    m_view.cacheBytes = event.liveBytesAll;
    m_view.stateBytes = event.stateBytesAll;
    m_view.checkpointBytes = event.checkpointBytesAll;
}

void MemoryController::onModelReleased() {
    m_known.clear();
    m_cacheBytesOf.clear();
    m_view.memory.bytes = m_view.memory.entries = 0;
    m_view.cacheBytes = m_view.stateBytes = m_view.checkpointBytes = 0;
    Q_EMIT changed();
}

}  // namespace lacuna::app
