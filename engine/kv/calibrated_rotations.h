#pragma once
/// \file
/// Rotations for rotated codes, calibrated on a model: one for the keys and one for the values of
/// each (layer, KV head), from what its queries attend to and the weights of its values (OSCAR,
/// arXiv:2605.17757), with the centre of the keys and the range of the codes of each.
/// docs/number-formats.md, "Calibrated rotations". Immutable, any thread.

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace lacuna {

class Rotation;

/// Rotations as calibrated and as stored in a bundle: plain data.
struct RotationMatrices {
    std::string model = {};        ///< display name
    std::string fingerprint = {};  ///< fingerprint of the calibrated model
    std::string how = {};          ///< description of the calibration, for display
    int layers = 0;
    int kvHeads = 0;
    int dim = 0;
    std::vector<float> keys = {};  ///< [layers, kvHeads, dim, dim]: a row x becomes matrix . x
    std::vector<float> values = {};
    std::vector<float> centres = {};  ///< [layers, kvHeads, dim] centres of rotated keys
    std::vector<float> ranges = {};   ///< [layers, kvHeads, 2, 8] ranges of codes (RowFit), keys
                                      ///< first
    friend bool operator==(const RotationMatrices&, const RotationMatrices&) = default;

    [[nodiscard]] std::size_t heads() const {
        return static_cast<std::size_t>(layers) * static_cast<std::size_t>(kvHeads);
    }
    /// Hash of all numbers, 32 hexadecimal digits.
    [[nodiscard]] std::string hash() const;
};

class CalibratedRotations {
  public:
    /// Errors: InvalidArgument, naming the layer and head of a matrix that is not orthogonal, of a
    /// number that is not finite or of a range out of bounds, or counts that do not match.
    [[nodiscard]] static Result<std::shared_ptr<const CalibratedRotations>> make(
        const RotationMatrices& matrices);
    ~CalibratedRotations();
    /// Returns the rotations of some layers of the model, renumbered from 0; the rotations are
    /// shared.
    /// @pre every layer exists in the model
    [[nodiscard]] std::shared_ptr<const CalibratedRotations> ofLayers(
        const std::vector<int>& layers) const;

    [[nodiscard]] int layers() const { return layers_; }
    [[nodiscard]] int kvHeads() const { return kvHeads_; }
    [[nodiscard]] int dim() const { return dim_; }
    [[nodiscard]] const std::string& fingerprint() const { return fingerprint_; }
    [[nodiscard]] const std::string& hash() const { return hash_; }
    /// Indexed by layer of the model and head.
    [[nodiscard]] const Rotation& keys(int layer, int head) const;
    [[nodiscard]] const Rotation& values(int layer, int head) const;

  private:
    CalibratedRotations();
    [[nodiscard]] std::size_t at(int layer, int head) const;

    int layers_ = 0;
    int kvHeads_ = 0;
    int dim_ = 0;
    std::string fingerprint_;
    std::string hash_;
    std::vector<std::shared_ptr<const Rotation>> keys_;
    std::vector<std::shared_ptr<const Rotation>> values_;
};

/// Compares by value; null equals only null.
[[nodiscard]] bool sameRotations(const CalibratedRotations* a, const CalibratedRotations* b);

}  // namespace lacuna
