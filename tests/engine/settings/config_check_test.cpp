#include "engine/settings/config_check.h"

#include <gtest/gtest.h>

#include <ostream>

#include "engine/settings/compaction_reach.h"
#include "engine/settings/setting_spec.h"

namespace lacuna {
namespace {

using Settings = std::vector<std::string>;

ModelFacts model(int layers = 4, int context = 4096) {
    ModelFacts facts;
    facts.name = "small";
    facts.layers = layers;
    facts.heads = 8;
    facts.kvHeads = 4;
    facts.headDim = 64;
    facts.context = context;
    facts.residentBytes = 1 << 20;
    return facts;
}

MachineFacts machine() {
    MachineFacts facts;
    facts.memoryBytes = std::int64_t{8} << 30;
    return facts;
}

/// Returns the violations of a configuration of key=value pairs.
std::vector<RuleViolation> violations(std::vector<std::string> settings,
                                      const ModelFacts& facts = model()) {
    const auto config = withSettings(EngineConfig{}, settings);
    if (!config) return config.error();
    const auto checked = check(*config, &facts, machine());
    return checked ? std::vector<RuleViolation>{} : checked.error();
}

struct BadSetting {
    std::vector<std::string> settings;
    const char* rule;
    const char* field;
    const char* nearest;
    friend std::ostream& operator<<(std::ostream& out, const BadSetting& bad) {
        return out << bad.settings.back();
    }
};

class InvalidSettings : public testing::TestWithParam<BadSetting> {};

TEST_P(InvalidSettings, invalidValue_isRefused_withRuleFieldRangeAndNearest) {
    const BadSetting& bad = GetParam();
    const auto found = violations(bad.settings);
    ASSERT_EQ(found.size(), 1U) << bad.settings.front();
    EXPECT_EQ(found[0].rule, bad.rule);
    EXPECT_EQ(found[0].field, bad.field);
    EXPECT_EQ(found[0].nearest, bad.nearest);
    EXPECT_FALSE(found[0].allowed.empty());
    EXPECT_FALSE(found[0].found.empty());
    EXPECT_NE(found[0].sentence.find(bad.field), std::string::npos) << found[0].sentence;
    EXPECT_EQ(found[0].sentence.back(), '.');
}

INSTANTIATE_TEST_SUITE_P(
    Table, InvalidSettings,
    testing::Values(
        BadSetting{{"am_ratio=50.1"}, "AM-RANGE", "am_ratio", "50"},
        BadSetting{{"am_ratio=50.01"}, "AM-RANGE", "am_ratio", "50"},
        BadSetting{{"am_ratio=0"}, "AM-RANGE", "am_ratio", "1"},
        BadSetting{{"am_ratio=-1"}, "AM-RANGE", "am_ratio", "1"},
        BadSetting{{"am_ratio=0.99"}, "AM-RANGE", "am_ratio", "1"},
        BadSetting{{"am_ratio=1e308"}, "AM-RANGE", "am_ratio", "50"},
        BadSetting{{"am_ratio=nan"}, "AM-RANGE", "am_ratio", "4"},
        BadSetting{{"am_ratio=inf"}, "AM-RANGE", "am_ratio", "50"},
        BadSetting{{"am_ratio=4x"}, "NUMBER", "am_ratio", ""},
        BadSetting{{"am_ratio="}, "NUMBER", "am_ratio", ""},
        BadSetting{{"am_ratio=true"}, "NUMBER", "am_ratio", ""},
        BadSetting{{"budget=0"}, "BUD-MIN", "budget", "1"},
        BadSetting{{"budget=-5"}, "BUD-MIN", "budget", "1"},
        BadSetting{{"budget=20"}, "BUD-MIN", "budget", "21"},
        BadSetting{{"budget=4097"}, "BUD-CTX", "budget", "4096"},
        BadSetting{{"budget=3000000"}, "BUD-CTX", "budget", "1048576"},
        BadSetting{{"budget=99999999999999999999999"}, "BUD-MIN", "budget", "1048576"},
        BadSetting{{"budget=2000", "context=1024"}, "BUD-CTX", "budget", "1024"},
        BadSetting{{"budget=64.5"}, "NUMBER", "budget", ""},
        BadSetting{{"budget=4k"}, "NUMBER", "budget", ""},
        BadSetting{{"method=l2", "budget=off"}, "BUD-REQ", "budget", "21"},
        BadSetting{{"compaction_floor=-1"}, "FLOOR-RANGE", "compaction_floor", "0"},
        BadSetting{{"compaction_floor=1048577"}, "FLOOR-RANGE", "compaction_floor", "1048576"},
        BadSetting{{"loss_limit=-0.1"}, "LOSS-RANGE", "loss_limit", "0"},
        BadSetting{{"loss_limit=1.5"}, "LOSS-RANGE", "loss_limit", "1"},
        BadSetting{{"loss_limit=nan"}, "LOSS-RANGE", "loss_limit", "balanced"},
        BadSetting{{"loss_limit=most"}, "CHOICE", "loss_limit", ""},
        BadSetting{{"method=h2o"}, "CHOICE", "method", ""},
        BadSetting{{"keep_recent=-1"}, "REC-RANGE", "keep_recent", "0"},
        BadSetting{{"am_ratio=2", "keep_recent=4096"}, "REC-RANGE", "keep_recent", "4091"},
        BadSetting{{"n_sink=65"}, "SINK-RANGE", "n_sink", "64"},
        BadSetting{{"n_sink=-1"}, "SINK-RANGE", "n_sink", "0"},
        BadSetting{{"margin=0"}, "MARGIN-RANGE", "margin", "1"},
        BadSetting{{"budget=100", "margin=101"}, "MARGIN-RANGE", "margin", "100"},
        BadSetting{{"budget=64", "coherence=per_layer", "eviction_budgets=adaptive"},
                   "SHARE-HEADS",
                   "eviction_budgets",
                   "equal"},
        BadSetting{{"budget=64", "norm_policy=observation_window", "coherence=cross_layer",
                    "eviction_budgets=whole_model"},
                   "SHARE-HEADS",
                   "eviction_budgets",
                   "equal"},
        BadSetting{{"budget=64", "norm_policy=keep_low", "eviction_budgets=whole_model"},
                   "SHARE-SCORES",
                   "eviction_budgets",
                   "adaptive"},
        BadSetting{{"budget=64", "norm_policy=tri_attention", "eviction_budgets=whole_model"},
                   "SHARE-SCORES",
                   "eviction_budgets",
                   "adaptive"},
        BadSetting{{"budget=64", "norm_policy=keydiff", "eviction_budgets=whole_model"},
                   "SHARE-SCORES",
                   "eviction_budgets",
                   "adaptive"},
        BadSetting{{"budget=64", "norm_policy=reconstruct", "score_source=surrogate"},
                   "SURROGATE",
                   "score_source",
                   "auto"},
        BadSetting{{"skip_layers=0,4"}, "LAYER-RANGE", "skip_layers", "0"},
        BadSetting{{"skip_layers=-1"}, "LAYER-RANGE", "skip_layers", "off"},
        BadSetting{{"skip_layers=1,1"}, "LAYER-RANGE", "skip_layers", "1"},
        BadSetting{{"budget=64", "skip_layers=0,1,2,3"}, "LAYER-RANGE", "skip_layers", "off"},
        BadSetting{{"am_ratio=2", "skip_layers=0,1,2,3"}, "LAYER-RANGE", "skip_layers", "off"},
        BadSetting{{"skip_layers=0;1"}, "NUMBER", "skip_layers", ""},
        BadSetting{{"kv_type=q5_0"}, "KV-TYPE", "kv_type", ""},
        BadSetting{{"kv_type=t9"}, "KV-TYPE", "kv_type", ""},
        BadSetting{{"kv_type=t0"}, "KV-TYPE", "kv_type", ""},
        BadSetting{{"kv_type=3"}, "KV-TYPE", "kv_type", ""},
        BadSetting{{"kv_type=t2.5"}, "KV-TYPE", "kv_type", ""},
        BadSetting{{"kv_type=true"}, "KV-TYPE", "kv_type", ""},
        BadSetting{{"v_type=q5_0"}, "KV-TYPE", "v_type", ""},
        BadSetting{{"v_type=t3", "kv_rotation=calibrated"}, "ROTATION", "kv_rotation", "auto"},
        BadSetting{{"v_type=bf16"}, "KV-TYPE", "v_type", "same"},
        BadSetting{{"kv_type=f32", "v_type=f16"}, "KV-TYPE", "v_type", "same"},
        BadSetting{{"state_memory=-1"}, "STATE-RANGE", "state_memory", "0"},
        BadSetting{{"cache_limit=-1"}, "LIMIT-RANGE", "cache_limit", "0"},
        BadSetting{{"cache_limit=nan"}, "LIMIT-RANGE", "cache_limit", "0"},
        BadSetting{{"prefix_disk=1"}, "DISK-RANGE", "prefix_disk", "2.0"},
        BadSetting{{"prefix_disk=0.5"}, "DISK-RANGE", "prefix_disk", "2.0"},
        BadSetting{{"prefix_disk=-1"}, "DISK-RANGE", "prefix_disk", "0"},
        BadSetting{{"window=1"}, "WINDOW-RANGE", "window", "2"},
        BadSetting{{"window=4"}, "EX-WINDOW-KEEP", "window", ""},
        BadSetting{{"window=512", "budget=64"}, "EX-BUDGET-WINDOW", "window", ""},
        BadSetting{{"window=512", "am_ratio=2"}, "EX-AM-WINDOW", "window", ""},
        BadSetting{{"window=512", "method=l2", "cache_limit=64"}, "EX-L2-WINDOW", "window", ""},
        BadSetting{{"threads=-1"}, "THREADS-RANGE", "threads", "0"},
        BadSetting{{"threads=10000"}, "THREADS-RANGE", "threads", "256"},
        BadSetting{{"context=1"}, "CTX-RANGE", "context", "16"},
        BadSetting{{"context=-1"}, "CTX-RANGE", "context", "0"},
        BadSetting{{"context=4097"}, "CTX-RANGE", "context", "4096"},
        BadSetting{{"context_shift=-1"}, "SHIFT-RANGE", "context_shift", "0"},
        BadSetting{{"context_shift=2049"}, "SHIFT-RANGE", "context_shift", "2048"},
        BadSetting{{"context=1024", "context_shift=513"}, "SHIFT-RANGE", "context_shift", "512"},
        BadSetting{{"context_shift=4", "window=64"}, "EX-SHIFT-WINDOW", "window", ""},
        BadSetting{{"context_shift=4", "am_ratio=2"}, "EX-SHIFT-METHOD", "method", ""},
        BadSetting{{"context_shift=4", "kv_type=q8_0"}, "EX-SHIFT-CODES", "kv_type", ""},
        BadSetting{{"context_shift=4", "kv_type=t4"}, "EX-SHIFT-CODES", "kv_type", ""},
        BadSetting{{"context=2147483648"}, "CTX-RANGE", "context", "1048576"},
        BadSetting{{"prefill_chunk=0"}, "CHUNK-RANGE", "prefill_chunk", "1"},
        BadSetting{{"prefill_chunk=5000"}, "CHUNK-RANGE", "prefill_chunk", "4096"},
        BadSetting{{"parallel=0"}, "PARALLEL-RANGE", "parallel", "1"},
        BadSetting{{"parallel=17"}, "PARALLEL-RANGE", "parallel", "16"},
        BadSetting{{"temperature=nan"}, "TEMP-RANGE", "temperature", "0.8"},
        BadSetting{{"temperature=-0.1"}, "TEMP-RANGE", "temperature", "0"},
        BadSetting{{"top_k=-1"}, "TOPK-RANGE", "top_k", "0"},
        BadSetting{{"top_p=0"}, "TOPP-RANGE", "top_p", "0.01"},
        BadSetting{{"top_p=1.01"}, "TOPP-RANGE", "top_p", "1"},
        BadSetting{{"min_p=2"}, "MINP-RANGE", "min_p", "1"},
        BadSetting{{"repeat_penalty=0"}, "PEN-RANGE", "repeat_penalty", "0.05"},
        BadSetting{{"repeat_last_n=-1"}, "PEN-RANGE", "repeat_last_n", "0"},
        BadSetting{{"presence_penalty=2.5"}, "PRES-RANGE", "presence_penalty", "2"},
        BadSetting{{"frequency_penalty=-3"}, "FREQ-RANGE", "frequency_penalty", "-2"},
        BadSetting{{"seed=-1"}, "SEED-RANGE", "seed", "0"},
        BadSetting{{"seed=18446744073709551616"}, "SEED-RANGE", "seed", "18446744073709551615"},
        BadSetting{{"seed=abc"}, "NUMBER", "seed", ""},
        BadSetting{{"max_tokens=-1"}, "MAX-RANGE", "max_tokens", "0"},
        BadSetting{{"colour=red"}, "KEY-UNKNOWN", "colour", ""}));

TEST(Check, defaults_areValidWithAndWithoutModel) {
    const ModelFacts facts = model();
    EXPECT_TRUE(check(EngineConfig{}, &facts, machine()));
    EXPECT_TRUE(check(EngineConfig{}, nullptr, MachineFacts{}));
}

TEST(Check, nanInAnyRealField_isRefused) {
    for (const SettingSpec& spec : settingSpecs()) {
        if (spec.field.kind != SettingKind::Real) continue;
        EngineConfig config;
        ASSERT_EQ(changeSetting(config, spec.key, "nan"), std::nullopt);
        const auto checked = check(config, nullptr, machine());
        ASSERT_FALSE(checked) << spec.key;
        EXPECT_EQ(checked.error()[0].rule, spec.ruleId);
    }
}

TEST(Check, nearestValidValue_isAccepted) {
    for (const auto& settings :
         std::vector<std::vector<std::string>>{{"am_ratio=50.1"},
                                               {"budget=5"},
                                               {"budget=5000"},
                                               {"n_sink=100"},
                                               {"context=9000"},
                                               {"top_p=-3"},
                                               {"repeat_penalty=-1"},
                                               {"margin=0"},
                                               {"budget=100", "margin=101"},
                                               {"method=l2", "budget=off"},
                                               {"am_ratio=2", "keep_recent=5000"}}) {
        const auto found = violations(settings);
        ASSERT_FALSE(found.empty()) << settings[0];
        std::vector<std::string> repaired = settings;
        repaired.push_back(found[0].field + "=" + found[0].nearest);
        const auto rest = violations(repaired);
        EXPECT_TRUE(rest.empty()) << repaired.back() << ": "
                                  << (rest.empty() ? "" : rest[0].sentence);
    }
}

// The message lists the formats that the head length allows.
TEST(Check, codesUnfitForTheHeadSize_areRefused_listingValidOnes) {
    ModelFacts facts = model();
    EXPECT_TRUE(violations({"kv_type=t3", "v_type=t2"}, facts).empty());
    EXPECT_TRUE(violations({"kv_type=t8", "v_type=q4_0"}, facts).empty());
    EXPECT_TRUE(violations({"kv_type=f16", "v_type=t1"}, facts).empty());
    facts.headDim = 80;  // not divisible into groups of 32
    EXPECT_TRUE(violations({"kv_type=t3", "v_type=t2"}, facts).empty());
    auto found = violations({"kv_type=q4_0"}, facts);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].rule, "KV-TYPE");
    EXPECT_NE(found[0].sentence.find("f16, bf16, f32, t8, t7"), std::string::npos)
        << found[0].sentence;
    facts.headDim = 16;
    for (const auto& [setting, field] :
         {std::pair{"kv_type=t3", "kv_type"}, {"v_type=t3", "v_type"}}) {
        found = violations({setting}, facts);
        ASSERT_EQ(found.size(), 1U) << setting;
        EXPECT_EQ(found[0].rule, "KV-TYPE");
        EXPECT_EQ(found[0].field, field);
        EXPECT_NE(
            found[0].sentence.find("16 dimensions, and rotated codes need an even number from "
                                   "32 to 576"),
            std::string::npos)
            << found[0].sentence;
        EXPECT_EQ(found[0].sentence.find("q8_0"), std::string::npos) << found[0].sentence;
    }
}

