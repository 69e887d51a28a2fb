#include "engine/generate/stop_strings.h"

#include <gtest/gtest.h>

namespace lacuna {
namespace {

/// Returns the text passed on when `parts` arrive one by one, with '|' where the stop was found.
std::string through(std::vector<std::string> stops, const std::vector<std::string>& parts) {
    auto filter = StopStrings::create(std::move(stops));
    std::string shown;
    for (const std::string& part : parts) {
        const auto outcome = filter->push(part);
        shown += outcome.text;
        if (outcome.hit) return shown + "|";
    }
    return shown + filter->finish();
}

TEST(StopStrings, noStopStrings_textPassesImmediately) {
    auto filter = StopStrings::create({});
    EXPECT_EQ(filter->push("abc").text, "abc");
    EXPECT_EQ(filter->finish(), "");
}

TEST(StopStrings, stopStringAcrossTokens_isFound_andNotShown) {
    EXPECT_EQ(through({"\nUser:"}, {"Hello", "\nUs", "er", ": more"}), "Hello|");
    EXPECT_EQ(through({"END"}, {"a", "E", "N", "D"}), "a|");
    EXPECT_EQ(through({"END"}, {"all in one END and more"}), "all in one |");
}

TEST(StopStrings, partialMatchThatFails_isShownLater) {
    auto filter = StopStrings::create({"END"});
    EXPECT_EQ(filter->push("xEN").text, "x");
    EXPECT_EQ(filter->push("T").text, "ENT");
    EXPECT_EQ(filter->push("E").text, "");
    EXPECT_EQ(filter->finish(), "E");
}

TEST(StopStrings, overlappingPartialMatches_areTracked) {
    EXPECT_EQ(through({"aab"}, {"a", "a", "a", "b"}), "a|");
    EXPECT_EQ(through({"abab", "b!"}, {"aba", "b"}), "|");
    EXPECT_EQ(through({"abab", "b!"}, {"ab", "!"}), "a|");
}

TEST(StopStrings, earliestMatch_endsTheText) {
    EXPECT_EQ(through({"later", "now"}, {"not now, later"}), "not |");
}

TEST(StopStrings, matchedStopString_isReported) {
    auto filter = StopStrings::create({"later", "now", "no"});
    EXPECT_EQ(filter->push("not n").stop, "no") << "complete before the longer one";
    auto same = StopStrings::create({"now", "no"});
    EXPECT_EQ(same->push("it is now").stop, "now") << "of two at one place the first given";
    auto none = StopStrings::create({"now"});
    EXPECT_EQ(none->push("it is n").stop, "");
}

TEST(StopStrings, emptyOrTooManyStopStrings_areRefused) {
    EXPECT_EQ(StopStrings::create({""}).error().code, ErrorCode::InvalidArgument);
    EXPECT_FALSE(StopStrings::create(std::vector<std::string>(17, "x")));
    EXPECT_TRUE(StopStrings::create(std::vector<std::string>(16, "x")));
}

}  // namespace
}  // namespace lacuna
