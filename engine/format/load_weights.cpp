#include "engine/format/load_weights.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/string_format.h"
#include "engine/base/thread_start.h"
#include "engine/format/architectures.h"
#include "engine/format/printable.h"
#include "engine/format/rearranged_experts.h"
#include "engine/format/tensor_names.h"
#include "engine/format/tensor_source.h"
#include "engine/format/weights.h"
#include "engine/tensor/block_formats.h"
#include "engine/tensor/row_groups.h"

namespace lacuna {
namespace {

/// Identifies a tensor; `number` matters only for the roles of a single expert or head.
struct WeightKey {
    TensorRole role = TensorRole::Embedding;
    int layer = 0;
    int number = 0;
};

class WeightFinder {
  public:
    WeightFinder(const TensorSource& source, TensorNames names) : source_(source), names_(names) {}
    [[nodiscard]] const TensorNames& names() const { return names_; }

    [[nodiscard]] bool has(const WeightKey& key) const { return lookUp(key) != nullptr; }
    /// Returns the number of dimensions of the tensor; 0 if it does not exist.
    [[nodiscard]] std::size_t dimensions(const WeightKey& key) const {
        const TensorInfo* const tensor = lookUp(key);
        return tensor == nullptr ? 0 : tensor->shape.size();
    }
    /// A tensor [rows, columns]. Errors: ModelMissingTensor, ModelShape; ModelVocab for the
    /// vocabulary's rows.
    [[nodiscard]] Result<WeightMatrix> matrix(const WeightKey& key, std::int64_t rows,
                                              std::int64_t columns);
    /// A tensor [count, rows, columns] as `count` matrices. Errors: ModelMissingTensor, ModelShape.
    [[nodiscard]] Result<std::vector<WeightMatrix>> matrices(const WeightKey& key,
                                                             std::int64_t count, std::int64_t rows,
                                                             std::int64_t columns);
    /// A tensor [columns] or [1, columns] as a matrix of one row.
    [[nodiscard]] Result<WeightMatrix> oneRow(const WeightKey& key, std::int64_t columns);
    /// A tensor [length], decoded; the gain of a norm in its effective form. Errors: as matrix,
    /// ModelTypeUse for quantised ones.
    [[nodiscard]] Result<std::vector<float>> vector(const WeightKey& key, std::int64_t length);
    /// The rows of a tensor [count, length], under the same conditions.
    [[nodiscard]] Result<std::vector<std::vector<float>>> vectors(const WeightKey& key,
                                                                  std::int64_t count,
                                                                  std::int64_t length);
    /// A tensor [count, outputs, columns], or [count, columns, outputs] if it is transposed, that
    /// is copied in another order.
    [[nodiscard]] Result<ExpertStack> stack(const WeightKey& key, std::int64_t count,
                                            std::int64_t outputs, std::int64_t columns,
                                            bool transposed);
    /// Returns Unsupported, naming the first tensor that was not used and is not ignorable. An
    /// output matrix may remain unused if embeddings are tied, and so may draft layers.
    [[nodiscard]] Status checkAllUsed(const ModelSpec& spec) const;

  private:
    [[nodiscard]] const TensorInfo* lookUp(const WeightKey& key) const;
    [[nodiscard]] Result<const TensorInfo*> find(const WeightKey& key);
    [[nodiscard]] Result<const TensorInfo*> shaped(const WeightKey& key,
                                                   const std::vector<std::uint64_t>& shape);
    /// Returns the factors of the decoded numbers of a matrix, or of each of `count` matrices: the
    /// tensor `NAME.scale` [count] beside `NAME.weight`, otherwise ones. Errors: ModelShape,
    /// ModelTypeUse, ModelNonFinite.
    [[nodiscard]] Result<std::vector<float>> scales(const TensorInfo& tensor, std::int64_t count);

