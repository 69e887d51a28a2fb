#pragma once
/// \file
/// Scores of the slots of one head against its reference queries, as exponentials, a tile of slots
/// at a time: a tile stays in the second cache from its product to its sums. Each tile has largest
/// scores of its own, so that none waits for the others; a factor for each query makes shares of
/// them. All float32, one head at a time.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "engine/compress/matrix_products.h"
#include "engine/compress/span_attention.h"

namespace lacuna {

/// Softmax mass of some slots, each query's relative to exp(top).
struct ScoreMass {
    std::vector<float> tops;  ///< [columns] largest score, -infinity where there is none
    std::vector<float> sums;  ///< [columns] of exp(score - top); 0 where there is none
};
/// That of several tiles. Queries without any score get a top of 0.
[[nodiscard]] ScoreMass joinedMass(std::span<const ScoreMass> tiles, std::int64_t columns);
/// What makes exponentials of a tile those of the whole, [columns].
[[nodiscard]] std::vector<float> tileFactors(const ScoreMass& tile, const ScoreMass& whole);
/// Log of the mass of each query, [columns]; not finite where a query is not.
[[nodiscard]] std::vector<float> logMass(const ScoreMass& whole);

class ScoreTiles {
  public:
    /// `keys` [slots, keyDim] of the head; slots that are not usable draw nothing.
    ScoreTiles(const HeadSpan& span, const float* keys, const std::vector<bool>& usable);
    [[nodiscard]] std::int64_t columns() const { return columns_; }
    [[nodiscard]] std::int64_t tileSlots() const;  ///< that stay in the second cache
    /// Told of the scores of a slot before they are exponentiated, [columns].
    using Watch = std::function<void(std::int64_t slot, const float* scores)>;
    /// exp(score - top) of slots [first, last) to `rows` [last - first, columns]; padding is 1.
    [[nodiscard]] ScoreMass exponentiate(std::int64_t first, std::int64_t last, float* rows,
                                         const Watch& watch = {}) const;

  private:
    void finishRow(std::int64_t slot, float* row) const;

    const HeadSpan& span_;
    const float* keys_;
    const std::vector<bool>& usable_;
    std::int64_t columns_;
    PackedRows queries_;  ///< scaled
};

}  // namespace lacuna
