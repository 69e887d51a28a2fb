#pragma once
/// \file
/// Greedy coverage of keys (docs/attention-matching.md, "Key selection"): the next key is the one
/// with the largest product of its weight and its squared distance to the nearest selected key.
///
/// Distances only decrease, so an old distance is an upper bound of the true one. All distances are
/// updated for a block of selected keys at once, as a matrix product. After every pick only a few
/// hundred front candidates are updated, as long as the best of them exceeds the bound of the
/// others. The selection is the same as with exact distances. One head at a time.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/compress/matching/matrix_products.h"
#include "engine/compress/matching/span_attention.h"
#include "engine/kernels/nearest_targets.h"

namespace lacuna {

/// Distances between keys under the sampled queries.
class KeyMetric {
  public:
    static constexpr std::int64_t kBlock = 24;  ///< targets per block: full tiles of the kernels

    explicit KeyMetric(const SpanAttention& span);
    /// Adds a slot to the targets of the distance computation. @pre fewer than kBlock targets so
    /// far
    void setTarget(std::int32_t slot);
    void clearTarget();
    /// Finds the nearest target of every slot. Calls `found(slot, index, distance)` if it is nearer
    /// than `bounds`, [slots] squared distances.
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
    static constexpr std::int64_t kStride = kColumnQuantum;  ///< row stride of the transposed
                                                             ///< targets
    struct Nearest {
        std::size_t index = 0;
        float distance = 0;
    };
    /// Squared distances of one slot to the targets.
    void toTargets(std::size_t slot, float* out) const;
    /// Returns one bit for each slot of the panel that is nearer than its bound or may be a copy of
    /// a target.
    [[nodiscard]] std::uint32_t comparePanel(std::size_t first, const std::vector<float>& bounds);
    [[nodiscard]] Nearest nearest(std::size_t slot, std::size_t inPanel) const;
    /// A distance up to this limit may be a rounding error.
    [[nodiscard]] float copyLimit(std::size_t slot) const;
    /// Squared distance from `relative`, which is the distance minus the square of the slot.
    [[nodiscard]] float fullDistance(std::size_t slot, float own, float relative) const;

    void packBfloat();

    const SpanAttention& span_;
    NearestTargets compare_;
    NearestBfloatTargets compareBfloat_;  ///< null if distances are computed in float
    std::size_t panelRows_;
    std::vector<float> squares_;         ///< [slots]
    std::vector<float> targets_;         ///< [kBlock, sampled]
    std::vector<float> transposed_;      ///< `targets_` transposed to [sampled, kStride]
    std::vector<float> own_;             ///< [kBlock] squares of the targets
    std::size_t count_ = 0;              ///< number of targets
    std::unique_ptr<PackedRows> keys_;   ///< all slots in the space of the sampled queries
    std::vector<std::byte> bfloatKeys_;  ///< the same in bfloat16, if the conversion is exact
    std::vector<std::uint16_t> bfloatTargets_;  ///< [kBlock, bfloatDepth_]
    std::int64_t bfloatDepth_ = 0;              ///< `sampled` rounded up to an even number
    std::vector<float> smallest_;  ///< [panelRows] smallest distances minus the squares of the
                                   ///< slots
    std::vector<std::int32_t> nearestTargets_;  ///< [panelRows] targets with these distances
};

/// The slots with the highest scores, whose distances are updated after every pick.
class TopCandidates {
  public:
    static constexpr std::size_t kMaxCandidates = 256;

    TopCandidates(const SpanAttention& span, const KeyMetric& metric);
    /// Takes the slots with the highest positive `scores`; `nearest` are the distances behind these
    /// scores.
    void take(std::span<const float> scores, std::span<const float> nearest,
              std::span<const float> weights);
    void clearSlots() { slots_.clear(); }
    /// Index of the candidate with the largest score, the newest on a tie; -1 if another slot may
    /// have a larger score, or no score is positive.
    [[nodiscard]] std::int32_t best() const;
    [[nodiscard]] std::int32_t slot(std::int32_t candidate) const {
        return slots_[static_cast<std::size_t>(candidate)];
    }
    /// Removes a picked candidate and updates the distances of the others.
    void drop(std::int32_t candidate);

  private:
    void findLimit(std::span<const float> scores);
    void choose(std::span<const float> scores);

    const SpanAttention& span_;
    const KeyMetric& metric_;
    std::vector<std::int32_t> slots_;  ///< ascending
    std::vector<float> rows_;          ///< [sampled, kMaxCandidates] coordinates of the candidates
    std::vector<float> squares_, weights_, nearest_, scores_;  ///< [kMaxCandidates]
    std::vector<std::uint64_t> marks_;                         ///< a bit for each slot
    float rareScore_ = 0;  ///< score reached by only a few slots at the last selection
    float bound_ = 0;      ///< largest score of any other slot
    std::int32_t boundSlot_ = -1;
};

class CoverageGreedy {
  public:
    CoverageGreedy(const SpanAttention& span, std::vector<float> weights);
    /// Picks the next key. Returns false if every remaining key is a copy of a picked one.
    [[nodiscard]] bool pick();
    /// Brings the values below up to date.
    void settle();
    [[nodiscard]] std::vector<std::int32_t>& picks() { return picks_; }
    /// [slots] index of the nearest pick.
    [[nodiscard]] std::vector<std::int32_t>& owner() { return owner_; }
    /// [slots] squared distance to the owner; infinite before the first pick.
    [[nodiscard]] const std::vector<float>& nearest() const { return nearest_; }

  private:
    std::vector<float> weights_;
    std::vector<float> scores_;        ///< [slots] upper bounds of the true scores
    std::vector<float> nearest_;       ///< [slots] upper bounds of the true distances
    std::vector<std::int32_t> owner_;  ///< [slots]
    std::vector<std::int32_t> picks_;
    std::vector<std::int32_t> pending_;  ///< newest picks, not yet applied to all slots
    KeyMetric metric_;
    TopCandidates candidates_;
};

}  // namespace lacuna
