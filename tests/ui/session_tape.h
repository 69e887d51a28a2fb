#pragma once
/// \file
/// A synthetic session for chart tests: answers with prefill and decoding, compactions, changes of
/// settings. Deterministic; figures of a small model with a budget of 1,024 slots.

#include "app/state/telemetry/metrics_store.h"

namespace lacuna::ui {

struct TapeOptions {
    int answers = 2;
    int tokens = 300;         ///< per answer
    double idleSeconds = 20;  ///< between answers
    double stepMs = 45;
    int failEvery = 9;   ///< every n-th compaction fails
    bool codes = false;  ///< rows are stored as codes, some of them in 16 bits
    qint64 startNs = 5'000'000'000'000;
};

/// Fills the store; returns the number of steps.
inline int playTape(app::MetricsStore& store, const TapeOptions& options) {
    constexpr qint64 kBytesPerSlot = 24'576;
    constexpr int kBudget = 1024, kTrigger = 1088;
    constexpr double kNsPerMs = 1e6;
    qint64 time = options.startNs, context = 0, number = 0;
    int held = 0, steps = 0;
    QVector<app::SampleRow> batch;
    const auto step = [&](EngineState phase, int tokens, int answer) {
        const double ms =
            phase == EngineState::Prefill ? tokens / 0.33 : options.stepMs + steps % 7;
        time += static_cast<qint64>(ms * kNsPerMs);
        context += tokens;
        held += tokens;
        ++steps;
        app::SampleRow row;
        row.timeNs = time;
        row.turn = answer;
        row.phase = phase;
        row.tokens = tokens;
        row.stepMs = ms;
        row.contextTokens = context;
        row.slotsLargestHead = held;
        row.slotsTotal = held;
        row.heads = 1;
        row.logicalBytes = context * kBytesPerSlot;
        row.liveBytes = held * kBytesPerSlot;
        row.scaleBytes = options.codes ? row.liveBytes / 20 : 0;
        row.exactBytes = options.codes ? row.liveBytes / 4 : 0;
        row.allocatedBytes = 2048 * kBytesPerSlot;
        row.compressionEnabled = true;
        row.triggerSlots = kTrigger;
        row.comparedSlots = held;
        row.targetBytes = kBudget * kBytesPerSlot;
        row.triggerBytes = kTrigger * kBytesPerSlot;
        batch.push_back(row);
        if (held <= kTrigger) return;
        store.addSamples(batch);
        batch.clear();
        app::CompactionRow compaction;
        compaction.number = ++number;
        compaction.queriesMs = 30;
        compaction.scoreMs = 8 + static_cast<double>(number % 5);
        compaction.selectMs = 3;
        compaction.fitMs = 14 + static_cast<double>(number % 11);
        compaction.applyMs = 4;
        compaction.totalMs = compaction.queriesMs + compaction.scoreMs + compaction.selectMs +
                             compaction.fitMs + compaction.applyMs + 1;
        compaction.timeNs = time += static_cast<qint64>(compaction.totalMs * kNsPerMs);
        const bool fails = options.failEvery > 0 && number % options.failEvery == 0;
        compaction.result = fails ? CompactionResult::Failed : CompactionResult::Done;
        if (fails)
            compaction.notes = {
                noteOf(CompactionReason::Recorded, "the value fit of layer 3 did not converge")};
        compaction.configuredRatio = 2;
        if (!fails) held = kBudget;
        store.addCompactions({compaction});
        app::QualityRow quality;
        quality.timeNs = time;
        quality.kl = 0.02 + 0.001 * static_cast<double>(number % 7);
        quality.sameTop = number % 5 != 0;
        quality.costShare = 0.05;
        store.addQuality({quality});
    };
    for (int answer = 1; answer <= options.answers; ++answer) {
        for (int chunk = 0; chunk < 3; ++chunk) step(EngineState::Prefill, 512, answer);
        const qint64 began = time;
        for (int token = 0; token < options.tokens; ++token) step(EngineState::Decode, 1, answer);
        app::TurnRow turn;
        turn.timeNs = time;
        turn.turn = answer;
        turn.decodeSeconds = static_cast<double>(time - began) / 1e9;
        turn.firstTokenSeconds = 4.7;
        turn.promptTokens = context - options.tokens;
        turn.reusedTokens = turn.promptTokens - 3 * 512;
        store.addTurns({turn});
        store.addStored({.timeNs = time,
                         .memoryBytes = context * kBytesPerSlot,
                         .diskBytes = context * kBytesPerSlot / 2});
        app::RestoredRow restored;
        restored.timeNs = time;
        restored.conversation = 1;
        restored.tokens = 12;
        restored.keptTokens = 12 * answer;
        restored.keptBytes = restored.keptTokens * kBytesPerSlot;
        restored.ended = true;
        store.addRestored(restored);
        app::ConfigRow config;
        config.timeNs = time;
        config.revision = answer + 1;
        config.applied = answer % 2 == 1;
        config.summary = QStringLiteral("AM ratio 2 to 4");
        store.addConfigs({config});
        time += static_cast<qint64>(options.idleSeconds * 1e9);
    }
    store.addSamples(batch);
    return steps;
}

}  // namespace lacuna::ui
