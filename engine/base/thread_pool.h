#pragma once
/// \file
/// Compute threads that share a list of tasks. Tasks are claimed one by one, so that a thread which the
/// system has put aside (a busy machine, a window that paints) delays nothing but the task it holds.
/// What a task computes depends on its number only, never on the thread: the same number of tasks gives
/// the same bits. Workers spin briefly after a job and then sleep. Made by the app, lent by reference.
/// parallelFor may be called from one thread at a time.

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace lacuna {

class ThreadPool {
 public:
    /// `threads` >= 1 counts the caller; `niceness` is added to the workers' (not the caller's).
    /// Where the system gives fewer there are fewer: threads() says how many.
    explicit ThreadPool(int threads, int niceness = 0);
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    [[nodiscard]] int threads() const { return static_cast<int>(workers_.size()) + 1; }
    /// Calls `work(task)` for every task in [0, tasks), in as many fixed shares as there are threads.
    /// A share whose worker has not begun when the caller is through with its own is done by the caller:
    /// on a busy machine nobody waits for a thread that has no core. Returns when all are done.
    /// What `work` throws is thrown here, the first of it, once no thread works any more.
    void parallelFor(int tasks, const std::function<void(int)>& work);

 private:
    void run();
    /// Claims and does tasks of the current round until none is left.
    void drain();
    void note(std::exception_ptr thrown);
    [[nodiscard]] std::uint64_t round() const { return ticket_.load(std::memory_order_acquire) >> 32; }

    static constexpr std::size_t kLine = 64;  ///< bytes that the cores pass to each other at once

    std::vector<std::jthread> workers_;
    std::mutex mutex_;
    std::condition_variable wake_;
    std::atomic<int> sleepers_{0};
    std::atomic<bool> stopping_{false};
    /// Round in the upper half, next unclaimed task in the lower.
    alignas(kLine) std::atomic<std::uint64_t> ticket_{0};
    std::atomic<std::uint32_t> tasks_{0};
    std::atomic<const std::function<void(int)>*> work_{nullptr};
    alignas(kLine) std::atomic<std::uint32_t> done_{0};
    std::exception_ptr thrown_;  ///< of this round; written under mutex_
};

}  // namespace lacuna
