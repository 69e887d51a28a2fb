#pragma once
/// \file
/// What the transform coding of stored caches needs to know of a model: for the keys and the values
/// of each group of layers a mean, weights, principal components with their deviations, and plans
/// of bits; and how the model rotates its keys. Calibrated once for a model, bound to it, never
/// part of a stored cache. Plain data, checked as a whole before it is used; the bytes of its file.
/// docs/stored-caches.md, "The bundle".

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/compress/bit_allocation.h"

namespace lacuna {

/// How keys of some layers were rotated: pairs of a head and radians per token. Undone and done
/// again with the same numbers, so that what is decoded is rotated right whatever they are; if they
/// are those of the model, what lies between does not depend on the position.
struct BundledRope {
    bool interleaved = false;         ///< pairs (2i, 2i+1), else (i, i + pairs)
    std::vector<double> frequencies;  ///< [pairs]
    friend bool operator==(const BundledRope&, const BundledRope&) = default;
};

/// Keys or values of a layer group, side by side: [layer in the group, KV head, number].
struct TransformSide {
    std::vector<float> mean;          ///< [width], keys before rotation
    std::vector<float> weight;        ///< [width], above 0: what an error in a number costs
    std::vector<std::int8_t> basis;   ///< [rank, width] orthonormal rows, in `scale`
    std::vector<float> scale;         ///< [rank]
    std::vector<float> deviation;     ///< [rank] of the components of weighted rows, falling
    std::vector<std::uint8_t> shape;  ///< [rank] how their tails fall (entropy_coder.h)
    std::vector<BitPlan> plans;       ///< [ratios]
    [[nodiscard]] int width() const { return static_cast<int>(mean.size()); }
    [[nodiscard]] int rank() const { return static_cast<int>(scale.size()); }
    friend bool operator==(const TransformSide&, const TransformSide&) = default;
};

struct TransformGroup {
    std::vector<int> layers;  ///< ascending
    TransformSide keys;
    TransformSide values;
    friend bool operator==(const TransformGroup&, const TransformGroup&) = default;
};

/// \note The numbers are written to files.
enum class StoredCode : std::uint8_t {
    Plan = 0,  ///< bits by plan, then an entropy coder over bytes
    Step = 1,  ///< one step for all components, entropy-coded
};

/// What a bundle must have been made of to serve a model.
struct TransformIdentity {
    std::string architecture;
    std::string fingerprint;  ///< of the weights and everything that says what they mean
    int layers = 0;
    int kvHeads = 0;
    int keyDim = 0;
    int valueDim = 0;
    std::vector<BundledRope> ropes;
    std::vector<int> layerRopes;  ///< [layers] index in `ropes`, or -1: keys are not rotated
    friend bool operator==(const TransformIdentity&, const TransformIdentity&) = default;
};

struct TransformBundle {
    TransformIdentity identity;
    std::string model;               ///< its name
    std::string how;                 ///< text, tokens
    std::string textHash;            ///< of the token ids calibrated on
    std::int64_t tokens = 0;         ///< calibrated on
    std::int64_t heldOutTokens = 0;  ///< of the same text, not calibrated on
    int sinks = 4;                   ///< first tokens, left out of it and stored as they are
    int window = 128;                ///< newest tokens, stored as they are
    std::vector<float> ratios;       ///< nominal, rising: of the plans and steps
    std::vector<float> steps;        ///< [ratios] the uniform step that takes as many bytes
    /// [ratios] on the held-out tokens: share of the weighted energy that a plan and a step lose.
    std::vector<float> planErrors;
    std::vector<float> stepErrors;
    StoredCode better = StoredCode::Step;  ///< with the smaller error at equal bytes
    std::vector<TransformGroup> groups;
    friend bool operator==(const TransformBundle&, const TransformBundle&) = default;
};

/// The step that takes a nominal ratio, between those of the bundle. Errors: Range (a ratio outside
/// of those it was calibrated for).
[[nodiscard]] Result<float> stepFor(const TransformBundle& bundle, double ratio);

/// Everything that can be wrong with one: sizes, numbers that are not finite, a basis that is not
/// orthonormal (|B B' - 1| above 1e-2), deviations that are not positive or rise, plans that do not
/// fit, layers that are missing or there twice. Errors: Config, naming the place.
[[nodiscard]] Status checkTransform(const TransformBundle& bundle);

/// Whether it was made for this model. Errors: Incompatible, naming every mismatch.
[[nodiscard]] Status checkTransformFor(const TransformBundle& bundle,
                                       const TransformIdentity& model);

/// The file and back: magic, version, then sections with their lengths and checksums. What is read
/// is checked with checkTransform. Errors: Corrupt (cut, damaged), Incompatible (another version),
/// those of checkTransform.
[[nodiscard]] std::string transformBytes(const TransformBundle& bundle);
[[nodiscard]] Result<TransformBundle> transformFromBytes(std::string_view bytes);
/// What pages say of the bundle they were written with: the checksum of its file.
[[nodiscard]] std::uint64_t transformHash(const TransformBundle& bundle);

}  // namespace lacuna
