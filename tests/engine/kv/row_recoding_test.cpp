// A recoded cache built alongside the original: every row is the old row in the new format,
// whatever happened to the cache between two slices.

#include "engine/kv/row_recoding.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <optional>

#include "cache_kinds.h"
#include "engine/base/random.h"
#include "engine/base/string_format.h"
#include "engine/kernels/rotation.h"
#include "engine/kv/calibrated_rotations.h"
#include "engine/kv/slot/slot_state.h"

namespace lacuna::test {
namespace {

/// A row as the cache shows it, and its stored bytes.
struct ShownRow {
    std::vector<float> key, value;
    std::vector<std::byte> keyCode, valueCode;
    float bias = 0;
    bool exact = false;
};
/// Rows of one head by position. A position has several if its row was shown in 16 bits first and
/// as its code later.
using ShownHead = std::map<std::int32_t, std::vector<ShownRow>>;
using Shown = std::vector<ShownHead>;

std::vector<std::byte> bytesAt(const std::byte* rows, int slot, std::size_t bytes) {
    const std::byte* const row = rows + static_cast<std::size_t>(slot) * bytes;
    return {row, row + bytes};
}

/// Adds the rows that the cache shows at present to those shown earlier.
void look(const KvCache& cache, Shown& shown) {
    const KvShape& shape = cache.shape();
    shown.resize(static_cast<std::size_t>(shape.layers * shape.kvHeads));
    for (std::size_t i = 0; i < shown.size(); ++i) {
        const auto heads = static_cast<std::size_t>(shape.kvHeads);
        const KvHeadView view = cache.head(LayerIndex(static_cast<int>(i / heads)),
                                           HeadIndex(static_cast<int>(i % heads)));
        for (int slot = 0; slot < view.slots; ++slot) {
            if (view.bias != nullptr && view.bias[slot] == kHole) continue;
            ShownRow row{
                .key = std::vector<float>(static_cast<std::size_t>(shape.keyDim)),
                .value = std::vector<float>(static_cast<std::size_t>(shape.valueDim)),
                .keyCode = bytesAt(view.keys, slot, formatBytes(keyFormat(view, shape.keyDim))),
                .valueCode =
                    bytesAt(view.values, slot, formatBytes(valueFormat(view, shape.valueDim))),
                .bias = view.bias == nullptr ? 0.0F : view.bias[slot],
                .exact = !view.exact.within(slot, 1).empty()};
            readKeys(view, shape.keyDim, slot, 1, row.key.data());
            readValues(view, shape.valueDim, slot, 1, row.value.data());
            shown[i][view.positions == nullptr ? slot : view.positions[slot]].push_back(
                std::move(row));
        }
    }
}

std::vector<std::byte> coded(const RowFormat& format, const std::vector<float>& row) {
    std::vector<std::byte> bytes(formatBytes(format));
    encodeRowSaturated(format, row, bytes.data());
    return bytes;
}

/// Sides whose format does not change.
struct Stays {
    bool keys = false;
    bool values = false;
};

/// Checks that every row of `to` is the code of a row shown for its token and that no token of
/// `from` is missing.
void expectRecoded(const KvCache& from, const KvCache& to, const Shown& shown, Stays stays = {}) {
    to.checkInvariants();
    const KvShape& shape = to.shape();
    ASSERT_EQ(to.offset(), from.offset());
    Shown left;
    look(from, left);
    for (std::size_t i = 0; i < left.size(); ++i) {
        const auto heads = static_cast<std::size_t>(shape.kvHeads);
        const KvHeadView view = to.head(LayerIndex(static_cast<int>(i / heads)),
                                        HeadIndex(static_cast<int>(i % heads)));
        for (int slot = 0; slot < view.slots; ++slot) {
            const int position = view.positions == nullptr ? slot : view.positions[slot];
            SCOPED_TRACE(format("head {}, token {}", i, position));
            const auto now = left[i].find(position);
            ASSERT_NE(now, left[i].end());
            const RowFormat key = keyFormat(view, shape.keyDim);
            const RowFormat value = valueFormat(view, shape.valueDim);
            const auto keyCode = bytesAt(view.keys, slot, formatBytes(key));
            const auto valueCode = bytesAt(view.values, slot, formatBytes(value));
            bool keyFound = false;
            bool valueFound = false;
            for (const ShownRow& row : shown[i].at(position)) {
                keyFound = keyFound || keyCode == (stays.keys ? row.keyCode : coded(key, row.key));
                valueFound = valueFound ||
                             valueCode == (stays.values ? row.valueCode : coded(value, row.value));
            }
            ASSERT_TRUE(keyFound);
            ASSERT_TRUE(valueFound);
            ASSERT_EQ(view.bias == nullptr ? 0.0F : view.bias[slot], now->second.back().bias);
            const bool covered =
                shape.keepsExact() && shape.exact.covers(position, to.offset().value - 1);
            const bool had = now->second.back().exact;
            const bool gains = (key.quant.rotated() && (!stays.keys || had)) ||
                               (value.quant.rotated() && (!stays.values || had));
            ASSERT_EQ(!view.exact.within(slot, 1).empty(), covered && gains);
            left[i].erase(now);
        }
        ASSERT_TRUE(left[i].empty()) << "token " << left[i].begin()->first << " is missing";
    }
}

KvChoice choiceOf(const KvCache& cache, const KvShape& shape) {
    return withRowsOf(cache, {.shape = shape, .window = {}, .layers = {}});
}

struct Course {
    std::int64_t rows = 23;  ///< rows per slice
    bool norms = false;
    SlotAllocator* allocator = nullptr;
    /// Called after each slice except the last. Returns the lowest number of tokens during the call
    /// if it fell below the previous count.
    std::function<std::optional<int>(KvCache&, int)> between = {};
};

struct Recoded {
    std::unique_ptr<KvCache> cache;
    int slices = 0;
    Shown shown;
};

Recoded recoded(KvCache& cache, const KvShape& shape, const Course& course = {}) {
    ThreadPool pool(2);
    Recoded made;
    auto recoding = RowRecoding::begin(cache, choiceOf(cache, shape),
                                       {.norms = course.norms, .allocator = course.allocator})
                        .value();
    int kept = 0;
    double share = 0;
    for (;; ++made.slices) {
        look(cache, made.shown);
        if (recoding->advance(cache, {.rows = course.rows, .kept = kept}, pool).value()) break;
        if (!course.between) {
            EXPECT_GT(recoding->share(cache), share);
            share = recoding->share(cache);
        }
        kept = cache.offset().value;
        if (course.between)
            if (const auto fewest = course.between(cache, made.slices)) {
                kept = *fewest;
                for (ShownHead& head : made.shown) head.clear();
            }
        if (made.slices > 1000) return made;
    }
    if (cache.offset().value > 0) {
        EXPECT_GT(made.slices, 1);
    }
    EXPECT_EQ(recoding->share(cache), 1.0);
    // The original may be consumed, but the tests still inspect it.
    auto old = cache.clone().value();
    made.cache = recoding->take(*old).value();
    old.reset();
    int given = 1;
    while (recoding->release(1)) ++given;
    const bool list = cache.layerPlans() != nullptr;
    if (cache.snapshots() != nullptr && cache.offset().value > 0) {
        EXPECT_EQ(given, (list ? 1 : shape.layers) * shape.kvHeads);
    }
    return made;
}

/// Returns a format for both sides that none of cacheKinds has.
KvShape otherRows() {
    KvShape shape = kindShape(Rows::Rotated);
    shape.keyQuant = {2, 0};
    shape.valueQuant = {6, 0};
    return shape;
}

TEST(KvShape, codesOfEitherSide_areCoded) {
    KvShape shape{.layers = 1, .kvHeads = 1, .keyDim = 64, .valueDim = 64};
    EXPECT_FALSE(shape.coded());
    shape.keyQuant = {.bits = 8, .group = 64};
    EXPECT_TRUE(shape.coded());
    shape.valueQuant = {.bits = 3, .group = 0};
    EXPECT_TRUE(shape.coded());
    shape.keyQuant = {};
    EXPECT_TRUE(shape.coded()) << "the values alone";
}

TEST(CacheFormatConversion, everyCacheKind_encodesItsVisibleRows_andContinues) {
    for (const CacheKind& kind : cacheKinds()) {
        SCOPED_TRACE(kind.name);
        auto cache = kind.make(systemSlotAllocator());
        ASSERT_TRUE(append(*cache, 50));
        const std::string before = cache->save().value();
        const Recoded made = recoded(*cache, otherRows());
        ASSERT_NE(made.cache, nullptr);
        EXPECT_EQ(cache->save().value(), before) << "the one in use stays as it was";
        EXPECT_TRUE(matchesChoice(*made.cache, choiceOf(*cache, otherRows())));
        ASSERT_NO_FATAL_FAILURE(expectRecoded(*cache, *made.cache, made.shown));
        ASSERT_TRUE(append(*made.cache, 1));
        ASSERT_TRUE(append(*made.cache, 20));
        made.cache->checkInvariants();
        EXPECT_EQ(made.cache->offset().value, 71);
        EXPECT_EQ(made.cache->save().value(), made.cache->clone().value()->save().value());
        if (kind.name.find("rotating") == std::string::npos) {
            EXPECT_EQ(made.cache->capabilities().rollbackLimit,
                      append(*cache, 21) ? cache->capabilities().rollbackLimit : -1);
        }
    }
}

/// Returns the saved bytes and those after further appends.
std::string wholly(const KvCache& cache) {
    const auto copy = cache.clone().value();
    std::string all = cache.save().value();
    EXPECT_TRUE(append(*copy, 3));
    return all + copy->save().value();
}

TEST(CacheFormatConversion, cancelAfterAnySlice_leavesTheOldCacheBitForBit) {
    for (const CacheKind& kind : cacheKinds()) {
        SCOPED_TRACE(kind.name);
        ThreadPool pool(2);
        auto cache = kind.make(systemSlotAllocator());
        ASSERT_TRUE(append(*cache, 50));
        const std::string before = wholly(*cache);
        bool ended = false;
        int cuts = 0;
        for (; !ended; ++cuts) {
            auto recoding =
                RowRecoding::begin(*cache, choiceOf(*cache, otherRows()), {.norms = false}).value();
            for (int slice = 0; slice < cuts && !ended; ++slice)
                ended = recoding->advance(*cache, {.rows = 23, .kept = 50}, pool).value();
            recoding.reset();
            ASSERT_EQ(wholly(*cache), before) << "given up after " << cuts << " slices";
        }
        EXPECT_GT(cuts, 5);
        // A retry succeeds.
        const Recoded made = recoded(*cache, otherRows());
        ASSERT_NO_FATAL_FAILURE(expectRecoded(*cache, *made.cache, made.shown));
    }
}

KvShape shapeOf(DType type, KvQuant keys, KvQuant values, ExactWindow exact = {}) {
    KvShape shape{.layers = 2, .kvHeads = 2, .keyDim = 64, .valueDim = 64, .type = type};
    shape.keyQuant = keys;
    shape.valueQuant = values;
    if (shape.rotated()) shape.exact = exact;
    return shape;
}

TEST(CacheFormatConversion, allFormatPairs_giveTheCodesOfTheRows) {
    const KvQuant plain{};
    std::vector<KvShape> shapes{shapeOf(DType::F16, plain, plain),
                                shapeOf(DType::BF16, plain, plain),
                                shapeOf(DType::F32, plain, plain),
                                shapeOf(DType::F16, {8, 32}, {8, 32}),
                                shapeOf(DType::F16, {4, 32}, {4, 32}),
                                shapeOf(DType::F16, plain, {4, 32}),
                                shapeOf(DType::F16, {8, 32}, {3, 0}, {5, 2}),
                                shapeOf(DType::F16, {4, 0}, plain, {3, 1})};
    for (int bits = 1; bits <= 8; ++bits)
        shapes.push_back(shapeOf(DType::F16, {bits, 0}, {9 - bits, 0}, {bits, 2}));
    for (const KvShape& from : shapes)
        for (const KvShape& to : shapes) {
            if (from == to) continue;
            SCOPED_TRACE(format("{} {}/{} {} to {} {}/{} {}", info(from.type).name,
                                from.keyQuant.bits, from.valueQuant.bits, from.exact.newest,
                                info(to.type).name, to.keyQuant.bits, to.valueQuant.bits,
                                to.exact.newest));
            auto cache = makeSlotCache(from).value();
            ASSERT_TRUE(append(*cache, 8));
            const Recoded made = recoded(*cache, to, {.rows = 13});
            const auto stays = [](const KvShape& a, const KvShape& b, KvQuant KvShape::*side) {
                return a.*side == b.*side && (!(a.*side).plain() || a.type == b.type);
            };
            ASSERT_NO_FATAL_FAILURE(
                expectRecoded(*cache, *made.cache, made.shown,
                              {.keys = stays(from, to, &KvShape::keyQuant),
                               .values = stays(from, to, &KvShape::valueQuant)}));
            ASSERT_TRUE(append(*made.cache, 2));
            made.cache->checkInvariants();
        }
}

/// Returns a different rotation for every head, with a centre for its keys.
std::shared_ptr<const CalibratedRotations> calibratedFor(const KvShape& shape, std::uint64_t seed) {
    RotationMatrices made;
    made.layers = shape.layers;
    made.kvHeads = shape.kvHeads;
    made.dim = shape.keyDim;
    const auto dim = static_cast<std::size_t>(made.dim);
    for (std::size_t i = 0; i < 2 * made.heads(); ++i) {
        const Rotation rotation = Rotation::hadamard(made.dim, 100 * seed + i).value();
        auto& side = i < made.heads() ? made.keys : made.values;
        for (std::size_t at = 0; at < dim; ++at) {
            std::vector<float> row(dim);
            row[at] = 1;
            rotation.undo(row.data(), row.data());
            side.insert(side.end(), row.begin(), row.end());
        }
    }
    for (std::size_t i = 0; i < made.heads() * dim; ++i)
        made.centres.push_back(0.05F * static_cast<float>(i % 7));
    made.ranges.assign(made.heads() * 16, 0.9F);
    return CalibratedRotations::make(made).value();
}

TEST(CacheFormatConversion, changedRotations_reencodeAllRows_includingCentres) {
    const KvShape plain = shapeOf(DType::F32, {}, {});
    const KvShape random = shapeOf(DType::F16, {6, 0}, {6, 0}, {4, 2});
    KvShape first = random;
    first.rotations = calibratedFor(random, 1);
    KvShape second = random;
    second.rotations = calibratedFor(random, 2);
    for (const auto& [from, to] : {std::pair{random, first},
                                   {first, random},
                                   {first, second},
                                   {plain, first},
                                   {first, plain}}) {
        auto cache = makeSlotCache(from).value();
        ASSERT_TRUE(append(*cache, 30));
        const Recoded made = recoded(*cache, to);
        ASSERT_NO_FATAL_FAILURE(expectRecoded(*cache, *made.cache, made.shown));
        const KvHeadView view = made.cache->head(LayerIndex(1), HeadIndex(1));
        std::vector<float> key(64);
        readKeys(view, 64, 11, 1, key.data());
        const auto whole = keyRow(to, 1, 1, 11);
        double off = 0;
        double all = 0;
        for (std::size_t i = 0; i < key.size(); ++i) {
            off += std::pow(double{key[i]} - double{whole[i]}, 2);
            all += std::pow(double{whole[i]}, 2);
        }
        EXPECT_LT(off / all, 0.01);
    }
}

TEST(CacheFormatConversion, unchangedFormat_isCopiedWithoutRounding) {
    const KvShape before = shapeOf(DType::F16, {3, 0}, {2, 0}, {4, 2});
    auto cache = makeSlotCache(before).value();
    ASSERT_TRUE(append(*cache, 30));
    KvShape values = before;
    values.valueQuant = {5, 0};
    ASSERT_NO_FATAL_FAILURE([&] {
        const Recoded made = recoded(*cache, values);
        expectRecoded(*cache, *made.cache, made.shown, {.keys = true});
    }());
    for (const ExactWindow exact : {ExactWindow{0, 0}, ExactWindow{2, 1}, ExactWindow{12, 2}}) {
        KvShape window = before;
        window.exact = exact;
        const Recoded made = recoded(*cache, window);
        ASSERT_NO_FATAL_FAILURE(
            expectRecoded(*cache, *made.cache, made.shown, {.keys = true, .values = true}))
            << exact.newest;
        const KvHeadView was = cache->head(LayerIndex(0), HeadIndex(1));
        const KvHeadView is = made.cache->head(LayerIndex(0), HeadIndex(1));
        for (const ExactSlot& at : is.exact.within(0, is.slots))
            EXPECT_EQ(std::memcmp(is.exact.key(at), was.exact.key(was.exact.within(at.slot, 1)[0]),
                                  2 * 2 * 64),
                      0);
    }
}

TEST(CacheFormatConversion, tokensAppendedMeanwhile_areConverted) {
    for (const CacheKind& kind : cacheKinds()) {
        SCOPED_TRACE(kind.name);
        auto cache = kind.make(systemSlotAllocator());
        ASSERT_TRUE(append(*cache, 70));
        int came = 0;
        const Recoded made = recoded(*cache, otherRows(), {.between = [&came](KvCache& one, int) {
            EXPECT_TRUE(append(one, 1 + came % 2));
            ++came;
            return std::optional<int>();
        }});
        ASSERT_NE(made.cache, nullptr);
        EXPECT_GT(came, 3);
        ASSERT_NO_FATAL_FAILURE(expectRecoded(*cache, *made.cache, made.shown));
        ASSERT_TRUE(append(*made.cache, 1));
        ASSERT_TRUE(append(*made.cache, 30));
        made.cache->checkInvariants();
    }
}

TEST(CacheFormatConversion, rollbackOrCompactionMeanwhile_isReflectedAtTheEnd) {
    ThreadPool pool(1);
    for (const int what : {0, 1, 2, 3}) {
        SCOPED_TRACE(what);
        auto cache = makeSlotCache(kindShape()).value();
        ASSERT_TRUE(append(*cache, 120));
        const Recoded made = recoded(*cache, otherRows(), {.between = [&](KvCache& one, int slice) {
            std::optional<int> fewest;
            if (slice == 8 && what == 0) {
                EXPECT_TRUE(one.rollback(90));
                fewest = one.offset().value;
                // Other tokens at the same positions.
                EXPECT_TRUE(one.beginAppend(60));
                const std::vector<float> rows(60 * 2 * 64, 0.5F);
                for (int layer = 0; layer < 3; ++layer)
                    one.writeLayer(LayerIndex(layer), {rows.data(), {60, 2, 32}},
                                   {rows.data(), {60, 2, 64}});
                one.commitAppend();
            }
            if (slice == 8 && what == 1) {
                EXPECT_TRUE(one.compactable()->apply(keepEverywhere(one, range(40, 90))));
            }
            if (slice >= 8 && slice < 11 && what == 2) {
                EXPECT_TRUE(one.compactable()->applyInPlace(
                    keepEverywhere(one, range(3, one.size() - 7)), pool));
            }
            if (slice == 8 && what == 3) {
                EXPECT_TRUE(
                    one.compactable()->applyInPlace(keepEverywhere(one, range(5, 60)), pool));
            }
            if (what == 3) static_cast<void>(one.compactable()->defragment(1, pool, true));
            EXPECT_TRUE(append(one, 1));
            return fewest;
        }});
        ASSERT_NE(made.cache, nullptr);
        ASSERT_NO_FATAL_FAILURE(expectRecoded(*cache, *made.cache, made.shown));
    }
}

TEST(CacheFormatConversion, frequentCompactions_doNotPreventCompletion) {
    ThreadPool pool(1);
    auto cache = makeSlotCache(kindShape()).value();
    ASSERT_TRUE(append(*cache, 200));
    const Recoded made = recoded(*cache, otherRows(), {.between = [&](KvCache& one, int) {
        EXPECT_TRUE(append(one, 2));
        EXPECT_TRUE(
            one.compactable()->applyInPlace(keepEverywhere(one, range(2, one.size() - 1)), pool));
        return std::optional<int>();
    }});
    ASSERT_NE(made.cache, nullptr);
    EXPECT_LT(made.slices, 10);
    ASSERT_NO_FATAL_FAILURE(expectRecoded(*cache, *made.cache, made.shown));
}

/// Returns heads of several lengths with biases, fitted values and a hole.
std::unique_ptr<KvCache> raggedCache(ThreadPool& pool) {
    auto cache = makeSlotCache(kindShape()).value();
    EXPECT_TRUE(append(*cache, 60));
    CompactionPlan plan = keepEverywhere(*cache, range(0, 50));
    plan.heads[1].keep = {60, range(20, 60)};
    plan.heads[2].bias.assign(50, 0.5F);
    for (int i = 0; i < 50; ++i) {
        const auto row = valueRow(cache->shape(), 7, 1, i);
        plan.heads[3].values.insert(plan.heads[3].values.end(), row.begin(), row.end());
    }
    EXPECT_TRUE(cache->compactable()->apply(plan));
    EXPECT_TRUE(cache->compactable()->applyInPlace(keepEverywhere(*cache, range(5, 33)), pool));
    EXPECT_TRUE(append(*cache, 1));
    return cache;
}

TEST(CacheFormatConversion, raggedHeadsBiasesAndGaps_arePreserved_andSavedAndLoaded) {
    ThreadPool pool(1);
    auto cache = raggedCache(pool);
    for (const bool norms : {false, true}) {
        const Recoded made = recoded(*cache, otherRows(), {.rows = 11, .norms = norms});
        ASSERT_NE(made.cache, nullptr);
        ASSERT_NO_FATAL_FAILURE(expectRecoded(*cache, *made.cache, made.shown));
        EXPECT_EQ(made.cache->stats().compactions, cache->stats().compactions);
        EXPECT_EQ(made.cache->capabilities().rollbackLimit, cache->capabilities().rollbackLimit);
        auto loaded = loadCache(made.cache->save().value()).value();
        EXPECT_EQ(loaded->save().value(), made.cache->save().value());
        const auto lengths = [](KvCache& one) {
            const auto found = one.keyNorms(LayerIndex(1), HeadIndex(0));
            return std::vector<float>(found.begin(), found.end());
        };
        EXPECT_EQ(lengths(*made.cache), lengths(*loaded));
        EXPECT_EQ(made.cache->stats().normsComputed > 0, !norms);
        ASSERT_TRUE(append(*made.cache, 3));
        ASSERT_TRUE(append(*loaded, 3));
        EXPECT_EQ(loaded->save().value(), made.cache->save().value());
        ASSERT_TRUE(made.cache->compactable()->applyInPlace(
            keepEverywhere(*made.cache, range(1, 9)), pool));
        made.cache->checkInvariants();
    }
}

TEST(CacheFormatConversion, conversionToMoreBits_doesNotRecoverPrecision) {
    auto cache = makeSlotCache(kindShape()).value();
    ASSERT_TRUE(append(*cache, 40));
    const std::int64_t before = cache->stats().liveBytes;
    KvShape few = kindShape(Rows::Rotated);
    few.exact = {};
    const Recoded fewer = recoded(*cache, few);
    EXPECT_LT(fewer.cache->stats().liveBytes, before / 3);
    EXPECT_EQ(fewer.cache->stats().liveBytes, recodedBytes(*cache, few));
    const Recoded back = recoded(*fewer.cache, kindShape());
    EXPECT_EQ(back.cache->stats().liveBytes, before);
    ASSERT_NO_FATAL_FAILURE(expectRecoded(*fewer.cache, *back.cache, back.shown));
    EXPECT_FALSE(holds(*back.cache, 0, 0, 3, 3));
}

TEST(CacheFormatConversion, allocationFailureAnywhere_leavesTheOldCache) {
    int failures = 0;
    for (int after = 0; after < 40; ++after) {
        auto cache = makeSlotCache(kindShape()).value();
        ASSERT_TRUE(append(*cache, 30));
        const std::string before = cache->save().value();
        ThreadPool pool(1);
        CountingAllocator few;
        few.failAfter = after;
        auto recoding =
            RowRecoding::begin(*cache, choiceOf(*cache, otherRows()), {.allocator = &few}).value();
        Result<bool> done = false;
        while (done && !*done) done = recoding->advance(*cache, {.rows = 50, .kept = 30}, pool);
        EXPECT_EQ(cache->save().value(), before);
        if (done) break;
        ++failures;
        EXPECT_EQ(done.error().code, ErrorCode::NoMemory);
        recoding.reset();
        ASSERT_TRUE(append(*cache, 1));
        EXPECT_TRUE(holdsItsTokens(*cache));
    }
    EXPECT_EQ(failures, 18) << "keys, values and rows in 16 bits of six heads";
}

TEST(CacheFormatConversion, otherShape_isRefused_andAnEmptyCacheNeedsNoWork) {
    auto cache = makeSlotCache(kindShape()).value();
    KvChoice wanted = choiceOf(*cache, kindShape(Rows::Rotated));
    EXPECT_TRUE(RowRecoding::begin(*cache, wanted, {}));
    wanted.window = WindowRule{16, 2};
    EXPECT_EQ(RowRecoding::begin(*cache, wanted, {}).error().code, ErrorCode::Incompatible);
    EXPECT_FALSE(sameRows(wanted, choiceOf(*cache, kindShape(Rows::Rotated))));
    EXPECT_EQ(withRowsOf(*cache, wanted).window, std::nullopt) << "the cache has none";
    KvShape longer = kindShape();
    longer.keyDim = 64;
    EXPECT_EQ(RowRecoding::begin(*cache, choiceOf(*cache, longer), {}).error().code,
              ErrorCode::Incompatible);
    KvShape odd = kindShape();
    odd.keyQuant = {8, 64};
    EXPECT_EQ(RowRecoding::begin(*cache, choiceOf(*cache, odd), {}).error().code,
              ErrorCode::InvalidArgument);
    for (const CacheKind& kind : cacheKinds()) {
        auto none = kind.make(systemSlotAllocator());
        const Recoded empty = recoded(*none, otherRows());
        ASSERT_TRUE(append(*empty.cache, 3));
        EXPECT_TRUE(holdsItsTokens(*empty.cache)) << kind.name;
    }
}

}  // namespace
}  // namespace lacuna::test
