// One step: embedding, then per layer norm, attention, residual, norm, feed-forward, residual; then
// the final norm and the output matrix on the rows somebody asked for. The matrix products run over
// the rows of all runs together, attention over each run with its own cache.

#include "engine/model/transformer.h"

#include <algorithm>
#include <cmath>

#include "engine/base/string_format.h"
#include "engine/kernels/cpu_features.h"
#include "engine/model/activations.h"
#include "engine/model/architecture.h"
#include "engine/model/attention.h"
#include "engine/model/feed_forward.h"
#include "engine/model/rope.h"
#include "engine/model/step_tools.h"

namespace lacuna {
namespace {

/// Aborts the appends of all runs begun so far unless the step succeeds.
class AppendGuard {
  public:
    explicit AppendGuard(std::span<const BatchRun> runs) : runs_(runs) {}
    AppendGuard(const AppendGuard&) = delete;
    AppendGuard& operator=(const AppendGuard&) = delete;
    ~AppendGuard() {
        for (std::size_t i = 0; i < begun_; ++i) runs_[i].cache->abortAppend();
    }
    [[nodiscard]] Status begin() {
        for (const BatchRun& run : runs_) {
            LACUNA_TRY_STATUS(run.cache->beginAppend(static_cast<int>(run.tokens.size())));
            ++begun_;
        }
        return {};
    }
    void commit() {
        for (const BatchRun& run : runs_) run.cache->commitAppend();
        begun_ = 0;
    }

  private:
    std::span<const BatchRun> runs_;
    std::size_t begun_ = 0;
};

/// The newest tokens of a run whose logits are asked for.
std::int64_t wantedRows(const BatchRun& run) {
    switch (run.logits) {
        case LogitsFor::None:
            return 0;
        case LogitsFor::LastToken:
            return 1;
        case LogitsFor::AllTokens:
            return static_cast<std::int64_t>(run.tokens.size());
    }
    return 0;
}

Status checkMatrix(const WeightMatrix& weight) {
    const std::int64_t block = info(weight.type).blockLength;
    if (weight.columns % block == 0) return {};
    return fail(ErrorCode::ModelTypeUse,
                format("{}: type {} needs rows of a multiple of {} elements, found {}", weight.name,
                       info(weight.type).name, block, weight.columns));
}

Status checkTypes(const Weights& weights) {
    LACUNA_TRY_STATUS(checkMatrix(weights.embedding));
    LACUNA_TRY_STATUS(checkMatrix(weights.output));
    for (const LayerWeights& layer : weights.layers)
        for (const WeightMatrix* weight : {&layer.query, &layer.key, &layer.value, &layer.output,
                                           &layer.gate, &layer.up, &layer.down})
            LACUNA_TRY_STATUS(checkMatrix(*weight));
    return {};
}

// x - x is zero for a finite number and a NaN for any other, which no later sum loses.
bool allFinite(std::span<const float> x) {
    constexpr std::size_t kSums =
        16;  // independent sums: a single one would wait for each addition
    float sums[kSums] = {};
    std::size_t i = 0;
    for (; i + kSums <= x.size(); i += kSums)
        for (std::size_t k = 0; k < kSums; ++k) sums[k] += x[i + k] - x[i + k];
    for (; i < x.size(); ++i) sums[0] += x[i] - x[i];
    return std::all_of(sums, sums + kSums, [](float sum) { return sum == 0.0F; });
}

class DenseTransformer final : public Transformer {
  public:
    struct Parts {
        Activations activations;
        Attention attention;
        Matmul matmul;
    };
    DenseTransformer(std::shared_ptr<const LoadedModel> model, ThreadPool& pool,
                     const Options& options, Parts parts)
        : model_(std::move(model)),
          pool_(pool),
          options_(options),
          architecture_(architectureOf(model_->spec, *options.kernels)),
          rope_(model_->spec.rope, options.maxTokens, options.ropeRounding),
          parts_(std::move(parts)),
          heads_(static_cast<std::size_t>(model_->spec.kvHeads)) {}

