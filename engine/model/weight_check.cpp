#include "engine/model/weight_check.h"

#include <algorithm>

#include "engine/base/string_format.h"

namespace lacuna {
namespace {

template <class Use>
void forEachMatrix(const FeedForwardWeights& weights, const Use& use) {
    for (const WeightMatrix* matrix : {&weights.gate, &weights.up, &weights.down}) use(*matrix);
}

template <class Use>
void forEachMatrix(const Weights& weights, const Use& use) {
    use(weights.embedding);
    use(weights.output);
    use(weights.layerProjection);
    use(weights.joining);
    for (const LayerWeights& layer : weights.layers) {
        for (const WeightMatrix* matrix : {&layer.query,
                                           &layer.key,
                                           &layer.value,
                                           &layer.output,
                                           &layer.gate,
                                           &layer.up,
                                           &layer.down,
                                           &layer.router,
                                           &layer.sharedExpertGate,
                                           &layer.layerGate,
                                           &layer.layerOutput,
                                           &layer.recurrent.columns,
                                           &layer.recurrent.keyColumns,
                                           &layer.recurrent.valueColumns,
                                           &layer.recurrent.inputGate,
                                           &layer.recurrent.gateDown,
                                           &layer.recurrent.outputGate,
                                           &layer.recurrent.stepsDown,
                                           &layer.recurrent.steps,
                                           &layer.recurrent.strengths,
                                           &layer.recurrent.output,
                                           &layer.latent.queryDown})
            use(*matrix);
        for (const auto* const heads : {&layer.latent.keys, &layer.latent.values})
            for (const WeightMatrix& matrix : *heads) use(matrix);
        for (const FeedForwardWeights& expert : layer.experts) forEachMatrix(expert, use);
        forEachMatrix(layer.sharedExpert, use);
    }
}

}  // namespace

Status checkTypes(const Weights& weights) {
    const WeightMatrix* bad = nullptr;
    const auto check = [&bad](const WeightMatrix& matrix) {
        if (bad == nullptr && matrix.columns % info(matrix.type).blockLength != 0) bad = &matrix;
    };
    forEachMatrix(weights, check);
    check(weights.layerEmbedding);  // it is only read by row, so it is not among the others
    if (bad == nullptr) return {};
    return fail(ErrorCode::ModelTypeUse,
                format("{}: type {} needs rows of a multiple of {} elements, found {}", bad->name,
                       info(bad->type).name, info(bad->type).blockLength, bad->columns));
}

std::int64_t widestMatrix(const Weights& weights) {
    std::int64_t widest = 0;
    forEachMatrix(weights, [&widest](const WeightMatrix& matrix) {
        widest = std::max(widest, matrix.columns);
    });
    return widest;
}

std::int64_t widestGroups(const Weights& weights) {
    std::int64_t widest = 0;
    forEachMatrix(weights, [&widest](const WeightMatrix& matrix) {
        if (matrix.order == RowLayout::Groups) widest = std::max(widest, matrix.columns);
    });
    return widest;
}

}  // namespace lacuna
