#include "engine/format/weight_finder.h"

#include "engine/base/string_format.h"
#include "engine/format/printable.h"
#include "engine/tensor/block_formats.h"

namespace lacuna {
namespace {

std::string shapeText(const std::vector<std::uint64_t>& shape) {
    return format("[{}]", fmt::join(shape, ", "));
}

std::uint64_t extent(std::int64_t value) {
    return static_cast<std::uint64_t>(value);
}

}  // namespace

const TensorInfo* WeightFinder::lookUp(const WeightKey& key) const {
    for (const std::string& name : names_.all(key.role, key.layer, key.expert))
        if (const TensorInfo* tensor = source_.find(name)) return tensor;
    return nullptr;
}

Result<const TensorInfo*> WeightFinder::find(const WeightKey& key) {
    const TensorInfo* tensor = lookUp(key);
    if (tensor == nullptr)
        return fail(
            ErrorCode::ModelMissingTensor,
            format("the tensor {} is missing", names_.first(key.role, key.layer, key.expert)));
    used_.insert(tensor);
    return tensor;
}

Result<const TensorInfo*> WeightFinder::shaped(const WeightKey& key,
                                               const std::vector<std::uint64_t>& shape) {
    LACUNA_TRY(const TensorInfo* tensor, find(key));
    if (tensor->shape == shape) return tensor;
    const bool vocabulary = key.role == TensorRole::Embedding || key.role == TensorRole::Output;
    if (vocabulary && tensor->shape.size() == 2 && tensor->shape[1] == shape[1])
        return fail(ErrorCode::ModelVocab,
                    format("the tensor {} has rows for {} tokens; the model says {}", tensor->name,
                           tensor->shape[0], shape[0]));
    return fail(ErrorCode::ModelShape,
                format("the tensor {} has shape {}; {} expected", tensor->name,
                       shapeText(tensor->shape), shapeText(shape)));
}

Result<WeightMatrix> WeightFinder::matrix(const WeightKey& key, std::int64_t rows,
                                          std::int64_t columns) {
    LACUNA_TRY(const TensorInfo* tensor, shaped(key, {extent(rows), extent(columns)}));
    return WeightMatrix{tensor->type, rows, columns, tensor->data, tensor->name};
}

Result<std::vector<WeightMatrix>> WeightFinder::matrices(const WeightKey& key, std::int64_t count,
                                                         std::int64_t rows, std::int64_t columns) {
    LACUNA_TRY(const TensorInfo* tensor,
               shaped(key, {extent(count), extent(rows), extent(columns)}));
    const std::uint64_t stride = rowBytes(tensor->type, extent(columns)) * extent(rows);
    std::vector<WeightMatrix> all;
    for (std::int64_t i = 0; i < count; ++i)
        all.push_back(WeightMatrix{tensor->type, rows, columns, tensor->data + extent(i) * stride,
                                   format("{}[{}]", tensor->name, i)});
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

Status WeightFinder::checkAllUsed(bool tied) const {
    for (const TensorInfo& tensor : source_.tensors()) {
        if (used_.contains(&tensor) || names_.isIgnorable(tensor.name)) continue;
        const auto named = names_.roleOf(tensor.name);
        const bool harmless = named && ((named->role == TensorRole::Output && tied) ||
                                        named->role == TensorRole::RopeFactors ||
                                        named->role == TensorRole::RopeLongFactors ||
                                        named->role == TensorRole::RopeShortFactors);
        if (!harmless)
            return fail(ErrorCode::Unsupported,
                        format("the tensor {} would be ignored: others stand in its place, or its "
                               "companions are missing",
                               printable(tensor.name)));
    }
    return {};
}

WeightMatrix rowsOf(const WeightMatrix& matrix, std::int64_t first, std::int64_t count) {
    const std::uint64_t stride = rowBytes(matrix.type, extent(matrix.columns));
    return WeightMatrix{matrix.type, count, matrix.columns, matrix.data + extent(first) * stride,
                        format("{}[{}..{}]", matrix.name, first, first + count - 1)};
}

}  // namespace lacuna
