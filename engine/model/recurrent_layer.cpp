#include "engine/model/recurrent_layer.h"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/kv/state/state_store.h"
#include "engine/recurrent/mixer_gates.h"

namespace lacuna {

Result<RecurrentLayer> RecurrentLayer::create(const ModelSpec& spec, int maxTokens) {
    RecurrentLayer layer;
    layer.spec_ = spec.recurrent;
    layer.epsilon_ = spec.rmsEpsilon;
    if (!spec.recurrent.any()) return layer;
    const MixerShape& shape = spec.recurrent.shape;
    const auto floats = [&](std::int64_t width) {
        return Buffer::allocate(static_cast<std::size_t>(width) *
                                static_cast<std::size_t>(maxTokens) * sizeof(float));
    };
    const bool gated = shape.kind == MixerKind::ShortConvolution;
    LACUNA_TRY(layer.columns_, floats(shape.channels()));
    if (shape.kind == MixerKind::KimiDelta) {
        const std::int64_t keys = std::int64_t{shape.keyHeads} * shape.keyDim;
        LACUNA_TRY(layer.queryColumns_, floats(keys));
        LACUNA_TRY(layer.keyColumns_, floats(keys));
        LACUNA_TRY(layer.valueColumns_, floats(shape.outputs()));
        LACUNA_TRY(layer.lowRank_, floats(shape.valueDim));
    }
    LACUNA_TRY(layer.inputGate_, floats(gated ? shape.channels() : 0));
    LACUNA_TRY(layer.outputGate_, floats(shape.outputs()));
    LACUNA_TRY(layer.steps_, floats(shape.decays()));
    LACUNA_TRY(layer.strengths_, floats(shape.valueHeads));
    LACUNA_TRY(layer.gates_, floats(shape.gates()));
    LACUNA_TRY(layer.mixed_, floats(shape.outputs()));
    return layer;
}

/// Queries, keys and values are projected apart and then written to one column for each token. The
/// decays and the output gate have two matrices each.
void RecurrentLayer::projectKimi(const StepTools& tools, const RecurrentWeights& weights,
                                 View<const float, 2> input) {
    const std::int64_t rows = input.extent(0);
    const auto numbers = [](Buffer& buffer) { return buffer.as<float>().data(); };
    const MatmulProduct columns[] = {{matrixOf(weights.columns), numbers(queryColumns_)},
                                     {matrixOf(weights.keyColumns), numbers(keyColumns_)},
                                     {matrixOf(weights.valueColumns), numbers(valueColumns_)}};
    tools.matmul.multiply(input, columns, tools.precision);
    forEachRow(tools.pool, rows, [&](std::int64_t row) {
        float* to = rowOf(columns_, row, spec_.shape.channels());
        for (const auto& [part, width] : {std::pair{&queryColumns_, weights.columns.rows},
                                          {&keyColumns_, weights.keyColumns.rows},
                                          {&valueColumns_, weights.valueColumns.rows}})
            to = std::copy_n(rowOf(*part, row, width), width, to);
    });
    const auto twice = [&](const WeightMatrix& down, const WeightMatrix& up, Buffer& out,
                           Precision precision) {
        const MatmulProduct first[] = {{matrixOf(down), numbers(lowRank_)}};
        tools.matmul.multiply(input, first, precision);
        const MatmulProduct second[] = {{matrixOf(up), numbers(out)}};
        tools.matmul.multiply({numbers(lowRank_), {rows, down.rows}}, second, precision);
    };
    twice(weights.gateDown, weights.outputGate, outputGate_, tools.precision);
    // An error in a decay grows with every token, so these are always exact.
    twice(weights.stepsDown, weights.steps, steps_, Precision::Exact);
    const MatmulProduct strengths[] = {{matrixOf(weights.strengths), numbers(strengths_)}};
    tools.matmul.multiply(input, strengths, Precision::Exact);
}

void RecurrentLayer::project(const StepTools& tools, const RecurrentWeights& weights,
                             View<const float, 2> input) {
    const auto multiply = [&](const WeightMatrix& first, Buffer& firstOut,
                              const WeightMatrix& second, Buffer& secondOut, Precision precision) {
        const std::array<MatmulProduct, 2> products{
            {{matrixOf(first), firstOut.as<float>().data()},
             {matrixOf(second), secondOut.as<float>().data()}}};
        // A mixer may lack the second matrix.
        tools.matmul.multiply(input, std::span(products).first(second.empty() ? 1 : 2), precision);
    };
    multiply(weights.columns, columns_, weights.outputGate, outputGate_, tools.precision);
    if (!weights.inputGate.empty())
        multiply(weights.inputGate, inputGate_, {}, inputGate_, tools.precision);
    // An error in a decay grows with every token, so these are always exact.
    if (!weights.steps.empty())
        multiply(weights.steps, steps_, weights.strengths, strengths_, Precision::Exact);
}

/// Completes the columns of a row and computes its gates.
void RecurrentLayer::makeGates(const KernelTable& kernels, const RecurrentWeights& weights,
                               std::int64_t row) {
    const MixerShape& shape = spec_.shape;
    float* const columns = rowOf(columns_, row, shape.channels());
    float* const gates = rowOf(gates_, row, shape.gates());
    const float* const steps = rowOf(steps_, row, shape.decays());
    switch (shape.kind) {
        case MixerKind::ShortConvolution: {
            const float* const gate = rowOf(inputGate_, row, shape.channels());
            for (std::int64_t i = 0; i < shape.channels(); ++i) columns[i] *= gate[i];
            return;
        }
        case MixerKind::DeltaNet:
        case MixerKind::KimiDelta:
            deltaGates(kernels, shape, steps, rowOf(strengths_, row, shape.valueHeads),
                       weights.decayRate.data(), weights.stepBias.data(), gates);
            return;
        case MixerKind::Mamba2:
            for (std::size_t i = 0; i < weights.columnFactors.size(); ++i)
                columns[i] *= weights.columnFactors[i];
            mambaGates(shape, steps, weights.decayRate.data(), weights.stepBias.data(), spec_.steps,
                       gates);
            return;
    }
}

void RecurrentLayer::gateRow(const KernelTable& kernels, const RecurrentWeights& weights,
                             std::int64_t row) {
    const MixerShape& shape = spec_.shape;
    const std::int64_t width = shape.outputs();
    float* const mixed = rowOf(mixed_, row, width);
    float* const gate = rowOf(outputGate_, row, width);
    if (shape.kind == MixerKind::ShortConvolution) {
        for (std::int64_t i = 0; i < width; ++i) mixed[i] *= gate[i];
        return;
    }
    gateOutput(kernels, {mixed, static_cast<std::size_t>(width)}, gate, weights.norm,
               spec_.normGroups(), epsilon_, spec_.outputGate);
}

Status RecurrentLayer::run(const StepTools& tools, const RecurrentWeights& weights,
                           View<const float, 2> input, std::span<const BatchRun> runs, float* out) {
    const MixerShape& shape = spec_.shape;
    const std::int64_t rows = input.extent(0);
    if (shape.kind == MixerKind::KimiDelta)
        projectKimi(tools, weights, input);
    else
        project(tools, weights, input);
    LACUNA_TRY_STATUS(tools.checkCancelled());
    forEachRow(tools.pool, rows, [&](std::int64_t row) { makeGates(tools.kernels, weights, row); });
    std::int64_t row = 0;
    for (const BatchRun& one : runs) {
        one.cache->states()->runLayer(weights.mixer, rowOf(columns_, row, shape.channels()),
                                      rowOf(gates_, row, shape.gates()),
                                      rowOf(mixed_, row, shape.outputs()), &tools.pool);
        row += static_cast<std::int64_t>(one.tokens.size());
    }
    forEachRow(tools.pool, rows, [&](std::int64_t at) { gateRow(tools.kernels, weights, at); });
    const MatmulProduct output[] = {{matrixOf(weights.output), out}};
    tools.matmul.multiply({mixed_.as<float>().data(), {rows, shape.outputs()}}, output,
                          tools.precision);
    return tools.checkCancelled();
}

std::size_t RecurrentLayer::bytes() const {
    return queryColumns_.size() + keyColumns_.size() + valueColumns_.size() + lowRank_.size() +
           columns_.size() + inputGate_.size() + outputGate_.size() + steps_.size() +
           strengths_.size() + gates_.size() + mixed_.size();
}

}  // namespace lacuna
