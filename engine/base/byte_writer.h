#pragma once
/// \file
/// Writes numbers sequentially in little-endian order, for our own formats and GGUF. ByteReader
/// reads them.

#include <bit>
#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

namespace lacuna {

static_assert(std::endian::native == std::endian::little);

template <class T>
concept Word = std::is_arithmetic_v<T> || std::is_enum_v<T>;

template <Word T>
void putWord(std::string& out, T value) {
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <Word T>
void putWord(std::vector<std::byte>& out, T value) {
    const auto* bytes = reinterpret_cast<const std::byte*>(&value);
    out.insert(out.end(), bytes, bytes + sizeof value);
}

}  // namespace lacuna
