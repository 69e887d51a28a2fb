// Words pinned by the user, through the complete engine: before any compaction, between two
// answers, during one, after an edit; and too many pinned words.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "engine/settings/config_check.h"
#include "tests/support/engine_runner.h"

namespace lacuna {
namespace {

using test::EngineRunner;
using test::lettersOf;

EngineConfig compacting(std::vector<std::string> more = {}) {
    std::vector<std::string> settings{
        "method=l2",     "compaction_floor=0", "loss_limit=off",   "norm_policy=keydiff",
        "budget=96",     "keep_recent=8",      "n_sink=2",         "margin=16",
        "temperature=0", "max_tokens=20",      "prefill_chunk=32", "prefix_cache=0",
        "prefix_disk=0", "background=off"};
    settings.insert(settings.end(), more.begin(), more.end());
    return withSettings({}, settings).value();
}

struct Talk {
    explicit Talk(const EngineConfig& config) : run(config, test::roomyModel()) {
        run.start();
        EXPECT_TRUE(run.load());
    }
    void answer() {
        Submit question{ConversationId(1), messages, {}};
        question.pins = pins;
        run.queue.push(std::move(question));
        ASSERT_TRUE(run.waitFor<TurnFinished>(++answers));
        messages.push_back({"assistant", run.all<TurnFinished>().back().text});
    }
    void ask(const std::string& text) {
        messages.push_back({"user", text});
        answer();
    }
    /// Replaces the pins of the entire conversation.
    TextPinned pin(std::vector<TextPin> wanted) {
        const auto said = run.all<TextPinned>().size();
        run.queue.push(PinText{ConversationId(1), messages, std::move(wanted)});
        EXPECT_TRUE(run.waitFor<TextPinned>(said + 1));
        return run.all<TextPinned>().back();
    }
    /// Waits for the end of a background compaction.
    void settle() {
        const auto told = run.all<CompactionHappened>();
        if (told.empty() || told.back().report.result != CompactionResult::Started) return;
        ASSERT_TRUE(run.waitFor<CompactionHappened>(told.size() + 1));
    }
    [[nodiscard]] std::size_t compactions() const {
        const auto all = run.all<CompactionHappened>();
        return static_cast<std::size_t>(
            std::ranges::count_if(all, [](const CompactionHappened& one) {
                return one.report.result == CompactionResult::Done;
            }));
    }
    RetentionSnapshot retained() {
        const auto said = run.all<RetentionSnapshot>().size();
        run.queue.push(RequestRetention{ConversationId(1)});
        EXPECT_TRUE(run.waitFor<RetentionSnapshot>(said + 1));
        return run.all<RetentionSnapshot>().back();
    }
    /// Returns the smallest share of heads that hold a token of the pin, and checks its text.
    float least(const PinnedTokens& pin) {
        const RetentionSnapshot now = retained();
        const auto begin = now.row.share.begin() + pin.first;
        words.clear();
        for (std::int64_t i = pin.first; i < pin.first + pin.count; ++i)
            words += now.pieces[static_cast<std::size_t>(i)];
        return *std::min_element(begin, begin + pin.count);
    }

