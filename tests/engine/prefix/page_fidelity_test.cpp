// Fidelity of the pages of a folder: by transform coding, in 8 bits, bit for bit. Pages of one way
// must never be mistaken for those of another.

#include "engine/prefix/page_fidelity.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "engine/prefix/prefix_pages.h"
#include "engine/prefix/transform_page_codec.h"
#include "tests/support/sample_transform.h"
#include "tier_fixture.h"

namespace lacuna {
namespace {

using namespace test;
namespace fs = std::filesystem;

/// Returns a bundle of a model without rotation, which makes rows within its components easy to
/// construct.
std::shared_ptr<const TransformCodec> transform(std::uint64_t seed = 1, int layers = 2) {
    TransformBundle bundle =
        sampleTransform({.layers = layers, .kvHeads = layers, .dim = 32, .rank = 24}, seed);
    std::ranges::fill(bundle.identity.layerRopes, -1);
    return TransformCodec::make(std::move(bundle)).value();
}

KvChoice choiceOf(const TransformCodec& codec) {
    const TransformIdentity& id = codec.bundle().identity;
    return {.shape = {.layers = id.layers,
                      .kvHeads = id.kvHeads,
                      .keyDim = id.keyDim,
                      .valueDim = id.valueDim,
                      .type = DType::F16},
            .window = {},
            .layers = {}};
}

/// Returns a cache whose rows are in the space of the components.
std::unique_ptr<KvCache> cacheIn(const TransformCodec& codec, int tokens) {
    const KvChoice choice = choiceOf(codec);
    auto cache = makeCache(choice).value();
    RandomStream random(3, 3);
    EXPECT_TRUE(cache->beginAppend(tokens));
    for (const TransformGroup& group : codec.bundle().groups) {
        const std::array rows{sampleRows(group.keys, tokens, random),
                              sampleRows(group.values, tokens, random)};
        const std::size_t width = rows[0].size() / static_cast<std::size_t>(tokens);
        const std::size_t columns = width / group.layers.size();
        for (std::size_t l = 0; l < group.layers.size(); ++l) {
            std::array<std::vector<float>, 2> layer;
            for (std::size_t side = 0; side < 2; ++side)
                for (std::size_t t = 0; t < static_cast<std::size_t>(tokens); ++t) {
                    const float* const from = rows[side].data() + t * width + l * columns;
                    layer[side].insert(layer[side].end(), from, from + columns);
                }
            const KvShape& shape = choice.shape;
            cache->writeLayer(LayerIndex(group.layers[l]),
                              {layer[0].data(), {tokens, shape.kvHeads, shape.keyDim}},
                              {layer[1].data(), {tokens, shape.kvHeads, shape.valueDim}});
        }
    }
    cache->commitAppend();
    return cache;
}

/// Returns the largest difference between the rows of two caches, relative to the largest number.
double apart(const KvCache& a, const KvCache& b, int tokens) {
    double difference = 0;
    double largest = 0;
    const KvShape& shape = a.shape();
    for (int layer = 0; layer < shape.layers; ++layer)
        for (int head = 0; head < shape.kvHeads; ++head)
            for (const auto read : {readKeys, readValues}) {
                std::vector<float> x(static_cast<std::size_t>(tokens * shape.keyDim));
                std::vector<float> y(x.size());
                read(a.head(LayerIndex(layer), HeadIndex(head)), shape.keyDim, 0, tokens, x.data());
                read(b.head(LayerIndex(layer), HeadIndex(head)), shape.keyDim, 0, tokens, y.data());
                for (std::size_t i = 0; i < x.size(); ++i) {
                    difference = std::max(difference, std::fabs(double{x[i]} - double{y[i]}));
                    largest = std::max(largest, std::fabs(double{x[i]}));
                }
            }
    return difference / largest;
}

using Codecs = std::vector<std::unique_ptr<PageCodec>>;

Codecs codecsWith(const std::shared_ptr<const TransformCodec>& codec, bool eightBits = true) {
    Codecs codecs;
    if (codec != nullptr) codecs.push_back(makeTransformPageCodec(codec));
    if (eightBits) codecs.push_back(makeEightBitCodec());
    codecs.push_back(makeRowsCodec());
    return codecs;
}

/// A folder with a tier that is reopened for each way of coding.
struct Folder {
    explicit Folder(const TransformCodec& of) : choice(choiceOf(of)) { start({}); }
    void start(Codecs codecs) {
        tier.reset();
        store.reset();
        store = PageStore::open(tierOptions(folder.path()));
        store->drain();
        tier = std::make_unique<DiskTier>(*store, std::move(codecs));
    }
    void keep(std::span<const TokenId> tokens, KvCache& cache) const {
        ASSERT_TRUE(tier->store(tierSpace(), tokens, cache));
        store->drain();
    }
    [[nodiscard]] StoredStart find(std::span<const TokenId> tokens) const {
        return tier->find(tierSpace(), tokens, static_cast<std::int64_t>(tokens.size()), choice);
    }
    [[nodiscard]] Result<LoadedStart> load(std::span<const TokenId> tokens) const {
        return tier->load(tierSpace(), tokens, find(tokens), choice);
    }
    [[nodiscard]] std::int64_t misses(PageFault fault) const {
        return store->stats().misses[static_cast<std::size_t>(fault)];
    }
    TemporaryFolder folder;
    KvChoice choice;
    std::unique_ptr<PageStore> store;
    std::unique_ptr<DiskTier> tier;
};

TEST(PageFidelity, calibratedModelPages_areTransformCoded_andSurviveARestart) {
    const auto codec = transform();
    Folder disk(*codec);
    const auto tokens = text(700);
    const auto cache = cacheIn(*codec, 700);
    disk.start(codecsWith(nullptr, false));
    disk.keep(tokens, *cache);
    const std::int64_t exact = disk.find(tokens).bytes;
    disk.start(codecsWith(nullptr));
    EXPECT_TRUE(disk.load(tokens)->codec.empty()) << "what is there bit for bit is read so";
    ASSERT_TRUE(disk.store->clear(std::nullopt));

    disk.start(codecsWith(codec));
    disk.keep(tokens, *cache);
    disk.start(codecsWith(codec));
    const StoredStart start = disk.find(tokens);
    EXPECT_EQ(start.codec, "kvtc");
    EXPECT_EQ(start.covered, 700);
    EXPECT_LT(3 * start.bytes, exact);
    const auto loaded = disk.load(tokens);
    ASSERT_TRUE(loaded);
    EXPECT_EQ(loaded->codec, "kvtc");
    EXPECT_EQ(loaded->tokens, 700);
    const double off = apart(*cache, *loaded->cache, 700);
    EXPECT_GT(off, 0);
    EXPECT_LT(off, 0.15);
    // The first tokens of the text are stored exactly.
    EXPECT_EQ(apart(*cache, *loaded->cache, 4), 0);
}

TEST(PageFidelity, otherOrMissingCalibration_isAMissWithReason_andIsRewritten) {
    const auto codec = transform();
    const auto other = transform(2);
    Folder disk(*codec);
    const auto tokens = text(600);
    const auto cache = cacheIn(*codec, 600);
    disk.start(codecsWith(codec));
    disk.keep(tokens, *cache);
    const std::size_t pages = pagesIn(disk.folder.path()).size();
    for (const auto& now : {other, std::shared_ptr<const TransformCodec>()}) {
        disk.start(codecsWith(now));
        EXPECT_EQ(disk.find(tokens).tokens, 0);
        EXPECT_EQ(disk.misses(PageFault::Codec), 1);
        EXPECT_EQ(disk.store->stats().quarantined, 0) << "nothing is wrong with it";
        disk.keep(tokens, *cache);
        EXPECT_EQ(disk.find(tokens).codec, now != nullptr ? "kvtc" : "q8");
        EXPECT_EQ(pagesIn(disk.folder.path()).size(), pages) << "in their places";
        const auto loaded = disk.load(tokens);
        ASSERT_TRUE(loaded);
        EXPECT_EQ(loaded->tokens, 600);
        // Rows outside of the other bundle's components are stored in 8 bits.
        EXPECT_LT(apart(*cache, *loaded->cache, 600), 0.15);
    }
}

TEST(PageFidelity, exactFolder_rejectsLossyPages_andKeepsEveryBit) {
    const auto codec = transform();
    Folder disk(*codec);
    const auto tokens = text(600);
    const auto cache = cacheIn(*codec, 600);
    for (const auto& rounding : {codec, std::shared_ptr<const TransformCodec>()}) {
        disk.start(codecsWith(rounding));
        disk.keep(tokens, *cache);
        EXPECT_NE(disk.find(tokens).codec, "rows");
        disk.start(codecsWith(nullptr, false));
        EXPECT_EQ(disk.find(tokens).tokens, 0);
        EXPECT_EQ(disk.misses(PageFault::Codec), 1);
        disk.keep(tokens, *cache);
        const auto loaded = disk.load(tokens);
        ASSERT_TRUE(loaded);
        EXPECT_TRUE(loaded->codec.empty());
        EXPECT_TRUE(sameRows(*loaded->cache, *cache, 600));
        ASSERT_TRUE(disk.store->clear(std::nullopt));
    }
}

TEST(PageFidelity, alteredOrTruncatedTransformPage_isAMiss) {
    const auto codec = transform(1, 1);
    Folder disk(*codec);
    const auto tokens = text(256);
    const auto cache = cacheIn(*codec, 256);
    disk.start(codecsWith(codec));
    disk.keep(tokens, *cache);
    ASSERT_EQ(disk.find(tokens).codec, "kvtc");
    const auto path = pagesIn(disk.folder.path()).at(0);
    const auto whole = bytesOf(path);
    const auto refused = [](std::span<const std::byte> bytes) { return !parsePage(bytes); };
    ASSERT_FALSE(refused(whole));
    for (std::size_t cut = 0; cut < whole.size(); ++cut)
        ASSERT_TRUE(refused(std::span(whole).first(cut))) << cut;
    for (std::size_t at = 0; at < whole.size(); ++at) {
        auto flipped = whole;
        flipped[at] ^= static_cast<std::byte>(1U << at % 8);
        ASSERT_TRUE(refused(flipped)) << at;
    }
    // Through the folder: a miss, and the existing pages are quarantined.
    std::int64_t aside = 0;
    const auto isMiss = [&](std::span<const std::byte> bytes) {
        overwrite(path, bytes);
        EXPECT_FALSE(disk.load(tokens));
        EXPECT_FALSE(fs::exists(path));
        EXPECT_EQ(disk.store->stats().quarantined, ++aside);
    };
    for (std::size_t at = 0; at < whole.size(); at += whole.size() / 40) {
        SCOPED_TRACE(at);
        isMiss(std::span(whole).first(at));
        auto flipped = whole;
        flipped[at] ^= std::byte{1};
        isMiss(flipped);
    }
    overwrite(path, whole);
    EXPECT_EQ(disk.find(tokens).tokens, 256);
}

TEST(PageFidelity, fidelityFile_isNotCountedInTheLimit_andSurvivesClear) {
    const TemporaryFolder folder;
    EXPECT_EQ(pageFidelityOf(folder.path() / "none"), PageFidelity::Auto);
    for (const PageFidelity one :
         {PageFidelity::EightBits, PageFidelity::Auto, PageFidelity::Exact}) {
        ASSERT_TRUE(storePageFidelity(folder.path() / "tier", one));
        EXPECT_EQ(pageFidelityOf(folder.path() / "tier"), one);
        EXPECT_EQ(valueOfKey<PageFidelity>(keyOf(one)), one);
    }
    const auto store = PageStore::open(tierOptions(folder.path() / "tier"));
    store->drain();
    ASSERT_TRUE(store->clear(std::nullopt));
    EXPECT_EQ(pageFidelityOf(folder.path() / "tier"), PageFidelity::Exact);
    EXPECT_TRUE(store->usage().empty());
    overwrite(folder.path() / "tier" / kFidelityFile, std::as_bytes(std::span("whatever")));
    EXPECT_EQ(pageFidelityOf(folder.path() / "tier"), PageFidelity::Exact)
        << "what is not understood loses no bits";
    EXPECT_FALSE(valueOfKey<PageFidelity>("whatever"));
    fs::remove(folder.path() / "tier" / kFidelityFile);
    fs::create_directory(folder.path() / "tier" / kFidelityFile);
    EXPECT_EQ(pageFidelityOf(folder.path() / "tier"), PageFidelity::Exact) << "nor what is no file";
    EXPECT_FALSE(readPageFidelity(folder.path() / "tier"));
}

TEST(PageFidelity, tier_usesTheFidelityOfItsFolder_andReportsLossyPages) {
    const auto codec = transform();
    const auto tokens = text(600);
    for (const PageFidelity fidelity :
         {PageFidelity::Auto, PageFidelity::EightBits, PageFidelity::Exact}) {
        SCOPED_TRACE(keyOf(fidelity));
        const TemporaryFolder folder;
        ASSERT_TRUE(storePageFidelity(folder.path(), fidelity));
        const PrefixSpaces spaces{.full = "all", .compacted = {}, .model = "model"};
        const KvChoice choice = choiceOf(*codec);
        const auto cache = cacheIn(*codec, 600);
        {
            PrefixPages pages(tierOptions(folder.path()));
            pages.codeWith({.transform = codec});
            pages.stored(spaces, tokens, *cache);
        }
        PrefixPages pages(tierOptions(folder.path()));
        pages.codeWith({.transform = codec});
        const auto found =
            pages.find({.spaces = spaces, .tokens = tokens, .choice = &choice}, 0, 599);
        ASSERT_NE(found.cache, nullptr) << found.note;
        EXPECT_EQ(found.tokens, 599);
        const bool exact = fidelity == PageFidelity::Exact;
        EXPECT_EQ(sameRows(*found.cache, *cache, 599), exact);
        const std::string name = fidelity == PageFidelity::Auto ? "kvtc" : "q8";
        EXPECT_EQ(found.note.find(name) != std::string::npos, !exact) << found.note;
    }
}

}  // namespace
}  // namespace lacuna
