#include "engine/format/quantise_model.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <set>
#include <system_error>
#include <utility>

#include "engine/base/file.h"
#include "engine/base/string_format.h"
#include "engine/base/temporary_file.h"
#include "engine/format/convert.h"
#include "engine/format/encode_rows.h"
#include "engine/format/gguf.h"
#include "engine/format/gguf_writer.h"
#include "engine/format/model_container.h"
#include "engine/format/printable.h"
#include "engine/tensor/block_formats.h"

namespace lacuna {
namespace {

namespace fs = std::filesystem;

/// A file alongside `target` that is gone when this is, or is swept with what else a killed program
/// left there.
class IntermediateFile {
  public:
    explicit IntermediateFile(const fs::path& target) : path_(temporaryName(target)) {}
    IntermediateFile(const IntermediateFile&) = delete;
    IntermediateFile& operator=(const IntermediateFile&) = delete;
    ~IntermediateFile() {
        std::error_code ignored;
        fs::remove(path_, ignored);
        if (lock_ >= 0) ::close(lock_);
    }
    [[nodiscard]] const fs::path& path() const { return path_; }
    /// Once it is there.
    void hold() { lock_ = holdTemporary(path_); }

  private:
    fs::path path_;
    int lock_ = -1;
};

Result<RecipeModel> recipeModel(const GgufFile& file) {
    RecipeModel model;
    LACUNA_TRY(const auto architecture,
               needed(file.getText("general.architecture"), "general.architecture"));
    const auto count = [&](std::string_view suffix) {
        return file.getUnsigned(format("{}.{}", architecture, suffix));
    };
    LACUNA_TRY(const auto layers, count("block_count"));
    LACUNA_TRY(const auto experts, count("expert_count"));
    constexpr std::uint64_t kSane = 1'000'000;
    model.layers = static_cast<int>(std::min(layers.value_or(0), kSane));
    model.experts = static_cast<int>(std::min(experts.value_or(0), kSane));
    model.tiedEmbeddings = file.find("output.weight") == nullptr;
    return model;
}

/// Everything that stays as it is, byte by byte, and what names the new types.
Result<GgufMetadata> metadataFor(const GgufFile& file, const QuantiseRecipe& recipe) {
    constexpr std::array<std::string_view, 3> kReplaced{"general.alignment", "general.file_type",
                                                        "general.quantization_version"};
    LACUNA_TRY(const auto parts, file.getUnsigned("split.count"));
    if (parts.value_or(1) > 1)
        return fail(ErrorCode::Unsupported,
                    format("the model is split into {} files; merge them first", *parts));
    const GgufHeader& header = file.header();
    GgufMetadata metadata;
    for (std::size_t i = 0; i < header.metadata.size(); ++i) {
        const GgufEntry& entry = header.metadata[i];
        if (std::ranges::find(kReplaced, entry.key) != kReplaced.end()) continue;
        const std::uint64_t end = i + 1 < header.metadata.size()
                                      ? header.metadata[i + 1].offset
                                      : header.tensors.front().recordOffset;
        metadata.addEntry(file.headerBytes().subspan(static_cast<std::size_t>(entry.offset),
                                                     static_cast<std::size_t>(end - entry.offset)));
    }
    constexpr std::uint32_t kQuantisationVersion = 2;
    metadata.addUnsigned("general.quantization_version", kQuantisationVersion);
    metadata.addUnsigned("general.file_type", fileTypeNumber(recipe));
    return metadata;
}

/// The tensors of the source in the order of its records. Errors: Unsupported.
Result<std::vector<const TensorInfo*>> floatTensors(const GgufFile& file) {
    std::vector<const TensorInfo*> tensors;
    for (const GgufTensor& record : file.header().tensors) {
        const TensorInfo* tensor = file.find(record.name);
        if (tensor == nullptr || !isPlainFloat(tensor->type))
            return fail(ErrorCode::Unsupported,
                        format("tensor {} is {} already; quantise from the original with F32, F16 "
                               "or BF16 weights",
                               printable(record.name), ggufTypeName(record.type)));
        tensors.push_back(tensor);
    }
    if (tensors.empty())
        return fail(ErrorCode::ModelKind, "the file holds no weights: a vocabulary only");
    return tensors;
}

std::vector<GgufPlan> planTensors(const std::vector<const TensorInfo*>& tensors,
                                  const QuantiseRecipe& recipe, const RecipeModel& model,
                                  QuantiseReport& report) {
    std::vector<GgufPlan> plans;
    for (const TensorInfo* tensor : tensors) {
        GgufPlan plan{tensor->name, DType::F32, tensor->shape};
        if (isQuantised(tensor->name, tensor->shape)) {
            const DType wanted = recipeType(recipe, tensor->name, model);
            plan.type = fittingType(wanted, tensor->shape.back());
            if (plan.type != wanted) report.fallbacks.push_back({tensor->name, wanted, plan.type});
        }
        ++report.tensorsByType[plan.type];
        report.sourceBytes += tensor->bytes;
        plans.push_back(std::move(plan));
    }
    report.tensors = plans.size();
    return plans;
}

RowsToEncode rowsOf(const TensorInfo& tensor, const GgufPlan& plan) {
    const std::uint64_t columns = plan.shape.back();
    const std::uint64_t stride = rowBytes(tensor.type, columns);
    return {tensor.name, plan.type, plan.elements() / columns, columns,
            [&tensor, stride](std::uint64_t row, std::span<float> out) {
                decodeRow(tensor.type, tensor.data + row * stride, out);
            }};
}

Result<QuantiseReport> quantiseOpened(const GgufFile& file, const fs::path& target,
                                      ThreadPool& pool, const QuantiseOptions& options) {
    LACUNA_TRY(const auto tensors, floatTensors(file));
    LACUNA_TRY(const GgufMetadata metadata, metadataFor(file, options.recipe));
    LACUNA_TRY(const RecipeModel model, recipeModel(file));
    QuantiseReport report;
    const std::vector<GgufPlan> plans = planTensors(tensors, options.recipe, model, report);
    std::uint64_t total = 0;
    for (const GgufPlan& plan : plans) total += plan.bytes();
    LACUNA_TRY(GgufWriter writer, GgufWriter::create(target, metadata, plans));
    std::uint64_t done = 0;
    const EncodeTools tools{
        pool, options.stop, [&](std::uint64_t bytes) {
            done += bytes;
            if (options.progress)
                options.progress(static_cast<double>(done) / static_cast<double>(total));
        }};
    for (std::size_t i = 0; i < plans.size(); ++i)
        LACUNA_TRY_STATUS(encodeRows(writer, rowsOf(*tensors[i], plans[i]), tools));
    LACUNA_TRY_STATUS(file.checkUnchanged());
    LACUNA_TRY_STATUS(writer.commit());
    report.bytes = writer.bytesWritten();
    return report;
}

Result<QuantiseReport> quantiseGguf(const fs::path& source, const fs::path& target,
                                    ThreadPool& pool, const QuantiseOptions& options) {
    LACUNA_TRY(const GgufFile file, GgufFile::open(source));
    return orChanged(quantiseOpened(file, target, pool, options), file);
}

/// The type that holds every weight of the folder without rounding.
Result<DType> losslessType(const fs::path& folder) {
    LACUNA_TRY(const ModelContainer model, openModel(folder));
    std::set<DType> types;
    for (const TensorInfo& tensor : model.source().tensors())
        if (tensor.shape.size() > 1) types.insert(tensor.type);
    return types.size() == 1 ? *types.begin() : DType::F32;
}

Result<QuantiseReport> quantiseFolder(const fs::path& folder, const fs::path& target,
                                      ThreadPool& pool, const QuantiseOptions& options) {
    constexpr double kConvertShare = 0.2;  // of the time, about
    IntermediateFile floats(target);
    ConvertOptions convert;
    LACUNA_TRY(convert.type, losslessType(folder));
    convert.stop = options.stop;
    QuantiseOptions rest = options;
    if (options.progress) {
        convert.progress = [&](double share) { options.progress(kConvertShare * share); };
        rest.progress = [&](double share) {
            options.progress(kConvertShare + (1 - kConvertShare) * share);
        };
    }
    LACUNA_TRY_STATUS(
        convertToGguf(folder, floats.path(), convert).map([](const ConvertReport&) {}));
    floats.hold();
    return quantiseGguf(floats.path(), target, pool, rest);
}

}  // namespace

Result<QuantiseReport> quantiseModel(const fs::path& source, const fs::path& target,
                                     ThreadPool& pool, const QuantiseOptions& options) {
    LACUNA_TRY_STATUS(checkNotAmong(target, modelFiles(source)));
    std::error_code ignored;
    if (isModelFolder(source) && fs::exists(source, ignored))
        return quantiseFolder(modelFolder(source), target, pool, options);
    return quantiseGguf(source, target, pool, options);
}

}  // namespace lacuna