TEST(Check, codesOfLatentRows_haveOneFormat_andFitTheLatentPart) {
    ModelFacts facts = model();
    facts.extents.assign(static_cast<std::size_t>(facts.layers), {1, 576, 512, true});
    for (const char* const type : {"bf16", "q8_0", "q4_0", "t8", "t4", "t1"}) {
        const std::string keys = std::string("kv_type=") + type;
        EXPECT_TRUE(violations({keys}, facts).empty()) << type;
        EXPECT_TRUE(violations({keys, std::string("v_type=") + type}, facts).empty()) << type;
    }
    for (const Settings& settings : std::vector<Settings>{
             {"v_type=t3"}, {"kv_type=q8_0", "v_type=q4_0"}, {"kv_type=t8", "v_type=f16"}}) {
        const auto found = violations(settings, facts);
        ASSERT_EQ(found.size(), 1U) << settings.back();
        EXPECT_EQ(found[0].rule, "KV-TYPE");
        EXPECT_EQ(found[0].field, "v_type");
        EXPECT_EQ(found[0].nearest, "same");
        EXPECT_NE(found[0].sentence.find("parts of its keys (latent attention)"), std::string::npos)
            << found[0].sentence;
    }
    auto found = violations({"kv_type=t4", "kv_rotation=calibrated"}, facts);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].rule, "ROTATION");
    EXPECT_NE(found[0].sentence.find("need both apart"), std::string::npos) << found[0].sentence;
    facts.extents.assign(static_cast<std::size_t>(facts.layers), {1, 24, 16, true});
    for (const auto& [setting, reason] :
         {std::pair{"kv_type=q8_0", "has 16 numbers, which groups of 32 do not divide"},
          {"kv_type=t4",
           "has 16 numbers, and rotated codes need a multiple of 16 from 32 to 576"}}) {
        found = violations({setting}, facts);
        ASSERT_EQ(found.size(), 1U) << setting;
        EXPECT_EQ(found[0].rule, "KV-TYPE");
        EXPECT_EQ(found[0].field, "kv_type");
        EXPECT_NE(found[0].sentence.find(reason), std::string::npos) << found[0].sentence;
    }
}

