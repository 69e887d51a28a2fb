#pragma once
/// \file
/// Counter-based random numbers: the same (seed, stream, counter) gives the same value on every
/// machine and for any order of calls. Mixing function: SplitMix64 finaliser (Steele et al., 2014).

#include <cstdint>

namespace lacuna {

/// 64 random bits for (seed, stream, counter). Pure.
[[nodiscard]] std::uint64_t randomBits(std::uint64_t seed, std::uint64_t stream,
                                       std::uint64_t counter);

/// One stream of numbers; a value type owned by one user.
class RandomStream {
  public:
    RandomStream(std::uint64_t seed, std::uint64_t stream) : seed_(seed), stream_(stream) {}
    [[nodiscard]] std::uint64_t bits() { return randomBits(seed_, stream_, counter_++); }
    /// Uniform in [0, 1) with 53 bits.
    [[nodiscard]] double uniform() { return static_cast<double>(bits() >> 11) * 0x1.0p-53; }
    /// Uniform in [0, n); n > 0. Bias below 2^-32 for n < 2^32.
    [[nodiscard]] std::uint64_t below(std::uint64_t n) { return bits() % n; }
    /// Standard normal (Box-Muller, one value per call).
    [[nodiscard]] double normal();
    [[nodiscard]] std::uint64_t counter() const { return counter_; }

  private:
    std::uint64_t seed_;
    std::uint64_t stream_;
    std::uint64_t counter_ = 0;
};

}  // namespace lacuna
