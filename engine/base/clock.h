#pragma once
/// \file
/// Monotonic time, replaceable in tests, and what has passed of it in the units that figures are
/// given in. Implementations are thread-safe.

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

/// `startNs` is of the same clock.
[[nodiscard]] inline double millisecondsSince(const Clock& clock, std::int64_t startNs) {
    return static_cast<double>(clock.nowNs() - startNs) * 1e-6;
}
[[nodiscard]] inline double secondsSince(const Clock& clock, std::int64_t startNs) {
    return static_cast<double>(clock.nowNs() - startNs) * 1e-9;
}

}  // namespace lacuna
