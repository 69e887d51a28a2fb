#include "engine/kv/eviction/reconstruction_surrogate.h"

#include <algorithm>
#include <cmath>
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
    const std::size_t begin = static_cast<std::size_t>(first.value) * map.kvHeads;
    // Tokens were skipped because the cache was loaded from elsewhere; scores are unknown from
    // there on.
    if (begin > shares.size()) return;
    const std::int64_t tokens = inputs.extent(0);
    shares.resize(begin + static_cast<std::size_t>(tokens) * map.kvHeads);
    float* out = shares.data() + begin;
    for (std::int64_t t = 0; t < tokens; ++t)
        for (int head = 0; head < map.kvHeads; ++head) {
            const float* const row = inputs.data() + t * map.hidden;
            const float bias = map.bias[static_cast<std::size_t>(layer.value * map.kvHeads + head)];
            const float logShare = dot(row, map.weightsOf(layer.value, head), map.hidden) + bias;
            *out++ = std::exp(std::min(logShare, 0.0F));
        }
}

void PredictedScores::forgetFrom(Position position) {
    const std::size_t end = static_cast<std::size_t>(position.value) * surrogate_->kvHeads;
    for (std::vector<float>& shares : shares_)
        if (shares.size() > end) shares.resize(end);
}

std::int64_t PredictedScores::tokens() const {
    std::size_t least = shares_.front().size();
    for (const std::vector<float>& shares : shares_) least = std::min(least, shares.size());
    return static_cast<std::int64_t>(least) / surrogate_->kvHeads;
}

ReconstructionScores PredictedScores::scores(std::int64_t tokens) const {
    const int heads = surrogate_->kvHeads;
    ReconstructionScores out;
    out.layers = surrogate_->layers;
    out.kvHeads = heads;
    out.tokens = tokens;
    out.shares.reserve(static_cast<std::size_t>(out.layers) * heads * tokens);
    for (const std::vector<float>& shares : shares_)
        for (int head = 0; head < heads; ++head)
            for (std::int64_t t = 0; t < tokens; ++t)
                out.shares.push_back(shares[static_cast<std::size_t>(t * heads + head)]);
    return out;
}

}  // namespace lacuna
