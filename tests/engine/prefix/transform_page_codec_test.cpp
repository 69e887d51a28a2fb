// Cache pages by transform coding: exact rows are restored bit for bit, coded ones closely, and
// other rows stay untouched.

#include "engine/prefix/transform_page_codec.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include "engine/base/hash.h"
#include "engine/base/random.h"
#include "engine/kv/row_format.h"
#include "engine/kv/slot/slot_cache.h"
#include "tests/support/sample_transform.h"

namespace lacuna::test {
namespace {

constexpr int kTokens = 300;
constexpr int kFirst = 5000;  // large enough that indices in place of positions would give wrong
                              // rotations

std::shared_ptr<const TransformCodec> sampleCodec() {
    return TransformCodec::make(sampleTransform()).value();
}

KvShape shapeOf(const TransformCodec& codec, DType type = DType::F16) {
    const TransformIdentity& id = codec.bundle().identity;
    return {.layers = id.layers,
            .kvHeads = id.kvHeads,
            .keyDim = id.keyDim,
            .valueDim = id.valueDim,
            .type = type};
}

std::unique_ptr<KvCache> emptyCache(const KvShape& shape) {
    return makeSlotCache(shape).value();
}

void append(KvCache& cache, int count, const std::function<float(int, std::size_t, bool)>& number) {
    const KvShape& shape = cache.shape();
    ASSERT_TRUE(cache.beginAppend(count));
    const auto size = static_cast<std::size_t>(count) * static_cast<std::size_t>(shape.kvHeads) *
                      static_cast<std::size_t>(shape.keyDim);
    for (int layer = 0; layer < shape.layers; ++layer) {
        std::vector<float> keys(size);
        std::vector<float> values(size);
        for (std::size_t i = 0; i < size; ++i) {
            keys[i] = number(layer, i, true);
            values[i] = number(layer, i, false);
        }
        cache.writeLayer(LayerIndex(layer), {keys.data(), {count, shape.kvHeads, shape.keyDim}},
                         {values.data(), {count, shape.kvHeads, shape.keyDim}});
    }
    cache.commitAppend();
}

/// Returns a cache with `before` tokens of zeros, then `count` tokens whose rows are in the
/// components' space, with rotated keys.
std::unique_ptr<KvCache> sampleCache(const TransformCodec& codec, int before, int count,
                                     DType type = DType::F16) {
    auto cache = emptyCache(shapeOf(codec, type));
    if (before > 0) append(*cache, before, [](int, std::size_t, bool) { return 0.0F; });
    RandomStream random(1, 7);
    const TransformIdentity& id = codec.bundle().identity;
    const auto columns = static_cast<std::size_t>(id.kvHeads * id.keyDim);
    std::vector<std::vector<float>> rows(static_cast<std::size_t>(2 * id.layers));
    for (const TransformGroup& group : codec.bundle().groups)
        for (const bool keys : {true, false}) {
            const TransformSide& side = keys ? group.keys : group.values;
            const auto whole = sampleRows(side, count, random);
            for (std::size_t l = 0; l < group.layers.size(); ++l) {
                auto& layer = rows[2 * static_cast<std::size_t>(group.layers[l]) + (keys ? 0 : 1)];
                for (std::size_t t = 0; t < static_cast<std::size_t>(count); ++t) {
                    const auto from = whole.begin() +
                                      static_cast<std::ptrdiff_t>(
                                          t * static_cast<std::size_t>(side.width()) + l * columns);
                    layer.insert(layer.end(), from, from + static_cast<std::ptrdiff_t>(columns));
                    const std::array<std::int64_t, 1> position{before +
                                                               static_cast<std::int64_t>(t)};
                    if (keys)
                        PositionAngles(id, position, KeyTurn::Redo)
                            .turn(group.layers[l], 0, layer.data() + t * columns);
                }
            }
        }
    append(*cache, count, [&](int layer, std::size_t i, bool keys) {
        return rows[2 * static_cast<std::size_t>(layer) + (keys ? 0 : 1)][i];
    });
    return cache;
}

TransformPageCodec codecWith(std::shared_ptr<const TransformCodec> codec, ComponentCoding coding,
                             ThreadPool* pool = nullptr) {
    const int window = codec->bundle().window;
    return {std::move(codec), {.coding = coding, .sinks = 4, .window = window, .pool = pool}};
}
constexpr ComponentCoding kFine{.code = StoredCode::Step, .step = 0.05F};

std::vector<float> rowAt(const KvCache& cache, int layer, int head, int slot, bool keys) {
    const int dim = cache.shape().keyDim;
    std::vector<float> row(static_cast<std::size_t>(dim));
    const KvHeadView view = cache.head(LayerIndex(layer), HeadIndex(head));
    (keys ? readKeys : readValues)(view, dim, slot, 1, row.data());
    return row;
}

/// Returns the largest difference of rows of tokens [first, end), relative to the largest number.
double differenceOf(const KvCache& a, const KvCache& b, int first, int end) {
    double difference = 0;
    double largest = 0;
    for (int layer = 0; layer < a.shape().layers; ++layer)
        for (int head = 0; head < a.shape().kvHeads; ++head)
            for (int slot = first; slot < end; ++slot)
                for (const bool keys : {true, false}) {
                    const auto x = rowAt(a, layer, head, slot, keys);
                    const auto y = rowAt(b, layer, head, slot, keys);
                    for (std::size_t i = 0; i < x.size(); ++i) {
                        difference = std::max(difference, std::fabs(double{x[i]} - double{y[i]}));
                        largest = std::max(largest, std::fabs(double{x[i]}));
                    }
                }
    return difference / largest;
}

TEST(TransformPage, fullCache_isSmallAndClose_withFirstAndNewestTokensBitForBit) {
    const auto codec = sampleCodec();
    for (const DType type : {DType::F16, DType::BF16, DType::F32}) {
        const auto cache = sampleCache(*codec, 0, kTokens, type);
        const auto pages = codecWith(codec, kFine);
        const TokenRun run{0, kTokens};
        const auto page = pages.encode(*cache, run);
        ASSERT_TRUE(page) << page.error().what;
        // The page is smaller, and not all rows are stored exactly.
        const auto figures = pages.figures(*page, run);
        ASSERT_TRUE(figures) << figures.error().what;
        EXPECT_EQ(figures->keptTokens, 4 + codec->bundle().window);
        EXPECT_EQ(figures->bytes, static_cast<std::int64_t>(page->size()));
        EXPECT_LT(figures->keptBytes, figures->bytes);
        EXPECT_LT(page->size(), static_cast<std::size_t>(cache->stats().liveBytes) / 2);
        auto back = emptyCache(shapeOf(*codec, type));
        ASSERT_TRUE(pages.decode(*page, run, *back));
        back->checkInvariants();
        EXPECT_EQ(back->offset(), cache->offset());
        EXPECT_EQ(differenceOf(*cache, *back, 0, 4), 0);
        EXPECT_EQ(differenceOf(*cache, *back, kTokens - codec->bundle().window, kTokens), 0);
        const double coded = differenceOf(*cache, *back, 4, kTokens - codec->bundle().window);
        EXPECT_GT(coded, 0);
        EXPECT_LT(coded, 0.02);
    }
}

TEST(TransformPage, runAtALaterPosition_isRotatedByItsOwnPositions) {
    const auto codec = sampleCodec();
    const auto cache = sampleCache(*codec, kFirst, kTokens);
    const auto pages = codecWith(codec, kFine);
    const TokenRun run{kFirst, kTokens - 40};
    const auto page = pages.encode(*cache, run);
    ASSERT_TRUE(page) << page.error().what;
    // The run has neither sinks nor newest tokens, and the components represent all its rows. With
    // wrong positions the rows would leave that space and be stored exactly.
    EXPECT_EQ(pages.figures(*page, run)->keptTokens, 0);
    auto back = emptyCache(shapeOf(*codec));
    append(*back, kFirst, [](int, std::size_t, bool) { return 0.0F; });
    ASSERT_TRUE(pages.decode(*page, run, *back));
    EXPECT_EQ(back->offset().value, kFirst + kTokens - 40);
    EXPECT_LT(differenceOf(*cache, *back, kFirst, kFirst + kTokens - 40), 0.02);
    // Splitting into pages does not change the tokens.
    auto split = emptyCache(shapeOf(*codec));
    append(*split, kFirst, [](int, std::size_t, bool) { return 0.0F; });
    for (const TokenRun part :
         {TokenRun{kFirst, 1}, TokenRun{kFirst + 1, 70}, TokenRun{kFirst + 71, kTokens - 40 - 71}})
        ASSERT_TRUE(pages.decode(pages.encode(*cache, part).value(), part, *split));
    EXPECT_LT(differenceOf(*back, *split, kFirst, kFirst + kTokens - 40), 1e-3);
}

TEST(TransformPage, plansOfEveryRatio_roundTrip) {
    const auto codec = sampleCodec();
    const auto cache = sampleCache(*codec, 0, kTokens);
    double before = 0;
    std::size_t size = 1U << 30;
    for (const double ratio : {1.0, 2.0, 4.0}) {
        const auto pages = codecWith(codec, codec->codingFor(StoredCode::Plan, ratio).value());
        const TokenRun run{0, kTokens};
        const auto page = pages.encode(*cache, run).value();
        EXPECT_LT(page.size(), size);
        size = page.size();
        auto back = emptyCache(shapeOf(*codec));
        ASSERT_TRUE(pages.decode(page, run, *back));
        const double off = differenceOf(*cache, *back, 4, kTokens - codec->bundle().window);
        EXPECT_GT(off, before);
        before = off;
        // A page records its coding parameters.
        auto other = emptyCache(shapeOf(*codec));
        ASSERT_TRUE(codecWith(codec, kFine).decode(page, run, *other));
        EXPECT_EQ(differenceOf(*back, *other, 0, kTokens), 0);
    }
}

TEST(TransformPage, tokensOutsideTheComponents_areStoredPlain) {
    const auto codec = sampleCodec();
    const auto cache = sampleCache(*codec, 0, kTokens);
    RandomStream random(4, 4);
    append(*cache, 3,
           [&](int, std::size_t, bool) { return static_cast<float>(9 * random.normal()); });
    append(*cache, 20, [](int, std::size_t, bool) { return 0.5F; });
    const auto pages = codecWith(codec, kFine);
    const TokenRun run{100, 203};
    const auto page = pages.encode(*cache, run).value();
    EXPECT_EQ(pages.figures(page, run)->keptTokens, 3);
    auto back = emptyCache(shapeOf(*codec));
    append(*back, 100, [](int, std::size_t, bool) { return 0.0F; });
    ASSERT_TRUE(pages.decode(page, run, *back));
    EXPECT_EQ(differenceOf(*cache, *back, 300, 303), 0);
}

TEST(TransformPage, newestTokens_areStoredInEightBits_ifRowsHaveGroups) {
    const auto codec = TransformCodec::make(sampleTransform({.dim = 32})).value();
    const int window = codec->bundle().window;
    for (const DType type : {DType::F16, DType::BF16, DType::F32}) {
        const auto cache = sampleCache(*codec, 0, kTokens, type);
        const auto pages = codecWith(codec, kFine);
        const TokenRun run{0, kTokens};
        const auto page = pages.encode(*cache, run).value();
        EXPECT_EQ(pages.figures(page, run)->keptTokens, 4 + window);
        auto back = emptyCache(shapeOf(*codec, type));
        ASSERT_TRUE(pages.decode(page, run, *back));
        EXPECT_EQ(differenceOf(*cache, *back, 0, 4), 0);
        const double newest = differenceOf(*cache, *back, kTokens - window, kTokens);
        EXPECT_GT(newest, 0);
        EXPECT_LT(newest, 1.0 / 200);
        // A number takes a byte and its share of a scale instead of two bytes.
        const KvShape& shape = cache->shape();
        const auto numbers = static_cast<std::int64_t>(shape.layers) * shape.kvHeads *
                             (shape.keyDim + shape.valueDim) * window;
        EXPECT_LT(pages.figures(page, run)->keptBytes, numbers * 5 / 4 + 4 * numbers / window * 4);
    }
}

TEST(TransformPage, newestTokens_withOwnStep_areCloser_inLessThanEightBits) {
    const auto codec = TransformCodec::make(sampleTransform({.dim = 32})).value();
    const int window = codec->bundle().window;
    const auto cache = sampleCache(*codec, 0, kTokens);
    const ComponentCoding coarse{StoredCode::Step, 0.5F, 0};
    const ComponentCoding closer{StoredCode::Step, 0.05F, 0};
    TransformPageOptions options{.coding = coarse, .sinks = 4, .window = window};
    const TransformPageCodec eightBits(codec, options);
    options.windowCoding = closer;
    const TransformPageCodec pages(codec, options);
    const TokenRun run{0, kTokens};
    const auto page = pages.encode(*cache, run).value();
    EXPECT_EQ(pages.figures(page, run)->keptTokens, 4);
    EXPECT_LT(page.size(), eightBits.encode(*cache, run).value().size());
    auto back = emptyCache(shapeOf(*codec));
    ASSERT_TRUE(pages.decode(page, run, *back));
    EXPECT_EQ(differenceOf(*cache, *back, 0, 4), 0);
    const double older = differenceOf(*cache, *back, 4, kTokens - window);
    const double newest = differenceOf(*cache, *back, kTokens - window, kTokens);
    EXPECT_GT(newest, 0);
    EXPECT_LT(newest, older / 3);
    // A page before the newest tokens contains none of them; a page within them contains no others.
    for (const TokenRun part :
         {TokenRun{0, kTokens - window}, TokenRun{kTokens - window / 2, window / 2}}) {
        const auto alone = pages.encode(*cache, part).value();
        auto to = emptyCache(shapeOf(*codec));
        if (part.first > 0)
            append(*to, static_cast<int>(part.first), [](int, std::size_t, bool) { return 0.0F; });
        ASSERT_TRUE(pages.decode(alone, part, *to)) << part.first;
        EXPECT_LT(differenceOf(*cache, *to, static_cast<int>(std::max<std::int64_t>(part.first, 4)),
                               static_cast<int>(part.first + part.count)),
                  part.first > 0 ? older / 3 : older * 1.01);
    }
}

TEST(TransformPage, shortCaches_areStoredPlain) {
    const auto codec = sampleCodec();
    const auto cache = sampleCache(*codec, 0, 10);
    const auto pages = codecWith(codec, kFine);
    const auto page = pages.encode(*cache, {0, 10}).value();
    EXPECT_EQ(pages.figures(page, {0, 10})->keptTokens, 10);
    auto back = emptyCache(shapeOf(*codec));
    ASSERT_TRUE(pages.decode(page, {0, 10}, *back));
    EXPECT_EQ(differenceOf(*cache, *back, 0, 10), 0);
}

TEST(TransformPage, threadPool_givesTheSamePage) {
    const auto codec = sampleCodec();
    const auto cache = sampleCache(*codec, 0, kTokens);
    ThreadPool pool(3);
    const auto alone = codecWith(codec, kFine);
    const auto shared = codecWith(codec, kFine, &pool);
    const TokenRun run{0, kTokens};
    const auto page = alone.encode(*cache, run).value();
    EXPECT_EQ(shared.encode(*cache, run).value(), page);
    auto a = emptyCache(shapeOf(*codec));
    auto b = emptyCache(shapeOf(*codec));
    ASSERT_TRUE(alone.decode(page, run, *a));
    ASSERT_TRUE(shared.decode(page, run, *b));
    EXPECT_EQ(a->save().value(), b->save().value());
}

TEST(TransformPage, damagedPage_isRefused_andLeavesTheCache) {
    const auto codec = sampleCodec();
    const auto cache = sampleCache(*codec, 0, 90);
    for (const ComponentCoding coding : {kFine, codec->codingFor(StoredCode::Plan, 2).value()}) {
        const auto pages = codecWith(codec, coding);
        const TokenRun run{20, 60};
        const auto page = pages.encode(*cache, run).value();
        auto back = emptyCache(shapeOf(*codec));
        append(*back, 20, [](int, std::size_t, bool) { return 1.0F; });
        const std::string before = back->save().value();
        for (std::size_t size = 0; size < page.size(); ++size) {
            const Status cut = pages.decode(std::span(page).first(size), run, *back);
            ASSERT_FALSE(cut) << size;
        }
        for (std::size_t at = 0; at < page.size(); ++at) {
            auto flipped = page;
            flipped[at] ^= static_cast<std::byte>(1U << at % 8);
            ASSERT_FALSE(pages.decode(flipped, run, *back)) << at;
        }
        // The same with a valid checksum: refused or other numbers, but never part of a page.
        RandomStream random(8, 0);
        for (int i = 0; i < 300; ++i) {
            auto flipped = page;
            const std::size_t at = 16 + random.below(page.size() - 16);
            flipped[at] = static_cast<std::byte>(random.bits());
            const std::uint64_t sum = hash64(std::span(flipped).subspan(16));
            std::memcpy(flipped.data() + 8, &sum, sizeof(sum));
            const Status decoded = pages.decode(flipped, run, *back);
            if (decoded) {
                ASSERT_TRUE(back->rollback(60));
            }
        }
        auto longer = page;
        longer.push_back(std::byte{0});
        EXPECT_FALSE(pages.decode(longer, run, *back));
        back->checkInvariants();
        EXPECT_EQ(back->save().value(), before);
        EXPECT_TRUE(pages.decode(page, run, *back));
    }
}

TEST(TransformPage, mismatches_areRefusedByName) {
    const auto codec = sampleCodec();
    const auto cache = sampleCache(*codec, 0, 60);
    const auto pages = codecWith(codec, kFine);
    const auto page = pages.encode(*cache, {0, 60}).value();
    const auto codeOf = [](const auto& outcome) { return outcome.error().code; };

    // Another bundle.
    const auto other = TransformCodec::make(sampleTransform({}, 2)).value();
    const auto others = codecWith(other, kFine);
    EXPECT_NE(others.identity(), pages.identity());
    auto back = emptyCache(shapeOf(*codec));
    EXPECT_EQ(codeOf(others.decode(page, {0, 60}, *back)), ErrorCode::Incompatible);
    // Another run, a cache that does not end at its start, another number format.
    EXPECT_EQ(codeOf(pages.decode(page, {0, 59}, *back)), ErrorCode::Incompatible);
    EXPECT_EQ(codeOf(pages.decode(page, {1, 60}, *back)), ErrorCode::InvalidArgument);
    auto wide = emptyCache(shapeOf(*codec, DType::F32));
    EXPECT_EQ(codeOf(pages.decode(page, {0, 60}, *wide)), ErrorCode::Incompatible);
    // Another shape, in both directions.
    KvShape shape = shapeOf(*codec);
    shape.kvHeads = 1;
    auto narrow = emptyCache(shape);
    EXPECT_EQ(codeOf(pages.decode(page, {0, 60}, *narrow)), ErrorCode::Incompatible);
    EXPECT_EQ(codeOf(pages.encode(*narrow, {0, 1})), ErrorCode::Incompatible);
    // Rows that are coded already.
    shape = shapeOf(*codec);
    shape.keyDim = shape.valueDim = 64;
    shape.keyQuant = {8, 64};
    EXPECT_EQ(codeOf(pages.encode(*emptyCache(shape), {0, 1})), ErrorCode::Unsupported);
    // Invalid runs.
    for (const TokenRun run : {TokenRun{0, 0}, TokenRun{-1, 2}, TokenRun{0, 61}, TokenRun{60, 1},
                               TokenRun{1, std::numeric_limits<std::int64_t>::max()}})
        EXPECT_EQ(codeOf(pages.encode(*cache, run)), ErrorCode::InvalidArgument);
    EXPECT_TRUE(back->empty());
}

TEST(TransformPage, evictedCaches_storeRunsHeldByAllHeads) {
    const auto codec = sampleCodec();
    const auto cache = sampleCache(*codec, 0, kTokens);
    // One head loses tokens 50 to 59.
    CompactionPlan plan;
    plan.heads.resize(6);
    plan.heads[3].keep = SlotMarks(kTokens);
    for (int slot = 0; slot < kTokens; ++slot)
        if (slot < 50 || slot >= 60) plan.heads[3].keep.add(slot);
    ASSERT_TRUE(cache->compactable()->apply(plan));
    const auto pages = codecWith(codec, kFine);
    EXPECT_EQ(pages.encode(*cache, {0, 100}).error().code, ErrorCode::Unsupported);
    EXPECT_EQ(pages.encode(*cache, {55, 20}).error().code, ErrorCode::Unsupported);
    // Slots no longer equal positions; runs are given in positions.
    const TokenRun run{60, 150};
    const auto page = pages.encode(*cache, run);
    ASSERT_TRUE(page) << page.error().what;
    EXPECT_EQ(pages.figures(*page, run)->keptTokens, 0);
    const auto whole = sampleCache(*codec, 0, kTokens);
    EXPECT_EQ(pages.encode(*whole, run).value(), *page);
}

}  // namespace
}  // namespace lacuna::test
