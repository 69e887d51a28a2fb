#pragma once
/// \file
/// Cache that simulates coded rows: float32 rows are coded and decoded when appended, and sizes are
/// those of the codes. Allows comparing codes that no real cache supports with those that exist, on
/// the same texts, including the 16-bit window (docs/number-formats.md, "Codes to compare with").
/// For measurements only; speed is not representative.

#include <memory>

#include "app/bench/row_coding.h"
#include "engine/base/result.h"
#include "engine/kv/kv_cache.h"
#include "engine/kv/kv_options.h"
#include "engine/kv/kv_values.h"
#include "engine/quality/trial_cache.h"

namespace lacuna {

/// Returns an empty cache that keeps every token. Only the rotation and the 16-bit window of
/// `options` are used; the window applies to keys and values alike. Supports attention, but neither
/// compaction nor saving, because heads expose rows in the coding basis. Errors: InvalidArgument
/// (unsupported row length, naming it), Unsupported (calibrated rotations that the model lacks).
[[nodiscard]] Result<std::unique_ptr<KvCache>> makeSimulatedCache(const CacheModel& model,
                                                                  const KvOptions& options,
                                                                  const SimulatedRows& rows);

/// Creates simulated caches for a trial.
class SimulatedTrialRows final : public TrialRows {
  public:
    explicit SimulatedTrialRows(const SimulatedRows& rows) : rows_(rows) {}
    [[nodiscard]] const SimulatedRows& rows() const { return rows_; }
    [[nodiscard]] Result<std::unique_ptr<KvCache>> makeCache(
        const CacheModel& model, const KvOptions& options) const override {
        return makeSimulatedCache(model, options, rows_);
    }

  private:
    SimulatedRows rows_;
};

}  // namespace lacuna
