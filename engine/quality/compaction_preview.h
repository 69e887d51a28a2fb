#pragma once
/// \file
/// Estimates the effect of a compaction by compacting a copy of the cache. If attention matching
/// would take long, only some heads are fitted and the others are extrapolated. Runs on the calling
/// thread; costs a copy of the cache and the compaction. docs/attention-matching.md, "Predicted
/// loss of a ratio".

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/compress/driver/compactor.h"
#include "engine/kv/kv_cache.h"
#include "engine/quality/quality_values.h"

namespace lacuna {

/// Sample size of an estimate: one or two seconds on two cores. It covers all heads of 8,192 tokens
/// of a model with 30 layers of 3 heads.
inline constexpr FitSample kPreviewSample{.scores = std::int64_t{1} << 29, .heads = 0};

struct PreviewOptions {
    FitSample sample = kPreviewSample;
    QueryReader reader = {};               ///< generates synthetic queries if `kv` needs them
    std::function<bool()> cancelled = {};  ///< polled regularly; true cancels
    /// Receives the compacted copy if all heads were compacted; null discards it.
    std::unique_ptr<KvCache>* compacted = nullptr;
};

/// `compactor` is the one that observes `cache`; both are unchanged afterwards. Errors: NoMemory,
/// Unsupported (the compaction failed on the copy), Cancelled (also if a pass of the reader was
/// cancelled).
[[nodiscard]] Result<CompactionPreview> previewCompaction(const KvCache& cache,
                                                          Compactor& compactor, const KvOptions& kv,
                                                          const PreviewOptions& options = {});

/// A preview next to the actual compaction: estimated and real values and their ratio.
[[nodiscard]] OrderedJson previewJson(const CompactionPreview& preview);
[[nodiscard]] OrderedJson previewOutcomeJson(const CompactionPreview& preview,
                                             const CompactionReport& report);

}  // namespace lacuna
