#include "engine/session/step_telemetry.h"

#include <utility>

#include "engine/session/cache_limit.h"

namespace lacuna {

void StepTelemetry::addBytes(StepSample& row) {
    row.liveBytesAll = liveCacheBytes(conversations_);
    conversations_.forEach([&row](Sequence& one) {
        const KvStats kv = one.cache().stats();
        row.stateBytesAll += kv.stateBytes;
        row.checkpointBytesAll += kv.checkpointBytes;
    });
}

void StepTelemetry::publish(ConversationId id, Sequence& sequence, const GenerationStep* step) {
    StepSample row;
    if (step != nullptr) {
        row.phase = step->prefill ? EngineState::Prefill : EngineState::Decode;
        row.tokens = step->tokens;
        row.stepMs = step->stepMs;
    }
    row.kv = sequence.cache().stats();
    row.compaction = sequence.compactor().state(sequence.cache(), settings_.of(id).kv);
    addBytes(row);
    row.prefixBytes = prefixes_.bytesAlone();
    row.prefixDiskBytes = prefixes_.bytesOnDisk();
    io_.sample(id, std::move(row));
}

void StepTelemetry::publishReleased(ConversationId id) {
    StepSample none;
    addBytes(none);
    io_.sample(id, std::move(none));
}

}  // namespace lacuna
