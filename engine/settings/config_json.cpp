#include "engine/settings/config_json.h"

#include "engine/base/string_format.h"
#include "engine/settings/setting_spec.h"

namespace lacuna {

OrderedJson configToJson(const EngineConfig& config) {
    OrderedJson object;
    object["version"] = kConfigVersion;
    for (const SettingSpec& spec : settingSpecs())
        object[std::string(spec.key)] = settingJson(spec, settingOf(config, spec));
    return object;
}

Result<ConfigReading> configFromJson(const Json& object, std::string_view path) {
    if (!object.is_object())
        return fail(ErrorCode::Config,
                    format("{} is {}; expected an object", path, object.type_name()));
    const auto version = object.find("version");
    if (version == object.end() || !version->is_number_integer())
        return fail(ErrorCode::Config,
                    format("{}.version is missing; expected {}", path, kConfigVersion));
    if (*version != kConfigVersion)
        return fail(ErrorCode::Incompatible,
                    format("{}.version is {}; this program reads version {}", path, version->dump(),
                           kConfigVersion));
    ConfigReading reading;
    for (const auto& [key, value] : object.items()) {
        if (key == "version") continue;
        if (findSetting(key) == nullptr) {
            reading.unknownFields.push_back(format("{}.{}", path, key));
            continue;
        }
        if (const auto violation = changeSettingValue(reading.config, key, value))
            return fail(ErrorCode::Config, format("{}.{}: {}", path, key, violation->sentence));
    }
    for (const SettingSpec& spec : settingSpecs())
        if (!object.contains(spec.key)) reading.missing.push_back(format("{}.{}", path, spec.key));
    return reading;
}

}  // namespace lacuna
