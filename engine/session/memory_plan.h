#pragma once
/// \file
/// Predicts how much memory running a model will take on this machine before anything is loaded. It
/// covers weights, activations, and for each number format the KV caches of all concurrent turns,
/// the shadow cache of live quality, the prefix cache, the second copy made by a background
/// compaction, and the cache of a pass for its queries. Pure functions.

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/json.h"
#include "engine/format/model_spec.h"
#include "engine/settings/engine_config.h"
#include "engine/settings/facts.h"

namespace lacuna {

/// Size of the uncompressed cache in one number format; sliding layers hold only their windows.
struct CachePlan {
    std::string type;                  ///< "F16", "Q8_0"
    std::int64_t bytesPerToken = 0;    ///< keys and values over all layers, beyond a 16-bit window
    std::int64_t fullBytes = 0;        ///< one conversation at the trained context
    std::int64_t allBytes = 0;         ///< peak of all caches: sum of the next six
    std::int64_t liveBytes = 0;        ///< keys and values of all conversations
    std::int64_t stateBytes = 0;       ///< states of recurrent layers of all conversations
    std::int64_t checkpointBytes = 0;  ///< checkpoints of these states (state_memory)
    std::int64_t shadowBytes = 0;      ///< shadow cache of live quality
    std::int64_t temporaryBytes = 0;   ///< second copies and readings of compactions
    std::int64_t keptBytes = 0;        ///< prefix cache
    /// Additional upper bound on memory that caches reserve ahead of their tokens: one growth step.
    std::int64_t slackBytes = 0;
    std::int64_t largestContext = 0;  ///< most tokens per conversation that fit in memory
    bool fits = false;  ///< true if the trained context fits in memory and below the limit
};

struct MemoryPlan {
    std::int64_t weightBytes = 0;      ///< copied out of the file if they fit, otherwise mapped
    std::int64_t activationBytes = 0;  ///< activations of one prefill step, also of a draft block
    std::int64_t draftBytes = 0;       ///< caches of a draft block at their largest, if it drafts
    int prefillTokens = 0;             ///< tokens of one prefill step
    int context = 0;                   ///< trained context, tokens
    int conversations = 1;             ///< number of concurrent turns
    bool shadow = false;  ///< true if live quality keeps an uncompressed cache of one of them
    double copies = 0;    ///< size of a background compaction's copy as a fraction of a cache
    int readings = 0;     ///< copies of one conversation's text during a query pass
    std::int64_t checkpointBytes = 0;  ///< most checkpoints of one conversation (state_memory)
    std::int64_t oneCheckpoint = 0;    ///< bytes of one checkpoint of recurrent states
    std::int64_t prefixBytes = 0;      ///< upper bound of the prefix cache (prefix_cache)
    std::int64_t limitBytes = 0;       ///< limit of all caches together (cache_limit); 0 if none
    std::int64_t availableBytes = 0;   ///< available memory when read; 0 if unknown
    std::int64_t memoryBytes = 0;
    std::vector<CachePlan> caches;  ///< F16, BF16, F32 and the coded formats that fit a head
    std::string verdict;            ///< one sentence with advice for the user
};

[[nodiscard]] MemoryPlan planMemory(const ModelSpec& spec, const MachineFacts& machine,
                                    const EngineConfig& config);
[[nodiscard]] OrderedJson memoryPlanJson(const MemoryPlan& plan);

}  // namespace lacuna
