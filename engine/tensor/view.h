#pragma once
/// \file
/// Views over dense row-major arrays: pointer and extents. Passed by value, never stored beyond a
/// call.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/base/check.h"

namespace lacuna {

/// Row-major view of `Rank` extents; the last one is contiguous.
template <class T, int Rank>
class View {
  public:
    using Extents = std::array<std::int64_t, static_cast<std::size_t>(Rank)>;

    constexpr View() = default;
    constexpr View(T* data, Extents extents) : data_(data), extents_(extents) {}
    /// A view of mutable elements converts to one of const elements.
    template <class U>
    requires(std::is_same_v<const U, T>) constexpr View(const View<U, Rank>& other)
        : data_(other.data()), extents_(other.extents()) {}

    [[nodiscard]] constexpr T* data() const { return data_; }
    [[nodiscard]] constexpr const Extents& extents() const { return extents_; }
    [[nodiscard]] constexpr std::int64_t extent(int axis) const {
        return extents_[static_cast<std::size_t>(axis)];
    }
    [[nodiscard]] constexpr std::int64_t size() const {
        std::int64_t n = 1;
        for (const std::int64_t e : extents_) n *= e;
        return n;
    }
    [[nodiscard]] constexpr bool empty() const { return size() == 0; }
    /// Returns the part at `index` of the first axis.
    [[nodiscard]] constexpr auto row(std::int64_t index) const {
        LACUNA_ASSERT(index >= 0 && index < extents_[0], "view index in range");
        std::int64_t stride = 1;
        for (int a = 1; a < Rank; ++a) stride *= extents_[static_cast<std::size_t>(a)];
        if constexpr (Rank == 1) {
            return data_ + index;
        } else if constexpr (Rank == 2) {
            return std::span<T>(data_ + index * stride, static_cast<std::size_t>(extents_[1]));
        } else {
            typename View<T, Rank - 1>::Extents rest{};
            for (int a = 1; a < Rank; ++a)
                rest[static_cast<std::size_t>(a - 1)] = extents_[static_cast<std::size_t>(a)];
            return View<T, Rank - 1>(data_ + index * stride, rest);
        }
    }

  private:
    T* data_ = nullptr;
    Extents extents_{};
};

}  // namespace lacuna