    const TensorSource& source_;
    const TensorNames names_;
    std::set<const TensorInfo*> used_;
};

/// True for matrices of all experts that are copied in another order.
bool isRearranged(TensorRole role) {
    return role == TensorRole::AllExpertGateUps || role == TensorRole::AllExpertDowns;
}

std::string shapeText(const std::vector<std::uint64_t>& shape) {
    return format("[{}]", fmt::join(shape, ", "));
}

std::uint64_t extent(std::int64_t value) {
    return static_cast<std::uint64_t>(value);
}

const TensorInfo* WeightFinder::lookUp(const WeightKey& key) const {
    for (const std::string& name : names_.all(key.role, key.layer, key.number))
        if (const TensorInfo* tensor = source_.find(name)) return tensor;
    return nullptr;
}

Result<const TensorInfo*> WeightFinder::find(const WeightKey& key) {
    const TensorInfo* tensor = lookUp(key);
    if (tensor == nullptr)
        return fail(
            ErrorCode::ModelMissingTensor,
            format("the tensor {} is missing", names_.first(key.role, key.layer, key.number)));
    used_.insert(tensor);
    return tensor;
}

Result<const TensorInfo*> WeightFinder::shaped(const WeightKey& key,
                                               const std::vector<std::uint64_t>& shape) {
    LACUNA_TRY(const TensorInfo* tensor, find(key));
    if (tensor->scales != nullptr && !isRearranged(key.role))
        return fail(ErrorCode::ModelTypeUse,
                    format("the tensor {} is MXFP4 with separate scales, which is only supported "
                           "for expert matrices",
                           tensor->name));
    if (tensor->shape == shape) return tensor;
    const bool vocabulary = key.role == TensorRole::Embedding || key.role == TensorRole::Output;
    if (vocabulary && tensor->shape.size() == 2 && tensor->shape[1] == shape[1])
        return fail(ErrorCode::ModelVocab,
                    format("the tensor {} has rows for {} tokens; the model has {}", tensor->name,
                           tensor->shape[0], shape[0]));
    return fail(ErrorCode::ModelShape,
                format("the tensor {} has shape {}; {} expected", tensor->name,
                       shapeText(tensor->shape), shapeText(shape)));
}

Result<std::vector<float>> WeightFinder::scales(const TensorInfo& tensor, std::int64_t count) {
    std::vector<float> values(static_cast<std::size_t>(count), 1.0F);
    constexpr std::string_view kEnd = ".weight";
    std::string_view name = tensor.name;
    if (names_.container() != Container::Gguf || !name.ends_with(kEnd)) return values;
    name.remove_suffix(kEnd.size());
    const TensorInfo* scale = source_.find(format("{}.scale", name));
    if (scale == nullptr) return values;
    used_.insert(scale);
    const std::vector<std::uint64_t> shape{extent(count)};
    if (scale->shape != shape)
        return fail(ErrorCode::ModelShape,
                    format("the tensor {} has shape {}; {} expected", scale->name,
                           shapeText(scale->shape), shapeText(shape)));
    if (!isPlainFloat(scale->type))
        return fail(ErrorCode::ModelTypeUse,
                    format("the tensor {} has type {}; scales must be F32, F16 or BF16",
                           scale->name, info(scale->type).name));
    decodeRow(scale->type, scale->data, values);
    if (!std::ranges::all_of(values, [](float value) { return std::isfinite(value); }))
        return fail(ErrorCode::ModelNonFinite,
                    format("the tensor {} holds a scale that is not a number", scale->name));
    return values;
}

Result<WeightMatrix> WeightFinder::matrix(const WeightKey& key, std::int64_t rows,
                                          std::int64_t columns) {
    LACUNA_TRY(const TensorInfo* tensor, shaped(key, {extent(rows), extent(columns)}));
    LACUNA_TRY(const std::vector<float> scale, scales(*tensor, 1));
    WeightMatrix matrix{tensor->type, rows, columns, tensor->data, tensor->name};
    matrix.scale = scale.front();
    return matrix;
}

Result<std::vector<WeightMatrix>> WeightFinder::matrices(const WeightKey& key, std::int64_t count,
                                                         std::int64_t rows, std::int64_t columns) {
    LACUNA_TRY(const TensorInfo* tensor,
               shaped(key, {extent(count), extent(rows), extent(columns)}));
    const std::uint64_t stride = rowBytes(tensor->type, extent(columns)) * extent(rows);
    LACUNA_TRY(const std::vector<float> scale, scales(*tensor, count));
    std::vector<WeightMatrix> all;
    for (std::int64_t i = 0; i < count; ++i) {
        all.push_back(WeightMatrix{tensor->type, rows, columns, tensor->data + extent(i) * stride,
                                   format("{}[{}]", tensor->name, i)});
        all.back().scale = scale[static_cast<std::size_t>(i)];
    }
    return all;
}

Result<WeightMatrix> WeightFinder::oneRow(const WeightKey& key, std::int64_t columns) {
    const TensorInfo* tensor = lookUp(key);
    if (tensor == nullptr || tensor->shape.size() != 1) return matrix(key, 1, columns);
    LACUNA_TRY(tensor, shaped(key, {extent(columns)}));
    return WeightMatrix{tensor->type, 1, columns, tensor->data, tensor->name};
}

Result<std::vector<float>> WeightFinder::vector(const WeightKey& key, std::int64_t length) {
    LACUNA_TRY(const TensorInfo* tensor, shaped(key, {extent(length)}));
    if (info(tensor->type).blockLength != 1)
        return fail(ErrorCode::ModelTypeUse,
                    format("the tensor {} has type {}; norms and biases must be F32, F16 or BF16",
                           tensor->name, info(tensor->type).name));
    std::vector<float> values(static_cast<std::size_t>(length));
    decodeRow(tensor->type, tensor->data, values);
    const bool offset = names_.container() == Container::HuggingFace && isNormRole(key.role);
    if (offset)
        for (float& value : values) value += names_.architecture().gainOffset;
    return values;
}

Result<std::vector<std::vector<float>>> WeightFinder::vectors(const WeightKey& key,
                                                              std::int64_t count,
                                                              std::int64_t length) {
    LACUNA_TRY(const TensorInfo* tensor, shaped(key, {extent(count), extent(length)}));
    if (info(tensor->type).blockLength != 1)
        return fail(ErrorCode::ModelTypeUse,
                    format("the tensor {} has type {}; norms and biases must be F32, F16 or BF16",
                           tensor->name, info(tensor->type).name));
    const std::uint64_t stride = rowBytes(tensor->type, extent(length));
    std::vector<std::vector<float>> rows(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < rows.size(); ++i) {
        rows[i].resize(static_cast<std::size_t>(length));
        decodeRow(tensor->type, tensor->data + i * stride, rows[i]);
    }
    return rows;
}

Result<ExpertStack> WeightFinder::stack(const WeightKey& key, std::int64_t count,
                                        std::int64_t outputs, std::int64_t columns,
                                        bool transposed) {
    LACUNA_TRY(const TensorInfo* tensor, find(key));
    const bool turned = transposed && isPlainFloat(tensor->type);
    const std::vector<std::uint64_t> shape{extent(count), extent(turned ? columns : outputs),
                                           extent(turned ? outputs : columns)};
    LACUNA_TRY(tensor, shaped(key, shape));
    return ExpertStack{tensor, count, outputs, outputs, columns, {}, turned};
}

Status WeightFinder::checkAllUsed(const ModelSpec& spec) const {
    const bool tied = spec.tiedEmbeddings;
    for (const TensorInfo& tensor : source_.tensors()) {
        if (used_.contains(&tensor) || names_.isIgnorable(tensor.name) ||
            isOfDraft(spec, names_, tensor.name))
            continue;
        const auto named = names_.roleOf(tensor.name);
        const bool harmless =
            named && ((named->role == TensorRole::Output && tied) || isXieluRole(named->role) ||
                      named->role == TensorRole::Sinks || named->role == TensorRole::RopeFactors ||
                      named->role == TensorRole::RopeLongFactors ||
                      named->role == TensorRole::RopeShortFactors);
        if (!harmless)
            return fail(ErrorCode::Unsupported,
                        format("the tensor {} would be ignored: other tensors replace it, or its "
                               "companions are missing",
                               printable(tensor.name)));
    }
    return {};
}

/// Returns rows `first` to `first + count - 1` of a matrix, as a view.
WeightMatrix rowsOf(const WeightMatrix& matrix, std::int64_t first, std::int64_t count) {
    const std::uint64_t stride = rowBytes(matrix.type, extent(matrix.columns));
    WeightMatrix part{matrix.type, count, matrix.columns, matrix.data + extent(first) * stride,
                      format("{}[{}..{}]", matrix.name, first, first + count - 1)};
    part.scale = matrix.scale;
    return part;
}

using enum TensorRole;

/// Loads the layers of one model, part by part.
class LayerLoader {
  public:
    LayerLoader(const ModelSpec& spec, WeightFinder& finder) : spec_(spec), finder_(finder) {}
    [[nodiscard]] Result<LayerWeights> load(int index);
    /// Memory of the rearranged matrices that were loaded so far.
    [[nodiscard]] std::vector<std::shared_ptr<LargePages>> takeRearranged() {
        return std::move(rearranged_);
    }