TEST(Check, shiftOfAnUnsupportedModel_isRefusedWithTheReason) {
    ModelFacts facts = model();
    facts.shiftNote = "its angles follow the length";
    auto found = violations({"context_shift=4"}, facts);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].rule, "SHIFT-MODEL");
    EXPECT_NE(found[0].sentence.find("its angles follow the length"), std::string::npos);
    EXPECT_EQ(violationsError(found).code, ErrorCode::Unsupported);
    facts.windows = {0, 512, 0, 512};
    found = violations({"context_shift=4"}, facts);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].rule, "EX-SHIFT-SLIDING");
    EXPECT_EQ(found[0].field, "context_shift");
    EXPECT_TRUE(violations({"context_shift=4"}).empty());
}

TEST(Check, method_isRefused_ifAllLayersHaveTheirOwnWindow) {
    ModelFacts facts = model();
    facts.windows = {512, 512, 512, 512};
    for (const Settings& settings :
         std::vector<Settings>{{"budget=64"}, {"am_ratio=2"}, {"method=l2", "cache_limit=64"}}) {
        const auto found = violations(settings, facts);
        ASSERT_EQ(found.size(), 1U) << settings.back();
        EXPECT_EQ(found[0].rule, "METHOD-LAYERS");
        EXPECT_EQ(found[0].field, "method");
        EXPECT_EQ(found[0].nearest, "none");
        EXPECT_NE(found[0].sentence.find("every layer of small"), std::string::npos);
        EXPECT_EQ(violationsError(found).code, ErrorCode::Unsupported);
    }
    // Without ring buffers an eviction by norms can use every layer, one by attention none.
    EXPECT_TRUE(
        violations({"budget=64", "norm_policy=keydiff", "layer_caches=uniform"}, facts).empty());
    EXPECT_EQ(violations({"budget=64", "norm_policy=tri_attention", "layer_caches=uniform"}, facts)
                  .size(),
              1U);
    EXPECT_EQ(violations({"am_ratio=2", "layer_caches=uniform"}, facts).size(), 1U);
    EXPECT_TRUE(violations({}, facts).empty());
    facts.windows[2] = 0;
    EXPECT_TRUE(violations({"budget=64"}, facts).empty());
    EXPECT_TRUE(violations({"am_ratio=2"}, facts).empty());
    const auto skipped = violations({"am_ratio=2", "skip_layers=2"}, facts);
    ASSERT_EQ(skipped.size(), 1U) << "the one layer that is left is skipped";
    EXPECT_EQ(skipped[0].rule, "LAYER-RANGE");
}

