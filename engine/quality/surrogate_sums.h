#pragma once
/// \file
/// Sums of the regression that fits a surrogate (surrogate_fit.h): the input of one layer for a
/// token against log u of every KV head. Inputs are centred by the mean of the first piece, to
/// preserve the digits of small differences. For long inputs only products with some inputs of the
/// first piece, the landmarks, are summed, and the map is restricted to their combinations (the
/// Nystroem method). This takes much less memory, and the strong ridge leads to a similar map
/// anyway. Owned by one thread at a time. Private to this module.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/byte_reader.h"
#include "engine/kv/eviction/reconstruction_scores.h"

namespace lacuna {

/// Dimensions of the sums of a layer.
struct SumsShape {
    int hidden = 0;     ///< length of an input
    int kvHeads = 0;    ///< KV heads of the layer
    int landmarks = 0;  ///< number of landmarks; 0 sums the inputs themselves
    [[nodiscard]] int numbers() const { return landmarks > 0 ? landmarks : hidden; }
    /// Size of the sums of a layer.
    [[nodiscard]] std::int64_t bytes() const;
};

/// Buffers for the products of one thread.
struct SumsScratch {
    std::vector<float> rows;       ///< [count, hidden] of the current batch
    std::vector<float> landmarks;  ///< [landmarks, hidden]
    std::vector<float> columns;    ///< [numbers + 1, count]
    std::vector<float> product;
    std::vector<float> logs;
};

/// Fitted map of one layer.
struct LayerMap {
    std::vector<float> weights;  ///< [kvHeads, hidden]
    std::vector<float> bias;     ///< [kvHeads]
};

/// Sums of one layer.
class LayerSums {
  public:
    explicit LayerSums(const SumsShape& shape);
    /// Adds a piece. Its first tokens are excluded, since they attract attention regardless of
    /// their content. @pre inputs [scores.tokens, hidden]; the first piece has at least kSinks
    /// tokens more than landmarks
    void add(std::span<const float> inputs, const ReconstructionScores& scores, int layer,
             SumsScratch& scratch);
    /// Returns nullopt if there is no solution. `ridge` is a share of the variance of an input
    /// number.
    [[nodiscard]] std::optional<LayerMap> solve(double ridge) const;
    void write(std::string& out) const;
    /// Returns true if there were enough bytes and all numbers are finite.
    [[nodiscard]] bool read(ByteReader& bytes);

    static constexpr std::int64_t kSinks = 4;

  private:
    void begin(std::span<const float> inputs, std::int64_t tokens);
    void addGram(std::int64_t count, SumsScratch& scratch);
    void addRight(const ReconstructionScores& scores, int layer, std::int64_t from,
                  std::int64_t count, SumsScratch& scratch);
    /// Returns the landmarks minus the origin, [landmarks, hidden].
    [[nodiscard]] std::vector<float> centredLandmarks() const;

    SumsShape shape_;
    std::int64_t unknowns_;
    std::vector<float> origin_;  ///< [hidden] subtracted from all inputs; empty before the first
                                 ///< piece
    std::vector<std::uint16_t> landmarks_;  ///< [landmarks, hidden] bfloat16
    double squares_ = 0;                    ///< sum of squares of all centred inputs
    std::vector<float> gram_;               ///< [unknowns, unknowns], lower triangle
    std::vector<float> right_;              ///< [unknowns, kvHeads]
};

}  // namespace lacuna
