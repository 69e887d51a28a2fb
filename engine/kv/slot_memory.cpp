#include "engine/kv/slot_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "engine/base/check.h"
#include "engine/base/mutex.h"
#include "engine/base/string_format.h"

namespace lacuna {

/// The range of the file in which a block was allocated, and its mappings. Guarded by the mutex of
/// the file.
struct SlotPages {
    off_t offset = 0;
    int mappings = 0;
    std::size_t again = 0;       ///< bytes that are mapped more than once, counted once per extra
                                 ///< mapping
    int writers = 0;             ///< number of mappings that write to the file
    std::size_t most = 0;        ///< largest number of bytes ever mapped
    std::size_t copied = 0;      ///< longest prefix copied by a private mapping
    std::atomic<int> others{0};  ///< mappings - 1, readable without the mutex
};

/// One mapping, or one block of the C library, and the number of its owners.
struct SlotOwners {
    std::atomic<int> count{1};
    SlotPages* pages = nullptr;  ///< null: anonymous memory
    bool writes = false;         ///< true: shared mapping; false: private copy-on-write mapping
    std::size_t again = 0;       ///< bytes that were already mapped elsewhere when this was mapped
};

namespace {

std::size_t pageSize() {
    static const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    return page;
}

std::size_t pagesUp(std::size_t bytes) {
    return (bytes + pageSize() - 1) / pageSize() * pageSize();
}

/// The anonymous file behind all large blocks. It is sparse: every block has a range that is far
/// larger than the block, and only written pages use memory.
class PageFile {
  public:
    static constexpr std::size_t kStretch = std::size_t{1} << 36;

    static PageFile& instance() {
        static PageFile& file = *new PageFile;  // leaked: blocks of static objects may be destroyed
                                                // later
        return file;
    }

    /// Maps a new range. Returns null if there is no file or no memory.
    std::byte* map(std::size_t bytes, SlotOwners& owners) {
        const MutexLock lock(mutex_);
        if (file_ < 0 || bytes > kStretch) return nullptr;
        auto* pages = new SlotPages;
        if (free_.empty()) {
            pages->offset = next_;
            if (pages->offset > kEnd - static_cast<off_t>(kStretch)) return drop(pages);
        } else {
            pages->offset = free_.back();
        }
        std::byte* const data = mapped(*pages, bytes, MAP_SHARED);
        if (data == nullptr) return drop(pages);
        if (free_.empty())
            next_ += static_cast<off_t>(kStretch);
        else
            free_.pop_back();
        owners.pages = pages;
        owners.writes = true;
        add(*pages, bytes, true);
        return data;
    }

    /// Maps the same pages again. Writes reach the file only if `writes`.
    std::byte* mapAgain(SlotPages& pages, std::size_t bytes, std::size_t used, bool writes,
                        SlotOwners& owners) {
        const MutexLock lock(mutex_);
        if (bytes > kStretch) return nullptr;
        std::byte* const data = mapped(pages, bytes, writes ? MAP_SHARED : MAP_PRIVATE);
        if (data == nullptr) return nullptr;
        owners.pages = &pages;
        owners.writes = writes;
        add(pages, bytes, writes);
        if (!writes) pages.copied = std::max(pages.copied, used);
        pages.again += used;
        mappedAgain_ += static_cast<std::int64_t>(used);
        return data;
    }

    /// Removes a mapping and releases the pages that only it used. `again`: bytes counted by
    /// mapAgain.
    void unmap(SlotPages& pages, bool writes, std::size_t again) {
        const MutexLock lock(mutex_);
        pages.writers -= writes ? 1 : 0;
        pages.others.store(--pages.mappings - 1, std::memory_order_release);
        const std::size_t fewer = pages.mappings < 2 ? pages.again : std::min(again, pages.again);
        pages.again -= fewer;
        mappedAgain_ -= static_cast<std::int64_t>(fewer);
        if (pages.mappings == 0) {
            punch(pages.offset, pages.most);
            free_.push_back(pages.offset);
            delete &pages;
        } else if (writes && pages.writers == 0) {
            punchAfter(pages, pages.copied);
        }
    }

    /// Releases the pages after the first `used` bytes of a range.
    void punchAfter(const SlotPages& pages, std::size_t used) {
        const std::size_t kept = pagesUp(used);
        if (kept < pages.most) punch(pages.offset + static_cast<off_t>(kept), pages.most - kept);
    }

    void extended(SlotPages& pages, std::size_t bytes) {
        const MutexLock lock(mutex_);
        pages.most = std::max(pages.most, bytes);
    }

    std::int64_t mappedAgain() {
        const MutexLock lock(mutex_);
        return mappedAgain_;
    }

  private:
    static constexpr off_t kEnd = off_t{1} << 60;

