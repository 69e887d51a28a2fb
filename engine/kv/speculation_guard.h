#pragma once
/// \file
/// Opens speculation on a cache for one step and closes it whatever becomes of the step, so that
/// proposed tokens can be taken back from a cache that forgets by age too. Owned by one thread.

#include <utility>

#include "engine/base/result.h"
#include "engine/kv/kv_cache.h"

namespace lacuna {

class SpeculationGuard {
  public:
    /// Over at most `most` tokens; nothing is opened for none. Errors: as beginSpeculation.
    [[nodiscard]] static Result<SpeculationGuard> open(KvCache& cache, int most) {
        SpeculationGuard guard;
        if (most <= 0) return guard;
        LACUNA_TRY_STATUS(cache.beginSpeculation(most));
        guard.cache_ = &cache;
        return guard;
    }
    SpeculationGuard(SpeculationGuard&& other) noexcept
        : cache_(std::exchange(other.cache_, nullptr)) {}
    SpeculationGuard& operator=(SpeculationGuard&&) = delete;
    ~SpeculationGuard() { static_cast<void>(close()); }
    /// What was not taken back stays. Errors: as commitSpeculation.
    [[nodiscard]] Status close() {
        KvCache* const cache = std::exchange(cache_, nullptr);
        return cache == nullptr ? Status() : cache->commitSpeculation();
    }

  private:
    SpeculationGuard() = default;
    KvCache* cache_ = nullptr;
};

}  // namespace lacuna
