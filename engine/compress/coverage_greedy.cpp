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
// Up to this part what is left of a distance may be rounding.
constexpr float kCopyLimit = 4 * kCopyTolerance;
constexpr std::size_t kGroup = 64;  // slots

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
      compare_(nearestTargets(bestKernels())),
      compareBfloat_(span.centredInBfloat ? nearestBfloatTargets(bestKernels()) : nullptr),
      panelRows_(static_cast<std::size_t>(bestKernels().panelRows)),
      squares_(static_cast<std::size_t>(span.slots)),
      targets_(static_cast<std::size_t>(span.sampled * kBlock)),
      turned_(static_cast<std::size_t>(span.sampled * kStride)),
      own_(static_cast<std::size_t>(kBlock)),
      least_(panelRows_),
      which_(panelRows_) {
    for (std::int64_t k = 0; k < span.slots; ++k) {
        const float* row = span.centred.data() + k * span.sampled;
        squares_[static_cast<std::size_t>(k)] =
            std::inner_product(row, row + span.sampled, row, 0.0F);
    }
    if (compareBfloat_ != nullptr)
        packBfloat();
    else
        keys_ = std::make_unique<PackedRows>(span.centred.data(), span.sampled, span.slots,
                                             span.sampled);
}

void KeyMetric::packBfloat() {
    const auto width = static_cast<std::int64_t>(panelRows_);
    bfloatDepth_ = span_.sampled + span_.sampled % 2;
    bfloatTargets_.resize(static_cast<std::size_t>(kBlock * bfloatDepth_));
    const std::int64_t panels = (span_.slots + width - 1) / width;
    bfloatKeys_.resize(static_cast<std::size_t>(panels * width * bfloatDepth_ * 2));
    std::vector<std::uint16_t> rows(static_cast<std::size_t>(width * bfloatDepth_));
    for (std::int64_t first = 0; first < span_.slots; first += width) {
        const std::int64_t count = std::min(width, span_.slots - first);
        for (std::int64_t j = 0; j < count; ++j)
            bestKernels().toBfloat(span_.centred.data() + (first + j) * span_.sampled,
                                   rows.data() + j * bfloatDepth_, span_.sampled);
        bestKernels().packBfloat({.type = DType::BF16,
                                  .rows = reinterpret_cast<const std::byte*>(rows.data()),
                                  .rowStride = bfloatDepth_ * 2,
                                  .columns = bfloatDepth_,
                                  .rowCount = static_cast<int>(count)},
                                 bfloatKeys_.data() + first * bfloatDepth_ * 2);
    }
}

void KeyMetric::aimAt(std::int32_t slot) {
    const float* row = span_.centred.data() + slot * span_.sampled;
    std::copy_n(row, span_.sampled,
                targets_.data() + static_cast<std::int64_t>(count_) * span_.sampled);
    for (std::int64_t d = 0; d < span_.sampled; ++d)
        turned_[static_cast<std::size_t>(d * kStride) + count_] = row[d];
    if (compareBfloat_ != nullptr)
        bestKernels().toBfloat(
            row, bfloatTargets_.data() + static_cast<std::int64_t>(count_) * bfloatDepth_,
            span_.sampled);
    own_[count_++] = squares_[static_cast<std::size_t>(slot)];
}

void KeyMetric::aimAtNone() {
    count_ = 0;
}

float KeyMetric::copyLimit(std::size_t slot) const {
    return kCopyLimit * squares_[slot];
}

/// From a distance less the slot's own square.
float KeyMetric::distance(std::size_t slot, std::size_t index, float relative) const {
    const float distance = squares_[slot] + relative;
    return distance > kCopyTolerance * (squares_[slot] + own_[index]) ? distance : 0.0F;
}

std::uint32_t KeyMetric::comparePanel(std::size_t first, const std::vector<float>& bounds) {
    const std::size_t rows = std::min(panelRows_, bounds.size() - first);
    if (compareBfloat_ != nullptr)
        return compareBfloat_(
            {.rows = bfloatTargets_.data(),
             .stride = bfloatDepth_,
             .own = own_.data(),
             .depth = span_.sampled,
             .count = static_cast<int>(count_)},
            bfloatKeys_.data() + static_cast<std::int64_t>(first) * bfloatDepth_ * 2,
            {.squares = squares_.data() + first,
             .distances = bounds.data() + first,
             .copies = kCopyLimit,
             .rows = static_cast<int>(rows)},
            least_.data(), which_.data());
    compare_({.rows = targets_.data(),
              .own = own_.data(),
              .depth = span_.sampled,
              .count = static_cast<int>(count_)},
             keys_->panel(static_cast<std::int64_t>(first)), least_.data(), which_.data());
    std::uint32_t near = 0;
    for (std::size_t i = 0; i < rows; ++i) {
        const float least = squares_[first + i] + least_[i];
        if (least < bounds[first + i] || least <= copyLimit(first + i)) near |= 1U << i;
    }
    return near;
}

KeyMetric::Nearest KeyMetric::nearest(std::size_t slot, std::size_t inPanel) const {
    if (squares_[slot] + least_[inPanel] > copyLimit(slot)) {
        const auto index = static_cast<std::size_t>(which_[inPanel]);
        return {.index = index, .distance = distance(slot, index, least_[inPanel])};
    }
    // What is left of a copy's distance is rounding: the first of all copies is the nearest.
    float distances[kBlock];
    toTargets(static_cast<std::int32_t>(slot), 0, distances);
    const float* least = std::min_element(distances, distances + count_);
    return {.index = static_cast<std::size_t>(least - distances), .distance = *least};
}

void KeyMetric::toTargets(std::int32_t slot, std::size_t from, float* out) const {
    float dots[kStride] = {};
    bestKernels().addWeightedRows[kernelIndex(DType::F32)](
        {reinterpret_cast<const std::byte*>(turned_.data()), kStride * 4, span_.sampled, kStride},
        span_.centred.data() + slot * span_.sampled, dots);
    for (std::size_t i = from; i < count_; ++i)
        out[i - from] = distance(static_cast<std::size_t>(slot), i, own_[i] - 2 * dots[i]);
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