    PageFile() {
        rlimit most{};
        // A file beyond the user's size limit would terminate the program.
        if (::getrlimit(RLIMIT_FSIZE, &most) != 0 || most.rlim_cur != RLIM_INFINITY) return;
        file_ = ::memfd_create("lacuna-cache", MFD_CLOEXEC);
        if (file_ >= 0 && ::ftruncate(file_, kEnd) != 0) {
            ::close(file_);
            file_ = -1;
        }
    }
    static std::byte* drop(SlotPages* pages) {
        delete pages;
        return nullptr;
    }
    std::byte* mapped(const SlotPages& pages, std::size_t bytes, int how) LACUNA_REQUIRES(mutex_) {
        void* const data = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, how | MAP_NORESERVE,
                                  file_, pages.offset);
        return data == MAP_FAILED ? nullptr : static_cast<std::byte*>(data);
    }
    void add(SlotPages& pages, std::size_t bytes, bool writes) LACUNA_REQUIRES(mutex_) {
        pages.writers += writes ? 1 : 0;
        pages.most = std::max(pages.most, bytes);
        pages.others.store(pages.mappings++, std::memory_order_release);
    }
    void punch(off_t offset, std::size_t bytes) const {
        // On failure the memory stays allocated.
        (void)::fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset,
                          static_cast<off_t>(pagesUp(bytes)));
    }

    Mutex mutex_;
    int file_ = -1;
    off_t next_ LACUNA_GUARDED_BY(mutex_) = 0;
    std::vector<off_t> free_ LACUNA_GUARDED_BY(mutex_);
    std::int64_t mappedAgain_ LACUNA_GUARDED_BY(mutex_) = 0;
};

tl::unexpected<Error> noMemory(std::size_t bytes) {
    return fail(ErrorCode::NoMemory,
                format("no memory for {:.1f} MiB of cache", static_cast<double>(bytes) / 0x1p20));
}

}  // namespace

