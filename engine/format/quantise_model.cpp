#include "engine/format/quantise_model.h"

#include <unistd.h>
#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "engine/base/file.h"
#include "engine/base/result.h"
#include "engine/base/string_format.h"
#include "engine/base/temporary_file.h"
#include "engine/base/thread_pool.h"
#include "engine/format/convert.h"
#include "engine/format/gguf.h"
#include "engine/format/gguf_types.h"
#include "engine/format/gguf_writer.h"
#include "engine/format/model_container.h"
#include "engine/format/printable.h"
#include "engine/tensor/block_formats.h"
#include "engine/tensor/dtype.h"

namespace lacuna {
namespace {

/// One tensor to be written. `read` is called from many threads concurrently, once per row.
struct RowsToEncode {
    std::string name;  ///< for messages
    DType type = DType::F32;
    std::uint64_t rows = 0;
    std::uint64_t columns = 0;  ///< a multiple of the block length of `type`
    std::function<void(std::uint64_t row, std::span<float> out)> read;
};

struct EncodeTools {
    ThreadPool& pool;
    std::stop_token stop;
    std::function<void(std::uint64_t bytes)> wrote;  ///< called after each batch; may be empty
};

constexpr std::uint64_t kBatchNumbers = std::uint64_t{1} << 21;
constexpr int kTasksPerThread = 8;

/// Returns the largest number of a type: halves end at 65504, and most scales are halves.
float limitOf(DType type) {
    constexpr float kMaxHalf = 65504.0F;
    if (type == DType::F32 || type == DType::BF16) return std::numeric_limits<float>::infinity();
    return type == DType::Q8_0 ? kMaxHalf * 127.0F : kMaxHalf;
}

bool fits(float value, float limit) {
    return std::fabs(value) <= limit;  // false for NaN
}

Status misfitError(const RowsToEncode& tensor, std::uint64_t row) {
    std::vector<float> values(static_cast<std::size_t>(tensor.columns));
    tensor.read(row, values);
    const float limit = limitOf(tensor.type);
    const auto found = std::ranges::find_if_not(values, [&](float v) { return fits(v, limit); });
    return fail(
        ErrorCode::ModelNonFinite,
        format("tensor {} holds {}, which does not fit {}; choose bf16 or f32",
               printable(tensor.name), static_cast<double>(*found), info(tensor.type).name));
}

/// Rows of one tensor, encoded by all threads.
class Batch {
  public:
    Batch(const RowsToEncode& tensor, const EncodeTools& tools)
        : tensor_(tensor),
          tools_(tools),
          bytesOfRow_(static_cast<std::size_t>(rowBytes(tensor.type, tensor.columns))) {}

    /// Errors: Cancelled, ModelNonFinite.
    [[nodiscard]] Status encode(std::uint64_t first, std::uint64_t count) {
        bytes_.resize(static_cast<std::size_t>(count) * bytesOfRow_);
        misfit_ = tensor_.rows;
        const auto tasks = std::min<std::uint64_t>(
            count, static_cast<std::uint64_t>(tools_.pool.threads()) * kTasksPerThread);
        const std::function<void(int)> share = [&](int task) {
            const auto part = static_cast<std::uint64_t>(task);
            encodeShare(first, part * count / tasks, (part + 1) * count / tasks);
        };
        tools_.pool.parallelFor(static_cast<int>(tasks), share);
        if (misfit_ < tensor_.rows) return misfitError(tensor_, misfit_);
        if (tools_.stop.stop_requested())
            return fail(ErrorCode::Cancelled, "writing the model was cancelled");
        return {};
    }
    [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }

  private:
    void encodeShare(std::uint64_t first, std::uint64_t begin, std::uint64_t end) {
        const float limit = limitOf(tensor_.type);
        std::vector<float> row(static_cast<std::size_t>(tensor_.columns));
        for (std::uint64_t r = begin; r < end && !tools_.stop.stop_requested(); ++r) {
            tensor_.read(first + r, row);
            if (!std::ranges::all_of(row, [&](float v) { return fits(v, limit); }))
                return noteMisfit(first + r);
            encodeRow(tensor_.type, row, bytes_.data() + r * bytesOfRow_);
        }
    }
    /// Reports the first such row, whichever thread finds one first.
    void noteMisfit(std::uint64_t row) {
        std::uint64_t known = misfit_;
        while (row < known && !misfit_.compare_exchange_weak(known, row)) {
        }
    }

