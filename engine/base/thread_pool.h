#pragma once
/// \file
/// Compute threads that share a list of tasks. Tasks are claimed one by one, so that a thread
/// preempted by the system delays only the task it holds. The result of a task depends only on its
/// number, never on the thread: the same number of tasks gives the same bits. Workers spin briefly
/// after a job and then sleep. Passed by reference. parallelFor may be called from one thread at a
/// time, and not from a task of the same pool.

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "engine/base/mutex.h"

namespace lacuna {

class ThreadPool {
  public:
    /// `threads` >= 1 includes the caller; `niceness` is added to that of the workers, not of the
    /// caller. If the system provides fewer threads, threads() returns the actual number.
    explicit ThreadPool(int threads, int niceness = 0);
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    [[nodiscard]] int threads() const { return static_cast<int>(workers_.size()) + 1; }
    /// Calls `work(task)` for every task in [0, tasks) in unspecified order. The caller claims
    /// tasks like a worker, so that all are completed even if no worker gets a core. Returns when
    /// all tasks are done; their writes are visible then.
    ///
    /// The first exception thrown by `work` is rethrown here once no thread works any more. The
    /// other tasks still run, except in a pool of one thread or with a single task.
    void parallelFor(int tasks, const std::function<void(int)>& work);

  private:
    void run();
    /// Claims and runs tasks of the current round until none is left.
    void drain();
    void note(std::exception_ptr thrown);
    void rethrowFirst();
    [[nodiscard]] std::uint64_t round() const {
        return ticket_.load(std::memory_order_acquire) >> 32;
    }

    static constexpr std::size_t kLine = 64;  ///< cache line size in bytes

    std::vector<std::jthread> workers_;
    Mutex mutex_;
    Condition wake_;
    std::atomic<int> sleepingWorkers_{0};
    std::atomic<bool> stopping_{false};
    /// Round in the upper half, next unclaimed task in the lower.
    alignas(kLine) std::atomic<std::uint64_t> ticket_{0};
    std::atomic<std::uint32_t> tasks_{0};
    std::atomic<const std::function<void(int)>*> work_{nullptr};
    alignas(kLine) std::atomic<std::uint32_t> done_{0};
    std::exception_ptr thrown_ LACUNA_GUARDED_BY(mutex_);  ///< first exception of this round
};

/// Scratch indices for the threads that work on one round: one index per thread, held for the
/// duration of a task. There can be more tasks than threads, so that a delayed thread is relieved
/// by the others. Results must not depend on the index. Acquired and released on any thread;
/// created, moved and destroyed while no task runs.
class ScratchIndices {
  public:
    /// Holds an index until it is destroyed.
    class Place {
      public:
        Place(std::atomic<bool>* taken, int index) : taken_(taken), index_(index) {}
        Place(const Place&) = delete;
        Place& operator=(const Place&) = delete;
        ~Place() { taken_->store(false, std::memory_order_release); }
        [[nodiscard]] int index() const { return index_; }

      private:
        std::atomic<bool>* taken_;
        int index_;
    };

    ScratchIndices() = default;
    explicit ScratchIndices(int count)
        : taken_(std::make_unique<std::atomic<bool>[]>(static_cast<std::size_t>(count))),
          count_(count) {}

    /// @pre fewer than `count` indices are held
    [[nodiscard]] Place take() const {
        for (int i = 0;; i = (i + 1) % count_) {
            std::atomic<bool>& taken = taken_[static_cast<std::size_t>(i)];
            if (!taken.exchange(true, std::memory_order_acquire)) return {&taken, i};
        }
    }

  private:
    std::unique_ptr<std::atomic<bool>[]> taken_;
    int count_ = 0;
};

}  // namespace lacuna
