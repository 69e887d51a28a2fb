#pragma once
/// \file
/// Memory of cache slots: owned blocks that are returned to the system when they are freed. Large
/// blocks are mapped individually, because the C library caches freed memory of this size, and a
/// compaction would then free nothing visible. A block has one owner unless it is shared for
/// reading; the last owner frees it, on any thread. An allocator may be shared by caches of one
/// thread, which may let the threads of their pool allocate too.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "engine/base/result.h"

namespace lacuna {

struct SlotOwners;  // slot_memory.cpp

/// Move-only bytes, aligned to 64. Uninitialised.
///
/// Large blocks are backed by an anonymous memory file, so that a copy can map the same pages; the
/// system copies a page when either side writes to it (SlotAllocator::copy).
class SlotBlock {
  public:
    SlotBlock() = default;
    SlotBlock(SlotBlock&& other) noexcept;
    SlotBlock& operator=(SlotBlock&& other) noexcept;
    SlotBlock(const SlotBlock&) = delete;
    SlotBlock& operator=(const SlotBlock&) = delete;
    ~SlotBlock();

    /// All bytes, for writing.
    [[nodiscard]] std::byte* data() { return from(0); }
    [[nodiscard]] const std::byte* data() const { return data_; }
    /// Bytes from `offset` on, for writing; those before it must not be written.
    [[nodiscard]] std::byte* from(std::size_t offset) {
        if (offset < untouched_) untouched_ = offset;
        return data_ + offset;
    }
    [[nodiscard]] std::size_t size() const { return size_; }
    /// Adds a second owner of the same bytes, on any thread. A writer must make sure that no other
    /// owner reads there.
    [[nodiscard]] SlotBlock share();
    /// Returns true if another owner may read these bytes. Its reads happen before this turns
    /// false.
    [[nodiscard]] bool shared() const;
    /// Calls `visit` with the memory of the first `used` bytes, in parts if some of them are pages
    /// of another block. Owners of shared memory get the same address.
    void visit(std::size_t used,
               const std::function<void(const void* memory, std::int64_t bytes)>& visit) const;
    /// Returns true if shrink(bytes) would release memory: both sizes are those of individually
    /// mapped blocks, and there is no other owner.
    [[nodiscard]] bool canShrink(std::size_t bytes) const;
    /// Keeps the first `bytes` in place and returns the rest to the system. @pre canShrink(bytes)
    void shrink(std::size_t bytes);
    /// Releases the full pages after the first `used` bytes until they are written again. Does
    /// nothing for small blocks, which have neighbours, and for shared blocks.
    void releaseAfter(std::size_t used);
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
    SlotOwners* owners_ = nullptr;  ///< created when a block that is not page-backed is first
                                    ///< shared
    /// Number of leading bytes that still share pages with the block this one was copied from; 0 if
    /// none.
    std::size_t untouched_ = 0;
};

/// Allocates blocks. Can be made to fail, so that every error path is testable.
class SlotAllocator {
  public:
    static constexpr std::size_t kAlignment = 64;
    /// Blocks of at least this size are mapped individually.
    static constexpr std::size_t kMappedFrom = 64 * 1024;

    virtual ~SlotAllocator() = default;
    /// Zero bytes give an empty block. Errors: NoMemory, naming the size.
    [[nodiscard]] virtual Result<SlotBlock> allocate(std::size_t bytes);
    /// Returns a block of `bytes` that starts with the first `used` of another, which may be
    /// modified or freed afterwards. Pages that neither side writes to exist once. Errors:
    /// NoMemory.
    [[nodiscard]] virtual Result<SlotBlock> copy(const SlotBlock& block, std::size_t used,
                                                 std::size_t bytes);
    /// Returns true if extend can enlarge this block without a copy: it is mapped individually and
    /// has no other owner.
    [[nodiscard]] static bool canExtend(const SlotBlock& block, std::size_t bytes);
    /// Returns true if extend can enlarge this block although other owners read it and keep their
    /// bytes. Only for a writer that writes after everything the others read.
    [[nodiscard]] static bool canExtendShared(const SlotBlock& block, std::size_t bytes);
    /// Enlarges a block to `bytes` and keeps its content; the system may move its pages to another
    /// address. New pages use no memory before they are written. Errors: NoMemory, which leaves the
    /// block unchanged. @pre canExtend or canExtendShared
    [[nodiscard]] virtual Status extend(SlotBlock& block, std::size_t bytes);
};

/// Allocator of all caches outside of tests.
[[nodiscard]] SlotAllocator& systemSlotAllocator();
/// Bytes of pages that are mapped more than once, which the system counts repeatedly in the
/// resident size of a process.
[[nodiscard]] std::int64_t bytesMappedTwice();

// Growth policy of all cache buffers. Pure functions on slot counts. Doubling needs 7 reallocations
// over 32 K tokens instead of 128 with a fixed step of 256. docs/cache-contracts.md, "Growth".

/// Slots of the first allocation, and headroom after a compaction.
constexpr std::int64_t kSlotQuantum = 256;

/// Capacity for `used + more` slots: unchanged if they fit, max(256, more) at first, then max(2 *
/// capacity, used + more). Never smaller than `capacity`.
[[nodiscard]] std::int64_t grownCapacity(std::int64_t capacity, std::int64_t used,
                                         std::int64_t more);

/// Capacity right after a compaction: always at least one free slot, so that the next token does
/// not reallocate, and at most 256 unused ones.
[[nodiscard]] std::int64_t compactedCapacity(std::int64_t kept);

}  // namespace lacuna
