#include "engine/kv/eviction/query_rotation.h"

#include <algorithm>
#include <cmath>

#include "engine/kernels/cpu_features.h"

namespace lacuna {

bool QueryRotation::turns(int layer) const {
    return std::ranges::find(layersWithoutRotation, layer) == layersWithoutRotation.end();
}

void InverseRotation::prepare(const QueryRotation& rotation, std::int64_t first,
                              std::int64_t count) {
    const std::size_t cells = static_cast<std::size_t>(count) * rotation.pairs();
    if (first_ == first && cosines_.size() == cells) return;
    clear();
    first_ = first;
    for (std::int64_t token = 0; token < count; ++token)
        for (const double frequency : rotation.frequencies) {
            const double angle = frequency * static_cast<double>(first + token);
            cosines_.push_back(static_cast<float>(std::cos(angle) / rotation.magnitude));
            sines_.push_back(static_cast<float>(-std::sin(angle) / rotation.magnitude));
        }
}

void InverseRotation::apply(const QueryRotation& rotation, std::int64_t token, float* row,
                            int heads, int dim) const {
    const std::size_t at = static_cast<std::size_t>(token) * rotation.pairs();
    const RotaryStep back{cosines_.data() + at, sines_.data() + at,
                          static_cast<int>(rotation.pairs())};
    const KernelTable& kernels = bestKernels();
    const auto rotate = rotation.interleaved ? kernels.rotateInterleaved : kernels.rotateHalves;
    for (int head = 0; head < heads; ++head) rotate(row + std::int64_t{head} * dim, back);
}

void InverseRotation::clear() {
    first_ = -1;
    cosines_.clear();
    sines_.clear();
}

}  // namespace lacuna
