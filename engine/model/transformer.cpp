// One step: embedding, then attention and feed-forward per layer, each with its norms and added to
// the residual; then the final norm and the output matrix on the rows whose logits are requested.
// Matrix products run over the rows of all runs together, attention over each run with its own
// cache.

#include "engine/model/transformer.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <optional>

#include "engine/base/string_format.h"
#include "engine/format/draft_block.h"
#include "engine/kernels/cpu_features.h"
#include "engine/model/activations.h"
#include "engine/model/architecture.h"
#include "engine/model/attention.h"
#include "engine/model/experts.h"
#include "engine/model/feed_forward.h"
#include "engine/model/latent_layer.h"
#include "engine/model/layer_norm.h"
#include "engine/model/plain_activation.h"
#include "engine/model/recurrent_layer.h"
#include "engine/model/rope.h"
#include "engine/model/step_runs.h"
#include "engine/model/step_tools.h"
#include "engine/model/weight_check.h"
#include "engine/model/weight_rows.h"

namespace lacuna {
namespace {

/// Applies the layer norm to each head of a row with the gains [heads, headDim].
void normaliseWithGains(float* row, int heads, std::span<const float> gains, float epsilon) {
    const std::size_t dim = gains.size() / static_cast<std::size_t>(heads);
    for (std::size_t first = 0; first < gains.size(); first += dim)
        layerNorm(row + first, gains.subspan(first, dim), {}, row + first, epsilon);
}

// x - x is zero for a finite number and otherwise NaN, which any further sum preserves.
bool allFinite(std::span<const float> x) {
    constexpr std::size_t kSums = 16;  // independent sums, which hide the latency of additions
    float sums[kSums] = {};
    std::size_t i = 0;
    for (; i + kSums <= x.size(); i += kSums)
        for (std::size_t k = 0; k < kSums; ++k) sums[k] += x[i + k] - x[i + k];
    for (; i < x.size(); ++i) sums[0] += x[i] - x[i];
    return std::all_of(sums, sums + kSums, [](float sum) { return sum == 0.0F; });
}

/// Checks that each token of a draft block has a hidden state before it.
Status checkBefore(const ModelSpec& spec, std::span<const BatchRun> runs) {
    for (const BatchRun& run : runs)
        if (run.before.extent(0) != static_cast<std::int64_t>(run.tokens.size()) ||
            run.before.extent(1) != spec.hidden)
            return fail(ErrorCode::InvalidArgument,
                        format("a draft block reads {} tokens with {} hidden states of {} numbers",
                               run.tokens.size(), run.before.extent(0), run.before.extent(1)));
    return {};
}

std::vector<AttentionShape> attentionShapes(const ModelSpec& spec) {
    std::vector<AttentionShape> shapes;
    for (int i = 0; i < spec.layers; ++i) {
        const LayerSpec layer = spec.layer(i);
        if (spec.attends(i))
            shapes.push_back({spec.heads, layer.kvHeads, layer.headDim, layer.valueDim});
    }
    return shapes;
}

/// The weights that a transformer computes: those of a model, or of its draft block.
struct ComputedPart {
    const ModelSpec& spec;
    const Weights& weights;
    const TensorSource* source;
    const std::filesystem::path& path;
};

ComputedPart partOf(const LoadedModel& model, bool draftBlock) {
    const DraftBlock* const block = draftBlock ? model.weights.draft.get() : nullptr;
    return {block != nullptr ? block->spec : model.spec,
            block != nullptr ? block->weights : model.weights, model.source.get(), model.path};
}

class DecoderTransformer final : public Transformer {
  public:
    struct Parts {
        Activations activations;
        Attention attention;
        Experts experts;
        RecurrentLayer recurrent;
        LatentLayer latent;
        Matmul matmul;
        Buffer joined;  ///< [tokens, 2 hidden] inputs of a draft block, otherwise empty
    };
    DecoderTransformer(std::shared_ptr<const LoadedModel> model, ThreadPool& pool,
                       const Options& options, Parts parts)
        : loaded_(std::move(model)),
          model_(std::make_unique<ComputedPart>(partOf(*loaded_, options.draftBlock))),
          pool_(pool),
          options_(options),
          rules_(rulesOf(model_->spec, *options.kernels)),
          rope_(model_->spec.rope, options.maxTokens),
          parts_(std::move(parts)),
          heads_(static_cast<std::size_t>(model_->spec.kvHeads)) {
        if (model_->spec.localRope) localRope_.emplace(*model_->spec.localRope, options.maxTokens);
        if (model_->spec.qkNorm == QkNorm::RotatedHeads || model_->spec.valueNorm)
            ones_.assign(static_cast<std::size_t>(model_->spec.headDim), 1.0F);
        if (model_->spec.temperature.scale != 0.0F)
            temperatures_.resize(static_cast<std::size_t>(options.maxTokens));
    }

    Result<View<const float, 2>> forward(std::span<const BatchRun> runs,
                                         const ForwardOptions& options) override;
    const LoadedModel& model() const override { return *loaded_; }
    std::size_t activationBytes() const override {
        return parts_.activations.bytes() + parts_.attention.scratchBytes() +
               parts_.experts.bytes() + parts_.recurrent.bytes() + parts_.latent.bytes() +
               parts_.matmul.scratchBytes() + parts_.joined.size() + rope_.bytes() +
               (localRope_ ? localRope_->bytes() : 0);
    }

