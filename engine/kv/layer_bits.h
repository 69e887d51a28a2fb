#pragma once
/// \file
/// Bits of rotated codes by layer: what codes of each layer cost a model, measured once, and extra
/// bits that go where they save most of it. docs/number-formats.md, "Bits by layer". Plain data,
/// pure functions.

#include <string>
#include <vector>

#include "engine/base/result.h"

namespace lacuna {

/// What coding the keys or the values of one layer costs, the others in 16 bits.
struct LayerDamage {
    std::string model = {};        ///< its name, for people
    std::string fingerprint = {};  ///< of the model that was measured
    std::string how = {};          ///< it was measured, for people
    int bits = 3;                  ///< of the codes it was measured with
    /// [layers] mean KL of the next-token distribution from that with 16 bits, nats, from 0.
    std::vector<double> keys = {};
    std::vector<double> values = {};
    friend bool operator==(const LayerDamage&, const LayerDamage&) = default;

    [[nodiscard]] int layers() const { return static_cast<int>(keys.size()); }
    /// Of all numbers, 32 hexadecimal digits.
    [[nodiscard]] std::string hash() const;
};

/// Errors: InvalidArgument, naming the first number that is out of range or the counts that differ.
[[nodiscard]] Status checkDamage(const LayerDamage& damage);

/// Bits by layer; 0: that side has no rotated codes.
struct LayerBits {
    std::vector<int> keys;
    std::vector<int> values;
    friend bool operator==(const LayerBits&, const LayerBits&) = default;
};

/// `keyBits` and `valueBits` everywhere (0: none of that side), and `extra` more a number on
/// average over all sides with codes: one after the other to the layer and side whose predicted
/// damage falls most by it. Damage is taken to add up over layers and to fall with the squared
/// error of the codes. At most 8 bits; of equal gains the lower layer first, keys before values.
/// @pre checkDamage passed; bits 0 to 8; extra >= 0
[[nodiscard]] LayerBits spreadBits(const LayerDamage& damage, int keyBits, int valueBits,
                                   double extra);
/// What such bits are predicted to cost altogether, nats.
[[nodiscard]] double predictedDamage(const LayerDamage& damage, const LayerBits& bits);

}  // namespace lacuna