    const RowsToEncode& tensor_;
    const EncodeTools& tools_;
    const std::size_t bytesOfRow_;
    std::vector<std::byte> bytes_;
    std::atomic<std::uint64_t> misfit_{0};
};

/// Errors: Write; Cancelled; ModelNonFinite, naming the tensor, if a number does not fit the type.
Status encodeRows(GgufWriter& writer, const RowsToEncode& tensor, const EncodeTools& tools) {
    const std::uint64_t most = std::max<std::uint64_t>(1, kBatchNumbers / tensor.columns);
    Batch batch(tensor, tools);
    for (std::uint64_t first = 0; first < tensor.rows; first += most) {
        LACUNA_TRY_STATUS(batch.encode(first, std::min(most, tensor.rows - first)));
        LACUNA_TRY_STATUS(writer.append(batch.bytes()));
        if (tools.wrote) tools.wrote(batch.bytes().size());
    }
    return {};
}

constexpr std::array<QuantiseRecipe, 12> kRecipes{{
    {"Q8_0", DType::Q8_0},
    {"Q4_0", DType::Q4_0},
    {"Q4_1", DType::Q4_1},
    {"Q5_0", DType::Q5_0},
    {"Q5_1", DType::Q5_1},
    {"Q4_K", DType::Q4_K},
    {"Q5_K", DType::Q5_K},
    {"Q6_K", DType::Q6_K},
    {"Q4_K_S", DType::Q4_K, RecipeMix::Small},
    {"Q4_K_M", DType::Q4_K, RecipeMix::Medium},
    {"Q5_K_S", DType::Q5_K, RecipeMix::Small},
    {"Q5_K_M", DType::Q5_K, RecipeMix::Medium},
}};

// In mixtures of this many experts attention is a small share of the weights, so wide keys and
// values cost almost nothing.
constexpr int kManyExperts = 8;

/// A split name such as "blk.12.attn_v.weight".
struct LayerTensor {
    int layer = 0;
    std::string_view name;  ///< "attn_v.weight"
};
LayerTensor partsOf(std::string_view name) {
    constexpr std::string_view kPrefix = "blk.";
    if (!name.starts_with(kPrefix)) return {0, name};
    const std::string_view rest = name.substr(kPrefix.size());
    const auto dot = rest.find('.');
    LayerTensor parts;
    if (dot == std::string_view::npos) return {0, name};
    std::from_chars(rest.data(), rest.data() + dot, parts.layer);
    parts.name = rest.substr(dot + 1);
    return parts;
}

/// True for the first and the last eighth of the layers and every third between them.
bool isSensitiveLayer(int layer, int layers) {
    const int eighth = layers / 8;
    return layer < eighth || layer >= 7 * layers / 8 || (layer - eighth) % 3 == 2;
}

DType smallMix(const QuantiseRecipe& recipe, const LayerTensor& tensor, const RecipeModel& model) {
    if (recipe.type != DType::Q4_K) return recipe.type;
    constexpr int kWideValues = 4;
    if (tensor.name == "attn_v.weight" && tensor.layer < kWideValues) return DType::Q5_K;
    if (tensor.name.starts_with("ffn_down") && tensor.layer < model.layers / 8) return DType::Q5_K;
    return recipe.type;
}

DType mediumMix(const QuantiseRecipe& recipe, const LayerTensor& tensor, const RecipeModel& model) {
    const bool values = tensor.name == "attn_v.weight" || tensor.name.starts_with("ffn_down");
    if (values && isSensitiveLayer(tensor.layer, model.layers)) return DType::Q6_K;
    if (tensor.name == "attn_qkv.weight")
        return recipe.type == DType::Q4_K ? DType::Q5_K : DType::Q6_K;
    const bool experts = model.experts == kManyExperts;
    if (experts && tensor.name == "attn_output.weight" && recipe.type == DType::Q4_K)
        return DType::Q5_K;
    return recipe.type;
}

}  // namespace

std::optional<QuantiseRecipe> recipeFromName(std::string_view name) {
    const auto same = [](char a, char b) {
        return std::toupper(static_cast<unsigned char>(a)) ==
               std::toupper(static_cast<unsigned char>(b));
    };
    for (const QuantiseRecipe& recipe : kRecipes)
        if (std::ranges::equal(recipe.name, name, same)) return recipe;
    return std::nullopt;
}

std::string recipeNames() {
    std::string names;
    for (const QuantiseRecipe& recipe : kRecipes) {
        if (!names.empty()) names += ", ";
        names += recipe.name;
    }
    return names;
}

std::uint32_t fileTypeNumber(const QuantiseRecipe& recipe) {
    // The format's list has no number for a pure k-quant of four or five bits; that of the small
    // mix is used.
    constexpr std::uint32_t kMediumAfterSmall = 1;
    return fileTypeNumber(recipe.type) + (recipe.mix == RecipeMix::Medium ? kMediumAfterSmall : 0);
}

bool isQuantised(std::string_view ggufName, std::span<const std::uint64_t> shape) {
    // Convolutions are not matrices of a product, and an error in a decay grows with every token.
    constexpr std::array<std::string_view, 6> kExact{"ffn_gate_inp", "ssm_conv1d", "shortconv.conv",
                                                     "ssm_alpha",    "ssm_beta",   "ssm_ba"};
    return shape.size() >= 2 && ggufName.ends_with(".weight") &&
           !ggufName.ends_with("_norm.weight") &&
           std::ranges::none_of(kExact, [&](std::string_view part) {
               return ggufName.find(part) != std::string_view::npos;
           });
}

DType recipeType(const QuantiseRecipe& recipe, std::string_view ggufName,
                 const RecipeModel& model) {
    if (recipe.mix == RecipeMix::Pure) return recipe.type;
    const LayerTensor tensor = partsOf(ggufName);
    const bool output =
        ggufName == "output.weight" || (model.tiedEmbeddings && ggufName == "token_embd.weight");
    if (output) return DType::Q6_K;
    const bool keysOrValues = tensor.name == "attn_k.weight" || tensor.name == "attn_v.weight";
    if (model.experts == kManyExperts && keysOrValues) return DType::Q8_0;
    return recipe.mix == RecipeMix::Small ? smallMix(recipe, tensor, model)
                                          : mediumMix(recipe, tensor, model);
}

DType fittingType(DType preferred, std::uint64_t columns) {
    const auto fits = [&](DType type) { return columns % info(type).blockLength == 0; };
    if (fits(preferred)) return preferred;
    const DType narrow = preferred == DType::Q4_K   ? DType::Q5_0
                         : preferred == DType::Q5_K ? DType::Q5_1
                                                    : DType::Q8_0;
    return fits(narrow) ? narrow : DType::F16;
}

namespace {

namespace fs = std::filesystem;

/// A file next to `target` that is removed by the destructor, or with other leftovers of a killed
/// program.
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
    /// Locks the file; call when it exists.
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

/// Copies all metadata byte by byte, except those that name the types.
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

/// Returns the tensors of the source in the order of its records. Errors: Unsupported.
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
            const DType preferred = recipeType(recipe, tensor->name, model);
            plan.type = fittingType(preferred, tensor->shape.back());
            if (plan.type != preferred)
                report.fallbacks.push_back({tensor->name, preferred, plan.type});
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

/// Returns the type that holds every weight of the folder without rounding.
Result<DType> losslessType(const fs::path& folder) {
    LACUNA_TRY(const ModelContainer model, openModel(folder));
    std::set<DType> types;
    for (const TensorInfo& tensor : model.source().tensors())
        if (tensor.shape.size() > 1) types.insert(tensor.type);
    return types.size() == 1 ? *types.begin() : DType::F32;
}

Result<QuantiseReport> quantiseFolder(const fs::path& folder, const fs::path& target,
                                      ThreadPool& pool, const QuantiseOptions& options) {
    constexpr double kConvertShare = 0.2;  // approximate share of the time
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
