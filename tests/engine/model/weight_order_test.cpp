// The same model with plain and grouped weight rows and with one and two threads must give equal
// results.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "engine/kernels/cpu_features.h"
#include "engine/kv/slot/slot_cache.h"
#include "engine/model/transformer.h"
#include "engine/model/weight_placement.h"
#include "tests/support/random_model.h"

namespace lacuna::test {
namespace {

constexpr int kPrompt = 26;
constexpr int kAnswer = 24;

ModelSpec wideSpec(bool tied) {
    ModelSpec spec = smallSpec();
    spec.layers = 1;
    spec.hidden = 256;
    spec.heads = 4;
    spec.kvHeads = 2;
    spec.headDim = 64;
    spec.feedForward = 256;
    spec.rope.dim = 64;
    spec.tiedEmbeddings = tied;
    return spec;
}

struct Setup {
    WeightPlacement placement;
    Precision precision = Precision::Fast;
    int threads = 2;
};

struct Answer {
    std::vector<TokenId> tokens;
    std::vector<float> logits;  ///< logits of the last token
};

WeightPlacement inGroups() {
    WeightPlacement placement{.resident = true, .grouped = {}, .threads = 2, .keepFree = 0};
    placement.grouped.fill(true);
    return placement;
}

Answer answerOf(DType type, bool tied, const Setup& setup) {
    const auto model = makeRandomModel(wideSpec(tied), type).value();
    auto& loaded = const_cast<LoadedModel&>(*model);
    loaded.weightMemory = placeWeights(loaded.weights, setup.placement, {}).value();
    EXPECT_EQ(loaded.weights.output.order == RowLayout::Groups,
              setup.placement.resident && type != DType::F32);
    const ModelSpec& spec = model->spec;
    ThreadPool pool(setup.threads);
    const auto transformer =
        Transformer::create(model, pool, {.precision = setup.precision}).value();
    const auto cache =
        makeSlotCache({spec.layers, spec.kvHeads, spec.headDim, spec.headDim, DType::F16}).value();
    Answer answer;
    std::vector<TokenId> next;
    for (int i = 0; i < kPrompt; ++i) next.push_back(static_cast<TokenId>(i * 37 % 259));
    for (int i = 0; i < kAnswer; ++i) {
        const BatchRun run{.tokens = next, .cache = cache.get()};
        const auto out = transformer->forward({&run, 1}, {});
        EXPECT_TRUE(out.has_value()) << (out ? "" : describe(out.error()));
        if (!out) return answer;
        answer.logits.assign(out->data(), out->data() + out->size());
        const auto best = std::max_element(answer.logits.begin(), answer.logits.end());
        next = {static_cast<TokenId>(best - answer.logits.begin())};
        answer.tokens.push_back(next[0]);
    }
    return answer;
}

class WeightOrder : public ::testing::TestWithParam<DType> {};

TEST_P(WeightOrder, exact_groupsAndPlainRows_giveTheSameBits) {
    for (const bool tied : {true, false}) {
        const Answer plain =
            answerOf(GetParam(), tied, {.placement = {}, .precision = Precision::Exact});
        const Answer groups =
            answerOf(GetParam(), tied, {.placement = inGroups(), .precision = Precision::Exact});
        EXPECT_EQ(plain.tokens, groups.tokens);
        EXPECT_EQ(plain.logits, groups.logits);
    }
}

TEST_P(WeightOrder, fast_groupsAndPlainRows_agree) {
    const Answer plain = answerOf(GetParam(), true, {});
    const Answer groups = answerOf(GetParam(), true, {.placement = inGroups()});
    EXPECT_EQ(plain.tokens, groups.tokens);
    double off = 0;
    double length = 0;
    for (std::size_t i = 0; i < plain.logits.size(); ++i) {
        off += std::pow(double{plain.logits[i]} - double{groups.logits[i]}, 2);
        length += std::pow(double{plain.logits[i]}, 2);
    }
    // A difference in the last bit rounds some activations the other way, which gives the noise of
    // int8.
    EXPECT_LE(std::sqrt(off / length), 0.02);
}

TEST_P(WeightOrder, fast_oneAndTwoThreads_giveTheSameBits) {
    const Answer one = answerOf(GetParam(), true, {.placement = inGroups(), .threads = 1});
    const Answer two = answerOf(GetParam(), true, {.placement = inGroups(), .threads = 2});
    EXPECT_EQ(one.tokens, two.tokens);
    EXPECT_EQ(one.logits, two.logits);
}

INSTANTIATE_TEST_SUITE_P(Types, WeightOrder,
                         ::testing::Values(DType::F32, DType::F16, DType::BF16, DType::Q8_0,
                                           DType::Q4_0, DType::Q4_K, DType::Q5_K, DType::Q6_K),
                         [](const auto& test) {
                             return std::string(lacuna::info(test.param).name);
                         });

TEST(WeightPlacementFromEnvironment, environment_selectsThePlacement_orIsRefusedByName) {
    const KernelTable& best = bestKernels();
    ::unsetenv("LACUNA_WEIGHTS");
    EXPECT_TRUE(placementFor(best)->resident);
    EXPECT_FALSE(placementFor(*findKernels("scalar"))->grouped[kernelIndex(DType::Q8_0)]);
    ::setenv("LACUNA_WEIGHTS", "mapped", 1);
    EXPECT_FALSE(placementFor(best)->resident);
    ::setenv("LACUNA_WEIGHTS", "copied", 1);
    EXPECT_TRUE(placementFor(best)->resident);
    EXPECT_EQ(placementFor(best)->grouped, (WeightPlacement{}.grouped));
    ::setenv("LACUNA_WEIGHTS", "fast", 1);
    const auto refused = placementFor(best);
    ::unsetenv("LACUNA_WEIGHTS");
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().code, ErrorCode::InvalidArgument);
    EXPECT_NE(refused.error().what.find("LACUNA_WEIGHTS is \"fast\""), std::string::npos);
}

}  // namespace
}  // namespace lacuna::test
