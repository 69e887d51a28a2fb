#include "engine/session/jobs/automatic_precision.h"

#include <cstdlib>
#include <utility>

#include "engine/base/string_format.h"
#include "engine/kernels/cpu_features.h"

namespace lacuna {
namespace {

std::filesystem::path folderOf(const char* variable, const char* inside) {
    const char* const value = std::getenv(variable);
    if (value == nullptr || *value != '/') return {};
    return std::filesystem::path(value) / inside;
}

}  // namespace

AutomaticPrecision chosenBy(const PrecisionMeasurement& measurement) {
    AutomaticPrecision automatic;
    automatic.precision = choosePrecision(measurement.measured);
    automatic.klMean = 0;  // relative to exact
    for (const MeasuredPrecision& one : measurement.measured)
        if (one.precision == automatic.precision) automatic.klMean = one.klMean;
    automatic.note = format("auto is {}", precisionText(measurement));
    automatic.known = true;
    return automatic;
}

AutomaticPrecision asRecorded(Precision precision) {
    return {.precision = precision,
            .note = format("auto is {}, as recorded", keyOf(precision)),
            .known = true};
}

AutomaticPrecision automaticPrecision(const PrecisionSource& source, const LoadedModel& model) {
    const ModelSpec& spec = model.spec;
    const auto recorded = source.recorded.find(spec.fingerprint);
    const auto given =
        recorded != source.recorded.end() ? std::optional(recorded->second) : source.given;
    if (given) return asRecorded(*given);
    std::vector<std::string> messages;
    const auto kept =
        storedPrecision(source.folder, {spec.fingerprint, std::string(bestKernels().name)});
    const auto shipped = shippedPrecision(model.path, spec.fingerprint);
    for (const auto* found : {&kept, &shipped}) {
        if (*found && **found) {
            AutomaticPrecision automatic = chosenBy(***found);
            automatic.messages = std::move(messages);
            return automatic;
        }
        if (!*found)
            messages.push_back(format("The stored precision measurement of {} cannot be used: {}.",
                                      spec.name, found->error().what));
    }
    return {
        .note = "auto is int8 in two terms, accurate enough for every model, until it is measured",
        .messages = std::move(messages)};
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
