#include "engine/compress/coverage_greedy.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace lacuna {
namespace {

constexpr float kFar = std::numeric_limits<float>::infinity();
// Squared distances below this part of a key's own length are rounding: the key is a copy.
constexpr float kCopyTolerance = 4e-6F;
constexpr std::size_t kGroup = 64;  // slots

}  // namespace

KeyMetric::KeyMetric(const SpanAttention& span)
    : span_(span), squares_(static_cast<std::size_t>(span.slots)) {
    for (std::int64_t k = 0; k < span.slots; ++k) {
        const float* row = span.centred.data() + k * span.sampled;
        squares_[static_cast<std::size_t>(k)] =
            std::inner_product(row, row + span.sampled, row, 0.0F);
    }
}

void KeyMetric::aimAt(std::int32_t slot) {
    const auto row = span_.centred.begin() + slot * span_.sampled;
    targets_.insert(targets_.end(), row, row + span_.sampled);
    own_.push_back(squares_[static_cast<std::size_t>(slot)]);
}

void KeyMetric::aimAtNone() {
    targets_.clear();
    own_.clear();
}

float KeyMetric::distance(std::size_t slot, std::size_t index, float dot) const {
    const float squares = squares_[slot] + own_[index];
    const float distance = squares - 2 * dot;
    return distance > kCopyTolerance * squares ? distance : 0.0F;
}

const float* KeyMetric::ofAll() {
    distances_.resize(squares_.size() * static_cast<std::size_t>(kBlock));
    multiplyTransposed({.a = span_.centred.data(),
                        .aStride = span_.sampled,
                        .b = targets_.data(),
                        .bStride = span_.sampled,
                        .c = distances_.data(),
                        .cStride = kBlock,
                        .rows = span_.slots,
                        .depth = span_.sampled,
                        .columns = static_cast<std::int64_t>(own_.size())});
    for (std::size_t k = 0; k < squares_.size(); ++k) {
        float* row = distances_.data() + k * static_cast<std::size_t>(kBlock);
        for (std::size_t i = 0; i < own_.size(); ++i) row[i] = distance(k, i, row[i]);
    }
    return distances_.data();
}

float KeyMetric::of(std::int32_t slot, std::size_t index) const {
    const float* a = span_.centred.data() + slot * span_.sampled;
    const float* b = targets_.data() + index * static_cast<std::size_t>(span_.sampled);
    // Eight sums, so that they can be added at once.
    float sums[8] = {};
    std::int64_t i = 0;
    for (; i + 8 <= span_.sampled; i += 8)
        for (std::int64_t lane = 0; lane < 8; ++lane) sums[lane] += a[i + lane] * b[i + lane];
    for (; i < span_.sampled; ++i) sums[0] += a[i] * b[i];
    return distance(static_cast<std::size_t>(slot), index,
                    std::accumulate(std::begin(sums), std::end(sums), 0.0F));
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
    for (auto rank = static_cast<std::size_t>(compared_[slot]); rank < picks_.size(); ++rank)
        note(slot, metric_.of(static_cast<std::int32_t>(slot), rank - settled),
             static_cast<std::int32_t>(rank));
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
    const float* distances = metric_.ofAll();
    const std::size_t settled = picks_.size() - pending_.size();
    for (std::size_t k = 0; k < nearest_.size(); ++k) {
        const float* row = distances + k * static_cast<std::size_t>(KeyMetric::kBlock);
        for (std::size_t i = 0; i < pending_.size(); ++i)
            note(k, row[i], static_cast<std::int32_t>(settled + i));
        scores_[k] = weights_[k] * nearest_[k];
        compared_[k] = static_cast<std::int32_t>(picks_.size());
    }
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
