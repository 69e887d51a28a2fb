#pragma once
/// \file
/// Cursor over a span of untrusted bytes that checks every length before use; untrusted bytes are
/// read only through it. Owned by one thread. Little-endian.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

namespace lacuna {

class ByteReader {
  public:
    explicit ByteReader(std::span<const std::byte> bytes) : bytes_(bytes) {}
    [[nodiscard]] std::size_t offset() const { return at_; }
    [[nodiscard]] std::size_t remaining() const { return bytes_.size() - at_; }

    /// Returns the next little-endian number; nullopt if too few bytes are left.
    template <class T>
    [[nodiscard]] std::optional<T> read() {
        static_assert(std::is_arithmetic_v<T>);
        if (remaining() < sizeof(T)) return std::nullopt;
        T value;
        std::memcpy(&value, bytes_.data() + at_, sizeof(T));
        at_ += sizeof(T);
        return value;
    }
    /// Returns the next `count` bytes; nullopt if fewer are left.
    [[nodiscard]] std::optional<std::span<const std::byte>> take(std::uint64_t count) {
        if (count > remaining()) return std::nullopt;
        const auto part = bytes_.subspan(at_, static_cast<std::size_t>(count));
        at_ += static_cast<std::size_t>(count);
        return part;
    }
    [[nodiscard]] std::optional<std::string_view> takeText(std::uint64_t count) {
        const auto part = take(count);
        if (!part) return std::nullopt;
        return std::string_view(reinterpret_cast<const char*>(part->data()), part->size());
    }

  private:
    std::span<const std::byte> bytes_;
    std::size_t at_ = 0;
};

/// Returns a * b; nullopt on overflow of 64 bits.
[[nodiscard]] inline std::optional<std::uint64_t> checkedMultiply(std::uint64_t a,
                                                                  std::uint64_t b) {
    std::uint64_t product = 0;
    if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
    return product;
}
[[nodiscard]] inline std::optional<std::uint64_t> checkedAdd(std::uint64_t a, std::uint64_t b) {
    std::uint64_t sum = 0;
    if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
    return sum;
}
/// True when lo <= x <= hi; false for NaN.
template <class T>
[[nodiscard]] constexpr bool inRange(T x, T lo, T hi) {
    return x >= lo && x <= hi;
}

}  // namespace lacuna
