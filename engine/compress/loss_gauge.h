#pragma once
/// \file
/// Measures what a compaction loses of its text before it is committed. Running the model is the
/// business of whoever implements it (engine/generate/kept_information.h). Caller's thread.

#include "engine/base/result.h"
#include "engine/kv/kv_cache.h"
#include "engine/values/compaction_values.h"

namespace lacuna {

class LossGauge {
  public:
    virtual ~LossGauge() = default;
    /// What `compacted` keeps, a copy of the cache that was measured first; it stays as it is.
    /// Errors: Cancelled, and whatever kept it from measuring.
    [[nodiscard]] virtual Result<KeptInformation> keptBy(KvCache& compacted) = 0;
};

}  // namespace lacuna
