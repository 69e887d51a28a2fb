#pragma once
/// \file
/// Bits of rotated codes by layer: the error caused by coding each layer, measured once, and the
/// assignment of extra bits to the layers where they reduce it most. docs/number-formats.md, "Bits
/// by layer". Plain data, pure functions.

#include <span>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/kv/kv_values.h"

namespace lacuna {

/// Error caused by coding the keys or the values of one layer, with the others in 16 bits.
struct LayerLoss {
    std::string model = {};        ///< display name
    std::string fingerprint = {};  ///< fingerprint of the measured model
    std::string how = {};          ///< description of the measurement, for display
    int bits = 3;                  ///< bits of the codes used for the measurement
    /// [layers] mean KL divergence of the next-token distribution from that with 16 bits, nats, at
    /// least 0.
    std::vector<double> keys = {};
    std::vector<double> values = {};
    friend bool operator==(const LayerLoss&, const LayerLoss&) = default;

    [[nodiscard]] int layers() const { return static_cast<int>(keys.size()); }
    /// Hash of all numbers, 32 hexadecimal digits.
    [[nodiscard]] std::string hash() const;
};

/// Errors: InvalidArgument, naming the first number that is out of range or the counts that differ.
[[nodiscard]] Status checkLayerLoss(const LayerLoss& loss);

/// Bits by layer; 0: no rotated codes on that side.
struct LayerBits {
    std::vector<int> keys;
    std::vector<int> values;
    friend bool operator==(const LayerBits&, const LayerBits&) = default;
};

/// Assigns `keyBits` and `valueBits` everywhere (0: none on that side), plus `extra` bits per
/// number on average over all coded sides, one at a time to the layer and side whose predicted
/// error decreases most. Errors are assumed to add up over layers and to be proportional to the
/// squared error of the codes. At most 8 bits; ties go to the lower layer, keys before values. If
/// the layers differ, `extents` [layers] weighs a bit of a side by the numbers that it codes, and
/// layers without rows get none. Values that are in the keys count as keys. @pre checkLayerLoss
/// passed; bits 0 to 8; extra >= 0
[[nodiscard]] LayerBits spreadBits(const LayerLoss& loss, int keyBits, int valueBits, double extra,
                                   std::span<const KvExtent> extents = {});
/// Predicted total error with these bits, nats.
[[nodiscard]] double predictedLoss(const LayerLoss& loss, const LayerBits& bits);

}  // namespace lacuna
