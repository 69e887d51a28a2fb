// libFuzzer target: arbitrary bytes as settings, as a head profile and as a model's config.json.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "engine/base/json.h"
#include "engine/compress/head_profile.h"
#include "engine/format/hf_config.h"
#include "engine/settings/config_check.h"
#include "engine/settings/config_json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    static_cast<void>(lacuna::specFromConfig(text));
    const auto json = lacuna::parseJson(text);
    if (!json) return 0;
    static_cast<void>(lacuna::headProfileFromJson(*json));
    const auto reading = lacuna::configFromJson(*json);
    if (reading) static_cast<void>(lacuna::check(reading->config, nullptr, {}));
    return 0;
}
