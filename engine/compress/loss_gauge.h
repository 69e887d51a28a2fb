#pragma once
/// \file
/// Measures what a compaction loses of its text before it is committed. Running the model is the
/// business of whoever implements it (engine/generate/kept_information.h). Caller's thread.

#include <optional>

#include "engine/base/result.h"
#include "engine/kv/kv_cache.h"
#include "engine/values/compaction_values.h"

namespace lacuna {

/// What a compaction must keep, each in [0, 1].
struct LossThresholds {
    double all = 0;    ///< of the whole text's information
    double worst = 0;  ///< of the weakest passage's
};

class LossGauge {
  public:
    virtual ~LossGauge() = default;
    /// What `compacted` keeps, a copy of the cache that was measured first; it stays as it is. With
    /// a `limit`, measuring may end as soon as that is certainly exceeded, and the figures are then
    /// of the tokens before. Errors: Cancelled, and whatever prevented the measurement.
    [[nodiscard]] virtual Result<KeptInformation> keptBy(
        KvCache& compacted, const std::optional<LossThresholds>& limit) = 0;
};

}  // namespace lacuna
