// Vectors BA and BR of the cache contract: rows of different lengths in one batch. Every row is
// also compared with the same sequence run alone.

#include <gtest/gtest.h>

#include <cmath>

#include "engine/kv/batch_cache.h"
#include "engine/kv/slot_cache.h"
#include "engine/kv/window_cache.h"
#include "kv_fixture.h"

namespace lacuna::test {
namespace {

using Counts = std::vector<std::int64_t>;

KvShape shape() {
    return {.layers = 2, .kvHeads = 2, .keyDim = 4, .valueDim = 6, .type = DType::F16};
}

BatchCache batchOf(int rows, std::vector<int> padding = {}, std::optional<WindowRule> window = {}) {
    BatchCache batch = BatchCache::create(shape(), rows, window).value();
    if (!padding.empty()) {
        EXPECT_TRUE(batch.announceLeftPadding(padding));
    }
    return batch;
}

BatchCache rotating(int size, std::vector<int> padding) {
    return batchOf(static_cast<int>(padding.size()), padding,
                   WindowRule{WindowKind::Ring, size, 0});
}

/// Rows of the running append: each row's own next tokens at their columns, poison in the padding.
void writeBatch(BatchCache& batch, int tokens) {
    const KvShape s = batch.shape();
    const auto offsets = batch.offsets();
    const auto padding = batch.leftPadding();
    const std::int64_t end = batch.end();
    for (int layer = 0; layer < s.layers; ++layer) {
        std::vector<float> keys;
        std::vector<float> values;
        for (int row = 0; row < batch.rows(); ++row) {
            const auto r = static_cast<std::size_t>(row);
            // Columns before the first token are padding; rows with tokens go on from their own
            // end.
            const std::int64_t pads =
                offsets[r] > 0 ? 0 : std::clamp<std::int64_t>(padding[r] - end, 0, tokens);
            for (int t = 0; t < tokens; ++t) {
                for (int head = 0; head < s.kvHeads; ++head) {
                    std::vector<float> k(static_cast<std::size_t>(s.keyDim), std::nanf(""));
                    std::vector<float> v(static_cast<std::size_t>(s.valueDim), std::nanf(""));
                    if (t >= pads) {
                        k = keyRow(s, layer, head, offsets[r] + t - pads);
                        v = valueRow(s, layer, head, offsets[r] + t - pads);
                    }
                    keys.insert(keys.end(), k.begin(), k.end());
                    values.insert(values.end(), v.begin(), v.end());
                }
            }
        }
        batch.writeLayer(LayerIndex(layer),
                         {keys.data(), {batch.rows(), tokens, s.kvHeads, s.keyDim}},
                         {values.data(), {batch.rows(), tokens, s.kvHeads, s.valueDim}});
    }
}

void feed(BatchCache& batch, int tokens) {
    const Status begun = batch.beginAppend(tokens);
    ASSERT_TRUE(begun) << describe(begun.error());
    writeBatch(batch, tokens);
    batch.commitAppend();
    batch.checkInvariants();
    for (int row = 0; row < batch.rows(); ++row) ASSERT_TRUE(holdsItsTokens(batch.row(row)));
}

std::string text(const MaskRow& row) {
    std::string out;
    for (const bool seen : row) out += seen ? 'T' : 'F';
    return out;
}

/// T from `first` to `last` of `width`.
std::string span(int first, int last, int width) {
    std::string out(static_cast<std::size_t>(width), 'F');
    for (int i = first; i <= last; ++i) out[static_cast<std::size_t>(i)] = 'T';
    return out;
}

std::string stateOf(const BatchCache& batch) {
    return batch.save().value();
}

BatchCache trimmed(std::vector<int> padding, std::vector<int> counts) {
    BatchCache batch = batchOf(static_cast<int>(padding.size()), padding);
    feed(batch, 10);
    EXPECT_TRUE(batch.trimPerSequence(counts));
    return batch;
}

TEST(Batch, BA_01_leftPadding_isNotStored) {
    BatchCache batch = batchOf(3, {2, 3, 4});
    feed(batch, 4);
    EXPECT_EQ(batch.offsets(), (Counts{2, 1, 0}));
    EXPECT_EQ(batch.rows(), 3);
    EXPECT_EQ(batch.width(), 4);
    EXPECT_EQ(batch.head(0, LayerIndex(0), HeadIndex(0)).slots, 2);
}

TEST(Batch, BA_02_filter_removesCommonPadding) {
    BatchCache batch = batchOf(3, {2, 3, 4});
    feed(batch, 4);
    ASSERT_TRUE(batch.filter({0, 1}));
    EXPECT_EQ(batch.leftPadding(), (Counts{0, 1}));
    EXPECT_EQ(batch.rows(), 2);
    EXPECT_EQ(batch.width(), 2);
    const auto mask = batch.mask(1);
    EXPECT_EQ(text(mask[0][0]), "TTT");
    EXPECT_EQ(text(mask[1][0]), "FTT");
}

TEST(Batch, BA_03_extend_alignsTheEnds) {
    BatchCache a = batchOf(3, {2, 1, 2});
    feed(a, 8);
    BatchCache b = batchOf(2, {3, 0});
    feed(b, 4);
    ASSERT_TRUE(a.extend(std::move(b)));
    EXPECT_EQ(a.offsets(), (Counts{6, 7, 6, 1, 4}));
    EXPECT_EQ(a.leftPadding(), (Counts{2, 1, 2, 7, 4}));
    EXPECT_EQ(a.end(), 8);
    feed(a, 2);
}

TEST(Batch, BA_04_S4_05_trimOfAll_countsOnce) {
    BatchCache batch = batchOf(2, {3, 0});
    feed(batch, 10);
    EXPECT_EQ(batch.offsets(), (Counts{7, 10}));
    EXPECT_EQ(batch.trim(4).value(), 4);
    EXPECT_EQ(batch.offsets(), (Counts{3, 6}));
}

TEST(Batch, BA_05_S4_01_divergentTrim_eachRowGoesOnFromItsOwnEnd) {
    BatchCache batch = trimmed({0, 0}, {2, 4});
    EXPECT_EQ(batch.offsets(), (Counts{8, 6}));
    const auto mask = batch.mask(1);
    EXPECT_EQ(text(mask[0][0]), span(0, 8, 9));
    EXPECT_EQ(text(mask[1][0]), span(0, 6, 9));
    feed(batch, 1);
    EXPECT_EQ(batch.offsets(), (Counts{9, 7}));
}

// D-2: with several queries the early ones saw later slots.
TEST(Batch, BA_06_S4_03_S4_08_D_02_severalQueriesAfterDivergentTrim_seeNoFuture) {
    BatchCache batch = trimmed({0, 0}, {2, 4});
    const auto mask = batch.mask(3);
    for (int q = 0; q < 3; ++q) {
        EXPECT_EQ(text(mask[0][static_cast<std::size_t>(q)]), span(0, 8 + q, 11));
        EXPECT_EQ(text(mask[1][static_cast<std::size_t>(q)]), span(0, 6 + q, 11));
    }
}

TEST(Batch, BA_07_divergentTrimWithPadding_keepsTheRowsApart) {
    BatchCache batch = trimmed({3, 0}, {4, 2});
    EXPECT_EQ(batch.offsets(), (Counts{3, 8}));
    const auto mask = batch.mask(1);
    EXPECT_EQ(text(mask[0][0]), span(3, 6, 9));
    EXPECT_EQ(text(mask[1][0]), span(0, 8, 9));
}

TEST(Batch, BA_08_S4_02_rightJustifiedPadding_followsFromOffsetAndEnd) {
    // Layout L is used; layout R is the same rows with lp = end - off.
    for (const auto& [batch, expected] : {std::pair{trimmed({0, 0}, {2, 4}), Counts{0, 2}},
                                          std::pair{trimmed({3, 0}, {4, 2}), Counts{5, 0}}}) {
        EXPECT_EQ(batch.end(), 8);
        Counts right;
        for (const auto offset : batch.offsets()) right.push_back(batch.end() - offset);
        EXPECT_EQ(right, expected);
    }
}

TEST(Batch, BA_09_trimOfNothing_changesNothing) {
    BatchCache batch = batchOf(2, {3, 0});
    feed(batch, 10);
    const std::string before = stateOf(batch);
    EXPECT_EQ(batch.trimPerSequence({0, 0}).value(), (std::vector<int>{0, 0}));
    EXPECT_EQ(batch.trim(0).value(), 0);
    EXPECT_EQ(stateOf(batch), before);
}

TEST(Batch, BA_10_S4_04_equalCounts_areATrimOfAll) {
    for (const int k : {0, 1, 4, 8, 12}) {
        BatchCache one = batchOf(2, {3, 0});
        BatchCache other = batchOf(2, {3, 0});
        feed(one, 10);
        feed(other, 10);
        ASSERT_TRUE(one.trim(k));
        ASSERT_TRUE(other.trimPerSequence({k, k}));
        EXPECT_EQ(stateOf(one), stateOf(other));
        EXPECT_EQ(one.mask(3), other.mask(3));
        feed(one, 2);
        feed(other, 2);
        EXPECT_EQ(stateOf(one), stateOf(other));
    }
}

TEST(Batch, BA_11_moreThanARowHas_removesWhatItHas) {
    BatchCache batch = batchOf(2, {3, 0});
    feed(batch, 10);
    EXPECT_EQ(batch.trimPerSequence({99, 1}).value(), (std::vector<int>{7, 1}));
    EXPECT_EQ(batch.offsets(), (Counts{0, 9}));
}

TEST(Batch, BA_12_badCounts_areRefusedUnchanged) {
    BatchCache batch = batchOf(2, {3, 0});
    feed(batch, 10);
    const std::string before = stateOf(batch);
    for (const auto& counts : {std::vector<int>{1}, {1, 2, 3}, {1, -1}, {}})
        EXPECT_EQ(batch.trimPerSequence(counts).error().code, ErrorCode::InvalidArgument);
    EXPECT_EQ(batch.trim(-1).error().code, ErrorCode::InvalidArgument);
    EXPECT_EQ(stateOf(batch), before);
}

TEST(Batch, BA_13_trimOfAnEmptyBatch_isNothing) {
    BatchCache batch = batchOf(2);
    EXPECT_EQ(batch.trimPerSequence({3, 0}).value(), (std::vector<int>{0, 0}));
    EXPECT_TRUE(batch.empty());
}

TEST(Batch, BA_14_singleRow_isAPlainTrim) {
    BatchCache batch = batchOf(1);
    feed(batch, 10);
    EXPECT_EQ(batch.trimPerSequence({4}).value(), (std::vector<int>{4}));
    auto alone = makeSlotCache(shape()).value();
    ASSERT_TRUE(append(*alone, 10));
    EXPECT_EQ(alone->trim(4).value(), 4);
    EXPECT_EQ(batch.extract(0).value()->save().value(), alone->save().value());
}

/// The same sequence of lengths run alone.
std::string reference(const std::vector<std::pair<int, int>>& appendsAndTrims) {
    auto cache = makeSlotCache(shape()).value();
    for (const auto& [tokens, trim] : appendsAndTrims) {
        EXPECT_TRUE(append(*cache, tokens));
        EXPECT_TRUE(cache->trim(trim));
    }
    return cache->save().value();
}

TEST(Batch, BA_15_S4_07_S4_09_D_02_threeCycles_everyRowEqualsItselfAlone) {
    BatchCache batch = batchOf(3);
    std::vector<std::vector<std::pair<int, int>>> history(3);
    for (int cycle = 0; cycle < 3; ++cycle) {
        feed(batch, 5);
        const std::vector<int> counts{cycle, 3 - cycle, 2};
        ASSERT_TRUE(batch.trimPerSequence(counts));
        feed(batch, 1);
        for (std::size_t i = 0; i < 3; ++i) {
            history[i].emplace_back(5, counts[i]);
            history[i].emplace_back(1, 0);
        }
    }
    for (int i = 0; i < 3; ++i)
        EXPECT_EQ(batch.extract(i).value()->save().value(),
                  reference(history[static_cast<std::size_t>(i)]));
}

TEST(Batch, BA_16_S4_06_S4_10_afterDivergentTrim_filterExtendExtractMergeKeepTheRows) {
    BatchCache batch = trimmed({3, 0, 1}, {4, 2, 0});
    ASSERT_TRUE(batch.filter({2, 0}));
    BatchCache other = trimmed({0}, {7});
    ASSERT_TRUE(batch.extend(std::move(other)));
    feed(batch, 2);
    EXPECT_EQ(batch.offsets(), (Counts{11, 5, 5}));
    std::vector<std::unique_ptr<KvCache>> singles;
    for (int i = 0; i < 3; ++i) {
        auto single = batch.extract(i).value();
        EXPECT_EQ(single->offset().value, batch.offsets()[static_cast<std::size_t>(i)]);
        EXPECT_EQ(single->size(), single->offset().value);
        singles.push_back(std::move(single));
    }
    EXPECT_EQ(singles[1]->save().value(), reference({{7, 4}, {2, 0}}));
    EXPECT_EQ(singles[2]->save().value(), reference({{10, 7}, {2, 0}}));
    BatchCache merged = BatchCache::merge(std::move(singles)).value();
    EXPECT_EQ(merged.leftPadding(), (Counts{0, 6, 6}));
    feed(merged, 1);
}

TEST(Batch, BA_17_allRowsTrimmedToNothing_isEmptyAndGoesOn) {
    BatchCache batch = trimmed({0, 2}, {10, 8});
    EXPECT_TRUE(batch.empty());
    feed(batch, 3);
    EXPECT_FALSE(batch.empty());
}

TEST(Batch, BA_18_rightPadding_isRolledAway) {
    BatchCache batch = batchOf(2);
    ASSERT_TRUE(batch.announceLengths({5, 3}));
    feed(batch, 5);
    ASSERT_TRUE(batch.finalize());
    EXPECT_EQ(batch.leftPadding(), (Counts{0, 2}));
    EXPECT_EQ(batch.offsets(), (Counts{5, 3}));
    const auto mask = batch.mask(1);
    EXPECT_EQ(text(mask[0][0]), "TTTTTT");
    EXPECT_EQ(text(mask[1][0]), "FFTTTT");
    feed(batch, 1);
    EXPECT_EQ(batch.extract(1).value()->save().value(), reference({{3, 0}, {1, 0}}));
}

TEST(Batch, BA_19_leftPaddingOnTokens_isRefused) {
    BatchCache batch = batchOf(2);
    feed(batch, 1);
    EXPECT_EQ(batch.announceLeftPadding({1, 0}).error().code, ErrorCode::InvalidArgument);
}

TEST(Batch, BA_20_mergeWithAnEmptyCache_padsIt) {
    std::vector<std::unique_ptr<KvCache>> caches;
    caches.push_back(makeSlotCache(shape()).value());
    caches.push_back(makeSlotCache(shape()).value());
    ASSERT_TRUE(append(*caches[1], 4));
    BatchCache batch = BatchCache::merge(std::move(caches)).value();
    EXPECT_EQ(batch.leftPadding(), (Counts{4, 0}));
    EXPECT_EQ(batch.offsets(), (Counts{0, 4}));
    std::vector<std::unique_ptr<KvCache>> none;
    for (int i = 0; i < 3; ++i) none.push_back(makeSlotCache(shape()).value());
    BatchCache empty = BatchCache::merge(std::move(none)).value();
    EXPECT_EQ(empty.rows(), 3);
    EXPECT_TRUE(empty.empty());
}

TEST(Batch, BA_21_extendByEmptyRows_addsThemWithoutTokens) {
    BatchCache batch = batchOf(1);
    feed(batch, 4);
    ASSERT_TRUE(batch.extend(batchOf(2)));
    EXPECT_EQ(batch.offsets(), (Counts{4, 0, 0}));
    feed(batch, 1);
    EXPECT_EQ(batch.offsets(), (Counts{5, 1, 1}));
}

TEST(Batch, BA_22_offsets_areACopy) {
    BatchCache batch = batchOf(2);
    feed(batch, 256);
    auto offsets = batch.offsets();
    offsets[0] += 100;
    feed(batch, 1);
    EXPECT_EQ(offsets, (Counts{356, 256}));
    EXPECT_EQ(batch.offsets(), (Counts{257, 257}));
}

TEST(Batch, filterOfBadRows_isRefused) {
    BatchCache batch = batchOf(2);
    feed(batch, 3);
    for (const auto& rows : {std::vector<int>{0, 0}, {2}, {-1}})
        EXPECT_EQ(batch.filter(rows).error().code, ErrorCode::InvalidArgument);
    EXPECT_EQ(batch.rows(), 2);
    ASSERT_TRUE(batch.filter({}));
    EXPECT_EQ(batch.rows(), 0);
}

TEST(Batch, saveAndLoad_continueEqually) {
    BatchCache batch = trimmed({3, 0}, {4, 2});
    BatchCache loaded = BatchCache::load(stateOf(batch)).value();
    EXPECT_EQ(stateOf(loaded), stateOf(batch));
    feed(loaded, 2);
    feed(batch, 2);
    EXPECT_EQ(stateOf(loaded), stateOf(batch));
    const std::string bytes = stateOf(batch);
    for (std::size_t at = 0; at < bytes.size(); at += 7) {
        EXPECT_FALSE(BatchCache::load(std::string_view(bytes).substr(0, at)));
        std::string altered = bytes;
        altered[at] = static_cast<char>(altered[at] ^ 1);
        EXPECT_FALSE(BatchCache::load(altered));
    }
}

TEST(BatchRotating, BR_01_emptyMask_hidesPadding) {
    const BatchCache batch = rotating(4, {2, 0});
    const auto mask = batch.mask(4);
    EXPECT_EQ(text(mask[0][0]), "FFFF");
    EXPECT_EQ(text(mask[1][0]), "TFFF");
}

TEST(BatchRotating, BR_02_secondRun_showsTheWindow) {
    BatchCache batch = rotating(4, {2, 0});
    feed(batch, 4);
    const auto mask = batch.mask(4);
    EXPECT_EQ(text(mask[0][0]), "FTTTFFF");
    EXPECT_EQ(text(mask[1][0]), "TTTTFFF");
}

TEST(BatchRotating, BR_03_nextToken_standsInSlotZero) {
    BatchCache batch = rotating(4, {2, 0});
    feed(batch, 4);
    const auto mask = batch.mask(1);
    EXPECT_EQ(text(mask[0][0]), "TFTT");
    EXPECT_EQ(text(mask[1][0]), "TTTT");
}

TEST(BatchRotating, BR_04_filter_keepsOneRow) {
    BatchCache batch = rotating(4, {2, 0, 3});
    feed(batch, 3);
    ASSERT_TRUE(batch.filter({1}));
    EXPECT_EQ(batch.rows(), 1);
    EXPECT_EQ(batch.width(), 3);
    EXPECT_EQ(batch.head(0, LayerIndex(0), HeadIndex(0)).slots, 3);
}

TEST(BatchRotating, BR_05_paddingInTheRing_staysHidden) {
    BatchCache batch = rotating(8, {4});
    feed(batch, 8);
    EXPECT_EQ(text(batch.mask(1)[0][0]), "TFFFTTTT");
}

// D-15: the coming shift of the ring was ignored, one real token hidden.
TEST(BatchRotating, BR_06_D_15_runAfterRotation_hidesNoRealToken) {
    BatchCache batch = rotating(8, {4});
    feed(batch, 8);
    feed(batch, 1);
    const auto mask = batch.mask(2);
    EXPECT_EQ(text(mask[0][0]), "FFTTTTTTF");
    EXPECT_EQ(text(mask[0][1]), "FFTTTTTTT");
}

TEST(BatchRotating, BR_07_differentWindows_doNotJoin) {
    BatchCache batch = rotating(8, {0});
    EXPECT_EQ(batch.extend(rotating(4, {0})).error().code, ErrorCode::InvalidArgument);
    std::vector<std::unique_ptr<KvCache>> caches;
    for (const int size : {4, 8})
        caches.push_back(makeWindowCache(shape(), {WindowKind::Ring, size, 0}).value());
    const auto merged = BatchCache::merge(std::move(caches));
    EXPECT_EQ(merged.error().code, ErrorCode::InvalidArgument);
    EXPECT_NE(merged.error().what.find("8"), std::string::npos);
}

TEST(BatchRotating, BR_08_rightPaddedPrefill_needsFinalizeAndEvictsNothing) {
    BatchCache batch = rotating(4, {0, 0});
    ASSERT_TRUE(batch.announceLengths({6, 3}));
    feed(batch, 6);
    EXPECT_EQ(batch.beginAppend(1).error().code, ErrorCode::InvalidArgument);
    ASSERT_TRUE(batch.finalize());
    EXPECT_EQ(tokensOf(batch.row(1)), (std::vector<std::int32_t>{0, 1, 2}));
    feed(batch, 1);
    EXPECT_EQ(batch.offsets(), (Counts{7, 4}));
    EXPECT_EQ(batch.row(1).size(), 4);
}

TEST(BatchRotating, BR_09_D_07_keptTokens_areRefusedNeverDropped) {
    const auto made = BatchCache::create(shape(), 2, WindowRule{WindowKind::Ring, 8, 2});
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().code, ErrorCode::Unsupported);
    EXPECT_NE(made.error().what.find("first 2 tokens"), std::string::npos);
    std::vector<std::unique_ptr<KvCache>> caches;
    caches.push_back(makeWindowCache(shape(), {WindowKind::Ring, 8, 2}).value());
    EXPECT_EQ(BatchCache::merge(std::move(caches)).error().code, ErrorCode::Unsupported);
}

TEST(BatchRotating, BR_10_D_03_unrotatedState_loadsUnrotated) {
    BatchCache batch = rotating(8, {1, 0});
    feed(batch, 5);
    BatchCache loaded = BatchCache::load(stateOf(batch)).value();
    EXPECT_EQ(loaded.mask(2), batch.mask(2));
    EXPECT_EQ(loaded.width(), 5);
    EXPECT_EQ(loaded.trim(2).value(), 2);
    feed(loaded, 9);
    BatchCache wrapped = BatchCache::load(stateOf(loaded)).value();
    EXPECT_EQ(wrapped.mask(1), loaded.mask(1));
}

TEST(BatchRotating, rowsEqualThemselvesAlone) {
    BatchCache batch = rotating(4, {3, 0});
    auto late = makeWindowCache(shape(), {WindowKind::Ring, 4, 0}).value();
    feed(batch, 5);
    ASSERT_TRUE(append(*late, 2));
    for (int i = 0; i < 9; ++i) {
        const int run = 1 + i % 3;
        feed(batch, run);
        ASSERT_TRUE(append(*late, run));
        EXPECT_EQ(batch.extract(0).value()->save().value(), late->save().value());
    }
}

TEST(Batch, compactedCache_isRefusedAsARow) {
    std::vector<std::unique_ptr<KvCache>> caches;
    caches.push_back(makeSlotCache(shape()).value());
    ASSERT_TRUE(append(*caches[0], 10));
    ASSERT_TRUE(caches[0]->apply(keepEverywhere(*caches[0], {0, 9})));
    const auto merged = BatchCache::merge(std::move(caches));
    ASSERT_FALSE(merged);
    EXPECT_EQ(merged.error().code, ErrorCode::Unsupported);
    EXPECT_NE(merged.error().what.find("run its sequence alone"), std::string::npos);
}

}  // namespace
}  // namespace lacuna::test
