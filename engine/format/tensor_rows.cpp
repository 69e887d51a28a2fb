#include "engine/format/tensor_rows.h"

#include <algorithm>
#include <memory>

#include "engine/base/string_format.h"
#include "engine/format/gguf.h"
#include "engine/format/gguf_types.h"
#include "engine/format/model_container.h"
#include "engine/format/printable.h"
#include "engine/format/rearranged_experts.h"
#include "engine/format/safetensors.h"
#include "engine/tensor/block_formats.h"

namespace lacuna {
namespace {

constexpr std::size_t kNamesShown = 6;
constexpr std::uint64_t kMaxValues = std::uint64_t{1} << 28;  // 1 GiB of floats

/// Returns names that contain `part`, otherwise the first ones of the file.
std::string namesLike(const TensorSource& source, std::string_view part) {
    std::string list;
    std::size_t shown = 0;
    for (const bool onlyAlike : {true, false}) {
        for (const TensorInfo& tensor : source.tensors()) {
            if (shown == kNamesShown) break;
            if (onlyAlike && tensor.name.find(part) == std::string::npos) continue;
            list += format("{}{}", list.empty() ? "" : ", ", printable(tensor.name));
            ++shown;
        }
        if (shown > 0) break;
    }
    return list;
}

Result<TensorRows> rowsOf(const TensorSource& source, std::string_view name, std::int64_t rows) {
    const TensorInfo* tensor = source.find(name);
    if (tensor == nullptr)
        return fail(ErrorCode::NotFound, format("there is no tensor {}; there are {} ...",
                                                printable(name), namesLike(source, name)));
    TensorRows out;
    std::uint64_t total = 1;
    for (const std::uint64_t extent : tensor->shape) total *= extent;
    const std::uint64_t columns = tensor->shape.empty() ? 1 : tensor->shape.back();
    out.columns = static_cast<std::int64_t>(columns);
    const std::int64_t all = columns == 0 ? 0 : static_cast<std::int64_t>(total / columns);
    out.rows = rows > 0 ? std::min(rows, all) : all;
    const std::uint64_t values = static_cast<std::uint64_t>(out.rows) * columns;
    if (values > kMaxValues)
        return fail(ErrorCode::InvalidArgument,
                    format("{} rows of {} are {} values; ask for at most {} rows", out.rows,
                           printable(name), values, kMaxValues / columns));
    out.values.resize(values);
    std::vector<std::byte> scratch;
    for (std::int64_t row = 0; row < out.rows; ++row)
        decodeRow(tensor->type, rowOf(*tensor, static_cast<std::uint64_t>(row), scratch),
                  std::span(out.values).subspan(static_cast<std::size_t>(row) * columns, columns));
    LACUNA_TRY_STATUS(source.checkUnchanged());
    return out;
}

/// Refuses a tensor that is in the file but has an unsupported type.
Status refuseUnusable(const GgufFile& file, std::string_view name) {
    for (const GgufTensor& tensor : file.header().tensors)
        if (tensor.name == name && file.find(name) == nullptr)
            return fail(ErrorCode::ModelTypeUse,
                        format("the tensor {} has the type {}, which cannot be decoded",
                               printable(name), ggufTypeName(tensor.type)));
    return {};
}

}  // namespace

Result<TensorRows> readTensorRows(const std::filesystem::path& path, std::string_view name,
                                  std::int64_t rows) {
    if (const auto model = openModel(path); model && model->source().find(name) != nullptr)
        return rowsOf(model->source(), name, rows);
    if (isModelFolder(path)) {
        LACUNA_TRY(const Safetensors folder, Safetensors::openFolder(modelFolder(path)));
        return rowsOf(folder, name, rows);
    }
    LACUNA_TRY(const GgufFile file, GgufFile::open(path));
    LACUNA_TRY_STATUS(refuseUnusable(file, name));
    return rowsOf(file, name, rows);
}

}  // namespace lacuna
