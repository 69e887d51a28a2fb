#pragma once
/// \file
/// Reads a text into a cache with given settings, as in a conversation: rows are coded as they
/// arrive, later tokens attend to the codes, and the cache is compacted if the settings ask for it.
/// Used to measure the loss of a format. Runs on the calling thread.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "engine/base/ids.h"
#include "engine/base/result.h"
#include "engine/base/thread_pool.h"
#include "engine/compress/driver/compactor.h"
#include "engine/compress/head_profile.h"
#include "engine/kv/kv_options.h"
#include "engine/model/transformer.h"
#include "engine/quality/quality_values.h"

namespace lacuna {

/// Returns true if a cache of this setting codes its rows, so that a copy of an uncompressed cache
/// cannot represent it.
[[nodiscard]] bool codesRows(const ShadowSetting& setting);

/// Simulates codes that no cache implements, by a cache that gives equivalent rows.
class TrialRows {
  public:
    virtual ~TrialRows() = default;
    /// Makes an empty cache of these rows. Errors: InvalidArgument, Unsupported.
    [[nodiscard]] virtual Result<std::unique_ptr<KvCache>> makeCache(
        const CacheModel& model, const KvOptions& options) const = 0;
};

struct TrialDependencies {
    Transformer& model;
    ThreadPool& pool;
    DType type = DType::F16;  ///< number type of caches for query passes
    int chunk = 256;          ///< tokens per forward pass, at most the transformer's limit
    std::uint64_t seed = 0;   ///< seed for random sampling in compactions
    HeadProfiles profiles = {};
    std::function<bool()> cancelled = {};  ///< polled within forward passes; true cancels
};

/// Reads a text into a cache in chunks; `observer`, which may be null, sees its queries. Errors: as
/// Transformer::forward.
[[nodiscard]] Status feed(const TrialDependencies& dependencies, KvCache& cache,
                          std::span<const TokenId> text, QueryObserver* observer = nullptr);

struct TrialCache {
    std::unique_ptr<KvCache> cache;          ///< the cache of the text, after the compaction
    std::optional<CompactionReport> report;  ///< report of the compaction; nullopt if the settings
                                             ///< have no method
};
/// Reads the text; layers keep every token, like those of the full cache. Errors: Conflict (nothing
/// to measure, because no code was read or nothing was evicted), Unsupported (a window; the
/// compaction failed; a compaction of simulated rows), Range (budget share), Cancelled, as
/// makeModelCache, makeSimulatedCache and Transformer::forward.
[[nodiscard]] Result<TrialCache> readTrial(const TrialDependencies& dependencies,
                                           std::span<const TokenId> text,
                                           const ShadowSetting& setting);

/// Returns the compaction options for a text of this length, with a budget share converted to
/// slots. Errors: Range (budget share).
[[nodiscard]] Result<KvOptions> optionsFor(const ShadowSetting& setting, std::int64_t tokens);
/// Checks that a compaction evicted something, so that it can be measured. Errors: Cancelled,
/// Unsupported (it failed), Conflict (nothing was evicted from this many tokens).
[[nodiscard]] Status checkCompacted(const CompactionReport& report, std::int64_t tokens);

}  // namespace lacuna
