#include "engine/compress/matching/buffer_pool.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace lacuna {
namespace {

constexpr std::size_t kLargePage = std::size_t{2} << 20;
// Smaller blocks are cheap to get from the C library, which returns larger ones to the system.
constexpr std::size_t kWorthKeeping = std::size_t{1} << 16;

/// Requests huge pages: otherwise writing a matrix once is dominated by page faults.
Result<Buffer> allocateLarge(std::size_t bytes) {
    LACUNA_TRY(Buffer out, Buffer::allocate(bytes));
    if (bytes < kLargePage) return out;
    static_assert(kLargePage >= Buffer::kMappedFrom, "no page of the C library's heap is marked");
    const auto begin = reinterpret_cast<std::uintptr_t>(out.data());
    const std::uintptr_t first = (begin + kLargePage - 1) / kLargePage * kLargePage;
    const std::uintptr_t last = (begin + out.size()) / kLargePage * kLargePage;
    if (first < last)  // advisory; failure is harmless
        static_cast<void>(::madvise(out.data() + (first - begin), last - first, MADV_HUGEPAGE));
    return out;
}

}  // namespace

Result<Buffer> BufferPool::take(std::int64_t numbers) {
    const std::size_t bytes = static_cast<std::size_t>(numbers) * sizeof(float);
    {
        const MutexLock lock(mutex_);
        auto best = buffers_.end();
        for (auto one = buffers_.begin(); one != buffers_.end(); ++one) {
            const bool fits = one->size() >= bytes && one->size() <= 2 * bytes;
            if (fits && (best == buffers_.end() || one->size() < best->size())) best = one;
        }
        if (best != buffers_.end()) {
            Buffer found = std::move(*best);
            buffers_.erase(best);
            return found;
        }
    }
    return allocateLarge(bytes);
}

void BufferPool::give(Buffer buffer) {
    if (buffer.size() < kWorthKeeping) return;
    const MutexLock lock(mutex_);
    buffers_.push_back(std::move(buffer));
}

Result<Buffer> takeFloats(BufferPool* buffers, std::int64_t numbers) {
    if (buffers != nullptr) return buffers->take(numbers);
    return allocateLarge(static_cast<std::size_t>(numbers) * sizeof(float));
}

void release(BufferPool* buffers, Buffer buffer) {
    if (buffers != nullptr) buffers->give(std::move(buffer));
}

Result<PooledFloats> PooledFloats::take(BufferPool* buffers, std::int64_t numbers) {
    PooledFloats out;
    LACUNA_TRY(out.buffer_, takeFloats(buffers, numbers));
    out.buffers_ = buffers;
    out.size_ = numbers;
    return out;
}

}  // namespace lacuna
