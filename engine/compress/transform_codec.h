#pragma once
/// \file
/// Transform coding of rows for storage (KVTC, Staniszewski and Lancucki 2025): rows of a group of
/// layers, keys with their rotation undone, less the mean, projected on principal components, which
/// are coded by a plan of bits or by one step (transform_bundle.h). Decoding is the reverse.
/// Immutable; any number of threads may code at once. docs/stored-caches.md, "Transform coding".

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
#include "engine/compress/entropy_coder.h"
#include "engine/compress/matrix_products.h"
#include "engine/compress/transform_bundle.h"

namespace lacuna {

enum class KvSide : std::uint8_t { Keys, Values };
inline constexpr std::array<KvSide, 2> kKvSides{KvSide::Keys, KvSide::Values};

/// How components are coded: all that a stored cache says of it.
struct ComponentCoding {
    StoredCode code = StoredCode::Step;
    float step = 1;          ///< of Step
    std::uint32_t plan = 0;  ///< of Plan: index of its ratio
};

/// Which way keys are turned.
enum class KeyTurn { Undo, Redo };

/// Cosines and sines of the keys of some positions, for all layers.
class PositionAngles {
  public:
    PositionAngles(const TransformIdentity& model, std::span<const std::int64_t> positions,
                   KeyTurn way);
    /// Turns the keys [heads, keyDim] of the position `index` of those given.
    void turn(int layer, std::size_t index, float* keys) const;

  private:
    const TransformIdentity& model_;
    std::vector<std::vector<float>> angles_;  ///< [ropes][positions, cosines then sines of pairs]
};

/// Appends components [tokens, rank] as a plan codes them. Numbers must be finite.
void encodeByPlan(std::string& out, const BitPlan& plan, const float* components, std::int64_t rank,
                  std::int64_t tokens);

class TransformCodec {
  public:
    /// Errors: those of checkTransform.
    [[nodiscard]] static Result<std::shared_ptr<const TransformCodec>> make(TransformBundle bundle);

    [[nodiscard]] const TransformBundle& bundle() const { return bundle_; }
    [[nodiscard]] std::uint64_t hash() const { return hash_; }
    /// Of a nominal ratio. Errors: Range (outside of what was calibrated; of Plan a ratio it has no
    /// plan for, naming those it has).
    [[nodiscard]] Result<ComponentCoding> codingFor(StoredCode code, double ratio) const;
    /// Whether this bundle can decode it. Errors: Corrupt.
    [[nodiscard]] Status check(const ComponentCoding& coding) const;

    /// Components of rows [tokens, width of the side] as they lie in a group, unrotated.
    struct Components {
        std::vector<float> numbers;  ///< [tokens, rank]
        std::vector<float> energy;   ///< [tokens] of the weighted rows less the mean
        std::vector<float> lost;     ///< [tokens] share of it that no component holds, 0..1
    };
    [[nodiscard]] Components project(std::size_t group, KvSide side, const float* rows,
                                     std::int64_t tokens) const;

    /// Appends the coded components [tokens, rank]. Numbers must be finite.
    void encode(std::string& out, std::size_t group, KvSide side, const ComponentCoding& coding,
                const float* components, std::int64_t tokens) const;
    /// Rows [count, heads, dim] of tokens from `first` on, of a layer of the group, keys unrotated.
    /// They may be changed.
    struct DecodedRows {
        std::size_t layer = 0;  ///< of those of the group
        std::int64_t first = 0;
        std::int64_t count = 0;
        std::span<float> numbers;
    };
    using TakeRows = std::function<void(const DecodedRows& rows)>;
    /// All tokens of all layers of the group, some at a time. Damage may show only after rows were
    /// taken. Errors: Corrupt. @pre check passed
    [[nodiscard]] Status decode(ByteReader& reader, std::size_t group, KvSide side,
                                const ComponentCoding& coding, std::int64_t tokens,
                                const TakeRows& take) const;
    /// Components that are coded at all.
    [[nodiscard]] int codedRank(std::size_t group, KvSide side,
                                const ComponentCoding& coding) const;

  private:
    /// A matrix in bfloat16, as panels of its rows.
    struct Panels {
        std::vector<std::byte> bytes;
        std::size_t stride = 0;  ///< bytes of a panel
        std::int64_t depth = 0;  ///< columns of the matrix, zeros up to a multiple of kMatrixDepth
        [[nodiscard]] bool empty() const { return bytes.empty(); }
        [[nodiscard]] const std::byte* at(std::size_t panel) const {
            return bytes.data() + panel * stride;
        }
    };
    /// A side as it is multiplied with. Made when it is first used, once.
    struct Projection {
        std::once_flag encodeOnce, decodeOnce, rowsOnce;
        std::optional<PackedRows> encode;  ///< [rank, width], weighted; none beside `encodePanels`
        Panels encodePanels;  ///< the same in bfloat16, where the processor has matrices
        std::vector<std::uint8_t> codes;  ///< [layers][panels] of the basis (code_matrix.h)
        std::vector<float> factor;        ///< [layers][padded columns] 1 / weight
        std::vector<float> mean;          ///< likewise
        std::vector<float> rows;          ///< [rank, width] unweighted, for numbers on their own
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
                                    std::int64_t tokens, const TakeRows& take) const;
    [[nodiscard]] Status decodeByPlan(ByteReader& reader, std::size_t group, KvSide side,
                                      const BitPlan& plan, std::int64_t tokens,
                                      const TakeRows& take) const;
    void reconstruct(std::size_t group, KvSide side, std::int64_t first, std::int64_t count,
                     Decoding& decoding, const TakeRows& take) const;

    TransformBundle bundle_;
    std::uint64_t hash_;
    std::vector<std::unique_ptr<Projection>> projections_;  ///< [groups, sides]
};

}  // namespace lacuna
