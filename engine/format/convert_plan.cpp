#include "engine/format/convert_plan.h"

#include <algorithm>
#include <utility>

#include "engine/base/check.h"
#include "engine/base/string_format.h"
#include "engine/format/architectures.h"
#include "engine/format/convert_metadata.h"
#include "engine/format/tensor_names.h"
#include "engine/tensor/block_formats.h"

// Readers of some architectures (llama, granite, smollm3) rotate neighbours (2i, 2i+1), while
// Hugging Face rotates halves (i, i + dim/2); so the rows of Q and K of every head are interleaved
// there. All others keep their rows.

namespace lacuna {
namespace {

using enum TensorRole;

/// The row of every architecture that passed ModelSpec::check().
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
    void addMatrix(TensorRole role, int layer, std::vector<WeightMatrix> pieces);
    void addExperts(TensorRole role, int layer, std::vector<WeightMatrix> pieces);
    void addFloatMatrix(TensorRole role, int layer, const WeightMatrix& matrix);
    void addRopeFactors();
    void addAttention(const LayerWeights& weights, int layer);
    void addFeedForward(const LayerWeights& weights, int layer);
    void addMixture(const LayerWeights& weights, int layer);
    [[nodiscard]] std::vector<float> interleaved(const std::vector<float>& bias) const;
    [[nodiscard]] bool interleaves() const {
        return names_.architecture().ggufPairing == RopePairing::Interleaved;
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

void Planner::addMatrix(TensorRole role, int layer, std::vector<WeightMatrix> pieces) {
    std::uint64_t rows = 0;
    for (const WeightMatrix& piece : pieces) rows += static_cast<std::uint64_t>(piece.rows);
    const auto columns = static_cast<std::uint64_t>(pieces.front().columns);
    ConvertJob job;
    // Rows must be whole blocks; those that are not keep 16 bits.
    const DType stored = columns % info(type_).blockLength == 0 ? type_ : DType::F16;
    job.plan = {names_.first(role, layer), stored, {rows, columns}};
    job.pieces = std::move(pieces);
    if (interleaves() && (role == Query || role == Key)) job.permutedHead = spec_.headDim;
    jobs_.push_back(std::move(job));
}

void Planner::addExperts(TensorRole role, int layer, std::vector<WeightMatrix> pieces) {
    const std::uint64_t count = pieces.size();
    addMatrix(role, layer, std::move(pieces));
    std::vector<std::uint64_t>& shape = jobs_.back().plan.shape;
    shape = {count, shape[0] / count, shape[1]};
}

/// Routers stay F32: readers choose experts by small differences.
void Planner::addFloatMatrix(TensorRole role, int layer, const WeightMatrix& matrix) {
    addMatrix(role, layer, {matrix});
    jobs_.back().plan.type = DType::F32;
    if (matrix.rows == 1) jobs_.back().plan.shape = {static_cast<std::uint64_t>(matrix.columns)};
}

void Planner::addRopeFactors() {
    if (spec_.rope.scaling == RopeSpec::Scaling::Llama3)
        addVector(RopeFactors, 0, llama3Factors(spec_.rope));
    addVector(RopeLongFactors, 0, spec_.rope.longFactors);
    addVector(RopeShortFactors, 0, spec_.rope.shortFactors);
}

/// Entry (head, pair, side) of halves becomes (head, side, pair).
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
    if (names_.architecture().fused) {
        addMatrix(QueryKeyValue, layer, {weights.query, weights.key, weights.value});
    } else {
        addMatrix(Query, layer, {weights.query});
        addMatrix(Key, layer, {weights.key});
        addMatrix(Value, layer, {weights.value});
    }
    addVector(QueryBias, layer, interleaved(weights.queryBias));
    addVector(KeyBias, layer, interleaved(weights.keyBias));
    addVector(ValueBias, layer, weights.valueBias);
    addVector(QueryNorm, layer, weights.queryNorm);
    addVector(KeyNorm, layer, weights.keyNorm);
    addMatrix(AttentionOutput, layer, {weights.output});
    addVector(OutputBias, layer, weights.outputBias);
    addVector(PostAttentionNorm, layer, weights.postAttentionNorm);
}

void Planner::addMixture(const LayerWeights& weights, int layer) {
    std::vector<WeightMatrix> gates;
    std::vector<WeightMatrix> ups;
    std::vector<WeightMatrix> downs;
    for (const FeedForwardWeights& expert : weights.experts) {
        gates.push_back(expert.gate);
        ups.push_back(expert.up);
        downs.push_back(expert.down);
    }
    addFloatMatrix(Router, layer, weights.router);
    addExperts(AllExpertGates, layer, std::move(gates));
    addExperts(AllExpertUps, layer, std::move(ups));
    addExperts(AllExpertDowns, layer, std::move(downs));
    if (weights.sharedExpert.gate.empty()) return;
    addMatrix(SharedGate, layer, {weights.sharedExpert.gate});
    addMatrix(SharedUp, layer, {weights.sharedExpert.up});
    addMatrix(SharedDown, layer, {weights.sharedExpert.down});
    addFloatMatrix(SharedExpertGate, layer, weights.sharedExpertGate);
}

void Planner::addFeedForward(const LayerWeights& weights, int layer) {
    addVector(FeedForwardNorm, layer, weights.feedForwardNorm);
    if (spec_.layer(layer).experts) {
        addMixture(weights, layer);
    } else {
        if (names_.architecture().fused) {
            addMatrix(GateUp, layer, {weights.gate, weights.up});
        } else {
            addMatrix(Gate, layer, {weights.gate});
            addMatrix(Up, layer, {weights.up});
        }
        addMatrix(Down, layer, {weights.down});
        addVector(GateBias, layer, weights.gateBias);
        addVector(UpBias, layer, weights.upBias);
        addVector(DownBias, layer, weights.downBias);
    }
    addVector(PostFeedForwardNorm, layer, weights.postFeedForwardNorm);
}

std::vector<ConvertJob> Planner::plan(const Weights& weights) {
    addRopeFactors();
    addMatrix(Embedding, 0, {weights.embedding});
    for (int layer = 0; layer < spec_.layers; ++layer) {
        addAttention(weights.layers[static_cast<std::size_t>(layer)], layer);
        addFeedForward(weights.layers[static_cast<std::size_t>(layer)], layer);
    }
    addVector(FinalNorm, 0, weights.finalNorm);
    if (!spec_.tiedEmbeddings) addMatrix(Output, 0, {weights.output});
    return std::move(jobs_);
}

tl::unexpected<Error> noKeyFor(std::string_view what) {
    return fail(ErrorCode::Unsupported,
                format("{} can not be written: GGUF files have no key for it", what));
}

}  // namespace

Status checkConvertible(const ModelSpec& spec) {
    const Architecture& architecture = architectureOf(spec);
    if (spec.rope.scaling == RopeSpec::Scaling::Dynamic)
        return noKeyFor("the dynamic scaling of the rotary embedding");
    if (spec.rope.scaling == RopeSpec::Scaling::Yarn && !spec.rope.truncate)
        return noKeyFor("a YaRN scaling that is not rounded to whole pairs");
    if (spec.localRope && (spec.localRope->scaling != RopeSpec::Scaling::None ||
                           spec.localRope->dim != spec.rope.dim))
        return noKeyFor("a scaling of the sliding layers' rotary embedding");
    if (spec.rope.dim != spec.headDim && architecture.ggufPairing == RopePairing::Interleaved)
        return noKeyFor(format("a rotation of part of a head in {} models", spec.architecture));
    if (spec.activation != architecture.activation)
        return noKeyFor(format("another activation than that of {} models", spec.architecture));
    for (int i = 0; i < spec.layers; ++i) {
        const int every = architecture.noRotaryEvery;
        if (spec.layer(i).rotary != (every == 0 || (i + 1) % every != 0))
            return noKeyFor("the list of layers that do not rotate");
    }
    return {};
}

std::vector<ConvertJob> planConversion(const ModelSpec& spec, const Weights& weights, DType type) {
    return Planner(spec, type).plan(weights);
}

}  // namespace lacuna
