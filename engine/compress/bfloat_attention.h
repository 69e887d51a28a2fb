#pragma once
/// \file
/// What queries see of many slots, in one pass over tiles of slots with bfloat16 products: half the
/// time of float ones (docs/attention-matching.md, "Scores and targets"). Sums, exponentials and
/// outputs are float32. Needs a kernel table with bfloat16 products. One head at a time, one fixed
/// order of sums.

#include <cstdint>
#include <span>
#include <vector>

#include "engine/base/result.h"
#include "engine/compress/buffer_pool.h"
#include "engine/kernels/bfloat_exponentials.h"

namespace lacuna {

struct BfloatInputs {
    const float* keys = nullptr;     ///< [slots, keyDim]
    const float* values = nullptr;   ///< [slots, valueDim], finite
    std::span<const float> bias;     ///< [slots], -infinity where a slot draws nothing; or empty
    const float* queries = nullptr;  ///< [queries, keyDim] scaled, of numbers that bfloat16 has
    /// [directions, keyDim] along which keys are told apart; may be none.
    std::span<const float> directions;
    float* coordinates = nullptr;  ///< [slots, directions] where along them each key lies
    std::int64_t slots = 0;
    std::int64_t queryCount = 0;
    int keyDim = 0;
    int valueDim = 0;
    float softCap = 0;
    BufferPool* buffers = nullptr;
};

class BfloatAttention {
  public:
    /// Whether this machine has the products.
    [[nodiscard]] static bool available();
    /// Errors: NoMemory. @pre available()
    [[nodiscard]] static Result<BfloatAttention> attend(const BfloatInputs& in);
    /// [queries] log of the sum of exponentials; not finite where a query counts for nothing.
    [[nodiscard]] const std::vector<float>& logMass() const { return logMass_; }
    /// [queries, valueDim] what the slots answer.
    [[nodiscard]] const std::vector<float>& outputs() const { return outputs_; }
    /// [slots] sum over queries of weight * probability. @pre weight 0 where the log is not finite
    [[nodiscard]] std::vector<float> massOf(std::span<const float> weights) const;
    /// Probabilities of a few slots, ascending, to `rows` [queries, stride], in the digits of
    /// bfloat16; 0 where a weight is.
    void probabilitiesOf(std::span<const std::int32_t> slots, std::span<const float> weights,
                         float* rows, std::int64_t stride) const;

  private:
    explicit BfloatAttention(const BfloatInputs& in);
    [[nodiscard]] Status takeRoom();
    void packTile(std::int64_t first, std::int64_t count);
    void packKeys(std::int64_t first, std::int64_t count);
    void packValues(std::int64_t first, std::int64_t count);
    void attendTile(std::int64_t tile);
    void takeScores(std::int64_t tile, std::int64_t query, float* scores);
    void takeCoordinates(std::int64_t first, std::int64_t count);
    void raiseTop(std::int64_t query, float top);
    void close();
    [[nodiscard]] std::uint16_t* exponentials(std::int64_t tile, std::int64_t query) const;
    /// [queries] what makes probabilities of the exponentials of a tile, 0 where a weight is.
    [[nodiscard]] std::vector<float> shareFactors(std::int64_t tile,
                                                  std::span<const float> weights) const;

    BfloatInputs in_;
    BfloatExponentials exponentiate_;
    std::int64_t keyStride_ = 0;          ///< keyDim made even
    std::vector<float> centre_;           ///< [keyDim] mean key, taken off all of them
    std::vector<float> offsets_;          ///< [queries] what taking it off takes off a score
    std::vector<std::uint16_t> queries_;  ///< [queries, keyStride]
    std::int64_t directionCount_ = 0;
    std::vector<std::uint16_t> directions_;  ///< [directions, keyStride]
    std::vector<std::uint16_t> rows_;        ///< keys or values of a tile
    std::vector<std::byte> keyPanels_, valuePanels_;
    std::vector<float> scores_;    ///< [block of queries, tile]
    LentFloats exponentials_;      ///< [tiles, queries, tile] of bfloat16, relative to tileTops_
    std::vector<float> tileTops_;  ///< [tiles, queries]
    std::vector<float> tops_;      ///< [queries] largest score so far
    std::vector<float> sums_;      ///< [queries]
    std::vector<float> outputs_;   ///< [queries, valueDim] relative to tops_ until closed
    std::vector<float> logMass_;
};

}  // namespace lacuna
