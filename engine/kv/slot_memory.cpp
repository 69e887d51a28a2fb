#include "engine/kv/slot_memory.h"

#include <sys/mman.h>
#include <unistd.h>
#include <algorithm>
#include <cstdlib>
#include <limits>
#include <utility>

#include "engine/base/check.h"
#include "engine/base/string_format.h"

namespace lacuna {
namespace {

tl::unexpected<Error> noMemory(std::size_t bytes) {
    return fail(ErrorCode::NoMemory,
                format("no memory for {:.1f} MiB of cache", static_cast<double>(bytes) / 0x1p20));
}

}  // namespace

SlotBlock::SlotBlock(SlotBlock&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      owners_(std::exchange(other.owners_, nullptr)) {}

SlotBlock& SlotBlock::operator=(SlotBlock&& other) noexcept {
    if (this != &other) {
        release();
        data_ = std::exchange(other.data_, nullptr);
        size_ = std::exchange(other.size_, 0);
        owners_ = std::exchange(other.owners_, nullptr);
    }
    return *this;
}

SlotBlock::~SlotBlock() {
    release();
}

void SlotBlock::release() {
    if (data_ == nullptr) return;
    if (owners_ != nullptr) {
        if (owners_->fetch_sub(1, std::memory_order_acq_rel) > 1) return;
        delete owners_;
    }
    if (size_ >= SlotAllocator::kMappedFrom) {
        ::munmap(data_, size_);
    } else {
        std::free(data_);
    }
}

SlotBlock SlotBlock::share() {
    SlotBlock other;
    if (data_ == nullptr) return other;
    if (owners_ == nullptr) owners_ = new std::atomic<int>(1);
    owners_->fetch_add(1, std::memory_order_relaxed);
    other.data_ = data_;
    other.size_ = size_;
    other.owners_ = owners_;
    return other;
}

bool SlotBlock::canShrink(std::size_t bytes) const {
    return !shared() && bytes >= SlotAllocator::kMappedFrom && bytes <= size_;
}

void SlotBlock::shrink(std::size_t bytes) {
    LACUNA_REQUIRE(canShrink(bytes), "only mapped blocks shrink");
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const std::size_t kept = (bytes + page - 1) / page * page;
    if (kept < size_) ::munmap(data_ + kept, size_ - kept);
    size_ = bytes;
}

Result<SlotBlock> SlotAllocator::allocate(std::size_t bytes) {
    SlotBlock block;
    if (bytes == 0) return block;
    if (bytes > std::numeric_limits<std::size_t>::max() / 2) return noMemory(bytes);
    if (bytes >= kMappedFrom) {
        void* mapped =
            ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (mapped == MAP_FAILED) return noMemory(bytes);
        block.data_ = static_cast<std::byte*>(mapped);
    } else {
        const std::size_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
        block.data_ = static_cast<std::byte*>(std::aligned_alloc(kAlignment, rounded));
        if (block.data_ == nullptr) return noMemory(bytes);
    }
    block.size_ = bytes;
    return block;
}

bool SlotAllocator::canExtend(const SlotBlock& block, std::size_t bytes) {
    return block.size() >= kMappedFrom && bytes >= block.size() && !block.shared();
}

Status SlotAllocator::extend(SlotBlock& block, std::size_t bytes) {
    LACUNA_REQUIRE(canExtend(block, bytes), "only mapped blocks are extended");
    void* const moved = ::mremap(block.data_, block.size_, bytes, MREMAP_MAYMOVE);
    if (moved == MAP_FAILED) return noMemory(bytes);
    block.data_ = static_cast<std::byte*>(moved);
    block.size_ = bytes;
    return {};
}

SlotAllocator& systemSlotAllocator() {
    static SlotAllocator allocator;
    return allocator;
}

std::int64_t grownCapacity(std::int64_t capacity, std::int64_t used, std::int64_t more) {
    const std::int64_t needed = used + more;
    if (needed <= capacity) return capacity;
    if (capacity == 0) return std::max(kSlotQuantum, needed);
    return std::max(2 * capacity, needed);
}

std::int64_t compactedCapacity(std::int64_t kept) {
    return (kept / kSlotQuantum + 1) * kSlotQuantum;
}

}  // namespace lacuna
