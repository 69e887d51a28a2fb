#include "engine/generate/sequence.h"

#include <gtest/gtest.h>

namespace lacuna {
namespace {

/// Two turns: prompts of 50 and 100 tokens, answers up to 60 and 120.
TurnMarks twoTurns() {
    TurnMarks marks;
    marks.begin(0, 50);
    marks.begin(60, 100);
    return marks;
}

TEST(TurnMarks, firstTurn_hasNothingBeforeIt) {
    TurnMarks marks;
    EXPECT_EQ(marks.beforeNewest(), 0);
    marks.begin(0, 50);
    EXPECT_EQ(marks.beforeNewest(), 0);
}

TEST(TurnMarks, nextTurn_beginsWhereTheLastEnded) {
    TurnMarks marks = twoTurns();
    EXPECT_EQ(marks.beforeNewest(), 60);
    marks.begin(118, 150);  // the end of the answer is written otherwise in the next prompt
    EXPECT_EQ(marks.beforeNewest(), 118);
}

TEST(TurnMarks, sameQuestionAgain_beginsWhereItBeganBefore) {
    TurnMarks marks = twoTurns();
    marks.begin(99, 100);
    EXPECT_EQ(marks.beforeNewest(), 60);
    marks.begin(119, 140);
    EXPECT_EQ(marks.beforeNewest(), 119);
}

TEST(TurnMarks, otherQuestion_takesThePlaceOfTheOneItGoesBackInto) {
    TurnMarks marks = twoTurns();
    marks.begin(64, 90);
    EXPECT_EQ(marks.beforeNewest(), 60);
    marks.begin(20, 40);  // into the first question
    EXPECT_EQ(marks.beforeNewest(), 0);
}

TEST(TurnMarks, clear_makesWhatIsHeldOneTurnOfThePast) {
    TurnMarks marks = twoTurns();
    marks.clear();
    marks.begin(120, 150);
    EXPECT_EQ(marks.beforeNewest(), 120);
}

}  // namespace
}  // namespace lacuna
