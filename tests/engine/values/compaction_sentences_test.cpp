// The English sentences of reasons and states, one line for each with arguments.

#include "engine/values/compaction_sentences.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace lacuna {
namespace {

constexpr auto kLastReason = CompactionReason::NoSnapshots;

std::string sentence(CompactionNote note) {
    return exclusionText(CompactionNotes{std::move(note)});
}

TEST(CompactionReasons, keys_areDistinct_andRoundTrip) {
    std::set<std::string_view> keys;
    for (int i = 0; i <= static_cast<int>(kLastReason); ++i) {
        const auto reason = static_cast<CompactionReason>(i);
        EXPECT_TRUE(keys.insert(keyOf(reason)).second) << keyOf(reason);
        EXPECT_EQ(valueOfKey<CompactionReason>(keyOf(reason)), reason);
    }
    EXPECT_EQ(valueOfKey<CompactionReason>("no such reason"), std::nullopt);
}

TEST(CompactionReasons, messageWithArguments_namesThemAll) {
    using enum CompactionReason;
    const Error error{ErrorCode::NoMemory, "there is not enough memory for it", {}};
    const std::pair<CompactionNote, const char*> cases[] = {
        {noteOf(Recorded, "as it was written"), "as it was written"},
        {noteOf(ShortText, 1023, 1024),
         "this conversation has 1,023 tokens and is not compacted below 1,024"},
        {noteOf(NothingToGain, 10, 12), "nothing to gain: 10 slots, the target is 12"},
        {noteOf(LossNotMeasured, error),
         "its loss could not be measured: there is not enough memory for it"},
        {noteOf(LimitNotReached, "0.9", 1.25, 88.94, 70.0),
         "no ratio keeps loss_limit=0.9: even at 1.25x only 88.9 % of the text's information would "
         "be kept, and 70 % of the weakest passage; the cache is unchanged"},
        {noteOf(Failed, error), "there is not enough memory for it"},
        {noteOf(LimitedByLoss, 3.14, 8.0, "balanced"),
         "3.14x of the requested 8x: a higher ratio would lose more than loss_limit=balanced "
         "allows"},
        {noteOf(LimitedByProtected, 38.46, 50.0, 36),
         "38.5x of the requested 50x, because 36 tokens are protected"},
        {noteOf(CacheLimitReached, "64.0 MiB"), "the caches reached the limit of 64.0 MiB"},
        {noteOf(SpansEvicted, 12), "12 restored or pinned tokens no longer fit and may be evicted"},
        {noteOf(CapturedFewQueries, 0, 1300), "queries of 0 of 1,300 tokens were captured"},
        {noteOf(QueriesFromReading, 300),
         "judged by queries from reading the text again, 300 tokens"},
        {noteOf(QueriesFromRepetition, 300),
         "judged by queries from repeating the text, 300 tokens"},
        {noteOf(NoQueriesByReading, error),
         "no queries from reading the text again: there is not enough memory for it"},
        {noteOf(NoQueriesByRepetition, error),
         "no queries from repeating the text: there is not enough memory for it"},
        {noteOf(NewestTurnTooShort, 9, 16),
         "the newest turn has queries of 9 tokens, but at least 16 are needed: earlier ones were "
         "used too"},
        {noteOf(TooFewQueriesToMatch, 9, 16),
         "queries of 9 tokens were captured, but at least 16 are needed: KeyDiff chose the keys, "
         "and values are unchanged"},
        {noteOf(ScoredByRepetition, 300, 1),
         "scored by repeating the text, 300 tokens in one piece"},
        {noteOf(ScoredByRepetition, 300, 3),
         "scored by repeating the text, 300 tokens in 3 pieces"},
        {noteOf(NoRepetitionScores, error),
         "no scores from repeating the text: there is not enough memory for it"},
        {noteOf(ScoresPredictedAgain, 400),
         "scores predicted by the surrogate, which read 400 tokens again"},
        {noteOf(SurrogateBehind, 8, 400),
         "the surrogate has seen only 8 of 400 tokens, and the rest were not read again"},
        {noteOf(SurrogateReadingFailed, 8, 400, "no memory"),
         "the surrogate has seen only 8 of 400 tokens, and the rest were not read again: no "
         "memory"},
        {noteOf(NormsConstant, 0.84),
         "key norms of this model are nearly constant (spread 0.84 %), so KeyDiff was used "
         "instead"},
        {noteOf(FewQueriesSeen, 15, 16),
         "queries of 15 tokens were seen, but at least 16 are needed: KeyDiff was used instead"},
        {noteOf(ProfileMissing, "the profile is of another model"),
         "the profile is of another model"},
        {noteOf(BadKeys, 3), "3 slots with non-finite keys were evicted first"},
        {noteOf(HeadsChoseAlone, 3),
         "3 heads hold different tokens since an earlier compaction, so they chose separately"}};
    for (const auto& [note, expected] : cases) EXPECT_EQ(sentence(note), expected);
}

TEST(CompactionReasons, severalNotes_areJoined) {
    EXPECT_EQ(exclusionText(CompactionNotes{{CompactionReason::NoScoresGathered},
                                            {CompactionReason::KeyDiffInstead}}),
              "no scores from repeating the text: none were collected; KeyDiff was used instead");
    EXPECT_EQ(exclusionText(CompactionNotes{}), "");
}

TEST(CompactionStandings, message_namesTheNumbers) {
    using enum CompactionPhase;
    CompactionState state{.slots = 1912,
                          .target = 2048,
                          .trigger = 2113,
                          .progress = 0.437,
                          .tokens = 1200,
                          .floor = 1500};
    const auto at = [&state](CompactionPhase phase) {
        state.phase = phase;
        return exclusionText(state);
    };
    EXPECT_EQ(at(Unknown), "");
    EXPECT_EQ(at(NoMethod), "off: no method is chosen");
    EXPECT_EQ(at(Waiting),
              "idle: 1,912 of 2,113 slots per head; compaction starts after 201 more tokens");
    EXPECT_EQ(at(ShortText), "idle: 1,200 of 1,500 tokens, the minimum for a compaction");
    EXPECT_EQ(
        at(TurnOpen),
        "idle: 1,912 slots per head, compacts the 1,200 tokens before this turn when it ends");
    EXPECT_EQ(at(Due), "due: 1,912 slots per head, compacting to 2,048");
    EXPECT_EQ(at(MeasuredAfterThisAnswer),
              "due: 1,912 slots per head; the loss is measured first, after this answer");
    EXPECT_EQ(at(Compacting), "compacting in the background, 43 %");
    EXPECT_EQ(at(Reading), "reading the text again, 43 %");
    EXPECT_EQ(at(Measuring), "measuring the loss, 43 %");
    state.trigger = 1913;
    state.limit = ProtectedLimit{.possible = 20.66, .asked = 50, .protectedTokens = 36};
    EXPECT_EQ(at(Waiting),
              "idle: 1,912 of 1,913 slots per head; compaction starts after 1 more token; 20.7x of "
              "the requested 50x, because 36 tokens are protected");
}

TEST(CompactionStandings, onlyDueOrRunningStates_areActive) {
    using enum CompactionPhase;
    for (const auto idle :
         {Unknown, CompactionPhase::SettingsChanged, NoMethod, NoBudget, RatioOne, LayersSkipped,
          Waiting, NotNear, ShortText, NextTurnDecides, FirstTurnOpen, TurnOpen})
        EXPECT_FALSE(active(idle)) << static_cast<int>(idle);
    for (const auto busy :
         {Due, MeasuredAfterThisAnswer, MeasuredAfterNextAnswer, ReadAfterThisAnswer,
          ReadAfterNextAnswer, Compacting, Reading, Measuring})
        EXPECT_TRUE(active(busy)) << static_cast<int>(busy);
}

TEST(CompactionOutcomes, resultAndLimit_determineTheOutcome) {
    using enum CompactionResult;
    const std::tuple<CompactionResult, bool, CompactionOutcome> cases[] = {
        {Done, false, CompactionOutcome::Done},
        {Done, true, CompactionOutcome::Limited},
        {Skipped, true, CompactionOutcome::Skipped},
        {Failed, false, CompactionOutcome::Failed},
        {Started, false, CompactionOutcome::Running},
        {Aborted, false, CompactionOutcome::Cancelled}};
    for (const auto& [result, limited, outcome] : cases) {
        CompactionReport report;
        report.result = result;
        report.limited = limited;
        EXPECT_EQ(outcomeOf(report), outcome) << keyOf(result);
        EXPECT_EQ(compacted(outcome), result == Done);
    }
}

}  // namespace
}  // namespace lacuna
