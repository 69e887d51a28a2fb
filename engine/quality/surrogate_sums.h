#pragma once
/// \file
/// The sums of the regression that fits a surrogate (surrogate_fit.h): what one layer reads of a
/// token against log u of every KV head. Inputs are taken from their mean over the first piece on,
/// so that small differences of large numbers keep their digits. Of long inputs only their products
/// with some inputs of the first piece, the landmarks, are summed: the map is then sought among
/// combinations of these (as Nystroem's method does), which a strong ridge leaves it close to
/// anyway, in much less memory. Owned by one thread at a time. Private to this room.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/byte_reader.h"
#include "engine/kv/eviction/reconstruction_scores.h"

namespace lacuna {

/// What the sums of a layer are of.
struct SumsShape {
    int hidden = 0;     ///< numbers of an input
    int kvHeads = 0;    ///< of the layer
    int landmarks = 0;  ///< 0: the inputs themselves are summed
    [[nodiscard]] int numbers() const { return landmarks > 0 ? landmarks : hidden; }
    /// Bytes of the sums of a layer.
    [[nodiscard]] std::int64_t bytes() const;
};

/// Room for products, one for each thread.
struct SumsScratch {
    std::vector<float> rows;       ///< [count, hidden] of the batch at work
    std::vector<float> landmarks;  ///< [landmarks, hidden]
    std::vector<float> columns;    ///< [numbers + 1, count]
    std::vector<float> product;
    std::vector<float> logs;
};

/// The map of one layer.
struct LayerMap {
    std::vector<float> weights;  ///< [kvHeads, hidden]
    std::vector<float> bias;     ///< [kvHeads]
};

/// Of one layer.
class LayerSums {
  public:
    explicit LayerSums(const SumsShape& shape);
    /// Adds a piece, of which the first tokens draw attention whatever they are and do not count.
    /// @pre inputs [scores.tokens, hidden]; the first piece has kSinks tokens more than landmarks
    void add(std::span<const float> inputs, const ReconstructionScores& scores, int layer,
             SumsScratch& scratch);
    /// Nothing where there is none. `ridge`: as a share of the variance of a number of the input.
    [[nodiscard]] std::optional<LayerMap> solve(double ridge) const;
    void write(std::string& out) const;
    /// Whether there were enough bytes, all of them finite numbers.
    [[nodiscard]] bool read(ByteReader& bytes);

    static constexpr std::int64_t kSinks = 4;

  private:
    void begin(std::span<const float> inputs, std::int64_t tokens);
    void addGram(std::int64_t count, SumsScratch& scratch);
    void addRight(const ReconstructionScores& scores, int layer, std::int64_t from,
                  std::int64_t count, SumsScratch& scratch);
    /// [landmarks, hidden], from the origin.
    [[nodiscard]] std::vector<float> centredLandmarks() const;

    SumsShape shape_;
    std::int64_t unknowns_;
    std::vector<float> origin_;  ///< [hidden] that inputs are taken from; empty: no piece
    std::vector<std::uint16_t> landmarks_;  ///< [landmarks, hidden] bfloat16
    double squares_ = 0;                    ///< of all centred inputs
    std::vector<float> gram_;               ///< [unknowns, unknowns], lower triangle
    std::vector<float> right_;              ///< [unknowns, kvHeads]
};

}  // namespace lacuna
