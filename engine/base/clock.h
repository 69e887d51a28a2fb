#pragma once
/// \file
/// Monotonic clock, replaceable in tests, and elapsed time in the units used by statistics.
/// Implementations are thread-safe.

#include <chrono>
#include <cstdint>

namespace lacuna {

class Clock {
  public:
    virtual ~Clock() = default;
    /// Nanoseconds since an arbitrary fixed point; never decreases.
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

/// `startNs` must come from the same clock.
[[nodiscard]] inline double millisecondsSince(const Clock& clock, std::int64_t startNs) {
    return static_cast<double>(clock.nowNs() - startNs) * 1e-6;
}
[[nodiscard]] inline double secondsSince(const Clock& clock, std::int64_t startNs) {
    return static_cast<double>(clock.nowNs() - startNs) * 1e-9;
}

}  // namespace lacuna
