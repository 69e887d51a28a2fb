#include "engine/model/context_shift.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

#include "engine/base/string_format.h"
#include "engine/kv/row_format.h"
#include "engine/model/model_cache.h"
#include "engine/model/rope.h"

namespace lacuna {
namespace {

constexpr int kRowsAtOnce = 1024;

/// Rotates keys back by a fixed number of tokens.
class BackTurn {
  public:
    BackTurn(const RopeSpec& spec, int tokens) : pairing_(spec.pairing) {
        for (const double frequency : ropeFrequencies(spec)) {
            cosines_.push_back(static_cast<float>(std::cos(frequency * tokens)));
            sines_.push_back(static_cast<float>(std::sin(frequency * tokens)));
        }
    }
    /// Rotates `key` [headDim]; elements after the rotated ones stay.
    void apply(float* key) const {
        const std::size_t pairs = cosines_.size();
        for (std::size_t i = 0; i < pairs; ++i) {
            float& a = pairing_ == RopePairing::Halves ? key[i] : key[2 * i];
            float& b = pairing_ == RopePairing::Halves ? key[i + pairs] : key[2 * i + 1];
            const float turned = a * cosines_[i] + b * sines_[i];
            b = b * cosines_[i] - a * sines_[i];
            a = turned;
        }
    }

  private:
    RopePairing pairing_;
    std::vector<float> cosines_;  ///< [pairs]
    std::vector<float> sines_;
};

/// Rows [tokens, heads, dim] of a layer, from the slot `first` on.
struct LayerRows {
    std::vector<float> keys;
    std::vector<float> values;
};

LayerRows readRows(const KvCache& cache, int layer, int first, int count) {
    const KvExtent extent = cache.shape().extent(LayerIndex(layer));
    const auto [heads, keyDim, valueDim] = std::tuple{extent.heads, extent.keyDim, extent.valueDim};
    const auto rows = static_cast<std::size_t>(count) * static_cast<std::size_t>(heads);
    LayerRows out{std::vector<float>(rows * static_cast<std::size_t>(keyDim)),
                  std::vector<float>(rows * static_cast<std::size_t>(valueDim))};
    for (int h = 0; h < heads; ++h) {
        const KvHeadView view = cache.head(LayerIndex(layer), HeadIndex(h));
        for (int i = 0; i < count; ++i) {
            const std::int64_t row = std::int64_t{i} * heads + h;
            readKeys(view, keyDim, first + i, 1, out.keys.data() + row * keyDim);
            readValues(view, valueDim, first + i, 1, out.values.data() + row * valueDim);
        }
    }
    return out;
}

/// Appends `count` tokens of `from` starting at slot `first`, rotated if `turn` is set.
Status appendRows(KvCache& to, const KvCache& from, const ModelSpec& spec, const BackTurn* turn,
                  int first, int count) {
    const KvShape& shape = to.shape();
    LACUNA_TRY_STATUS(to.beginAppend(count));
    for (int layer = 0; layer < shape.layers; ++layer) {
        const KvExtent extent = shape.extent(LayerIndex(layer));
        if (extent.heads == 0) continue;
        LayerRows rows = readRows(from, layer, first, count);
        const std::int64_t heads = std::int64_t{count} * extent.heads;
        for (std::int64_t row = 0; turn != nullptr && spec.layer(layer).rotary && row < heads;
             ++row)
            turn->apply(rows.keys.data() + row * extent.keyDim);
        to.writeLayer(LayerIndex(layer), {rows.keys.data(), {count, extent.heads, extent.keyDim}},
                      {rows.values.data(), {count, extent.heads, extent.valueDim}});
    }
    to.commitAppend();
    return {};
}

Status checkCache(const KvCache& cache, int keep, int dropped) {
    const KvShape& shape = cache.shape();
    if (!cache.capabilities().holdsEveryToken)
        return fail(ErrorCode::Unsupported,
                    "the context can be shifted only in a cache that holds every token");
    if (shape.coded())
        return fail(ErrorCode::Unsupported,
                    "the context cannot be shifted while the cache holds group codes, whose keys "
                    "cannot be rotated");
    if (keep < 0 || dropped < 0 || std::int64_t{keep} + dropped > cache.offset().value)
        return fail(ErrorCode::InvalidArgument,
                    format("a shift by {} tokens after the first {} does not fit a cache of {}",
                           dropped, keep, cache.offset().value));
    return {};
}

}  // namespace

int tokensToShift(int tokens, int keep) {
    return std::max(tokens - keep, 0) / 2;
}

Status checkShiftable(const ModelSpec& spec) {
    const RopeSpec::Scaling scaling = spec.rope.scaling;
    if (scaling == RopeSpec::Scaling::LongRope || scaling == RopeSpec::Scaling::Dynamic)
        return fail(ErrorCode::Unsupported,
                    "the context of this model cannot be shifted, because its rotary angles depend "
                    "on the length of the text");
    if (spec.qkNormAfterRotary)
        return fail(ErrorCode::Unsupported,
                    "the context of this model cannot be shifted, because its keys are normalised "
                    "after the rotation");
    if (spec.recurrent.any())
        return fail(ErrorCode::Unsupported,
                    "the context of this model cannot be shifted, because the states of its "
                    "recurrent layers include the tokens that would be dropped");
    for (int layer = 0; layer < spec.layers; ++layer)
        if (spec.layer(layer).sliding)
            return fail(ErrorCode::Unsupported,
                        format("the context of this model cannot be shifted, because layer {} sees "
                               "only a window of the text",
                               layer));
    return {};
}

Result<std::unique_ptr<KvCache>> shiftedCache(const KvCache& cache, const ModelSpec& spec, int keep,
                                              int dropped) {
    LACUNA_TRY_STATUS(checkShiftable(spec));
    LACUNA_TRY_STATUS(checkCache(cache, keep, dropped));
    LACUNA_TRY(auto shifted, makeFullCache(cache.shape()));
    const BackTurn turn(spec.rope, dropped);
    const auto copy = [&](int first, int end, const BackTurn* turned) -> Status {
        for (int at = first; at < end; at += kRowsAtOnce)
            LACUNA_TRY_STATUS(
                appendRows(*shifted, cache, spec, turned, at, std::min(kRowsAtOnce, end - at)));
        return {};
    };
    LACUNA_TRY_STATUS(copy(0, keep, nullptr));
    LACUNA_TRY_STATUS(copy(keep + dropped, cache.offset().value, &turn));
    return shifted;
}

}  // namespace lacuna
