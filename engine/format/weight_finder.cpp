#include "engine/format/weight_finder.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "engine/base/byte_reader.h"
#include "engine/base/string_format.h"
#include "engine/format/architectures.h"
#include "engine/format/printable.h"
#include "engine/tensor/block_formats.h"

namespace lacuna {
namespace {

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

}  // namespace

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
    // Gemma 4 gives such names to tensors that scale the router.
    if (scale == nullptr || names_.roleOf(scale->name)) return values;
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

Result<std::vector<float>> WeightFinder::numbers(const WeightKey& key, std::int64_t count) {
    LACUNA_TRY(const TensorInfo* tensor, find(key));
    std::uint64_t held = 1;
    for (const std::uint64_t one : tensor->shape)
        held = checkedMultiply(held, one).value_or(std::numeric_limits<std::uint64_t>::max());
    if (held != extent(count))
        return fail(ErrorCode::ModelShape, format("the tensor {} has shape {}; {} numbers expected",
                                                  tensor->name, shapeText(tensor->shape), count));
    if (!isPlainFloat(tensor->type))
        return fail(ErrorCode::ModelTypeUse,
                    format("the tensor {} has type {}; F32, F16 or BF16 expected", tensor->name,
                           info(tensor->type).name));
    std::vector<float> values(static_cast<std::size_t>(count));
    decodeRow(tensor->type, tensor->data, values);
    if (!std::ranges::all_of(values, [](float value) { return std::isfinite(value); }))
        return fail(ErrorCode::ModelNonFinite,
                    format("the tensor {} holds a number that is not finite", tensor->name));
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
            isDraftTensor(spec, names_, tensor.name))
            continue;
        const auto named = names_.roleOf(tensor.name);
        const bool harmless =
            named &&
            (isUnusedInLayer(spec, *named) || (named->role == TensorRole::Output && tied) ||
             isXieluRole(named->role) || named->role == TensorRole::Sinks ||
             named->role == TensorRole::RopeFactors || named->role == TensorRole::RopeLongFactors ||
             named->role == TensorRole::RopeShortFactors);
        if (!harmless)
            return fail(ErrorCode::Unsupported,
                        format("the tensor {} would be ignored: other tensors replace it, or its "
                               "companions are missing",
                               printable(tensor.name)));
    }
    return {};
}

WeightMatrix rowsOf(const WeightMatrix& matrix, std::int64_t first, std::int64_t count) {
    const std::uint64_t stride = rowBytes(matrix.type, extent(matrix.columns));
    WeightMatrix part{matrix.type, count, matrix.columns, matrix.data + extent(first) * stride,
                      format("{}[{}..{}]", matrix.name, first, first + count - 1)};
    part.scale = matrix.scale;
    return part;
}

}  // namespace lacuna
