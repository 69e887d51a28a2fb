#include "engine/format/load_experts.h"

#include <cmath>
#include <cstddef>
#include <utility>

#include "engine/format/architectures.h"
#include "engine/format/rearranged_experts.h"
#include "engine/format/tensor_role.h"

namespace lacuna {
namespace {

using enum TensorRole;

}  // namespace

ExpertLoader::GateUpRows ExpertLoader::gateUpRows() const {
    if (stacking() == ExpertStacking::TransposedAlternating)
        return {.gate = {.first = 0, .step = 2}, .up = {.first = 1, .step = 2}};
    return {.gate = {.first = 0, .step = 1}, .up = {.first = spec_.experts.feedForward, .step = 1}};
}

/// Loads experts from one tensor per matrix, or one for gate and up.
Status ExpertLoader::stacked(LayerWeights& weights, int index) {
    const std::int64_t count = spec_.experts.count;
    const std::int64_t width = spec_.experts.feedForward;
    std::vector<WeightMatrix> gates;
    std::vector<WeightMatrix> ups;
    if (finder_.has({AllExpertGateUps, index})) {
        LACUNA_TRY(const auto both,
                   finder_.matrices({AllExpertGateUps, index}, count, 2 * width, spec_.hidden));
        const GateUpRows place = gateUpRows();
        for (const WeightMatrix& matrix : both) {
            gates.push_back(rowsOf(matrix, place.gate.first, width));
            ups.push_back(rowsOf(matrix, place.up.first, width));
        }
    } else {
        if (spec_.gated) {
            LACUNA_TRY(gates,
                       finder_.matrices({AllExpertGates, index}, count, width, spec_.hidden));
        }
        LACUNA_TRY(ups, finder_.matrices({AllExpertUps, index}, count, width, spec_.hidden));
    }
    LACUNA_TRY(auto downs, finder_.matrices({AllExpertDowns, index}, count, spec_.hidden, width));
    gates.resize(downs.size());  // empty for experts without a gate
    for (std::size_t i = 0; i < downs.size(); ++i)
        weights.experts.push_back({std::move(gates[i]), std::move(ups[i]), std::move(downs[i])});
    return {};
}

/// Like stacked(), for matrices whose elements are stored in another order.
Status ExpertLoader::rearranged(LayerWeights& weights, int index) {
    const std::int64_t count = spec_.experts.count;
    const std::int64_t width = spec_.experts.feedForward;
    LACUNA_TRY(ExpertStack gates,
               finder_.stack({AllExpertGateUps, index}, count, 2 * width, spec_.hidden, true));
    LACUNA_TRY(const ExpertStack downs,
               finder_.stack({AllExpertDowns, index}, count, spec_.hidden, width, true));
    ExpertStack ups = gates;
    gates.rows = ups.rows = width;
    gates.place = gateUpRows().gate;
    ups.place = gateUpRows().up;
    LACUNA_TRY(LargePages memory,
               LargePages::allocate(gates.bytes() + ups.bytes() + downs.bytes()));
    auto allGates = rearrangedExperts(gates, memory.data());
    auto allUps = rearrangedExperts(ups, memory.data() + gates.bytes());
    auto allDowns = rearrangedExperts(downs, memory.data() + gates.bytes() + ups.bytes());
    for (std::size_t i = 0; i < allDowns.size(); ++i)
        weights.experts.push_back(
            {std::move(allGates[i]), std::move(allUps[i]), std::move(allDowns[i])});
    rearranged_.push_back(std::make_shared<LargePages>(std::move(memory)));
    return {};
}

/// Loads experts from three tensors each.
Status ExpertLoader::separate(LayerWeights& weights, int index) {
    const std::int64_t width = spec_.experts.feedForward;
    if (spec_.experts.biases)
        return fail(ErrorCode::Unsupported, "expert biases in separate tensors are not supported");
    for (int i = 0; i < spec_.experts.count; ++i) {
        FeedForwardWeights expert;
        if (spec_.gated) {
            LACUNA_TRY(expert.gate, finder_.matrix({ExpertGate, index, i}, width, spec_.hidden));
        }
        LACUNA_TRY(expert.up, finder_.matrix({ExpertUp, index, i}, width, spec_.hidden));
        LACUNA_TRY(expert.down, finder_.matrix({ExpertDown, index, i}, spec_.hidden, width));
        weights.experts.push_back(std::move(expert));
    }
    return {};
}

Status ExpertLoader::selectionBias(LayerWeights& weights, int index) {
    const std::int64_t count = spec_.experts.count;
    if (!spec_.experts.selectionBias) return {};
    if (finder_.dimensions({SelectionBias, index}) == 2) {
        LACUNA_TRY(auto rows, finder_.vectors({SelectionBias, index}, 1, count));
        weights.selectionBias = std::move(rows.front());
        return {};
    }
    LACUNA_TRY(weights.selectionBias, finder_.vector({SelectionBias, index}, count));
    return {};
}

/// The norms of both branches and the scales of the router.
Status ExpertLoader::parallelToDense(LayerWeights& weights, int index) {
    if (!spec_.experts.parallelToDense) return {};
    LACUNA_TRY(weights.postDenseNorm, finder_.vector({PostDenseNorm, index}, spec_.hidden));
    LACUNA_TRY(weights.expertNorm, finder_.vector({ExpertNorm, index}, spec_.hidden));
    LACUNA_TRY(weights.postExpertNorm, finder_.vector({PostExpertNorm, index}, spec_.hidden));
    LACUNA_TRY(weights.routerScale, finder_.vector({RouterScale, index}, spec_.hidden));
    const float root = std::sqrt(static_cast<float>(spec_.hidden));
    for (float& gain : weights.routerScale) gain /= root;
    LACUNA_TRY(weights.expertScale, finder_.vector({ExpertScale, index}, spec_.experts.count));
    return {};
}

Status ExpertLoader::router(LayerWeights& weights, int index) {
    const std::int64_t count = spec_.experts.count;
    LACUNA_TRY(weights.router, finder_.matrix({Router, index}, count, spec_.hidden));
    if (spec_.experts.routerBias) {
        LACUNA_TRY(weights.routerBias, finder_.vector({RouterBias, index}, count));
    }
    LACUNA_TRY_STATUS(selectionBias(weights, index));
    return parallelToDense(weights, index);
}

Status ExpertLoader::biases(LayerWeights& weights, int index) {
    if (!spec_.experts.biases) return {};
    const std::int64_t count = spec_.experts.count;
    const std::int64_t width = spec_.experts.feedForward;
    LACUNA_TRY(auto downs, finder_.vectors({AllExpertDownBiases, index}, count, spec_.hidden));
    for (std::size_t i = 0; i < downs.size(); ++i)
        weights.experts[i].downBias = std::move(downs[i]);
    if (!finder_.has({AllExpertGateUpBiases, index})) {
        LACUNA_TRY(auto gates, finder_.vectors({AllExpertGateBiases, index}, count, width));
        LACUNA_TRY(auto ups, finder_.vectors({AllExpertUpBiases, index}, count, width));
        for (std::size_t i = 0; i < gates.size(); ++i) {
            weights.experts[i].gateBias = std::move(gates[i]);
            weights.experts[i].upBias = std::move(ups[i]);
        }
        return {};
    }
    LACUNA_TRY(const auto both, finder_.vectors({AllExpertGateUpBiases, index}, count, 2 * width));
    const GateUpRows place = gateUpRows();
    for (std::size_t i = 0; i < both.size(); ++i)
        for (std::int64_t row = 0; row < width; ++row) {
            const auto at = [row](const RowsInTensor& rows) {
                return static_cast<std::size_t>(rows.first + rows.step * row);
            };
            weights.experts[i].gateBias.push_back(both[i][at(place.gate)]);
            weights.experts[i].upBias.push_back(both[i][at(place.up)]);
        }
    return {};
}

Status ExpertLoader::shared(LayerWeights& weights, int index) {
    const std::int64_t width = spec_.experts.sharedFeedForward;
    if (width == 0) return {};
    FeedForwardWeights& expert = weights.sharedExpert;
    if (finder_.has({SharedGateUp, index})) {  // granite: named like a dense feed-forward
        LACUNA_TRY(const WeightMatrix both,
                   finder_.matrix({SharedGateUp, index}, 2 * width, spec_.hidden));
        expert.gate = rowsOf(both, 0, width);
        expert.up = rowsOf(both, width, width);
        LACUNA_TRY(expert.down, finder_.matrix({Down, index}, spec_.hidden, width));
        return {};
    }
    if (spec_.gated) {
        LACUNA_TRY(expert.gate, finder_.matrix({SharedGate, index}, width, spec_.hidden));
    }
    LACUNA_TRY(expert.up, finder_.matrix({SharedUp, index}, width, spec_.hidden));
    LACUNA_TRY(expert.down, finder_.matrix({SharedDown, index}, spec_.hidden, width));
    if (spec_.experts.sharedExpertGate) {
        LACUNA_TRY(weights.sharedExpertGate,
                   finder_.oneRow({SharedExpertGate, index}, spec_.hidden));
    }
    return {};
}

Status ExpertLoader::load(LayerWeights& weights, int index) {
    LACUNA_TRY_STATUS(router(weights, index));
    LACUNA_TRY_STATUS(shared(weights, index));
    if (finder_.has({ExpertDown, index, 0})) return separate(weights, index);
    LACUNA_TRY_STATUS(stacking() == ExpertStacking::OutIn ? stacked(weights, index)
                                                          : rearranged(weights, index));
    return biases(weights, index);
}

}  // namespace lacuna
