// Input of thread_safety.sh; not part of any target. It is correct without LACUNA_MISTAKE. With it,
// clang rejects a member that is read without its mutex (1), a function that is called without it
// (2), or a predicate without it (3).

#include "engine/base/mutex.h"

namespace lacuna {

class Counter {
  public:
    int next() {
        MutexLock lock(mutex_);
        changed_.wait(lock, [this]() LACUNA_REQUIRES(mutex_) { return count_ > 0; });
        return take();
    }

#if defined(LACUNA_MISTAKE)
    int mistake() {
#if LACUNA_MISTAKE == 1
        return count_;
#elif LACUNA_MISTAKE == 2
        return take();
#else
        MutexLock lock(mutex_);
        changed_.wait(lock, [this] { return count_ > 0; });
        return 0;
#endif
    }
#endif

  private:
    int take() LACUNA_REQUIRES(mutex_) {
        return count_--;
    }

    Mutex mutex_;
    Condition changed_;
    int count_ LACUNA_GUARDED_BY(mutex_) = 0;
};

int countOnce(Counter& counter) {
#if defined(LACUNA_MISTAKE)
    return counter.mistake();
#else
    return counter.next();
#endif
}

}  // namespace lacuna
