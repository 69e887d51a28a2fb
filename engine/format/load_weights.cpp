#include "engine/format/load_weights.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "engine/base/hash.h"
#include "engine/base/string_format.h"
#include "engine/format/architectures.h"
#include "engine/format/printable.h"
#include "engine/tensor/block_formats.h"

namespace lacuna {
namespace {

constexpr std::uint64_t kHashedEdge =
    4096;  // bytes at each end of a tensor that enter the fingerprint

std::string shapeText(std::span<const std::uint64_t> shape) {
    return format("[{}]", fmt::join(shape, ", "));
}

/// Finds tensors by role and checks them against the shape that the spec asks for.
class WeightFinder {
  public:
    WeightFinder(const ModelSpec& spec, const TensorSource& source, Container container)
        : spec_(spec), source_(source), container_(container) {}

    [[nodiscard]] Result<WeightMatrix> matrix(TensorRole role, int layer, std::int64_t rows,
                                              std::int64_t columns) const;
    [[nodiscard]] Result<std::vector<float>> vector(TensorRole role, int layer,
                                                    std::int64_t length) const;
    [[nodiscard]] Result<LayerWeights> layer(int index) const;
    [[nodiscard]] Result<Weights> all(const std::stop_token& stop) const;

  private:
    [[nodiscard]] Result<const TensorInfo*> find(TensorRole role, int layer) const;
    [[nodiscard]] Status attention(LayerWeights& weights, int index) const;