  private:
    [[nodiscard]] Status projections(LayerWeights& weights, int index);
    [[nodiscard]] Status attention(LayerWeights& weights, int index);
    [[nodiscard]] Status qkNorms(LayerWeights& weights, int index);
    [[nodiscard]] Result<std::vector<float>> headGains(TensorRole role, int index, int heads);
    [[nodiscard]] Status norms(LayerWeights& weights, int index);
    [[nodiscard]] Status normBiases(LayerWeights& weights, int index);
    [[nodiscard]] Status dense(LayerWeights& weights, int index);
    [[nodiscard]] Status experts(LayerWeights& weights, int index);
    [[nodiscard]] Status stackedExperts(LayerWeights& weights, int index);
    [[nodiscard]] Status rearrangedExperts(LayerWeights& weights, int index);
    [[nodiscard]] Status router(LayerWeights& weights, int index);
    [[nodiscard]] Status expertBiases(LayerWeights& weights, int index);
    [[nodiscard]] Status sharedExpert(LayerWeights& weights, int index);
    [[nodiscard]] bool alternates() const {
        return finder_.names().container() == Container::HuggingFace &&
               finder_.names().architecture().expertStacking ==
                   ExpertStacking::TransposedAlternating;
    }
    [[nodiscard]] bool rearranges() const {
        return finder_.names().container() == Container::HuggingFace &&
               finder_.names().architecture().expertStacking != ExpertStacking::Usual;
    }

