#pragma once
/// \file
/// Recycles large matrices from one head to the next. Without it every head maps its memory again
/// and the system clears the pages, which can cost as much as the arithmetic. Any thread.

#include <cstdint>
#include <utility>
#include <vector>

#include "engine/base/mutex.h"
#include "engine/base/result.h"
#include "engine/tensor/buffer.h"

namespace lacuna {

class BufferPool {
  public:
    /// Returns room for `numbers` uninitialised floats. Errors: NoMemory.
    [[nodiscard]] Result<Buffer> take(std::int64_t numbers);
    void give(Buffer buffer);

  private:
    Mutex mutex_;
    std::vector<Buffer> buffers_ LACUNA_GUARDED_BY(mutex_);
};

/// Takes floats from the pool, or allocates them if `buffers` is null.
[[nodiscard]] Result<Buffer> takeFloats(BufferPool* buffers, std::int64_t numbers);
/// Returns the buffer to the pool, if there is one.
void release(BufferPool* buffers, Buffer buffer);

/// Floats that return to their pool on destruction; uninitialised at first.
class PooledFloats {
  public:
    PooledFloats() = default;
    [[nodiscard]] static Result<PooledFloats> take(BufferPool* buffers, std::int64_t numbers);
    PooledFloats(PooledFloats&& other) noexcept { swap(other); }
    PooledFloats& operator=(PooledFloats&& other) noexcept {
        PooledFloats taken(std::move(other));
        swap(taken);
        return *this;
    }
    ~PooledFloats() { release(buffers_, std::move(buffer_)); }
    [[nodiscard]] std::int64_t size() const { return size_; }
    [[nodiscard]] float* data() { return reinterpret_cast<float*>(buffer_.data()); }
    [[nodiscard]] const float* data() const {
        return reinterpret_cast<const float*>(buffer_.data());
    }

  private:
    void swap(PooledFloats& other) noexcept {
        std::swap(buffers_, other.buffers_);
        std::swap(buffer_, other.buffer_);
        std::swap(size_, other.size_);
    }

    BufferPool* buffers_ = nullptr;
    Buffer buffer_;
    std::int64_t size_ = 0;
};

}  // namespace lacuna
