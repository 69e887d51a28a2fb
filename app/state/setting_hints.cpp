#include "app/state/setting_hints.h"

namespace lacuna::app {

ReadSetting askedValue(const KnobSpec& spec, const AskedValue& value) {
    if (const auto* text = std::get_if<std::string>(&value)) return settingFromText(spec, *text);
    return settingNumber(spec, std::get<double>(value));
}

std::string askedText(const KnobSpec& spec, const AskedValue& value) {
    if (const auto* text = std::get_if<std::string>(&value)) return *text;
    return settingText(spec, settingNumber(spec, std::get<double>(value)));
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
