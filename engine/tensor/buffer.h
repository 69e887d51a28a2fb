#pragma once
/// \file
/// Aligned owning bytes. Move-only; made by a factory that reports shortage instead of throwing.

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <span>

#include "engine/base/result.h"

namespace lacuna {

class Buffer {
  public:
    static constexpr std::size_t kAlignment = 64;
    /// Uninitialised bytes, aligned to 64, rounded up to 64. Errors: NoMemory, naming the size.
    [[nodiscard]] static Result<Buffer> allocate(std::size_t bytes);

    Buffer() = default;
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] std::byte* data() { return data_.get(); }
    [[nodiscard]] const std::byte* data() const { return data_.get(); }
    /// @pre size() is a multiple of sizeof(T)
    template <class T>
    [[nodiscard]] std::span<T> as() {
        return {reinterpret_cast<T*>(data_.get()), size_ / sizeof(T)};
    }
    template <class T>
    [[nodiscard]] std::span<const T> as() const {
        return {reinterpret_cast<const T*>(data_.get()), size_ / sizeof(T)};
    }

  private:
    struct Free {
        void operator()(std::byte* p) const { std::free(p); }
    };
    std::unique_ptr<std::byte, Free> data_;
    std::size_t size_ = 0;
};

}  // namespace lacuna
