#pragma once
/// \file
/// Summarises the compactions of measured texts: requested and achieved ratios, how many were
/// restricted by the loss limit, and the information kept, under the names used in all reports
/// (docs/quality.md, "A limit on the loss"). Plain values.

#include <cstdint>
#include <optional>
#include <string>

#include "engine/base/json.h"
#include "engine/values/compaction_values.h"

namespace lacuna {

/// Adds the kept information; figures that were not measured are null.
void addInformationJson(OrderedJson& json, const std::optional<KeptInformation>& kept);
/// Adds the figures of one compaction; null if it did not compact or was not measured. All are null
/// without a report.
void addLossJson(OrderedJson& json, const std::optional<CompactionReport>& report);

/// Accumulates the figures of several texts.
class LossFigures {
  public:
    /// Adds one text; it counts as uncompacted unless the report's result is Done.
    void add(const CompactionReport& report);
    /// Adds means over the texts, except `kept_worst` (minimum), `kl_p99` (maximum) and `limited`
    /// (number of texts); null if no text was to be compacted, or none was measured.
    void addTo(OrderedJson& json) const;
    [[nodiscard]] std::int64_t limited() const { return limited_; }

  private:
    std::int64_t texts_ = 0, limited_ = 0, measured_ = 0;
    double asked_ = 0, achieved_ = 0;
    KeptInformation sums_{.all = 0, .sameTop = 0};  ///< `worst` and `klP99` are extremes
};

}  // namespace lacuna
