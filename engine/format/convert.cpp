#include "engine/format/convert.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "engine/base/check.h"
#include "engine/base/file.h"
#include "engine/base/result.h"
#include "engine/base/string_format.h"
#include "engine/format/architectures.h"
#include "engine/format/convert_metadata.h"
#include "engine/format/gguf_writer.h"
#include "engine/format/load_weights.h"
#include "engine/format/model_container.h"
#include "engine/format/model_spec.h"
#include "engine/format/printable.h"
#include "engine/format/tensor_names.h"
#include "engine/format/weights.h"
#include "engine/tensor/block_formats.h"

namespace lacuna {
namespace {

/// One tensor of the result and the source of its rows.
struct ConvertJob {
    GgufPlan plan;
    std::vector<WeightMatrix> pieces;  ///< concatenated; if empty, `values` is the content
    std::vector<float> values;
    int permutedHead = 0;  ///< head size if rows are interleaved, otherwise 0
};

// Readers of some architectures (llama, granite, smollm3) rotate neighbours (2i, 2i+1), while
// Hugging Face rotates halves (i, i + dim/2), so the Q and K rows of every head are interleaved for
// them. All others keep their rows.

using enum TensorRole;

/// Returns the row of an architecture that passed ModelSpec::check().
const Architecture& architectureOf(const ModelSpec& spec) {
    const auto found = findArchitecture(spec.architecture);
    LACUNA_REQUIRE(found.has_value(), "the architecture was checked when the model was opened");
    return **found;
}

class Planner {
  public:
    Planner(const ModelSpec& spec, DType type)
        : spec_(spec), names_(Container::Gguf, architectureOf(spec)), type_(type) {}

    [[nodiscard]] std::vector<ConvertJob> plan(const Weights& weights);

  private:
    void addVector(TensorRole role, int layer, const std::vector<float>& values);
    void addHeadNorms(TensorRole role, int layer, const std::vector<float>& gains);
    void addMatrix(TensorRole role, int layer, std::vector<WeightMatrix> pieces);
    void addExperts(TensorRole role, int layer, std::vector<WeightMatrix> pieces);
    void addFloatMatrix(TensorRole role, int layer, const WeightMatrix& matrix);
    void addExpertBiases(TensorRole role, int layer, const LayerWeights& weights,
                         std::vector<float> FeedForwardWeights::*bias);
    void addRopeFactors();
    void addAttention(const LayerWeights& weights, int layer);
    void addFeedForward(const LayerWeights& weights, int layer);
    void addMixture(const LayerWeights& weights, int layer);
    void addExpertMatrices(const LayerWeights& weights, int layer);
    void addDense(const LayerWeights& weights, int layer);
    void addLayerEmbedding(const LayerWeights& weights, int layer);
    void addLayerEmbeddings(const Weights& weights);
    [[nodiscard]] std::vector<float> interleaved(const std::vector<float>& bias) const;
    [[nodiscard]] bool interleaves() const { return interleavesForGguf(names_.architecture()); }

    /// A projection with separate biases is not fused: glm4.
    [[nodiscard]] bool fusesQueries() const {
        return names_.architecture().fused && names_.architecture().qkvBias == Presence::Never;
    }

