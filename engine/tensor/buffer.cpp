#include "engine/tensor/buffer.h"

#include <limits>

#include "engine/base/string_format.h"

namespace lacuna {

Result<Buffer> Buffer::allocate(std::size_t bytes) {
    Buffer buffer;
    if (bytes == 0) return buffer;
    if (bytes > std::numeric_limits<std::size_t>::max() - kAlignment)
        return fail(ErrorCode::NoMemory, format("{} bytes asked for at once", bytes));
    const std::size_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    auto* data = static_cast<std::byte*>(std::aligned_alloc(kAlignment, rounded));
    if (data == nullptr)
        return fail(ErrorCode::NoMemory,
                    format("no memory for {:.1f} MiB", static_cast<double>(bytes) / 0x1p20));
    buffer.data_.reset(data);
    buffer.size_ = bytes;
    return buffer;
}

}  // namespace lacuna
