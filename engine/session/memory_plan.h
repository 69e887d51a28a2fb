#pragma once
/// \file
/// What running a model will take on this machine, worked out before anything is loaded: weights,
/// activations, and the KV cache for each number format. Pure functions.

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/json.h"
#include "engine/format/model_spec.h"
#include "engine/session/facts.h"

namespace lacuna {

/// The cache in one number format, uncompressed; sliding layers hold their windows only.
struct CachePlan {
    std::string type;                 ///< "F16", "Q8_0"
    std::int64_t bytesPerToken = 0;   ///< keys and values over all layers
    std::int64_t fullBytes = 0;       ///< at the trained context
    std::int64_t largestContext = 0;  ///< tokens that fit beside weights and activations
    bool fits = false;                ///< the trained context fits
};

struct MemoryPlan {
    std::int64_t weightBytes = 0;      ///< copied out of the file where they fit, else mapped
    std::int64_t activationBytes = 0;  ///< of one prefill step
    int prefillTokens = 0;             ///< tokens of that step
    int context = 0;                   ///< trained context, tokens
    std::int64_t availableBytes = 0;   ///< of the machine, when asked; 0: unknown
    std::int64_t memoryBytes = 0;
    std::vector<CachePlan> caches;  ///< F16, BF16, F32 and the coded formats that fit a head
    std::string verdict;            ///< one sentence a person can act on
};

[[nodiscard]] MemoryPlan planMemory(const ModelSpec& spec, const MachineFacts& machine,
                                    int prefillTokens);
[[nodiscard]] OrderedJson memoryPlanJson(const MemoryPlan& plan);

}  // namespace lacuna
