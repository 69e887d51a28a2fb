// Mutually exclusive settings (docs/cache-contracts.md, "Mutually exclusive settings"), each pair
// separately, and allowed combinations.

#include "engine/settings/exclusions.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>
#include <utility>

#include "tests/support/contract_numbers.h"

namespace lacuna::test {
namespace {

std::vector<std::string> hits(const CacheRequest& requests) {
    std::vector<std::string> out;
    for (const Exclusion* exclusion : excludedBy(requests)) out.emplace_back(exclusion->id);
    return out;
}

using Ids = std::vector<std::string>;

CacheRequest with(const std::function<void(CacheRequest&)>& change) {
    CacheRequest requests;
    change(requests);
    return requests;
}

TEST(Exclusions, S1_04_budgetWithWindow_isRefused) {
    EXPECT_EQ(hits(with([](auto& w) { w.budget = 64, w.window = 128; })), Ids{"EX-BUDGET-WINDOW"});
}

TEST(Exclusions, matchingWithWindow_isRefused) {
    EXPECT_EQ(hits(with([](auto& w) {
                  w.method = CompactionMethod::AttentionMatching;
                  w.window = 128;
              })),
              Ids{"EX-AM-WINDOW"});
}

TEST(Exclusions, evictionWithWindow_isRefused) {
    EXPECT_EQ(hits(with([](auto& w) { w.method = CompactionMethod::Eviction, w.window = 128; })),
              Ids{"EX-L2-WINDOW"});
}

TEST(Exclusions, S1_06_budgetWithDraftModel_isRefused) {
    EXPECT_EQ(hits(with([](auto& w) { w.budget = 64, w.draftModel = true; })),
              Ids{"EX-BUDGET-DRAFT"});
    EXPECT_EQ(hits(with([](auto& w) {
                  w.method = CompactionMethod::AttentionMatching;
                  w.draftModel = true;
              })),
              Ids{"EX-METHOD-DRAFT"});
}

TEST(Exclusions, S1_06_draftModelRefusal_namesItsOwnCache) {
    const auto found = excludedBy(with([](auto& w) { w.budget = 64, w.draftModel = true; }));
    ASSERT_EQ(found.size(), 1U);
    EXPECT_NE(
        exclusionText(*found[0]).find("budget and draft model cannot be used together, because "
                                      "the draft model keeps every token in its own cache"),
        std::string::npos);
}

TEST(Exclusions, shiftWithSlidingLayers_isRefused) {
    EXPECT_EQ(hits(with([](auto& w) { w.contextShift = true, w.slidingLayers = true; })),
              Ids{"EX-SHIFT-SLIDING"});
}

TEST(Exclusions, GL_12_shiftWithLossyCaches_isRefused) {
    EXPECT_EQ(hits(with([](auto& w) { w.contextShift = true, w.budget = 64; })),
              Ids{"EX-SHIFT-METHOD"});
    EXPECT_EQ(hits(with([](auto& w) { w.contextShift = true, w.window = 64; })),
              Ids{"EX-SHIFT-WINDOW"});
    EXPECT_EQ(hits(with([](auto& w) {
                  w.contextShift = true, w.keyQuant = {8, 32};
              })),
              Ids{"EX-SHIFT-CODES"});
    EXPECT_TRUE(excludedBy(with([](auto& w) { w.contextShift = true; })).empty());
}

TEST(Exclusions, windowNotLargerThanKeptTokens_isRefused) {
    for (const auto& [window, keep] : {std::pair{1, 0}, {4, 4}, {4, 9}, {0, 0}})
        EXPECT_EQ(hits(with([&](auto& w) { w.window = window, w.windowKeep = keep; })),
                  Ids{"EX-WINDOW-KEEP"});
}

TEST(Exclusions, S1_05_compatibleSettings_areAccepted) {
    EXPECT_TRUE(excludedBy({}).empty());
    EXPECT_TRUE(excludedBy(with([](auto& w) { w.budget = 64, w.keyQuant = {8, 64}; })).empty());
    EXPECT_TRUE(excludedBy(with([](auto& w) { w.window = 64, w.draftModel = true; })).empty());
    EXPECT_TRUE(excludedBy(with([](auto& w) {
                    w.slidingLayers = true, w.valueQuant = {4, 32};
                })).empty());
}

TEST(Exclusions, everyMessage_namesBothSettings_andTheRemedy) {
    std::set<std::string_view> ids;
    for (const Exclusion& exclusion : exclusionTable()) {
        EXPECT_TRUE(ids.insert(exclusion.id).second);
        const std::string text = exclusionText(exclusion);
        EXPECT_NE(text.find(exclusion.first), std::string::npos);
        EXPECT_NE(text.find(exclusion.second), std::string::npos);
        EXPECT_NE(text.find(exclusion.remedy), std::string::npos);
    }
}

TEST(SettingsContract, everyRequirementOfThisModule_hasATest) {
    EXPECT_EQ(expectNumbersOf("settings"), 2);
}

}  // namespace
}  // namespace lacuna::test
