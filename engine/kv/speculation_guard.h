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
    /// Over at most `most` tokens; nothing is opened for none. Errors: as Speculation::begin.
    [[nodiscard]] static Result<SpeculationGuard> open(KvCache& cache, int most) {
        SpeculationGuard guard;
        if (most <= 0) return guard;
        LACUNA_TRY_STATUS(cache.speculation().begin(most));
        guard.open_ = &cache.speculation();
        return guard;
    }
    SpeculationGuard(SpeculationGuard&& other) noexcept
        : open_(std::exchange(other.open_, nullptr)) {}
    SpeculationGuard& operator=(SpeculationGuard&&) = delete;
    ~SpeculationGuard() { static_cast<void>(close()); }
    /// What was not taken back stays. Errors: as Speculation::commit.
    [[nodiscard]] Status close() {
        Speculation* const open = std::exchange(open_, nullptr);
        return open == nullptr ? Status() : open->commit();
    }

  private:
    SpeculationGuard() = default;
    Speculation* open_ = nullptr;
};

}  // namespace lacuna
