#pragma once
/// \file
/// Compute threads that share a list of tasks. Tasks are claimed one by one, so that a thread which
/// the system has put aside (a busy machine, a window that paints) delays nothing but the task it
/// holds. What a task computes depends on its number only, never on the thread: the same number of
/// tasks gives the same bits. Workers spin briefly after a job and then sleep. Lent by reference.
/// parallelFor may be called from one thread at a time, and not from a task of the same pool.

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
    /// `threads` >= 1 counts the caller; `niceness` is added to the workers' (not the caller's).
    /// Where the system gives fewer there are fewer: threads() says how many.
    explicit ThreadPool(int threads, int niceness = 0);
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    [[nodiscard]] int threads() const { return static_cast<int>(workers_.size()) + 1; }
    /// Calls `work(task)` for every task in [0, tasks), in no order that counts. The caller claims
    /// tasks like every worker, so that all of them are done even where no worker gets a core; it
    /// waits only for tasks that a worker has begun. Returns when all are done, and what was
    /// written by them can be read then. What `work` throws is thrown here, the first of it, once
    /// no thread works any more; the other tasks are done all the same, but for a pool of one
    /// thread, or a single task, which ends there.
    void parallelFor(int tasks, const std::function<void(int)>& work);

  private:
    void run();
    /// Claims and does tasks of the current round until none is left.
    void drain();
    void note(std::exception_ptr thrown);
    void throwWhatWasNoted();
    [[nodiscard]] std::uint64_t round() const {
        return ticket_.load(std::memory_order_acquire) >> 32;
    }

    static constexpr std::size_t kLine = 64;  ///< bytes that the cores pass to each other at once

    std::vector<std::jthread> workers_;
    Mutex mutex_;
    Condition wake_;
    std::atomic<int> sleepers_{0};
    std::atomic<bool> stopping_{false};
    /// Round in the upper half, next unclaimed task in the lower.
    alignas(kLine) std::atomic<std::uint64_t> ticket_{0};
    std::atomic<std::uint32_t> tasks_{0};
    std::atomic<const std::function<void(int)>*> work_{nullptr};
    alignas(kLine) std::atomic<std::uint32_t> done_{0};
    std::exception_ptr thrown_ LACUNA_GUARDED_BY(mutex_);  ///< of this round
};

/// Scratch for the threads that are at work on the tasks of one round: as many places as there are
/// threads, taken for the length of a task. Tasks can then be more than threads, so that a thread
/// which is held up is helped out. Results must not depend on the place. Taken and given back from
/// any thread; made, moved and destroyed while no task runs.
class WorkPlaces {
  public:
    /// A place, until it is destroyed.
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

    WorkPlaces() = default;
    explicit WorkPlaces(int count)
        : taken_(std::make_unique<std::atomic<bool>[]>(static_cast<std::size_t>(count))),
          count_(count) {}

    /// @pre fewer than `count` places are taken
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
