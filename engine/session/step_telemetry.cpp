#include "engine/session/step_telemetry.h"

#include <utility>

#include "engine/kv/state/state_store.h"
#include "engine/session/cache_limit.h"

namespace lacuna {
namespace {

std::int64_t draftBytesOf(Sequence& sequence) {
    return sequence.drafter() == nullptr ? 0 : sequence.drafter()->cacheBytes();
}

}  // namespace

void StepTelemetry::addBytes(StepSample& row) {
    row.liveBytesAll = liveCacheBytes(conversations_);
    conversations_.forEach([&row](Sequence& one) {
        row.draftBytesAll += draftBytesOf(one);
        const StateStore* const states = one.cache().states();
        if (states == nullptr) return;
        const StateBytes bytes = states->bytes();
        row.stateBytesAll += bytes.states();
        row.checkpointBytesAll += bytes.requested;
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
    row.draftBytes = draftBytesOf(sequence);
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
