#pragma once
/// \file
/// The matrices of a layer, for code that treats all of them alike.

#include "engine/format/weights.h"

namespace lacuna {

enum class MatrixUse {
    Product,  ///< multiplied with every token
    Exact,    ///< the same, but small and multiplied exactly: routers and inputs of gates
    Expert,   ///< multiplied with the tokens that chose its expert
};

/// Calls `visit(matrix, use)` with every matrix of a layer, empty ones included.
/// `Layer`: LayerWeights or const LayerWeights.
template <class Layer, class Visit>
void forEachMatrix(Layer& layer, const Visit& visit) {
    const auto feedForward = [&visit](auto& weights, MatrixUse use) {
        for (auto* const matrix : {&weights.gate, &weights.up, &weights.down}) visit(*matrix, use);
    };
    auto& recurrent = layer.recurrent;
    for (auto* const matrix : {&layer.query, &layer.key, &layer.value, &layer.output})
        visit(*matrix, MatrixUse::Product);
    feedForward(layer, MatrixUse::Product);
    for (auto& expert : layer.experts) feedForward(expert, MatrixUse::Expert);
    feedForward(layer.sharedExpert, MatrixUse::Product);
    for (auto* const matrix :
         {&layer.layerGate, &layer.layerOutput, &recurrent.columns, &recurrent.keyColumns,
          &recurrent.valueColumns, &recurrent.inputGate, &recurrent.gateDown, &recurrent.outputGate,
          &recurrent.output, &layer.latent.queryDown})
        visit(*matrix, MatrixUse::Product);
    for (auto* const heads : {&layer.latent.keys, &layer.latent.values})
        for (auto& matrix : *heads) visit(matrix, MatrixUse::Product);
    for (auto* const matrix : {&layer.router, &layer.sharedExpertGate, &recurrent.stepsDown,
                               &recurrent.steps, &recurrent.strengths})
        visit(*matrix, MatrixUse::Exact);
}

}  // namespace lacuna
