#include "engine/base/thread_pool.h"

#include <sched.h>
#include <unistd.h>

#include <utility>

#include "engine/base/thread_start.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace lacuna {
namespace {

constexpr int kSpins = 4000;  // about 50 us on a 3 GHz core; workers sleep through longer gaps
constexpr std::uint64_t kOneRound = std::uint64_t{1} << 32;

void relax() {
#if defined(__x86_64__)
    _mm_pause();
#endif
}

}  // namespace

ThreadPool::ThreadPool(int threads, int niceness) {
    if (threads > 1) workers_.reserve(static_cast<std::size_t>(threads) - 1);
    for (int i = 1; i < threads; ++i) {
        auto worker = startThread([this, niceness] {
            if (niceness != 0) [[maybe_unused]]
                const int level = ::nice(niceness);
            run();
        });
        if (!worker) break;
        workers_.push_back(std::move(*worker));
    }
}

ThreadPool::~ThreadPool() {
    {
        const MutexLock lock(mutex_);
        stopping_ = true;
        tasks_ = 0;
        ticket_.store((round() + 1) * kOneRound, std::memory_order_release);
    }
    wake_.notifyAll();
}

void ThreadPool::drain() {
    std::uint64_t ticket = ticket_.load(std::memory_order_acquire);
    while (true) {
        // Read between loading and claiming the ticket: a successful claim proves that both belong
        // to the same round.
        const std::uint32_t tasks = tasks_.load(std::memory_order_relaxed);
        const auto task = static_cast<std::uint32_t>(ticket);
        if (task >= tasks) return;
        const auto* work = work_.load(std::memory_order_relaxed);
        if (!ticket_.compare_exchange_weak(ticket, ticket + 1, std::memory_order_acq_rel)) continue;
        try {
            (*work)(static_cast<int>(task));
        } catch (...) {
            note(std::current_exception());
        }
        done_.fetch_add(1, std::memory_order_release);
        ticket = ticket_.load(std::memory_order_acquire);
    }
}

void ThreadPool::note(std::exception_ptr thrown) {
    const MutexLock lock(mutex_);
    if (!thrown_) thrown_ = std::move(thrown);
}

/// @pre every task of the round is done. Needs no lock: a thread counts its task as done after
/// storing the exception, and the caller has seen that count. A worker about to sleep may hold the
/// lock while it has no core.
void ThreadPool::rethrowFirst() LACUNA_NO_THREAD_SAFETY_ANALYSIS {
    if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
}

void ThreadPool::parallelFor(int tasks, const std::function<void(int)>& work) {
    if (tasks <= 0) return;
    if (workers_.empty() || tasks == 1) {
        for (int task = 0; task < tasks; ++task) work(task);
        return;
    }
    // Close the last round first, so that no worker pairs its ticket with the new work.
    ticket_.store((round() + 1) * kOneRound + 0xffffffffU, std::memory_order_release);
    done_.store(0, std::memory_order_relaxed);
    work_.store(&work, std::memory_order_relaxed);
    tasks_.store(static_cast<std::uint32_t>(tasks), std::memory_order_relaxed);
    // Either this thread sees the sleeper, or the sleeper sees the new round before it sleeps: both
    // write before they read, in sequentially consistent order.
    ticket_.store((round() + 1) * kOneRound, std::memory_order_seq_cst);
    if (sleepingWorkers_.load(std::memory_order_seq_cst) > 0) {
        { const MutexLock lock(mutex_); }
        wake_.notifyAll();
    }
    drain();
    for (int spin = 0; done_.load(std::memory_order_acquire) != static_cast<std::uint32_t>(tasks);
         ++spin) {
        relax();
        if (spin > kSpins) ::sched_yield();  // the thread with the last task may need this core
    }
    rethrowFirst();
}

void ThreadPool::run() {
    std::uint64_t seen = 0;
    while (true) {
        for (int spin = 0; spin < kSpins && round() == seen; ++spin) relax();
        if (round() == seen) {
            MutexLock lock(mutex_);
            sleepingWorkers_.fetch_add(1, std::memory_order_seq_cst);
            wake_.wait(lock, [&] { return ticket_.load(std::memory_order_seq_cst) >> 32 != seen; });
            sleepingWorkers_.fetch_sub(1, std::memory_order_relaxed);
        }
        seen = round();
        if (stopping_) return;
        drain();
    }
}

}  // namespace lacuna
