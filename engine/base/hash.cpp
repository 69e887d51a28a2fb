#include "engine/base/hash.h"

#include <xxhash.h>

#include "engine/base/string_format.h"

namespace lacuna {

std::uint64_t hash64(std::span<const std::byte> bytes, std::uint64_t seed) {
    return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

std::string hashHex(std::span<const std::byte> bytes) {
    const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
    return format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace lacuna
