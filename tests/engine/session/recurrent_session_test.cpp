// Conversations with models that have recurrent layers: another answer, an edited question, another
// branch and drafts give the answers that a new conversation gives, and read what was announced.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "engine/generate/prompt.h"
#include "tests/support/compaction_notes.h"
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
class StateMemory : public RecurrentSession {};

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

/// A conversation of four turns whose messages are longer than the newest tokens that can always be
/// removed, and what its last turn read.
struct Chat {
    explicit Chat(const char* model, const EngineConfig& config) : run(config) {
        run.makers = ModelMakers{};
        run.start();
        EXPECT_TRUE(run.load(folderOf(model)));
    }
    struct Read {
        std::int64_t announced = 0, read = 0, prompt = 0;
        std::vector<TokenId> answer;
    };
    Read ask(const std::vector<ChatMessage>& messages, std::int64_t conversation = 1) {
        ++asked;
        run.queue.push(EstimateReading{ConversationId(conversation), messages, {}, asked});
        EXPECT_TRUE(run.waitFor<ReadingEstimated>(static_cast<std::size_t>(asked)));
        run.submit(conversation, messages);
        EXPECT_TRUE(run.waitFor<TurnFinished>(static_cast<std::size_t>(asked)));
        const TurnFinished turn = run.all<TurnFinished>().back();
        EXPECT_FALSE(turn.error) << describe(*turn.error);
        return {run.all<ReadingEstimated>().back().readTokens,
                turn.stats.promptTokens - turn.stats.reusedTokens, turn.stats.promptTokens,
                turn.tokens};
    }
    EngineRunner run;
    std::int64_t asked = 0;
};

std::vector<ChatMessage> chatOf(int turns, int salt = 0) {
    std::vector<ChatMessage> messages;
    for (int i = 0; i < turns; ++i) {
        if (i > 0) messages.push_back({"assistant", textOf(90, 40 + i)});
        messages.push_back({"user", textOf(90, i + salt)});
    }
    return messages;
}

EngineConfig chatSettings(std::vector<std::string> more) {
    more.insert(more.end(), {"max_tokens=4", "prefill_chunk=64"});
    return settings(more);
}

TEST_P(RecurrentSession, edits_readFromTheCheckpointBeforeTheMessage_asAnnounced) {
    Chat chat(GetParam(), chatSettings({"state_memory=64"}));
    const auto whole = chatOf(4);
    const auto first = chat.ask(whole);
    EXPECT_EQ(first.read, first.prompt);
    // The last, the third and the first message: each answer is that of a new conversation.
    for (const std::size_t message : {std::size_t{6}, std::size_t{4}, std::size_t{0}}) {
        std::vector<ChatMessage> edited(whole.begin(),
                                        whole.begin() + static_cast<std::ptrdiff_t>(message) + 1);
        edited.back().content = textOf(90, 20 + static_cast<int>(message));
        const auto read = chat.ask(edited);
        EXPECT_EQ(read.announced, read.read) << message;
        EXPECT_LE(read.read, read.prompt / static_cast<int>(message + 1) + 40)
            << "of " << read.prompt << ", message " << message;
        const auto fresh = chat.ask(edited, 2);
        EXPECT_EQ(read.answer, fresh.answer) << message;
        // Another answer reads the last token only.
        const auto again = chat.ask(edited);
        EXPECT_EQ(again.announced, 1) << message;
        EXPECT_EQ(again.read, 1) << message;
        EXPECT_EQ(again.answer, fresh.answer) << message;
    }
}

