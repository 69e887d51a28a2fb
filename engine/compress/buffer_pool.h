#pragma once
/// \file
/// Large matrices that live for one head, kept for the next one: otherwise every head maps its
/// memory again and the system clears it first, which costs as much as the arithmetic on some of
/// it. Any thread.

#include <cstdint>
#include <utility>
#include <vector>

#include "engine/base/mutex.h"
#include "engine/base/result.h"
#include "engine/tensor/buffer.h"

namespace lacuna {

class BufferPool {
  public:
    /// Room for `numbers` floats, of any content. Errors: NoMemory.
    [[nodiscard]] Result<Buffer> take(std::int64_t numbers);
    void give(Buffer buffer);

  private:
    Mutex mutex_;
    std::vector<Buffer> buffers_ LACUNA_GUARDED_BY(mutex_);
};

/// From the pool, or new where there is none.
[[nodiscard]] Result<Buffer> takeFloats(BufferPool* buffers, std::int64_t numbers);
/// To the pool, where there is one.
void giveBack(BufferPool* buffers, Buffer buffer);

/// Floats that go back to their pool at the end; of any content at first.
class LentFloats {
  public:
    LentFloats() = default;
    [[nodiscard]] static Result<LentFloats> take(BufferPool* buffers, std::int64_t numbers);
    LentFloats(LentFloats&& other) noexcept { swap(other); }
    LentFloats& operator=(LentFloats&& other) noexcept {
        LentFloats taken(std::move(other));
        swap(taken);
        return *this;
    }
    ~LentFloats() { giveBack(buffers_, std::move(buffer_)); }
    [[nodiscard]] std::int64_t size() const { return size_; }
    [[nodiscard]] float* data() { return reinterpret_cast<float*>(buffer_.data()); }
    [[nodiscard]] const float* data() const {
        return reinterpret_cast<const float*>(buffer_.data());
    }

  private:
    void swap(LentFloats& other) noexcept {
        std::swap(buffers_, other.buffers_);
        std::swap(buffer_, other.buffer_);
        std::swap(size_, other.size_);
    }

    BufferPool* buffers_ = nullptr;
    Buffer buffer_;
    std::int64_t size_ = 0;
};

}  // namespace lacuna
