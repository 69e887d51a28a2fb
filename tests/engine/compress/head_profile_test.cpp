// The file that says which heads need far context: written, read, refused.

#include "engine/compress/head_profile.h"

#include <gtest/gtest.h>

#include "../../support/temporary_folder.h"
#include "engine/base/file.h"

namespace lacuna::test {
namespace {

HeadProfile sample() {
    return {.model = "small",
            .fingerprint = "abc",
            .layers = 2,
            .kvHeads = 2,
            .loss = {0, 0.25F, 5.5F, 0},
            .answers = 3,
            .answerTokens = 40,
            .textTokens = 900};
}

TEST(HeadProfile, written_readsBackTheSame) {
    const TemporaryFolder folder;
    const auto model = folder.path() / "small.gguf";
    EXPECT_EQ(headProfilePath(model).filename(), "small.heads.json");
    const auto none = loadHeadProfile(model, {"abc", 2, 2});
    ASSERT_TRUE(none);
    EXPECT_FALSE(none->has_value()) << "a model without one is no error";
    ASSERT_TRUE(writeFileAtomically(headProfilePath(model), dumpJson(headProfileJson(sample()))));
    const auto loaded = loadHeadProfile(model, {"abc", 2, 2});
    ASSERT_TRUE(loaded) << describe(loaded.error());
    ASSERT_TRUE(loaded->has_value());
    EXPECT_EQ(**loaded, sample());
}

TEST(HeadProfile, ofAnotherModel_isRefusedWithBothNames) {
    const TemporaryFolder folder;
    const auto model = folder.path() / "small.gguf";
    ASSERT_TRUE(writeFileAtomically(headProfilePath(model), dumpJson(headProfileJson(sample()))));
    for (const ProfiledModel& other :
         {ProfiledModel{"abd", 2, 2}, ProfiledModel{"abc", 4, 1}, ProfiledModel{"abc", 1, 4}}) {
        const auto loaded = loadHeadProfile(model, other);
        ASSERT_FALSE(loaded);
        EXPECT_EQ(loaded.error().code, ErrorCode::Incompatible);
        EXPECT_NE(loaded.error().what.find("abc"), std::string::npos);
    }
}

TEST(HeadProfile, everyDamagedField_isNamed) {
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
