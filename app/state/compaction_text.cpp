#include "app/state/compaction_text.h"

#include <QStringList>

#include "app/state/number_format.h"
#include "app/state/session_feed.h"
#include "app/state/view_rows.h"

namespace lacuna::app {

namespace {

QString causeText(CompactionCause cause) {
    switch (cause) {
        case CompactionCause::Budget:
            return SessionFeed::tr("budget");
        case CompactionCause::Manual:
            return SessionFeed::tr("asked for");
        case CompactionCause::ConfigChange:
            return SessionFeed::tr("settings changed");
        case CompactionCause::MemoryLimit:
            return SessionFeed::tr("cache limit reached");
    }
    return {};
}

}  // namespace

QString compactionTitle(const CompactionRow& row) {
    const QString name = SessionFeed::tr("Compaction %1").arg(row.number);
    switch (row.result) {
        case CompactionResult::Done:
            return (row.background ? SessionFeed::tr("%1 done, pause %2: %3 to %4 slots")
                                   : SessionFeed::tr("%1 done in %2: %3 to %4 slots"))
                .arg(name, durationText(row.pauseMs() / 1e3), countText(row.slotsBefore),
                     countText(row.slotsAfter));
        case CompactionResult::Skipped:
            return SessionFeed::tr("%1 skipped: %2").arg(name, toQt(row.reason));
        case CompactionResult::Failed:
            return SessionFeed::tr("%1 failed: %2").arg(name, toQt(row.reason));
        case CompactionResult::Started:
            return SessionFeed::tr("%1 started in the background, not finished").arg(name);
        case CompactionResult::Aborted:
            return SessionFeed::tr("%1 broken off: %2").arg(name, toQt(row.reason));
    }
    return name;
}

QString compactionDetail(const CompactionRow& row) {
    QStringList lines;
    lines << SessionFeed::tr("Cause: %1; method %2; at %3 tokens.")
                 .arg(causeText(row.cause), toQt(keyOf(row.method)), countText(row.tokens));
    if (row.result == CompactionResult::Started) {
        lines << SessionFeed::tr(
                     "The cache holds %1 in %2 slots until it is finished; what it came to is told "
                     "then, under the same number.")
                     .arg(bytesText(row.liveBytesBefore), countText(row.slotsBefore));
        if (!row.reason.empty()) lines << toQt(row.reason);
        return lines.join(QLatin1Char('\n'));
    }
    lines << SessionFeed::tr("Live bytes %1 to %2.")
                 .arg(bytesText(row.liveBytesBefore), bytesText(row.liveBytesAfter));
    lines << SessionFeed::tr("Score %1, select %2, fit %3, apply %4.")
                 .arg(durationText(row.scoreMs / 1e3), durationText(row.selectMs / 1e3),
                      durationText(row.fitMs / 1e3), durationText(row.applyMs / 1e3));
    if (row.queriesMs > 0)
        lines << SessionFeed::tr("Reading for its queries %1.")
                     .arg(durationText(row.queriesMs / 1e3));
    if (row.background) {
        lines << SessionFeed::tr(
                     "In the background: %1 of work beside the conversation, longest "
                     "pause %2.")
                     .arg(durationText(row.backgroundMs / 1e3), durationText(row.stallMs / 1e3));
    }
    if (row.heldOutError) {
        lines << SessionFeed::tr("Output error on held-out queries: %1.")
                     .arg(realText(*row.heldOutError, 4));
    }
    if (row.result == CompactionResult::Done && !row.reason.empty()) lines << toQt(row.reason);
    return lines.join(QLatin1Char('\n'));
}

}  // namespace lacuna::app
