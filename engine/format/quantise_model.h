#pragma once
/// \file
/// Quantises a model with float weights to one GGUF file of blocks. Streams tensor by tensor over
/// the thread pool, so it needs memory for only a batch of rows. The same input gives the same
/// bytes with any number of threads. Runs on the calling thread. A recipe assigns a type to each
/// tensor: one type for all matrices, or one of the usual mixes that keep the sensitive ones wider.
/// Source of the mixes: the rules by which other programs write files of the same names.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/thread_pool.h"
#include "engine/tensor/dtype.h"

namespace lacuna {

/// The number of tensors that are wider than the rest: none, a few (`_S`), more (`_M`).
enum class RecipeMix { Pure, Small, Medium };

struct QuantiseRecipe {
    std::string_view name;  ///< name as given and printed: "Q4_K_M"
    DType type = DType::Q8_0;
    RecipeMix mix = RecipeMix::Pure;
};

/// Model facts that the rules use.
struct RecipeModel {
    int layers = 0;
    int experts = 0;              ///< 0: dense
    bool tiedEmbeddings = false;  ///< the embedding is also the output matrix
};

/// Returns a recipe by its case-insensitive name; nullopt if unknown.
[[nodiscard]] std::optional<QuantiseRecipe> recipeFromName(std::string_view name);
/// Returns "Q8_0, Q4_0, ...": every name that recipeFromName accepts.
[[nodiscard]] std::string recipeNames();
/// Returns `general.file_type` of the result.
[[nodiscard]] std::uint32_t fileTypeNumber(const QuantiseRecipe& recipe);

/// True for the tensors that are stored in blocks: matrices named `.weight` except the small router
/// of a mixture of experts. All others keep single numbers.
[[nodiscard]] bool isQuantised(std::string_view ggufName, std::span<const std::uint64_t> shape);
/// Returns the type of one quantised tensor by the recipe, before the adjustment for rows that do
/// not fit its blocks.
[[nodiscard]] DType recipeType(const QuantiseRecipe& recipe, std::string_view ggufName,
                               const RecipeModel& model);
/// Returns `preferred`, or the nearest type whose blocks fit the rows: Q4_K to Q5_0, Q5_K to Q5_1,
/// Q6_K to Q8_0, and F16 if not even 32 divides them.
[[nodiscard]] DType fittingType(DType preferred, std::uint64_t columns);

struct QuantiseOptions {
    QuantiseRecipe recipe;
    std::function<void(double share)> progress;  ///< 0..1
    std::stop_token stop;
};

struct QuantiseReport {
    /// A tensor whose rows do not fit the recipe's blocks.
    struct Fallback {
        std::string tensor;
        DType preferred = DType::F32;
        DType stored = DType::F32;
    };
    std::uint64_t tensors = 0;
    std::uint64_t sourceBytes = 0;  ///< size of the weights read
    std::uint64_t bytes = 0;        ///< size of the written file
    std::map<DType, std::uint64_t> tensorsByType;
    std::vector<Fallback> fallbacks;
};

/// Writes `target`, or leaves it unchanged on error. `source` is a GGUF file or a safetensors
/// folder; a folder is first written as a float GGUF file next to the target, which temporarily
/// needs its size on disk. Metadata are kept; `general.file_type` and
/// `general.quantization_version` are set. Errors: those of opening and converting; InvalidArgument
/// if the target is a file of the source; ModelChanged if that is truncated or replaced meanwhile;
/// Unsupported if a matrix already has blocks or the file is one of several parts; ModelNonFinite
/// if a weight does not fit; Write; Cancelled.
[[nodiscard]] Result<QuantiseReport> quantiseModel(const std::filesystem::path& source,
                                                   const std::filesystem::path& target,
                                                   ThreadPool& pool,
                                                   const QuantiseOptions& options);

}  // namespace lacuna
