#include "engine/model/latent_layer.h"

#include <algorithm>

namespace lacuna {

std::int64_t LatentLayer::floatsPerToken(const ModelSpec& spec) {
    if (!spec.latent) return 0;
    const LatentAttention& latent = *spec.latent;
    return latent.queryRank + std::int64_t{spec.heads} * (latent.queryLength() + latent.value) +
           latent.keyLength();
}

Result<LatentLayer> LatentLayer::create(const ModelSpec& spec, int maxTokens) {
    LatentLayer layer;
    if (!spec.latent) return layer;
    const LatentAttention& latent = *spec.latent;
    layer.latent_ = latent;
    layer.heads_ = spec.heads;
    const auto floats = [&](std::int64_t width) {
        return Buffer::allocate(static_cast<std::size_t>(width) *
                                static_cast<std::size_t>(maxTokens) * sizeof(float));
    };
    LACUNA_TRY(layer.queryLatents_, floats(latent.queryRank));
    LACUNA_TRY(layer.queries_, floats(layer.heads_ * latent.queryLength()));
    LACUNA_TRY(layer.keys_, floats(latent.keyLength()));
    LACUNA_TRY(layer.outputs_, floats(layer.heads_ * latent.value));
    return layer;
}

/// Stores the latent of each row in `keys_` and its queries in `queries_`.
void LatentLayer::projectQueries(const StepTools& tools, const LayerWeights& weights,
                                 View<const float, 2> input) {
    const bool direct = latent_.queryRank == 0;
    const MatmulProduct products[] = {{matrixOf(weights.key), numbers(keys_)},
                                      {matrixOf(direct ? weights.query : weights.latent.queryDown),
                                       numbers(direct ? queries_ : queryLatents_)}};
    tools.matmul.multiply(input, products, tools.precision);
    if (direct) return;
    const std::int64_t rank = latent_.queryRank;
    const std::int64_t rows = input.extent(0);
    forEachRow(tools.pool, rows, [&](std::int64_t row) {
        float* const own = numbers(queryLatents_) + row * rank;
        tools.kernels.rmsNorm(own, weights.latent.queryNorm.data(), own, rank, kLatentNormEpsilon);
    });
    const MatmulProduct queries[] = {{matrixOf(weights.query), numbers(queries_)}};
    tools.matmul.multiply({numbers(queryLatents_), {rows, rank}}, queries, tools.precision);
}

void LatentLayer::projectInputs(const StepTools& tools, const LayerWeights& weights,
                                View<const float, 2> input, const RopeRows* rotations,
                                const Rows& out) {
    const std::int64_t rows = input.extent(0);
    const std::int64_t length = latent_.length;
    const std::int64_t rotated = latent_.rotated;
    const std::int64_t keyLength = latent_.keyLength();
    const std::int64_t queryLength = latent_.queryLength();
    projectQueries(tools, weights, input);
    forEachRow(tools.pool, rows, [&](std::int64_t row) {
        const auto rotate = [&](float* head) {
            if (rotations != nullptr)
                tools.rules.rotate(head, rotations->row(static_cast<int>(row)));
        };
        const float* const latent = numbers(keys_) + row * keyLength;
        float* const key = out.keys + row * keyLength;
        std::copy_n(latent + length, rotated, key);
        rotate(key);
        tools.kernels.rmsNorm(latent, weights.latent.norm.data(), key + rotated, length,
                              kLatentNormEpsilon);
        for (std::int64_t head = 0; head < heads_; ++head) {
            const std::int64_t at = row * heads_ + head;
            const float* const from = numbers(queries_) + at * queryLength + latent_.unrotated;
            float* const query = out.queries + at * keyLength;
            std::copy_n(from, rotated, query);
            rotate(query);
        }
    });
    for (std::int64_t head = 0; head < heads_; ++head) {
        const WeightMatrix& matrix = weights.latent.keys[static_cast<std::size_t>(head)];
        const MatmulProduct product[] = {
            {matrixOf(matrix), out.queries + head * keyLength + rotated, heads_ * keyLength}};
        tools.matmul.multiply(
            {numbers(queries_) + head * queryLength, rows, matrix.columns, heads_ * queryLength},
            product, tools.precision);
    }
}

const float* LatentLayer::projectHeads(const StepTools& tools, const LayerWeights& weights,
                                       const float* attended, std::int64_t rows) {
    const std::int64_t length = latent_.length;
    const std::int64_t value = latent_.value;
    for (std::int64_t head = 0; head < heads_; ++head) {
        const WeightMatrix& matrix = weights.latent.values[static_cast<std::size_t>(head)];
        const MatmulProduct product[] = {
            {matrixOf(matrix), numbers(outputs_) + head * value, heads_ * value}};
        tools.matmul.multiply({attended + head * length, rows, matrix.columns, heads_ * length},
                              product, tools.precision);
    }
    return numbers(outputs_);
}

std::size_t LatentLayer::bytes() const {
    return queryLatents_.size() + queries_.size() + keys_.size() + outputs_.size();
}

}  // namespace lacuna