    const ModelSpec& spec_;
    WeightFinder& finder_;
    std::vector<std::shared_ptr<LargePages>> rearranged_;
};

Status LayerLoader::projections(LayerWeights& weights, int index) {
    const std::int64_t queries = std::int64_t{spec_.heads} * spec_.headDim;
    const std::int64_t keys = std::int64_t{spec_.kvHeads} * spec_.headDim;
    if (finder_.has({QueryKeyValue, index})) {
        LACUNA_TRY(const WeightMatrix fused,
                   finder_.matrix({QueryKeyValue, index}, queries + 2 * keys, spec_.hidden));
        weights.query = rowsOf(fused, 0, queries);
        weights.key = rowsOf(fused, queries, keys);
        weights.value = rowsOf(fused, queries + keys, keys);
        return {};
    }
    LACUNA_TRY(weights.query, finder_.matrix({Query, index}, queries, spec_.hidden));
    LACUNA_TRY(weights.key, finder_.matrix({Key, index}, keys, spec_.hidden));
    LACUNA_TRY(weights.value, finder_.matrix({Value, index}, keys, spec_.hidden));
    return {};
}

/// Returns the gains [heads * headDim]: one matrix in GGUF, a tensor for each head in safetensors.
Result<std::vector<float>> LayerLoader::headGains(TensorRole role, int index, int heads) {
    std::vector<std::vector<float>> rows;
    if (finder_.names().container() == Container::Gguf) {
        LACUNA_TRY(rows, finder_.vectors({role, index}, heads, spec_.headDim));
    } else {
        for (int head = 0; head < heads; ++head) {
            LACUNA_TRY(auto row, finder_.vector({role, index, head}, spec_.headDim));
            rows.push_back(std::move(row));
        }
    }
    std::vector<float> gains;
    for (const std::vector<float>& row : rows) gains.insert(gains.end(), row.begin(), row.end());
    return gains;
}

Status LayerLoader::qkNorms(LayerWeights& weights, int index) {
    if (spec_.qkNorm == QkNorm::None || spec_.qkNorm == QkNorm::RotatedHeads) return {};
    if (spec_.qkNorm == QkNorm::HeadGains) {
        LACUNA_TRY(weights.queryNorm, headGains(QueryNorm, index, spec_.heads));
        LACUNA_TRY(weights.keyNorm, headGains(KeyNorm, index, spec_.kvHeads));
        return {};
    }
    const bool full = spec_.qkNorm == QkNorm::FullWidth;
    const std::int64_t queries = full ? std::int64_t{spec_.heads} * spec_.headDim : spec_.headDim;
    const std::int64_t keys = full ? std::int64_t{spec_.kvHeads} * spec_.headDim : spec_.headDim;
    LACUNA_TRY(weights.queryNorm, finder_.vector({QueryNorm, index}, queries));
    LACUNA_TRY(weights.keyNorm, finder_.vector({KeyNorm, index}, keys));
    return {};
}

Status LayerLoader::attention(LayerWeights& weights, int index) {
    const std::int64_t queries = std::int64_t{spec_.heads} * spec_.headDim;
    const std::int64_t keys = std::int64_t{spec_.kvHeads} * spec_.headDim;
    LACUNA_TRY_STATUS(projections(weights, index));
    LACUNA_TRY(weights.output, finder_.matrix({AttentionOutput, index}, spec_.hidden, queries));
    if (spec_.qkvBias) {
        LACUNA_TRY(weights.queryBias, finder_.vector({QueryBias, index}, queries));
        LACUNA_TRY(weights.keyBias, finder_.vector({KeyBias, index}, keys));
        LACUNA_TRY(weights.valueBias, finder_.vector({ValueBias, index}, keys));
    }
    if (spec_.outputBias) {
        LACUNA_TRY(weights.outputBias, finder_.vector({OutputBias, index}, spec_.hidden));
    }
    return qkNorms(weights, index);
}

Status LayerLoader::normBiases(LayerWeights& weights, int index) {
    if (!spec_.normBias) return {};
    LACUNA_TRY(weights.attentionNormBias, finder_.vector({AttentionNormBias, index}, spec_.hidden));
    if (spec_.parallelResidual) return {};
    LACUNA_TRY(weights.feedForwardNormBias,
               finder_.vector({FeedForwardNormBias, index}, spec_.hidden));
    return {};
}

Status LayerLoader::norms(LayerWeights& weights, int index) {
    if (spec_.norms != NormPlacement::After) {
        LACUNA_TRY(weights.attentionNorm, finder_.vector({AttentionNorm, index}, spec_.hidden));
        if (!spec_.parallelResidual) {
            LACUNA_TRY(weights.feedForwardNorm,
                       finder_.vector({FeedForwardNorm, index}, spec_.hidden));
        }
    }
    LACUNA_TRY_STATUS(normBiases(weights, index));
    if (spec_.norms == NormPlacement::Before) return {};
    LACUNA_TRY(weights.postAttentionNorm, finder_.vector({PostAttentionNorm, index}, spec_.hidden));
    LACUNA_TRY(weights.postFeedForwardNorm,
               finder_.vector({PostFeedForwardNorm, index}, spec_.hidden));
    return {};
}

Status LayerLoader::dense(LayerWeights& weights, int index) {
    const std::int64_t width = spec_.feedForward;
    if (spec_.gated && finder_.has({GateUp, index})) {
        LACUNA_TRY(const WeightMatrix fused,
                   finder_.matrix({GateUp, index}, 2 * width, spec_.hidden));
        weights.gate = rowsOf(fused, 0, width);
        weights.up = rowsOf(fused, width, width);
    } else {
        if (spec_.gated) {
            LACUNA_TRY(weights.gate, finder_.matrix({Gate, index}, width, spec_.hidden));
        }
        LACUNA_TRY(weights.up, finder_.matrix({Up, index}, width, spec_.hidden));
    }
    LACUNA_TRY(weights.down, finder_.matrix({Down, index}, spec_.hidden, width));
    if (!spec_.feedForwardBias) return {};
    if (spec_.gated) {
        LACUNA_TRY(weights.gateBias, finder_.vector({GateBias, index}, width));
    }
    LACUNA_TRY(weights.upBias, finder_.vector({UpBias, index}, width));
    LACUNA_TRY(weights.downBias, finder_.vector({DownBias, index}, spec_.hidden));
    return {};
}

/// Loads experts from one tensor per matrix, or one for gate and up.
Status LayerLoader::stackedExperts(LayerWeights& weights, int index) {
    const std::int64_t count = spec_.experts.count;
    const std::int64_t width = spec_.experts.feedForward;
    const bool fused = finder_.has({AllExpertGateUps, index});
    std::vector<WeightMatrix> gates;
    std::vector<WeightMatrix> ups;
    if (fused) {
        LACUNA_TRY(const auto both,
                   finder_.matrices({AllExpertGateUps, index}, count, 2 * width, spec_.hidden));
        for (const WeightMatrix& matrix : both) {
            gates.push_back(rowsOf(matrix, 0, width));
            ups.push_back(rowsOf(matrix, width, width));
        }
    } else {
        LACUNA_TRY(gates, finder_.matrices({AllExpertGates, index}, count, width, spec_.hidden));
        LACUNA_TRY(ups, finder_.matrices({AllExpertUps, index}, count, width, spec_.hidden));
    }
    LACUNA_TRY(auto downs, finder_.matrices({AllExpertDowns, index}, count, spec_.hidden, width));
    for (std::size_t i = 0; i < downs.size(); ++i)
        weights.experts.push_back({std::move(gates[i]), std::move(ups[i]), std::move(downs[i])});
    return {};
}

/// Like stackedExperts, for matrices whose elements are stored in another order.
Status LayerLoader::rearrangedExperts(LayerWeights& weights, int index) {
    const std::int64_t count = spec_.experts.count;
    const std::int64_t width = spec_.experts.feedForward;
    LACUNA_TRY(ExpertStack gates,
               finder_.stack({AllExpertGateUps, index}, count, 2 * width, spec_.hidden, true));
    LACUNA_TRY(const ExpertStack downs,
               finder_.stack({AllExpertDowns, index}, count, spec_.hidden, width, true));
    ExpertStack ups = gates;
    gates.rows = ups.rows = width;
    gates.place = alternates() ? RowsInTensor{0, 2} : RowsInTensor{0, 1};
    ups.place = alternates() ? RowsInTensor{1, 2} : RowsInTensor{width, 1};
    LACUNA_TRY(LargePages memory,
               LargePages::allocate(gates.bytes() + ups.bytes() + downs.bytes()));
    auto allGates = lacuna::rearrangedExperts(gates, memory.data());
    auto allUps = lacuna::rearrangedExperts(ups, memory.data() + gates.bytes());
    auto allDowns = lacuna::rearrangedExperts(downs, memory.data() + gates.bytes() + ups.bytes());
    for (std::size_t i = 0; i < allDowns.size(); ++i)
        weights.experts.push_back(
            {std::move(allGates[i]), std::move(allUps[i]), std::move(allDowns[i])});
    rearranged_.push_back(std::make_shared<LargePages>(std::move(memory)));
    return {};
}

Status LayerLoader::router(LayerWeights& weights, int index) {
    const std::int64_t count = spec_.experts.count;
    LACUNA_TRY(weights.router, finder_.matrix({Router, index}, count, spec_.hidden));
    if (spec_.experts.routerBias) {
        LACUNA_TRY(weights.routerBias, finder_.vector({RouterBias, index}, count));
    }
    if (!spec_.experts.selectionBias) return {};
    if (finder_.dimensions({SelectionBias, index}) == 2) {
        LACUNA_TRY(auto rows, finder_.vectors({SelectionBias, index}, 1, count));
        weights.selectionBias = std::move(rows.front());
        return {};
    }
    LACUNA_TRY(weights.selectionBias, finder_.vector({SelectionBias, index}, count));
    return {};
}

Status LayerLoader::expertBiases(LayerWeights& weights, int index) {
    if (!spec_.experts.biases) return {};
    const std::int64_t count = spec_.experts.count;
    const auto width = static_cast<std::size_t>(spec_.experts.feedForward);
    const auto wide = std::int64_t{spec_.experts.feedForward};
    LACUNA_TRY(auto downs, finder_.vectors({AllExpertDownBiases, index}, count, spec_.hidden));
    for (std::size_t i = 0; i < downs.size(); ++i)
        weights.experts[i].downBias = std::move(downs[i]);
    if (!finder_.has({AllExpertGateUpBiases, index})) {
        LACUNA_TRY(auto gates, finder_.vectors({AllExpertGateBiases, index}, count, wide));
        LACUNA_TRY(auto ups, finder_.vectors({AllExpertUpBiases, index}, count, wide));
        for (std::size_t i = 0; i < gates.size(); ++i) {
            weights.experts[i].gateBias = std::move(gates[i]);
            weights.experts[i].upBias = std::move(ups[i]);
        }
        return {};
    }
    LACUNA_TRY(const auto both, finder_.vectors({AllExpertGateUpBiases, index}, count, 2 * wide));
    for (std::size_t i = 0; i < both.size(); ++i)
        for (std::size_t row = 0; row < width; ++row) {
            weights.experts[i].gateBias.push_back(both[i][alternates() ? 2 * row : row]);
            weights.experts[i].upBias.push_back(both[i][alternates() ? 2 * row + 1 : width + row]);
        }
    return {};
}

Status LayerLoader::experts(LayerWeights& weights, int index) {
    const std::int64_t width = spec_.experts.feedForward;
    LACUNA_TRY_STATUS(router(weights, index));
    LACUNA_TRY_STATUS(sharedExpert(weights, index));
    if (!finder_.has({ExpertDown, index, 0})) {
        LACUNA_TRY_STATUS(rearranges() ? rearrangedExperts(weights, index)
                                       : stackedExperts(weights, index));
        return expertBiases(weights, index);
    }
    if (spec_.experts.biases)
        return fail(ErrorCode::Unsupported, "expert biases in separate tensors are not supported");
    for (int i = 0; i < spec_.experts.count; ++i) {
        FeedForwardWeights expert;
        LACUNA_TRY(expert.gate, finder_.matrix({ExpertGate, index, i}, width, spec_.hidden));
        LACUNA_TRY(expert.up, finder_.matrix({ExpertUp, index, i}, width, spec_.hidden));
        LACUNA_TRY(expert.down, finder_.matrix({ExpertDown, index, i}, spec_.hidden, width));
        weights.experts.push_back(std::move(expert));
    }
    return {};
}

Status LayerLoader::sharedExpert(LayerWeights& weights, int index) {
    const std::int64_t width = spec_.experts.sharedFeedForward;
    if (width == 0) return {};
    FeedForwardWeights& shared = weights.sharedExpert;
    LACUNA_TRY(shared.gate, finder_.matrix({SharedGate, index}, width, spec_.hidden));
    LACUNA_TRY(shared.up, finder_.matrix({SharedUp, index}, width, spec_.hidden));
    LACUNA_TRY(shared.down, finder_.matrix({SharedDown, index}, spec_.hidden, width));
    if (spec_.experts.sharedExpertGate) {
        LACUNA_TRY(weights.sharedExpertGate,
                   finder_.oneRow({SharedExpertGate, index}, spec_.hidden));
    }
    return {};
}

Result<LayerWeights> LayerLoader::load(int index) {
    LayerWeights weights;
    LACUNA_TRY_STATUS(norms(weights, index));
    LACUNA_TRY_STATUS(attention(weights, index));
    LACUNA_TRY_STATUS(spec_.layer(index).experts ? experts(weights, index) : dense(weights, index));
    return weights;
}

}  // namespace

Result<Weights> loadWeights(const ModelSpec& spec, const TensorSource& source, Container container,
                            const std::stop_token& stop) {
    LACUNA_TRY(const Architecture* architecture, findArchitecture(spec.architecture));
    WeightFinder finder(source, TensorNames::of(container, *architecture, source));
    LayerLoader layers(spec, finder);
    Weights weights;
    LACUNA_TRY(weights.embedding, finder.matrix({Embedding}, spec.vocabulary, spec.hidden));
    for (int index = 0; index < spec.layers; ++index) {
        if (stop.stop_requested()) return fail(ErrorCode::Cancelled, "loading was cancelled");
        LACUNA_TRY(LayerWeights layer, layers.load(index));
        weights.layers.push_back(std::move(layer));
    }
    weights.rearranged = layers.takeRearranged();
    LACUNA_TRY(weights.finalNorm, finder.vector({FinalNorm}, spec.hidden));
    if (spec.normBias) {
        LACUNA_TRY(weights.finalNormBias, finder.vector({FinalNormBias}, spec.hidden));
    }
    if (spec.logitBias) {
        LACUNA_TRY(weights.logitBias, finder.vector({LogitBias}, spec.vocabulary));
    }
    weights.output = weights.embedding;
    if (!spec.tiedEmbeddings) {
        LACUNA_TRY(weights.output, finder.matrix({Output}, spec.vocabulary, spec.hidden));
    }
    LACUNA_TRY_STATUS(finder.checkAllUsed(spec));
    return weights;
}

namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::int64_t kPieceBytes = 1 << 20;  // bytes copied at a time, which bounds the delay of
                                               // a cancel

struct Matrix {
    WeightMatrix* weight;
    bool grouped;
    std::size_t offset = 0;  ///< offset in the copy
};

/// Rows of one matrix, copied by one thread.
struct Piece {
    const Matrix* matrix;
    std::int64_t firstRow;
    std::int64_t rows;
};

std::int64_t rowStride(const WeightMatrix& weight) {
    return static_cast<std::int64_t>(
        rowBytes(weight.type, static_cast<std::uint64_t>(weight.columns)));
}

std::size_t bytesOf(const WeightMatrix& weight, bool grouped) {
    const std::int64_t unit = grouped ? kGroupRows : 1;
    const std::int64_t rows = (weight.rows + unit - 1) / unit * unit;
    return static_cast<std::size_t>(rows * rowStride(weight));
}

/// Returns the memory available without swapping; 0 if the system does not report it.
std::size_t availableMemory() {
    std::ifstream file("/proc/meminfo");
    std::string word;
    std::size_t kibibytes = 0;
    while (file >> word)
        if (word == "MemAvailable:" && file >> kibibytes) return kibibytes * 1024;
    return 0;
}

/// All matrices to be copied, and the total size of the copies.
class Plan {
  public:
    Plan(Weights& weights, const WeightPlacement& placement) : placement_(placement) {
        for (LayerWeights& layer : weights.layers) {
            for (WeightMatrix* matrix : {&layer.query, &layer.key, &layer.value, &layer.output})
                add(*matrix);
            addFeedForward(layer.gate, layer.up, layer.down);
            for (FeedForwardWeights& expert : layer.experts)
                addFeedForward(expert.gate, expert.up, expert.down);
            FeedForwardWeights& shared = layer.sharedExpert;
            addFeedForward(shared.gate, shared.up, shared.down);
            // Multiplied exactly and small, so plain rows suffice.
            addAs(layer.router, false);
            addAs(layer.sharedExpertGate, false);
        }
        const bool tied = weights.embedding.data == weights.output.data;
        add(weights.output);
        if (tied) add(weights.embedding);
    }
    [[nodiscard]] std::size_t bytes() const { return bytes_; }
    [[nodiscard]] const std::vector<Matrix>& matrices() const { return matrices_; }
    [[nodiscard]] std::vector<Piece> pieces() const;

