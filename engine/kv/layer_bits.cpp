#include "engine/kv/layer_bits.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "engine/base/hash.h"
#include "engine/base/string_format.h"
#include "engine/tensor/rotated_codes.h"

namespace lacuna {
namespace {

constexpr double kMostDamage = 1e6;

/// Error of a layer with codes of other bits than those measured; 0 bits are uncoded.
double damageAt(const LayerDamage& damage, double measured, int bits) {
    return bits == 0 ? 0 : measured * codeError(bits) / codeError(damage.bits);
}

}  // namespace

std::string LayerDamage::hash() const {
    std::vector<double> all{static_cast<double>(bits)};
    all.insert(all.end(), keys.begin(), keys.end());
    all.insert(all.end(), values.begin(), values.end());
    return hashHex(std::as_bytes(std::span(all)));
}

Status checkDamage(const LayerDamage& damage) {
    if (damage.keys.empty() || damage.keys.size() != damage.values.size())
        return fail(ErrorCode::InvalidArgument,
                    format("{} layers of keys and {} of values; expected the same number of both, "
                           "at least one",
                           damage.keys.size(), damage.values.size()));
    if (damage.bits < 1 || damage.bits > kMaxCodeBits)
        return fail(ErrorCode::InvalidArgument,
                    format("measured with {} bits; expected 1 to {}", damage.bits, kMaxCodeBits));
    for (const auto* side : {&damage.keys, &damage.values})
        for (const double nats : *side)
            if (!(nats >= 0 && nats <= kMostDamage))
                return fail(ErrorCode::InvalidArgument,
                            format("a loss of {} nats; expected 0 to {}", nats, kMostDamage));
    return {};
}

LayerBits spreadBits(const LayerDamage& damage, int keyBits, int valueBits, double extra) {
    const auto layers = damage.keys.size();
    LayerBits out{std::vector<int>(layers, keyBits), std::vector<int>(layers, valueBits)};
    const int sides = (keyBits > 0 ? 1 : 0) + (valueBits > 0 ? 1 : 0);
    auto left = std::llround(extra * sides * static_cast<double>(layers));
    for (; left > 0; --left) {
        int* most = nullptr;
        double gain = -1;
        for (std::size_t layer = 0; layer < layers; ++layer) {
            const auto consider = [&](int& bits, double measured) {
                if (bits == 0 || bits == kMaxCodeBits) return;
                const double saved =
                    damageAt(damage, measured, bits) - damageAt(damage, measured, bits + 1);
                if (saved <= gain) return;
                gain = saved;
                most = &bits;
            };
            consider(out.keys[layer], damage.keys[layer]);
            consider(out.values[layer], damage.values[layer]);
        }
        if (most == nullptr) break;  // all layers have 8 bits
        ++*most;
    }
    return out;
}

double predictedDamage(const LayerDamage& damage, const LayerBits& bits) {
    double sum = 0;
    for (std::size_t layer = 0; layer < damage.keys.size(); ++layer)
        sum += damageAt(damage, damage.keys[layer], bits.keys[layer]) +
               damageAt(damage, damage.values[layer], bits.values[layer]);
    return sum;
}

}  // namespace lacuna
