#pragma once
/// \file
/// A compaction carried out on the spot: what is chosen goes, and the report says what came of it.
/// On a failure the cache is as it was before. Caller's thread and its pool.

#include <cstdint>
#include <string>

#include "engine/base/clock.h"
#include "engine/base/thread_pool.h"
#include "engine/compress/compactor.h"
#include "engine/compress/matching_plan.h"
#include "engine/kv/eviction_plan.h"
#include "engine/kv/kv_cache.h"

namespace lacuna {

struct CompactionTools {
    ThreadPool& pool;
    const Clock& clock;
};

/// A report of a compaction that has not begun.
[[nodiscard]] CompactionReport opened(const KvCache& cache, CompactionMethod method,
                                      CompactionCause cause);
/// The report with its end. `report` of all functions here: what is known before.
[[nodiscard]] CompactionReport skipped(CompactionReport report, std::string reason);
[[nodiscard]] CompactionReport failed(CompactionReport report, const Error& error);

/// What an attention matching with these options asks of a plan.
[[nodiscard]] MatchingRequest matchingRequest(const CompactorModel& model,
                                              const SelectionRule& rule, const KvOptions& options);

[[nodiscard]] CompactionReport evictNow(KvCache& cache, const EvictionOptions& eviction,
                                        const CompactionTools& tools, CompactionReport report);
/// @pre queries.tokens() > 0
[[nodiscard]] CompactionReport matchNow(KvCache& cache, const ReferenceQueries& queries,
                                        const MatchingRequest& request,
                                        const CompactionTools& tools, CompactionReport report);

}  // namespace lacuna
