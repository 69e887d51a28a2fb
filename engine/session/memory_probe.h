#pragma once
/// \file
/// Resident memory of this process, read at most ten times a second. Owned by one thread.

#include <cstdint>
#include <optional>

#include "engine/base/clock.h"

namespace lacuna {

class MemoryProbe {
  public:
    explicit MemoryProbe(const Clock& clock) : clock_(clock) {}
    /// Returns bytes; 0 if the system does not report them.
    [[nodiscard]] std::int64_t residentBytes();

  private:
    const Clock& clock_;
    std::optional<std::int64_t> readAtNs_;
    std::int64_t bytes_ = 0;
};

}  // namespace lacuna