TEST(CompactionReach, note_countsUncompactedLayers) {
    ModelFacts facts = model();
    facts.windows = {512, 512, 0, 512};
    EngineConfig config = *withSettings({}, Settings{"am_ratio=2"});
    EXPECT_EQ(reachNote(config, facts),
              "am leaves 3 of 4 layers of small unchanged, because they have their own window");
    config.kv.method = CompactionMethod::None;
    EXPECT_EQ(reachNote(config, facts), "");
    config.kv.method = CompactionMethod::AttentionMatching;
    facts.windows = {};
    EXPECT_EQ(reachNote(config, facts), "");
}

TEST(Check, limitWithoutAMethod_requiresOneChunkOnly) {
    const auto least = [](Settings settings) {
        settings.push_back("cache_limit=0.0001");
        const auto found = violations(settings);
        EXPECT_EQ(found.size(), 1U);
        return found.empty() ? 0.0 : std::stod(found[0].nearest);
    };
    EXPECT_DOUBLE_EQ(least({"keep_recent=2000"}), least({}));
    EXPECT_GT(least({"keep_recent=2000", "method=am"}), least({"method=am"}));
}

TEST(Check, draftModelWithCompaction_isRefusedUnderTheSettingName) {
    ModelFacts facts = model();
    facts.draftPath = "small.gguf";
    for (const auto& [setting, rule, field] : {std::tuple{"budget=64", "EX-BUDGET-DRAFT", "budget"},
                                               {"am_ratio=2", "EX-METHOD-DRAFT", "method"}}) {
        const auto found = violations({setting}, facts);
        ASSERT_EQ(found.size(), 1U) << setting;
        EXPECT_EQ(found[0].rule, rule);
        EXPECT_EQ(found[0].field, field);
        EXPECT_EQ(checkWithDraft(*withSettings({}, std::vector<std::string>{setting})).error().code,
                  ErrorCode::Conflict);
    }
    EXPECT_TRUE(violations({"window=512"}, facts).empty());
    EXPECT_TRUE(checkWithDraft({}));
}