  private:
    [[nodiscard]] Result<View<const float, 2>> compute(const StepTools& tools,
                                                       std::span<const BatchRun> runs,
                                                       const ForwardOptions& options);
    void embed(const StepTools& tools, std::span<const BatchRun> runs);
    void embedForLayers(const StepTools& tools, std::span<const BatchRun> runs);
    void joinHidden(const StepTools& tools, std::span<const BatchRun> runs);
    void addLayerEmbedding(const StepTools& tools, int index);
    void beginAt(const StepTools& tools, const LayerTail& tail, const BatchRun& run);
    void setRotations(const BatchRun& run, int firstRow);
    void setTemperatures(const BatchRun& run, int firstRow);
    [[nodiscard]] Status runLayer(const StepTools& tools, std::span<const BatchRun> runs,
                                  int layer);
    void normalise(const std::vector<float>& gain, const std::vector<float>& bias, const float* row,
                   float* out) const;
    [[nodiscard]] const float* branchInput(const std::vector<float>& gain,
                                           const std::vector<float>& bias);
    void addBranch(const std::vector<float>& postGain);
    [[nodiscard]] Status mixTokens(const StepTools& tools, std::span<const BatchRun> runs,
                                   int layer);
    void projectInputs(const StepTools& tools, int layer);
    void splitGates(std::int64_t row, std::int64_t heads, std::int64_t headDim);
    void openGates(std::int64_t heads, std::int64_t headDim);
    void finishHeads(int layer, std::int64_t row);
    void normaliseHeads(const LayerWeights& layer, const LayerRules& rules, float* query,
                        float* key) const;
    void rotateHeads(const LayerRules& rules, std::int64_t row, float* query, float* key) const;
    void attend(std::span<const BatchRun> runs, int layer);
    void observe(const BatchRun& run, const LayerRules& rules, const float* inputs,
                 const float* queries) const;
    [[nodiscard]] const DistanceCut* cutAt(int layer);
    void projectOutput(const StepTools& tools, const LayerWeights& layer);
    [[nodiscard]] Status feedForward(const StepTools& tools, int layer);
    [[nodiscard]] Status addExperts(const StepTools& tools, const LayerWeights& layer);
    void keepWantedRows(std::span<const BatchRun> runs);
    [[nodiscard]] const float* passHidden(std::span<const BatchRun> runs, const float* rows);
    [[nodiscard]] Result<View<const float, 2>> computeLogits(const StepTools& tools,
                                                             std::span<const BatchRun> runs);
    void shapeLogits(float* logits, std::int64_t count);
    [[nodiscard]] const LayerWeights& layerAt(int index) const {
        return model_->weights.layers[static_cast<std::size_t>(index)];
    }
    [[nodiscard]] const LayerRules& rulesAt(int index) const {
        return rules_.layers[static_cast<std::size_t>(index)];
    }

