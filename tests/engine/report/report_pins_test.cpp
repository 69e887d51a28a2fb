// Pinned words in the documents: the words, their start time and their positions.

#include "engine/report/report_pins.h"

#include <gtest/gtest.h>

#include <limits>

#include "engine/report/report.h"
#include "tests/support/sample_recording.h"

namespace lacuna {
namespace {

constexpr ConversationId kTalk(4);

RecordedTurn asked(std::int64_t number, std::vector<ChatMessage> messages,
                   std::vector<TextPin> pins, const std::string& answer) {
    RecordedTurn turn;
    turn.started.conversation = kTalk;
    turn.started.turn = number;
    turn.started.messages = std::move(messages);
    turn.started.pins = std::move(pins);
    turn.finished = TurnFinished{};
    turn.finished->text = answer;
    return turn;
}

/// A word of the first question is pinned with it, one of its answer with the second question, and
/// tokens after that question.
Recording pinned() {
    Recording recording;
    recording.turns.push_back(
        asked(1, {{"user", "The gate of Süd & Sons is grey."}}, {{0, 12, 23}}, "It is <grey>."));
    RecordedTurn second = asked(2, {{"assistant", "It is <grey>."}, {"user", "Why?"}},
                                {{0, 12, 23}, {1, 6, 12}}, "Nobody knows.");
    second.continues = 0;
    second.kept = 1;
    recording.turns.push_back(std::move(second));
    recording.commands.push_back({SafePoint{2, 30}, PinText{.conversation = kTalk,
                                                            .messages = {},
                                                            .pins = {},
                                                            .spans = KeptSpans{{3, 7}, {9, 10}}}});
    return recording;
}

TEST(ReportPins, pinnedWords_areInEveryDocument_andMarkedInTheirMessages) {
    const std::string html = reportHtml(pinned(), {});
    EXPECT_NE(html.find("<h2>Pinned words</h2>"), std::string::npos);
    EXPECT_NE(html.find("The gate of <span class=\"pinned\" title=\"pinned\">Süd &amp; Sons</span> "
                        "is grey."),
              std::string::npos)
        << html;
    EXPECT_NE(html.find("It is <span class=\"pinned\" title=\"pinned\">&lt;grey&gt;</span>.</div>"),
              std::string::npos)
        << "also in an answer";
    EXPECT_NE(html.find("<td>after turn 2</td>"), std::string::npos);
    EXPECT_NE(html.find("tokens 3 to 6, 9 to 9"), std::string::npos);
    const std::string markdown = reportMarkdown(pinned(), {});
    EXPECT_NE(markdown.find("| 4 | turn 1 | user | Süd \\& Sons |"), std::string::npos) << markdown;
    EXPECT_NE(markdown.find("| 4 | turn 2 | assistant | \\<grey\\> |"), std::string::npos);
}

TEST(ReportPins, pinnedWords_areListedOnce_forAllTurns) {
    const Recording recording = pinned();
    const auto pins = pinsOf(recording);
    ASSERT_EQ(pins.size(), 2U);
    EXPECT_EQ(pins[0].turn, 1);
    EXPECT_EQ(pins[0].words(), "Süd & Sons");
    EXPECT_EQ(pins[1].turn, 2);
}

TEST(ReportPins, noConversationSection_omitsPinnedWords) {
    ReportSections sections = kAllReportSections;
    sections.reset(static_cast<std::size_t>(ReportSection::Conversation));
    const std::string html = reportHtml(pinned(), {}, sections);
    EXPECT_EQ(html.find("Sons"), std::string::npos);
    EXPECT_EQ(html.find("Pinned words"), std::string::npos);
}

TEST(ReportPins, sessionWithoutPins_hasNoPinSection) {
    EXPECT_EQ(reportHtml(test::sampleRecording(), {}).find("Pinned words"), std::string::npos);
}

TEST(ReportPins, pinsOutsideMessages_areIgnored) {
    constexpr std::int64_t kFar = std::numeric_limits<std::int64_t>::max();
    Recording recording = pinned();
    recording.turns[0].started.pins = {
        {-1, 0, 4}, {7, 0, 4}, {0, kFar, kFar}, {0, 20, 3}, {0, -kFar, 3}};
    recording.turns[1].started.pins.clear();
    recording.turns[1].continues = 1;  // of its own conversation
    recording.turns[1].started.pins = {{0, 0, 4}};
    const auto pins = pinsOf(recording);
    ASSERT_EQ(pins.size(), 1U);
    EXPECT_EQ(pins[0].words(), "The");
}

TEST(ReportPins, pinsWithinAUtf8Character_includeTheFullCharacter) {
    Recording recording = pinned();
    recording.turns.pop_back();
    recording.turns[0].started.pins = {{0, 14, 15}};  // the second byte of ü
    const auto pins = pinsOf(recording);
    ASSERT_EQ(pins.size(), 1U);
    EXPECT_EQ(pins[0].words(), "ü");
    recording.turns[0].started.pins = {{0, 12, 23}, {0, 16, 28}};
    const auto ranges =
        pinnedIn(pinsOf(recording), kTalk, recording.turns[0].started.messages[0].content);
    EXPECT_EQ(ranges, (std::vector<std::pair<std::size_t, std::size_t>>{{12, 28}}))
        << "pins that overlap are marked as one";
    EXPECT_TRUE(pinnedIn(pinsOf(recording), ConversationId(5), "anything").empty());
}

}  // namespace
}  // namespace lacuna
