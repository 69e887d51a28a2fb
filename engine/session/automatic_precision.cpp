#include "engine/session/automatic_precision.h"

#include <cstdlib>
#include <utility>

#include "engine/base/string_format.h"
#include "engine/kernels/cpu_features.h"

namespace lacuna {
namespace {

AutomaticPrecision found(const PrecisionMeasurement& measurement) {
    AutomaticPrecision automatic;
    automatic.precision = choosePrecision(measurement.measured);
    automatic.klMean = 0;  // of exact
    for (const MeasuredPrecision& one : measurement.measured)
        if (one.precision == automatic.precision) automatic.klMean = one.klMean;
    automatic.note = format("auto is {}", precisionSentence(measurement));
    return automatic;
}

std::filesystem::path folderOf(const char* variable, const char* inside) {
    const char* const value = std::getenv(variable);
    if (value == nullptr || *value != '/') return {};
    return std::filesystem::path(value) / inside;
}

}  // namespace

AutomaticPrecision automaticPrecision(const PrecisionSource& source,
                                      const PrecisionMeasuring& means) {
    const ModelSpec& spec = means.model.spec;
    const auto recorded = source.recorded.find(spec.fingerprint);
    const auto given =
        recorded != source.recorded.end() ? std::optional(recorded->second) : source.given;
    if (given)
        return {.precision = *given, .note = format("auto is {}, as recorded", keyOf(*given))};
    std::vector<std::string> said;
    const auto kept =
        keptPrecision(source.folder, {spec.fingerprint, std::string(bestKernels().name)});
    if (!kept)
        said.push_back(
            format("What was measured of the precision of {} cannot be used and is "
                   "measured again: {}.",
                   spec.name, kept.error().what));
    else if (*kept)
        return found(**kept);
    const auto measured = measurePrecision(means);
    if (!measured) {
        AutomaticPrecision automatic{.note =
                                         "auto is int8 in two terms, because it was not measured"};
        said.push_back(measured.error().code == ErrorCode::Cancelled
                           ? format("The precision that {} needs was not measured to the end; int8 "
                                    "in two terms is used until it is loaded again.",
                                    spec.name)
                           : format("The precision that {} needs was not measured: {}; int8 in two "
                                    "terms is used.",
                                    spec.name, measured.error().what));
        automatic.said = std::move(said);
        return automatic;
    }
    if (!source.folder.empty())
        if (const Status written = keepPrecision(source.folder, *measured); !written)
            said.push_back(format("The measured precision of {} was not kept: {}.", spec.name,
                                  written.error().what));
    AutomaticPrecision automatic = found(*measured);
    automatic.said = std::move(said);
    return automatic;
}

Precision precisionOf(PrecisionChoice choice, const std::function<Precision()>& automatic) {
    switch (choice) {
        case PrecisionChoice::Auto:
            return automatic();
        case PrecisionChoice::Fast:
            return Precision::Fast;
        case PrecisionChoice::Exact:
            return Precision::Exact;
    }
    return Precision::Exact;
}

std::filesystem::path measurementsFolder() {
    auto folder = folderOf("XDG_CACHE_HOME", "lacuna");
    return folder.empty() ? folderOf("HOME", ".cache/lacuna") : folder;
}

}  // namespace lacuna
