#include "engine/compress/coverage_greedy.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "engine/kernels/cpu_features.h"

namespace lacuna {
namespace {

constexpr float kFar = std::numeric_limits<float>::infinity();
// Squared distances below this part of a key's own length are rounding: the key is a copy.
constexpr float kCopyTolerance = 4e-6F;
constexpr std::size_t kGroup = 64;  // slots

/// The smallest of 2 * Half numbers to the front.
template <std::int64_t Half>
void halve(float* numbers) {
    for (std::int64_t i = 0; i < Half; ++i)
        numbers[i] = numbers[i + Half] < numbers[i] ? numbers[i + Half] : numbers[i];
    if constexpr (Half > 1) halve<Half / 2>(numbers);
}

}  // namespace

KeyMetric::KeyMetric(const SpanAttention& span)
    : span_(span), squares_(static_cast<std::size_t>(span.slots)) {
    for (std::int64_t k = 0; k < span.slots; ++k) {
        const float* row = span.centred.data() + k * span.sampled;
        squares_[static_cast<std::size_t>(k)] =
            std::inner_product(row, row + span.sampled, row, 0.0F);
    }
    aimAtNone();
}

void KeyMetric::aimAt(std::int32_t slot) {
    const auto row = span_.centred.begin() + slot * span_.sampled;
    targets_.insert(targets_.end(), row, row + span_.sampled);
    own_[count_++] = squares_[static_cast<std::size_t>(slot)];
}

void KeyMetric::aimAtNone() {
    targets_.clear();
    own_.assign(static_cast<std::size_t>(kBlock), kFar);
    count_ = 0;
}

float KeyMetric::distance(std::size_t slot, std::size_t index, float dot) const {
    const float squares = squares_[slot] + own_[index];
    const float distance = squares - 2 * dot;
    return distance > kCopyTolerance * squares ? distance : 0.0F;
}

void KeyMetric::multiplyAll() {
    dots_.resize(squares_.size() * static_cast<std::size_t>(kBlock));
    multiplyTransposed({.a = span_.centred.data(),
                        .aStride = span_.sampled,
                        .b = targets_.data(),
                        .bStride = span_.sampled,
                        .c = dots_.data(),
                        .cStride = kBlock,
                        .rows = span_.slots,
                        .depth = span_.sampled,
                        .columns = static_cast<std::int64_t>(count_)});
}

/// An infinite distance where none can be below the bound.
KeyMetric::Nearest KeyMetric::nearest(std::size_t slot, float bound) const {
    const float* own = own_.data();
    const float* dots = dots_.data() + slot * static_cast<std::size_t>(kBlock);
    // The smallest of all first; which one it is matters only when it counts.
    float low[kBlock];
    for (std::int64_t i = 0; i < kBlock; ++i) low[i] = own[i] - 2 * dots[i];
    halve<kBlock / 2>(low);
    const float least = squares_[slot] + low[0];
    Nearest out{.index = 0, .distance = kFar};
    // What is left of a copy's distance is rounding.
    if (least >= bound && least > 4 * kCopyTolerance * squares_[slot]) return out;
    for (std::size_t at = 0; at < count_; ++at) {
        const float d = distance(slot, at, dots[at]);
        if (d < out.distance) out = {.index = at, .distance = d};
    }
    return out;
}

void KeyMetric::toTargets(std::int32_t slot, std::size_t from, float* out) const {
    const auto stride = static_cast<std::size_t>(span_.sampled);
    bestKernels().dotRows[kernelIndex(DType::F32)](
        {reinterpret_cast<const std::byte*>(targets_.data() + from * stride), span_.sampled * 4,
         static_cast<std::int64_t>(count_ - from), span_.sampled},
        span_.centred.data() + slot * span_.sampled, out);
    for (std::size_t i = from; i < count_; ++i)
        out[i - from] = distance(static_cast<std::size_t>(slot), i, out[i - from]);
}

CoverageGreedy::CoverageGreedy(const SpanAttention& span, std::vector<float> weights)
    : weights_(std::move(weights)),
      scores_(weights_),
      nearest_(weights_.size(), kFar),
      owner_(weights_.size(), 0),
      compared_(weights_.size(), 0),
      groupBest_((weights_.size() + kGroup - 1) / kGroup),
      metric_(span) {
    rankAll();
}

/// The slot with the largest score above zero, the newest of equals.
void CoverageGreedy::rankGroup(std::size_t group) {
    std::int32_t found = -1;
    float top = 0;
    const std::size_t end = std::min((group + 1) * kGroup, scores_.size());
    for (std::size_t k = group * kGroup; k < end; ++k) {
        if (scores_[k] <= 0 || scores_[k] < top) continue;
        top = scores_[k];
        found = static_cast<std::int32_t>(k);
    }
    groupBest_[group] = found;
}

void CoverageGreedy::rankAll() {
    for (std::size_t group = 0; group < groupBest_.size(); ++group) rankGroup(group);
}

std::int32_t CoverageGreedy::best() const {
    std::int32_t found = -1;
    float top = 0;
    for (const std::int32_t slot : groupBest_) {
        if (slot < 0 || scores_[static_cast<std::size_t>(slot)] < top) continue;
        top = scores_[static_cast<std::size_t>(slot)];
        found = slot;
    }
    return found;
}

void CoverageGreedy::note(std::size_t slot, float distance, std::int32_t rank) {
    if (distance >= nearest_[slot]) return;
    nearest_[slot] = distance;
    owner_[slot] = rank;
}

/// Compares a slot with the picks it does not know of.
void CoverageGreedy::refresh(std::size_t slot) {
    const std::size_t settled = picks_.size() - pending_.size();
    const auto known = static_cast<std::size_t>(compared_[slot]);
    float distances[KeyMetric::kBlock];
    metric_.toTargets(static_cast<std::int32_t>(slot), known - settled, distances);
    for (std::size_t rank = known; rank < picks_.size(); ++rank)
        note(slot, distances[rank - known], static_cast<std::int32_t>(rank));
    compared_[slot] = static_cast<std::int32_t>(picks_.size());
    scores_[slot] = weights_[slot] * nearest_[slot];
    rankGroup(slot / kGroup);
}

bool CoverageGreedy::pick() {
    std::int32_t found = best();
    while (found >= 0 &&
           compared_[static_cast<std::size_t>(found)] < static_cast<std::int32_t>(picks_.size())) {
        refresh(static_cast<std::size_t>(found));
        found = best();
    }
    if (found < 0) return false;
    const auto slot = static_cast<std::size_t>(found);
    owner_[slot] = static_cast<std::int32_t>(picks_.size());
    picks_.push_back(found);
    pending_.push_back(found);
    nearest_[slot] = 0;
    scores_[slot] = 0;
    rankGroup(slot / kGroup);
    metric_.aimAt(found);
    // The first is compared with all at once: what was known before bounds nothing.
    if (picks_.size() == 1 || pending_.size() == static_cast<std::size_t>(KeyMetric::kBlock))
        settle();
    return true;
}

void CoverageGreedy::settle() {
    if (pending_.empty()) return;
    const std::size_t settled = picks_.size() - pending_.size();
    metric_.nearestOf(nearest_, [&](std::size_t slot, std::size_t index, float distance) {
        nearest_[slot] = distance;
        owner_[slot] = static_cast<std::int32_t>(settled + index);
        scores_[slot] = weights_[slot] * distance;
    });
    std::ranges::fill(compared_, static_cast<std::int32_t>(picks_.size()));
    // A pick is its own, also where another has the same key.
    for (std::size_t i = 0; i < pending_.size(); ++i) {
        const auto slot = static_cast<std::size_t>(pending_[i]);
        nearest_[slot] = 0;
        owner_[slot] = static_cast<std::int32_t>(settled + i);
        scores_[slot] = 0;
    }
    pending_.clear();
    metric_.aimAtNone();
    rankAll();
}

}  // namespace lacuna
