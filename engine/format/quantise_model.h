#pragma once
/// \file
/// A model with float weights to one GGUF file of blocks. Streams tensor by tensor over the thread
/// pool: needs memory for a batch of rows only. The same input gives the same bytes with any number
/// of threads. Runs on the calling thread. A recipe says which tensor gets which type: one type for
/// all matrices, or one of the usual mixes that keep the sensitive ones wider. Source of the mixes:
/// the rules that other programs write files of the same names by.

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

/// How many tensors are wider than the rest: none, a few (`_S`), more (`_M`).
enum class RecipeMix { Pure, Small, Medium };

struct QuantiseRecipe {
    std::string_view name;  ///< as given and printed: "Q4_K_M"
    DType type = DType::Q8_0;
    RecipeMix mix = RecipeMix::Pure;
};

/// What the rules ask about the model.
struct RecipeModel {
    int layers = 0;
    int experts = 0;              ///< 0: dense
    bool tiedEmbeddings = false;  ///< the embedding is the output matrix too
};

/// A recipe by its name in any case; nothing when unknown.
[[nodiscard]] std::optional<QuantiseRecipe> recipeFromName(std::string_view name);
/// "Q8_0, Q4_0, ...": every name that recipeFromName knows.
[[nodiscard]] std::string recipeNames();
/// `general.file_type` of the result.
[[nodiscard]] std::uint32_t fileTypeNumber(const QuantiseRecipe& recipe);

/// True for the tensors that are stored in blocks: matrices named `.weight` that are not the small
/// router of a mixture of experts. All others keep single numbers.
[[nodiscard]] bool isQuantised(std::string_view ggufName, std::span<const std::uint64_t> shape);
/// Type of one quantised tensor by the recipe, before rows that do not fit its blocks.
[[nodiscard]] DType recipeType(const QuantiseRecipe& recipe, std::string_view ggufName,
                               const RecipeModel& model);
/// `wanted`, or the nearest type whose blocks the rows fit: Q4_K to Q5_0, Q5_K to Q5_1, Q6_K to
/// Q8_0, and F16 where not even 32 divides them.
[[nodiscard]] DType fittingType(DType wanted, std::uint64_t columns);

struct QuantiseOptions {
    QuantiseRecipe recipe;
    std::function<void(double share)> progress;  ///< 0..1
    std::stop_token stop;
};

struct QuantiseReport {
    /// A tensor whose rows the recipe's blocks do not fit.
    struct Fallback {
        std::string tensor;
        DType wanted = DType::F32;
        DType stored = DType::F32;
    };
    std::uint64_t tensors = 0;
    std::uint64_t sourceBytes = 0;  ///< of the weights read
    std::uint64_t bytes = 0;        ///< of the written file
    std::map<DType, std::uint64_t> tensorsByType;
    std::vector<Fallback> fallbacks;
};

/// Writes `target` or leaves it as it was. `source` is a GGUF file or a safetensors folder; a
/// folder is first written as a float GGUF file next to the target, which needs its size on disk
/// meanwhile. Metadata are kept; `general.file_type` and `general.quantization_version` are set.
/// Errors: those of opening and converting; InvalidArgument when the target is a file of the
/// source; ModelChanged when that is cut or replaced meanwhile;
/// Unsupported when a matrix is in blocks already or the file is one part of several;
/// ModelNonFinite when a weight does not fit; Write; Cancelled.
[[nodiscard]] Result<QuantiseReport> quantiseModel(const std::filesystem::path& source,
                                                   const std::filesystem::path& target,
                                                   ThreadPool& pool,
                                                   const QuantiseOptions& options);

}  // namespace lacuna
