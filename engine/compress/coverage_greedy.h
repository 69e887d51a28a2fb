#pragma once
/// \file
/// Greedy coverage of keys (docs/attention-matching.md, "Keys that stay"): the next key is the one
/// with the largest product of a weight and its squared distance to the nearest key chosen so far.
///
/// Distances only fall, so an old one bounds the true one from above. Those of all keys are brought
/// up to date for a block of chosen keys at once, which is a product of matrices; after every
/// choice only those of a few hundred front runners are, as long as the best of them beats what
/// bounds the others. The choice is the same as with all distances at hand. One head at a time.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/compress/matrix_products.h"
#include "engine/compress/span_attention.h"
#include "engine/kernels/nearest_targets.h"

namespace lacuna {

/// Distances between keys as the sampled queries tell them apart.
class KeyMetric {
  public:
    static constexpr std::int64_t kBlock = 24;  ///< targets at once: whole tiles of the kernels

    explicit KeyMetric(const SpanAttention& span);
    /// Adds a slot to those that distances are asked to. @pre fewer than kBlock so far
    void aimAt(std::int32_t slot);
    void aimAtNone();
    /// The nearest of the slots aimed at, for every slot: `found(slot, index, distance)` is called
    /// where it is nearer than `bounds` says, [slots] squared distances.
    template <class Found>
    void nearestOf(const std::vector<float>& bounds, Found found) {
        const std::size_t slots = bounds.size();
        for (std::size_t first = 0; first < slots; first += panelRows_) {
            for (std::uint32_t near = comparePanel(first, bounds); near != 0; near &= near - 1) {
                const auto i = static_cast<std::size_t>(std::countr_zero(near));
                const Nearest one = nearest(first + i, i);
                if (one.distance < bounds[first + i]) found(first + i, one.index, one.distance);
            }
        }
    }
    /// Squared length of a slot.
    [[nodiscard]] float square(std::int32_t slot) const {
        return squares_[static_cast<std::size_t>(slot)];
    }

  private:
    static constexpr std::int64_t kStride = kColumnQuantum;  ///< of the targets' columns
    struct Nearest {
        std::size_t index = 0;
        float distance = 0;
    };
    /// Squared distances of one slot to those aimed at.
    void toTargets(std::size_t slot, float* out) const;
    /// A bit for each slot of the panel that is nearer than its bound or may be a copy.
    [[nodiscard]] std::uint32_t comparePanel(std::size_t first, const std::vector<float>& bounds);
    [[nodiscard]] Nearest nearest(std::size_t slot, std::size_t inPanel) const;
    /// Up to here what is left of a distance may be rounding.
    [[nodiscard]] float copyLimit(std::size_t slot) const;
    /// From what is left of a distance less the slot's own square.
    [[nodiscard]] float wholeDistance(std::size_t slot, float own, float relative) const;

    void packBfloat();

    const SpanAttention& span_;
    NearestTargets compare_;
    NearestBfloatTargets compareBfloat_;  ///< null: in float
    std::size_t panelRows_;
    std::vector<float> squares_;                ///< [slots]
    std::vector<float> targets_;                ///< [kBlock, sampled]
    std::vector<float> turned_;                 ///< the same as [sampled, kStride]
    std::vector<float> own_;                    ///< [kBlock] squares of the targets
    std::size_t count_ = 0;                     ///< targets
    std::unique_ptr<PackedRows> keys_;          ///< all slots as the sampled queries see them
    std::vector<std::byte> bfloatKeys_;         ///< the same in bfloat16, where it loses nothing
    std::vector<std::uint16_t> bfloatTargets_;  ///< [kBlock, bfloatDepth_]
    std::int64_t bfloatDepth_ = 0;              ///< sampled made even
    std::vector<float> least_;  ///< [panelRows] smallest distances less the slots' own squares
    std::vector<std::int32_t> which_;  ///< [panelRows] targets they are to
};

/// The slots with the highest scores, whose distances are brought up to date with every pick.
class FrontRunners {
  public:
    static constexpr std::size_t kMost = 256;

    FrontRunners(const SpanAttention& span, const KeyMetric& metric);
    /// The best of `scores` above zero; `nearest` are the distances they follow from.
    void take(std::span<const float> scores, std::span<const float> nearest,
              std::span<const float> weights);
    void takeNone() { slots_.clear(); }
    /// Index of the runner with the largest score, the newest of equals; -1 where another slot may
    /// have a larger one, or none is above zero.
    [[nodiscard]] std::int32_t best() const;
    [[nodiscard]] std::int32_t slot(std::int32_t runner) const {
        return slots_[static_cast<std::size_t>(runner)];
    }
    /// A pick is no runner any more, and the others may have become nearer to it.
    void drop(std::int32_t runner);

  private:
    void findLimit(std::span<const float> scores);
    void choose(std::span<const float> scores);

    const SpanAttention& span_;
    const KeyMetric& metric_;
    std::vector<std::int32_t> slots_;  ///< ascending
    std::vector<float> rows_;          ///< [sampled, kMost] their coordinates
    std::vector<float> squares_, weights_, nearest_, scores_;  ///< [kMost]
    std::vector<std::uint64_t> marks_;                         ///< a bit for each slot
    float fewest_ = 0;  ///< score that few slots reached when they were chosen last
    float bound_ = 0;   ///< largest score of any other slot
    std::int32_t boundSlot_ = -1;
};

class CoverageGreedy {
  public:
    CoverageGreedy(const SpanAttention& span, std::vector<float> weights);
    /// False when every other key is as one chosen already.
    [[nodiscard]] bool pick();
    /// Brings what follows up to date.
    void settle();
    [[nodiscard]] std::vector<std::int32_t>& picks() { return picks_; }
    /// [slots] index into picks: the nearest of them.
    [[nodiscard]] std::vector<std::int32_t>& owner() { return owner_; }
    /// [slots] squared distance to the owner; infinite before the first pick.
    [[nodiscard]] const std::vector<float>& nearest() const { return nearest_; }

  private:
    std::vector<float> weights_;
    std::vector<float> scores_;        ///< [slots] at least the true ones
    std::vector<float> nearest_;       ///< [slots] likewise
    std::vector<std::int32_t> owner_;  ///< [slots]
    std::vector<std::int32_t> picks_;
    std::vector<std::int32_t> pending_;  ///< newest picks, which not all slots know of
    KeyMetric metric_;
    FrontRunners runners_;
};

}  // namespace lacuna
