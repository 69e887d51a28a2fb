#include "engine/format/quantise_recipe.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "engine/format/file_type.h"

namespace lacuna {
namespace {

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

// Mixtures of this many experts share their attention among many weights, so that wide keys and
// values cost next to nothing.
constexpr int kManyExperts = 8;

/// "blk.12.attn_v.weight" in parts.
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

/// The first and the last eighth of the layers and every third between them.
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
    // The formats' list has no number for a pure k-quant of four or five bits: it is the small mix.
    constexpr std::uint32_t kMediumAfterSmall = 1;
    return fileTypeNumber(recipe.type) + (recipe.mix == RecipeMix::Medium ? kMediumAfterSmall : 0);
}

bool isQuantised(std::string_view ggufName, std::span<const std::uint64_t> shape) {
    return shape.size() >= 2 && ggufName.ends_with(".weight") &&
           !ggufName.ends_with("_norm.weight") &&
           ggufName.find("ffn_gate_inp") == std::string_view::npos;
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

DType fittingType(DType wanted, std::uint64_t columns) {
    const auto fits = [&](DType type) { return columns % info(type).blockLength == 0; };
    if (fits(wanted)) return wanted;
    const DType narrow = wanted == DType::Q4_K   ? DType::Q5_0
                         : wanted == DType::Q5_K ? DType::Q5_1
                                                 : DType::Q8_0;
    return fits(narrow) ? narrow : DType::F16;
}

}  // namespace lacuna
