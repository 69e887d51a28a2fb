#include "engine/format/load_weights.h"

#include <utility>
#include <vector>

#include "engine/format/architectures.h"
#include "engine/format/weight_finder.h"

namespace lacuna {
namespace {

using enum TensorRole;

/// Loads the layers of one model, part by part.
class LayerLoader {
  public:
    LayerLoader(const ModelSpec& spec, WeightFinder& finder) : spec_(spec), finder_(finder) {}
    [[nodiscard]] Result<LayerWeights> load(int index);

  private:
    [[nodiscard]] Status projections(LayerWeights& weights, int index);
    [[nodiscard]] Status attention(LayerWeights& weights, int index);
    [[nodiscard]] Status qkNorms(LayerWeights& weights, int index);
    [[nodiscard]] Status norms(LayerWeights& weights, int index);
    [[nodiscard]] Status dense(LayerWeights& weights, int index);
    [[nodiscard]] Status experts(LayerWeights& weights, int index);
    [[nodiscard]] Status stackedExperts(LayerWeights& weights, int index);
    [[nodiscard]] Status sharedExpert(LayerWeights& weights, int index);

    const ModelSpec& spec_;
    WeightFinder& finder_;
};

Status LayerLoader::projections(LayerWeights& weights, int index) {
    const std::int64_t queries = std::int64_t{spec_.heads} * spec_.headDim;
    const std::int64_t keys = std::int64_t{spec_.kvHeads} * spec_.headDim;
    if (finder_.has({QueryKeyValue, index})) {
        LACUNA_TRY(const WeightMatrix fused,
                   finder_.matrix({QueryKeyValue, index}, queries + 2 * keys, spec_.hidden));
        weights.query = rowsOf(fused, 0, queries);
        weights.key = rowsOf(fused, queries, keys);
        weights.value = rowsOf(fused, queries + keys, keys);
        return {};
    }
    LACUNA_TRY(weights.query, finder_.matrix({Query, index}, queries, spec_.hidden));
    LACUNA_TRY(weights.key, finder_.matrix({Key, index}, keys, spec_.hidden));
    LACUNA_TRY(weights.value, finder_.matrix({Value, index}, keys, spec_.hidden));
    return {};
}

Status LayerLoader::qkNorms(LayerWeights& weights, int index) {
    if (spec_.qkNorm == QkNorm::None) return {};
    const bool full = spec_.qkNorm == QkNorm::FullWidth;
    const std::int64_t queries = full ? std::int64_t{spec_.heads} * spec_.headDim : spec_.headDim;
    const std::int64_t keys = full ? std::int64_t{spec_.kvHeads} * spec_.headDim : spec_.headDim;
    LACUNA_TRY(weights.queryNorm, finder_.vector({QueryNorm, index}, queries));
    LACUNA_TRY(weights.keyNorm, finder_.vector({KeyNorm, index}, keys));
    return {};
}

Status LayerLoader::attention(LayerWeights& weights, int index) {
    const std::int64_t queries = std::int64_t{spec_.heads} * spec_.headDim;
    const std::int64_t keys = std::int64_t{spec_.kvHeads} * spec_.headDim;
    LACUNA_TRY_STATUS(projections(weights, index));
    LACUNA_TRY(weights.output, finder_.matrix({AttentionOutput, index}, spec_.hidden, queries));
    if (spec_.qkvBias) {
        LACUNA_TRY(weights.queryBias, finder_.vector({QueryBias, index}, queries));
        LACUNA_TRY(weights.keyBias, finder_.vector({KeyBias, index}, keys));
        LACUNA_TRY(weights.valueBias, finder_.vector({ValueBias, index}, keys));
    }
    if (spec_.outputBias) {
        LACUNA_TRY(weights.outputBias, finder_.vector({OutputBias, index}, spec_.hidden));
    }
    return qkNorms(weights, index);
}

Status LayerLoader::norms(LayerWeights& weights, int index) {
    if (spec_.norms != NormPlacement::After) {
        LACUNA_TRY(weights.attentionNorm, finder_.vector({AttentionNorm, index}, spec_.hidden));
        LACUNA_TRY(weights.feedForwardNorm, finder_.vector({FeedForwardNorm, index}, spec_.hidden));
    }
    if (spec_.norms == NormPlacement::Before) return {};
    LACUNA_TRY(weights.postAttentionNorm, finder_.vector({PostAttentionNorm, index}, spec_.hidden));
    LACUNA_TRY(weights.postFeedForwardNorm,
               finder_.vector({PostFeedForwardNorm, index}, spec_.hidden));
    return {};
}

Status LayerLoader::dense(LayerWeights& weights, int index) {
    const std::int64_t width = spec_.feedForward;
    if (finder_.has({GateUp, index})) {
        LACUNA_TRY(const WeightMatrix fused,
                   finder_.matrix({GateUp, index}, 2 * width, spec_.hidden));
        weights.gate = rowsOf(fused, 0, width);
        weights.up = rowsOf(fused, width, width);
    } else {
        LACUNA_TRY(weights.gate, finder_.matrix({Gate, index}, width, spec_.hidden));
        LACUNA_TRY(weights.up, finder_.matrix({Up, index}, width, spec_.hidden));
    }
    LACUNA_TRY(weights.down, finder_.matrix({Down, index}, spec_.hidden, width));
    if (!spec_.feedForwardBias) return {};
    LACUNA_TRY(weights.gateBias, finder_.vector({GateBias, index}, width));
    LACUNA_TRY(weights.upBias, finder_.vector({UpBias, index}, width));
    LACUNA_TRY(weights.downBias, finder_.vector({DownBias, index}, spec_.hidden));
    return {};
}

/// Experts in one tensor for each matrix, or in one for gate and up.
Status LayerLoader::stackedExperts(LayerWeights& weights, int index) {
    const std::int64_t count = spec_.experts.count;
    const std::int64_t width = spec_.experts.feedForward;
    const bool fused = finder_.has({AllExpertGateUps, index});
    std::vector<WeightMatrix> gates;
    std::vector<WeightMatrix> ups;
    if (fused) {
        LACUNA_TRY(const auto both,
                   finder_.matrices({AllExpertGateUps, index}, count, 2 * width, spec_.hidden));
        for (const WeightMatrix& matrix : both) {
            gates.push_back(rowsOf(matrix, 0, width));
            ups.push_back(rowsOf(matrix, width, width));
        }
    } else {
        LACUNA_TRY(gates, finder_.matrices({AllExpertGates, index}, count, width, spec_.hidden));
        LACUNA_TRY(ups, finder_.matrices({AllExpertUps, index}, count, width, spec_.hidden));
    }
    LACUNA_TRY(auto downs, finder_.matrices({AllExpertDowns, index}, count, spec_.hidden, width));
    for (std::size_t i = 0; i < downs.size(); ++i)
        weights.experts.push_back({std::move(gates[i]), std::move(ups[i]), std::move(downs[i])});
    return {};
}

Status LayerLoader::experts(LayerWeights& weights, int index) {
    const std::int64_t count = spec_.experts.count;
    const std::int64_t width = spec_.experts.feedForward;
    LACUNA_TRY(weights.router, finder_.matrix({Router, index}, count, spec_.hidden));
    LACUNA_TRY_STATUS(sharedExpert(weights, index));
    if (!finder_.has({ExpertDown, index, 0})) return stackedExperts(weights, index);
    for (int i = 0; i < spec_.experts.count; ++i) {
        FeedForwardWeights expert;
        LACUNA_TRY(expert.gate, finder_.matrix({ExpertGate, index, i}, width, spec_.hidden));
        LACUNA_TRY(expert.up, finder_.matrix({ExpertUp, index, i}, width, spec_.hidden));
        LACUNA_TRY(expert.down, finder_.matrix({ExpertDown, index, i}, spec_.hidden, width));
        weights.experts.push_back(std::move(expert));
    }
    return {};
}

Status LayerLoader::sharedExpert(LayerWeights& weights, int index) {
    const std::int64_t width = spec_.experts.sharedFeedForward;
    if (width == 0) return {};
    FeedForwardWeights& shared = weights.sharedExpert;
    LACUNA_TRY(shared.gate, finder_.matrix({SharedGate, index}, width, spec_.hidden));
    LACUNA_TRY(shared.up, finder_.matrix({SharedUp, index}, width, spec_.hidden));
    LACUNA_TRY(shared.down, finder_.matrix({SharedDown, index}, spec_.hidden, width));
    LACUNA_TRY(weights.sharedExpertGate, finder_.oneRow({SharedExpertGate, index}, spec_.hidden));
    return {};
}

Result<LayerWeights> LayerLoader::load(int index) {
    LayerWeights weights;
    LACUNA_TRY_STATUS(norms(weights, index));
    LACUNA_TRY_STATUS(attention(weights, index));
    LACUNA_TRY_STATUS(spec_.layer(index).experts ? experts(weights, index) : dense(weights, index));
    return weights;
}

}  // namespace

Result<Weights> loadWeights(const ModelSpec& spec, const TensorSource& source, Container container,
                            const std::stop_token& stop) {
    LACUNA_TRY(const Architecture* architecture, findArchitecture(spec.architecture));
    WeightFinder finder(source, TensorNames::of(container, *architecture, source));
    LayerLoader layers(spec, finder);
    Weights weights;
    LACUNA_TRY(weights.embedding, finder.matrix({Embedding}, spec.vocabulary, spec.hidden));
    for (int index = 0; index < spec.layers; ++index) {
        if (stop.stop_requested()) return fail(ErrorCode::Cancelled, "loading was cancelled");
        LACUNA_TRY(LayerWeights layer, layers.load(index));
        weights.layers.push_back(std::move(layer));
    }
    LACUNA_TRY(weights.finalNorm, finder.vector({FinalNorm}, spec.hidden));
    weights.output = weights.embedding;
    if (!spec.tiedEmbeddings) {
        LACUNA_TRY(weights.output, finder.matrix({Output}, spec.vocabulary, spec.hidden));
    }
    LACUNA_TRY_STATUS(finder.checkAllUsed(spec.tiedEmbeddings));
    return weights;
}

}  // namespace lacuna