    const ModelSpec& spec_;
    const TensorNames names_;
    const DType type_;
    std::vector<ConvertJob> jobs_;
};

void Planner::addVector(TensorRole role, int layer, const std::vector<float>& values) {
    if (values.empty()) return;
    ConvertJob job;
    job.values = values;
    job.plan = {names_.first(role, layer), DType::F32, {values.size()}};
    jobs_.push_back(std::move(job));
}

void Planner::addHeadNorms(TensorRole role, int layer, const std::vector<float>& gains) {
    addVector(role, layer, gains);
    if (gains.empty() || spec_.qkNorm != QkNorm::HeadGains) return;
    const auto dim = static_cast<std::uint64_t>(spec_.headDim);
    jobs_.back().plan.shape = {gains.size() / dim, dim};
}

void Planner::addMatrix(TensorRole role, int layer, std::vector<WeightMatrix> pieces) {
    std::uint64_t rows = 0;
    for (const WeightMatrix& piece : pieces) rows += static_cast<std::uint64_t>(piece.rows);
    const auto columns = static_cast<std::uint64_t>(pieces.front().columns);
    ConvertJob job;
    // Rows must consist of full blocks; others keep 16 bits.
    const DType stored = columns % info(type_).blockLength == 0 ? type_ : DType::F16;
    job.plan = {names_.first(role, layer), stored, {rows, columns}};
    job.pieces = std::move(pieces);
    if (interleaves() && (role == Query || role == Key)) job.permutedHead = spec_.headDim;
    jobs_.push_back(std::move(job));
}

void Planner::addExperts(TensorRole role, int layer, std::vector<WeightMatrix> pieces) {
    const auto count = static_cast<std::uint64_t>(spec_.experts.count);
    addMatrix(role, layer, std::move(pieces));
    std::vector<std::uint64_t>& shape = jobs_.back().plan.shape;
    shape = {count, shape[0] / count, shape[1]};
}

/// Routers stay F32: small differences change the chosen experts.
void Planner::addFloatMatrix(TensorRole role, int layer, const WeightMatrix& matrix) {
    addMatrix(role, layer, {matrix});
    jobs_.back().plan.type = DType::F32;
    if (matrix.rows == 1) jobs_.back().plan.shape = {static_cast<std::uint64_t>(matrix.columns)};
}

/// Returns the divisors [dim/2] of the rotary frequencies for the Llama-3 rule, as
/// `rope_freqs.weight` stores them.
std::vector<float> llama3Factors(const RopeSpec& rope) {
    const double context = rope.originalContext;
    const double low = static_cast<double>(rope.lowFrequencyFactor);
    const double high = static_cast<double>(rope.highFrequencyFactor);
    const double factor = static_cast<double>(rope.factor);
    std::vector<float> factors;
    for (int i = 0; i < rope.dim; i += 2) {
        const double wave =
            2.0 * std::numbers::pi *
            std::pow(static_cast<double>(rope.base), static_cast<double>(i) / rope.dim);
        double divisor = 1.0;
        if (wave > context / low) {
            divisor = factor;
        } else if (wave >= context / high) {
            const double smooth = (context / wave - low) / (high - low);
            divisor = 1.0 / ((1.0 - smooth) / factor + smooth);
        }
        factors.push_back(static_cast<float>(divisor));
    }
    return factors;
}

void Planner::addRopeFactors() {
    if (spec_.rope.scaling == RopeSpec::Scaling::Llama3)
        addVector(RopeFactors, 0, llama3Factors(spec_.rope));
    else
        addVector(RopeFactors, 0, spec_.rope.frequencyFactors);
    addVector(RopeLongFactors, 0, spec_.rope.longFactors);
    addVector(RopeShortFactors, 0, spec_.rope.shortFactors);
}

/// Entry (head, pair, side) of the halves order becomes (head, side, pair).
std::vector<float> Planner::interleaved(const std::vector<float>& bias) const {
    if (!interleaves()) return bias;
    const auto head = static_cast<std::size_t>(spec_.headDim);
    std::vector<float> out(bias.size());
    for (std::size_t i = 0; i < bias.size(); ++i) {
        const std::size_t within = i % head;
        out[i] = bias[i - within + within % 2 * (head / 2) + within / 2];
    }
    return out;
}

void Planner::addAttention(const LayerWeights& weights, int layer) {
    addVector(AttentionNorm, layer, weights.attentionNorm);
    addVector(AttentionNormBias, layer, weights.attentionNormBias);
    if (fusesQueries()) {
        addMatrix(QueryKeyValue, layer, {weights.query, weights.key, weights.value});
    } else {
        addMatrix(Query, layer, {weights.query});
        if (!weights.key.empty()) addMatrix(Key, layer, {weights.key});
        if (!weights.value.empty()) addMatrix(Value, layer, {weights.value});
    }
    addVector(QueryBias, layer, interleaved(weights.queryBias));
    addVector(KeyBias, layer, interleaved(weights.keyBias));
    addVector(ValueBias, layer, weights.valueBias);
    addHeadNorms(QueryNorm, layer, weights.queryNorm);
    addHeadNorms(KeyNorm, layer, weights.keyNorm);
    addMatrix(AttentionOutput, layer, {weights.output});
    addVector(OutputBias, layer, weights.outputBias);
    if (spec_.sinks) {
        const auto first = spec_.sinkScores.begin() + std::ptrdiff_t{layer} * spec_.heads;
        addVector(Sinks, layer, std::vector<float>(first, first + spec_.heads));
    }
    addVector(PostAttentionNorm, layer, weights.postAttentionNorm);
}

void Planner::addExpertBiases(TensorRole role, int layer, const LayerWeights& weights,
                              std::vector<float> FeedForwardWeights::*bias) {
    std::vector<float> all;
    for (const FeedForwardWeights& expert : weights.experts)
        all.insert(all.end(), (expert.*bias).begin(), (expert.*bias).end());
    if (all.empty()) return;
    const std::uint64_t count = weights.experts.size();
    const std::uint64_t length = all.size() / count;
    addVector(role, layer, all);
    jobs_.back().plan.shape = {count, length};
}

void Planner::addExpertMatrices(const LayerWeights& weights, int layer) {
    std::vector<WeightMatrix> gates;
    std::vector<WeightMatrix> ups;
    std::vector<WeightMatrix> downs;
    for (const FeedForwardWeights& expert : weights.experts) {
        gates.push_back(expert.gate);
        ups.push_back(expert.up);
        downs.push_back(expert.down);
    }
    if (spec_.experts.parallelToDense) {  // readers of these files expect one tensor for both
        std::vector<WeightMatrix> both;
        for (std::size_t i = 0; i < gates.size(); ++i) {
            both.push_back(std::move(gates[i]));
            both.push_back(std::move(ups[i]));
        }
        addExperts(AllExpertGateUps, layer, std::move(both));
    } else {
        addExperts(AllExpertGates, layer, std::move(gates));
        addExperts(AllExpertUps, layer, std::move(ups));
    }
    addExperts(AllExpertDowns, layer, std::move(downs));
}

void Planner::addMixture(const LayerWeights& weights, int layer) {
    addFloatMatrix(Router, layer, weights.router);
    std::vector<float> routerScale = weights.routerScale;
    const float root = std::sqrt(static_cast<float>(spec_.hidden));
    for (float& gain : routerScale) gain *= root;
    addVector(RouterScale, layer, routerScale);
    addVector(ExpertScale, layer, weights.expertScale);
    addVector(PostDenseNorm, layer, weights.postDenseNorm);
    addVector(ExpertNorm, layer, weights.expertNorm);
    addVector(PostExpertNorm, layer, weights.postExpertNorm);
    addVector(RouterBias, layer, weights.routerBias);
    addVector(SelectionBias, layer, weights.selectionBias);
    addExpertBiases(AllExpertGateBiases, layer, weights, &FeedForwardWeights::gateBias);
    addExpertBiases(AllExpertUpBiases, layer, weights, &FeedForwardWeights::upBias);
    addExpertBiases(AllExpertDownBiases, layer, weights, &FeedForwardWeights::downBias);
    addExpertMatrices(weights, layer);
    if (weights.sharedExpert.gate.empty()) return;
    addMatrix(SharedGate, layer, {weights.sharedExpert.gate});
    addMatrix(SharedUp, layer, {weights.sharedExpert.up});
    addMatrix(SharedDown, layer, {weights.sharedExpert.down});
    if (!weights.sharedExpertGate.empty())
        addFloatMatrix(SharedExpertGate, layer, weights.sharedExpertGate);
}

void Planner::addDense(const LayerWeights& weights, int layer) {
    if (names_.architecture().fused) {
        addMatrix(GateUp, layer, {weights.gate, weights.up});
    } else {
        if (!weights.gate.empty()) addMatrix(Gate, layer, {weights.gate});
        addMatrix(Up, layer, {weights.up});
    }
    addMatrix(Down, layer, {weights.down});
    addVector(GateBias, layer, weights.gateBias);
    addVector(UpBias, layer, weights.upBias);
    addVector(DownBias, layer, weights.downBias);
}

void Planner::addFeedForward(const LayerWeights& weights, int layer) {
    addVector(FeedForwardNorm, layer, weights.feedForwardNorm);
    addVector(FeedForwardNormBias, layer, weights.feedForwardNormBias);
    if (!weights.down.empty()) addDense(weights, layer);
    if (spec_.layer(layer).experts) addMixture(weights, layer);
    addVector(PostFeedForwardNorm, layer, weights.postFeedForwardNorm);
}

void Planner::addLayerEmbedding(const LayerWeights& weights, int layer) {
    if (names_.architecture().layerOutputScale)
        addVector(LayerOutputScale, layer, {weights.outputScale});
    if (weights.layerGate.empty()) return;
    addMatrix(LayerGate, layer, {weights.layerGate});
    addMatrix(LayerOutput, layer, {weights.layerOutput});
    addVector(PostLayerNorm, layer, weights.postLayerNorm);
}

void Planner::addLayerEmbeddings(const Weights& weights) {
    if (weights.layerEmbedding.empty()) return;
    addMatrix(LayerEmbedding, 0, {weights.layerEmbedding});
    addMatrix(LayerProjection, 0, {weights.layerProjection});
    addVector(LayerProjectionNorm, 0, weights.layerProjectionNorm);
}

std::vector<ConvertJob> Planner::plan(const Weights& weights) {
    addRopeFactors();
    addMatrix(Embedding, 0, {weights.embedding});
    addLayerEmbeddings(weights);
    for (int layer = 0; layer < spec_.layers; ++layer) {
        addAttention(weights.layers[static_cast<std::size_t>(layer)], layer);
        addFeedForward(weights.layers[static_cast<std::size_t>(layer)], layer);
        addLayerEmbedding(weights.layers[static_cast<std::size_t>(layer)], layer);
    }
    addVector(FinalNorm, 0, weights.finalNorm);
    addVector(FinalNormBias, 0, weights.finalNormBias);
    if (!spec_.tiedEmbeddings) addMatrix(Output, 0, {weights.output});
    addVector(LogitBias, 0, weights.logitBias);
    return std::move(jobs_);
}

tl::unexpected<Error> noKeyFor(std::string_view what) {
    return fail(ErrorCode::Unsupported,
                format("{} cannot be written: GGUF files have no key for it", what));
}

/// True if readers of a GGUF file assume that a layer rotates.
bool rotatesByRule(const ModelSpec& spec, const Architecture& architecture, int layer) {
    const LayerSpec rules = spec.layer(layer);
    if (architecture.positionSwitch) return spec.layer(0).rotary;  // stated by a key
    if (architecture.fullLayers == FullLayers::Unrotated ||
        (architecture.fullLayers == FullLayers::UnrotatedWithWindows && spec.window != 0))
        return rules.sliding;
    return architecture.noRotaryEvery == 0 || (layer + 1) % architecture.noRotaryEvery != 0;
}

/// Refuses values that differ from those that readers assume for llama4, since files have no keys
/// for them.
Status checkChunksConvertible(const ModelSpec& spec, const Architecture& architecture) {
    if (!architecture.chunked) return {};
    const QueryTemperature& usual = *architecture.unrotatedTemperature;
    if (spec.window != architecture.defaults.window || spec.temperature.scale != usual.scale ||
        spec.temperature.length != usual.length)
        return noKeyFor(
            "an attention chunk size or a query temperature other than that of the published "
            "models");
    if (spec.qkNorm != architecture.qkNorm) return noKeyFor("a model without query and key norms");
    return {};
}

/// The same check for the experts and their layers.
Status checkExpertsConvertible(const ModelSpec& spec, const Architecture& architecture) {
    constexpr float kUsualJitter = 0.01F;
    if (spec.experts.scoring == ExpertScoring::SparseMixer && spec.experts.jitter != kUsualJitter)
        return noKeyFor("a router jitter other than 0.01");
    if (spec.activation == Activation::SwigluClamped && spec.swiglu != ClampedSwiglu())
        return noKeyFor("an activation clamp other than that of the published models");
    if (spec.experts.count > 0 && architecture.expertLayers != ExpertLayers::EveryNth &&
        !expertLayersOf(spec))
        return noKeyFor("the list of expert layers");
    return checkChunksConvertible(spec, architecture);
}

/// Refuses head sizes that differ within a kind of layer, and values that only some of the full
/// layers have.
Status checkSizesConvertible(const ModelSpec& spec) {
    std::optional<bool> keysAsValues;
    for (int i = 0; i < spec.layers; ++i) {
        const LayerSpec layer = spec.layer(i);
        if (layer.headDim != spec.headDimOf(layer.sliding))
            return noKeyFor("a head size of a single layer");
        if (layer.sliding || layer.readsCacheOf) continue;
        if (keysAsValues.value_or(layer.keysAsValues) != layer.keysAsValues)
            return noKeyFor("the list of layers whose keys are their values");
        keysAsValues = layer.keysAsValues;
    }
    if (spec.localRope && !spec.localRope->frequencyFactors.empty())
        return noKeyFor("a proportional rotary embedding of sliding layers");
    return {};
}

/// Refuses by name properties without a GGUF key. Errors: Unsupported.
Status checkConvertible(const ModelSpec& spec) {
    if (spec.recurrent.any())
        return fail(
            ErrorCode::Unsupported,
            format("{} models are not converted: their recurrent layers have another layout "
                   "in GGUF files; use a GGUF file of the model",
                   spec.architecture));
    if (spec.latent)
        return fail(ErrorCode::Unsupported,
                    format("{} models are not converted: the matrices of their latent attention "
                           "have another layout in GGUF files; use a GGUF file of the model",
                           spec.architecture));
    const Architecture& architecture = architectureOf(spec);
    if (spec.rope.scaling == RopeSpec::Scaling::Dynamic)
        return noKeyFor("the dynamic scaling of the rotary embedding");
    if (spec.rope.scaling == RopeSpec::Scaling::Yarn &&
        spec.rope.truncate != architecture.yarnTruncates)
        return noKeyFor(format("a YaRN scaling that is {}rounded to whole pairs",
                               spec.rope.truncate ? "" : "not "));
    if (spec.localRope && (spec.localRope->scaling != RopeSpec::Scaling::None ||
                           (spec.localRope->dim != spec.rope.dim && !architecture.layerSizes)))
        return noKeyFor("a scaling of the sliding layers' rotary embedding");
    if (spec.rope.dim != spec.headDim && interleavesForGguf(architecture))
        return noKeyFor(format("a rotation of part of a head in {} models", spec.architecture));
    if (spec.activation != architecture.activation)
        return noKeyFor(format("another activation than that of {} models", spec.architecture));
    LACUNA_TRY_STATUS(checkExpertsConvertible(spec, architecture));
    LACUNA_TRY_STATUS(checkSizesConvertible(spec));
    if (!architecture.unrotatedTemperature && spec.temperature.scale != 0.0F &&
        spec.rope.originalContext != spec.temperature.length)
        return noKeyFor("a temperature by another length than the rotary embedding's");
    for (int i = 0; i < spec.layers; ++i)
        if (spec.layer(i).rotary != rotatesByRule(spec, architecture, i))
            return noKeyFor("the list of layers that do not rotate");
    return {};
}

/// Plans all tensors: matrices as `type`, or as F16 if their rows are not full blocks; norms,
/// biases and routers as F32. The views of `weights` live as long as the source.
std::vector<ConvertJob> planConversion(const ModelSpec& spec, const Weights& weights, DType type) {
    return Planner(spec, type).plan(weights);
}

constexpr std::size_t kBatchBytes = std::size_t{4} << 20;

/// Returns the row of the source that becomes row `row`.
std::int64_t sourceRow(const ConvertJob& job, std::int64_t row) {
    if (job.permutedHead == 0) return row;
    const std::int64_t head = job.permutedHead;
    const std::int64_t within = row % head;
    return row - within + within % 2 * (head / 2) + within / 2;
}

/// Encodes and writes the rows of one job in batches.
class JobWriter {
  public:
    JobWriter(GgufWriter& writer, const ConvertJob& job) : writer_(writer), job_(job) {}