  private:
    void addFeedForward(WeightMatrix& gate, WeightMatrix& up, WeightMatrix& down) {
        for (WeightMatrix* matrix : {&gate, &up, &down}) add(*matrix);
    }
    void add(WeightMatrix& weight) {
        addAs(weight, placement_.grouped[static_cast<std::size_t>(weight.type)] &&
                          weight.rows >= kGroupRows && canGroup(weight.type, weight.columns));
    }
    void addAs(WeightMatrix& weight, bool grouped) {
        if (weight.empty()) return;
        const auto [found, fresh] = offsets_.try_emplace({weight.data, grouped}, bytes_);
        matrices_.push_back({&weight, grouped, found->second});
        first_.push_back(fresh);
        if (fresh) bytes_ += (bytesOf(weight, grouped) + kAlignment - 1) / kAlignment * kAlignment;
    }

    const WeightPlacement& placement_;
    std::vector<Matrix> matrices_;
    std::vector<bool> first_;  ///< false for a second view of the same bytes
    std::map<std::pair<const std::byte*, bool>, std::size_t> offsets_;
    std::size_t bytes_ = 0;
};

std::vector<Piece> Plan::pieces() const {
    std::vector<Piece> all;
    for (std::size_t i = 0; i < matrices_.size(); ++i) {
        if (!first_[i]) continue;
        const WeightMatrix& weight = *matrices_[i].weight;
        const std::int64_t wanted = std::max<std::int64_t>(kPieceBytes / rowStride(weight), 1);
        const std::int64_t rows = (wanted + kGroupRows - 1) / kGroupRows * kGroupRows;
        for (std::int64_t row = 0; row < weight.rows; row += rows)
            all.push_back({&matrices_[i], row, std::min(rows, weight.rows - row)});
    }
    return all;
}

/// Releases file pages that are entirely inside a range.
class Releaser {
  public:
    explicit Releaser(std::span<const std::span<const std::byte>> mappings) : mappings_(mappings) {}
    void release(const std::byte* data, std::size_t bytes) const {
        const bool mapped = std::ranges::any_of(mappings_, [&](std::span<const std::byte> file) {
            return data >= file.data() && data + bytes <= file.data() + file.size();
        });
        if (!mapped) return;
        const auto first = (reinterpret_cast<std::uintptr_t>(data) + page_ - 1) / page_ * page_;
        const auto last = (reinterpret_cast<std::uintptr_t>(data) + bytes) / page_ * page_;
        if (first < last) ::madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
    }

