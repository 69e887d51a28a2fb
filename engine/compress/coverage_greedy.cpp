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
constexpr std::size_t kAtOnce = 4;  // targets

/// Where the largest number above zero stands, the last of equals; -1 without any.
std::int32_t lastLargest(const float* numbers, std::size_t count) {
    const float top = bestKernels().maximum(numbers, static_cast<std::int64_t>(count));
    if (!(top > 0)) return -1;
    auto at = static_cast<std::int32_t>(count) - 1;
    while (numbers[at] != top) --at;
    return at;
}

}  // namespace

KeyMetric::KeyMetric(const SpanAttention& span)
    : span_(span),
      squares_(static_cast<std::size_t>(span.slots)),
      turned_(static_cast<std::size_t>(span.sampled * kBlock)),
      keys_(span.centred.data(), span.sampled, span.slots, span.sampled),
      dots_(static_cast<std::size_t>(kBlock * kChunk)),
      least_(static_cast<std::size_t>(kChunk)),
      lows_(static_cast<std::size_t>(kBlock * kChunk) / kAtOnce) {
    for (std::int64_t k = 0; k < span.slots; ++k) {
        const float* row = span.centred.data() + k * span.sampled;
        squares_[static_cast<std::size_t>(k)] =
            std::inner_product(row, row + span.sampled, row, 0.0F);
    }
    aimAtNone();
}

void KeyMetric::aimAt(std::int32_t slot) {
    const float* row = span_.centred.data() + slot * span_.sampled;
    targets_.insert(targets_.end(), row, row + span_.sampled);
    for (std::int64_t d = 0; d < span_.sampled; ++d)
        turned_[static_cast<std::size_t>(d * kBlock) + count_] = row[d];
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

/// Targets against some slots, and the smallest result of each slot.
void KeyMetric::multiplyChunk(std::int64_t first, std::int64_t count) {
    multiplyTransposed({.a = targets_.data(),
                        .aStride = span_.sampled,
                        .c = dots_.data(),
                        .cStride = kChunk,
                        .rows = static_cast<std::int64_t>(count_),
                        .depth = span_.sampled,
                        .columns = count},
                       keys_, first);
    std::ranges::fill(least_, kFar);
    // Targets behind the last are infinitely far, whatever their products.
    for (std::size_t at = 0; at < count_; at += kAtOnce) lowerTo(own_.data() + at, at);
}

/// The smallest results of kAtOnce targets, and of all so far.
void KeyMetric::lowerTo(const float* own, std::size_t at) {
    const float* dots = dots_.data() + at * static_cast<std::size_t>(kChunk);
    float* lows = lows_.data() + at / kAtOnce * static_cast<std::size_t>(kChunk);
    float* least = least_.data();
    for (std::int64_t i = 0; i < kChunk; ++i) {
        const float a = own[0] - 2 * dots[i];
        const float b = own[1] - 2 * dots[i + kChunk];
        const float c = own[2] - 2 * dots[i + 2 * kChunk];
        const float d = own[3] - 2 * dots[i + 3 * kChunk];
        const float ab = a < b ? a : b;
        const float cd = c < d ? c : d;
        const float low = ab < cd ? ab : cd;
        lows[i] = low;
        least[i] = low < least[i] ? low : least[i];
    }
}

/// An infinite distance where none can be below the bound.
KeyMetric::Nearest KeyMetric::nearest(std::size_t slot, std::int64_t inChunk, float bound) const {
    const auto column = static_cast<std::size_t>(inChunk);
    constexpr auto kStride = static_cast<std::size_t>(kChunk);
    const float least = squares_[slot] + least_[column];
    const bool copy = least <= 4 * kCopyTolerance * squares_[slot];
    Nearest out{.index = 0, .distance = kFar};
    if (least >= bound && !copy) return out;
    // What is left of a copy's distance is rounding: the first of all copies is the nearest.
    std::size_t first = 0;
    while (!copy && first + kAtOnce < count_ &&
           lows_[first / kAtOnce * kStride + column] != least_[column])
        first += kAtOnce;
    const std::size_t end = copy ? count_ : std::min(count_, first + kAtOnce);
    for (std::size_t at = first; at < end; ++at) {
        const float d = distance(slot, at, dots_[at * kStride + column]);
        if (d < out.distance) out = {.index = at, .distance = d};
    }
    return out;
}

void KeyMetric::toTargets(std::int32_t slot, std::size_t from, float* out) const {
    float dots[kBlock] = {};
    bestKernels().addWeightedRows[kernelIndex(DType::F32)](
        {reinterpret_cast<const std::byte*>(turned_.data()), kBlock * 4, span_.sampled, kBlock},
        span_.centred.data() + slot * span_.sampled, dots);
    for (std::size_t i = from; i < count_; ++i)
        out[i - from] = distance(static_cast<std::size_t>(slot), i, dots[i]);
}

CoverageGreedy::CoverageGreedy(const SpanAttention& span, std::vector<float> weights)
    : weights_(std::move(weights)),
      scores_(weights_),
      nearest_(weights_.size(), kFar),
      owner_(weights_.size(), 0),
      compared_(weights_.size(), 0),
      groupBest_((weights_.size() + kGroup - 1) / kGroup),
      groupTop_(groupBest_.size()),
      metric_(span) {
    rankAll();
}

void CoverageGreedy::rankGroup(std::size_t group) {
    const std::size_t first = group * kGroup;
    const std::size_t count = std::min(kGroup, scores_.size() - first);
    const std::int32_t found = lastLargest(scores_.data() + first, count);
    groupBest_[group] = found < 0 ? -1 : static_cast<std::int32_t>(first) + found;
    groupTop_[group] = found < 0 ? 0.0F : scores_[first + static_cast<std::size_t>(found)];
}

void CoverageGreedy::rankAll() {
    for (std::size_t group = 0; group < groupBest_.size(); ++group) rankGroup(group);
}

std::int32_t CoverageGreedy::best() const {
    const std::int32_t group = lastLargest(groupTop_.data(), groupTop_.size());
    return group < 0 ? -1 : groupBest_[static_cast<std::size_t>(group)];
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
