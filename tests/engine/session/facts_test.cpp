#include "engine/settings/facts.h"

#include <gtest/gtest.h>

#include "engine/kv/kv_factory.h"
#include "engine/session/read_facts.h"
#include "engine/settings/config_check.h"

namespace lacuna {
namespace {

TEST(MachineFacts, valuesOfThisMachine_arePlausible) {
    const MachineFacts facts = machineFacts();
    EXPECT_GE(facts.cores, 1);
    EXPECT_FALSE(facts.cpu.empty());
    EXPECT_FALSE(facts.isa.empty());
    EXPECT_GT(facts.memoryBytes, 0);
    EXPECT_LE(facts.availableBytes, facts.memoryBytes);
    EXPECT_EQ(facts.system.find('\n'), std::string::npos);
}

TEST(CacheModel, bytes_countKeysAndValuesOfAllLayersAndHeads) {
    ModelFacts facts;
    facts.layers = 2;
    facts.kvHeads = 8;
    facts.headDim = 64;
    const CacheModel model = cacheModelOf(facts);
    KvOptions options;
    EXPECT_EQ(cacheBytes(model, options, 1), 2 * 2 * 8 * 64 * 2);
    options.type = DType::F32;
    EXPECT_EQ(cacheBytes(model, options, 10), 10 * 2 * 2 * 8 * 64 * 4);
    options.window = 5;
    EXPECT_EQ(cacheBytes(model, options, 10), 5 * 2 * 2 * 8 * 64 * 4);
}

ModelFacts mixedFacts() {
    ModelFacts facts;
    facts.name = "mixed";
    facts.context = 8192;
    facts.layers = 4;
    facts.kvHeads = 2;
    facts.headDim = 128;
    facts.extents = {{2, 64, 64}, {2, 64, 64}, {1, 128, 128}, {}};
    facts.cacheLayers = {0, 1, 2, 2};
    return facts;
}

TEST(ModelFacts, layersThatDiffer_areCountedAndNamedEach) {
    ModelFacts facts = mixedFacts();
    EXPECT_EQ(cacheHeads(facts), 5);
    EXPECT_EQ(kvHeadsText(facts), "KV heads by layer: 2 x 2 of 64, 1 x 1 of 128, 1 x none");
    EXPECT_EQ(cacheBytes(cacheModelOf(facts), {}, 10), 10 * (2 * 2 * 2 * 64 + 2 * 128) * 2);
    facts.extents.clear();
    EXPECT_EQ(cacheHeads(facts), 8);
    EXPECT_EQ(kvHeadsText(facts), "2 KV heads of 128");
}

TEST(ModelFacts, codes_fitOnlyIfTheyFitEveryLayerWithRows) {
    ModelFacts facts = mixedFacts();
    EXPECT_TRUE(codesFit(cacheModelOf(facts), {8, 32}));
    facts.extents[2] = {1, 144, 144};
    EXPECT_FALSE(codesFit(cacheModelOf(facts), {8, 32}));
    EXPECT_TRUE(codesFit(cacheModelOf(facts), {}));
}

TEST(ModelFacts, calibratedRotations_ofLayersThatDiffer_areRefusedWithTheReason) {
    const ModelFacts facts = mixedFacts();
    EngineConfig config;
    config.kv.quant = {4, 0};
    config.kv.rotation = KvRotation::Calibrated;
    const auto refused = check(config, &facts, machineFacts());
    ASSERT_FALSE(refused);
    EXPECT_NE(violationsError(refused.error()).what.find("differ in KV heads or head size"),
              std::string::npos)
        << violationsError(refused.error()).what;
    config.kv.rotation = KvRotation::Auto;
    EXPECT_TRUE(check(config, &facts, machineFacts()));
}

}  // namespace
}  // namespace lacuna
