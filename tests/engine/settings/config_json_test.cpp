#include "engine/settings/config_json.h"

#include <gtest/gtest.h>

#include "engine/settings/config_check.h"

namespace lacuna {
namespace {

EngineConfig unusualConfig() {
    const std::vector<std::string> settings{"method=am",
                                            "budget=100",
                                            "am_ratio=2.5",
                                            "keep_recent=7",
                                            "n_sink=2",
                                            "margin=20",
                                            "norm_policy=random",
                                            "coherence=cross_layer",
                                            "eviction_budgets=adaptive",
                                            "head_budgets=uniform",
                                            "score_source=surrogate",
                                            "demote_structure=on",
                                            "skip_layers=0,3",
                                            "kv_type=f32",
                                            "compaction_floor=77",
                                            "loss_limit=0.875",
                                            "threads=3",
                                            "context=999",
                                            "temperature=0.123",
                                            "top_k=7",
                                            "top_p=0.5",
                                            "min_p=0.25",
                                            "repeat_penalty=1.5",
                                            "repeat_last_n=9",
                                            "presence_penalty=0.5",
                                            "frequency_penalty=-0.25",
                                            "seed=18446744073709551615",
                                            "max_tokens=11",
                                            "prefill_chunk=33",
                                            "parallel=7",
                                            "passes=apart",
                                            "precision=exact",
                                            "draft_tokens=4",
                                            "draft_source=mtp",
                                            "quality_every=16",
                                            "pin_percent=12.5",
                                            "background=off",
                                            "query_source=repeat",
                                            "compact_when=turn_late",
                                            "window=4096",
                                            "kv_type=t3",
                                            "v_type=q8_0",
                                            "exact_window=64",
                                            "kv_rotation=hadamard",
                                            "extra_bits=0.5",
                                            "cache_limit=96",
                                            "prefix_cache=48",
                                            "prefix_disk=4096",
                                            "bring_back=auto",
                                            "context_shift=4",
                                            "layer_caches=uniform",
                                            "state_memory=96",
                                            "state_type=f32",
                                            "prefill_policy=per_chunk"};
    return *withSettings({}, settings);
}

Json reread(const OrderedJson& object) {
    return *parseJson(dumpJson(object));
}

TEST(ConfigJson, everyValue_roundTrips) {
    for (const EngineConfig& config : {EngineConfig{}, unusualConfig()}) {
        const auto reading = configFromJson(reread(configToJson(config)));
        ASSERT_TRUE(reading) << reading.error().what;
        EXPECT_EQ(reading->config, config);
        EXPECT_TRUE(reading->unknownFields.empty());
        EXPECT_TRUE(reading->missing.empty());
    }
}

TEST(ConfigJson, unusualConfig_differsFromTheDefaultInEveryKey) {
    const OrderedJson unusual = configToJson(unusualConfig());
    const OrderedJson plain = configToJson(EngineConfig{});
    for (const auto& [key, value] : plain.items()) {
        if (key == "version") continue;
        EXPECT_NE(unusual.at(key), value) << key;
    }
}

TEST(ConfigJson, version_isTheFirstKey) {
    EXPECT_EQ(configToJson(EngineConfig{}).begin().key(), "version");
}

TEST(ConfigJson, unknownAndMissingKeys_areReportedByPath) {
    Json object = reread(configToJson(EngineConfig{}));
    object["colour"] = "red";
    object.erase("budget");
    const auto reading = configFromJson(object, "generations[2].config");
    ASSERT_TRUE(reading);
    EXPECT_EQ(reading->unknownFields, std::vector<std::string>{"generations[2].config.colour"});
    EXPECT_EQ(reading->missing, std::vector<std::string>{"generations[2].config.budget"});
}

TEST(ConfigJson, unknownChoice_isRefused_notReplacedByTheFirst) {
    Json object = reread(configToJson(unusualConfig()));
    object["norm_policy"] = "keep_everything";
    const auto reading = configFromJson(object);
    ASSERT_FALSE(reading);
    EXPECT_EQ(reading.error().code, ErrorCode::Config);
    EXPECT_NE(reading.error().what.find("config.norm_policy"), std::string::npos);
}

TEST(ConfigJson, wrongTypes_areRefusedByPath) {
    for (const auto& [key, value] :
         std::vector<std::pair<std::string, Json>>{{"am_ratio", "4"},
                                                   {"am_ratio", nullptr},
                                                   {"am_ratio", true},
                                                   {"budget", 1.5},
                                                   {"seed", -1},
                                                   {"skip_layers", Json::array({"a"})},
                                                   {"skip_layers", 3},
                                                   {"method", 1},
                                                   {"top_k", 3000000000LL}}) {
        Json object = reread(configToJson(EngineConfig{}));
        object[key] = value;
        const auto reading = configFromJson(object);
        ASSERT_FALSE(reading) << key << " " << value.dump();
        EXPECT_NE(reading.error().what.find("config." + key), std::string::npos)
            << reading.error().what;
    }
}

TEST(ConfigJson, version_isChecked) {
    Json object = reread(configToJson(EngineConfig{}));
    object["version"] = 2;
    EXPECT_EQ(configFromJson(object).error().code, ErrorCode::Incompatible);
    object.erase("version");
    EXPECT_EQ(configFromJson(object).error().code, ErrorCode::Config);
    EXPECT_EQ(configFromJson(Json::array()).error().code, ErrorCode::Config);
}

}  // namespace
}  // namespace lacuna
