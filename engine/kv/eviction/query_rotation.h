#pragma once
/// \file
/// How the queries of a model turn with their position (RoPE), and the inverse: queries as they
/// were at position 0, whose statistics foretell queries at later positions. docs/eviction.md,
/// "Scores by attention", "Scores by query centres".

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace lacuna {

/// How a query turns with its position (RoPE): pair i by frequencies[i] times the position.
struct QueryRotation {
    std::vector<double> frequencies = {};  ///< [pairs] radians a token; empty: nothing turns
    bool interleaved = false;              ///< pairs (2i, 2i + 1), else (i, i + pairs)
    double magnitude = 1;                  ///< factor on cosine and sine, not 0
    std::vector<int> stillLayers = {};     ///< whose queries do not turn
    /// The frequencies follow the length of a text, or a query is normed once it has turned, so
    /// that nothing is known of later positions.
    bool variesWithLength = false;

    [[nodiscard]] std::size_t pairs() const { return frequencies.size(); }
    /// The two elements of a pair.
    [[nodiscard]] std::pair<std::size_t, std::size_t> elementsOf(std::size_t pair) const {
        if (interleaved) return {2 * pair, 2 * pair + 1};
        return {pair, pair + pairs()};
    }
    [[nodiscard]] bool turns(int layer) const;
};

/// Turns queries of consecutive positions back to position 0. Its tables serve every layer.
class InverseRotation {
  public:
    /// Computes the tables of `count` positions from `first` on, unless it has them already.
    void prepare(const QueryRotation& rotation, std::int64_t first, std::int64_t count);
    /// Turns one token's queries [heads, dim] of position first + token. @pre prepared
    void apply(const QueryRotation& rotation, std::int64_t token, float* row, int heads,
               int dim) const;
    void clear();
    [[nodiscard]] std::size_t floats() const { return cosines_.size() + sines_.size(); }

  private:
    std::int64_t first_ = -1;
    std::vector<float> cosines_;  ///< [tokens, pairs] over the magnitude
    std::vector<float> sines_;    ///< [tokens, pairs] likewise, negative
};

}  // namespace lacuna
