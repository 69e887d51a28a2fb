#pragma once
/// \file
/// What is dear to make and never changes is made once, whoever asks and however many ask at the
/// same time; it goes with the last who holds it. Any thread.

#include <map>
#include <memory>
#include <utility>

#include "engine/base/mutex.h"
#include "engine/base/result.h"

namespace lacuna {

template <class Key, class Value>
class BuiltOnce {
  public:
    using Shared = std::shared_ptr<const Value>;

    /// The value of this key: the one that somebody holds, else what `make` returns, a
    /// Result<Shared>; others who ask wait for it. A failure is the asker's alone and is not kept.
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