TEST_P(RecurrentSession, branchesInThePrefixCache_readTheirNewMessageOnly) {
    Chat chat(GetParam(), chatSettings({"state_memory=64", "prefix_cache=256"}));
    auto one = chatOf(3);
    auto two = chatOf(2);
    two.back().content = textOf(90, 30);
    static_cast<void>(chat.ask(one));
    const auto parted = chat.ask(two);
    EXPECT_EQ(parted.announced, parted.read);
    for (std::vector<ChatMessage>* branch : {&one, &two}) {
        branch->push_back({"assistant", textOf(90, 50)});
        branch->push_back({"user", textOf(90, 51)});
        const auto back = chat.ask(*branch);
        EXPECT_EQ(back.announced, back.read);
        EXPECT_LT(back.read, back.prompt / 2 + 90) << "of " << back.prompt;
        EXPECT_EQ(back.answer, Chat(GetParam(), chatSettings({})).ask(*branch).answer);
    }
    // Another conversation with the same first messages continues from their checkpoint.
    auto other = chatOf(2);
    other.back().content = textOf(90, 33);
    const auto shared = chat.ask(other, 7);
    EXPECT_EQ(shared.announced, shared.read);
    EXPECT_LT(shared.read, shared.prompt - 128) << "of " << shared.prompt;
}

// A stored prefix ends with its state: a longer prompt in another conversation reads only the rest.
TEST_P(RecurrentSession, prefixOfAnotherConversation_continuesWithTheSameTokens) {
    const auto model = loadModel(folderOf(GetParam())).value();
    const std::vector<TokenId> whole = promptTokens(*model, chatOf(4)).value();
    const std::vector<TokenId> part(whole.begin(), whole.begin() + std::ssize(whole) * 2 / 3);
    ASSERT_GT(part.size(), 128U) << "shorter texts are not stored";
    const auto turnsOf = [&](const char* prefix, const std::vector<std::vector<TokenId>>& prompts) {
        EngineRunner run(chatSettings({"state_memory=0", prefix}));
        run.makers = ModelMakers{};
        run.start();
        EXPECT_TRUE(run.load(folderOf(GetParam())));
        for (std::size_t i = 0; i < prompts.size(); ++i) {
            Submit asked;
            asked.conversation = ConversationId(static_cast<std::int64_t>(i) + 1);
            asked.prompt = prompts[i];
            run.queue.push(std::move(asked));
            EXPECT_TRUE(run.waitFor<TurnFinished>(i + 1));
        }
        return run.all<TurnFinished>();
    };
    const auto alone = turnsOf("prefix_cache=0", {whole});
    const auto shared = turnsOf("prefix_cache=64", {part, whole});
    ASSERT_EQ(alone.size(), 1U);
    ASSERT_EQ(shared.size(), 2U);
    EXPECT_GE(shared[1].stats.reusedTokens, std::ssize(part) - 1);
    EXPECT_LT(shared[1].stats.reusedTokens, std::ssize(whole) - 1);
    EXPECT_EQ(shared[1].tokens, alone[0].tokens);
}

// A server sends tokens instead of messages.
TEST_P(RecurrentSession, promptsOfTokens_goBackToTheEndOfAMessage) {
    const auto model = loadModel(folderOf(GetParam())).value();
    EngineRunner run(chatSettings({"state_memory=64"}));
    run.makers = ModelMakers{};
    run.start();
    EXPECT_TRUE(run.load(folderOf(GetParam())));
    const auto reused = [&](const std::vector<ChatMessage>& messages) {
        const std::size_t before = run.all<TurnFinished>().size();
        Submit asked;
        asked.conversation = ConversationId(1);
        asked.prompt = promptTokens(*model, messages).value();
        run.queue.push(std::move(asked));
        EXPECT_TRUE(run.waitFor<TurnFinished>(before + 1));
        return run.all<TurnFinished>().back().stats;
    };
    auto messages = chatOf(4);
    static_cast<void>(reused(messages));
    messages.resize(5);
    messages.back().content = textOf(90, 30);
    const TurnStats edited = reused(messages);
    EXPECT_GT(edited.reusedTokens, edited.promptTokens * 4 / 5 - 30) << edited.promptTokens;
}

TEST_P(StateMemory, noStateMemory_readsAgainFromTheStart_asAnnounced) {
    Chat chat(GetParam(), chatSettings({"state_memory=0"}));
    auto whole = chatOf(4);
    static_cast<void>(chat.ask(whole));
    EXPECT_EQ(chat.run.all<StepSample>().back().kv.checkpointBytes, 0);
    whole.back().content = textOf(90, 30);
    const auto read = chat.ask(whole);
    EXPECT_EQ(read.announced, read.read);
    EXPECT_EQ(read.read, read.prompt);
}

