#include "engine/session/facts.h"

#include <gtest/gtest.h>

namespace lacuna {
namespace {

TEST(MachineFacts, ofThisMachine_arePlausible) {
    const MachineFacts facts = machineFacts();
    EXPECT_GE(facts.cores, 1);
    EXPECT_FALSE(facts.cpu.empty());
    EXPECT_FALSE(facts.isa.empty());
    EXPECT_GT(facts.memoryBytes, 0);
    EXPECT_LE(facts.availableBytes, facts.memoryBytes);
    EXPECT_EQ(facts.system.find('\n'), std::string::npos);
}

TEST(KvBytesPerToken, countsKeysAndValuesOfAllLayersAndHeads) {
    ModelFacts model;
    model.layers = 2;
    model.kvHeads = 8;
    model.headDim = 64;
    EXPECT_EQ(kvBytesPerToken(model, DType::F16), 2 * 2 * 8 * 64 * 2);
    EXPECT_EQ(kvBytesPerToken(model, DType::F32), 2 * 2 * 8 * 64 * 4);
    EXPECT_EQ(
        kvShape(model, DType::BF16),
        (KvShape{.layers = 2, .kvHeads = 8, .keyDim = 64, .valueDim = 64, .type = DType::BF16}));
}

}  // namespace
}  // namespace lacuna
