#include "engine/recurrent/mixer.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "engine/base/check.h"
#include "engine/recurrent/causal_convolution.h"

namespace lacuna {
namespace {

constexpr int kLanes = 16;  // columns of a matrix that are updated together: a cache line

/// One head, for some tokens, in the columns of its matrix from `first` on.
struct HeadRun {
    const float* queries = nullptr;
    const float* keys = nullptr;
    const float* values = nullptr;
    std::int64_t stride = 0;  ///< of the three
    const float* decays = nullptr;
    const float* strengths = nullptr;
    std::int64_t gateStride = 0;
    float* matrix = nullptr;  ///< [keyDim, valueDim]
    int keyDim = 0;
    int valueDim = 0;
    float* out = nullptr;  ///< may be null
    std::int64_t outStride = 0;
    float skip = 0.0F;
    std::int64_t tokens = 0;
};

enum class Update { Delta, DeltaByChannel, Outer };

/// Four numbers in a register of every x86-64 processor.
using Four = float __attribute__((vector_size(16)));
constexpr int kFours = kLanes / 4;

/// Columns of one row. `Width` is their number; 0: it is `width`, and the rest is zero.
template <int Width>
struct Columns {
    Four part[kFours] = {};

    static Columns load(const float* from, int width) {
        Columns read;
        std::memcpy(read.part, from,
                    sizeof(float) * static_cast<std::size_t>(Width > 0 ? Width : width));
        return read;
    }
    void store(float* to, int width) const {
        std::memcpy(to, part, sizeof(float) * static_cast<std::size_t>(Width > 0 ? Width : width));
    }
    void scale(float factor) {
        for (Four& one : part) one *= factor;
    }
    /// Adds factor * x.
    void add(const Columns& x, float factor) {
        for (int i = 0; i < kFours; ++i) part[i] += x.part[i] * factor;
    }
};

/// Updates the columns [first, first + width). A column never reads another one, so the bits do not
/// depend on the division.
template <Update kUpdate, int Width>
void updateColumns(const HeadRun& run, int first, int width) {
    using Row = Columns<Width>;
    for (std::int64_t t = 0; t < run.tokens; ++t) {
        const float* const keys = run.keys + t * run.stride;
        const float* const queries = run.queries + t * run.stride;
        const float* const decays = run.decays + t * run.gateStride;
        const float strength = run.strengths[t * run.gateStride];
        const Row value = Row::load(run.values + t * run.stride + first, width);
        Row added;
        Row sum;
        float* row = run.matrix + first;
        if constexpr (kUpdate == Update::Outer) {
            added.add(value, strength);
            for (int i = 0; i < run.keyDim; ++i, row += run.valueDim) {
                Row state = Row::load(row, width);
                state.scale(decays[0]);
                state.add(added, keys[i]);
                sum.add(state, queries[i]);
                state.store(row, width);
            }
            sum.add(value, run.skip);
        } else {
            Row held;
            for (int i = 0; i < run.keyDim; ++i, row += run.valueDim) {
                Row state = Row::load(row, width);
                state.scale(decays[kUpdate == Update::DeltaByChannel ? i : 0]);
                held.add(state, keys[i]);
                state.store(row, width);
            }
            held.scale(-1.0F);
            held.add(value, 1.0F);
            added.add(held, strength);
            row = run.matrix + first;
            for (int i = 0; i < run.keyDim; ++i, row += run.valueDim) {
                Row state = Row::load(row, width);
                state.add(added, keys[i]);
                sum.add(state, queries[i]);
                state.store(row, width);
            }
        }
        if (run.out != nullptr) sum.store(run.out + t * run.outStride + first, width);
    }
}

template <Update kUpdate>
void updateHead(const HeadRun& run) {
    for (int first = 0; first < run.valueDim; first += kLanes) {
        const int width = std::min(kLanes, run.valueDim - first);
        if (width == kLanes)
            updateColumns<kUpdate, kLanes>(run, first, width);
        else
            updateColumns<kUpdate, 0>(run, first, width);
    }
}

/// Divides a head by its length, and multiplies it by `factor`.
void normaliseLength(float* head, int size, float factor) {
    double sum = 0.0;
    for (int i = 0; i < size; ++i)
        sum += static_cast<double>(head[i]) * static_cast<double>(head[i]);
    const auto scale = static_cast<float>(static_cast<double>(factor) / std::sqrt(sum + 1e-6));
    for (int i = 0; i < size; ++i) head[i] *= scale;
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
void convolvePiece(const MixerWeights& weights, const CausalConvolution& job, std::int64_t from,
                   std::int64_t tokens, ThreadPool* pool) {
    const MixerShape& shape = weights.shape;
    if (shape.kind == MixerKind::ShortConvolution || shape.kind == MixerKind::Mamba2) {
        constexpr std::int64_t kBlock = 512;
        const auto blocks = static_cast<int>((job.channels + kBlock - 1) / kBlock);
        forEachTask(pool, blocks, [&](int block) {
            const std::int64_t first = block * kBlock;
            convolveCausally(job, first, std::min(kBlock, job.channels - first), from, tokens);
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
        convolveCausally(job, first, key ? shape.keyDim : shape.valueDim, from, tokens);
        if (!key) return;
        for (std::int64_t t = 0; t < tokens; ++t)
            normaliseLength(job.out + t * job.channels + first, shape.keyDim,
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
        HeadRun one;
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
        if (shape.kind == MixerKind::Mamba2)
            updateHead<Update::Outer>(one);
        else if (shape.kind == MixerKind::KimiDelta)
            updateHead<Update::DeltaByChannel>(one);
        else
            updateHead<Update::Delta>(one);
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
        convolvePiece(weights, job, from, tokens, pool);
        if (matrix) updateMatrices(weights, run, scratch.data(), from, tokens, pool);
    }
}

}  // namespace lacuna
