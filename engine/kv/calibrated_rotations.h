#pragma once
/// \file
/// Rotations of the rows of rotated codes that were calibrated on a model: one for the keys and one
/// for the values of each (layer, KV head), from what its queries look at and its values weigh
/// (OSCAR, arXiv 2605.17757), with the centre of the keys and how far the codes of each reach.
/// docs/number-formats.md, "Calibrated rotations". Immutable, any thread.

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace lacuna {

class Rotation;

/// As a calibration finds them and a bundle holds them: plain data.
struct RotationMatrices {
    std::string model = {};        ///< its name, for people
    std::string fingerprint = {};  ///< of the model they were calibrated on
    std::string how = {};          ///< they were, for people
    int layers = 0;
    int kvHeads = 0;
    int dim = 0;
    std::vector<float> keys = {};  ///< [layers, kvHeads, dim, dim]: a row x becomes matrix . x
    std::vector<float> values = {};
    std::vector<float> centres = {};  ///< [layers, kvHeads, dim] of rotated keys
    std::vector<float> ranges = {};   ///< [layers, kvHeads, 2, 8] of codes (RowFit), keys first
    friend bool operator==(const RotationMatrices&, const RotationMatrices&) = default;

    [[nodiscard]] std::size_t heads() const {
        return static_cast<std::size_t>(layers) * static_cast<std::size_t>(kvHeads);
    }
    /// Of all numbers, 32 hexadecimal digits.
    [[nodiscard]] std::string hash() const;
};

class CalibratedRotations {
  public:
    /// Errors: InvalidArgument, naming the layer and head of a matrix that is not orthogonal, of a
    /// number that is not finite or of a range out of reach, or the counts that do not fit each
    /// other.
    [[nodiscard]] static Result<std::shared_ptr<const CalibratedRotations>> make(
        const RotationMatrices& matrices);
    ~CalibratedRotations();
    /// Those of some layers of the model, which count from 0 then; the rotations are shared.
    /// @pre every layer is one of these
    [[nodiscard]] std::shared_ptr<const CalibratedRotations> ofLayers(
        const std::vector<int>& layers) const;

    [[nodiscard]] int layers() const { return layers_; }
    [[nodiscard]] int kvHeads() const { return kvHeads_; }
    [[nodiscard]] int dim() const { return dim_; }
    [[nodiscard]] const std::string& fingerprint() const { return fingerprint_; }
    [[nodiscard]] const std::string& hash() const { return hash_; }
    /// By layer of the model and head.
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

/// Whether both are the same numbers; null is like null only.
[[nodiscard]] bool sameRotations(const CalibratedRotations* a, const CalibratedRotations* b);

}  // namespace lacuna
