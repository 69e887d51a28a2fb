#pragma once
/// \file
/// What the setting precision=auto stands for with a model: what a recording says, else what was
/// measured of it before, else what is measured now. Used by whoever makes a forward pass; runs on
/// the calling thread.

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/quality/precision_measurement.h"
#include "engine/session/precision_source.h"

namespace lacuna {

struct AutomaticPrecision {
    Precision precision = Precision::TwoTerms;
    std::optional<double> klMean = std::nullopt;  ///< from exact; nothing where it is not known
    std::string note = {};                        ///< what it is and why, a sentence without an end
    std::vector<std::string> said = {};           ///< what a person should know, sentences
};

/// Never fails: what cannot be measured, or was broken off, is computed in two terms, and that is
/// said. So is a kept measurement that cannot be read; it is made again.
[[nodiscard]] AutomaticPrecision automaticPrecision(const PrecisionSource& source,
                                                    const PrecisionMeasuring& means);

/// The arithmetic that a setting stands for; `automatic` is asked only where it is needed.
[[nodiscard]] Precision precisionOf(PrecisionChoice choice,
                                    const std::function<Precision()>& automatic);

/// Where this person's measurements are kept: lacuna in XDG_CACHE_HOME or ~/.cache; empty without a
/// home.
[[nodiscard]] std::filesystem::path measurementsFolder();

}  // namespace lacuna