SlotBlock::SlotBlock(SlotBlock&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      owners_(std::exchange(other.owners_, nullptr)),
      untouched_(std::exchange(other.untouched_, 0)) {}

SlotBlock& SlotBlock::operator=(SlotBlock&& other) noexcept {
    if (this != &other) {
        release();
        data_ = std::exchange(other.data_, nullptr);
        size_ = std::exchange(other.size_, 0);
        owners_ = std::exchange(other.owners_, nullptr);
        untouched_ = std::exchange(other.untouched_, 0);
    }
    return *this;
}

SlotBlock::~SlotBlock() {
    release();
}

void SlotBlock::release() {
    if (data_ == nullptr) return;
    if (owners_ != nullptr && owners_->count.fetch_sub(1, std::memory_order_acq_rel) > 1) return;
    if (size_ >= SlotAllocator::kMappedFrom) {
        ::munmap(data_, size_);
    } else {
        std::free(data_);
    }
    if (owners_ != nullptr && owners_->pages != nullptr)
        PageFile::instance().unmap(*owners_->pages, owners_->writes, owners_->again);
    delete owners_;
}

SlotBlock SlotBlock::share() {
    SlotBlock other;
    if (data_ == nullptr) return other;
    if (owners_ == nullptr) owners_ = new SlotOwners;
    owners_->count.fetch_add(1, std::memory_order_relaxed);
    other.data_ = data_;
    other.size_ = size_;
    other.owners_ = owners_;
    other.untouched_ = untouched_;
    return other;
}

bool SlotBlock::shared() const {
    if (owners_ == nullptr) return false;
    if (owners_->count.load(std::memory_order_acquire) > 1) return true;
    return owners_->writes && owners_->pages->others.load(std::memory_order_acquire) > 0;
}

void SlotBlock::visit(std::size_t used,
                      const std::function<void(const void*, std::int64_t)>& visit) const {
    if (data_ == nullptr) return;
    const SlotPages* const pages = owners_ == nullptr ? nullptr : owners_->pages;
    std::size_t there = 0;
    if (pages != nullptr) there = owners_->writes ? used : std::min(used, untouched_);
    if (there > 0) visit(pages, static_cast<std::int64_t>(there));
    if (there < used) visit(data_, static_cast<std::int64_t>(used - there));
}

bool SlotBlock::canShrink(std::size_t bytes) const {
    return !shared() && bytes >= SlotAllocator::kMappedFrom && bytes <= size_;
}

void SlotBlock::shrink(std::size_t bytes) {
    LACUNA_REQUIRE(canShrink(bytes), "only mapped blocks shrink");
    const std::size_t kept = pagesUp(bytes);
    if (kept < size_) ::munmap(data_ + kept, size_ - kept);
    if (owners_ != nullptr && owners_->writes)
        PageFile::instance().punchAfter(*owners_->pages, bytes);
    size_ = bytes;
    untouched_ = std::min(untouched_, bytes);
}

void SlotBlock::releaseAfter(std::size_t used) {
    if (size_ < SlotAllocator::kMappedFrom || shared()) return;
    if (owners_ != nullptr && owners_->writes)
        return PageFile::instance().punchAfter(*owners_->pages, used);
    const std::size_t kept = pagesUp(used);
    const std::size_t whole = size_ / pageSize() * pageSize();
    // On failure the memory stays allocated.
    if (kept < whole) ::madvise(data_ + kept, whole - kept, MADV_DONTNEED);
}

Result<SlotBlock> SlotAllocator::allocate(std::size_t bytes) {
    SlotBlock block;
    if (bytes == 0) return block;
    if (bytes > std::numeric_limits<std::size_t>::max() / 2) return noMemory(bytes);
    if (bytes >= kMappedFrom) {
        block.owners_ = new SlotOwners;
        block.data_ = PageFile::instance().map(bytes, *block.owners_);
        if (block.data_ == nullptr) {
            void* const mapped =
                ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            if (mapped == MAP_FAILED) {
                delete std::exchange(block.owners_, nullptr);
                return noMemory(bytes);
            }
            block.data_ = static_cast<std::byte*>(mapped);
        }
    } else {
        const std::size_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
        block.data_ = static_cast<std::byte*>(std::aligned_alloc(kAlignment, rounded));
        if (block.data_ == nullptr) return noMemory(bytes);
    }
    block.size_ = bytes;
    return block;
}

Result<SlotBlock> SlotAllocator::copy(const SlotBlock& block, std::size_t used, std::size_t bytes) {
    LACUNA_REQUIRE(used <= bytes && used <= block.size(), "a copy holds what is copied");
    SlotPages* const pages = block.owners_ == nullptr ? nullptr : block.owners_->pages;
    std::size_t there = 0;
    if (pages != nullptr) there = block.owners_->writes ? used : std::min(used, block.untouched_);
    if (there < used) there = there / pageSize() * pageSize();
    if (bytes >= kMappedFrom && there >= pageSize()) {
        SlotBlock twin;
        twin.owners_ = new SlotOwners;
        twin.data_ = PageFile::instance().mapAgain(*pages, bytes, there, false, *twin.owners_);
        if (twin.data_ == nullptr) {
            delete std::exchange(twin.owners_, nullptr);
            return noMemory(bytes);
        }
        twin.owners_->again = there;
        twin.size_ = bytes;
        twin.untouched_ = there;
        if (there < used) std::memcpy(twin.data_ + there, block.data_ + there, used - there);
        return twin;
    }
    LACUNA_TRY(SlotBlock twin, allocate(bytes));
    if (used > 0) std::memcpy(twin.data_, block.data_, used);
    return twin;
}

bool SlotAllocator::canExtend(const SlotBlock& block, std::size_t bytes) {
    return block.size() >= kMappedFrom && bytes >= block.size() && !block.shared() &&
           bytes <= PageFile::kStretch;
}

bool SlotAllocator::canExtendShared(const SlotBlock& block, std::size_t bytes) {
    return block.owners_ != nullptr && block.owners_->writes && bytes >= block.size() &&
           bytes <= PageFile::kStretch;
}

Status SlotAllocator::extend(SlotBlock& block, std::size_t bytes) {
    SlotOwners* const owners = block.owners_;
    if (owners != nullptr && owners->count.load(std::memory_order_acquire) > 1) {
        LACUNA_REQUIRE(canExtendShared(block, bytes), "only pages are mapped again");
        SlotBlock larger;
        larger.owners_ = new SlotOwners;
        larger.data_ = PageFile::instance().mapAgain(*owners->pages, bytes, block.size(), true,
                                                     *larger.owners_);
        if (larger.data_ == nullptr) {
            delete std::exchange(larger.owners_, nullptr);
            return noMemory(bytes);
        }
        larger.owners_->again = block.size();
        larger.size_ = bytes;
        block = std::move(larger);
        return {};
    }
    LACUNA_REQUIRE(canExtend(block, bytes) || canExtendShared(block, bytes),
                   "only mapped blocks are extended");
    void* const moved = ::mremap(block.data_, block.size_, bytes, MREMAP_MAYMOVE);
    if (moved == MAP_FAILED) return noMemory(bytes);
    block.data_ = static_cast<std::byte*>(moved);
    block.size_ = bytes;
    if (owners != nullptr && owners->writes) PageFile::instance().extended(*owners->pages, bytes);
    return {};
}

std::int64_t bytesMappedTwice() {
    return PageFile::instance().mappedAgain();
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
