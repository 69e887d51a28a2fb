#pragma once
/// \file
/// What compactions of measured texts came to: asked and achieved ratios, how many the limit on the
/// loss held back, and what they keep, under the names that every report uses (docs/quality.md, "A
/// limit on the loss"). Plain values.

#include <cstdint>
#include <optional>
#include <string>

#include "engine/base/json.h"
#include "engine/values/compaction_values.h"

namespace lacuna {

/// What was kept, each figure null where that was not measured.
void addKeptJson(OrderedJson& json, const std::optional<KeptInformation>& kept);
/// The figures of one compaction, null where it did not compact or was not measured; all null
/// without a report.
void addLossJson(OrderedJson& json, const std::optional<CompactionReport>& report);

/// Those of several texts.
class LossFigures {
  public:
    /// One text, which stayed complete where the report says so.
    void add(const CompactionReport& report);
    /// Means over the texts, but `kept_worst` the lowest, `kl_p99` the largest and `limited` the
    /// number of texts; null where no text was to be compacted, or none was measured.
    void addTo(OrderedJson& json) const;
    [[nodiscard]] std::int64_t limited() const { return limited_; }

  private:
    std::int64_t texts_ = 0, limited_ = 0, measured_ = 0;
    double asked_ = 0, achieved_ = 0;
    KeptInformation sums_{.all = 0, .sameTop = 0};  ///< `worst` and `klP99` are extremes
};

}  // namespace lacuna
