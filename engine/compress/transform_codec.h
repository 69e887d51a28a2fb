#pragma once
/// \file
/// Transform coding of rows for storage (KVTC, Staniszewski and Lancucki 2025): rows of a group of
/// layers, keys with their rotation undone, less the mean, projected on principal components, which
/// are coded by a plan of bits or by one step (transform_bundle.h). Decoding is the reverse.
/// Immutable; any number of threads may code at once. docs/stored-caches.md, "Transform coding".

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/byte_reader.h"
#include "engine/base/result.h"
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
    /// Rows of each layer of the group, [tokens, heads, dim] each, keys unrotated.
    /// Errors: Corrupt. @pre check passed
    [[nodiscard]] Status decode(ByteReader& reader, std::size_t group, KvSide side,
                                const ComponentCoding& coding, std::int64_t tokens,
                                std::span<float* const> layers) const;
    /// Components that are coded at all.
    [[nodiscard]] int codedRank(std::size_t group, KvSide side,
                                const ComponentCoding& coding) const;

  private:
    /// A side as it is multiplied with. Made when it is first used, once.
    struct Projection {
        std::once_flag encodeOnce, decodeOnce;
        std::optional<PackedRows> encode;  ///< [rank, width], weighted
        std::vector<float> decode;         ///< [rank, padded width], unweighted
        std::vector<std::byte> panels;  ///< [layers, panels] of it in bfloat16, where the processor
                                        ///< multiplies that
        std::int64_t stride = 0;        ///< floats of a row of `decode`
        std::size_t panelStride = 0;    ///< bytes
    };
    TransformCodec(TransformBundle bundle, std::uint64_t hash);
    [[nodiscard]] const TransformSide& sideOf(std::size_t group, KvSide side) const;
    [[nodiscard]] Projection& projectionOf(std::size_t group, KvSide side) const;
    [[nodiscard]] const PackedRows& encoder(std::size_t group, KvSide side) const;
    [[nodiscard]] const Projection& decoder(std::size_t group, KvSide side) const;
    void makeDecoder(std::size_t group, KvSide side, Projection& projection) const;
    void reconstruct(std::size_t group, KvSide side, const float* components, std::int64_t stride,
                     int rank, std::int64_t tokens, std::span<float* const> layers) const;

    TransformBundle bundle_;
    std::uint64_t hash_;
    std::vector<std::unique_ptr<Projection>> projections_;  ///< [groups, sides]
};

}  // namespace lacuna
