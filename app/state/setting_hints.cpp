#include "app/state/setting_hints.h"

#include <cmath>
#include <utility>

namespace lacuna::app {

ReadSetting askedValue(const KnobSpec& spec, const AskedValue& value) {
    if (const auto* text = std::get_if<std::string>(&value)) return settingFromText(spec, *text);
    if (const auto* number = std::get_if<double>(&value)) return settingNumber(spec, *number);
    return std::get<SettingValue>(value);
}

RequestedValue requestedValue(const KnobSpec& spec, const AskedValue& value) {
    ReadSetting read = askedValue(spec, value);
    const auto* text = std::get_if<std::string>(&value);
    if (text != nullptr && (!read || !std::isfinite(numberOf(*read).value_or(0)))) return *text;
    return *std::move(read);
}

std::string requestedText(const KnobSpec& spec, const RequestedValue& value) {
    if (const auto* typed = std::get_if<std::string>(&value)) return *typed;
    return settingText(spec, std::get<SettingValue>(value));
}

std::string_view methodNeeded(const EngineConfig& config, const KnobSpec& spec,
                              const AskedValue& value) {
    if (!spec.brings) return {};
    const ReadSetting read = askedValue(spec, value);
    const auto method = read ? methodBrought(spec, config, *read) : std::nullopt;
    return method ? findKnob("method")->field.choices[static_cast<std::size_t>(*method)]
                  : std::string_view();
}

SettingHints hintsOf(const KnobSpec& spec, const EngineConfig& asked, const EngineConfig& inForce,
                     const ModelFacts* model) {
    return {.brings = methodNeeded(asked, spec, 1.0),
            .idle = idleReason(spec, asked, model),
            .meaning = meaningNow(spec, asked, model),
            .maximum = mostNow(spec, inForce, model)};
}

}  // namespace lacuna::app
