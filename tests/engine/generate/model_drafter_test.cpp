// Drafting with a second model: the answer does not change, its cache follows, and failures end the
// drafts.

#include "engine/generate/drafter.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>

#include "tests/support/generation_stage.h"

namespace lacuna {
namespace {

using test::FakeModelOptions;
using test::FakeTransformer;
using test::prompt;
using test::repeating;
using test::Stage;

/// A stage whose conversation drafts with a fake model of its own.
struct DraftedStage : Stage {
    explicit DraftedStage(const FakeModelOptions& target, const FakeModelOptions& guesser)
        : Stage(target) {
        draft.loaded = test::fakeLoadedModel(guesser);
        auto transformer = std::make_unique<FakeTransformer>(draft.loaded, guesser);
        fake = transformer.get();
        draft.transformer = std::move(transformer);
        auto made = ModelDrafter::create(draft, DType::F16);
        drafter = made->get();
        sequence->setDrafter(std::move(*made));
        settings.draftTokens = 4;
    }
    DraftModel draft;
    FakeTransformer* fake = nullptr;
    ModelDrafter* drafter = nullptr;
};

/// Predicts the same tokens as the target except at its surprises.
FakeModelOptions guesser() {
    FakeModelOptions options = repeating();
    options.surpriseEvery = 0;
    options.layers = 1;
    options.name = "draft";
    return options;
}

TEST(ModelDrafter, SP_01_drafts_changeNoTokenOfAGreedyAnswer) {
    Stage plain(repeating());
    plain.settings.maxTokens = 200;
    const auto expected = plain.answer(prompt(40));
    for (int k = 1; k <= 8; ++k) {
        DraftedStage stage(repeating(), guesser());
        stage.settings.maxTokens = 200;
        stage.settings.draftTokens = k;
        const auto answer = stage.answer(prompt(40));
        EXPECT_EQ(answer.tokens, expected.tokens) << k;
        EXPECT_EQ(answer.steps + answer.accepted, 200);
        EXPECT_GT(answer.accepted, 80) << k;
        EXPECT_LT(answer.accepted, answer.drafted);
        EXPECT_EQ(stage.drafter->problem(), "");
    }
}

TEST(ModelDrafter, SP_03_SP_04_draftCache_neverLeads_andLagsByAtMostOneToken) {
    DraftedStage stage(repeating(), guesser());
    stage.settings.maxTokens = 120;
    auto generation = stage.start(prompt(40));
    ASSERT_TRUE(generation);
    int whole = 0;
    while (!(*generation)->finished()) {
        const auto step = (*generation)->step(stage.model, stage.settings, {}, stage.clock);
        ASSERT_TRUE(step);
        if (step->drafted == 0) continue;
        const auto covered = static_cast<std::int64_t>(stage.drafter->coverage());
        EXPECT_LE(covered, stage.offset());
        EXPECT_GE(covered, stage.offset() - 1);
        whole += step->accepted == step->drafted ? 1 : 0;
    }
    EXPECT_GT(whole, 5) << "rounds in which every guess was right";
}

TEST(ModelDrafter, SP_02_sampledTokens_followTheSameDistribution) {
    // Compares the second token of an answer over many seeds as two samples of one distribution.
    // The two use disjoint seeds, since equal draws would prove nothing.
    constexpr int kRuns = 1500;
    FakeModelOptions options;
    options.layers = 1;
    options.kvHeads = 1;
    FakeModelOptions other = options;
    other.name = "draft";
    other.period = 3;
    other.surpriseEvery = 2;
    Stage plain(options);
    DraftedStage drafted(options, other);
    std::array<std::map<TokenId, int>, 2> counts;
    int accepted = 0;
    int rejected = 0;
    for (int which = 0; which < 2; ++which) {
        Stage& stage = which == 0 ? plain : static_cast<Stage&>(drafted);
        stage.settings.maxTokens = 3;
        stage.settings.sampling.temperature = 1;
        stage.settings.sampling.topK = 4;
        stage.settings.sampling.topP = 1;
        stage.settings.sampling.minP = 0;
        for (int run = 0; run < kRuns; ++run) {
            const auto answer = stage.answer(
                {.prompt = prompt(6), .seed = static_cast<std::uint64_t>(which * 1'000'000 + run)});
            ASSERT_EQ(answer.tokens.size(), 3U);
            ++counts[static_cast<std::size_t>(which)][answer.tokens[1]];
            accepted += answer.accepted;
            rejected += answer.drafted - answer.accepted;
        }
    }
    EXPECT_GT(accepted, 20);
    EXPECT_GT(rejected, 1000);
    double chiSquare = 0;
    int kinds = 0;
    std::map<TokenId, int> all = counts[0];
    for (const auto& [token, count] : counts[1]) all[token] += count;
    int rare = 0;
    for (const auto& [token, sum] : all) {
        if (sum < 20) {
            rare += sum;
            continue;
        }
        ++kinds;
        for (const auto& sample : counts) {
            const auto found = sample.find(token);
            const double expected = sum / 2.0;
            const double off = (found == sample.end() ? 0 : found->second) - expected;
            chiSquare += off * off / expected;
        }
    }
    ASSERT_GE(kinds, 4);
    EXPECT_LT(rare, kRuns / 5);
    // 4 standard deviations above the mean of a chi-square with as many degrees of freedom.
    EXPECT_LT(chiSquare, kinds - 1 + 4 * std::sqrt(2.0 * (kinds - 1)));
}

TEST(ModelDrafter, SP_12_nextTurn_reusesBothCaches) {
    DraftedStage stage(repeating(), guesser());
    stage.settings.maxTokens = 40;
    auto conversation = prompt(60);
    const auto first = stage.answer(conversation);
    conversation.insert(conversation.end(), first.tokens.begin(), first.tokens.end());
    const auto more = prompt(10, 5);
    conversation.insert(conversation.end(), more.begin(), more.end());
    const std::size_t before = stage.fake->chunkSizes().size();
    const auto second = stage.answer(conversation);
    int fed = 0;
    for (std::size_t i = before; i < stage.fake->chunkSizes().size(); ++i)
        fed += stage.fake->chunkSizes()[i];
    EXPECT_GE(second.reuse.tokens, 99);
    EXPECT_LT(fed, 12 + 5 * second.steps) << "the common start was not read again";
    Stage cold(repeating());
    cold.settings.maxTokens = 40;
    EXPECT_EQ(second.tokens, cold.answer(conversation).tokens);
}

TEST(ModelDrafter, drafter_readsThePromptChunkByChunk) {
    DraftedStage stage(repeating(), guesser());
    stage.settings.prefillChunk = 32;
    auto generation = stage.start(prompt(100));
    ASSERT_TRUE(generation);
    ASSERT_TRUE((*generation)->step(stage.model, stage.settings, {}, stage.clock));
    EXPECT_EQ(stage.drafter->coverage(), 32U);
}

TEST(ModelDrafter, cancelDuringADraft_returnsImmediately_andTheAnswerResumes) {
    DraftedStage stage(repeating(), guesser());
    stage.settings.maxTokens = 60;
    auto generation = stage.start(prompt(40));
    ASSERT_TRUE(generation);
    while ((*generation)->answer().size() < 5)
        ASSERT_TRUE((*generation)->step(stage.model, stage.settings, {}, stage.clock));
    bool cancelled = false;
    stage.fake->inside = [&](std::int64_t) { cancelled = true; };
    const std::int64_t guesses = stage.fake->forwards();
    const std::int64_t offset = stage.offset();
    const auto step = (*generation)
                          ->step(stage.model, stage.settings,
                                 {.cancelled = [&] { return cancelled; }}, stage.clock);
    ASSERT_FALSE(step);
    EXPECT_EQ(step.error().code, ErrorCode::Cancelled);
    EXPECT_EQ(stage.fake->forwards(), guesses + 1) << "no second guess after the cancel";
    EXPECT_EQ(stage.offset(), offset);
    EXPECT_EQ(stage.drafter->problem(), "") << "a cancel is no fault";
    stage.fake->inside = {};
    int accepted = 0;
    while (!(*generation)->finished()) {
        const auto next = (*generation)->step(stage.model, stage.settings, {}, stage.clock);
        ASSERT_TRUE(next);
        accepted += next->accepted;
    }
    EXPECT_GT(accepted, 10);
    Stage plain(repeating());
    plain.settings.maxTokens = 60;
    EXPECT_EQ(std::vector((*generation)->answer().begin(), (*generation)->answer().end()),
              plain.answer(prompt(40)).tokens);
}

TEST(ModelDrafter, SP_05_drafterError_endsDrafting_notTheAnswer) {
    DraftedStage stage(repeating(), guesser());
    stage.settings.maxTokens = 100;
    stage.fake->before = [](std::int64_t number) -> Status {
        if (number >= 12) return fail(ErrorCode::NoMemory, "no memory for the draft");
        return {};
    };
    const auto answer = stage.answer(prompt(40));
    Stage plain(repeating());
    plain.settings.maxTokens = 100;
    EXPECT_EQ(answer.tokens, plain.answer(prompt(40)).tokens);
    EXPECT_GT(answer.accepted, 0);
    EXPECT_NE(stage.drafter->problem().find("no memory for the draft"), std::string::npos);
}

TEST(ModelDrafter, beyondItsContext_proposesNothing) {
    FakeModelOptions small = guesser();
    small.context = 64;
    DraftedStage stage(repeating(), small);
    stage.settings.maxTokens = 100;
    const auto answer = stage.answer(prompt(40));
    Stage plain(repeating());
    plain.settings.maxTokens = 100;
    EXPECT_EQ(answer.tokens, plain.answer(prompt(40)).tokens);
    EXPECT_GT(answer.accepted, 0);
    EXPECT_LE(stage.drafter->coverage(), 64U);
}

TEST(ModelDrafter, SP_09_differentVocabulary_isRefused) {
    const auto target = test::fakeLoadedModel();
    FakeModelOptions named;
    named.name = "twin";
    EXPECT_TRUE(checkDraftVocabulary(*target, *test::fakeLoadedModel(named)));
    TokenizerData data = target->tokenizer.data();
    std::swap(data.pieces['a'], data.pieces['b']);
    ModelSpec spec = target->spec;
    auto chat = ChatTemplate::builtin("chatml");
    const LoadedModel swapped{.path = "swapped",
                              .spec = spec,
                              .weights = {},
                              .tokenizer = std::move(*Tokenizer::create(data)),
                              .templateText = std::nullopt,
                              .chatTemplate = std::move(*chat),
                              .templateNote = "",
                              .source = nullptr};
    const auto status = checkDraftVocabulary(*target, swapped);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, ErrorCode::Incompatible);
    EXPECT_NE(status.error().what.find("token 97"), std::string::npos) << status.error().what;
}

}  // namespace
}  // namespace lacuna
