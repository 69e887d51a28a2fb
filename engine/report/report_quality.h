#pragma once
/// \file
/// Samples of live quality in a report: written, read back, as a table and summed up. Internal to
/// this room. Pure functions.

#include <optional>
#include <string>

#include "engine/base/json.h"
#include "engine/report/object_reader.h"
#include "engine/report/recorder.h"

namespace lacuna {

[[nodiscard]] OrderedJson qualityJson(const QualitySampled& sampled);
[[nodiscard]] QualitySampled readQuality(const Json& json, const std::string& path,
                                         ReadProblem& problem);
[[nodiscard]] std::string qualityCsv(const Recording& recording);

struct QualityFigures {
    std::int64_t samples = 0;
    double klMean = 0, klLargest = 0;   ///< nats
    double sameTop = 0;                 ///< share of samples, 0..1
    std::optional<double> outputError;  ///< mean of those that have one
    double costShare = 0;               ///< of the time of steps and measuring, 0..1
};
/// Nothing where nothing was measured, as before the first eviction.
[[nodiscard]] std::optional<QualityFigures> qualityFigures(const Recording& recording);

}  // namespace lacuna
