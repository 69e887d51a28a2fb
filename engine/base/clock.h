#pragma once
/// \file
/// Monotonic time, replaceable in tests. Implementations are thread-safe.

#include <chrono>
#include <cstdint>

namespace lacuna {

class Clock {
  public:
    virtual ~Clock() = default;
    /// Nanoseconds since an arbitrary fixed point; never goes back.
    [[nodiscard]] virtual std::int64_t nowNs() const = 0;
};

class SteadyClock final : public Clock {
  public:
    [[nodiscard]] std::int64_t nowNs() const override {
        return std::chrono::duration_cast<std::chrono::nanoseconds>(
                   std::chrono::steady_clock::now().time_since_epoch())
            .count();
    }
};

}  // namespace lacuna
