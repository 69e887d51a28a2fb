// Sliding layers over caches with dropped slots, and rotary scalings over chunks.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "engine/kv/slot/slot_cache.h"
#include "engine/model/transformer.h"
#include "tests/support/random_model.h"

namespace lacuna::test {
namespace {

constexpr int kWindow = 16;

ModelSpec slidingSpec() {
    ModelSpec spec = smallSpec();
    spec.window = kWindow;
    spec.layerSpecs.assign(static_cast<std::size_t>(spec.layers), {.sliding = true});
    return spec;
}

std::unique_ptr<KvCache> cacheOf(const ModelSpec& spec) {
    return makeSlotCache({spec.layers, spec.kvHeads, spec.headDim, spec.headDim, DType::F32})
        .value();
}

std::vector<TokenId> someTokens(int n) {
    std::vector<TokenId> ids;
    for (int i = 0; i < n; ++i) ids.push_back((11 + 53 * i) % 259);
    return ids;
}

std::vector<float> feed(Transformer& transformer, KvCache& cache, std::span<const TokenId> tokens,
                        Position promptEnd = {}) {
    const BatchRun run{
        .tokens = tokens, .cache = &cache, .logits = LogitsFor::AllTokens, .promptEnd = promptEnd};
    const auto out = transformer.forward({&run, 1}, {});
    EXPECT_TRUE(out.has_value()) << (out ? "" : describe(out.error()));
    return out ? std::vector<float>(out->data(), out->data() + out->size()) : std::vector<float>();
}

/// Compacts every head to `keep`.
Status compact(KvCache& cache, const std::vector<std::int32_t>& keep) {
    CompactionPlan plan;
    const KvShape& shape = cache.shape();
    plan.heads.resize(static_cast<std::size_t>(shape.layers * shape.kvHeads));
    for (HeadCompaction& head : plan.heads)
        head.keep = {cache.slots(LayerIndex(0), HeadIndex(0)), keep};
    return cache.compactable()->apply(plan);
}

// A window counts positions: tokens before it may be gone, which changes slot indices.
TEST(SlidingWindow, droppedSlotsBeforeTheWindow_keepTheLogits) {
    const auto model = makeRandomModel(slidingSpec(), DType::F32).value();
    ThreadPool pool(2);
    const auto transformer =
        Transformer::create(model, pool, {.precision = Precision::Exact}).value();
    const auto tokens = someTokens(90);
    const auto prompt = std::span(tokens).first(60);
    for (const std::size_t chunk : {std::size_t{1}, std::size_t{30}}) {
        const auto whole = cacheOf(model->spec);
        const auto dropped = cacheOf(model->spec);
        feed(*transformer, *whole, prompt);
        feed(*transformer, *dropped, prompt);
        std::vector<std::int32_t> keep{3, 20};  // and two tokens before every window
        for (std::int32_t slot = 60 - kWindow + 1; slot < 60; ++slot) keep.push_back(slot);
        ASSERT_TRUE(compact(*dropped, keep).has_value());
        for (std::size_t at = 60; at < tokens.size(); at += chunk) {
            const auto part = std::span(tokens).subspan(at, chunk);
            const auto expected = feed(*transformer, *whole, part);
            const auto found = feed(*transformer, *dropped, part);
            ASSERT_EQ(expected.size(), found.size());
            for (std::size_t i = 0; i < found.size(); ++i)
                ASSERT_NEAR(found[i], expected[i], 2e-5F) << at;
        }
    }
}

// LongRope depends on the text length: chunks equal the entire prompt only if the prompt's end is
// known.
TEST(PromptEnd, chunksOfALongPrompt_equalOneStep) {
    ModelSpec spec = smallSpec();
    spec.rope.scaling = RopeSpec::Scaling::LongRope;
    spec.rope.originalContext = 20;
    spec.rope.shortFactors.assign(16, 1.0F);
    spec.rope.longFactors.assign(16, 7.0F);
    const auto model = makeRandomModel(spec, DType::F32).value();
    ThreadPool pool(1);
    const auto transformer =
        Transformer::create(model, pool, {.precision = Precision::Exact}).value();
    const auto tokens = someTokens(30);
    const auto whole = cacheOf(spec);
    const auto known = cacheOf(spec);
    const auto unknown = cacheOf(spec);
    const auto all = feed(*transformer, *whole, tokens);
    const auto first = std::span(tokens).first(10);
    const auto expected = std::span(all).first(10 * static_cast<std::size_t>(spec.vocabulary));
    const auto same = feed(*transformer, *known, first, Position(30));
    const auto other = feed(*transformer, *unknown, first);
    float worst = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_NEAR(same[i], expected[i], 2e-5F);
        worst = std::max(worst, std::abs(other[i] - expected[i]));
    }
    EXPECT_GT(worst, 1e-3F);
}

}  // namespace
}  // namespace lacuna::test