    const ModelSpec& spec_;
    const TensorSource& source_;
    const Container container_;
};

Result<const TensorInfo*> WeightFinder::find(TensorRole role, int layer) const {
    const std::string name = tensorName(container_, role, layer);
    const TensorInfo* tensor = source_.find(name);
    if (tensor == nullptr)
        return fail(ErrorCode::ModelMissingTensor, format("the tensor {} is missing", name));
    return tensor;
}

Result<WeightMatrix> WeightFinder::matrix(TensorRole role, int layer, std::int64_t rows,
                                          std::int64_t columns) const {
    LACUNA_TRY(const TensorInfo* tensor, find(role, layer));
    const std::vector<std::uint64_t> wanted{static_cast<std::uint64_t>(rows),
                                            static_cast<std::uint64_t>(columns)};
    const bool vocabulary = role == TensorRole::Embedding || role == TensorRole::Output;
    if (vocabulary && tensor->shape.size() == 2 && tensor->shape[1] == wanted[1] &&
        tensor->shape[0] != wanted[0])
        return fail(ErrorCode::ModelVocab,
                    format("the tensor {} has rows for {} tokens; the model says {}", tensor->name,
                           tensor->shape[0], spec_.vocabulary));
    if (tensor->shape != wanted)
        return fail(ErrorCode::ModelShape,
                    format("the tensor {} has shape {}; {} expected", tensor->name,
                           shapeText(tensor->shape), shapeText(wanted)));
    return WeightMatrix{tensor->type, rows, columns, tensor->data, tensor->name};
}

Result<std::vector<float>> WeightFinder::vector(TensorRole role, int layer,
                                                std::int64_t length) const {
    LACUNA_TRY(const TensorInfo* tensor, find(role, layer));
    const std::vector<std::uint64_t> wanted{static_cast<std::uint64_t>(length)};
    if (tensor->shape != wanted)
        return fail(ErrorCode::ModelShape,
                    format("the tensor {} has shape {}; {} expected", tensor->name,
                           shapeText(tensor->shape), shapeText(wanted)));
    if (info(tensor->type).blockLength != 1)
        return fail(ErrorCode::ModelTypeUse,
                    format("the tensor {} has type {}; norms and biases must be F32, F16 or BF16",
                           tensor->name, info(tensor->type).name));
    std::vector<float> values(static_cast<std::size_t>(length));
    decodeRow(tensor->type, tensor->data, values);
    return values;
}

Status WeightFinder::attention(LayerWeights& weights, int index) const {
    const std::int64_t queries = std::int64_t{spec_.heads} * spec_.headDim;
    const std::int64_t keys = std::int64_t{spec_.kvHeads} * spec_.headDim;
    LACUNA_TRY(weights.query, matrix(TensorRole::Query, index, queries, spec_.hidden));
    LACUNA_TRY(weights.key, matrix(TensorRole::Key, index, keys, spec_.hidden));
    LACUNA_TRY(weights.value, matrix(TensorRole::Value, index, keys, spec_.hidden));
    LACUNA_TRY(weights.output, matrix(TensorRole::AttentionOutput, index, spec_.hidden, queries));
    if (spec_.qkvBias) {
        LACUNA_TRY(weights.queryBias, vector(TensorRole::QueryBias, index, queries));
        LACUNA_TRY(weights.keyBias, vector(TensorRole::KeyBias, index, keys));
        LACUNA_TRY(weights.valueBias, vector(TensorRole::ValueBias, index, keys));
    }
    if (spec_.qkNorm != QkNorm::None) {
        LACUNA_TRY(weights.queryNorm, vector(TensorRole::QueryNorm, index, spec_.headDim));
        LACUNA_TRY(weights.keyNorm, vector(TensorRole::KeyNorm, index, spec_.headDim));
    }
    return {};
}

Result<LayerWeights> WeightFinder::layer(int index) const {
    LayerWeights weights;
    LACUNA_TRY(weights.attentionNorm, vector(TensorRole::AttentionNorm, index, spec_.hidden));
    LACUNA_TRY_STATUS(attention(weights, index));
    LACUNA_TRY(weights.feedForwardNorm, vector(TensorRole::FeedForwardNorm, index, spec_.hidden));
    LACUNA_TRY(weights.gate, matrix(TensorRole::Gate, index, spec_.feedForward, spec_.hidden));
    LACUNA_TRY(weights.up, matrix(TensorRole::Up, index, spec_.feedForward, spec_.hidden));
    LACUNA_TRY(weights.down, matrix(TensorRole::Down, index, spec_.hidden, spec_.feedForward));
    return weights;
}

Result<Weights> WeightFinder::all(const std::stop_token& stop) const {
    Weights weights;
    LACUNA_TRY(weights.embedding, matrix(TensorRole::Embedding, 0, spec_.vocabulary, spec_.hidden));
    for (int index = 0; index < spec_.layers; ++index) {
        if (stop.stop_requested()) return fail(ErrorCode::Cancelled, "loading was cancelled");
        LACUNA_TRY(LayerWeights layerWeights, layer(index));
        weights.layers.push_back(std::move(layerWeights));
    }
    LACUNA_TRY(weights.finalNorm, vector(TensorRole::FinalNorm, 0, spec_.hidden));
    weights.output = weights.embedding;
    if (!spec_.tiedEmbeddings) {
        LACUNA_TRY(weights.output, matrix(TensorRole::Output, 0, spec_.vocabulary, spec_.hidden));
    }
    return weights;
}

/// True when the architecture computes with tensors of this role.
bool usesRole(const Architecture& architecture, TensorRole role) {
    switch (role) {
        case TensorRole::QueryBias:
        case TensorRole::KeyBias:
        case TensorRole::ValueBias:
            return architecture.qkvBias == Presence::Always;
        case TensorRole::QueryNorm:
        case TensorRole::KeyNorm:
            return architecture.qkNorm == Presence::Always;
        case TensorRole::Embedding:
        case TensorRole::Output:
        case TensorRole::FinalNorm:
        case TensorRole::RopeFactors:
        case TensorRole::AttentionNorm:
        case TensorRole::Query:
        case TensorRole::Key:
        case TensorRole::Value:
        case TensorRole::AttentionOutput:
        case TensorRole::FeedForwardNorm:
        case TensorRole::Gate:
        case TensorRole::Up:
        case TensorRole::Down:
            return true;
    }
    return false;
}

/// Refuses tensors that would be ignored, and layer counts that differ from the tensors'.
Status checkTensorSet(const ModelSpec& spec, const TensorSource& source, Container container) {
    LACUNA_TRY(const Architecture* architecture, findArchitecture(spec.architecture));
    std::set<int> layers;
    for (const TensorInfo& tensor : source.tensors()) {
        if (isIgnorableTensor(tensor.name)) continue;
        const auto named = roleOfTensor(container, tensor.name);
        if (!named || !usesRole(*architecture, named->role))
            return fail(ErrorCode::Unsupported,
                        format("the tensor {} has no place in a {} model as computed here",
                               printable(tensor.name), spec.architecture));
        if (named->layer) layers.insert(*named->layer);
    }
    const int highest = layers.empty() ? -1 : *layers.rbegin();
    if (layers.size() == static_cast<std::size_t>(spec.layers) && highest == spec.layers - 1)
        return {};
    return fail(ErrorCode::ModelBadLayers,
                format("the model says {} layers; tensors of {} layers are there, up to number {}",
                       spec.layers, layers.size(), highest));
}

/// Type of most matrix bytes.
std::string commonestType(const TensorSource& source) {
    std::map<DType, std::uint64_t> bytes;
    for (const TensorInfo& tensor : source.tensors())
        if (tensor.shape.size() > 1) bytes[tensor.type] += tensor.bytes;
    const auto larger = [](const auto& a, const auto& b) { return a.second < b.second; };
    const auto most = std::ranges::max_element(bytes, larger);
    return most == bytes.end() ? std::string("F32") : std::string(info(most->first).name);
}

std::string fingerprint(const TensorSource& source, std::span<const std::byte> metadata) {
    std::string text = format("{:016x}\n", hash64(metadata));
    for (const TensorInfo& tensor : source.tensors()) {
        const std::span<const std::byte> data(tensor.data, static_cast<std::size_t>(tensor.bytes));
        const std::size_t edge = static_cast<std::size_t>(std::min(tensor.bytes, kHashedEdge));
        text += format("{} {} {} {:016x} {:016x}\n", tensor.name, info(tensor.type).name,
                       shapeText(tensor.shape), hash64(data.first(edge)), hash64(data.last(edge)));
    }
    return hashHex(std::as_bytes(std::span(text.data(), text.size())));
}

Result<std::vector<float>> frequencyFactors(const TensorSource& source, Container container,
                                            int ropeDim) {
    const std::string name = tensorName(container, TensorRole::RopeFactors);
    const TensorInfo* tensor = name.empty() ? nullptr : source.find(name);
    if (tensor == nullptr) return std::vector<float>();
    const std::vector<std::uint64_t> wanted{static_cast<std::uint64_t>(ropeDim / 2)};
    if (tensor->shape != wanted || tensor->type != DType::F32)
        return fail(ErrorCode::ModelBadRope,
                    format("the tensor {} is {} {}; F32 {} expected", name, info(tensor->type).name,
                           shapeText(tensor->shape), shapeText(wanted)));
    std::vector<float> factors(wanted.front());
    decodeRow(DType::F32, tensor->data, factors);
    return factors;
}

}  // namespace

Result<ModelSpec> withTensorFacts(ModelSpec spec, const TensorSource& source, Container container,
                                  std::span<const std::byte> metadata) {
    LACUNA_TRY_STATUS(checkTensorSet(spec, source, container));
    LACUNA_TRY(const Architecture* architecture, findArchitecture(spec.architecture));
    spec.qkvBias = architecture->qkvBias == Presence::Always;
    spec.qkNorm = architecture->qkNorm == Presence::Always ? QkNorm::PerHead : QkNorm::None;
    // GGUF has no key for tied embeddings: they are tied when there is no output matrix. A Hugging
    // Face configuration says it, and some checkpoints store the tied matrix a second time.
    if (container == Container::Gguf)
        spec.tiedEmbeddings = source.find(tensorName(container, TensorRole::Output)) == nullptr;
    LACUNA_TRY(spec.rope.frequencyFactors, frequencyFactors(source, container, spec.rope.dim));
    spec.fileType = commonestType(source);
    for (const TensorInfo& tensor : source.tensors()) {
        const auto named = roleOfTensor(container, tensor.name);
        if (named && named->role == TensorRole::Output && spec.tiedEmbeddings) continue;
        std::uint64_t elements = 1;
        for (const std::uint64_t extent : tensor.shape) elements *= extent;
        if (named && named->role != TensorRole::RopeFactors) spec.parameters += elements;
        spec.weightBytes += tensor.bytes;
    }
    spec.fingerprint = fingerprint(source, metadata);
    LACUNA_TRY_STATUS(spec.check());
    return spec;
}

Result<Weights> loadWeights(const ModelSpec& spec, const TensorSource& source, Container container,
                            const std::stop_token& stop) {
    return WeightFinder(spec, source, container).all(stop);
}

}  // namespace lacuna
