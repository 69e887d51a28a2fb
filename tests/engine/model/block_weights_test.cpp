// Whole models with weights in each block format against the same models with the decoded floats.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/kv/slot_cache.h"
#include "engine/model/transformer.h"
#include "engine/tensor/block_formats.h"
#include "tests/support/random_blocks.h"
#include "tests/support/random_model.h"

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

    /// Logits of all tokens, fed in pieces of `chunk`.
    [[nodiscard]] std::vector<float> logits(const std::shared_ptr<const LoadedModel>& model,
                                            Precision precision, std::size_t chunk) {
        const ModelSpec& spec = model->spec;
        auto transformer = Transformer::create(model, pool_, {.precision = precision}).value();
        const auto cache =
            makeSlotCache({spec.layers, spec.kvHeads, spec.headDim, spec.headDim, DType::F32})
                .value();
        std::vector<TokenId> tokens;
        for (int i = 0; i < 26; ++i) tokens.push_back(static_cast<TokenId>(i * 37 % 259));
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

/// Largest difference, as a share of the largest of `expected`.
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

TEST_P(BlockWeights, fast_decodeAndPrefill_areNearDecodedFloats) {
    const std::vector<float> expected = logits(floats_, Precision::Exact, 26);
    for (const std::size_t chunk : {std::size_t{1}, std::size_t{26}})
        EXPECT_LE(difference(logits(blocks_, Precision::Fast, chunk), expected), 0.1) << chunk;
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
