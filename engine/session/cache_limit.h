#pragma once
/// \file
/// Enforces the memory limit on the live rows of all conversations together (setting cache_limit).
/// Reserved room is not counted, since it is only mapped until it is written. Before a step that
/// would exceed the limit, these measures are tried in order:
/// - The prefix cache shrinks.
/// - Caches are compacted, the largest first, and holes are closed as far as the step needs, except
/// holes for coming tokens (up to a growth quantum or an eleventh of a head).
/// - Idle caches are released.
/// - Prompts that are not answered yet are compacted too.
/// - The step is refused before its forward pass, so that nothing is lost.
///
/// compaction_floor does not apply. Called on the engine thread, between two steps.

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/kv/kv_values.h"
#include "engine/session/event.h"
#include "engine/session/sequence_pool.h"
#include "engine/session/turn.h"
#include "engine/settings/conversation_settings.h"

namespace lacuna {

/// Upper bound of the tokens that a step appends to the cache of a conversation.
struct CacheGrowth {
    ConversationId conversation;
    int tokens = 0;
};

struct CacheLimitContext {
    SequencePool& conversations;
    double limitMiB = 0;  ///< setting cache_limit; 0 disables it
    ConfigOf configOf;
    CacheModel model;
    std::span<const CacheGrowth> growth;  ///< growth of the turns in the next step
    std::function<void(ConversationId, CompactionReport)> onCompacted;  ///< called for every
                                                                        ///< compaction
    std::function<void(Notice)> notice;  ///< called when a cache was released
    ThreadPool& pool;                    ///< pool used to move rows
    /// Returns the bytes of the prefix cache without rows shared with conversations; null if there
    /// is no prefix cache.
    std::function<std::int64_t()> prefixBytes = {};
    std::function<bool()> releasePrefix = {};  ///< returns false if it is empty
};

/// Returns the growth of the turns that take part in the next step.
[[nodiscard]] std::vector<CacheGrowth> growthOf(std::span<Turn* const> turns,
                                                const ConfigOf& configOf);
/// Returns the live bytes of all caches.
[[nodiscard]] std::int64_t liveCacheBytes(SequencePool& conversations);
/// Returns how many bytes below the limit a temporary cache may take alongside those of the
/// conversations.
[[nodiscard]] std::int64_t passBytes(double cacheLimitMiB, SequencePool& conversations);
/// Returns the bytes of all rows of a cache, both live and dropped ones.
[[nodiscard]] std::int64_t heldBytes(const KvCache& cache);
/// Returns the bytes that `tokens` more tokens take uncompressed in a cache that holds `held`
/// tokens.
[[nodiscard]] std::int64_t growthBytes(const CacheModel& model, const KvOptions& options,
                                       std::int64_t held, int tokens);
/// Ensures that the next step stays within the limit. Errors: NoMemory, with the bytes, the limit
/// and what to change; the caches have then been compacted as far as possible.
[[nodiscard]] Status enforceCacheLimit(const CacheLimitContext& dependencies);

}  // namespace lacuna
