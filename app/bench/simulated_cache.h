#pragma once
/// \file
/// A cache that holds what reading coded rows would give: float32 rows that a code was applied to
/// as they came, and the bytes that the codes would take. So codes that no cache has are measured
/// next to those that have one, on the same texts, the window of 16 bits included
/// (docs/number-formats.md, "Codes to compare with"). For measuring only: no speed is that of the
/// codes.

#include <memory>

#include "app/bench/row_coding.h"
#include "engine/base/result.h"
#include "engine/kv/kv_cache.h"
#include "engine/kv/kv_options.h"
#include "engine/kv/kv_values.h"
#include "engine/quality/trial_cache.h"

namespace lacuna {

/// An empty cache that keeps every token in every layer. Of `options` the rotation and the window
/// of 16 bits count, not the formats; with a window keys and values have it, whatever their codes.
/// Its heads show plain rows in the basis of the codes, so it can only be attended to: neither
/// compacted nor saved. Errors: InvalidArgument (a length that the codes do not
/// have, naming it), Unsupported (calibrated rotations of a model that has none).
[[nodiscard]] Result<std::unique_ptr<KvCache>> makeSimulatedCache(const CacheModel& model,
                                                                  const KvOptions& options,
                                                                  const SimulatedRows& rows);

/// Such caches for a trial.
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