    std::shared_ptr<const LoadedModel> loaded_;
    std::unique_ptr<const ComputedPart> model_;
    ThreadPool& pool_;
    Options options_;
    ForwardRules rules_;
    RopeRows rope_;
    std::optional<RopeRows> localRope_;
    Parts parts_;
    std::vector<KvHeadView> heads_;  ///< [kvHeads] of the current run and layer, at the front
    const float* attentionInput_ = nullptr;   ///< [rows, hidden] of the current layer
    const LayerTail* tail_ = nullptr;         ///< of the current step; may be null
    std::vector<float> temperatures_;         ///< [rows] factors on the queries; empty = none
    std::vector<float> ones_;                 ///< [headDim] gains of norms without gains
    std::vector<std::int32_t> cutPositions_;  ///< positions of a cut head whose slots have none
    std::int64_t rows_ = 0;  ///< current rows: all tokens, at the end those with logits
};

Result<View<const float, 2>> DecoderTransformer::forward(std::span<const BatchRun> runs,
                                                         const ForwardOptions& options) {
    LACUNA_TRY_STATUS(checkRuns(model_->spec, runs, options_.maxTokens));
    if (!model_->weights.joining.empty()) LACUNA_TRY_STATUS(checkBefore(model_->spec, runs));
    if (options.tail != nullptr) LACUNA_TRY_STATUS(checkTail(model_->spec, *options.tail));
    const StepTools tools{*options_.kernels, pool_, rules_, parts_.matmul, options_.precision,
                          options.cancelled};
    AppendGuard append(runs);
    LACUNA_TRY_STATUS(append.begin());
    tail_ = options.tail;
    auto logits = compute(tools, runs, options);
    // Weights of a file that was truncated meanwhile read as zeros, so even a success must be
    // checked.
    if (logits || logits.error().code != ErrorCode::Cancelled)
        LACUNA_TRY_STATUS(model_->source->checkUnchanged());
    if (logits && options.tail == nullptr) append.commit();
    return logits;
}

Result<View<const float, 2>> DecoderTransformer::compute(const StepTools& tools,
                                                         std::span<const BatchRun> runs,
                                                         const ForwardOptions& options) {
    if (tail_ == nullptr)
        embed(tools, runs);
    else
        beginAt(tools, *tail_, runs.front());
    for (int layer = tail_ == nullptr ? 0 : tail_->first.value; layer < model_->spec.layers;
         ++layer) {
        if (options.layerInput)
            options.layerInput(LayerIndex(layer), {parts_.activations.residual(),
                                                   {rows_, std::int64_t{model_->spec.hidden}}});
        LACUNA_TRY_STATUS(runLayer(tools, runs, layer));
    }
    // The observer sees the rows after the last layer as the input of a further one.
    if (options.layerInput && rows_ > 0)
        options.layerInput(
            LayerIndex(model_->spec.layers),
            {parts_.activations.residual(), {rows_, std::int64_t{model_->spec.hidden}}});
    return computeLogits(tools, runs);
}

void DecoderTransformer::embed(const StepTools& tools, std::span<const BatchRun> runs) {
    const WeightMatrix& embedding = model_->weights.embedding;
    float* target = parts_.activations.residual();
    int row = 0;
    for (const BatchRun& run : runs) {
        setRotations(run, row);
        for (const TokenId token : run.tokens) {
            decodeWeightRow(*options_.kernels, embedding, static_cast<std::int64_t>(token),
                            parts_.activations.projected(), target);
            if (rules_.embeddingScale != 1.0F)
                options_.kernels->scale(target, rules_.embeddingScale, embedding.columns);
            target += embedding.columns;
            ++row;
        }
    }
    rows_ = row;
    if (!model_->weights.joining.empty()) joinHidden(tools, runs);
    if (model_->spec.layerEmbedding > 0) embedForLayers(tools, runs);
}

/// Replaces the embeddings by the input of a draft block: the projection of each normed embedding
/// with the normed hidden state before it.
void DecoderTransformer::joinHidden(const StepTools& tools, std::span<const BatchRun> runs) {
    const Weights& weights = model_->weights;
    const std::int64_t hidden = model_->spec.hidden;
    Activations& a = parts_.activations;
    float* const joined = parts_.joined.as<float>().data();
    std::int64_t first = 0;
    for (const BatchRun& run : runs) {
        const auto tokens = static_cast<std::int64_t>(run.tokens.size());
        forEachRow(pool_, tokens, [&](std::int64_t row) {
            float* const target = joined + (first + row) * 2 * hidden;
            normalise(weights.embeddingNorm, {}, a.residual() + (first + row) * hidden, target);
            normalise(weights.hiddenNorm, {}, run.before.data() + row * hidden, target + hidden);
        });
        first += tokens;
    }
    const MatmulProduct product[] = {{matrixOf(weights.joining), a.residual()}};
    tools.matmul.multiply({joined, {rows_, 2 * hidden}}, product, tools.precision);
}

/// Computes the embedding that each layer has of each token: the normed projection of the residual
/// plus a row of a table, divided by the root of 2.
void DecoderTransformer::embedForLayers(const StepTools& tools, std::span<const BatchRun> runs) {
    const ModelSpec& spec = model_->spec;
    const Weights& weights = model_->weights;
    const KernelTable& kernels = *options_.kernels;
    Activations& a = parts_.activations;
    const MatmulProduct projection[] = {{matrixOf(weights.layerProjection), a.layerInputs()}};
    tools.matmul.multiply({a.residual(), {rows_, spec.hidden}}, projection, tools.precision);
    const std::int64_t size = spec.layerEmbedding;
    const std::int64_t width = spec.layers * size;
    const auto factor = static_cast<float>(1.0 / std::sqrt(static_cast<double>(spec.hidden)));
    forEachRow(pool_, rows_, [&](std::int64_t row) {
        float* const inputs = a.layerInputs() + row * width;
        kernels.scale(inputs, factor, width);
        for (std::int64_t first = 0; first < width; first += size)
            normalise(weights.layerProjectionNorm, {}, inputs + first, inputs + first);
    });
    const auto tableFactor = static_cast<float>(std::sqrt(static_cast<double>(size)));
    float* inputs = a.layerInputs();
    for (const BatchRun& run : runs)
        for (const TokenId token : run.tokens) {
            float* const entry = a.layerRow();
            decodeWeightRow(kernels, weights.layerEmbedding, static_cast<std::int64_t>(token),
                            entry + width, entry);
            kernels.scale(entry, tableFactor, width);
            kernels.addTo(inputs, entry, width);
            kernels.scale(inputs, 1.0F / std::numbers::sqrt2_v<float>, width);
            inputs += width;
        }
}

void DecoderTransformer::beginAt(const StepTools& tools, const LayerTail& tail,
                                 const BatchRun& run) {
    // The layers' own embeddings depend on the tokens.
    if (model_->spec.layerEmbedding > 0)
        embed(tools, {&run, 1});
    else
        setRotations(run, 0);
    std::copy_n(tail.residual.data(), tail.residual.size(), parts_.activations.residual());
    rows_ = tail.residual.extent(0);
}

void DecoderTransformer::setRotations(const BatchRun& run, int firstRow) {
    const auto set = [&](RopeRows& table) {
        table.beginSequence(sequenceLength(run));
        for (int i = 0; i < static_cast<int>(run.tokens.size()); ++i)
            table.set(firstRow + i, run.cache->offset() + i);
    };
    set(rope_);
    if (localRope_) set(*localRope_);
    setTemperatures(run, firstRow);
}

void DecoderTransformer::setTemperatures(const BatchRun& run, int firstRow) {
    if (temperatures_.empty()) return;
    const QueryTemperature& rule = model_->spec.temperature;
    for (int i = 0; i < static_cast<int>(run.tokens.size()); ++i) {
        const int steps = (run.cache->offset().value + i + rule.offset) / rule.length;
        temperatures_[static_cast<std::size_t>(firstRow + i)] =
            1.0F + rule.scale * static_cast<float>(std::log1p(static_cast<double>(steps)));
    }
}

Status DecoderTransformer::runLayer(const StepTools& tools, std::span<const BatchRun> runs,
                                    int index) {
    const LayerWeights& layer = layerAt(index);
    const LayerRules& rules = rulesAt(index);
    if (rules.mixer != LayerMixer::None) {
        LACUNA_TRY_STATUS(mixTokens(tools, runs, index));
        addBranch(layer.postAttentionNorm);
    } else if (index + 1 == model_->spec.layers) {
        keepWantedRows(runs);
    }
    if (rules.feedForward) {
        LACUNA_TRY_STATUS(feedForward(tools, index));
        addBranch(layer.postFeedForwardNorm);
    }
    if (model_->spec.layerEmbedding > 0) {
        addLayerEmbedding(tools, index);
        LACUNA_TRY_STATUS(tools.checkCancelled());
    }
    if (layer.outputScale != 1.0F) {
        const std::int64_t hidden = model_->spec.hidden;
        forEachRow(pool_, rows_, [&](std::int64_t row) {
            options_.kernels->scale(parts_.activations.residual() + row * hidden, layer.outputScale,
                                    hidden);
        });
    }
    return {};
}

/// Stores the output of attention, of the recurrent mixer, or of both in `projected`.
Status DecoderTransformer::mixTokens(const StepTools& tools, std::span<const BatchRun> runs,
                                     int index) {
    const LayerWeights& layer = layerAt(index);
    const LayerRules& rules = rulesAt(index);
    Activations& a = parts_.activations;
    const bool last = index + 1 == model_->spec.layers;
    attentionInput_ = branchInput(layer.attentionNorm, layer.attentionNormBias);
    if (rules.mixer != LayerMixer::Attention) {
        const bool parallel = rules.mixer == LayerMixer::Both;
        const View<const float, 2> input{attentionInput_, {rows_, model_->spec.hidden}};
        LACUNA_TRY_STATUS(parts_.recurrent.run(tools, layer.recurrent, input, runs,
                                               parallel ? a.parallel() : a.projected()));
        if (!parallel) {
            if (last) keepWantedRows(runs);
            return {};
        }
    }
    if (model_->spec.latent)
        parts_.latent.projectInputs(tools, layer, {attentionInput_, {rows_, model_->spec.hidden}},
                                    rules.rotary == LayerRules::Rotary::None ? nullptr : &rope_,
                                    {a.queries(), a.keys()});
    else
        projectInputs(tools, index);
    LACUNA_TRY_STATUS(tools.checkCancelled());
    attend(runs, index);
    if (model_->spec.attentionGate) openGates(rules.heads, rules.headDim);
    // After the last attention the other rows are no longer needed.
    if (last) keepWantedRows(runs);
    projectOutput(tools, layer);
    if (rules.mixer == LayerMixer::Both)
        tools.kernels.addTo(a.projected(), a.parallel(), rows_ * model_->spec.hidden);
    return tools.checkCancelled();
}

/// Adds the layer's embedding of each token, gated by the residual, to the residual.
void DecoderTransformer::addLayerEmbedding(const StepTools& tools, int index) {
    const LayerWeights& layer = layerAt(index);
    Activations& a = parts_.activations;
    const std::int64_t size = model_->spec.layerEmbedding;
    const std::int64_t width = model_->spec.layers * size;
    const MatmulProduct gate[] = {{matrixOf(layer.layerGate), a.layerGate()}};
    tools.matmul.multiply({a.residual(), {rows_, model_->spec.hidden}}, gate, tools.precision);
    forEachRow(pool_, rows_, [&](std::int64_t row) {
        activateGated(tools, a.layerGate() + row * size,
                      a.layerInputs() + row * width + index * size, size);
    });
    const MatmulProduct output[] = {{matrixOf(layer.layerOutput), a.projected()}};
    tools.matmul.multiply({a.layerGate(), {rows_, size}}, output, tools.precision);
    addBranch(layer.postLayerNorm);
}

void DecoderTransformer::normalise(const std::vector<float>& gain, const std::vector<float>& bias,
                                   const float* row, float* out) const {
    const float epsilon = model_->spec.rmsEpsilon;
    if (rules_.normKind == NormKind::Layer)
        layerNorm(row, gain, bias, out, epsilon);
    else
        options_.kernels->rmsNorm(row, gain.data(), out, static_cast<std::int64_t>(gain.size()),
                                  epsilon);
}

/// Returns the rows [rows, hidden] that a branch reads: normed, or the residual itself if a family
/// norms only the branch's output.
const float* DecoderTransformer::branchInput(const std::vector<float>& gain,
                                             const std::vector<float>& bias) {
    Activations& a = parts_.activations;
    if (gain.empty()) return a.residual();
    const std::int64_t hidden = model_->spec.hidden;
    forEachRow(pool_, rows_, [&](std::int64_t row) {
        normalise(gain, bias, a.residual() + row * hidden, a.normed() + row * hidden);
    });
    return a.normed();
}

/// Adds `projected` to the residual, normed and scaled first if the family does so.
void DecoderTransformer::addBranch(const std::vector<float>& postGain) {
    const std::int64_t hidden = model_->spec.hidden;
    const KernelTable& kernels = *options_.kernels;
    Activations& a = parts_.activations;
    forEachRow(pool_, rows_, [&](std::int64_t row) {
        float* const branch = a.projected() + row * hidden;
        if (!postGain.empty()) normalise(postGain, {}, branch, branch);
        if (rules_.residualScale != 1.0F) kernels.scale(branch, rules_.residualScale, hidden);
        kernels.addTo(a.residual() + row * hidden, branch, hidden);
    });
}

void DecoderTransformer::projectInputs(const StepTools& tools, int index) {
    const LayerWeights& layer = layerAt(index);
    Activations& a = parts_.activations;
    const bool gated = model_->spec.attentionGate;
    const MatmulProduct products[] = {
        {matrixOf(layer.query), gated ? a.gatedQueries() : a.queries()},
        {matrixOf(layer.key), a.keys()},
        {matrixOf(layer.value), a.values()}};
    // A layer may lack both of its own, or its values are the keys.
    const std::size_t count = layer.key.empty() ? 1 : layer.value.empty() ? 2 : 3;
    tools.matmul.multiply({attentionInput_, {rows_, layer.query.columns}},
                          std::span(products).first(count), tools.precision);
    const LayerRules& rules = rulesAt(index);
    forEachRow(pool_, rows_, [&](std::int64_t row) {
        if (gated) splitGates(row, rules.heads, rules.headDim);
        finishHeads(index, row);
    });
}

/// Copies the queries of a row from between their gates.
void DecoderTransformer::splitGates(std::int64_t row, std::int64_t heads, std::int64_t headDim) {
    Activations& a = parts_.activations;
    const float* from = a.gatedQueries() + row * heads * 2 * headDim;
    float* to = a.queries() + row * heads * headDim;
    for (std::int64_t head = 0; head < heads; ++head, from += 2 * headDim, to += headDim)
        std::copy_n(from, headDim, to);
}

/// Multiplies the attended heads by the sigmoid of their gates.
void DecoderTransformer::openGates(std::int64_t heads, std::int64_t headDim) {
    Activations& a = parts_.activations;
    forEachRow(pool_, rows_, [&](std::int64_t row) {
        const float* gate = a.gatedQueries() + row * heads * 2 * headDim + headDim;
        float* out = a.attended() + row * heads * headDim;
        for (std::int64_t head = 0; head < heads; ++head, gate += 2 * headDim, out += headDim)
            for (std::int64_t i = 0; i < headDim; ++i) out[i] /= 1.0F + std::exp(-gate[i]);
    });
}

// Applies biases, norms and rotation to the heads of one row.
void DecoderTransformer::finishHeads(int index, std::int64_t row) {
    const LayerWeights& layer = layerAt(index);
    const KernelTable& kernels = *options_.kernels;
    const LayerRules& rules = rulesAt(index);
    const std::int64_t queryWidth = std::int64_t{rules.heads} * rules.headDim;
    const std::int64_t keyWidth = layer.key.rows;
    float* const query = parts_.activations.queries() + row * queryWidth;
    float* const key = parts_.activations.keys() + row * keyWidth;
    float* const value = parts_.activations.values() + row * keyWidth;
    const auto add = [&kernels](const std::vector<float>& bias, float* target) {
        if (!bias.empty())
            kernels.addTo(target, bias.data(), static_cast<std::int64_t>(bias.size()));
    };
    add(layer.queryBias, query);
    add(layer.keyBias, key);
    if (layer.value.empty()) std::copy_n(key, keyWidth, value);
    add(layer.valueBias, value);
    if (rules_.valueNorm && rules.ownsCache)
        for (std::int64_t at = 0; at < keyWidth; at += rules.headDim)
            kernels.rmsNorm(value + at, ones_.data(), value + at, rules.headDim,
                            model_->spec.rmsEpsilon);
    if (!rules_.qkNormAfterRotary && rules.normsHeads) normaliseHeads(layer, rules, query, key);
    rotateHeads(rules, row, query, key);
    if (rules_.qkNormAfterRotary) normaliseHeads(layer, rules, query, key);
    if (rules.temperature)
        kernels.scale(query, temperatures_[static_cast<std::size_t>(row)], queryWidth);
}

/// `key` is ignored in a layer without keys of its own.
void DecoderTransformer::normaliseHeads(const LayerWeights& layer, const LayerRules& rules,
                                        float* query, float* key) const {
    const float epsilon = model_->spec.rmsEpsilon;
    const auto norm = [&](float* row, const std::vector<float>& gain, std::int64_t width) {
        options_.kernels->rmsNorm(row, gain.data(), row, width, epsilon);
    };
    const std::int64_t dim = rules.headDim;
    const int keyHeads = rules.ownsCache ? rules.kvHeads : 0;
    switch (rules_.qkNorm) {
        case QkNorm::None:
            return;
        case QkNorm::PerHead:
            for (int h = 0; h < rules.heads; ++h) norm(query + h * dim, layer.queryNorm, dim);
            for (int h = 0; h < keyHeads; ++h) norm(key + h * dim, layer.keyNorm, dim);
            return;
        case QkNorm::FullWidth:
            norm(query, layer.queryNorm, layer.query.rows);
            if (keyHeads > 0) norm(key, layer.keyNorm, layer.key.rows);
            return;
        case QkNorm::RotatedHeads:
            for (int h = 0; h < rules.heads; ++h) norm(query + h * dim, ones_, dim);
            for (int h = 0; h < keyHeads; ++h) norm(key + h * dim, ones_, dim);
            return;
        case QkNorm::HeadGains:
            normaliseWithGains(query, rules.heads, layer.queryNorm, epsilon);
            if (keyHeads > 0) normaliseWithGains(key, keyHeads, layer.keyNorm, epsilon);
            return;
    }
}

void DecoderTransformer::rotateHeads(const LayerRules& rules, std::int64_t row, float* query,
                                     float* key) const {
    if (rules.rotary == LayerRules::Rotary::None) return;
    const bool local = rules.rotary == LayerRules::Rotary::Local;
    const RotaryStep rotation = (local ? *localRope_ : rope_).row(static_cast<int>(row));
    const auto rotate = local ? rules_.rotateLocal : rules_.rotate;
    const int keyHeads = rules.ownsCache ? rules.kvHeads : 0;
    for (int h = 0; h < rules.heads; ++h) rotate(query + h * rules.headDim, rotation);
    for (int h = 0; h < keyHeads; ++h) rotate(key + h * rules.headDim, rotation);
}

void DecoderTransformer::attend(std::span<const BatchRun> runs, int layer) {
    const ModelSpec& spec = model_->spec;
    const LayerRules& rules = rulesAt(layer);
    const std::int64_t width = std::int64_t{rules.heads} * rules.headDim;
    const std::int64_t keyWidth = std::int64_t{rules.kvHeads} * rules.headDim;
    const std::int64_t valueWidth = std::int64_t{rules.kvHeads} * rules.valueDim;
    const std::int64_t outWidth = std::int64_t{rules.heads} * rules.valueDim;
    const LayerIndex stored(rules.cacheLayer);
    Activations& a = parts_.activations;
    const bool last = layer + 1 == spec.layers;
    const float* const sinks = spec.sinkScores.empty()
                                   ? nullptr
                                   : spec.sinkScores.data() + std::ptrdiff_t{layer} * spec.heads;
    std::int64_t row = 0;
    for (const BatchRun& run : runs) {
        const auto tokens = static_cast<std::int64_t>(run.tokens.size());
        if (rules.ownsCache) {
            const float* const keys = a.keys() + row * keyWidth;
            // The cache takes the values of latent attention from the keys.
            const float* const values = spec.latent ? keys : a.values() + row * valueWidth;
            run.cache->writeLayer(stored, {keys, {tokens, rules.kvHeads, rules.headDim}},
                                  {values, {tokens, rules.kvHeads, rules.valueDim}}, &pool_);
        }
        if (run.observer != nullptr)
            observe(run, rules, attentionInput_ + row * spec.hidden, a.queries() + row * width);
        for (int h = 0; h < rules.kvHeads; ++h)
            heads_[static_cast<std::size_t>(h)] = run.cache->head(stored, HeadIndex(h));
        const std::int64_t wanted = last ? keptRows(run) : tokens;
        const std::int64_t skipped = tokens - wanted;
        const std::int64_t first = row + skipped;
        const View<const float, 3>::Extents asked{wanted, rules.heads, rules.headDim};
        if (wanted > 0)
            parts_.attention.run(
                std::span(heads_).first(static_cast<std::size_t>(rules.kvHeads)),
                {{a.queries() + first * width, asked},
                 run.cache->offset() + static_cast<std::int32_t>(skipped),
                 rules.attention,
                 cutAt(layer),
                 sinks},
                {a.attended() + first * outWidth, {wanted, rules.heads, rules.valueDim}});
        row += tokens;
    }
}

/// Passes on the rows of a run: `inputs` [tokens, hidden] of the attention, `queries` [tokens,
/// heads, headDim].
void DecoderTransformer::observe(const BatchRun& run, const LayerRules& rules, const float* inputs,
                                 const float* queries) const {
    const LayerIndex stored(rules.cacheLayer);
    const auto tokens = static_cast<std::int64_t>(run.tokens.size());
    if (rules.ownsCache && run.observer->observesInputs())
        run.observer->observeInputs(stored, {inputs, {tokens, std::int64_t{model_->spec.hidden}}},
                                    run.cache->offset());
    run.observer->observeQueries(stored, {queries, {tokens, rules.heads, rules.headDim}},
                                 run.cache->offset());
}

/// Returns null if no head of this layer is cut. A cut is applied by positions.
const DistanceCut* DecoderTransformer::cutAt(int layer) {
    if (tail_ == nullptr || !tail_->cut || layer != tail_->first.value) return nullptr;
    KvHeadView& head = heads_[static_cast<std::size_t>(tail_->cut->head.value)];
    if (head.positions == nullptr) {
        cutPositions_.resize(static_cast<std::size_t>(head.slots));
        std::iota(cutPositions_.begin(), cutPositions_.end(), 0);
        head.positions = cutPositions_.data();
    }
    return &*tail_->cut;
}

void DecoderTransformer::projectOutput(const StepTools& tools, const LayerWeights& layer) {
    Activations& a = parts_.activations;
    const MatmulProduct output[] = {{matrixOf(layer.output), a.projected()}};
    const float* const heads = model_->spec.latent
                                   ? parts_.latent.projectHeads(tools, layer, a.attended(), rows_)
                                   : a.attended();
    tools.matmul.multiply({heads, {rows_, layer.output.columns}}, output, tools.precision);
    if (layer.outputBias.empty()) return;
    for (std::int64_t row = 0; row < rows_; ++row)
        tools.kernels.addTo(a.projected() + row * layer.output.rows, layer.outputBias.data(),
                            layer.output.rows);
}

/// Stores the result in `projected`.
Status DecoderTransformer::feedForward(const StepTools& tools, int index) {
    const LayerWeights& layer = layerAt(index);
    Activations& a = parts_.activations;
    const float* const input = rules_.parallelResidual
                                   ? a.normed()  // norm of the attention's input
                                   : branchInput(layer.feedForwardNorm, layer.feedForwardNormBias);
    const LayerRules& rules = rulesAt(index);
    if (rules.experts && !rules.parallelToDense)
        return parts_.experts.run(tools, layer, {input, {rows_, model_->spec.hidden}}, input,
                                  a.projected());
    LACUNA_TRY_STATUS(runFeedForward(tools, {.gate = layer.gate,
                                             .up = layer.up,
                                             .down = layer.down,
                                             .input = input,
                                             .gated = a.gate(),
                                             .upped = a.up(),
                                             .out = a.projected(),
                                             .tokens = rows_,
                                             .gateBias = &layer.gateBias,
                                             .upBias = &layer.upBias,
                                             .downBias = &layer.downBias,
                                             .xielu = rules.xielu}));
    return rules.parallelToDense ? addExperts(tools, layer) : Status();
}

/// Adds the normed sum of the experts to `projected`, which is normed first.
Status DecoderTransformer::addExperts(const StepTools& tools, const LayerWeights& layer) {
    Activations& a = parts_.activations;
    const std::int64_t hidden = model_->spec.hidden;
    const auto normaliseRows = [&](const std::vector<float>& gain, const float* from, float* to) {
        forEachRow(pool_, rows_, [&](std::int64_t row) {
            normalise(gain, {}, from + row * hidden, to + row * hidden);
        });
    };
    normaliseRows(layer.postDenseNorm, a.projected(), a.projected());
    normaliseRows(layer.routerScale, a.residual(), a.routerInput());
    normaliseRows(layer.expertNorm, a.residual(), a.normed());
    LACUNA_TRY_STATUS(parts_.experts.run(tools, layer, {a.normed(), {rows_, hidden}},
                                         a.routerInput(), a.mixed()));
    forEachRow(pool_, rows_, [&](std::int64_t row) {
        float* const sum = a.mixed() + row * hidden;
        normalise(layer.postExpertNorm, {}, sum, sum);
        options_.kernels->addTo(a.projected() + row * hidden, sum, hidden);
    });
    return {};
}

void DecoderTransformer::keepWantedRows(std::span<const BatchRun> runs) {
    const ModelSpec& spec = model_->spec;
    const LayerRules& rules = rulesAt(spec.layers - 1);
    const std::int64_t width = std::int64_t{rules.heads} * rules.valueDim;
    const bool attends = rules.mixer == LayerMixer::Attention || rules.mixer == LayerMixer::Both;
    const std::int64_t layerRow = std::int64_t{spec.layers} * spec.layerEmbedding;
    Activations& a = parts_.activations;
    std::int64_t row = 0;
    std::int64_t kept = 0;
    for (const BatchRun& run : runs) {
        row += static_cast<std::int64_t>(run.tokens.size());
        const std::int64_t wanted = keptRows(run);
        const auto keep = [&](float* rows, std::int64_t rowWidth) {
            std::copy_n(rows + (row - wanted) * rowWidth, wanted * rowWidth,
                        rows + kept * rowWidth);
        };
        keep(a.residual(), spec.hidden);
        if (attends) keep(a.attended(), width);
        if (rules.mixer == LayerMixer::Recurrent) keep(a.projected(), spec.hidden);
        if (rules.mixer == LayerMixer::Both) keep(a.parallel(), spec.hidden);
        if (rules_.parallelResidual)
            std::copy_n(a.normed() + (row - wanted) * spec.hidden, wanted * spec.hidden,
                        a.normed() + kept * spec.hidden);
        // Only the part of the last layer is still needed of these rows.
        for (std::int64_t i = 1; i <= wanted && layerRow > 0; ++i)
            std::copy_n(a.layerInputs() + (row - wanted + i) * layerRow - spec.layerEmbedding,
                        spec.layerEmbedding,
                        a.layerInputs() + (kept + i) * layerRow - spec.layerEmbedding);
        kept += wanted;
    }
    rows_ = kept;
}

/// Passes on the hidden states that runs ask for and returns the rows whose logits are requested,
/// which then come first. `rows` are all rows that left the last layer.
const float* DecoderTransformer::passHidden(std::span<const BatchRun> runs, const float* rows) {
    if (std::ranges::all_of(runs, [](const BatchRun& run) { return run.hidden == nullptr; }))
        return rows;
    const std::int64_t hidden = model_->spec.hidden;
    float* const first = parts_.activations.normed();
    float* to = first;
    for (const BatchRun& run : runs) {
        const float* const end = rows + keptRows(run) * hidden;
        if (run.hidden != nullptr) run.hidden->assign(rows, end);
        to = std::copy(end - logitRowsOf(run) * hidden, end, to);
        rows = end;
    }
    rows_ = (to - first) / hidden;
    return first;
}

Result<View<const float, 2>> DecoderTransformer::computeLogits(const StepTools& tools,
                                                               std::span<const BatchRun> runs) {
    const WeightMatrix& output = model_->weights.output;
    const float* const input =
        passHidden(runs, branchInput(model_->weights.finalNorm, model_->weights.finalNormBias));
    LACUNA_TRY(float* const logits, parts_.activations.logits(rows_, output.rows));
    const MatmulProduct product[] = {{matrixOf(output), logits}};
    tools.matmul.multiply({input, {rows_, output.columns}}, product, tools.precision);
    LACUNA_TRY_STATUS(tools.checkCancelled());
    if (const std::vector<float>& bias = model_->weights.logitBias; !bias.empty())
        forEachRow(pool_, rows_, [&](std::int64_t row) {
            tools.kernels.addTo(logits + row * output.rows, bias.data(), output.rows);
        });
    // Checked before a soft cap, which would turn an infinite number into a large one.
    if (!allFinite({logits, static_cast<std::size_t>(rows_ * output.rows)}))
        return fail(
            ErrorCode::ModelNonFinite,
            format("{}: a logit is not a finite number; the weights are damaged or overflow",
                   model_->path.string()));
    shapeLogits(logits, rows_ * output.rows);
    return View<const float, 2>(logits, {rows_, output.rows});
}

void DecoderTransformer::shapeLogits(float* logits, std::int64_t count) {
    const KernelTable& kernels = *options_.kernels;
    if (rules_.logitScale != 1.0F) kernels.scale(logits, rules_.logitScale, count);
    if (rules_.logitSoftCap == 0.0F) return;
    constexpr std::int64_t kPiece = 4096;
    const std::int64_t pieces = (count + kPiece - 1) / kPiece;
    forEachRow(pool_, pieces, [&](std::int64_t piece) {
        const std::int64_t first = piece * kPiece;
        kernels.softCap(logits + first, rules_.logitSoftCap, std::min(kPiece, count - first));
    });
}

}  // namespace

Result<std::unique_ptr<Transformer>> Transformer::create(std::shared_ptr<const LoadedModel> model,
                                                         ThreadPool& pool, Options options) {
    if (options.draftBlock && model->weights.draft == nullptr)
        return fail(ErrorCode::Unsupported, "the model has no block for multi-token prediction");
    const auto& [spec, weights, source, path] = partOf(*model, options.draftBlock);
    if (options.kernels == nullptr) options.kernels = &bestKernels();
    LACUNA_TRY_STATUS(checkTypes(weights));
    LACUNA_TRY(auto activations, Activations::create(spec, options.maxTokens));
    LACUNA_TRY(auto attention,
               Attention::create(*options.kernels, pool, attentionShapes(spec), options.precision));
    LACUNA_TRY(auto experts, Experts::create(spec, options.maxTokens));
    LACUNA_TRY(auto recurrent, RecurrentLayer::create(spec, options.maxTokens));
    LACUNA_TRY(auto latent, LatentLayer::create(spec, options.maxTokens));
    LACUNA_TRY(auto matmul,
               Matmul::create(*options.kernels, pool,
                              {options.maxTokens, widestMatrix(weights), widestGroups(weights),
                               options.precision == Precision::TwoTerms}));
    LACUNA_TRY(auto joined,
               Buffer::allocate(static_cast<std::size_t>(weights.joining.columns) *
                                static_cast<std::size_t>(options.maxTokens) * sizeof(float)));
    return std::make_unique<DecoderTransformer>(
        std::move(model), pool, options,
        DecoderTransformer::Parts{std::move(activations), std::move(attention), std::move(experts),
                                  std::move(recurrent), std::move(latent), std::move(matmul),
                                  std::move(joined)});
}

}  // namespace lacuna