  private:
    const std::span<const std::span<const std::byte>> mappings_;
    const std::uintptr_t page_ = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
};

void copy(const Piece& piece, LargePages& memory, const Releaser& releaser) {
    const WeightMatrix& weight = *piece.matrix->weight;
    const std::int64_t stride = rowStride(weight);
    const std::byte* from = weight.data + piece.firstRow * stride;
    const std::size_t at = piece.matrix->offset + static_cast<std::size_t>(piece.firstRow * stride);
    std::byte* to = memory.data() + at;
    const auto bytes = static_cast<std::size_t>(piece.rows * stride);
    memory.populate(at, bytes);
    if (piece.matrix->grouped) {
        for (std::int64_t row = 0; row < piece.rows; row += kGroupRows) {
            const auto count = std::min<std::int64_t>(kGroupRows, piece.rows - row);
            groupRows(
                {weight.type, from + row * stride, stride, weight.columns, static_cast<int>(count)},
                to + row * stride);
        }
    } else {
        std::memcpy(to, from, bytes);
    }
    releaser.release(from, bytes);
}

/// Copies on several threads. The calling thread copies as well and reports progress.
class Copier {
  public:
    Copier(std::vector<Piece> pieces, LargePages& memory, const WeightCopying& copying)
        : pieces_(std::move(pieces)), memory_(memory), copying_(copying) {}

