// Several answers to one prompt, through the complete engine: it is read once, and its cache is
// shared with no other request.

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "engine/settings/config_check.h"
#include "tests/support/engine_runner.h"

namespace lacuna {
namespace {

using test::EngineRunner;

constexpr std::int64_t kGroup = 7;

EngineConfig drawing(double prefixMiB) {
    EngineConfig config;
    config.sampling.temperature = 1;
    config.maxTokens = 20;
    config.prefillChunk = 32;
    config.parallel = 4;
    config.kv.background = false;
    config.prefixCacheMiB = prefixMiB;
    return config;
}

std::vector<TokenId> prompt(int length) {
    std::vector<TokenId> ids;
    for (int i = 0; i < length; ++i) ids.push_back((i * 11 + 5) % 250);
    return ids;
}

struct Answers {
    explicit Answers(const EngineConfig& config, test::FakeModelOptions model = test::roomyModel())
        : run(config, std::move(model)) {
        run.start();
        EXPECT_TRUE(run.load());
    }
    void submit(std::int64_t conversation, std::uint64_t seed, std::int64_t group,
                bool shared = true) {
        Submit question{ConversationId(conversation), {}, {}};
        question.prompt = prompt(300);
        question.seed = seed;
        question.prefix.shared = shared;
        question.promptGroup = group;
        run.queue.push(std::move(question));
    }
    TurnFinished ask(std::int64_t conversation, std::uint64_t seed, std::int64_t group,
                     bool shared = true) {
        submit(conversation, seed, group, shared);
        EXPECT_TRUE(run.waitFor<TurnFinished>(++asked));
        return run.all<TurnFinished>().back();
    }
    EngineRunner run;
    std::size_t asked = 0;
};

TEST(PromptGroup, furtherAnswers_readOneToken_andEqualSeparateRequests) {
    test::FakeModelOptions windowed = test::roomyModel();
    windowed.window = 24;
    for (const auto& model : {test::roomyModel(), windowed})
        for (const double mebibytes : {0.0, 64.0})
            for (const bool shared : {true, false}) {
                Answers together(drawing(mebibytes), model);
                Answers apart(drawing(0), model);
                for (int i = 0; i < 4; ++i) {
                    const auto seed = static_cast<std::uint64_t>(10 + i);
                    const auto one = together.ask(1 + i, seed, kGroup, shared);
                    EXPECT_EQ(one.stats.reusedTokens, i == 0 ? 0 : 299)
                        << i << " prefix_cache " << mebibytes << " shared " << shared;
                    EXPECT_EQ(one.tokens, apart.ask(1 + i, seed, 0, false).tokens) << i;
                }
            }
}

TEST(PromptGroup, releasedConversationCache_keepsTheGroup) {
    Answers answers(drawing(0));
    const auto first = answers.ask(1, 10, kGroup, false);
    answers.run.queue.push(ReleaseConversation{ConversationId(1)});
    const auto second = answers.ask(1, 10, kGroup, false);
    EXPECT_EQ(second.stats.reusedTokens, 299);
    EXPECT_EQ(second.tokens, first.tokens);
}

TEST(PromptGroup, endedOrForeignGroup_givesNoReuse) {
    Answers answers(drawing(64));
    static_cast<void>(answers.ask(1, 10, kGroup, false));
    EXPECT_EQ(answers.ask(2, 10, 0).stats.reusedTokens, 0) << "no group";
    answers.run.queue.push(ClearPrefixCache{});
    EXPECT_EQ(answers.ask(3, 10, kGroup + 1, false).stats.reusedTokens, 0) << "another group";
    answers.run.queue.push(EndPromptGroup{kGroup});
    EXPECT_EQ(answers.ask(4, 10, kGroup, false).stats.reusedTokens, 0);
}

TEST(PromptGroup, rowsHeldByTheGroupOnly_countAsPrefixCache) {
    Answers answers(drawing(64));
    static_cast<void>(answers.ask(1, 10, kGroup, false));
    answers.run.queue.push(ReleaseConversation{ConversationId(1)});
    const auto alone = [&] {
        return answers.run.all<PrefixCacheChanged>().back().stats.bytesAlone;
    };
    static_cast<void>(answers.ask(2, 10, 0, true));
    const std::int64_t held = alone();
    EXPECT_GT(held, 0);
    const std::size_t said = answers.run.all<PrefixCacheChanged>().size();
    answers.run.queue.push(EndPromptGroup{kGroup});
    ASSERT_TRUE(answers.run.waitFor<PrefixCacheChanged>(said + 1));
    EXPECT_LT(alone(), held);
}

}  // namespace
}  // namespace lacuna
