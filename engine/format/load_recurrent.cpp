#include "engine/format/load_recurrent.h"

#include <cmath>
#include <cstring>
#include <utility>

#include "engine/base/string_format.h"
#include "engine/tensor/block_formats.h"

namespace lacuna {

using enum TensorRole;

Result<WeightMatrix> RecurrentLoader::gathered(const WeightMatrix& matrix,
                                               const std::vector<Rows>& rows) {
    const std::uint64_t stride = rowBytes(matrix.type, static_cast<std::uint64_t>(matrix.columns));
    WeightMatrix out = matrix;
    out.rows = 0;
    for (const Rows& part : rows) out.rows += part.count;
    LACUNA_TRY(LargePages memory,
               LargePages::allocate(static_cast<std::size_t>(out.rows) * stride));
    std::byte* to = memory.data();
    for (const Rows& part : rows) {
        const std::size_t bytes = static_cast<std::size_t>(part.count) * stride;
        std::memcpy(to, matrix.data + static_cast<std::uint64_t>(part.first) * stride, bytes);
        to += bytes;
    }
    out.data = memory.data();
    out.name = format("{}[{} rows from {} on]", matrix.name, out.rows, rows.front().first);
    rearranged_.push_back(std::make_shared<LargePages>(std::move(memory)));
    return out;
}

/// The projection's rows are the gate of the convolution's input, that of its output, and the
/// input.
Status RecurrentLoader::shortConvolution(RecurrentWeights& weights, int index) {
    const std::int64_t width = spec_.recurrent.shape.width;
    LACUNA_TRY(const WeightMatrix all,
               finder_.matrix({RecurrentInput, index}, 3 * width, spec_.hidden));
    weights.inputGate = rowsOf(all, 0, width);
    weights.outputGate = rowsOf(all, width, width);
    weights.columns = rowsOf(all, 2 * width, width);
    return {};
}

/// Qwen3-Next's safetensors group the rows by key head: query, key, values, gates of the values.
Status RecurrentLoader::groupedInputs(RecurrentWeights& weights, int index) {
    const MixerShape& shape = spec_.recurrent.shape;
    const std::int64_t values = std::int64_t{shape.valueHeads / shape.keyHeads} * shape.valueDim;
    const std::int64_t group = 2 * std::int64_t{shape.keyDim} + 2 * values;
    LACUNA_TRY(const WeightMatrix all, finder_.matrix({RecurrentGroupedInput, index},
                                                      shape.keyHeads * group, spec_.hidden));
    const auto partOf = [&](std::int64_t first, std::int64_t count, std::vector<Rows>& rows) {
        for (int head = 0; head < shape.keyHeads; ++head)
            rows.push_back({head * group + first, count});
    };
    std::vector<Rows> columns;
    partOf(0, shape.keyDim, columns);
    partOf(shape.keyDim, shape.keyDim, columns);
    partOf(2 * std::int64_t{shape.keyDim}, values, columns);
    std::vector<Rows> gates;
    partOf(2 * std::int64_t{shape.keyDim} + values, values, gates);
    LACUNA_TRY(weights.columns, gathered(all, columns));
    LACUNA_TRY(weights.outputGate, gathered(all, gates));
    return {};
}

Status RecurrentLoader::decayAndStrength(RecurrentWeights& weights, int index) {
    const MixerShape& shape = spec_.recurrent.shape;
    const std::int64_t heads = shape.valueHeads;
    if (!finder_.has({RecurrentGroupedSteps, index})) {
        LACUNA_TRY(weights.strengths,
                   finder_.matrix({RecurrentStrengths, index}, heads, spec_.hidden));
        LACUNA_TRY(weights.steps, finder_.matrix({RecurrentSteps, index}, heads, spec_.hidden));
        return {};
    }
    // Both containers of Qwen3-Next group these rows by key head: strengths, then decays.
    LACUNA_TRY(const WeightMatrix all,
               finder_.matrix({RecurrentGroupedSteps, index}, 2 * heads, spec_.hidden));
    const std::int64_t each = heads / shape.keyHeads;
    std::vector<Rows> strengths;
    std::vector<Rows> steps;
    for (int head = 0; head < shape.keyHeads; ++head) {
        strengths.push_back({2 * head * each, each});
        steps.push_back({(2 * head + 1) * each, each});
    }
    LACUNA_TRY(weights.strengths, gathered(all, strengths));
    LACUNA_TRY(weights.steps, gathered(all, steps));
    return {};
}

Status RecurrentLoader::deltaNet(RecurrentWeights& weights, int index) {
    const MixerShape& shape = spec_.recurrent.shape;
    if (finder_.has({RecurrentGroupedInput, index})) {
        LACUNA_TRY_STATUS(groupedInputs(weights, index));
    } else {
        LACUNA_TRY(weights.columns,
                   finder_.matrix({RecurrentInput, index}, shape.channels(), spec_.hidden));
        LACUNA_TRY(weights.outputGate,
                   finder_.matrix({RecurrentGate, index}, shape.outputs(), spec_.hidden));
    }
    return decayAndStrength(weights, index);
}

/// Queries, keys and values have matrices of their own; decays and the output gate are products of
/// two matrices.
Status RecurrentLoader::kimi(RecurrentWeights& weights, int index) {
    const MixerShape& shape = spec_.recurrent.shape;
    const std::int64_t keys = std::int64_t{shape.keyHeads} * shape.keyDim;
    LACUNA_TRY(weights.columns, finder_.matrix({Query, index}, keys, spec_.hidden));
    LACUNA_TRY(weights.keyColumns, finder_.matrix({Key, index}, keys, spec_.hidden));
    LACUNA_TRY(weights.valueColumns, finder_.matrix({Value, index}, shape.outputs(), spec_.hidden));
    // The rank of both products is the size of a head.
    LACUNA_TRY(weights.gateDown,
               finder_.matrix({RecurrentGateDown, index}, shape.valueDim, spec_.hidden));
    LACUNA_TRY(weights.outputGate,
               finder_.matrix({RecurrentGate, index}, shape.outputs(), shape.valueDim));
    LACUNA_TRY(weights.stepsDown,
               finder_.matrix({RecurrentStepsDown, index}, shape.valueDim, spec_.hidden));
    LACUNA_TRY(weights.steps,
               finder_.matrix({RecurrentSteps, index}, shape.decays(), shape.valueDim));
    LACUNA_TRY(weights.strengths,
               finder_.matrix({RecurrentStrengths, index}, shape.valueHeads, spec_.hidden));
    return {};
}

/// Returns the kernels [channels, kernel].
Result<std::vector<float>> RecurrentLoader::kernels(int index) {
    const MixerShape& shape = spec_.recurrent.shape;
    if (shape.kind != MixerKind::KimiDelta)
        return finder_.numbers({ConvolutionKernel, index}, shape.channels() * shape.kernel);
    const std::int64_t keys = std::int64_t{shape.keyHeads} * shape.keyDim;
    std::vector<float> all;
    for (const auto& [role, channels] : {std::pair{QueryConvolution, keys},
                                         {KeyConvolution, keys},
                                         {ValueConvolution, shape.outputs()}}) {
        LACUNA_TRY(const auto part, finder_.numbers({role, index}, channels * shape.kernel));
        all.insert(all.end(), part.begin(), part.end());
    }
    return all;
}

/// The projection's rows are the gate z, the columns x, B and C, and the time steps.
Status RecurrentLoader::mamba(RecurrentWeights& weights, int index) {
    const MixerShape& shape = spec_.recurrent.shape;
    const std::int64_t inner = shape.outputs();
    const std::int64_t channels = shape.channels();
    LACUNA_TRY(
        const WeightMatrix all,
        finder_.matrix({RecurrentInput, index}, inner + channels + shape.valueHeads, spec_.hidden));
    weights.outputGate = rowsOf(all, 0, inner);
    weights.columns = rowsOf(all, inner, channels);
    weights.steps = rowsOf(all, inner + channels, shape.valueHeads);
    const BranchMultipliers& factors = spec_.recurrent.multipliers;
    weights.outputGate.scale *= factors.recurrentInput * factors.recurrent[0];
    weights.steps.scale *= factors.recurrentInput * factors.recurrent[4];
    if (factors == BranchMultipliers()) return {};
    const std::int64_t keys = std::int64_t{shape.keyHeads} * shape.keyDim;
    const auto fill = [&](std::int64_t count, float factor) {
        weights.columnFactors.insert(weights.columnFactors.end(), static_cast<std::size_t>(count),
                                     factor * factors.recurrentInput);
    };
    fill(inner, factors.recurrent[1]);
    fill(keys, factors.recurrent[2]);
    fill(keys, factors.recurrent[3]);
    return {};
}

/// Everything except the matrices of projections.
Status RecurrentLoader::numbers(RecurrentWeights& weights, MixerWeights& mixer, int index) {
    const MixerShape& shape = spec_.recurrent.shape;
    const std::int64_t channels = shape.channels();
    LACUNA_TRY(const auto kernel, kernels(index));
    mixer.shape = shape;
    mixer.kernel.resize(kernel.size());
    for (std::int64_t c = 0; c < channels; ++c)
        for (int j = 0; j < shape.kernel; ++j)
            mixer.kernel[static_cast<std::size_t>(j * channels + c)] =
                kernel[static_cast<std::size_t>(c * shape.kernel + j)];
    if (shape.kind == MixerKind::ShortConvolution) return {};
    LACUNA_TRY(weights.decayRate, finder_.numbers({DecayRate, index}, shape.valueHeads));
    // safetensors hold the logarithm of the magnitude of the rate
    if (finder_.names().container() == Container::HuggingFace)
        for (float& rate : weights.decayRate) rate = -std::exp(rate);
    LACUNA_TRY(weights.stepBias, finder_.numbers({StepBias, index}, shape.decays()));
    if (shape.kind == MixerKind::Mamba2) {
        LACUNA_TRY(mixer.bias, finder_.numbers({ConvolutionBias, index}, channels));
        LACUNA_TRY(mixer.skip, finder_.numbers({SkipGain, index}, shape.valueHeads));
    }
    if (spec_.recurrent.outputGate == OutputGate::SiluOnly) return {};
    const std::int64_t gains =
        shape.kind == MixerKind::Mamba2 ? shape.outputs() : std::int64_t{shape.valueDim};
    LACUNA_TRY(weights.norm, finder_.numbers({RecurrentNorm, index}, gains));
    return {};
}

Status RecurrentLoader::load(LayerWeights& weights, int index) {
    RecurrentWeights& own = weights.recurrent;
    MixerWeights mixer;
    LACUNA_TRY_STATUS(numbers(own, mixer, index));
    switch (spec_.recurrent.shape.kind) {
        case MixerKind::ShortConvolution:
            LACUNA_TRY_STATUS(shortConvolution(own, index));
            break;
        case MixerKind::DeltaNet:
            LACUNA_TRY_STATUS(deltaNet(own, index));
            break;
        case MixerKind::KimiDelta:
            LACUNA_TRY_STATUS(kimi(own, index));
            break;
        case MixerKind::Mamba2:
            LACUNA_TRY_STATUS(mamba(own, index));
            break;
    }
    const MixerShape& shape = spec_.recurrent.shape;
    // The output of KimiDelta is named like that of attention.
    const TensorRole output =
        shape.kind == MixerKind::KimiDelta ? AttentionOutput : RecurrentOutput;
    LACUNA_TRY(own.output, finder_.matrix({output, index}, spec_.hidden, shape.outputs()));
    own.output.scale *= spec_.recurrent.multipliers.recurrentOutput;
    own.mixer = static_cast<int>(mixers_.size());
    mixers_.push_back(std::move(mixer));
    return {};
}

}  // namespace lacuna
