#include "engine/base/thread_pool.h"

#include <unistd.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace lacuna {
namespace {

constexpr int kSpins = 4000;  // about 50 us on a 3 GHz core; longer gaps are better slept through

void relax() {
#if defined(__x86_64__)
    _mm_pause();
#endif
}

}  // namespace

ThreadPool::ThreadPool(int threads, int niceness) {
    for (int i = 1; i < threads; ++i) {
        workers_.emplace_back([this, i, niceness] {
            if (niceness != 0) [[maybe_unused]] const int level = ::nice(niceness);
            run(i);
        });
    }
}

ThreadPool::~ThreadPool() {
    stopping_ = true;
    {
        const std::scoped_lock lock(mutex_);
        round_.fetch_add(1);
    }
    wake_.notify_all();
}

void ThreadPool::runShare(int thread, int tasks, const std::function<void(int)>& work) const {
    const auto total = static_cast<std::int64_t>(threads());
    const auto first = static_cast<int>(thread * std::int64_t{tasks} / total);
    const auto last = static_cast<int>((thread + 1) * std::int64_t{tasks} / total);
    for (int task = first; task < last; ++task) work(task);
}

void ThreadPool::parallelFor(int tasks, const std::function<void(int)>& work) {
    if (tasks <= 0) return;
    if (workers_.empty() || tasks == 1) {
        for (int task = 0; task < tasks; ++task) work(task);
        return;
    }
    bool anySleeps = false;
    {
        const std::scoped_lock lock(mutex_);
        work_ = &work;
        tasks_ = tasks;
        running_ = static_cast<int>(workers_.size());
        round_.fetch_add(1);
        anySleeps = sleepers_ > 0;
    }
    if (anySleeps) wake_.notify_all();
    runShare(0, tasks, work);
    while (running_.load(std::memory_order_acquire) > 0) relax();
}

void ThreadPool::run(int index) {
    std::uint64_t seen = 0;
    while (true) {
        for (int spin = 0; spin < kSpins && round_.load(std::memory_order_acquire) == seen; ++spin) relax();
        if (round_.load(std::memory_order_acquire) == seen) {
            std::unique_lock lock(mutex_);
            ++sleepers_;
            wake_.wait(lock, [&] { return round_.load() != seen; });
            --sleepers_;
        }
        seen = round_.load(std::memory_order_acquire);
        if (stopping_) return;
        const std::function<void(int)>* work = nullptr;
        int tasks = 0;
        {
            const std::scoped_lock lock(mutex_);
            work = work_;
            tasks = tasks_;
        }
        runShare(index, tasks, *work);
        running_.fetch_sub(1, std::memory_order_release);
    }
}

}  // namespace lacuna
