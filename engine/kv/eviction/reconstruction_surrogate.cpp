#include "engine/kv/eviction/reconstruction_surrogate.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "engine/base/hash.h"

namespace lacuna {
namespace {

/// Dot product with sixteen parallel sums, which compilers keep in registers; the order of
/// summation is fixed.
float dot(const float* a, const float* b, int count) {
    constexpr int kLanes = 16;
    float lanes[kLanes] = {};
    int i = 0;
    for (; i + kLanes <= count; i += kLanes)
        for (int lane = 0; lane < kLanes; ++lane) lanes[lane] += a[i + lane] * b[i + lane];
    float sum = 0;
    for (; i < count; ++i) sum += a[i] * b[i];
    for (const float lane : lanes) sum += lane;
    return sum;
}

}  // namespace

std::string ReconstructionSurrogate::hash() const {
    std::vector<float> all = weights;
    all.insert(all.end(), bias.begin(), bias.end());
    return hashHex(std::as_bytes(std::span(all)));
}

PredictedScores::PredictedScores(std::shared_ptr<const ReconstructionSurrogate> surrogate)
    : surrogate_(std::move(surrogate)), shares_(static_cast<std::size_t>(surrogate_->layers)) {}

void PredictedScores::observeInputs(LayerIndex layer, View<const float, 2> inputs, Position first) {
    const ReconstructionSurrogate& map = *surrogate_;
    std::vector<float>& shares = shares_[static_cast<std::size_t>(layer.value)];
    const int heads = map.headsOf(layer.value);
    if (heads == 0) return;
    const std::size_t begin = static_cast<std::size_t>(first.value) * heads;
    // Tokens were skipped because the cache was loaded from elsewhere; scores are unknown from
    // there on.
    if (begin > shares.size()) return;
    const std::int64_t tokens = inputs.extent(0);
    shares.resize(begin + static_cast<std::size_t>(tokens) * heads);
    float* out = shares.data() + begin;
    for (std::int64_t t = 0; t < tokens; ++t)
        for (int head = 0; head < heads; ++head) {
            const float* const row = inputs.data() + t * map.hidden;
            const float bias = map.bias[static_cast<std::size_t>(map.indexOf(layer.value, head))];
            const float logShare = dot(row, map.weightsOf(layer.value, head), map.hidden) + bias;
            *out++ = std::exp(std::min(logShare, 0.0F));
        }
}

void PredictedScores::dropFrom(Position position) {
    for (std::size_t layer = 0; layer < shares_.size(); ++layer) {
        const std::size_t end =
            static_cast<std::size_t>(position.value) * surrogate_->headsOf(static_cast<int>(layer));
        if (shares_[layer].size() > end) shares_[layer].resize(end);
    }
}

std::int64_t PredictedScores::tokens() const {
    std::optional<std::size_t> least;
    for (std::size_t layer = 0; layer < shares_.size(); ++layer) {
        const int heads = surrogate_->headsOf(static_cast<int>(layer));
        if (heads == 0) continue;
        const std::size_t seen = shares_[layer].size() / static_cast<std::size_t>(heads);
        least = std::min(least.value_or(seen), seen);
    }
    return static_cast<std::int64_t>(least.value_or(0));
}

ReconstructionScores PredictedScores::scores(std::int64_t tokens) const {
    ReconstructionScores out;
    out.layers = surrogate_->layers;
    out.kvHeads = surrogate_->kvHeads;
    out.layerHeads = surrogate_->layerHeads;
    out.tokens = tokens;
    out.shares.reserve(surrogate_->bias.size() * static_cast<std::size_t>(tokens));
    for (std::size_t layer = 0; layer < shares_.size(); ++layer) {
        const int heads = surrogate_->headsOf(static_cast<int>(layer));
        for (int head = 0; head < heads; ++head)
            for (std::int64_t t = 0; t < tokens; ++t)
                out.shares.push_back(shares_[layer][static_cast<std::size_t>(t * heads + head)]);
    }
    return out;
}

}  // namespace lacuna
