// libFuzzer target: arbitrary bytes as a saved cache, with valid first words and a matching
// checksum, so that the content between them is parsed.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "engine/base/hash.h"
#include "engine/kv/kv_factory.h"
#include "engine/kv/slot/slot_state.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view given(reinterpret_cast<const char*>(data), size);
    static_cast<void>(lacuna::loadCache(given));
    std::string bytes = "LACUNAKV";
    const std::uint32_t version = lacuna::kCacheStateVersion;
    bytes.append(reinterpret_cast<const char*>(&version), sizeof(version));
    bytes += given;
    const std::uint64_t sum = lacuna::hash64(std::as_bytes(std::span(bytes)));
    bytes.append(reinterpret_cast<const char*>(&sum), sizeof(sum));
    static_cast<void>(lacuna::loadCache(bytes));
    return 0;
}
