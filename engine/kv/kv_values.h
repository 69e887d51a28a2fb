#pragma once
/// \file
/// Plain data about caches: the number formats of rows and their names, the model properties that a
/// cache depends on, and the size of its content.

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "engine/tensor/dtype.h"

namespace lacuna {

struct MixerWeights;        // engine/recurrent/mixer.h
class CalibratedRotations;  // engine/kv/calibrated_rotations.h
struct LayerLoss;           // engine/kv/layer_bits.h

/// Rows as codes. Group codes: unsigned, with one f16 scale and f16 bias per group, x = scale *
/// code + bias. Rotated codes: indices in a codebook of the normal distribution for an orthogonally
/// rotated row, with one f16 scale (docs/number-formats.md).
struct KvQuant {
    int bits = 0;    ///< 0: plain numbers; group codes: 8 or 4; rotated codes: 1 to 8
    int group = 64;  ///< number of adjacent numbers that share a scale: 32, 64 or 128; 0: rotated
                     ///< codes
    [[nodiscard]] bool plain() const { return bits == 0; }
    [[nodiscard]] bool rotated() const { return bits != 0 && group == 0; }
    friend bool operator==(const KvQuant&, const KvQuant&) = default;
};

/// Number format of the rows of a cache.
struct KvRowType {
    DType type = DType::F16;
    KvQuant quant = {};
    friend bool operator==(const KvRowType&, const KvRowType&) = default;
};

struct NamedRowType {
    std::string_view name;
    KvRowType type;
};

/// Group codes have groups of 32 with scale and bias, so "q4_0" is stored like "q4_1". "t3" means
/// rotated codes of 3 bits.
inline constexpr std::array<NamedRowType, 14> kRowTypes{{{"f16", {DType::F16, {}}},
                                                         {"bf16", {DType::BF16, {}}},
                                                         {"f32", {DType::F32, {}}},
                                                         {"q8_0", {DType::F16, {8, 32}}},
                                                         {"q4_0", {DType::F16, {4, 32}}},
                                                         {"t8", {DType::F16, {8, 0}}},
                                                         {"t7", {DType::F16, {7, 0}}},
                                                         {"t6", {DType::F16, {6, 0}}},
                                                         {"t5", {DType::F16, {5, 0}}},
                                                         {"t4", {DType::F16, {4, 0}}},
                                                         {"t3", {DType::F16, {3, 0}}},
                                                         {"t2", {DType::F16, {2, 0}}},
                                                         {"t1", {DType::F16, {1, 0}}},
                                                         {"q4_1", {DType::F16, {4, 32}}}}};

/// Number format of checkpoints of recurrent states that are kept on request. The current state and
/// those of the newest tokens are always float32.
enum class StateType { Float32, Int8 };

/// Names in settings, in order.
inline constexpr std::array<std::string_view, 2> kStateTypeNames{"f32", "int8"};

/// Checkpoints that a conversation keeps on request.
struct StateCheckpoints {
    std::int64_t bytes = std::int64_t{256} << 20;  ///< limit of all of them together
    StateType type = StateType::Int8;
};

/// Size of the rows that one layer of a cache stores for each token.
struct KvExtent {
    int heads = 0;     ///< KV heads; 0: the layer stores no rows
    int keyDim = 0;    ///< elements of a key
    int valueDim = 0;  ///< elements of a value
    /// A value is the end of its key, so that only keys are stored: latent attention.
    bool valuesInKeys = false;
    /// Elements that one head stores for a token.
    [[nodiscard]] int elements() const { return keyDim + (valuesInKeys ? 0 : valueDim); }
    friend bool operator==(const KvExtent&, const KvExtent&) = default;
};

/// Properties of a model that a cache depends on.
struct CacheModel {
    int layers = 0;
    int kvHeads = 0;  ///< 0 if `extents` is set
    int headDim = 0;  ///< 0 if `extents` is set
    /// [layers] if the layers differ, otherwise empty. A layer that reads the rows of an earlier
    /// one stores none.
    std::vector<KvExtent> extents = {};
    /// Mixers of the recurrent layers, in their order; null: none. Without weights they serve only
    /// to estimate bytes.
    std::shared_ptr<const std::vector<MixerWeights>> states = {};
    std::vector<int> windows = {};  ///< [layers] number of tokens a layer sees, 0: all; empty: all
                                    ///< layers see all tokens
    std::shared_ptr<const CalibratedRotations> rotations = {};  ///< null: none were calibrated
    std::shared_ptr<const LayerLoss> loss = {};                 ///< null: not measured
    friend bool operator==(const CacheModel&, const CacheModel&) = default;
};

/// Size of a cache's content. Bytes include keys, values, and explicit positions, bias and norms if
/// a head stores them.
struct KvStats {
    std::int64_t tokens = 0;      ///< logical length
    std::int64_t slotsTotal = 0;  ///< total over layers and heads
    int slotsLargestHead = 0;
    std::int64_t numbers = 0;         ///< number of key and value elements in valid slots
    std::int64_t logicalBytes = 0;    ///< bytes of every token as plain numbers of the type
    std::int64_t liveBytes = 0;       ///< bytes of valid slots
    std::int64_t scaleBytes = 0;      ///< part of liveBytes: scales and biases of codes
    std::int64_t exactBytes = 0;      ///< part of liveBytes: 16-bit rows besides rotated codes
    std::int64_t allocatedBytes = 0;  ///< bytes of the capacity
    // Bytes of recurrent layers, in none of the numbers above.
    std::int64_t stateBytes = 0;       ///< states, and what brings them back to the newest tokens
    std::int64_t checkpointBytes = 0;  ///< checkpoints kept on request
    std::int64_t reallocations = 0;  ///< number of growth steps after the first allocation, counted
                                     ///< once for all heads
    std::int64_t compactions = 0;
    std::int64_t normsComputed = 0;  ///< number of key norms computed so far
    /// Bytes of recurrent layers.
    [[nodiscard]] std::int64_t recurrentBytes() const { return stateBytes + checkpointBytes; }
    /// Bytes of the content: valid slots, states and checkpoints.
    [[nodiscard]] std::int64_t contentBytes() const { return liveBytes + recurrentBytes(); }
};

}  // namespace lacuna
