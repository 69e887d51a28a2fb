#pragma once
/// \file
/// Rotation of a model's queries with their position (RoPE), and its inverse: queries as they would
/// be at position 0, whose statistics predict queries at later positions. docs/eviction.md, "Scores
/// by attention", "Scores by query centres".

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace lacuna {

/// Rotation of a query by its position (RoPE): pair i by frequencies[i] times the position.
struct QueryRotation {
    std::vector<double> frequencies = {};         ///< [pairs] radians per token; empty: no rotation
    bool interleaved = false;                     ///< pairs (2i, 2i + 1), otherwise (i, i + pairs)
    double magnitude = 1;                         ///< factor on cosine and sine, not 0
    std::vector<int> layersWithoutRotation = {};  ///< layers without rotation
    /// The frequencies depend on the length of the text, or queries are normalised after rotation,
    /// so that later positions cannot be predicted.
    bool variesWithLength = false;

    [[nodiscard]] std::size_t pairs() const { return frequencies.size(); }
    /// The two elements of a pair.
    [[nodiscard]] std::pair<std::size_t, std::size_t> elementsOf(std::size_t pair) const {
        if (interleaved) return {2 * pair, 2 * pair + 1};
        return {pair, pair + pairs()};
    }
    [[nodiscard]] bool turns(int layer) const;
    /// Returns false for the heads of layers that rotate in another way: those with a window, which
    /// no compaction changes. Their queries are not predicted.
    [[nodiscard]] bool fits(int dim) const { return 2 * pairs() <= static_cast<std::size_t>(dim); }
};

/// Rotates queries of consecutive positions back to position 0. Its tables serve every layer.
class InverseRotation {
  public:
    /// Computes the tables of `count` positions from `first` on, unless they are already present.
    void prepare(const QueryRotation& rotation, std::int64_t first, std::int64_t count);
    /// Rotates one token's queries [heads, dim] at position first + token. @pre prepared
    void apply(const QueryRotation& rotation, std::int64_t token, float* row, int heads,
               int dim) const;
    void clear();
    [[nodiscard]] std::size_t floats() const { return cosines_.size() + sines_.size(); }

  private:
    std::int64_t first_ = -1;
    std::vector<float> cosines_;  ///< [tokens, pairs] divided by the magnitude
    std::vector<float> sines_;    ///< [tokens, pairs] divided by the magnitude, negated
};

}  // namespace lacuna
