#pragma once
/// \file
/// A mutex whose use a compiler checks. What LACUNA_GUARDED_BY names may be touched only where its
/// mutex is held, and a function or a predicate that says LACUNA_REQUIRES only called there; clang
/// refuses the rest (-Wthread-safety, run by tests/lint/thread_safety.sh), g++ reads over the
/// words. The standard library's own mutex carries no such words here, which is why these wrap it;
/// they cost nothing over it. Standard mutexes are used nowhere else in engine, app and ui.

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <utility>

#if defined(__clang__)
#define LACUNA_THREAD_ATTRIBUTE(x) __attribute__((x))
#else
#define LACUNA_THREAD_ATTRIBUTE(x)
#endif

/// Of a member: read and written only while `mutex` is held.
#define LACUNA_GUARDED_BY(mutex) LACUNA_THREAD_ATTRIBUTE(guarded_by(mutex))
/// Of a function: called only while `mutex` is held. Of a lambda, after its parentheses.
#define LACUNA_REQUIRES(...) LACUNA_THREAD_ATTRIBUTE(requires_capability(__VA_ARGS__))
#define LACUNA_ACQUIRE(...) LACUNA_THREAD_ATTRIBUTE(acquire_capability(__VA_ARGS__))
#define LACUNA_RELEASE(...) LACUNA_THREAD_ATTRIBUTE(release_capability(__VA_ARGS__))
/// Of a function that is right for a reason the compiler cannot see; the reason stands there.
#define LACUNA_NO_THREAD_SAFETY_ANALYSIS LACUNA_THREAD_ATTRIBUTE(no_thread_safety_analysis)

namespace lacuna {

class LACUNA_THREAD_ATTRIBUTE(capability("mutex")) Mutex {
  public:
    void lock() LACUNA_ACQUIRE() { mutex_.lock(); }
    void unlock() LACUNA_RELEASE() { mutex_.unlock(); }

  private:
    friend class MutexLock;
    std::mutex mutex_;
};

/// Holds a mutex to the end of its block; may give it back in between.
class LACUNA_THREAD_ATTRIBUTE(scoped_lockable) MutexLock {
  public:
    explicit MutexLock(Mutex& mutex) LACUNA_ACQUIRE(mutex) : lock_(mutex.mutex_) {}
    ~MutexLock() LACUNA_RELEASE() {}
    MutexLock(const MutexLock&) = delete;
    MutexLock& operator=(const MutexLock&) = delete;
    void unlock() LACUNA_RELEASE() { lock_.unlock(); }
    void lock() LACUNA_ACQUIRE() { lock_.lock(); }

  private:
    friend class Condition;
    friend class StoppableCondition;
    std::unique_lock<std::mutex> lock_;
};

/// Waits under a lock until `until()`, which is called with the lock held.
class Condition {
  public:
    template <class Until>
    void wait(MutexLock& lock, Until until) {
        changed_.wait(lock.lock_, std::move(until));
    }
    void notifyAll() { changed_.notify_all(); }

  private:
    std::condition_variable changed_;
};

/// The same for waits that a stop token ends. What waits with a token returns `until()`: false when
/// the stop, or the end of the time, came first.
class StoppableCondition {
  public:
    template <class Until>
    void wait(MutexLock& lock, Until until) {
        changed_.wait(lock.lock_, std::move(until));
    }
    template <class Until>
    bool wait(MutexLock& lock, std::stop_token stop, Until until) {
        return changed_.wait(lock.lock_, std::move(stop), std::move(until));
    }
    template <class Until>
    bool waitUntil(MutexLock& lock, std::stop_token stop, std::chrono::steady_clock::time_point end,
                   Until until) {
        return changed_.wait_until(lock.lock_, std::move(stop), end, std::move(until));
    }
    void notifyOne() { changed_.notify_one(); }
    void notifyAll() { changed_.notify_all(); }

  private:
    std::condition_variable_any changed_;
};

}  // namespace lacuna