    EngineRunner run;
    std::vector<ChatMessage> messages;
    std::vector<TextPin> pins;
    std::size_t answers = 0;
    std::string words;
};

class PinByMethod : public testing::TestWithParam<std::vector<std::string>> {};

TEST_P(PinByMethod, pinBeforeCompaction_isHeldByEveryHead) {
    Talk talk(compacting(GetParam()));
    talk.pins = {{0, 150, 162}};
    const std::string text = lettersOf(500);
    talk.ask(text);
    talk.settle();
    ASSERT_GT(talk.compactions(), 0U);
    const auto said = talk.run.all<TextPinned>();
    ASSERT_EQ(said.size(), 1U);
    EXPECT_FALSE(said[0].error);
    EXPECT_FALSE(said[0].asked);
    ASSERT_EQ(said[0].pins.size(), 1U);
    EXPECT_EQ(talk.least(said[0].pins[0]), 1.0F);
    EXPECT_NE(talk.words.find(text.substr(150, 12)), std::string::npos) << talk.words;
    EXPECT_LT(talk.words.size(), 30U);
    const std::size_t before = talk.compactions();
    talk.ask(lettersOf(200, 3));
    talk.settle();
    ASSERT_GT(talk.compactions(), before);
    EXPECT_EQ(talk.least(said[0].pins[0]), 1.0F) << "no later compaction forgets it";
    const RetentionRow row = talk.retained().row;
    EXPECT_LE(*std::ranges::max_element(row.slots), 500) << "the rest is forgotten";
}

INSTANTIATE_TEST_SUITE_P(Methods, PinByMethod,
                         testing::Values(std::vector<std::string>{},
                                         std::vector<std::string>{"norm_policy=keep_low"},
                                         std::vector<std::string>{"method=am", "compaction_floor=0",
                                                                  "loss_limit=off", "am_ratio=1"},
                                         std::vector<std::string>{"prefill_policy=per_chunk"},
                                         std::vector<std::string>{"background=on", "method=am",
                                                                  "compaction_floor=0",
                                                                  "loss_limit=off", "am_ratio=1"}));

TEST(TextPinner, pinBetweenTurns_appliesImmediately_untilUnpinned) {
    Talk talk(compacting({"budget=400"}));
    talk.ask(lettersOf(300));
    ASSERT_EQ(talk.compactions(), 0U);
    const TextPinned said = talk.pin({{0, 100, 110}, {1, 0, 4}});
    ASSERT_FALSE(said.error) << said.error->what;
    EXPECT_TRUE(said.asked);
    ASSERT_EQ(said.pins.size(), 2U);
    EXPECT_GT(said.pins[1].first, said.pins[0].first + 200) << "words of the answer, after it";
    EXPECT_EQ(said.pins[0].evicted, 0);
    EXPECT_GE(said.tokens, 2);
    talk.pins = {{0, 100, 110}, {1, 0, 4}};
    talk.ask(lettersOf(400, 5));
    ASSERT_GT(talk.compactions(), 0U);
    EXPECT_EQ(talk.least(said.pins[0]), 1.0F);
    EXPECT_EQ(talk.least(said.pins[1]), 1.0F);
    EXPECT_TRUE(talk.pin({}).spans.empty());
    talk.pins.clear();
    for (int i = 0; i < 3; ++i) talk.ask(lettersOf(400, 7 + i));
    EXPECT_LT(talk.least(said.pins[0]), 1.0F) << "like any other once it is unpinned";
}

TEST(TextPinner, pinOfEvictedWords_reportsThemAsEvicted) {
    Talk talk(compacting());
    talk.ask(lettersOf(500));
    ASSERT_GT(talk.compactions(), 0U);
    const TextPinned said = talk.pin({{0, 150, 190}});
    ASSERT_FALSE(said.error) << said.error->what;
    ASSERT_EQ(said.pins.size(), 1U);
    EXPECT_GT(said.pins[0].evicted, 0);
}

TEST(TextPinner, pinLargerThanTheBudget_isRefusedWithBothNumbers) {
    Talk talk(compacting());
    talk.ask(lettersOf(500));
    ASSERT_FALSE(talk.pin({{0, 100, 104}}).error);
    const TextPinned said = talk.pin({{0, 0, 400}});
    ASSERT_TRUE(said.error);
    EXPECT_EQ(said.error->code, ErrorCode::Range);
    EXPECT_NE(said.error->what.find(" 64"), std::string::npos)
        << "three quarters of 96 slots without 10 guarded ones: " << said.error->what;
    EXPECT_NE(said.error->what.find("40"), std::string::npos) << said.error->what;
    const std::size_t before = talk.compactions();
    talk.pins = {{0, 100, 104}};
    talk.ask(lettersOf(200, 3));
    ASSERT_GT(talk.compactions(), before);
}

TEST(TextPinner, pinThatNoLongerFits_isDroppedAndReportedByTheCompaction) {
    Talk talk(compacting());
    talk.pins = {{0, 50, 60}, {0, 100, 400}, {0, 420, 430}};
    talk.ask(lettersOf(500));
    ASSERT_GT(talk.compactions(), 0U);
    const auto said = talk.run.all<TextPinned>();
    ASSERT_EQ(said.size(), 1U);
    EXPECT_EQ(talk.least(said[0].pins[2]), 1.0F) << "the newest stay longest";
    const auto happened = talk.run.all<CompactionHappened>();
    EXPECT_TRUE(std::ranges::any_of(happened, [](const CompactionHappened& one) {
        return mentions(one.report.notes, CompactionReason::SpansEvicted);
    }));
}

TEST(TextPinner, editedEarlierMessage_movesThePinWithItsWords) {
    Talk talk(compacting({"budget=200"}));
    talk.ask("first " + lettersOf(40));
    talk.pins = {{2, 20, 30}};
    talk.ask(lettersOf(120, 4));
    const PinnedTokens before = talk.run.all<TextPinned>().back().pins[0];
    talk.messages[0].content = "another beginning, longer by far " + lettersOf(60, 9);
    talk.messages.resize(3);
    talk.answer();
    const PinnedTokens after = talk.run.all<TextPinned>().back().pins[0];
    EXPECT_NE(after.first, before.first);
    talk.ask(lettersOf(300, 6));
    ASSERT_GT(talk.compactions(), 0U);
    EXPECT_EQ(talk.least(after), 1.0F);
    EXPECT_NE(talk.words.find(lettersOf(120, 4).substr(20, 10)), std::string::npos) << talk.words;
}

TEST(TextPinner, pinDuringATurn_appliesToItsCompactions) {
    std::atomic<bool> pinned = false;
    EngineRunner run(compacting({"max_tokens=200"}), test::roomyModel());
    run.onEvent = [&](const Event& event) {
        const auto* token = std::get_if<TokenText>(&event);
        if (token == nullptr || token->index != 2 || pinned.exchange(true)) return;
        run.queue.push(PinText{ConversationId(1), {{"user", lettersOf(80)}}, {{0, 30, 40}}});
    };
    run.start();
    ASSERT_TRUE(run.load());
    run.submit(1, lettersOf(80));
    ASSERT_TRUE(run.waitFor<TurnFinished>());
    const auto said = run.all<TextPinned>();
    ASSERT_EQ(said.size(), 1U);
    ASSERT_FALSE(said[0].error) << said[0].error->what;
    run.queue.push(RequestRetention{ConversationId(1)});
    ASSERT_TRUE(run.waitFor<RetentionSnapshot>());
    const RetentionRow row = run.all<RetentionSnapshot>().back().row;
    const auto begin = row.share.begin() + said[0].pins[0].first;
    EXPECT_EQ(*std::min_element(begin, begin + said[0].pins[0].count), 1.0F);
    EXPECT_LT(*std::ranges::min_element(row.share), 1.0F) << "others were forgotten";
}

TEST(TextPinner, pinOutsideTheText_orWithoutAModel_isRefused) {
    Talk talk(compacting());
    talk.ask("hello there");
    for (const TextPin& wrong : {TextPin{7, 0, 2}, TextPin{0, 4, 4}, TextPin{0, 0, 400}}) {
        const TextPinned said = talk.pin({wrong});
        ASSERT_TRUE(said.error);
        EXPECT_EQ(said.error->code, ErrorCode::Range) << said.error->what;
    }
    talk.run.queue.push(UnloadModel{});
    EXPECT_TRUE(talk.pin({{0, 0, 2}}).error);
}

}  // namespace
}  // namespace lacuna
