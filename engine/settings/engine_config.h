#pragma once
/// \file
/// All user settings as one plain value, composed of the options of the modules. The settings keys
/// used by the window, the command line and reports are those of setting_spec.h.

#include "engine/base/units.h"
#include "engine/generate/generation_options.h"
#include "engine/kv/kv_options.h"
#include "engine/values/bring_back_values.h"
#include "engine/values/precision.h"

namespace lacuna {

struct EngineConfig {
    KvOptions kv;
    SamplingOptions sampling;
    PrefillPolicy prefillPolicy = PrefillPolicy::AfterPrefill;
    PrecisionChoice precision = PrecisionChoice::Auto;
    int threads = 0;  ///< compute threads, [1, 256]; 0 = physical cores
    int context = 0;  ///< maximum tokens of a conversation; 0 = the model's trained context
    /// Number of first tokens kept when a full context drops older ones; if off, the answer ends
    /// there.
    std::optional<int> contextShift;
    int prefillChunk = 128;  ///< tokens per prefill step, [1, 4096]; safe points lie in between
    int parallel = 4;        ///< maximum number of concurrent turns, [1, 16]
    StepPasses passes = StepPasses::Shared;
    int draftTokens = 0;  ///< maximum tokens proposed per decode step, [0, 16]; 0 = off
    DraftSource draftSource = DraftSource::Lookup;
    int qualityEvery = 0;  ///< interval between live quality samples in tokens, [0, 4096]; 0 = off
    double cacheLimitMiB = 0;     ///< limit on the live bytes of all caches together; 0 = no limit
    double prefixCacheMiB = 512;  ///< size of the prefix cache in memory; 0 = off
    double prefixDiskMiB = 0;     ///< size of the prefix cache on disk, for all models; 0 = off
    BringBackMode bringBack = BringBackMode::Off;  ///< restores evicted tokens for a new message
    int maxTokens = 512;  ///< maximum number of tokens of an answer, [0, 1000000]
    friend bool operator==(const EngineConfig&, const EngineConfig&) = default;
};

/// Checkpoints of recurrent states with these settings. With exact precision they are float32, so
/// that a text continues with the same bits after an edit.
[[nodiscard]] inline StateCheckpoints stateCheckpointsOf(const EngineConfig& config) {
    const bool exact = config.precision == PrecisionChoice::Exact;
    return {.bytes = static_cast<std::int64_t>(config.kv.stateMemoryMiB * kMiB),
            .type = exact ? StateType::Float32 : config.kv.stateType};
}

}  // namespace lacuna
