#include "engine/compress/matching/coverage_greedy.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include "engine/kernels/cpu_features.h"

namespace lacuna {
namespace {

constexpr float kFar = std::numeric_limits<float>::infinity();
// Squared distances below this share of a key's squared norm are rounding errors: the key is a
// copy.
constexpr float kCopyTolerance = 4e-6F;
// Residual distances up to this share may be rounding errors.
constexpr float kCopyLimit = 4 * kCopyTolerance;
constexpr std::size_t kWordBits = 64;
constexpr int kHalvings = 12;  // bisection steps between too few and too many candidates

/// Returns the squared distance between keys whose squares sum to `squares`; 0 for copies.
inline float telling(float distance, float squares) {
    return distance > kCopyTolerance * squares ? distance : 0.0F;
}

/// Index of the largest positive number, the last on a tie; -1 if there is none.
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
      transposed_(static_cast<std::size_t>(span.sampled * kStride)),
      own_(static_cast<std::size_t>(kBlock)),
      smallest_(panelRows_),
      nearestTargets_(panelRows_) {
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

void KeyMetric::setTarget(std::int32_t slot) {
    const float* row = span_.centred.data() + slot * span_.sampled;
    std::copy_n(row, span_.sampled,
                targets_.data() + static_cast<std::int64_t>(count_) * span_.sampled);
    for (std::int64_t d = 0; d < span_.sampled; ++d)
        transposed_[static_cast<std::size_t>(d * kStride) + count_] = row[d];
    if (compareBfloat_ != nullptr)
        bestKernels().toBfloat(
            row, bfloatTargets_.data() + static_cast<std::int64_t>(count_) * bfloatDepth_,
            span_.sampled);
    own_[count_++] = squares_[static_cast<std::size_t>(slot)];
}

void KeyMetric::clearTarget() {
    count_ = 0;
}

float KeyMetric::copyLimit(std::size_t slot) const {
    return kCopyLimit * squares_[slot];
}

float KeyMetric::fullDistance(std::size_t slot, float own, float relative) const {
    return telling(squares_[slot] + relative, squares_[slot] + own);
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
            smallest_.data(), nearestTargets_.data());
    compare_({.rows = targets_.data(),
              .own = own_.data(),
              .depth = span_.sampled,
              .count = static_cast<int>(count_)},
             keys_->panel(static_cast<std::int64_t>(first)), smallest_.data(),
             nearestTargets_.data());
    std::uint32_t near = 0;
    for (std::size_t i = 0; i < rows; ++i) {
        const float least = squares_[first + i] + smallest_[i];
        if (least < bounds[first + i] || least <= copyLimit(first + i)) near |= 1U << i;
    }
    return near;
}

KeyMetric::Nearest KeyMetric::nearest(std::size_t slot, std::size_t inPanel) const {
    if (squares_[slot] + smallest_[inPanel] > copyLimit(slot)) {
        const auto index = static_cast<std::size_t>(nearestTargets_[inPanel]);
        return {.index = index, .distance = fullDistance(slot, own_[index], smallest_[inPanel])};
    }
    // The distance to a copy is a rounding error: the first copy counts as the nearest.
    float distances[kBlock];
    toTargets(slot, distances);
    const float* least = std::min_element(distances, distances + count_);
    return {.index = static_cast<std::size_t>(least - distances), .distance = *least};
}

void KeyMetric::toTargets(std::size_t slot, float* out) const {
    float dots[kStride] = {};
    bestKernels().addWeightedRows[kernelIndex(DType::F32)](
        {reinterpret_cast<const std::byte*>(transposed_.data()), kStride * 4, span_.sampled,
         kStride},
        span_.centred.data() + static_cast<std::int64_t>(slot) * span_.sampled, dots);
    for (std::size_t i = 0; i < count_; ++i)
        out[i] = fullDistance(slot, own_[i], own_[i] - 2 * dots[i]);
}

TopCandidates::TopCandidates(const SpanAttention& span, const KeyMetric& metric)
    : span_(span),
      metric_(metric),
      rows_(static_cast<std::size_t>(span.sampled) * kMaxCandidates),
      squares_(kMaxCandidates),
      weights_(kMaxCandidates),
      nearest_(kMaxCandidates),
      scores_(kMaxCandidates) {}

/// Finds a score that at least half as many slots reach as there are candidates, if so many are
/// positive, and few more than there are candidates.
void TopCandidates::findLimit(std::span<const float> scores) {
    const auto above = [&](float limit) {
        return static_cast<std::size_t>(
            bestKernels().countAbove(scores.data(), limit, std::ssize(scores)));
    };
    // Scores decrease, so even fewer slots reach an earlier limit.
    float few = std::numeric_limits<float>::infinity();
    std::size_t count = above(rareScore_);
    while (count < kMaxCandidates / 2 && rareScore_ > 0) {
        few = rareScore_;
        rareScore_ = rareScore_ > 1e-30F ? rareScore_ / 2 : 0;
        count = above(rareScore_);
    }
    if (count <= kMaxCandidates) return;
    if (!std::isfinite(few)) few = bestKernels().maximum(scores.data(), std::ssize(scores));
    for (int halvings = 0; halvings < kHalvings && count > kMaxCandidates; ++halvings) {
        const float middle = rareScore_ + (few - rareScore_) / 2;
        const std::size_t found = above(middle);
        if (found < kMaxCandidates / 2) {
            few = middle;
            continue;
        }
        rareScore_ = middle;
        count = found;
    }
}

/// Selects the slots with the largest scores and the bound of the others.
void TopCandidates::choose(std::span<const float> scores) {
    findLimit(scores);
    slots_.clear();
    marks_.resize((scores.size() + kWordBits - 1) / kWordBits);
    bestKernels().markAbove(scores.data(), rareScore_, marks_.data(), std::ssize(scores));
    for (std::size_t word = 0; word < marks_.size(); ++word)
        for (std::uint64_t bits = marks_[word]; bits != 0; bits &= bits - 1)
            slots_.push_back(static_cast<std::int32_t>(
                word * kWordBits + static_cast<std::size_t>(std::countr_zero(bits))));
    bound_ = rareScore_;
    boundSlot_ = static_cast<std::int32_t>(scores.size());
    if (slots_.size() <= kMaxCandidates) return;
    const auto score = [&](std::int32_t slot) { return scores[static_cast<std::size_t>(slot)]; };
    std::vector<float> values;
    for (const std::int32_t slot : slots_) values.push_back(score(slot));
    std::nth_element(values.begin(), values.begin() + (kMaxCandidates - 1), values.end(),
                     std::greater<>());
    // Smallest score of the best; among the slots with this score the newest are taken.
    const float least = values[kMaxCandidates - 1];
    auto room = static_cast<std::ptrdiff_t>(kMaxCandidates) -
                std::count_if(values.begin(), values.begin() + kMaxCandidates,
                              [least](float value) { return value > least; });
    rareScore_ = bound_ = least;
    boundSlot_ = -1;
    auto kept = slots_.end();
    for (auto slot = slots_.end(); slot != slots_.begin();) {
        --slot;
        const float value = score(*slot);
        const bool best = value > least || (value == least && room-- > 0);
        if (best) *--kept = *slot;
        if (!best && value == least) boundSlot_ = std::max(boundSlot_, *slot);
    }
    slots_.erase(slots_.begin(), kept);
}

void TopCandidates::take(std::span<const float> scores, std::span<const float> nearest,
                         std::span<const float> weights) {
    choose(scores);
    for (std::size_t a = 0; a < slots_.size(); ++a) {
        const auto slot = static_cast<std::size_t>(slots_[a]);
        squares_[a] = metric_.square(slots_[a]);
        weights_[a] = weights[slot];
        nearest_[a] = nearest[slot];
        scores_[a] = scores[slot];
        const float* row = span_.centred.data() + slots_[a] * span_.sampled;
        for (std::int64_t d = 0; d < span_.sampled; ++d)
            rows_[static_cast<std::size_t>(d) * kMaxCandidates + a] = row[d];
    }
}

std::int32_t TopCandidates::best() const {
    if (slots_.empty()) return -1;
    const std::int32_t found = lastLargest(scores_.data(), slots_.size());
    if (found < 0) return -1;
    const float score = scores_[static_cast<std::size_t>(found)];
    return score > bound_ || (score == bound_ && slot(found) > boundSlot_) ? found : -1;
}

void TopCandidates::drop(std::int32_t candidate) {
    const std::int32_t pick = slot(candidate);
    const float own = metric_.square(pick);
    float dots[kMaxCandidates] = {};
    const std::size_t count = slots_.size();
    bestKernels().addWeightedRows[kernelIndex(DType::F32)](
        {reinterpret_cast<const std::byte*>(rows_.data()), kMaxCandidates * 4, span_.sampled,
         static_cast<std::int64_t>(count)},
        span_.centred.data() + pick * span_.sampled, dots);
    const float* squares = squares_.data();
    const float* weights = weights_.data();
    float* nearest = nearest_.data();
    float* scores = scores_.data();
    for (std::size_t a = 0; a < count; ++a) {
        const float distance = telling(squares[a] + (own - 2 * dots[a]), squares[a] + own);
        const bool nearer = distance < nearest[a];
        nearest[a] = nearer ? distance : nearest[a];
        scores[a] = nearer ? weights[a] * distance : scores[a];
    }
    nearest[candidate] = 0;
    scores[candidate] = 0;
}

CoverageGreedy::CoverageGreedy(const SpanAttention& span, std::vector<float> weights)
    : weights_(std::move(weights)),
      scores_(weights_),
      nearest_(weights_.size(), kFar),
      owner_(weights_.size(), 0),
      metric_(span),
      candidates_(span, metric_) {}

bool CoverageGreedy::pick() {
    std::int32_t found = candidates_.best();
    if (found < 0) {
        settle();
        candidates_.take(scores_, nearest_, weights_);
        found = candidates_.best();
    }
    if (found < 0) return false;
    const std::int32_t slot = candidates_.slot(found);
    picks_.push_back(slot);
    pending_.push_back(slot);
    metric_.setTarget(slot);
    candidates_.drop(found);
    // All slots are compared with the first pick, so earlier candidates are useless.
    if (picks_.size() == 1) candidates_.clearSlots();
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
    // A pick owns itself, even if another pick has the same key.
    for (std::size_t i = 0; i < pending_.size(); ++i) {
        const auto slot = static_cast<std::size_t>(pending_[i]);
        nearest_[slot] = 0;
        owner_[slot] = static_cast<std::int32_t>(settled + i);
        scores_[slot] = 0;
    }
    pending_.clear();
    metric_.clearTarget();
}

}  // namespace lacuna
