#include "engine/tensor/buffer.h"

#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <stop_token>
#include <utility>

#include "engine/base/mutex.h"
#include "engine/base/string_format.h"
#include "engine/base/thread_start.h"

namespace lacuna {

namespace {

std::byte* mapPages(std::size_t bytes) {
    void* const mapped =
        ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return mapped == MAP_FAILED ? nullptr : static_cast<std::byte*>(mapped);
}

}  // namespace

void Buffer::Free::operator()(std::byte* p) const {
    if (mapped > 0)
        ::munmap(p, mapped);
    else
        std::free(p);
}

Result<Buffer> Buffer::allocate(std::size_t bytes) {
    Buffer buffer;
    if (bytes == 0) return buffer;
    if (bytes > std::numeric_limits<std::size_t>::max() - kAlignment)
        return fail(ErrorCode::NoMemory, format("a buffer of {} bytes is too large", bytes));
    const std::size_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    const std::size_t mapped = rounded >= kMappedFrom ? rounded : 0;
    auto* data = mapped > 0 ? mapPages(mapped)
                            : static_cast<std::byte*>(std::aligned_alloc(kAlignment, rounded));
    if (data == nullptr)
        return fail(ErrorCode::NoMemory, format("there is not enough memory for {:.1f} MiB",
                                                static_cast<double>(bytes) / 0x1p20));
    buffer.data_ = {data, Free{mapped}};
    buffer.size_ = bytes;
    return buffer;
}

namespace {

constexpr int kJoinNow = 25;   // MADV_COLLAPSE, Linux 6.1; not in every C library's headers
constexpr int kPopulate = 23;  // MADV_POPULATE_WRITE, Linux 5.14
constexpr int kNiceness = 10;
// Joining starts after this delay: it locks the address space of the process, which would slow down
// the first answer.
constexpr std::chrono::milliseconds kHeadStart{500};
// On a busy machine joining can take longer than it is worth waiting for.
constexpr std::chrono::seconds kMaxWait{60};
constexpr std::chrono::milliseconds kPoll{2};

std::size_t wholePages(std::size_t bytes) {
    return (bytes + LargePages::kPage - 1) / LargePages::kPage * LargePages::kPage;
}

/// Returns whether the system joins pages on request, tried on the first large page.
bool canJoin(std::byte* first) {
    *static_cast<volatile std::byte*>(first) = std::byte{0};
    return ::madvise(first, LargePages::kPage, kJoinNow) == 0;
}

// Joins page by page to keep waits short: a reader of the page that is being moved waits for some
// milliseconds at most. Returns whether all pages are joined.
bool joinAll(const std::stop_token& stop, std::byte* data, std::size_t bytes) {
    [[maybe_unused]] const int level = ::nice(kNiceness);
    Mutex mutex;
    MutexLock lock(mutex);
    const auto begin = std::chrono::steady_clock::now() + kHeadStart;
    StoppableCondition().waitUntil(lock, stop, begin, [] { return false; });
    bool all = true;
    for (std::size_t at = 0; at < bytes && !stop.stop_requested(); at += LargePages::kPage)
        all = ::madvise(data + at, LargePages::kPage, kJoinNow) == 0 && all;
    return all && !stop.stop_requested();
}

}  // namespace

void LargePages::Unmap::operator()(std::byte* p) const {
    ::munmap(p, bytes);
}

Result<LargePages> LargePages::allocate(std::size_t bytes) {
    LargePages pages;
    if (bytes == 0) return pages;
    const auto shortage = [bytes] {
        return fail(ErrorCode::NoMemory, format("there is not enough memory for {:.1f} MiB",
                                                static_cast<double>(bytes) / 0x1p20));
    };
    const std::size_t rounded = wholePages(bytes);
    if (rounded < bytes || rounded + kPage < rounded) return shortage();
    // Maps one page more than needed, of which the ends outside of full pages are unmapped.
    std::byte* const begin = mapPages(rounded + kPage);
    if (begin == nullptr) return shortage();
    const std::size_t before = (kPage - reinterpret_cast<std::uintptr_t>(begin) % kPage) % kPage;
    if (before > 0) ::munmap(begin, before);
    ::munmap(begin + before + rounded, kPage - before);
    pages.data_ = {begin + before, Unmap{rounded}};
    pages.size_ = bytes;
    pages.joinable_ = canJoin(pages.data());
    if (!pages.joinable_)
        ::madvise(pages.data(), rounded, MADV_HUGEPAGE);  // if refused, it is only slower
    return pages;
}

void LargePages::populate(std::size_t first, std::size_t bytes) {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const std::size_t begin = first / page * page;
    ::madvise(data() + begin, first + bytes - begin, kPopulate);  // if refused, pages are populated
                                                                  // one by one
}

void LargePages::joinPages() {
    if (!std::exchange(joinable_, false)) return;
    joining_ = std::make_shared<std::atomic<Joining>>(Joining::AtWork);
    auto joiner = startThread([data = data_.get(), bytes = wholePages(size_),
                               joining = joining_](const std::stop_token& stop) {
        *joining = joinAll(stop, data, bytes) ? Joining::Done : Joining::PartlyDone;
    });
    if (joiner)
        joiner_ = std::move(*joiner);
    else
        *joining_ = Joining::PartlyDone;  // slower, but otherwise the same
}

bool LargePages::waitUntilJoined() const {
    if (joining_ == nullptr) return true;
    const auto until = std::chrono::steady_clock::now() + kMaxWait;
    while (*joining_ == Joining::AtWork && std::chrono::steady_clock::now() < until)
        std::this_thread::sleep_for(kPoll);
    return *joining_ == Joining::Done;
}

}  // namespace lacuna
