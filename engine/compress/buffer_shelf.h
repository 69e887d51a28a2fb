#pragma once
/// \file
/// Large matrices that live for one head, kept for the next one: otherwise every head maps its
/// memory anew and the system clears it first, which costs as much as the arithmetic on some of it.
/// Any thread.

#include <cstdint>
#include <mutex>
#include <vector>

#include "engine/base/result.h"
#include "engine/tensor/buffer.h"

namespace lacuna {

class BufferShelf {
  public:
    /// Room for `numbers` floats, of any content. Errors: NoMemory.
    [[nodiscard]] Result<Buffer> take(std::int64_t numbers);
    void give(Buffer buffer);

  private:
    std::mutex mutex_;
    std::vector<Buffer> buffers_;
};

/// From the shelf, or new where there is none.
[[nodiscard]] Result<Buffer> takeFloats(BufferShelf* shelf, std::int64_t numbers);
/// To the shelf, where there is one.
void giveBack(BufferShelf* shelf, Buffer buffer);

}  // namespace lacuna
