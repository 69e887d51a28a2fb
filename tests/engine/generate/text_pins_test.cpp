// Positions of message words in a prompt, and their tokens.

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/generate/prompt.h"
#include "engine/generate/text_pins.h"
#include "tests/support/fake_model.h"

namespace lacuna {
namespace {

using Source = PromptSpan::Source;

std::string at(std::span<const PromptSpan> prompt, const ByteRange& bytes) {
    return promptText(prompt).substr(bytes.begin, bytes.end - bytes.begin);
}

TEST(MessageSpans, messageEqualToATemplateWord_isFoundAtItsPosition) {
    const std::vector<PromptSpan> prompt{{"<user>", Source::Template},
                                         {"user", Source::Message},
                                         {"<end><assistant>", Source::Template},
                                         {"user user", Source::Message},
                                         {"<end>", Source::Template}};
    const std::vector<ChatMessage> messages{{"user", " user\n"}, {"assistant", "user user"}};
    const auto places = contentRanges(prompt, messages);
    ASSERT_EQ(places.size(), 2U);
    EXPECT_EQ(places[0].begin, 6U);
    EXPECT_EQ(at(prompt, places[0]), "user");
    EXPECT_EQ(at(prompt, places[1]), "user user");
}

TEST(MessageSpans, adjacentMessages_areFoundInOrder) {
    const std::vector<PromptSpan> prompt{{"say say say", Source::Message}};
    const auto places =
        contentRanges(prompt, std::vector<ChatMessage>{{"user", "say"}, {"user", "say"}});
    EXPECT_EQ(places[0].begin, 0U);
    EXPECT_EQ(places[1].begin, 4U);
}

TEST(MessageSpans, messageOmittedByTheTemplate_hasNoSpan_andHidesNoOther) {
    const std::vector<PromptSpan> prompt{{"a", Source::Message}, {"c", Source::Message}};
    const auto places = contentRanges(
        prompt, std::vector<ChatMessage>{{"user", "a"}, {"user", "b"}, {"user", "c"}});
    EXPECT_EQ(places[1], ByteRange());
    EXPECT_EQ(places[2].begin, 1U);
}

/// Returns the prompt's tokens from the newest question on, as text.
std::string questionOf(const LoadedModel& model, const std::vector<ChatMessage>& messages) {
    const auto prompt = promptTokens(model, messages).value();
    const auto start = questionStart(model, messages, static_cast<std::int64_t>(prompt.size()));
    if (!start) return "unknown";
    std::string text;
    for (auto i = static_cast<std::size_t>(*start); i < prompt.size(); ++i)
        text += model.tokenizer.pieceBytes(prompt[i], SpecialOutput::Show).value();
    return text;
}

TEST(QuestionStart, conversation_startsBeforeItsNewestUserMessage) {
    test::FakeModels models;
    const auto model = models.makers().load("fake", {}).value();
    const std::vector<ChatMessage> first{{"user", "where is it"}};
    EXPECT_EQ(questionOf(*model, first), promptText(renderedPrompt(*model, first).value()))
        << "all of the prompt";
    std::vector<ChatMessage> messages{{"system", "be kind"},
                                      {"user", "where is it"},
                                      {"assistant", "on the table"},
                                      {"user", "where is it"}};
    const std::string again = questionOf(*model, messages);
    EXPECT_NE(again.find("where is it"), std::string::npos) << again;
    EXPECT_EQ(again.find("on the table"), std::string::npos) << again;
    EXPECT_GT(again.find("where is it"), 0U) << "with the template text before it: " << again;
    messages.push_back({"assistant", "it is"});
    const std::string begun = questionOf(*model, messages);
    EXPECT_EQ(begun, again + "it is") << "an answer that is begun belongs to its question";
    EXPECT_EQ(questionOf(*model, {{"system", "be kind"}}), "unknown");
}

TEST(MessageStarts, editOfAnyMessage_keepsTheTokensBeforeItsStart) {
    test::FakeModels models;
    const auto model = models.makers().load("fake", {}).value();
    const std::vector<ChatMessage> messages{
        {"user", "where is it"}, {"assistant", "on the table"}, {"user", "and where is that"}};
    const auto prompt = promptTokens(*model, messages).value();
    const auto starts = messageStarts(*model, messages, prompt).value();
    ASSERT_EQ(starts.size(), messages.size());
    for (std::size_t i = 0; i < messages.size(); ++i) {
        std::vector<ChatMessage> edited(messages.begin(),
                                        messages.begin() + static_cast<std::ptrdiff_t>(i) + 1);
        edited.back().content = "\nsomething else";
        if (edited.back().role == "assistant") edited.pop_back();
        const auto other = promptTokens(*model, edited).value();
        const auto common = std::ranges::mismatch(prompt, other).in1 - prompt.begin();
        EXPECT_LE(starts[i], common) << "message " << i;
        EXPECT_GE(starts[i], common - 2) << "message " << i;
    }
}

TEST(QuestionStart, userMessageBetweenToolCallAndResult_keepsTheQuestionOfTheCallOpen) {
    test::FakeModels models;
    const auto model = models.makers().load("fake", {}).value();
    const std::string open = questionOf(*model, {{"user", "an older question"},
                                                 {"assistant", "an answer"},
                                                 {"user", "what is the weather"},
                                                 {"assistant", "call the tool"},
                                                 {"user", "be quick"},
                                                 {"tool", "rain"}});
    EXPECT_NE(open.find("what is the weather"), std::string::npos) << open;
    EXPECT_EQ(open.find("an answer"), std::string::npos) << open;
}

TEST(QuestionStart, toolResults_startAtTheUserMessageTheyServe) {
    test::FakeModels models;
    const auto model = models.makers().load("fake", {}).value();
    const std::string open = questionOf(*model, {{"user", "hello"},
                                                 {"assistant", "hello to you"},
                                                 {"user", "is it cold outside"},
                                                 {"assistant", "<call>weather</call>"},
                                                 {"tool", "minus four degrees"}});
    for (const char* part : {"is it cold outside", "<call>weather</call>", "minus four degrees"})
        EXPECT_NE(open.find(part), std::string::npos) << part << " is missing in " << open;
    EXPECT_EQ(open.find("hello"), std::string::npos) << open;
}

class PinnedTokensTest : public testing::Test {
  protected:
    test::FakeModels models;
    std::shared_ptr<const LoadedModel> model = models.makers().load("fake", {}).value();
};

TEST_F(PinnedTokensTest, span_coversTheTokensOfItsBytes) {
    const std::vector<ChatMessage> messages{{"system", "be kind"},
                                            {"user", "  the code is 4711, k\xC3\xA4me it"}};
    const auto prompt = promptTokens(*model, messages).value();
    const auto from = static_cast<std::int64_t>(messages[1].content.find("4711"));
    const auto umlaut = static_cast<std::int64_t>(messages[1].content.find("\xC3"));
    const auto pins = pinnedTokens(
        *model, messages, prompt,
        std::vector<TextPin>{{1, from, from + 4}, {0, 0, 7}, {1, umlaut, umlaut + 2}, {1, 0, 1}});
    ASSERT_TRUE(pins) << pins.error().what;
    const auto text = [&](const TokenSpan& span) {
        std::string words;
        for (std::int64_t i = span.first; i < span.last; ++i)
            words += model->tokenizer
                         .pieceBytes(prompt[static_cast<std::size_t>(i)], SpecialOutput::Show)
                         .value();
        return words;
    };
    EXPECT_NE(text((*pins)[0]).find("4711"), std::string::npos);
    EXPECT_NE(text((*pins)[1]).find("be kind"), std::string::npos);
    EXPECT_NE(text((*pins)[2]).find("\xC3\xA4"), std::string::npos) << "both of its bytes";
    EXPECT_EQ((*pins)[3].tokens(), 0) << "white space that the template took away";
}

TEST(JoinedSpans, adjacentSpans_areJoined) {
    const std::vector<TokenSpan> spans{{4, 8}, {0, 0}, {8, 9}, {20, 22}};
    EXPECT_EQ(joinedSpans(spans), (KeptSpans{{4, 9}, {20, 22}}));
}

}  // namespace
}  // namespace lacuna
