// The profile of heads that need distant context: written, read and refused.

#include "engine/compress/head_profile.h"

#include <gtest/gtest.h>

#include "../../support/temporary_folder.h"
#include "engine/base/file.h"

namespace lacuna::test {
namespace {

HeadProfile sample(ProfileKind kind = ProfileKind::TaskFree) {
    return {.kind = kind,
            .model = "small",
            .fingerprint = "abc",
            .layers = 2,
            .kvHeads = 2,
            .loss = {0, 0.25F, 5.5F, 0},
            .how = "by hand",
            .answers = 3,
            .answerTokens = 40,
            .textTokens = 900};
}

Status keep(const std::filesystem::path& path, const HeadProfile& profile) {
    return writeFileAtomically(path, dumpJson(headProfileJson(profile)));
}

TEST(HeadProfile, bothKinds_roundTrip_nextToEachOther) {
    const TemporaryFolder folder;
    const auto model = folder.path() / "small.gguf";
    EXPECT_EQ(headProfilePath(model, ProfileKind::TaskFree).filename(), "small.heads.json");
    EXPECT_EQ(headProfilePath(model, ProfileKind::Questions).filename(),
              "small.questions.heads.json");
    const auto none = loadHeadProfiles(model, {"abc", 2, 2});
    ASSERT_TRUE(none);
    EXPECT_EQ(none->taskFree, nullptr) << "a model without one is no error";
    EXPECT_EQ(none->questions, nullptr);
    for (const ProfileKind kind : {ProfileKind::TaskFree, ProfileKind::Questions})
        ASSERT_TRUE(keep(headProfilePath(model, kind), sample(kind)));
    const auto loaded = loadHeadProfiles(model, {"abc", 2, 2});
    ASSERT_TRUE(loaded) << describe(loaded.error());
    ASSERT_TRUE(loaded->taskFree && loaded->questions);
    EXPECT_EQ(*loaded->taskFree, sample());
    EXPECT_EQ(*loaded->questions, sample(ProfileKind::Questions));
}

TEST(HeadProfile, eachHeadBudget_usesItsProfileKind) {
    HeadProfiles profiles;
    profiles.add(sample(ProfileKind::Questions));
    EXPECT_EQ(profiles.of(HeadBudgets::Auto), nullptr) << "auto is no division by questions";
    EXPECT_EQ(profiles.of(HeadBudgets::TaskFree), nullptr);
    EXPECT_EQ(profiles.of(HeadBudgets::Questions), profiles.questions);
    profiles.add(sample(ProfileKind::CopyScores));
    EXPECT_EQ(profiles.of(HeadBudgets::Auto), profiles.copyScores) << "they stand in";
    EXPECT_EQ(profiles.of(HeadBudgets::TaskFree), profiles.copyScores);
    EXPECT_EQ(profiles.of(HeadBudgets::Questions), profiles.questions);
    profiles.add(sample());
    EXPECT_EQ(profiles.of(HeadBudgets::Auto), profiles.taskFree);
    EXPECT_EQ(profiles.of(HeadBudgets::TaskFree)->kind, ProfileKind::TaskFree);
    for (const HeadBudgets none :
         {HeadBudgets::Uniform, HeadBudgets::Entropy, HeadBudgets::Coverage})
        EXPECT_EQ(profiles.of(none), nullptr);
}

TEST(HeadProfile, fileWithoutKind_isReadAsQuestionProfile) {
    const TemporaryFolder folder;
    const auto model = folder.path() / "small.gguf";
    Json old = Json::parse(dumpJson(headProfileJson(sample())));
    old["format"] = "lacuna head profile 1";
    old.erase("kind");
    old.erase("how");
    ASSERT_TRUE(writeFileAtomically(headProfilePath(model, ProfileKind::TaskFree), old.dump()));
    const auto loaded = loadHeadProfiles(model, {"abc", 2, 2});
    ASSERT_TRUE(loaded) << describe(loaded.error());
    EXPECT_EQ(loaded->taskFree, nullptr);
    ASSERT_NE(loaded->questions, nullptr);
    EXPECT_EQ(loaded->questions->loss, sample().loss);
}

TEST(HeadProfile, fileStoredByFingerprint_isUsedIfNoneIsNextToTheModel) {
    const TemporaryFolder folder;
    const auto model = folder.path() / "small.gguf";
    const auto own = folder.path() / "own";
    const auto kept = storedProfilePath(own, "abc");
    std::filesystem::create_directories(kept.parent_path());
    HeadProfile other = sample();
    other.loss[0] = 7;
    ASSERT_TRUE(keep(kept, other));
    const auto found = loadHeadProfiles(model, {"abc", 2, 2}, own);
    ASSERT_TRUE(found && found->taskFree);
    EXPECT_EQ(*found->taskFree, other);
    ASSERT_TRUE(keep(headProfilePath(model, ProfileKind::TaskFree), sample()));
    EXPECT_EQ(*loadHeadProfiles(model, {"abc", 2, 2}, own)->taskFree, sample());
    EXPECT_EQ(loadHeadProfiles(model, {"abc", 2, 2})->taskFree->loss[0], 0);
}

TEST(HeadProfile, fileOfAnotherModel_isRefusedWithBothNames) {
    const TemporaryFolder folder;
    const auto model = folder.path() / "small.gguf";
    ASSERT_TRUE(keep(headProfilePath(model, ProfileKind::TaskFree), sample()));
    for (const ProfiledModel& other :
         {ProfiledModel{"abd", 2, 2}, ProfiledModel{"abc", 4, 1}, ProfiledModel{"abc", 1, 4}}) {
        const auto loaded = loadHeadProfiles(model, other);
        ASSERT_FALSE(loaded);
        EXPECT_EQ(loaded.error().code, ErrorCode::Incompatible);
        EXPECT_NE(loaded.error().what.find("abc"), std::string::npos);
    }
}

TEST(HeadProfile, everyInvalidField_isRefusedByName) {
    const auto damaged = [](const char* key, const Json& value) {
        Json json = Json::parse(dumpJson(headProfileJson(sample())));
        if (value.is_discarded())
            json.erase(key);
        else
            json[key] = value;
        return headProfileFromJson(json);
    };
    const Json gone(Json::value_t::discarded);
    const std::vector<std::pair<const char*, Json>> damages{
        {"format", "lacuna head profile 9"},
        {"format", gone},
        {"kind", "guessed"},
        {"kind", gone},
        {"how", 7},
        {"model", 7},
        {"fingerprint", gone},
        {"layers", 0},
        {"layers", 2.5},
        {"kv_heads", -1},
        {"kv_heads", 1 << 30},
        {"loss", Json::array({1, 2, 3})},
        {"loss", Json::array({1, 2, 3, "x"})},
        {"loss", Json::array({1, 2, 3, -0.1})},
        {"loss", Json::array({1, 2, 3, nullptr})},
        {"answers", gone},
        {"text_tokens", -4}};
    for (const auto& [key, value] : damages) {
        const auto read = damaged(key, value);
        ASSERT_FALSE(read) << key;
        EXPECT_EQ(read.error().code, ErrorCode::Config);
    }
    EXPECT_FALSE(headProfileFromJson(Json::array()));
}

}  // namespace
}  // namespace lacuna::test
