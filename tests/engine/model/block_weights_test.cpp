// Complete models with weights in each block format against the same models with decoded floats.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "engine/kernels/cpu_features.h"
#include "engine/kernels/kernels.h"
#include "engine/kv/slot/slot_cache.h"
#include "engine/model/transformer.h"
#include "engine/tensor/block_formats.h"
#include "tests/support/random_blocks.h"
#include "tests/support/random_model.h"
#include "tests/support/reference_forward.h"

namespace lacuna::test {
namespace {

ModelSpec wideSpec() {
    ModelSpec spec = smallSpec();
    spec.layers = 2;
    spec.hidden = 256;
    spec.heads = 4;
    spec.kvHeads = 2;
    spec.headDim = 64;
    spec.feedForward = 512;
    spec.rope.dim = 64;
    return spec;
}

/// Two models of one spec: matrices in random blocks, and the floats these decode to.
class BlockWeights : public testing::TestWithParam<DTypeInfo> {
  protected:
    void SetUp() override {
        auto blocks = makeRandomModel(wideSpec(), DType::F32);
        auto floats = makeRandomModel(wideSpec(), DType::F32);
        ASSERT_TRUE(blocks.has_value() && floats.has_value());
        blocks_ = *blocks;
        floats_ = *floats;
        Weights& a = const_cast<LoadedModel&>(*blocks_).weights;
        Weights& b = const_cast<LoadedModel&>(*floats_).weights;
        fill(a.embedding, b.embedding);
        fill(a.output, b.output);
        for (std::size_t l = 0; l < a.layers.size(); ++l)
            for (WeightMatrix LayerWeights::*matrix :
                 {&LayerWeights::query, &LayerWeights::key, &LayerWeights::value,
                  &LayerWeights::output, &LayerWeights::gate, &LayerWeights::up,
                  &LayerWeights::down})
                fill(a.layers[l].*matrix, b.layers[l].*matrix);
    }

    /// Returns the logits of all tokens, fed in chunks of `chunk`.
    [[nodiscard]] std::vector<float> logits(const std::shared_ptr<const LoadedModel>& model,
                                            Precision precision, std::size_t chunk,
                                            const std::vector<TokenId>& tokens = prompt(26, 0)) {
        const ModelSpec& spec = model->spec;
        auto transformer = Transformer::create(model, pool_, {.precision = precision}).value();
        const auto cache =
            makeSlotCache({spec.layers, spec.kvHeads, spec.headDim, spec.headDim, DType::F32})
                .value();
        std::vector<float> all;
        for (std::size_t at = 0; at < tokens.size(); at += chunk) {
            const auto piece = std::span(tokens).subspan(at, std::min(chunk, tokens.size() - at));
            const BatchRun run{piece, cache.get(), LogitsFor::AllTokens, nullptr};
            const auto out = transformer->forward({&run, 1}, {});
            EXPECT_TRUE(out.has_value()) << (out ? "" : describe(out.error()));
            if (out) all.insert(all.end(), out->data(), out->data() + out->size());
        }
        return all;
    }

    static std::vector<TokenId> prompt(int length, int number) {
        std::vector<TokenId> tokens;
        for (int i = 0; i < length; ++i)
            tokens.push_back(static_cast<TokenId>((i * (37 + 4 * number) + 61 * number) % 259));
        return tokens;
    }

    std::shared_ptr<const LoadedModel> blocks_;
    std::shared_ptr<const LoadedModel> floats_;

  private:
    void fill(WeightMatrix& block, WeightMatrix& plain) {
        const auto columns = static_cast<std::size_t>(block.columns);
        const auto rows = static_cast<std::size_t>(block.rows);
        auto& bytes = bytes_.emplace_back(
            rows * static_cast<std::size_t>(rowBytes(GetParam().type, columns)));
        auto& values = values_.emplace_back(rows * columns);
        fillRandomBlocks(GetParam().type, bytes, random_, 1.0 / 32);
        decodeRow(GetParam().type, bytes.data(), values);
        block.type = GetParam().type;
        block.data = bytes.data();
        plain.data = reinterpret_cast<const std::byte*>(values.data());
    }

