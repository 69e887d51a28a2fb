// libFuzzer target: arbitrary bytes as a safetensors file, and as a config.json.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "engine/format/hf_config.h"
#include "engine/format/safetensors.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static_cast<void>(lacuna::readSafetensorsHeader(std::as_bytes(std::span(data, size))));
    static_cast<void>(
        lacuna::specFromConfig(std::string_view(reinterpret_cast<const char*>(data), size)));
    return 0;
}
