#include "engine/session/step_telemetry.h"

#include <utility>

#include "engine/session/cache_limit.h"

namespace lacuna {

void StepTelemetry::publish(ConversationId id, Sequence& sequence, const GenerationStep* step) {
    StepSample row;
    if (step != nullptr) {
        row.phase = step->prefill ? EngineState::Prefill : EngineState::Decode;
        row.tokens = step->tokens;
        row.stepMs = step->stepMs;
    }
    row.kv = sequence.cache().stats();
    row.compaction = sequence.compactor().state(sequence.cache(), settings_.of(id).kv);
    row.liveBytesAll = liveCacheBytes(conversations_);
    row.prefixBytes = prefixes_.bytesAlone();
    row.prefixDiskBytes = prefixes_.bytesOnDisk();
    io_.sample(id, std::move(row));
}

void StepTelemetry::publishReleased(ConversationId id) {
    StepSample none;
    none.liveBytesAll = liveCacheBytes(conversations_);
    io_.sample(id, std::move(none));
}

}  // namespace lacuna