    ThreadPool pool_{2};
    RandomStream random_{20261121, 3};
    std::vector<std::vector<std::byte>> bytes_;
    std::vector<std::vector<float>> values_;
};

/// Returns the largest difference relative to the largest number of `expected`.
double difference(const std::vector<float>& found, const std::vector<float>& expected) {
    EXPECT_EQ(found.size(), expected.size());
    double worst = 0;
    double largest = 1e-30;
    for (std::size_t i = 0; i < std::min(found.size(), expected.size()); ++i) {
        worst = std::max(worst, std::fabs(double{found[i]} - double{expected[i]}));
        largest = std::max(largest, std::fabs(double{expected[i]}));
    }
    return worst / largest;
}

TEST_P(BlockWeights, exact_decodeAndPrefill_equalDecodedFloats) {
    const std::vector<float> expected = logits(floats_, Precision::Exact, 26);
    for (const std::size_t chunk : {std::size_t{1}, std::size_t{26}})
        EXPECT_LE(difference(logits(blocks_, Precision::Exact, chunk), expected), 2e-4) << chunk;
}

/// Returns whether products with this many tokens use int8 activations on this processor.
bool productsAreInteger(DType type, std::size_t tokens) {
    const KernelTable& kernels = bestKernels();
    constexpr std::size_t kFewTokens = 12;  // never multiplied with panels
    return kernels.dotRowsInteger[kernelIndex(type)] != nullptr &&
           (kernels.tileInteger != nullptr || tokens < kFewTokens);
}

/// Appends for each token the norm of the logit difference relative to the norm of the logits.
void addRowsOff(const std::vector<float>& found, const Rows& expected, std::vector<double>& rows) {
    std::size_t at = 0;
    for (const Row& row : expected) {
        double off = 0;
        double length = 0;
        for (const double value : row) {
            off += std::pow(double{found.at(at++)} - value, 2);
            length += value * value;
        }
        rows.push_back(std::sqrt(off / length));
    }
    EXPECT_EQ(at, found.size());
}

// The oracle is float64 with activations rounded to int8 like in the fast products, so float32
// rounding (a few 1e-7) should be the only difference. Occasionally an activation is so close to
// the midpoint of two codes that it rounds the other way. That moves the logits of this token and
// of later ones by up to a hundredth. So a quarter of the tokens of four prompts must agree to
// 1e-5, which detects any wrong scale, offset or block, and no token may exceed the effect of such
// flips.
TEST_P(BlockWeights, fast_decodeAndPrefill_equalFloat64OfRoundedActivations) {
    constexpr std::size_t kLength = 8;
    for (const std::size_t chunk : {std::size_t{1}, kLength}) {
        const auto inputs = productsAreInteger(GetParam().type, chunk) ? ReferenceInputs::Int8
                                                                       : ReferenceInputs::Whole;
        const ReferenceForward reference(*blocks_, inputs);
        std::vector<double> rows;
        for (int number = 0; number < 4; ++number) {
            const std::vector<TokenId> tokens = prompt(kLength, number);
            addRowsOff(logits(blocks_, Precision::Fast, chunk, tokens), reference.logits(tokens),
                       rows);
        }
        std::ranges::sort(rows);
        EXPECT_LE(rows[rows.size() / 4], 1e-5) << chunk;
        EXPECT_LE(rows.back(), 5e-2) << chunk;
    }
}

std::vector<DTypeInfo> blockTypes() {
    std::vector<DTypeInfo> types;
    for (const DTypeInfo& type : allDTypes())
        if (!isPlainFloat(type.type)) types.push_back(type);
    return types;
}

INSTANTIATE_TEST_SUITE_P(Types, BlockWeights, testing::ValuesIn(blockTypes()),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace lacuna::test
