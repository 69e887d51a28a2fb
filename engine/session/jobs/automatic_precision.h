#pragma once
/// \file
/// Resolves the setting precision=auto for a model: the precision stated by a recording, otherwise
/// the stored measurement of the model, otherwise the arithmetic that is safe for every model. This
/// module measures nothing; the engine does so while it is idle (precision_job.h).

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/quality/precision_measurement.h"
#include "engine/session/precision_source.h"

namespace lacuna {

/// Safe for every model: its error is a hundredth of int8's, and weights are still read only once.
inline constexpr Precision kSafePrecision = Precision::TwoTerms;

struct AutomaticPrecision {
    Precision precision = kSafePrecision;
    std::optional<double> klMean = std::nullopt;  ///< KL divergence from exact arithmetic, if known
    std::string note = {};  ///< the precision and the reason for it; a sentence without a full stop
    std::vector<std::string> messages = {};  ///< messages for the user
    bool known = false;  ///< false: kSafePrecision is used until the model is measured
};

/// Never fails: returns kSafePrecision if there is no readable measurement. `messages` then reports
/// a measurement that cannot be read.
[[nodiscard]] AutomaticPrecision automaticPrecision(const PrecisionSource& source,
                                                    const LoadedModel& model);
/// Returns the precision that a measurement selects.
[[nodiscard]] AutomaticPrecision chosenBy(const PrecisionMeasurement& measurement);
/// Returns the precision stated by a recording.
[[nodiscard]] AutomaticPrecision asRecorded(Precision precision);

/// Resolves a setting to an arithmetic; `automatic` is called only if needed.
[[nodiscard]] Precision precisionOf(PrecisionChoice choice,
                                    const std::function<Precision()>& automatic);

/// Returns the folder of the user's measurements: lacuna in XDG_CACHE_HOME or ~/.cache; empty
/// without a home.
[[nodiscard]] std::filesystem::path measurementsFolder();

}  // namespace lacuna
