#pragma once
/// \file
/// What a compaction would do, before it is done: some layers of a copy are really compacted, and
/// the rest is taken to go like them. An estimate, to be compared with what comes. Runs on the
/// calling thread; costs a copy of the cache and the compaction of a few layers.

#include <cstdint>
#include <optional>
#include <string>

#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/compress/compactor.h"
#include "engine/format/model_spec.h"
#include "engine/kv/kv_cache.h"
#include "engine/quality/quality_values.h"

namespace lacuna {

struct PreviewOptions {
    int layers = 3;  ///< most layers that are tried; 0: all
};

/// `compactor` is the one that watches over `cache`; `reader` makes queries nobody asked, where
/// `kv` wants such. Errors: NoMemory, Unsupported (the compaction failed on the copy), Cancelled
/// (that pass was broken off).
[[nodiscard]] Result<CompactionPreview> previewCompaction(const KvCache& cache,
                                                          Compactor& compactor, const KvOptions& kv,
                                                          const ModelSpec& spec,
                                                          const PreviewOptions& options = {},
                                                          const QueryReader& reader = {});

/// A preview alongside the compaction that came: estimated and real values and their ratio.
[[nodiscard]] OrderedJson previewJson(const CompactionPreview& preview);
[[nodiscard]] OrderedJson previewOutcomeJson(const CompactionPreview& preview,
                                             const CompactionReport& report);

}  // namespace lacuna
