// Caches whose layers differ in KV heads and head sizes on disk: stored whole, bit for bit, and
// loaded only for the same extents.

#include <gtest/gtest.h>

#include <utility>

#include "engine/prefix/page_file.h"
#include "engine/prefix/transform_page_codec.h"
#include "tests/support/sample_transform.h"
#include "tier_fixture.h"

namespace lacuna::test {
namespace {

/// The third layer, without rows, reads those of the first.
KvChoice mixedChoice() {
    KvChoice choice{.shape = {.layers = 3, .extents = {{2, 32, 64}, {1, 64, 32}, {}}},
                    .window = {},
                    .layers = std::vector<LayerPlan>(3)};
    choice.layers[0].window = WindowRule{100, 0};
    return choice;
}

TEST(MixedLayersOnDisk, storedCache_isReadBack_bitForBit) {
    const TemporaryFolder folder;
    TierOnDisk disk(tierOptions(folder.path()));
    const auto tokens = text(500);
    const auto cache = cacheOver(tokens, mixedChoice());
    ASSERT_TRUE(disk.keep(tokens, *cache));
    disk.start();
    auto longer = tokens;
    longer.push_back(1);
    const auto start = disk.tier->find(tierSpace(), longer, 500, mixedChoice());
    ASSERT_EQ(start.kind, PageKind::Whole);
    ASSERT_EQ(start.tokens, 500);
    const auto loaded = disk.tier->load(tierSpace(), longer, start, mixedChoice());
    ASSERT_TRUE(loaded) << loaded.error().what;
    EXPECT_EQ(loaded->cache->save().value(), cache->save().value());
}

TEST(MixedLayersOnDisk, otherExtents_areAMiss) {
    const TemporaryFolder folder;
    const TierOnDisk disk(tierOptions(folder.path()));
    const auto tokens = text(500);
    const auto cache = cacheOver(tokens, mixedChoice());
    ASSERT_TRUE(disk.keep(tokens, *cache));
    auto longer = tokens;
    longer.push_back(1);
    KvChoice other = mixedChoice();
    std::swap(other.shape.extents[0], other.shape.extents[1]);
    EXPECT_EQ(disk.tier->find(tierSpace(), longer, 500, other).tokens, 0);
}

TEST(MixedLayersOnDisk, layout_endsWithTheExtents_andThatOfEqualLayersHasNone) {
    const auto mixed = cacheLayoutOf(mixedChoice());
    ASSERT_EQ(mixed.size(), 11U + 3 * 6 + 3 * 3);
    EXPECT_EQ(std::vector<std::uint32_t>(mixed.end() - 9, mixed.end()),
              (std::vector<std::uint32_t>{2, 32, 64, 1, 64, 32, 0, 0, 0}));
    const KvChoice equal{.shape = tierShape(), .window = {}, .layers = {}};
    EXPECT_EQ(cacheLayoutOf(equal).size(), 11U + 2 * 6);
    const auto state = cacheOver(text(300), mixedChoice())->save().value();
    EXPECT_LE(state.size(), maxStateBytes(mixed, 300));
    EXPECT_LT(maxStateBytes(mixed, 300), maxStateBytes(mixed, 3000));
}

TEST(MixedLayersOnDisk, pageOfOtherExtents_isRefused_namingTheLayer) {
    const auto tokens = text(16);
    KvChoice other = mixedChoice();
    other.shape.extents[1].keyDim = 128;
    const PageHeader header{.kind = PageKind::Whole,
                            .key = {.high = 1, .low = 2},
                            .parent = {},
                            .space = tierSpace(),
                            .codec = "rows",
                            .codecIdentity = 0,
                            .run = {0, 16},
                            .layout = cacheLayoutOf(other),
                            .stateBytes = 10};
    const auto bytes = writePage(header, tokens, std::vector<std::byte>(8));
    const auto page = parsePage(bytes);
    ASSERT_TRUE(page);
    PageQuery request{.kind = PageKind::Whole,
                      .parent = {},
                      .space = tierSpace(),
                      .first = 0,
                      .tokens = tokens,
                      .layout = cacheLayoutOf(other)};
    EXPECT_TRUE(checkPage(*page, request, header.key));
    request.layout = cacheLayoutOf(mixedChoice());
    const auto refused = checkPage(*page, request, header.key);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().fault, PageFault::Layout);
    EXPECT_EQ(refused.error().what, "the key length of its layer 1 is 128, expected 64");
}

TEST(MixedLayersOnDisk, pageCodecs_refuseThem) {
    auto full = mixedChoice();
    full.layers[0].window.reset();
    const auto cache = cacheOver(text(40), full);
    for (const auto& codec : {makeRowsCodec(), makeEightBitCodec()})
        EXPECT_EQ(codec->encode(*cache, {0, 32}).error().code, ErrorCode::Unsupported);
    const TransformPageCodec codec(TransformCodec::make(sampleTransform()).value(), {});
    const auto refused = codec.encode(*cache, {0, 32});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::Unsupported);
    EXPECT_NE(refused.error().what.find("KVTC"), std::string::npos) << refused.error().what;
}

}  // namespace
}  // namespace lacuna::test
