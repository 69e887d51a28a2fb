#pragma once
/// \file
/// Memory of cache slots: owned blocks that really go back to the system when they are dropped.
/// Large blocks are mapped one by one, because the C library keeps freed memory of this size for
/// itself and a compaction would then free nothing that a person could see.
/// A block belongs to one owner, unless that owner shares it for reading: the bytes go back with
/// the last one, whatever thread that is on. An allocator may be shared by caches of one thread,
/// which may let the threads of its pool allocate too.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "engine/base/result.h"

namespace lacuna {

struct SlotOwners;  // slot_memory.cpp

/// Move-only bytes, aligned to 64. Uninitialised.
///
/// Large blocks lie in pages of a file that is nowhere but in memory, so that a copy need not be
/// one: it maps the same pages, and the system copies a page when one of the two writes there
/// (SlotAllocator::copy).
class SlotBlock {
  public:
    SlotBlock() = default;
    SlotBlock(SlotBlock&& other) noexcept;
    SlotBlock& operator=(SlotBlock&& other) noexcept;
    SlotBlock(const SlotBlock&) = delete;
    SlotBlock& operator=(const SlotBlock&) = delete;
    ~SlotBlock();

    /// Any of these bytes may be written then.
    [[nodiscard]] std::byte* data() { return from(0); }
    [[nodiscard]] const std::byte* data() const { return data_; }
    /// The bytes from `offset` on, to be written; those before it stay what they are.
    [[nodiscard]] std::byte* from(std::size_t offset) {
        if (offset < untouched_) untouched_ = offset;
        return data_ + offset;
    }
    [[nodiscard]] std::size_t size() const { return size_; }
    /// A second owner of the same bytes, on whatever thread. Who writes to them must know that
    /// nobody reads there.
    [[nodiscard]] SlotBlock share();
    /// Whether there is somebody else who reads these bytes. What that one read it has read when
    /// this turns false.
    [[nodiscard]] bool shared() const;
    /// Calls `visit` with the memory that the first `used` bytes lie in, in parts where some of
    /// them are another block's pages; who shares memory is told the same address.
    void visit(std::size_t used,
               const std::function<void(const void* memory, std::int64_t bytes)>& visit) const;
    /// Whether shrink(bytes) would give the rest back: both sizes are of blocks mapped on their
    /// own, and nobody else has this one.
    [[nodiscard]] bool canShrink(std::size_t bytes) const;
    /// Keeps the first `bytes` where they are and returns the rest to the system. @pre
    /// canShrink(bytes)
    void shrink(std::size_t bytes);
    /// Whole pages after the first `used` bytes take no memory before they are written again. Not
    /// of small blocks, which have neighbours, nor where somebody else reads.
    void giveBackAfter(std::size_t used);
    template <class T>
    [[nodiscard]] T* as() {
        return reinterpret_cast<T*>(data());
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
    SlotOwners* owners_ = nullptr;  ///< made when a block of no pages is shared first
    /// Bytes at the front that are those of the pages this block was copied from; 0: of no other.
    std::size_t untouched_ = 0;
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
    /// A block of `bytes` that begins with the first `used` of another, which may go on or go.
    /// Pages that neither writes to are there once. Errors: NoMemory.
    [[nodiscard]] virtual Result<SlotBlock> copy(const SlotBlock& block, std::size_t used,
                                                 std::size_t bytes);
    /// Whether extend can make this block larger without a copy: it is mapped on its own, and
    /// nobody else has it.
    [[nodiscard]] static bool canExtend(const SlotBlock& block, std::size_t bytes);
    /// Whether it can although others read there, who keep their bytes: only for one who writes
    /// after all that they read.
    [[nodiscard]] static bool canExtendShared(const SlotBlock& block, std::size_t bytes);
    /// Room for `bytes`, of which those that were there stay as they are; the system moves their
    /// pages to another address where it must. The rest costs no memory before it is written.
    /// Errors: NoMemory, then the block is as it was. @pre canExtend or canExtendShared
    [[nodiscard]] virtual Status extend(SlotBlock& block, std::size_t bytes);
};

/// The allocator of every cache that is not under test.
[[nodiscard]] SlotAllocator& systemSlotAllocator();
/// Bytes of pages that are mapped more than once: the system counts them as often in what a process
/// has resident.
[[nodiscard]] std::int64_t bytesMappedAgain();

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
