#pragma once
/// \file
/// What running a model will take on this machine, worked out before anything is loaded: weights,
/// activations, and the KV caches for each number format: those of all answers at once, the shadow
/// that live quality compares with, what is kept of texts for others, the second copy that a
/// compaction in the background makes, and what a pass for its queries fills. Pure functions.

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/json.h"
#include "engine/format/model_spec.h"
#include "engine/settings/engine_config.h"
#include "engine/settings/facts.h"

namespace lacuna {

/// The cache in one number format, uncompressed; sliding layers hold their windows only.
struct CachePlan {
    std::string type;                ///< "F16", "Q8_0"
    std::int64_t bytesPerToken = 0;  ///< keys and values over all layers, past a window of 16 bits
    std::int64_t fullBytes = 0;      ///< of one conversation at the trained context
    std::int64_t allBytes = 0;       ///< of everything that may be held then: the next four
    std::int64_t liveBytes = 0;      ///< of those: the caches of all conversations
    std::int64_t shadowBytes = 0;    ///< of live quality
    std::int64_t passingBytes = 0;   ///< second copies and readings of compactions
    std::int64_t keptBytes = 0;      ///< of texts that were read, for others
    /// Besides, at most: what caches reserve ahead of their tokens, one step of their growth.
    std::int64_t slackBytes = 0;
    std::int64_t largestContext = 0;  ///< tokens of each conversation that fit alongside the rest
    bool fits = false;                ///< the trained context fits, in memory and below the limit
};

struct MemoryPlan {
    std::int64_t weightBytes = 0;      ///< copied out of the file where they fit, else mapped
    std::int64_t activationBytes = 0;  ///< of one prefill step
    int prefillTokens = 0;             ///< tokens of that step
    int context = 0;                   ///< trained context, tokens
    int conversations = 1;             ///< answered at once
    bool shadow = false;               ///< an uncompressed cache of one of them, for live quality
    double copies = 0;                 ///< share of a cache that compactions in the background add
    int readings = 0;  ///< of one conversation that a pass for the queries of a compaction holds
    std::int64_t prefixBytes = 0;     ///< most that is kept of texts for others (prefix_cache)
    std::int64_t limitBytes = 0;      ///< of all caches together (cache_limit); 0: none
    std::int64_t availableBytes = 0;  ///< of the machine, when asked; 0: unknown
    std::int64_t memoryBytes = 0;
    std::vector<CachePlan> caches;  ///< F16, BF16, F32 and the coded formats that fit a head
    std::string verdict;            ///< one sentence a person can act on
};

[[nodiscard]] MemoryPlan planMemory(const ModelSpec& spec, const MachineFacts& machine,
                                    const EngineConfig& config);
[[nodiscard]] OrderedJson memoryPlanJson(const MemoryPlan& plan);

}  // namespace lacuna
