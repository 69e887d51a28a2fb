#pragma once
/// \file
/// Scores of the slots of one head against its reference queries, as exponentials, a tile of slots
/// at a time: a tile stays in the second cache from its product to what is made of it. Exponentials
/// are relative to the largest score so far, so that no tile waits for the others; what was summed
/// of earlier tiles shrinks when a larger score comes. All float32, one head at a time.

#include <cstdint>
#include <functional>
#include <vector>

#include "engine/compress/matrix_products.h"
#include "engine/compress/span_attention.h"

namespace lacuna {

/// Softmax mass of the slots so far, each query's relative to exp(top).
struct ScoreMass {
    explicit ScoreMass(std::int64_t columns);
    std::vector<float> tops;  ///< [columns] largest score, -infinity where there is none
    std::vector<float> sums;  ///< [columns] of exp(score - top); not finite: counts for nothing
};
/// Log of the mass of each query, [columns]; not finite where a query is not.
[[nodiscard]] std::vector<float> logMass(const ScoreMass& mass);

class ScoreTiles {
  public:
    /// `keys` [slots, keyDim] of the head; slots that are not usable draw nothing.
    ScoreTiles(const HeadSpan& span, const float* keys, const std::vector<bool>& usable);
    [[nodiscard]] std::int64_t columns() const { return columns_; }
    [[nodiscard]] std::int64_t tileSlots() const;  ///< that stay in the second cache
    /// Scores of slots [first, last) to `rows` [last - first, columns]; padding is 0.
    void score(std::int64_t first, std::int64_t last, float* rows) const;
    /// Told of the scores of a slot before they are exponentiated, [columns].
    using Watch = std::function<void(std::int64_t slot, const float* scores)>;
    /// Adds slots [first, last) to `mass`, and exp(score - its new tops) of them to `rows`
    /// [last - first, columns]; padding is 1. Returns what sums over earlier slots shrink by,
    /// [columns].
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
