#pragma once
/// \file
/// Transform coding of rows for storage (KVTC, Staniszewski and Lancucki 2025). Rows of a layer
/// group, with the rotation of keys undone and the mean subtracted, are projected on principal
/// components, which are coded by a bit plan or by one step (transform_bundle.h). Decoding is the
/// reverse. Immutable; any number of threads may code concurrently. docs/stored-caches.md,
/// "Transform coding".

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/byte_reader.h"
#include "engine/base/result.h"
#include "engine/compress/matching/matrix_products.h"
#include "engine/compress/transform/entropy_coder.h"
#include "engine/compress/transform/transform_bundle.h"

namespace lacuna {

enum class KvSide : std::uint8_t { Keys, Values };
inline constexpr std::array<KvSide, 2> kKvSides{KvSide::Keys, KvSide::Values};

/// Coding of components, as recorded in a stored cache.
struct ComponentCoding {
    StoredCode code = StoredCode::Step;
    float step = 1;          ///< for Step
    std::uint32_t plan = 0;  ///< for Plan: index of its ratio
};

/// Direction in which keys are rotated.
enum class KeyTurn { Undo, Redo };

/// Cosines and sines for the keys of some positions, for all layers.
class PositionAngles {
  public:
    PositionAngles(const TransformIdentity& model, std::span<const std::int64_t> positions,
                   KeyTurn way);
    /// Rotates the keys [heads, keyDim] of the `index`-th of the given positions.
    void turn(int layer, std::size_t index, float* keys) const;

  private:
    const TransformIdentity& model_;
    std::vector<std::vector<float>> angles_;  ///< [ropes][positions, cosines then sines of pairs]
};

/// Appends components [tokens, rank] coded by a plan. Numbers must be finite.
void encodeByPlan(std::string& out, const BitPlan& plan, const float* components, std::int64_t rank,
                  std::int64_t tokens);

class TransformCodec {
  public:
    /// Errors: those of checkTransform.
    [[nodiscard]] static Result<std::shared_ptr<const TransformCodec>> make(TransformBundle bundle);

    [[nodiscard]] const TransformBundle& bundle() const { return bundle_; }
    [[nodiscard]] std::uint64_t hash() const { return hash_; }
    /// Returns the coding for a nominal ratio. Errors: Range (ratio outside of the calibrated
    /// range; for Plan also a ratio without a plan, naming those that have one).
    [[nodiscard]] Result<ComponentCoding> codingFor(StoredCode code, double ratio) const;
    /// Checks that this bundle can decode the coding. Errors: Corrupt.
    [[nodiscard]] Status check(const ComponentCoding& coding) const;

    /// Components of unrotated rows [tokens, width of the side] of a group.
    struct Components {
        std::vector<float> numbers;  ///< [tokens, rank]
        std::vector<float> energy;   ///< [tokens] energy of the weighted rows minus the mean
        std::vector<float> lost;  ///< [tokens] share of the energy outside of all components, 0..1
    };
    [[nodiscard]] Components project(std::size_t group, KvSide side, const float* rows,
                                     std::int64_t tokens) const;

    /// Appends the coded components [tokens, rank]. Numbers must be finite.
    void encode(std::string& out, std::size_t group, KvSide side, const ComponentCoding& coding,
                const float* components, std::int64_t tokens) const;
    /// Rows [count, heads, dim] of consecutive tokens from `first` on, of one layer of the group,
    /// keys unrotated. The callee may modify them.
    struct DecodedRows {
        std::size_t layer = 0;  ///< index within the group
        std::int64_t first = 0;
        std::int64_t count = 0;
        std::span<float> numbers;
    };
    using RowsReceiver = std::function<void(const DecodedRows& rows)>;
    /// Decodes all tokens of all layers of the group, some at a time. Corruption may be detected
    /// only after rows were taken. Errors: Corrupt. @pre check passed
    [[nodiscard]] Status decode(ByteReader& reader, std::size_t group, KvSide side,
                                const ComponentCoding& coding, std::int64_t tokens,
                                const RowsReceiver& take) const;
    /// Number of components that are coded.
    [[nodiscard]] int codedRank(std::size_t group, KvSide side,
                                const ComponentCoding& coding) const;

  private:
    /// A matrix in bfloat16, stored as panels of its rows.
    struct Panels {
        std::vector<std::byte> bytes;
        std::size_t stride = 0;  ///< bytes per panel
        std::int64_t depth = 0;  ///< columns of the matrix, zero-padded to a multiple of
                                 ///< kMatrixDepth
        [[nodiscard]] bool empty() const { return bytes.empty(); }
        [[nodiscard]] const std::byte* at(std::size_t panel) const {
            return bytes.data() + panel * stride;
        }
    };
    /// One side, prepared for multiplication. Created once, on first use.
    struct Projection {
        std::once_flag encodeOnce, decodeOnce, rowsOnce;
        std::optional<PackedRows> encode;  ///< [rank, width], weighted; unset if `encodePanels` is
                                           ///< used
        Panels encodePanels;  ///< the same in bfloat16, if the processor has a matrix unit
        std::vector<std::uint8_t> codes;  ///< [layers][panels] of the basis (code_matrix.h)
        std::vector<float> factor;        ///< [layers][padded columns] 1 / weight
        std::vector<float> mean;          ///< [layers][padded columns]
        std::vector<float> rows;          ///< [rank, width] unweighted, for single numbers
    };
    TransformCodec(TransformBundle bundle, std::uint64_t hash);
    [[nodiscard]] const TransformSide& sideOf(std::size_t group, KvSide side) const;
    [[nodiscard]] Projection& projectionOf(std::size_t group, KvSide side) const;
    [[nodiscard]] const Projection& encoder(std::size_t group, KvSide side) const;
    /// Appends the panels of rows [count, columns]; element (r, i) is number(r, i).
    template <class Number>
    static void addPanels(Panels& panels, std::size_t count, std::size_t columns,
                          const Number& number);
    void toComponents(const Projection& projection, const float* rows, std::int64_t width,
                      std::int64_t tokens, float* components, std::int64_t rank) const;
    [[nodiscard]] const Projection& decoder(std::size_t group, KvSide side) const;
    void makeDecoder(std::size_t group, KvSide side, Projection& projection) const;
    [[nodiscard]] const std::vector<float>& rowsOf(std::size_t group, KvSide side) const;
    struct Decoding;
    [[nodiscard]] Status decodeStep(ByteReader& reader, std::size_t group, KvSide side, float step,
                                    std::int64_t tokens, const RowsReceiver& take) const;
    [[nodiscard]] Status decodeByPlan(ByteReader& reader, std::size_t group, KvSide side,
                                      const BitPlan& plan, std::int64_t tokens,
                                      const RowsReceiver& take) const;
    void reconstruct(std::size_t group, KvSide side, std::int64_t first, std::int64_t count,
                     Decoding& decoding, const RowsReceiver& take) const;

    TransformBundle bundle_;
    std::uint64_t hash_;
    std::vector<std::unique_ptr<Projection>> projections_;  ///< [groups, sides]
};

}  // namespace lacuna
