// Conversations with models that have recurrent layers: another answer, an edited question and
// drafts give the answers that a new conversation gives.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "tests/support/engine_runner.h"

namespace lacuna::recurrent_session {
namespace {

using test::EngineRunner;

std::filesystem::path folderOf(const std::string& model) {
    return std::filesystem::path(LACUNA_GOLDEN_DIR) / "models-2026" / model;
}

EngineConfig settings(std::vector<std::string> more = {}) {
    std::vector<std::string> all{"temperature=0",  "max_tokens=90",   "prefill_chunk=24",
                                 "seed=5",         "precision=exact", "kv_type=f32",
                                 "prefix_cache=0", "loss_limit=off"};
    all.insert(all.end(), more.begin(), more.end());
    return *withSettings({}, all);
}

std::string textOf(int length, int salt) {
    std::string text;
    for (int i = 0; i < length; ++i) text += static_cast<char>('a' + (i * 11 + salt) % 26);
    return text;
}

std::vector<ChatMessage> asked(const std::string& question) {
    return {{"user", textOf(60, 3)}, {"assistant", textOf(20, 8)}, {"user", question}};
}

/// Returns the answers to one list of messages after the other in one conversation.
std::vector<TurnFinished> answers(const std::string& model, const EngineConfig& config,
                                  const std::vector<std::vector<ChatMessage>>& dialogues) {
    EngineRunner run(config);
    run.makers = ModelMakers{};
    run.start();
    EXPECT_TRUE(run.load(folderOf(model)));
    for (std::size_t i = 0; i < dialogues.size(); ++i) {
        run.submit(1, dialogues[i]);
        EXPECT_TRUE(run.waitFor<TurnFinished>(i + 1));
    }
    run.finish();
    std::vector<TurnFinished> all = run.all<TurnFinished>();
    for (const TurnFinished& one : all) EXPECT_FALSE(one.error) << describe(*one.error);
    EXPECT_EQ(all.size(), dialogues.size());
    all.resize(dialogues.size());
    return all;
}

class RecurrentSession : public testing::TestWithParam<const char*> {};

TEST_P(RecurrentSession, anotherAnswerAndAnEditedQuestion_equalNewConversations) {
    const auto first = asked(textOf(30, 5));
    const auto edited = asked(textOf(30, 6));
    for (const char* prefix : {"prefix_cache=0", "prefix_cache=64"}) {
        const EngineConfig config = settings({prefix});
        const auto all = answers(GetParam(), config, {first, first, edited, first});
        const auto other = answers(GetParam(), config, {edited});
        EXPECT_GT(all[0].tokens.size(), 5U);
        EXPECT_EQ(all[1].tokens, all[0].tokens) << prefix;
        EXPECT_EQ(all[2].tokens, other[0].tokens) << prefix;
        EXPECT_EQ(all[3].tokens, all[0].tokens) << prefix;
        // Another answer to the same prompt reads only its last token again.
        EXPECT_EQ(all[1].stats.reusedTokens, all[0].stats.promptTokens - 1) << prefix;
    }
}

TEST_P(RecurrentSession, drafts_changeNoAnswer) {
    const auto plain = answers(GetParam(), settings(), {asked(textOf(30, 5))});
    const auto drafted = answers(GetParam(), settings({"draft_tokens=5"}), {asked(textOf(30, 5))});
    EXPECT_EQ(drafted[0].tokens, plain[0].tokens);
}

INSTANTIATE_TEST_SUITE_P(Families, RecurrentSession,
                         testing::Values("lfm2", "lfm2moe", "qwen35", "qwen35moe", "qwen3next",
                                         "kimi-linear", "deepseek3", "mamba2", "granitemoehybrid",
                                         "nemotron-h", "nemotron-h-moe", "falcon-h1"),
                         [](const auto& test) {
                             std::string name = test.param;
                             std::ranges::replace(name, '-', '_');
                             return name;
                         });

}  // namespace
}  // namespace lacuna::recurrent_session