    [[nodiscard]] Status run(int threads) {
        {
            std::vector<std::jthread> others;
            others.reserve(static_cast<std::size_t>(threads));
            for (int i = 1; i < threads; ++i) {
                auto other = startThread([this] { work(false); });
                if (!other) break;  // the existing threads do all of it
                others.push_back(std::move(*other));
            }
            work(true);
        }
        if (copying_.stop.stop_requested())
            return fail(ErrorCode::Cancelled, "loading was cancelled");
        return {};
    }

  private:
    void work(bool reports) {
        for (std::size_t i = next_++; i < pieces_.size(); i = next_++) {
            if (copying_.stop.stop_requested()) return;
            copy(pieces_[i], memory_, releaser_);
            if (reports && copying_.progress)
                copying_.progress(static_cast<double>(i) / static_cast<double>(pieces_.size()));
        }
    }

    const std::vector<Piece> pieces_;
    LargePages& memory_;
    const WeightCopying& copying_;
    const Releaser releaser_{copying_.mappings};
    std::atomic<std::size_t> next_{0};
};

bool wouldFit(std::size_t bytes, double keepFree) {
    if (keepFree <= 0) return true;
    return static_cast<double>(bytes) <= (1.0 - keepFree) * static_cast<double>(availableMemory());
}

}  // namespace

