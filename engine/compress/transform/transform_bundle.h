#pragma once
/// \file
/// Model-specific data for the transform coding of stored caches: for the keys and the values of
/// each layer group a mean, weights, principal components with their deviations, and bit plans; and
/// the rotation of keys. Calibrated once per model, bound to it, never part of a stored cache.
/// Plain data, validated as a whole before use; file format. docs/stored-caches.md, "The bundle".

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/compress/transform/bit_allocation.h"

namespace lacuna {

/// Rotation of the keys of some layers: pairs of a head and radians per token. Undoing and redoing
/// use the same numbers, so decoded keys are rotated correctly whatever the numbers are. If they
/// match the model, the unrotated keys do not depend on the position.
struct BundledRope {
    bool interleaved = false;         ///< pairs (2i, 2i+1), otherwise (i, i + pairs)
    std::vector<double> frequencies;  ///< [pairs]
    friend bool operator==(const BundledRope&, const BundledRope&) = default;
};

/// Keys or values of a layer group, concatenated: [layer in the group, KV head, number].
struct TransformSide {
    std::vector<float> mean;          ///< [width], keys before rotation
    std::vector<float> weight;        ///< [width], positive: cost of an error in a number
    std::vector<std::int8_t> basis;   ///< [rank, width] orthonormal rows, in units of `scale`
    std::vector<float> scale;         ///< [rank]
    std::vector<float> deviation;     ///< [rank] of the components of weighted rows, decreasing
    std::vector<std::uint8_t> shape;  ///< [rank] tail shapes (entropy_coder.h)
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
    Plan = 0,  ///< bits by plan, then an entropy coder over the bytes
    Step = 1,  ///< one step for all components, entropy-coded
};

/// Properties of a model that a bundle must match.
struct TransformIdentity {
    std::string architecture;
    std::string fingerprint;  ///< hash of the weights and of everything that defines their meaning
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
    std::string model;               ///< name of the model
    std::string how;                 ///< description of text and tokens
    std::string textHash;            ///< hash of the calibration token ids
    std::int64_t tokens = 0;         ///< number of calibration tokens
    std::int64_t heldOutTokens = 0;  ///< tokens of the same text not used for calibration
    int sinks = 4;     ///< number of first tokens, excluded from calibration and stored unchanged
    int window = 128;  ///< number of newest tokens stored unchanged
    std::vector<float> ratios;  ///< nominal ratios of plans and steps, ascending
    std::vector<float> steps;   ///< [ratios] uniform step with the same number of bytes
    /// [ratios] share of the weighted energy lost by a plan and by a step, on the held-out tokens.
    std::vector<float> planErrors;
    std::vector<float> stepErrors;
    StoredCode better = StoredCode::Step;  ///< code with the smaller error at equal size
    std::vector<TransformGroup> groups;
    friend bool operator==(const TransformBundle&, const TransformBundle&) = default;
};

/// Step for a nominal ratio, interpolated between those of the bundle. Errors: Range (ratio outside
/// of the calibrated range).
[[nodiscard]] Result<float> stepFor(const TransformBundle& bundle, double ratio);

/// Validates a bundle: sizes, finite numbers, orthonormal basis (|B B' - 1| at most 1e-2), positive
/// and non-increasing deviations, matching plans, every layer exactly once. Errors: Config, naming
/// the field.
[[nodiscard]] Status checkTransform(const TransformBundle& bundle);

/// Checks that a bundle was made for this model. Errors: Incompatible, naming every mismatch.
[[nodiscard]] Status checkTransformFor(const TransformBundle& bundle,
                                       const TransformIdentity& model);

/// File format: magic, version, then sections with lengths and checksums. A bundle that is read is
/// validated with checkTransform. Errors: Corrupt (truncated, damaged), Incompatible (another
/// version), those of checkTransform.
[[nodiscard]] std::string transformBytes(const TransformBundle& bundle);
[[nodiscard]] Result<TransformBundle> transformFromBytes(std::string_view bytes);
/// Checksum of the bundle's file, which pages store to identify the bundle they were written with.
[[nodiscard]] std::uint64_t transformHash(const TransformBundle& bundle);

}  // namespace lacuna
