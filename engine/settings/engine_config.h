#pragma once
/// \file
/// Everything a person can set, as one plain value: the sum of the rooms' options. Settings keys of
/// the window, the command line and reports are those of knob_spec.h.

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
    int context = 0;  ///< most tokens of a conversation; 0 = the model's trained context
    /// First tokens that stay when a full context gives up older ones; off: the answer ends there.
    std::optional<int> contextShift;
    int prefillChunk = 128;  ///< tokens per prefill step, [1, 4096]; a safe point lies between two
                             ///< chunks
    int parallel = 4;        ///< most answers written at once, [1, 16]
    StepPasses passes = StepPasses::Shared;
    int draftTokens = 0;   ///< most tokens proposed for one decode step, [0, 16]; 0 = off
    int qualityEvery = 0;  ///< tokens from one live quality sample to the next, [0, 4096]; 0 = off
    double cacheLimitMiB = 0;     ///< of the live bytes of all caches together; 0 = no limit
    double prefixCacheMiB = 512;  ///< of the starts of texts that are kept for others; 0 = off
    double prefixDiskMiB = 0;     ///< of the same on disk, over all models; 0 = off
    BringBackMode bringBack = BringBackMode::Off;  ///< forgotten tokens that a question looks for
    int maxTokens = 512;                           ///< most tokens of an answer, [0, 1000000]
    friend bool operator==(const EngineConfig&, const EngineConfig&) = default;
};

}  // namespace lacuna
