#pragma once
/// \file
/// Mutex wrappers with annotations for clang's thread safety analysis (-Wthread-safety, run by
/// tests/lint/thread_safety.sh); g++ ignores them. Members marked LACUNA_GUARDED_BY may be
/// accessed, and functions marked LACUNA_REQUIRES called, only while the mutex is held. The
/// standard library's mutex has no such annotations here; the wrappers add no cost. Standard
/// mutexes are not used directly in engine, app and ui.

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

/// Marks a member that is read and written only while `mutex` is held.
#define LACUNA_GUARDED_BY(mutex) LACUNA_THREAD_ATTRIBUTE(guarded_by(mutex))
/// Marks a function that is called only while `mutex` is held. On a lambda it follows the
/// parentheses.
#define LACUNA_REQUIRES(...) LACUNA_THREAD_ATTRIBUTE(requires_capability(__VA_ARGS__))
#define LACUNA_ACQUIRE(...) LACUNA_THREAD_ATTRIBUTE(acquire_capability(__VA_ARGS__))
#define LACUNA_RELEASE(...) LACUNA_THREAD_ATTRIBUTE(release_capability(__VA_ARGS__))
/// Marks a function that is correct for a reason the analysis cannot see; the function states the
/// reason.
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

/// Holds a mutex until the end of its block; may unlock it in between.
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

/// Waits under a lock until `until()` returns true; the lock is held while it is called.
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

/// Condition with waits that a stop token can end. A wait with a token returns `until()`: false if
/// the stop or the deadline came first.
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
