#pragma once
/// \file
/// Exponentials of the scores of one head's slots against its reference queries, one tile of slots
/// at a time, so that a tile stays in the L2 cache until it is consumed. Exponentials are relative
/// to the largest score so far, so that no tile waits for the others; sums over earlier tiles are
/// rescaled when a larger score arrives. All float32, one head at a time.

#include <cstdint>
#include <functional>
#include <vector>

#include "engine/compress/matching/matrix_products.h"
#include "engine/compress/matching/span_attention.h"

namespace lacuna {

/// Softmax mass of the slots so far, relative to exp(top) of each query.
struct ScoreMass {
    explicit ScoreMass(std::int64_t columns);
    std::vector<float> tops;  ///< [columns] largest score, -infinity if there is none
    std::vector<float> sums;  ///< [columns] sums of exp(score - top); not finite if the query is
                              ///< ignored
};
/// Log of the mass of each query, [columns]; not finite if the query is not.
[[nodiscard]] std::vector<float> logMass(const ScoreMass& mass);

class ScoreTiles {
  public:
    /// `keys` [slots, keyDim] of the head; unusable slots receive no attention.
    ScoreTiles(const HeadSpan& span, const float* keys, const std::vector<bool>& usable);
    [[nodiscard]] std::int64_t columns() const { return columns_; }
    [[nodiscard]] std::int64_t tileSlots() const;  ///< tile size that fits into the L2 cache
    /// Writes the scores of slots [first, last) to `rows` [last - first, columns]; padding is 0.
    void score(std::int64_t first, std::int64_t last, float* rows) const;
    /// Callback with the scores [columns] of a slot before they are exponentiated.
    using Watch = std::function<void(std::int64_t slot, const float* scores)>;
    /// Adds slots [first, last) to `mass` and writes exp(score - new top) to `rows` [last - first,
    /// columns]; padding is 1. Returns the factors [columns] by which sums over earlier slots
    /// shrink.
    [[nodiscard]] std::vector<float> exponentiate(std::int64_t first, std::int64_t last,
                                                  float* rows, ScoreMass& mass,
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
