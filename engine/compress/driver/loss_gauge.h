#pragma once
/// \file
/// Measures how much of its text a compaction loses, before it is committed. The implementer runs
/// the model (engine/generate/kept_information.h). Caller's thread.

#include <optional>

#include "engine/base/result.h"
#include "engine/kv/kv_cache.h"
#include "engine/values/compaction_values.h"

namespace lacuna {

/// Minimum that a compaction must keep, each in [0, 1].
struct LossThresholds {
    double all = 0;    ///< share of the information of the full text
    double worst = 0;  ///< share of the information of the weakest passage
};

class LossGauge {
  public:
    virtual ~LossGauge() = default;
    /// Measures what `compacted` keeps. It is a copy of the cache that was measured first, and is
    /// not changed. With a `limit`, measuring may stop as soon as the limit is certainly exceeded;
    /// the figures then cover the tokens so far. Errors: Cancelled, or the error that prevented the
    /// measurement.
    [[nodiscard]] virtual Result<KeptInformation> keptBy(
        KvCache& compacted, const std::optional<LossThresholds>& limit) = 0;
};

}  // namespace lacuna
