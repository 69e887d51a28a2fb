#include "engine/base/random.h"

#include <cmath>
#include <numbers>

namespace lacuna {
namespace {

std::uint64_t mix(std::uint64_t z) {
    z += 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

}  // namespace

std::uint64_t randomBits(std::uint64_t seed, std::uint64_t stream, std::uint64_t counter) {
    return mix(mix(mix(seed) ^ stream) ^ counter);
}

double RandomStream::normal() {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
    return radius * std::cos(2.0 * std::numbers::pi * uniform());
}

}  // namespace lacuna
