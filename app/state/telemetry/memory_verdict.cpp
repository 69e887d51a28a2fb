#include "app/state/telemetry/memory_verdict.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

#include "app/state/list_text.h"
#include "app/state/number_format.h"
#include "engine/settings/loss_share.h"

namespace lacuna::app {

namespace {

struct VerdictTexts {
    Q_DECLARE_TR_FUNCTIONS(MemoryVerdict)
};

/// From this share of the permitted loss on, the loss counts as near the limit.
constexpr double kNearLimit = 0.75;
constexpr double kNsPerSecond = 1e9;

QString ageText(double seconds) {
    if (seconds < 60)
        return VerdictTexts::tr("%1 s ago").arg(countText(static_cast<qint64>(seconds)));
    if (seconds < 3600)
        return VerdictTexts::tr("%1 min ago").arg(countText(static_cast<qint64>(seconds / 60)));
    return VerdictTexts::tr("%1 h ago").arg(countText(static_cast<qint64>(seconds / 3600)));
}

}  // namespace

AnswerEffect effectOf(double usedShare) {
    if (usedShare > 1) return AnswerEffect::Exceeded;
    return usedShare > kNearLimit ? AnswerEffect::Near : AnswerEffect::Within;
}

QString keptText(double share) {
    const double percent = std::floor(share * 1000) / 10;
    return realText(percent, share > 0.95 && share < 1 ? 1 : 0) + QStringLiteral(" %");
}

double MemoryVerdict::ratio() const {
    return liveBytes > 0 ? static_cast<double>(fullBytes) / static_cast<double>(liveBytes) : 1;
}

MemoryVerdict verdictOf(const EngineView& engine, const std::vector<CompactionMark>& marks,
                        qint64 conversation, const EngineConfig& config,
                        std::optional<qint64> untilNs) {
    MemoryVerdict verdict;
    // States and checkpoints of recurrent layers are the same with and without compression.
    const qint64 recurrent = engine.stateBytes + engine.checkpointBytes;
    verdict.liveBytes = engine.liveBytes + recurrent;
    verdict.fullBytes = std::max(engine.logicalBytes, engine.liveBytes) + recurrent;
    for (const CompactionMark& mark : marks) {
        const CompactionRow& row = mark.row;
        if (row.conversation != conversation || (untilNs && row.timeNs > *untilNs)) continue;
        const CompactionOutcome outcome = outcomeOf(row);
        if (outcome == CompactionOutcome::Failed) ++verdict.failed;
        if (outcome == CompactionOutcome::Limited) ++verdict.limited;
        // A row with `kept` only reports what an earlier compaction keeps.
        if (outcome == CompactionOutcome::Skipped && !row.kept) ++verdict.skipped;
        if (compacted(outcome)) {
            ++verdict.compactions;
            verdict.pauseMs = row.pauseMs();
            verdict.effect = AnswerEffect::NotMeasured;
            verdict.kept = verdict.worst = std::nullopt;
        }
        if (!row.kept || verdict.compactions == 0) continue;
        verdict.kept = row.kept->all;
        verdict.worst = row.kept->worst;
        verdict.measuredNs = row.timeNs;
        verdict.effect = effectOf(usedLossShare(config, *row.kept));
    }
    // A cache that was restored is full again.
    if (verdict.fullBytes == verdict.liveBytes) verdict.effect = AnswerEffect::Full;
    return verdict;
}

QString memoryText(const MemoryVerdict& verdict) {
    if (verdict.fullBytes == 0) return VerdictTexts::tr("Nothing is cached yet");
    if (verdict.ratio() < 1.005)
        return VerdictTexts::tr("Memory %1, not compressed").arg(bytesText(verdict.liveBytes));
    return VerdictTexts::tr("Memory %1 instead of %2 (%3 smaller)")
        .arg(bytesText(verdict.liveBytes), bytesText(verdict.fullBytes),
             ratioText(verdict.ratio()));
}

QString compactionsText(const MemoryVerdict& verdict) {
    QStringList parts{
        VerdictTexts::tr("%n compaction(s)", nullptr, static_cast<int>(verdict.compactions)),
        VerdictTexts::tr("%1 failed").arg(countText(verdict.failed))};
    if (verdict.limited > 0)
        parts << VerdictTexts::tr("%1 limited").arg(countText(verdict.limited));
    return listed(parts);
}

QString pauseText(const MemoryVerdict& verdict) {
    return verdict.pauseMs ? VerdictTexts::tr("pause %1").arg(durationText(*verdict.pauseMs / 1e3))
                           : QString();
}

QString answersText(const MemoryVerdict& verdict, qint64 nowNs, bool brief) {
    QString text;
    switch (verdict.effect) {
        case AnswerEffect::Full:
            return VerdictTexts::tr("answers: from the full text");
        case AnswerEffect::NotMeasured:
            return VerdictTexts::tr("answers: not measured");
        case AnswerEffect::Within:
            text = VerdictTexts::tr("answers: likely unchanged");
            break;
        case AnswerEffect::Near:
            text = VerdictTexts::tr("answers: may differ");
            break;
        case AnswerEffect::Exceeded:
            text = VerdictTexts::tr("answers: likely changed");
            break;
    }
    if (brief || !verdict.kept) return text;
    const double age =
        std::max(static_cast<double>(nowNs - verdict.measuredNs) / kNsPerSecond, 0.0);
    return VerdictTexts::tr("%1 (%2 of the text's information kept, measured %3)")
        .arg(text, keptText(*verdict.kept), ageText(age));
}

ProcessMemory divideMemory(qint64 resident, qint64 weights, qint64 caches, qint64 prefixes) {
    ProcessMemory memory;
    memory.resident = resident;
    memory.caches = std::min(caches, resident);
    memory.prefixes = std::min(prefixes, resident - memory.caches);
    memory.model = std::min(weights, resident - memory.caches - memory.prefixes);
    memory.other = resident - memory.caches - memory.prefixes - memory.model;
    return memory;
}

QString processMemoryText(const ProcessMemory& memory, bool brief) {
    if (brief) return VerdictTexts::tr("Process %1").arg(bytesText(memory.resident));
    return VerdictTexts::tr("Process %1 = model %2 + caches %3 + stored %4 + other %5")
        .arg(bytesText(memory.resident), bytesText(memory.model), bytesText(memory.caches),
             bytesText(memory.prefixes), bytesText(memory.other));
}

}  // namespace lacuna::app