TEST_P(StateMemory, bytesOfCheckpoints_stayWithinStateMemory) {
    const std::string limit = "0.25";
    Chat chat(GetParam(), chatSettings({"state_memory=" + limit}));
    for (int i = 0; i < 3; ++i) static_cast<void>(chat.ask(chatOf(4, i)));
    std::int64_t most = 0;
    for (const StepSample& sample : chat.run.all<StepSample>()) {
        most = std::max(most, sample.kv.checkpointBytes);
        EXPECT_EQ(sample.kv.checkpointBytes, sample.checkpointBytesAll);
        EXPECT_GE(sample.liveBytesAll, sample.stateBytesAll + sample.checkpointBytesAll);
    }
    EXPECT_GT(most, 0);
    EXPECT_LE(most, 256 * 1024);
}

// The measurement resumes with the states of the first answer's end, which the second turn leaves
// far behind.
TEST(RecurrentMeasurement, continuedConversation_isCompactedAsMeasured) {
    for (const char* model : {"qwen35", "deepseek3"}) {
        EngineRunner run(settings({"loss_limit=0", "method=l2", "norm_policy=keydiff", "budget=60",
                                   "keep_recent=8", "n_sink=2", "margin=8", "compaction_floor=0",
                                   "max_tokens=20"}));
        run.makers = ModelMakers{};
        test::HoldingSource source(run.queue);
        run.source = &source;
        run.start();
        ASSERT_TRUE(run.load(folderOf(model)));
        std::vector<TokenId> tokens;
        for (std::size_t turn = 1; turn <= 2; ++turn) {
            for (int i = 0; i < 75; ++i) tokens.push_back(40 + i * 7 % 50);
            Submit asked{ConversationId(1), {}, {}};
            asked.prompt = tokens;
            run.queue.push(std::move(asked));
            ASSERT_TRUE(run.waitFor<TurnFinished>(turn));
            const TurnFinished answer = run.all<TurnFinished>().back();
            ASSERT_FALSE(answer.error) << model << ": " << describe(*answer.error);
            tokens.insert(tokens.end(), answer.tokens.begin(), answer.tokens.end());
        }
        ASSERT_EQ(run.all<CompactionHappened>().size(), 1U) << model;
        source.holds = false;
        ASSERT_TRUE(run.waitFor<CompactionHappened>(2)) << model;
        run.finish();
        const CompactionReport begun = run.all<CompactionHappened>()[0].report;
        const CompactionReport done = run.all<CompactionHappened>()[1].report;
        EXPECT_GE(run.all<TurnFinished>()[1].stats.reusedTokens, begun.tokens) << model;
        EXPECT_EQ(done.result, CompactionResult::Done) << model << ": " << done.notes;
        EXPECT_EQ(done.id, begun.id) << model;
        EXPECT_EQ(done.tokens, begun.tokens) << model;
        EXPECT_TRUE(done.kept) << model;
        EXPECT_LT(done.slotsAfter, done.slotsBefore) << model;
    }
}

std::string familyName(const testing::TestParamInfo<const char*>& test) {
    std::string name = test.param;
    std::ranges::replace(name, '-', '_');
    return name;
}

const auto kRecurrent =
    testing::Values("lfm2", "lfm2moe", "qwen35", "qwen35moe", "qwen3next", "kimi-linear", "mamba2",
                    "granitemoehybrid", "nemotron-h", "nemotron-h-moe", "falcon-h1");
INSTANTIATE_TEST_SUITE_P(Families, RecurrentSession, kRecurrent, familyName);
INSTANTIATE_TEST_SUITE_P(Latent, RecurrentSession, testing::Values("deepseek3"), familyName);
INSTANTIATE_TEST_SUITE_P(Families, StateMemory, kRecurrent, familyName);

}  // namespace
}  // namespace lacuna::recurrent_session
