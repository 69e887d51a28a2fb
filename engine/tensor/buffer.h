#pragma once
/// \file
/// Owned memory: aligned bytes, and large pages for data that is repeatedly read sequentially.
/// Move-only; created by factories that report shortage instead of throwing.

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <thread>

#include "engine/base/result.h"

namespace lacuna {

/// Bytes aligned to 64, for arrays of any type. Large ones are separate mappings, which return to
/// the system when they are released, whatever else the C heap holds.
class Buffer {
  public:
    static constexpr std::size_t kAlignment = 64;
    static constexpr std::size_t kMappedFrom = std::size_t{1} << 20;  ///< bytes
    /// Allocates uninitialised bytes, aligned to 64 and rounded up to 64. Errors: NoMemory, naming
    /// the size.
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
        std::size_t mapped;  ///< bytes; 0 = a block of the C library
        void operator()(std::byte* p) const;
    };
    std::unique_ptr<std::byte, Free> data_;
    std::size_t size_ = 0;
};

/// Memory for data that is repeatedly read sequentially. With pages of 4 KiB page walks cost more
/// than the reading itself: from pages of 2 MiB two cores read twice as fast (measured: 22 and 45
/// GB/s). If the system can join pages later (Linux 6.1), memory starts with small pages, which are
/// available at once, and a thread of low priority joins them after the memory is filled; addresses
/// stay the same, transparently for readers. Otherwise large pages are requested at once.
class LargePages {
  public:
    static constexpr std::size_t kPage = std::size_t{2} << 20;

    /// Allocates zeroed bytes that start on a large page. Errors: NoMemory, naming the size.
    [[nodiscard]] static Result<LargePages> allocate(std::size_t bytes);

    LargePages() = default;
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] std::byte* data() { return data_.get(); }
    [[nodiscard]] const std::byte* data() const { return data_.get(); }

    /// Populates the pages of a range that is about to be written, at once instead of one by one.
    /// May be called from many threads.
    void populate(std::size_t first, std::size_t bytes);
    /// Starts joining the pages in the background; call when the memory is filled. Pages that the
    /// system cannot join stay unchanged.
    void joinPages();
    /// Waits at most a minute until the pages are joined; for measurements. Returns false if some
    /// pages are still small, for lack of time or memory; true if there was nothing to join.
    bool waitUntilJoined() const;

  private:
    struct Unmap {
        std::size_t bytes;
        void operator()(std::byte* p) const;
    };
    std::unique_ptr<std::byte, Unmap> data_;
    std::size_t size_ = 0;
    bool joinable_ = false;  ///< still in small pages
    enum class Joining { AtWork, Done, PartlyDone };
    std::shared_ptr<std::atomic<Joining>> joining_;
    std::jthread joiner_;  ///< ends before the memory is released
};

}  // namespace lacuna