TEST(Check, S1_06_ngramDraftsWithABudget_areAllowed) {
    EXPECT_TRUE(violations({"budget=256", "draft_tokens=4"}).empty());
    EXPECT_TRUE(violations({"method=am", "draft_tokens=16"}).empty());
    EXPECT_TRUE(violations({"budget=256", "draft_tokens=4", "draft_source=mtp"}).empty());
}

TEST(Check, severalViolations_areAllReportedInTableOrder) {
    const auto found = violations({"temperature=9", "am_ratio=0", "n_sink=99"});
    ASSERT_EQ(found.size(), 3U);
    EXPECT_EQ(found[0].rule, "AM-RANGE");
    EXPECT_EQ(found[1].rule, "SINK-RANGE");
    EXPECT_EQ(found[2].rule, "TEMP-RANGE");
}

TEST(Check, unsatisfiableBudget_suggestsNoValue) {
    const auto found = violations({"context=16", "budget=20"});
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].rule, "BUD-MIN");
    EXPECT_EQ(found[0].nearest, "");
}

TEST(Check, contextBeyondMemory_isRefusedWithTheLargestThatFits) {
    ModelFacts facts = model(32, 1 << 20);  // 32 KiB per token: 32 GiB at the full context
    facts.residentBytes = std::int64_t{4} << 30;
    EngineConfig config;
    config.context = 1 << 20;
    const auto checked = check(config, &facts, machine());
    ASSERT_FALSE(checked);
    EXPECT_EQ(checked.error()[0].rule, "MEM-PLAN");
    EXPECT_EQ(checked.error()[0].nearest, "131072");
    EXPECT_EQ(violationsError(checked.error()).code, ErrorCode::NoMemory);
}

