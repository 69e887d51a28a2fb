#pragma once
/// \file
/// One conversation over a fake model that runs answers to their end, with the checks that hold for
/// every answer.

#include <gtest/gtest.h>

#include "engine/generate/generation.h"
#include "engine/kv/kv_factory.h"
#include "engine/kv/slot/slot_cache.h"
#include "tests/support/fake_model.h"

namespace lacuna::test {

/// Returns a choice that keeps every token.
inline KvChoice whole(const KvShape& shape) {
    KvChoice choice;
    choice.shape = shape;
    return choice;
}

/// All objects of one conversation over a fake model.
struct Stage {
    explicit Stage(FakeModelOptions modelOptions = {})
        : options(std::move(modelOptions)), model(test::fakeLoadedModel(options), options) {
        settings.context = options.context;
        settings.maxTokens = 12;
        settings.sampling.temperature = 0;
        auto made = Sequence::create(
            [this] {
                ++cachesMade;
                return makeSlotCache(KvShape{.layers = options.layers,
                                             .kvHeads = options.kvHeads,
                                             .keyDim = options.headDim,
                                             .valueDim = options.headDim,
                                             .type = DType::F16});
            },
            [this](const KvShape& shape) {
                return std::make_unique<Compactor>(
                    CompactorModel{.heads = options.heads, .scale = 0.5F, .seed = 1}, shape, pool,
                    clock);
            });
        sequence = std::move(*made);
    }

    [[nodiscard]] Result<std::unique_ptr<Generation>> start(std::vector<TokenId> prompt,
                                                            std::vector<std::string> stops = {}) {
        return Generation::start(model, *sequence, {std::move(prompt), std::move(stops), 7},
                                 settings);
    }
    /// The result of an answer that ran to its end.
    struct Answer {
        std::vector<TokenId> tokens;
        std::string text;
        FinishReason reason = FinishReason::Error;
        PromptReuse reuse;
        int compactions = 0;
        int steps = 0;  ///< steps that drew a token
        int drafted = 0;
        int accepted = 0;
    };
    Answer answer(std::vector<TokenId> prompt, std::vector<std::string> stops = {}) {
        return answer(GenerationRequest{
            .prompt = std::move(prompt), .stopStrings = std::move(stops), .seed = 7});
    }
    Answer answer(GenerationRequest request) {
        auto generation = Generation::start(model, *sequence, std::move(request), settings);
        EXPECT_TRUE(generation) << (generation ? "" : generation.error().what);
        Answer result;
        result.reuse = (*generation)->reuse();
        std::string streamed;
        std::int64_t before = offset();
        while (!(*generation)->finished()) {
            const auto step = (*generation)->step(model, settings, {}, clock);
            EXPECT_TRUE(step) << (step ? "" : step.error().what);
            if (!step) return result;
            for (const DrawnToken& drawn : step->drawn) streamed += drawn.text;
            streamed += step->rest;
            result.steps += step->drawn.empty() ? 0 : 1;
            result.drafted += step->drafted;
            result.accepted += step->accepted;
            EXPECT_EQ(offset() - before, step->tokens - step->shifted);
            before = offset();
            if (step->finish) result.reason = *step->finish;
            if (step->compaction && step->compaction->result == CompactionResult::Done)
                ++result.compactions;
        }
        result.tokens.assign((*generation)->answer().begin(), (*generation)->answer().end());
        result.text = (*generation)->text();
        EXPECT_EQ(streamed, result.text);
        sequence->cache().checkInvariants();
        return result;
    }
    [[nodiscard]] std::int64_t offset() const { return sequence->cache().offset().value; }

    FakeModelOptions options;
    FakeTransformer model;
    ThreadPool pool{1};
    SteadyClock clock;
    GenerationSettings settings;
    std::unique_ptr<Sequence> sequence;
    int cachesMade = 0;
};

[[nodiscard]] inline std::vector<TokenId> prompt(int length, int salt = 1) {
    std::vector<TokenId> tokens;
    for (int i = 0; i < length; ++i) tokens.push_back(static_cast<TokenId>((i * 7 + salt) % 256));
    return tokens;
}

/// Returns text of period 9 with a random token at every eleventh position: some proposals are
/// accepted.
[[nodiscard]] inline FakeModelOptions repeating() {
    FakeModelOptions options;
    options.context = 2048;
    options.period = 9;
    options.surpriseEvery = 11;
    return options;
}

}  // namespace lacuna::test