    Result<View<const float, 2>> forward(std::span<const BatchRun> runs,
                                         const ForwardOptions& options) override;
    const LoadedModel& model() const override { return *model_; }
    std::size_t activationBytes() const override {
        return parts_.activations.bytes() + parts_.attention.scratchBytes() +
               parts_.matmul.scratchBytes() + rope_.bytes();
    }

  private:
    [[nodiscard]] Status checkRuns(std::span<const BatchRun> runs) const;
    void embed(std::span<const BatchRun> runs);
    [[nodiscard]] Status runLayer(const StepTools& tools, std::span<const BatchRun> runs,
                                  int layer);
    void normaliseRows(const std::vector<float>& gain);
    void projectInputs(const StepTools& tools, const LayerWeights& layer);
    void finishHeads(const LayerWeights& layer, std::int64_t row);
    void attend(std::span<const BatchRun> runs, int layer);
    void keepWantedRows(std::span<const BatchRun> runs);
    void addResidual();
    [[nodiscard]] Result<View<const float, 2>> computeLogits(const StepTools& tools);

    std::shared_ptr<const LoadedModel> model_;
    ThreadPool& pool_;
    Options options_;
    Architecture architecture_;
    RopeRows rope_;
    Parts parts_;
    std::vector<KvHeadView> heads_;  ///< [kvHeads] of the run and layer at work
    std::int64_t rows_ = 0;          ///< rows at work: all tokens, at the end those with logits
};

Status DenseTransformer::checkRuns(std::span<const BatchRun> runs) const {
    const ModelSpec& spec = model_->spec;
    std::size_t tokens = 0;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const BatchRun& run = runs[i];
        if (run.cache == nullptr || run.tokens.empty())
            return fail(ErrorCode::InvalidArgument,
                        format("run {} of a step has no cache or no tokens", i));
        for (std::size_t j = 0; j < i; ++j)
            if (runs[j].cache == run.cache)
                return fail(ErrorCode::InvalidArgument,
                            format("runs {} and {} of a step share a cache", j, i));
        const KvShape& shape = run.cache->shape();
        if (shape.layers != spec.layers || shape.kvHeads != spec.kvHeads ||
            shape.keyDim != spec.headDim || shape.valueDim != spec.headDim)
            return fail(ErrorCode::InvalidArgument,
                        format("the cache of run {} has another shape than the model", i));
        for (const TokenId id : run.tokens)
            if (id < 0 || id >= spec.vocabulary)
                return fail(
                    ErrorCode::InvalidArgument,
                    format("token id {} is outside the vocabulary of {}", id, spec.vocabulary));
        tokens += run.tokens.size();
    }
    if (tokens == 0 || tokens > static_cast<std::size_t>(options_.maxTokens))
        return fail(ErrorCode::InvalidArgument,
                    format("a step of {} tokens, between 1 and {} are possible", tokens,
                           options_.maxTokens));
    return {};
}

Result<View<const float, 2>> DenseTransformer::forward(std::span<const BatchRun> runs,
                                                       const ForwardOptions& options) {
    LACUNA_TRY_STATUS(checkRuns(runs));
    const StepTools tools{
        *options_.kernels, pool_, parts_.matmul,
        options_.precision == Precision::Exact ? MatmulPrecision::Exact : MatmulPrecision::Fast,
        options.cancelled};
    AppendGuard append(runs);
    LACUNA_TRY_STATUS(append.begin());
    embed(runs);
    for (int layer = 0; layer < model_->spec.layers; ++layer)
        LACUNA_TRY_STATUS(runLayer(tools, runs, layer));
    LACUNA_TRY(const auto logits, computeLogits(tools));
    append.commit();
    return logits;
}

void DenseTransformer::embed(std::span<const BatchRun> runs) {
    const WeightMatrix& embedding = model_->weights.embedding;
    const auto decode = options_.kernels->toFloat[kernelIndex(embedding.type)];
    const auto stride = rowBytes(embedding.type, static_cast<std::uint64_t>(embedding.columns));
    float* target = parts_.activations.residual();
    int row = 0;
    for (const BatchRun& run : runs) {
        for (std::size_t i = 0; i < run.tokens.size(); ++i, ++row, target += embedding.columns) {
            decode(embedding.data + static_cast<std::uint64_t>(run.tokens[i]) * stride, target,
                   embedding.columns);
            rope_.set(row, run.cache->offset() + static_cast<std::int32_t>(i));
        }
    }
    rows_ = row;
}

Status DenseTransformer::runLayer(const StepTools& tools, std::span<const BatchRun> runs,
                                  int index) {
    const LayerWeights& layer = model_->weights.layers[static_cast<std::size_t>(index)];
    Activations& a = parts_.activations;
    normaliseRows(layer.attentionNorm);
    projectInputs(tools, layer);
    LACUNA_TRY_STATUS(tools.checkCancelled());
    attend(runs, index);
    // Behind the last attention nothing looks at the other rows any more.
    if (index + 1 == model_->spec.layers) keepWantedRows(runs);
    const MatmulProduct output[] = {{matrixOf(layer.output), a.projected()}};
    tools.matmul.multiply({a.attended(), {rows_, layer.output.columns}}, output, tools.precision);
    LACUNA_TRY_STATUS(tools.checkCancelled());
    addResidual();
    normaliseRows(layer.feedForwardNorm);
    LACUNA_TRY_STATUS(feedForward(tools, layer, a, rows_));
    addResidual();
    return {};
}

void DenseTransformer::normaliseRows(const std::vector<float>& gain) {
    const std::int64_t hidden = model_->spec.hidden;
    Activations& a = parts_.activations;
    forEachRow(pool_, rows_, [&](std::int64_t row) {
        options_.kernels->rmsNorm(a.residual() + row * hidden, gain.data(),
                                  a.normed() + row * hidden, hidden, model_->spec.rmsEpsilon);
    });
}

void DenseTransformer::projectInputs(const StepTools& tools, const LayerWeights& layer) {
    Activations& a = parts_.activations;
    const MatmulProduct products[] = {{matrixOf(layer.query), a.queries()},
                                      {matrixOf(layer.key), a.keys()},
                                      {matrixOf(layer.value), a.values()}};
    tools.matmul.multiply({a.normed(), {rows_, layer.query.columns}}, products, tools.precision);
    forEachRow(pool_, rows_, [&](std::int64_t row) { finishHeads(layer, row); });
}

// Biases, norms and rotation of the heads of one row.
void DenseTransformer::finishHeads(const LayerWeights& layer, std::int64_t row) {
    const ModelSpec& spec = model_->spec;
    const KernelTable& kernels = *options_.kernels;
    const std::int64_t dim = spec.headDim;
    float* query = parts_.activations.queries() + row * spec.heads * dim;
    float* key = parts_.activations.keys() + row * spec.kvHeads * dim;
    float* value = parts_.activations.values() + row * spec.kvHeads * dim;
    if (architecture_.projectionBias == Architecture::ProjectionBias::QueryKeyValue) {
        kernels.addTo(query, layer.queryBias.data(), spec.heads * dim);
        kernels.addTo(key, layer.keyBias.data(), spec.kvHeads * dim);
        kernels.addTo(value, layer.valueBias.data(), spec.kvHeads * dim);
    }
    const Rotation rotation = rope_.row(static_cast<int>(row));
    const auto finish = [&](float* head, const std::vector<float>& gain) {
        if (architecture_.queryKeyNorm == Architecture::QueryKeyNorm::PerHead)
            kernels.rmsNorm(head, gain.data(), head, dim, spec.rmsEpsilon);
        architecture_.rotate(head, rotation);
    };
    for (int h = 0; h < spec.heads; ++h) finish(query + h * dim, layer.queryNorm);
    for (int h = 0; h < spec.kvHeads; ++h) finish(key + h * dim, layer.keyNorm);
}

void DenseTransformer::attend(std::span<const BatchRun> runs, int layer) {
    const ModelSpec& spec = model_->spec;
    const std::int64_t width = std::int64_t{spec.heads} * spec.headDim;
    Activations& a = parts_.activations;
    const bool last = layer + 1 == spec.layers;
    std::int64_t row = 0;
    for (const BatchRun& run : runs) {
        const auto tokens = static_cast<std::int64_t>(run.tokens.size());
        const View<const float, 3>::Extents extents{tokens, spec.kvHeads, spec.headDim};
        const float* keys = a.keys() + row * spec.kvHeads * spec.headDim;
        const float* values = a.values() + row * spec.kvHeads * spec.headDim;
        run.cache->writeLayer(LayerIndex(layer), {keys, extents}, {values, extents});
        const float* queries = a.queries() + row * width;
        if (run.observer != nullptr)
            run.observer->observeQueries(LayerIndex(layer),
                                         {queries, {tokens, spec.heads, spec.headDim}},
                                         run.cache->offset());
        for (int h = 0; h < spec.kvHeads; ++h)
            heads_[static_cast<std::size_t>(h)] = run.cache->head(LayerIndex(layer), HeadIndex(h));
        const std::int64_t wanted = last ? wantedRows(run) : tokens;
        const std::int64_t first = row + tokens - wanted;
        const View<const float, 3>::Extents asked{wanted, spec.heads, spec.headDim};
        if (wanted > 0)
            parts_.attention.run(heads_, {a.queries() + first * width, asked},
                                 {a.attended() + first * width, asked});
        row += tokens;
    }
}

void DenseTransformer::keepWantedRows(std::span<const BatchRun> runs) {
    const ModelSpec& spec = model_->spec;
    const std::int64_t width = std::int64_t{spec.heads} * spec.headDim;
    Activations& a = parts_.activations;
    std::int64_t row = 0;
    std::int64_t kept = 0;
    for (const BatchRun& run : runs) {
        row += static_cast<std::int64_t>(run.tokens.size());
        const std::int64_t wanted = wantedRows(run);
        std::copy_n(a.residual() + (row - wanted) * spec.hidden, wanted * spec.hidden,
                    a.residual() + kept * spec.hidden);
        std::copy_n(a.attended() + (row - wanted) * width, wanted * width,
                    a.attended() + kept * width);
        kept += wanted;
    }
    rows_ = kept;
}

void DenseTransformer::addResidual() {
    const std::int64_t hidden = model_->spec.hidden;
    Activations& a = parts_.activations;
    forEachRow(pool_, rows_, [&](std::int64_t row) {
        options_.kernels->addTo(a.residual() + row * hidden, a.projected() + row * hidden, hidden);
    });
}

Result<View<const float, 2>> DenseTransformer::computeLogits(const StepTools& tools) {
    const WeightMatrix& output = model_->weights.output;
    Activations& a = parts_.activations;
    normaliseRows(model_->weights.finalNorm);
    LACUNA_TRY(float* const logits, a.logits(rows_, output.rows));
    const MatmulProduct product[] = {{matrixOf(output), logits}};
    tools.matmul.multiply({a.normed(), {rows_, output.columns}}, product, tools.precision);
    LACUNA_TRY_STATUS(tools.checkCancelled());
    for (std::int64_t r = 0; r < rows_; ++r)
        if (!allFinite({logits + r * output.rows, static_cast<std::size_t>(output.rows)}))
            return fail(
                ErrorCode::ModelNonFinite,
                format("{}: a logit is not a finite number; the weights are damaged or overflow",
                       model_->path.string()));
    return View<const float, 2>(logits, {rows_, output.rows});
}

}  // namespace

Result<std::unique_ptr<Transformer>> Transformer::create(std::shared_ptr<const LoadedModel> model,
                                                         ThreadPool& pool, Options options) {
    const ModelSpec& spec = model->spec;
    if (options.kernels == nullptr) options.kernels = &bestKernels();
    LACUNA_TRY_STATUS(checkTypes(model->weights));
    const std::int64_t columns =
        std::max({spec.hidden, spec.heads * spec.headDim, spec.feedForward});
    LACUNA_TRY(auto activations, Activations::create(spec, options.maxTokens));
    LACUNA_TRY(auto attention,
               Attention::create(*options.kernels, pool, {spec.heads, spec.kvHeads, spec.headDim}));
    LACUNA_TRY(auto matmul, Matmul::create(*options.kernels, pool, {options.maxTokens, columns}));
    return std::make_unique<DenseTransformer>(
        std::move(model), pool, options,
        DenseTransformer::Parts{std::move(activations), std::move(attention), std::move(matmul)});
}

}  // namespace lacuna
