#pragma once
/// \file
/// A text read by a cache with settings of its own, as a conversation would hold it: rows are coded
/// as they arrive, what follows is read through the codes, and the cache is compacted where the
/// settings say so. What a format costs is measured on it. Runs on the calling thread.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "engine/base/ids.h"
#include "engine/base/result.h"
#include "engine/base/thread_pool.h"
#include "engine/compress/compactor.h"
#include "engine/compress/head_profile.h"
#include "engine/kv/kv_options.h"
#include "engine/model/transformer.h"
#include "engine/quality/quality_values.h"

namespace lacuna {

/// Whether rows of a cache of this setting are codes, so that no copy of a whole cache stands for
/// it.
[[nodiscard]] bool codesRows(const ShadowSetting& setting);

/// Codes of rows that no cache has, as a cache that stands for one.
class TrialRows {
  public:
    virtual ~TrialRows() = default;
    /// An empty cache of these rows. Errors: InvalidArgument, Unsupported.
    [[nodiscard]] virtual Result<std::unique_ptr<KvCache>> makeCache(
        const CacheModel& model, const KvOptions& options) const = 0;
};

struct TrialMeans {
    Transformer& model;
    ThreadPool& pool;
    DType type = DType::F16;  ///< of the caches of passes for queries
    int chunk = 256;          ///< tokens per forward pass, at most those the transformer allows
    std::uint64_t seed = 0;   ///< of what compaction samples
    HeadProfiles profiles = {};
    std::function<bool()> cancelled = {};  ///< asked within forward passes; true ends the reading
};

/// Reads a text into a cache, a chunk at a time; whoever observes, or null, sees its queries.
/// Errors: as Transformer::forward.
[[nodiscard]] Status feed(const TrialMeans& means, KvCache& cache, std::span<const TokenId> text,
                          QueryObserver* observer = nullptr);

struct TrialCache {
    std::unique_ptr<KvCache> cache;          ///< of the text, after the compaction
    std::optional<CompactionReport> report;  ///< of that, where the settings have a method
};
/// Layers keep every token, as those of the whole cache do. Errors: Conflict (no code is
/// read, or nothing was evicted, so there is nothing to measure), Unsupported (a window; the
/// compaction failed; a compaction of simulated rows), Range (budget share), Cancelled, as
/// makeModelCache, makeSimulatedCache and Transformer::forward.
[[nodiscard]] Result<TrialCache> readTrial(const TrialMeans& means, std::span<const TokenId> text,
                                           const ShadowSetting& setting);

/// What a setting compacts a text of so many tokens with: its share in slots where it has one.
/// Errors: Range (budget share).
[[nodiscard]] Result<KvOptions> optionsFor(const ShadowSetting& setting, std::int64_t tokens);
/// Whether a compaction did what a measurement is to be made of. Errors: Cancelled, Unsupported
/// (it failed), Conflict (nothing was evicted from so many tokens).
[[nodiscard]] Status checkCompacted(const CompactionReport& report, std::int64_t tokens);

}  // namespace lacuna
