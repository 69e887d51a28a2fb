#pragma once
/// \file
/// Compute threads with a fixed split: the same thread count gives the same work division and so the
/// same bits. Workers spin briefly after a job and then sleep. Made by the app, lent by reference.
/// parallelFor may be called from one thread at a time.

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace lacuna {

class ThreadPool {
 public:
    /// `threads` >= 1 counts the caller; `niceness` is added to the workers' (not the caller's).
    explicit ThreadPool(int threads, int niceness = 0);
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    [[nodiscard]] int threads() const { return static_cast<int>(workers_.size()) + 1; }
    /// Calls `work(task)` for every task in [0, tasks). Task t runs on thread t * threads / tasks.
    /// Returns when all are done. `work` must not throw.
    void parallelFor(int tasks, const std::function<void(int)>& work);

 private:
    void run(int index);
    void runShare(int thread, int tasks, const std::function<void(int)>& work) const;

    std::vector<std::jthread> workers_;
    std::mutex mutex_;
    std::condition_variable wake_;
    std::atomic<std::uint64_t> round_{0};
    std::atomic<int> running_{0};
    std::atomic<bool> stopping_{false};
    const std::function<void(int)>* work_ = nullptr;
    int tasks_ = 0;
    int sleepers_ = 0;
};

}  // namespace lacuna
