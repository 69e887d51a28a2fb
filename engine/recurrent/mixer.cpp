#include "engine/recurrent/mixer.h"

#include <algorithm>
#include <cmath>

#include "engine/base/check.h"
#include "engine/kernels/mixer_rows.h"

namespace lacuna {
namespace {

/// Divides a head by its length, and multiplies it by `factor`.
void normaliseLength(const KernelTable& kernels, float* head, int size, float factor) {
    float square = 0.0F;
    const RowBlock row{.rows = reinterpret_cast<const std::byte*>(head),
                       .rowStride = 0,
                       .count = 1,
                       .columns = size};
    kernels.dotRows[kernelIndex(DType::F32)](row, head, &square);
    kernels.scale(head, factor / std::sqrt(square + 1e-6F), size);
}

UpdateRule ruleOf(MixerKind kind) {
    if (kind == MixerKind::Mamba2) return UpdateRule::Outer;
    return kind == MixerKind::KimiDelta ? UpdateRule::DeltaByKey : UpdateRule::Delta;
}

/// Location of the parts of a column.
struct ColumnLayout {
    std::int64_t queries = 0;
    std::int64_t keys = 0;
    std::int64_t values = 0;
};

ColumnLayout layoutOf(const MixerShape& shape) {
    const std::int64_t keys = std::int64_t{shape.keyHeads} * shape.keyDim;
    const std::int64_t values = std::int64_t{shape.valueHeads} * shape.valueDim;
    if (shape.kind == MixerKind::Mamba2)
        return {.queries = values + keys, .keys = values, .values = 0};
    return {.queries = 0, .keys = keys, .values = 2 * keys};
}

template <class Work>
void forEachTask(ThreadPool* pool, int tasks, const Work& work) {
    if (pool != nullptr && tasks > 1)
        pool->parallelFor(tasks, work);
    else
        for (int i = 0; i < tasks; ++i) work(i);
}

/// Convolves a piece of the run; in DeltaNet and KimiDelta also divides queries and keys by their
/// lengths. One task for each head, or for each block of channels.
void convolvePiece(const MixerShape& shape, const KernelTable& kernels,
                   const CausalConvolution& piece, ThreadPool* pool) {
    const auto convolve = [&](std::int64_t first, std::int64_t count) {
        CausalConvolution job = piece;
        job.first = first;
        job.count = count;
        kernels.convolve(job);
    };
    if (shape.kind == MixerKind::ShortConvolution || shape.kind == MixerKind::Mamba2) {
        constexpr std::int64_t kBlock = 512;
        const auto blocks = static_cast<int>((piece.channels + kBlock - 1) / kBlock);
        forEachTask(pool, blocks, [&](int block) {
            const std::int64_t first = block * kBlock;
            convolve(first, std::min(kBlock, piece.channels - first));
        });
        return;
    }
    const float queryFactor = 1.0F / std::sqrt(static_cast<float>(shape.keyDim));
    forEachTask(pool, 2 * shape.keyHeads + shape.valueHeads, [&](int head) {
        const bool key = head < 2 * shape.keyHeads;
        const std::int64_t first =
            key ? std::int64_t{head} * shape.keyDim
                : std::int64_t{2} * shape.keyHeads * shape.keyDim +
                      std::int64_t{head - 2 * shape.keyHeads} * shape.valueDim;
        convolve(first, key ? shape.keyDim : shape.valueDim);
        if (!key) return;
        for (std::int64_t t = 0; t < piece.tokens; ++t)
            normaliseLength(kernels, piece.out + t * piece.channels + first, shape.keyDim,
                            head < shape.keyHeads ? queryFactor : 1.0F);
    });
}

void updateMatrices(const MixerWeights& weights, const MixerRun& run, const float* convolved,
                    std::int64_t from, std::int64_t tokens, ThreadPool* pool) {
    const MixerShape& shape = weights.shape;
    const ColumnLayout layout = layoutOf(shape);
    const std::int64_t gates = shape.gates();
    const std::int64_t decaysOfHead = shape.decays() / shape.valueHeads;
    forEachTask(pool, shape.valueHeads, [&](int head) {
        const std::int64_t keyAt = std::int64_t{shape.keyHeadOf(head)} * shape.keyDim;
        const std::int64_t valueAt = std::int64_t{head} * shape.valueDim;
        MatrixRun one;
        one.rule = ruleOf(shape.kind);
        one.queries = convolved + layout.queries + keyAt;
        one.keys = convolved + layout.keys + keyAt;
        one.values = convolved + layout.values + valueAt;
        one.stride = shape.channels();
        one.decays = run.gates + from * gates + head * decaysOfHead;
        one.strengths = run.gates + from * gates + shape.decays() + head;
        one.gateStride = gates;
        one.matrix = run.matrix + valueAt * shape.keyDim;
        one.keyDim = shape.keyDim;
        one.valueDim = shape.valueDim;
        one.out = run.out == nullptr ? nullptr : run.out + from * shape.outputs() + valueAt;
        one.outStride = shape.outputs();
        one.skip = weights.skip.empty() ? 0.0F : weights.skip[static_cast<std::size_t>(head)];
        one.tokens = tokens;
        run.kernels.updateMatrix(one);
    });
}

}  // namespace

std::int64_t mixerScratch(const MixerShape& shape, std::int64_t tokens) {
    return std::min(tokens, kMixerPiece) * shape.channels();
}

void runMixer(const MixerWeights& weights, const MixerRun& run, std::span<float> scratch,
              ThreadPool* pool) {
    const MixerShape& shape = weights.shape;
    LACUNA_REQUIRE(static_cast<std::int64_t>(scratch.size()) >= mixerScratch(shape, run.tokens),
                   "a mixer has memory for a piece of its run");
    const bool matrix = shape.matrixNumbers() > 0;
    if (!matrix && run.out == nullptr) return;
    for (std::int64_t from = 0; from < run.tokens; from += kMixerPiece) {
        const std::int64_t tokens = std::min(kMixerPiece, run.tokens - from);
        CausalConvolution job;
        job.kernelWidth = shape.kernel;
        job.channels = shape.channels();
        job.kernel = weights.kernel.data();
        job.bias = weights.bias.empty() ? nullptr : weights.bias.data();
        job.history = run.history;
        job.inputs = run.columns;
        job.out = matrix ? scratch.data() : run.out + from * shape.outputs();
        job.output = matrix ? ConvolutionOutput::Silu : ConvolutionOutput::Plain;
        job.from = from;
        job.tokens = tokens;
        convolvePiece(shape, run.kernels, job, pool);
        if (matrix) updateMatrices(weights, run, scratch.data(), from, tokens, pool);
    }
}

}  // namespace lacuna
