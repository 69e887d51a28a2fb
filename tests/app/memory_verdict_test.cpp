// The verdict on a conversation's memory, and the division of the process memory.

#include "app/state/telemetry/memory_verdict.h"

#include <gtest/gtest.h>

#include "engine/settings/engine_config.h"

namespace lacuna::app {
namespace {

constexpr qint64 kMiB = qint64{1} << 20;
constexpr qint64 kSecond = 1'000'000'000;

CompactionMark mark(qint64 conversation, qint64 timeNs, CompactionResult result) {
    CompactionMark mark;
    mark.row.conversation = conversation;
    mark.row.timeNs = timeNs;
    mark.row.result = result;
    mark.row.totalMs = 0.61;
    return mark;
}

CompactionMark measured(qint64 timeNs, double all, double worst = 1) {
    CompactionMark one = mark(1, timeNs, CompactionResult::Done);
    one.row.kept = KeptInformation{.all = all, .worst = worst};
    return one;
}

EngineView cacheOf(qint64 live, qint64 full) {
    EngineView engine;
    engine.liveBytes = live;
    engine.logicalBytes = full;
    return engine;
}

const EngineView kCompacted = cacheOf(10 * kMiB, 129 * kMiB);

TEST(MemoryVerdict, compactionsOfTheConversation_areCountedByOutcome) {
    const MemoryVerdict verdict =
        verdictOf(kCompacted,
                  {mark(1, 1, CompactionResult::Done), mark(2, 2, CompactionResult::Done),
                   mark(1, 3, CompactionResult::Failed), mark(1, 4, CompactionResult::Skipped)},
                  1, EngineConfig());
    EXPECT_EQ(verdict.compactions, 1);
    EXPECT_EQ(verdict.failed, 1);
    EXPECT_EQ(verdict.skipped, 1);
    EXPECT_EQ(verdict.pauseMs, 0.61);
    EXPECT_EQ(memoryText(verdict).toStdString(),
              "Memory 10.0 MiB instead of 129.0 MiB (12.9x smaller)");
    EXPECT_EQ(compactionsText(verdict).toStdString(), "1 compaction(s), 1 failed");
}

TEST(MemoryVerdict, lossBelowNearAndAboveTheLimit_isGraded) {
    EngineConfig config;  // balanced: 99.8 % and 97.5 % of the weakest passage
    const auto effect = [&](double all, double worst) {
        return verdictOf(kCompacted, {measured(1, all, worst)}, 1, config).effect;
    };
    EXPECT_EQ(effect(0.9995, 1), AnswerEffect::Within);
    EXPECT_EQ(effect(0.9982, 1), AnswerEffect::Near);
    EXPECT_EQ(effect(0.9995, 0.976), AnswerEffect::Near);
    EXPECT_EQ(effect(0.99, 1), AnswerEffect::Exceeded);
    config.kv.lossLimit = {.level = LossLimit::Level::Share, .share = 0.9};
    EXPECT_EQ(effect(0.99, 0.5), AnswerEffect::Within);
}

TEST(MemoryVerdict, compactionWithoutAMeasurement_resetsTheEarlierFigure) {
    const std::vector<CompactionMark> marks{measured(1, 0.9999),
                                            mark(1, 2, CompactionResult::Done)};
    const MemoryVerdict verdict = verdictOf(kCompacted, marks, 1, EngineConfig());
    EXPECT_EQ(verdict.effect, AnswerEffect::NotMeasured);
    EXPECT_FALSE(verdict.kept);
    EXPECT_EQ(answersText(verdict, 0).toStdString(), "answers: not measured");
    EXPECT_EQ(verdictOf(kCompacted, marks, 1, EngineConfig(), 1).effect, AnswerEffect::Within)
        << "before the second compaction";
}

TEST(MemoryVerdict, measurementAfterTheCompaction_isTaken) {
    CompactionMark later = mark(1, 2 * kSecond, CompactionResult::Skipped);
    later.row.kept = KeptInformation{.all = 0.9991};
    const MemoryVerdict verdict =
        verdictOf(kCompacted, {mark(1, 1, CompactionResult::Done), later}, 1, EngineConfig());
    EXPECT_EQ(verdict.skipped, 0);
    EXPECT_EQ(answersText(verdict, 14 * kSecond).toStdString(),
              "answers: likely unchanged (99.9 % of the text's information kept, measured 12 s "
              "ago)");
    EXPECT_EQ(answersText(verdict, 14 * kSecond, true).toStdString(), "answers: likely unchanged");
}

TEST(MemoryVerdict, fullCache_hasNoEffectOnAnswers) {
    const MemoryVerdict verdict =
        verdictOf(cacheOf(kMiB, kMiB), {measured(1, 0.5)}, 1, EngineConfig());
    EXPECT_EQ(verdict.effect, AnswerEffect::Full);
    EXPECT_EQ(memoryText(verdict).toStdString(), "Memory 1.0 MiB, not compressed");
    EXPECT_EQ(memoryText(verdictOf({}, {}, 1, EngineConfig())).toStdString(),
              "Nothing is cached yet");
}

TEST(ProcessMemory, parts_alwaysAddUpToTheResidentMemory) {
    for (const qint64 resident : {qint64{0}, 10 * kMiB, 300 * kMiB, 5000 * kMiB}) {
        const ProcessMemory memory = divideMemory(resident, 1000 * kMiB, 30 * kMiB, 200 * kMiB);
        EXPECT_EQ(memory.model + memory.caches + memory.prefixes + memory.other, resident);
        EXPECT_GE(memory.model, 0);
        EXPECT_GE(memory.other, 0);
    }
    EXPECT_EQ(divideMemory(5000 * kMiB, 1000 * kMiB, 30 * kMiB, 200 * kMiB).other, 3770 * kMiB);
}

}  // namespace
}  // namespace lacuna::app