TEST(EffectiveContext, zero_isTheTrainedContext_limitedByMemory) {
    EngineConfig config;
    EXPECT_EQ(effectiveContext(config, model(), machine()), 4096);
    ModelFacts large = model(32, 1 << 20);
    const int fits = effectiveContext(config, large, machine());
    EXPECT_LT(fits, 1 << 20);
    EXPECT_GT(fits, 100'000);
    config.context = 512;
    EXPECT_EQ(effectiveContext(config, large, machine()), 512);
}

TEST(WithSettings, budgetOnly_impliesL2_ratioOnly_impliesAttentionMatching) {
    const auto method = [](std::vector<std::string> settings) {
        return withSettings({}, settings)->kv.method;
    };
    EXPECT_EQ(method({"budget=512"}), CompactionMethod::Eviction);
    EXPECT_EQ(method({"am_ratio=4"}), CompactionMethod::AttentionMatching);
    EXPECT_EQ(method({"budget=512", "am_ratio=4"}), CompactionMethod::AttentionMatching);
    EXPECT_EQ(method({"budget=512", "method=am"}), CompactionMethod::AttentionMatching);
    EXPECT_EQ(method({"budget=512", "method=none"}), CompactionMethod::None);
    EXPECT_EQ(method({"budget=off"}), CompactionMethod::None);
}

TEST(WithSettings, methodOfTheBase_isKept) {
    EngineConfig base;
    base.kv.method = CompactionMethod::AttentionMatching;
    EXPECT_EQ(withSettings(base, std::vector<std::string>{"budget=512"})->kv.method,
              CompactionMethod::AttentionMatching);
}

TEST(WithSettings, oneInvalidPair_appliesNothing) {
    const auto config = withSettings({}, std::vector<std::string>{"budget=512", "top_k=x", "seed"});
    ASSERT_FALSE(config);
    ASSERT_EQ(config.error().size(), 2U);
    EXPECT_EQ(config.error()[0].rule, "NUMBER");
    EXPECT_NE(config.error()[1].sentence.find("key=value"), std::string::npos);
}

TEST(ChangeSetting, refusedText_changesNothing) {
    EngineConfig config;
    EXPECT_TRUE(changeSetting(config, "skip_layers", "0,x"));
    EXPECT_TRUE(changeSetting(config, "top_k", "1e3"));
    EXPECT_TRUE(changeSetting(config, "method", "L2"));
    EXPECT_EQ(config, EngineConfig{});
}

TEST(ViolationsError, error_namesRuleAndMessage) {
    const auto found = violations({"am_ratio=50.1"});
    const Error error = violationsError(found);
    EXPECT_EQ(error.code, ErrorCode::Range);
    EXPECT_EQ(error.what,
              "AM-RANGE: am_ratio is 50.1; allowed is 1 to 50; the nearest valid value is 50.");
}

// Queries at future positions cannot be predicted if the angles depend on the length of the text.
TEST(Check, triAttentionWithVaryingRotaryAngles_isRefusedWithTheReason) {
    ModelFacts facts = model();
    EXPECT_TRUE(violations({"budget=64", "norm_policy=tri_attention"}, facts).empty());
    facts.rotaryVaries = true;
    const auto found = violations({"budget=64", "norm_policy=tri_attention"}, facts);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].rule, "TRI-ROTARY");
    EXPECT_EQ(found[0].field, "norm_policy");
    EXPECT_EQ(found[0].nearest, "keydiff");
    EXPECT_NE(found[0].sentence.find("depend on the length of the text"), std::string::npos);
    EXPECT_TRUE(violations({"budget=64", "norm_policy=expected_attention"}, facts).empty());
}

}  // namespace
}  // namespace lacuna
