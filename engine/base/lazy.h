#pragma once
/// \file
/// Cache of expensive immutable objects that are built once and shared by concurrent callers. An
/// object is destroyed with its last owner. Any thread.

#include <map>
#include <memory>
#include <utility>

#include "engine/base/mutex.h"
#include "engine/base/result.h"

namespace lacuna {

template <class Key, class Value>
class Lazy {
  public:
    using Shared = std::shared_ptr<const Value>;

    /// Returns the value of this key if it is still alive, otherwise the result of `make`, a
    /// Result<Shared>. Concurrent callers wait. A failure is returned to its caller and not cached.
    template <class Make>
    [[nodiscard]] Result<Shared> get(const Key& key, Make&& make) {
        const MutexLock lock(mutex_);
        if (const auto found = held_.find(key); found != held_.end())
            if (Shared value = found->second.lock()) return value;
        std::erase_if(held_, [](const auto& one) { return one.second.expired(); });
        LACUNA_TRY(Shared value, std::forward<Make>(make)());
        held_[key] = value;
        return value;
    }

  private:
    Mutex mutex_;
    std::map<Key, std::weak_ptr<const Value>> held_ LACUNA_GUARDED_BY(mutex_);
};

}  // namespace lacuna