    [[nodiscard]] Status run(const std::stop_token& stop) {
        if (job_.pieces.empty()) return writer_.append(std::as_bytes(std::span(job_.values)));
        for (const WeightMatrix& piece : job_.pieces) LACUNA_TRY_STATUS(writePiece(piece, stop));
        return {};
    }

  private:
    [[nodiscard]] Status writePiece(const WeightMatrix& piece, const std::stop_token& stop) {
        const auto columns = static_cast<std::size_t>(piece.columns);
        const std::size_t bytesOfRow = static_cast<std::size_t>(rowBytes(job_.plan.type, columns));
        const std::size_t batch = std::max<std::size_t>(1, kBatchBytes / bytesOfRow);
        std::vector<float> row(columns);
        std::vector<std::byte> encoded;
        for (std::int64_t at = 0; at < piece.rows; ++at) {
            LACUNA_TRY_STATUS(readRow(piece, sourceRow(job_, at), row));
            encoded.resize(encoded.size() + bytesOfRow);
            encodeRow(job_.plan.type, row, encoded.data() + encoded.size() - bytesOfRow);
            if (encoded.size() < batch * bytesOfRow && at + 1 < piece.rows) continue;
            if (stop.stop_requested())
                return fail(ErrorCode::Cancelled, "the conversion was cancelled");
            LACUNA_TRY_STATUS(writer_.append(encoded));
            encoded.clear();
        }
        return {};
    }
    [[nodiscard]] Status readRow(const WeightMatrix& piece, std::int64_t index,
                                 std::vector<float>& row) const {
        const std::uint64_t stride = rowBytes(piece.type, row.size());
        decodeRow(piece.type, piece.data + static_cast<std::uint64_t>(index) * stride, row);
        for (float& value : row) value *= piece.scale;
        return checkRange(piece, row);
    }
    /// F16 and the scale of Q8_0 end at 65504; larger numbers would silently become infinite.
    [[nodiscard]] Status checkRange(const WeightMatrix& piece,
                                    const std::vector<float>& row) const {
        const float limit = job_.plan.type == DType::F16    ? 65504.0F
                            : job_.plan.type == DType::Q8_0 ? 65504.0F * 127.0F
                                                            : INFINITY;
        for (const float value : row)
            if (!(std::fabs(value) <= limit))
                return fail(ErrorCode::ModelNonFinite,
                            format("tensor {} holds {}, which does not fit {}; choose bf16 or f32",
                                   printable(piece.name), static_cast<double>(value),
                                   info(job_.plan.type).name));
        return {};
    }

