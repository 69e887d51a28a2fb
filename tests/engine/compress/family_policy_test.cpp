// The policy that `auto` resolves to, from the built-in table and from broken ones.

#include "engine/compress/family_policy.h"

#include <gtest/gtest.h>

namespace lacuna {
namespace {

Json table(const std::string& row) {
    return Json::parse(R"({"families":{"llama":)" + row + "}}");
}

constexpr const char* kRow =
    R"({"policy":"keep_low","model":"small","dialogues":240,"date":"2026-11-22"})";

TEST(FamilyPolicy, builtInTable_appliesToEveryFamilyItNames) {
    const Json program = parseJson(familyPolicyTable()).value();
    ASSERT_FALSE(program.at("families").empty());
    for (const auto& [family, row] : program.at("families").items()) {
        const auto found = policyForFamily(program, family, false);
        ASSERT_TRUE(found) << found.error().what;
        EXPECT_GE(row.at("dialogues").get<int>(), 50) << "fewer are an anecdote";
        EXPECT_TRUE(row.at("runs").is_string());
        EXPECT_NE(found->policy, EvictionPolicy::StreamingLLM) << "a control is no winner";
        EXPECT_NE(found->policy, EvictionPolicy::Random);
        EXPECT_EQ(policyForFamily(family, true).policy, found->policy) << "measured goes first";
    }
}

TEST(FamilyPolicy, measuredFamily_usesItsBestPolicy_andTheNoteExplainsIt) {
    const auto found = policyForFamily(table(kRow), "llama", false);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->policy, EvictionPolicy::KeepLowNorm);
    EXPECT_EQ(found->reason,
              "auto is keep_low: best recall in 240 dialogues with small, 2026-11-22");
}

TEST(FamilyPolicy, familyWithQkNorm_usesKeyDiff_andTheNoteExplainsIt) {
    const FamilyPolicy found = policyForFamily("qwen3", true);
    EXPECT_EQ(found.policy, EvictionPolicy::KeyDiff);
    EXPECT_NE(found.reason.find("QK-norm"), std::string::npos) << found.reason;
}

TEST(FamilyPolicy, unmeasuredFamily_usesKeyDiff_andTheNoteReportsIt) {
    const FamilyPolicy found = policyForFamily("no-such-family", false);
    EXPECT_EQ(found.policy, EvictionPolicy::KeyDiff);
    EXPECT_NE(found.reason.find("recall was not measured"), std::string::npos) << found.reason;
}

TEST(FamilyPolicy, invalidTables_areRefusedByField) {
    const std::pair<const char*, const char*> rows[] = {
        {R"({"policy":"best","model":"m","dialogues":1,"date":"d"})", "policy is best"},
        {R"({"policy":"auto","model":"m","dialogues":1,"date":"d"})", "policy is auto"},
        {R"({"model":"m","dialogues":1,"date":"d"})", "llama.policy"},
        {R"({"policy":"random","model":"m","date":"d"})", "llama.dialogues"},
        {R"({"policy":"random","dialogues":1,"date":"d"})", "llama.model"},
        {R"([])", "llama is not an object"}};
    for (const auto& [row, part] : rows) {
        const auto found = policyForFamily(table(row), "llama", false);
        ASSERT_FALSE(found) << row;
        EXPECT_EQ(found.error().code, ErrorCode::Config);
        EXPECT_NE(found.error().what.find(part), std::string::npos) << found.error().what;
    }
    EXPECT_FALSE(policyForFamily(Json::object(), "llama", false));
}

}  // namespace
}  // namespace lacuna
