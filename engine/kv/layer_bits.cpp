#include "engine/kv/layer_bits.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "engine/base/hash.h"
#include "engine/base/string_format.h"
#include "engine/tensor/rotated_codes.h"

namespace lacuna {
namespace {

constexpr double kMaxLayerLoss = 1e6;

/// Error of a layer with codes of other bits than those measured; 0 bits are uncoded.
double layerLossAt(const LayerLoss& loss, double measured, int bits) {
    return bits == 0 ? 0 : measured * codeError(bits) / codeError(loss.bits);
}

}  // namespace

std::string LayerLoss::hash() const {
    std::vector<double> all{static_cast<double>(bits)};
    all.insert(all.end(), keys.begin(), keys.end());
    all.insert(all.end(), values.begin(), values.end());
    return hashHex(std::as_bytes(std::span(all)));
}

Status checkLayerLoss(const LayerLoss& loss) {
    if (loss.keys.empty() || loss.keys.size() != loss.values.size())
        return fail(ErrorCode::InvalidArgument,
                    format("{} layers of keys and {} of values; expected the same number of both, "
                           "at least one",
                           loss.keys.size(), loss.values.size()));
    if (loss.bits < 1 || loss.bits > kMaxCodeBits)
        return fail(ErrorCode::InvalidArgument,
                    format("measured with {} bits; expected 1 to {}", loss.bits, kMaxCodeBits));
    for (const auto* side : {&loss.keys, &loss.values})
        for (const double nats : *side)
            if (!(nats >= 0 && nats <= kMaxLayerLoss))
                return fail(ErrorCode::InvalidArgument,
                            format("a loss of {} nats; expected 0 to {}", nats, kMaxLayerLoss));
    return {};
}

LayerBits spreadBits(const LayerLoss& loss, int keyBits, int valueBits, double extra,
                     std::span<const KvExtent> extents) {
    const auto layers = loss.keys.size();
    LayerBits out{std::vector<int>(layers, keyBits), std::vector<int>(layers, valueBits)};
    // Numbers that one more bit of a side costs, relative to those of the other layers.
    std::vector<std::int64_t> keyCosts(layers, 1);
    std::vector<std::int64_t> valueCosts(layers, 1);
    for (std::size_t layer = 0; layer < std::min(layers, extents.size()); ++layer) {
        const KvExtent& one = extents[layer];
        keyCosts[layer] = std::int64_t{one.heads} * (one.valuesInKeys ? one.valueDim : one.keyDim);
        valueCosts[layer] = std::int64_t{one.heads} * (one.valuesInKeys ? 0 : one.valueDim);
    }
    std::int64_t all = 0;
    if (keyBits > 0) all = std::accumulate(keyCosts.begin(), keyCosts.end(), all);
    if (valueBits > 0) all = std::accumulate(valueCosts.begin(), valueCosts.end(), all);
    auto left = std::llround(extra * static_cast<double>(all));
    while (left > 0) {
        int* most = nullptr;
        std::int64_t price = 0;
        double gain = -1;
        for (std::size_t layer = 0; layer < layers; ++layer) {
            const auto consider = [&](int& bits, double measured, std::int64_t cost) {
                if (bits == 0 || bits == kMaxCodeBits || cost == 0 || cost > left) return;
                const double saved =
                    (layerLossAt(loss, measured, bits) - layerLossAt(loss, measured, bits + 1)) /
                    static_cast<double>(cost);
                if (saved <= gain) return;
                gain = saved;
                price = cost;
                most = &bits;
            };
            consider(out.keys[layer], loss.keys[layer], keyCosts[layer]);
            consider(out.values[layer], loss.values[layer], valueCosts[layer]);
        }
        if (most == nullptr) break;  // all layers have 8 bits, or no side is as cheap as the rest
        ++*most;
        left -= price;
    }
    return out;
}

double predictedLoss(const LayerLoss& loss, const LayerBits& bits) {
    double sum = 0;
    for (std::size_t layer = 0; layer < loss.keys.size(); ++layer)
        sum += layerLossAt(loss, loss.keys[layer], bits.keys[layer]) +
               layerLossAt(loss, loss.values[layer], bits.values[layer]);
    return sum;
}

}  // namespace lacuna