    GgufWriter& writer_;
    const ConvertJob& job_;
};

std::vector<GgufPlan> plansOf(const std::vector<ConvertJob>& jobs) {
    std::vector<GgufPlan> plans;
    for (const ConvertJob& job : jobs) plans.push_back(job.plan);
    return plans;
}

Result<ConvertReport> writeAll(GgufWriter writer, const TensorSource& source,
                               const std::vector<ConvertJob>& jobs, const ConvertOptions& options) {
    std::uint64_t total = 0;
    ConvertReport report;
    for (const ConvertJob& job : jobs) {
        total += job.plan.bytes();
        if (job.plan.type == DType::F16 && options.type != DType::F16) ++report.keptWider;
    }
    report.tensors = jobs.size();
    std::uint64_t done = 0;
    for (const ConvertJob& job : jobs) {
        LACUNA_TRY_STATUS(JobWriter(writer, job).run(options.stop));
        done += job.plan.bytes();
        if (options.progress)
            options.progress(static_cast<double>(done) / static_cast<double>(total));
    }
    LACUNA_TRY_STATUS(source.checkUnchanged());
    LACUNA_TRY_STATUS(writer.commit());
    report.bytes = writer.bytesWritten();
    return report;
}

Result<ConvertReport> convertOpened(const ModelContainer& model,
                                    const std::filesystem::path& target,
                                    const ConvertOptions& options) {
    LACUNA_TRY_STATUS(checkConvertible(model.spec));
    // Loading the weights checks every shape before anything is written.
    LACUNA_TRY(const Weights weights,
               loadWeights(model.spec, model.source(), model.kind, options.stop));
    LACUNA_TRY(const GgufMetadata metadata, metadataForGguf(model, options));
    const std::vector<ConvertJob> jobs = planConversion(model.spec, weights, options.type);
    LACUNA_TRY(GgufWriter writer, GgufWriter::create(target, metadata, plansOf(jobs)));
    return writeAll(std::move(writer), model.source(), jobs, options);
}

}  // namespace

Result<ConvertReport> convertToGguf(const std::filesystem::path& folder,
                                    const std::filesystem::path& target,
                                    const ConvertOptions& options) {
    if (!isModelFolder(folder))
        return fail(
            ErrorCode::InvalidArgument,
            format("{} is not a model folder; expected one with config.json and safetensors",
                   printableName(folder)));
    LACUNA_TRY_STATUS(checkNotAmong(target, modelFiles(folder)));
    LACUNA_TRY(const ModelContainer model, openModel(folder));
    return orChanged(convertOpened(model, target, options), model.source());
}

}  // namespace lacuna
