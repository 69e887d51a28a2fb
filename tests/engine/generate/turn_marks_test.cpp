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

TEST(TurnMarks, firstTurn_startsAtZero) {
    TurnMarks marks;
    EXPECT_EQ(marks.beforeNewest(), 0);
    marks.begin(0, 50);
    EXPECT_EQ(marks.beforeNewest(), 0);
}

TEST(TurnMarks, nextTurn_startsWhereTheLastEnded) {
    TurnMarks marks = twoTurns();
    EXPECT_EQ(marks.beforeNewest(), 60);
    marks.begin(118, 150);  // the next prompt replaces the end of the answer
    EXPECT_EQ(marks.beforeNewest(), 118);
}

TEST(TurnMarks, repeatedQuestion_startsAtItsFormerStart) {
    TurnMarks marks = twoTurns();
    marks.begin(99, 100);
    EXPECT_EQ(marks.beforeNewest(), 60);
    marks.begin(119, 140);
    EXPECT_EQ(marks.beforeNewest(), 119);
}

TEST(TurnMarks, changedQuestion_replacesTheTurnItDivergesIn) {
    TurnMarks marks = twoTurns();
    marks.begin(64, 90);
    EXPECT_EQ(marks.beforeNewest(), 60);
    marks.begin(20, 40);  // back into the first question
    EXPECT_EQ(marks.beforeNewest(), 0);
}

TEST(TurnMarks, clear_turnsHeldTokensIntoOnePastTurn) {
    TurnMarks marks = twoTurns();
    marks.clear();
    marks.begin(120, 150);
    EXPECT_EQ(marks.beforeNewest(), 120);
}

}  // namespace
}  // namespace lacuna