Result<LargePages> placeWeights(Weights& weights, const WeightPlacement& placement,
                                const WeightCopying& copying) {
    if (!placement.resident) return LargePages();
    const Plan plan(weights, placement);
    // Pages of rearranged matrices are released as they are copied.
    std::size_t released = 0;
    for (const auto& pages : weights.rearranged) released += pages->size();
    if (!wouldFit(plan.bytes() - std::min(plan.bytes(), released), placement.keepFree))
        return LargePages();
    LACUNA_TRY(LargePages memory, LargePages::allocate(plan.bytes()));
    const unsigned cores = std::max(std::thread::hardware_concurrency(), 1U);
    Copier copier(plan.pieces(), memory, copying);
    LACUNA_TRY_STATUS(
        copier.run(placement.threads > 0 ? placement.threads : static_cast<int>(cores)));
    const Releaser releaser(copying.mappings);  // handles pages that two pieces share
    for (const Matrix& matrix : plan.matrices()) {
        releaser.release(matrix.weight->data, bytesOf(*matrix.weight, false));
        matrix.weight->data = memory.data() + matrix.offset;
        matrix.weight->order = matrix.grouped ? RowLayout::Groups : RowLayout::Plain;
    }
    memory.joinPages();
    return memory;
}

}  // namespace lacuna
