#pragma once
/// \file
/// Memory of cache slots: owned blocks that really go back to the system when they are dropped.
/// Large blocks are mapped one by one, because the C library keeps freed memory of this size for
/// itself and a compaction would then free nothing that a person could see.
/// A block belongs to one owner, unless that owner shares it for reading: the bytes go back with
/// the last one, whatever thread that is on. An allocator may be shared by caches of one thread,
/// which may let the threads of its pool allocate too.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/base/result.h"

namespace lacuna {

/// Move-only bytes, aligned to 64. Uninitialised.
class SlotBlock {
  public:
    SlotBlock() = default;
    SlotBlock(SlotBlock&& other) noexcept;
    SlotBlock& operator=(SlotBlock&& other) noexcept;
    SlotBlock(const SlotBlock&) = delete;
    SlotBlock& operator=(const SlotBlock&) = delete;
    ~SlotBlock();

    [[nodiscard]] std::byte* data() { return data_; }
    [[nodiscard]] const std::byte* data() const { return data_; }
    [[nodiscard]] std::size_t size() const { return size_; }
    /// A second owner of the same bytes, on whatever thread. Who writes to them must know that
    /// nobody reads there.
    [[nodiscard]] SlotBlock share();
    /// Whether there is another owner still. What that one read it has read when this turns false.
    [[nodiscard]] bool shared() const {
        return owners_ != nullptr && owners_->load(std::memory_order_acquire) > 1;
    }
    /// The same for all owners of these bytes, and for nobody else's.
    [[nodiscard]] const void* identity() const { return data_; }
    /// Whether shrink(bytes) would give the rest back: both sizes are of blocks mapped on their
    /// own, and nobody else has this one.
    [[nodiscard]] bool canShrink(std::size_t bytes) const;
    /// Keeps the first `bytes` where they are and returns the rest to the system. @pre
    /// canShrink(bytes)
    void shrink(std::size_t bytes);
    template <class T>
    [[nodiscard]] T* as() {
        return reinterpret_cast<T*>(data_);
    }
    template <class T>
    [[nodiscard]] const T* as() const {
        return reinterpret_cast<const T*>(data_);
    }

  private:
    friend class SlotAllocator;
    void release();
    std::byte* data_ = nullptr;
    std::size_t size_ = 0;
    std::atomic<int>* owners_ = nullptr;  ///< made when the block is shared first
};

/// Hands out blocks and can be told to run short, so that every path of failure is testable.
class SlotAllocator {
  public:
    static constexpr std::size_t kAlignment = 64;
    /// Blocks from here on are mapped on their own.
    static constexpr std::size_t kMappedFrom = 64 * 1024;

    virtual ~SlotAllocator() = default;
    /// Zero bytes give an empty block. Errors: NoMemory, naming the size.
    [[nodiscard]] virtual Result<SlotBlock> allocate(std::size_t bytes);
    /// Whether extend can make this block larger without a copy: it is mapped on its own, and
    /// nobody else has it.
    [[nodiscard]] static bool canExtend(const SlotBlock& block, std::size_t bytes);
    /// Room for `bytes`, of which those that were there stay as they are; the system moves their
    /// pages to another address where it must. The rest costs no memory before it is written.
    /// Errors: NoMemory, then the block is as it was. @pre canExtend(block, bytes)
    [[nodiscard]] virtual Status extend(SlotBlock& block, std::size_t bytes);
};

/// The allocator of every cache that is not under test.
[[nodiscard]] SlotAllocator& systemSlotAllocator();

// The one rule by which cache buffers grow. Pure functions on slot counts.
// Doubling turns the 128 reallocations of a fixed step of 256 over 32 K tokens into 7.
// docs/cache-contracts.md, "Growth".

/// Slots of the first allocation and the step of headroom left after a compaction.
constexpr std::int64_t kSlotQuantum = 256;

/// Capacity for `used + more` slots: unchanged when they fit, max(256, more) at first, then
/// max(2 * capacity, used + more). Never smaller than `capacity`.
[[nodiscard]] std::int64_t grownCapacity(std::int64_t capacity, std::int64_t used,
                                         std::int64_t more);

/// Capacity right after a compaction: always at least one free slot, so that the next token does
/// not reallocate, and at most 256 unused ones.
[[nodiscard]] std::int64_t compactedCapacity(std::int64_t kept);

}  // namespace lacuna
