#pragma once
/// \file
/// What the setting precision=auto stands for with a model: what a recording states, else what was
/// measured of the model and kept, else the arithmetic that any model bears. Nothing is measured
/// here: the engine does that while it is idle (precision_job.h).

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/quality/precision_measurement.h"
#include "engine/session/precision_source.h"

namespace lacuna {

/// Safe for every model: its error is a hundredth of int8's, and weights are still read once.
inline constexpr Precision kSafePrecision = Precision::TwoTerms;

struct AutomaticPrecision {
    Precision precision = kSafePrecision;
    std::optional<double> klMean = std::nullopt;  ///< from exact; nothing where it is not known
    std::string note = {};                        ///< what it is and why, a sentence without an end
    std::vector<std::string> said = {};           ///< sentences for the user
    bool known = false;  ///< false: kSafePrecision until the model is measured
};

/// Never fails: without a measurement that can be read it is kSafePrecision. A kept measurement
/// that cannot be read is reported in `said`.
[[nodiscard]] AutomaticPrecision automaticPrecision(const PrecisionSource& source,
                                                    const LoadedModel& model);
/// What a measurement decides.
[[nodiscard]] AutomaticPrecision chosenBy(const PrecisionMeasurement& measurement);
/// What a recording states.
[[nodiscard]] AutomaticPrecision asRecorded(Precision precision);

/// The arithmetic that a setting stands for; `automatic` is called only where it is needed.
[[nodiscard]] Precision precisionOf(PrecisionChoice choice,
                                    const std::function<Precision()>& automatic);

/// Where this user's measurements are kept: lacuna in XDG_CACHE_HOME or ~/.cache; empty without a
/// home.
[[nodiscard]] std::filesystem::path measurementsFolder();

}  // namespace lacuna
