#pragma once
/// \file
/// Attention of many queries over many slots in one pass over tiles of slots with bfloat16
/// products, in half the time of float products (docs/attention-matching.md, "Scores and targets").
/// Sums, exponentials and outputs are float32. Needs a kernel table with bfloat16 products. One
/// head at a time; the order of summation is fixed.

#include <cstdint>
#include <span>
#include <vector>

#include "engine/base/result.h"
#include "engine/compress/matching/buffer_pool.h"
#include "engine/kernels/bfloat_exponentials.h"

namespace lacuna {

struct BfloatInputs {
    const float* keys = nullptr;     ///< [slots, keyDim]
    const float* values = nullptr;   ///< [slots, valueDim], finite
    std::span<const float> bias;     ///< [slots], -infinity if a slot receives no attention; may be
                                     ///< empty
    const float* queries = nullptr;  ///< [queries, keyDim] scaled, exactly representable in
                                     ///< bfloat16
    /// [directions, keyDim] directions along which keys are compared; may be empty.
    std::span<const float> directions;
    float* coordinates = nullptr;  ///< [slots, directions] output: projection of each key on each
                                   ///< direction
    std::int64_t slots = 0;
    std::int64_t queryCount = 0;
    int keyDim = 0;
    int valueDim = 0;
    float softCap = 0;
    BufferPool* buffers = nullptr;
};

class BfloatAttention {
  public:
    /// Returns true if this machine has bfloat16 products.
    [[nodiscard]] static bool available();
    /// Errors: NoMemory. @pre available()
    [[nodiscard]] static Result<BfloatAttention> attend(const BfloatInputs& in);
    /// [queries] log of the sum of exponentials; not finite if a query is ignored.
    [[nodiscard]] const std::vector<float>& logMass() const { return logMass_; }
    /// [queries, valueDim] outputs of the slots.
    [[nodiscard]] const std::vector<float>& outputs() const { return outputs_; }
    /// [slots] sum over queries of weight * probability. @pre the weight is 0 if the log mass is
    /// not finite
    [[nodiscard]] std::vector<float> massOf(std::span<const float> weights) const;
    /// Writes the probabilities of a few slots, ascending, to `rows` [queries, stride], rounded to
    /// bfloat16; 0 for queries of weight 0.
    void probabilitiesOf(std::span<const std::int32_t> slots, std::span<const float> weights,
                         float* rows, std::int64_t stride) const;

  private:
    explicit BfloatAttention(const BfloatInputs& in);
    [[nodiscard]] Status reserve();
    void packTile(std::int64_t first, std::int64_t count);
    void packKeys(std::int64_t first, std::int64_t count);
    void packValues(std::int64_t first, std::int64_t count);
    void attendTile(std::int64_t tile);
    void addScores(std::int64_t tile, std::int64_t query, float* scores);
    void addCoordinates(std::int64_t first, std::int64_t count);
    void raiseTop(std::int64_t query, float top);
    void close();
    [[nodiscard]] std::uint16_t* exponentials(std::int64_t tile, std::int64_t query) const;
    /// [queries] factors that turn the exponentials of a tile into probabilities; 0 for queries of
    /// weight 0.
    [[nodiscard]] std::vector<float> shareFactors(std::int64_t tile,
                                                  std::span<const float> weights) const;

    BfloatInputs in_;
    BfloatExponentials exponentiate_;
    std::int64_t keyStride_ = 0;  ///< keyDim rounded up to an even number
    std::vector<float> centre_;   ///< [keyDim] mean key, subtracted from all keys
    std::vector<float> offsets_;  ///< [queries] change of each score by subtracting the mean key
    std::vector<std::uint16_t> queries_;  ///< [queries, keyStride]
    std::int64_t directionCount_ = 0;
    std::vector<std::uint16_t> directions_;  ///< [directions, keyStride]
    std::vector<std::uint16_t> rows_;        ///< keys or values of a tile
    std::vector<std::byte> keyPanels_, valuePanels_;
    std::vector<float> scores_;    ///< [block of queries, tile]
    PooledFloats exponentials_;    ///< [tiles, queries, tile] of bfloat16, relative to tileTops_
    std::vector<float> tileTops_;  ///< [tiles, queries]
    std::vector<float> tops_;      ///< [queries] largest score so far
    std::vector<float> sums_;      ///< [queries]
    std::vector<float> outputs_;   ///< [queries, valueDim] relative to tops_ until finalised
    std::vector<float> logMass_;
};

}  // namespace lacuna
