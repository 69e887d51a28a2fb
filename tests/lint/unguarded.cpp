// Read by thread_safety.sh, built by nothing: right as it stands, refused by clang with
// LACUNA_MISTAKE, which is 1 for a member that is read without its mutex, 2 for a function that is
// called without it, 3 for a predicate likewise.

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
