#pragma once
/// \file
/// The memory that the caches of all conversations together may fill (setting cache_limit): that of
/// their live rows. Places of dropped rows are closed up over as far as a step needs the memory,
/// but for those that coming tokens take, of a growth quantum or an eleventh of a head. Room
/// reserved ahead of the rows is not counted: it is mapped, and takes memory when it is written.
/// Before a step that would pass the limit the prefix cache makes room; then caches are compacted,
/// the largest first to the size of the others, and closed up as far as the step needs; then those
/// that nobody is answered from are given back; then unanswered questions, which were left as they
/// are so far, are compacted as well, and at last the step is refused: before its forward pass, so
/// that nothing is lost. The limit knows no compaction_floor. Called on the engine thread, between
/// two steps.

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/kv/kv_values.h"
#include "engine/session/conversation_store.h"
#include "engine/session/event.h"
#include "engine/session/turn.h"
#include "engine/settings/conversation_settings.h"

namespace lacuna {

/// What a step may append to the cache of a conversation.
struct CacheGrowth {
    ConversationId conversation;
    int tokens = 0;
};

struct CacheLimitMeans {
    ConversationStore& conversations;
    double limitMiB = 0;  ///< setting cache_limit; 0: none
    ConfigOf configOf;
    CacheModel model;
    std::span<const CacheGrowth> growth;                         ///< of those that are answered
    std::function<void(ConversationId, CompactionReport)> told;  ///< of every compaction
    std::function<void(Notice)> notice;                          ///< when a cache was given back
    ThreadPool& pool;                                            ///< rows are moved with
    /// Of the prefix cache, without rows that caches of conversations hold too; null: there is
    /// none.
    std::function<std::int64_t()> prefixBytes = {};
    std::function<bool()> givePrefixBack = {};  ///< false where nothing is left of it
};

/// Of answers that take part in the next step.
[[nodiscard]] std::vector<CacheGrowth> growthOf(std::span<Turn* const> turns,
                                                const ConfigOf& configOf);
/// Live bytes of all caches.
[[nodiscard]] std::int64_t liveCacheBytes(ConversationStore& conversations);
/// Bytes below the limit that a cache alongside those of the conversations may take for a while.
[[nodiscard]] std::int64_t passBytes(double cacheLimitMiB, ConversationStore& conversations);
/// Bytes of all rows of a cache, whether they are live or were dropped and lie there still.
[[nodiscard]] std::int64_t heldBytes(const KvCache& cache);
/// Bytes that `tokens` more take in a cache that holds `held`, uncompressed as they come.
[[nodiscard]] std::int64_t growthBytes(const CacheModel& model, const KvOptions& options,
                                       std::int64_t held, int tokens);
/// Sees to it that the step stays within the limit. Errors: NoMemory, naming bytes, limit and what
/// to change; then caches are compacted as far as they could be.
[[nodiscard]] Status keepWithinLimit(const CacheLimitMeans& means);

}  // namespace lacuna
