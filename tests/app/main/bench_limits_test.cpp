// The cost of a token, against the tensors of files.

#include "app/main/bench_limits.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "engine/format/load_model.h"

namespace lacuna::cli {
namespace {

namespace fs = std::filesystem;

/// True for matrices that every token is multiplied with; kernels of convolutions and gains of
/// norms have two dimensions as well.
bool isProduct(const TensorInfo& tensor) {
    const std::string& name = tensor.name;
    return tensor.shape.size() == 2 && name.ends_with(".weight") &&
           name.find("conv1d") == std::string::npos && name.find(".conv.") == std::string::npos &&
           name.find("norm") == std::string::npos && name != "token_embd.weight" &&
           name != "output.weight";
}

TEST(TokenCost, everyMatrixOfALayer_isCounted) {
    for (const char* const file :
         {"models/llama", "models-2026/qwen35", "models-2026/lfm2", "models-2026/mamba2",
          "models-2026/kimi-linear", "models-2026/gemma4-e"}) {
        const auto model = loadModel(fs::path(LACUNA_GOLDEN_DIR) / file / "model.gguf");
        ASSERT_TRUE(model.has_value()) << file << ": " << describe(model.error());
        double expected = 0;
        for (const TensorInfo& tensor : (*model)->source->tensors())
            if (isProduct(tensor) && tensor.name != "per_layer_token_embd.weight")
                expected += static_cast<double>(tensor.shape[0] * tensor.shape[1]);
        const bool experts = (*model)->spec.experts.count > 0;
        const bool apart = (*model)->spec.latent.has_value();
        const TokenCost cost = tokenCost(**model);
        // Stacks of experts and of heads have three dimensions.
        if (experts || apart)
            EXPECT_GT(cost.prefillOperations, 2 * expected) << file;
        else
            EXPECT_DOUBLE_EQ(cost.prefillOperations, 2 * expected) << file;
        EXPECT_GT(cost.weightBytes, 0) << file;
    }
}

}  // namespace
}  // namespace lacuna::cli
