#include "engine/session/knob_spec.h"

#include <gtest/gtest.h>

#include <set>

#include "engine/session/config_check.h"

namespace lacuna {
namespace {

TEST(KnobSpecs, everyKeyOfTheCommandLine_isInTheTable) {
    for (const char* key :
         {"method",         "budget",         "am_ratio",     "keep_recent",   "n_sink",
          "margin",         "norm_policy",    "coherence",    "skip_layers",   "kv_type",
          "threads",        "context",        "temperature",  "top_k",         "top_p",
          "min_p",          "repeat_penalty", "seed",         "max_tokens",    "prefill_chunk",
          "prefill_policy", "repeat_last_n",  "head_budgets", "window",        "layer_caches",
          "quality_every",  "parallel",       "passes",       "context_shift", "v_type",
          "cache_limit",    "query_source",   "compact_when"})
        EXPECT_NE(findKnob(key), nullptr) << key;
}

TEST(KnobSpecs, keysAndTexts_areUniqueAndComplete) {
    std::set<std::string_view> keys;
    for (const KnobSpec& spec : knobSpecs()) {
        EXPECT_TRUE(keys.insert(spec.key).second) << spec.key;
        EXPECT_FALSE(spec.label.empty()) << spec.key;
        EXPECT_FALSE(spec.ruleId.empty()) << spec.key;
        EXPECT_GT(spec.help.size(), 20U) << spec.key;
        EXPECT_FALSE(knobRange(spec).empty()) << spec.key;
        EXPECT_EQ(spec.kind == KnobKind::Choice, !spec.choices.empty()) << spec.key;
    }
    EXPECT_GE(keys.size(), 30U);
}

TEST(KnobSpecs, textOfEveryDefault_isReadBackToTheSameValue) {
    for (const KnobSpec& spec : knobSpecs()) {
        EngineConfig config;
        const std::string text = knobText(config, spec.key);
        EXPECT_EQ(setKnob(config, spec.key, text), std::nullopt) << spec.key << "=" << text;
        EXPECT_EQ(config, EngineConfig{}) << spec.key;
    }
}

TEST(KnobSpecs, everyChoice_roundTripsThroughTextAndValue) {
    for (const KnobSpec& spec : knobSpecs()) {
        for (const std::string_view choice : spec.choices) {
            EngineConfig config;
            ASSERT_EQ(setKnob(config, spec.key, choice), std::nullopt) << spec.key << "=" << choice;
            EXPECT_EQ(knobText(config, spec.key), choice);
            EXPECT_EQ(knobValue(config, spec.key), Json(std::string(choice)));
        }
    }
}

TEST(KnobSpecs, range_readsAsWords) {
    EXPECT_EQ(knobRange(*findKnob("am_ratio")), "1 to 8");
    EXPECT_EQ(knobRange(*findKnob("top_p")), "above 0, up to 1");
    EXPECT_EQ(knobRange(*findKnob("method")), "none, l2, am");
    EXPECT_EQ(knobRange(*findKnob("budget")), "off, or 1 to 1048576");
}

TEST(KnobText, valuesOfEachKind_areShownAsTheyAreTyped) {
    EngineConfig config;
    config.kv.amRatio = 2.5;
    config.kv.skipLayers = {0, 1};
    config.sampling.seed = 18446744073709551615ULL;
    EXPECT_EQ(knobText(config, "am_ratio"), "2.5");
    EXPECT_EQ(knobText(config, "budget"), "off");
    EXPECT_EQ(knobText(config, "skip_layers"), "0,1");
    EXPECT_EQ(knobText(config, "seed"), "18446744073709551615");
    EXPECT_EQ(knobText(config, "norm_policy"), "auto");
    config.kv.normPolicy = NormPolicy::AccumulatedAttention;
    EXPECT_EQ(knobText(config, "norm_policy"), "accumulated_attention");
    EXPECT_EQ(knobText(config, "kv_type"), "f16");
    EXPECT_EQ(knobText(config, "v_type"), "same");
    config.kv.values = KvRowType{DType::F16, {4, 32}};
    EXPECT_EQ(knobText(config, "v_type"), "q4_0");
}

}  // namespace
}  // namespace lacuna
