#include "engine/settings/facts.h"

#include <gtest/gtest.h>

#include "engine/kv/kv_factory.h"
#include "engine/session/read_facts.h"

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

}  // namespace
}  // namespace lacuna
