#pragma once
/// \file
/// Which tensor of a quantised file gets which type: one type for all matrices, or one of the usual
/// mixes that keep the sensitive ones wider. Pure data and functions. Source of the mixes: the
/// rules that other programs write files of the same names by.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

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

}  // namespace lacuna
