#pragma once
/// \file
/// Content hashes (XXH3, 64 and 128 bits). Pure functions.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace lacuna {

[[nodiscard]] std::uint64_t hash64(std::span<const std::byte> bytes, std::uint64_t seed = 0);
[[nodiscard]] inline std::uint64_t hash64(std::string_view text, std::uint64_t seed = 0) {
    return hash64(std::as_bytes(std::span(text.data(), text.size())), seed);
}
/// 128-bit XXH3 as 32 lower-case hexadecimal digits.
[[nodiscard]] std::string hashHex(std::span<const std::byte> bytes);

}  // namespace lacuna
