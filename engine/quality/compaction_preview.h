#pragma once
/// \file
/// What a compaction would do, before it is done: a copy of the cache is really compacted, as the
/// cache itself would be, and looked at. Of an attention matching that would take long only some
/// heads are fitted, and the rest is taken to go like them. Runs on the calling thread; costs a
/// copy of the cache and the compaction. docs/attention-matching.md, "What a ratio costs".

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/compress/compactor.h"
#include "engine/kv/kv_cache.h"
#include "engine/quality/quality_values.h"

namespace lacuna {

/// What an estimate fits: a second or two of two cores, and all heads of 8,192 tokens of a model
/// with 30 layers of 3 heads.
inline constexpr FitSample kPreviewSample{.scores = std::int64_t{1} << 29, .heads = 0};

struct PreviewOptions {
    FitSample sample = kPreviewSample;
    QueryReader reader = {};               ///< makes queries nobody asked, where `kv` wants such
    std::function<bool()> brokenOff = {};  ///< asked now and then; true ends it
    /// Takes the compacted copy, where all of it was compacted; null: it is dropped.
    std::unique_ptr<KvCache>* compacted = nullptr;
};

/// `compactor` is the one that watches over `cache`; both are as they were afterwards. Errors:
/// NoMemory, Unsupported (the compaction failed on the copy), Cancelled (it, or a pass of the
/// reader, was broken off).
[[nodiscard]] Result<CompactionPreview> previewCompaction(const KvCache& cache,
                                                          Compactor& compactor, const KvOptions& kv,
                                                          const PreviewOptions& options = {});

/// A preview alongside the compaction that came: estimated and real values and their ratio.
[[nodiscard]] OrderedJson previewJson(const CompactionPreview& preview);
[[nodiscard]] OrderedJson previewOutcomeJson(const CompactionPreview& preview,
                                             const CompactionReport& report);

}  // namespace lacuna
