#include "engine/session/step_sample.h"

namespace lacuna {

StepSample stepSample(Sequence& sequence, const KvOptions& options, const GenerationStep* step) {
    StepSample sample;
    sample.phase = EngineState::Idle;
    if (step != nullptr) {
        sample.phase = step->prefill ? EngineState::Prefill : EngineState::Decode;
        sample.tokens = step->tokens;
        sample.stepMs = step->stepMs;
    }
    sample.kv = sequence.cache().stats();
    sample.compaction = sequence.compactor().state(sequence.cache(), options);
    return sample;
}

}  // namespace lacuna
