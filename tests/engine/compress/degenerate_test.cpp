// Attention matching without usable queries: every case of docs/attention-matching.md, "Degenerate
// cases", and the rows of docs/known-faults.md, "The defect list", that concern it, by number.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "attention_fixture.h"
#include "compactor_fixture.h"
#include "engine/compress/driver/compaction_trigger.h"
#include "engine/compress/matching/matching_plan.h"
#include "tests/support/compaction_notes.h"

namespace lacuna::test {
namespace {

constexpr float kScale = 0.25F;

// --- no usable queries ---------------------------------------------------------------------------

TEST(Degenerate, noQueries_selectByKeyDiff_andKeepValues) {
    Bench bench;
    bench.append(400, KvOptions{});
    const CompactionReport report = bench.compactor().compact(bench.cache(), matching(4));
    ASSERT_EQ(report.result, CompactionResult::Done);
    EXPECT_GT(report.slotsBefore, report.slotsAfter);
    EXPECT_TRUE(mentions(report.notes, CompactionReason::TooFewQueriesToMatch));
    EXPECT_TRUE(holdsItsTokens(bench.cache())) << "values are those of the tokens";
}

TEST(Degenerate, targetNotBelowTheSlots_isIdentity) {
    const PlainHead head = clusteredHead(6, 100, 20, 0.2);
    const std::vector<float> queries = randomRows(7, 128, 32);
    for (const int target : {100, 101, 5000}) {
        const MatchedHead matched = match(spanOf(head, queries, kScale), target);
        EXPECT_EQ(matched.keep.size(), 100U) << target;
        EXPECT_EQ(matched.bias, head.bias);
    }
}

TEST(Degenerate, fewerThan64Slots_areNotCompacted) {
    for (const int tokens : {10, 63}) {
        Bench bench;
        KvOptions options = matching(8);
        options.keepRecent = 0;
        options.nSink = 0;
        options.margin = 1;
        bench.append(tokens, options);
        EXPECT_FALSE(bench.compactor().afterStep(bench.cache(), options)) << tokens;
    }
    Bench bench;
    KvOptions options = matching(4);
    options.keepRecent = 0;
    options.nSink = 0;
    options.margin = 1;
    bench.append(64, options);
    const auto report = bench.compactor().afterStep(bench.cache(), options);
    ASSERT_TRUE(report) << "64 are";
    EXPECT_EQ(report->result, CompactionResult::Done);
}

TEST(Degenerate, equalQueries_keepValuesNearClusterMeans) {
    const PlainHead head = clusteredHead(6, 300, 40, 0.2);
    std::vector<float> queries;
    const std::vector<float> one = randomRows(7, 1, 32);
    for (int i = 0; i < 256; ++i) queries.insert(queries.end(), one.begin(), one.end());
    const MatchedHead matched = match(spanOf(head, queries, kScale), 60);
    ASSERT_LT(matched.keep.size(), 300U);
    const float largest = *std::ranges::max_element(head.values);
    for (const float x : matched.values) {
        ASSERT_TRUE(std::isfinite(x));
        EXPECT_LT(std::abs(x), 4.0F * largest);
    }
    EXPECT_LT(compare(head, compacted(head, matched), one, 0.25).outputError, 0.1)
        << "the one question is answered as before";
}

TEST(Degenerate, equalKeys_mergeIntoOneSlotWithTheirMass) {
    PlainHead head;
    head.keyDim = 32;
    head.valueDim = 16;
    head.bias.assign(200, 0.0F);
    const std::vector<float> key = randomRows(1, 1, 32);
    for (int j = 0; j < 200; ++j) head.keys.insert(head.keys.end(), key.begin(), key.end());
    head.values = randomRows(2, 200, 16);
    const std::vector<float> queries = randomRows(3, 256, 32);
    const MatchedHead matched = match(spanOf(head, queries, kScale), 50);
    ASSERT_EQ(matched.keep.size(), 1U) << "the others are freed";
    EXPECT_NEAR(matched.bias[0], std::log(200.0F), 1e-3F);
    EXPECT_LT(compare(head, compacted(head, matched), randomRows(4, 50, 32), 0.25).outputError,
              1e-3);
}

TEST(Degenerate, nonFiniteSlots_upToOneInAThousandAreDropped_moreAreRefused) {
    for (const int bad : {1, 3}) {
        PlainHead head = clusteredHead(6, 1000, 40, 0.2);
        for (int i = 0; i < bad; ++i)
            head.keys[static_cast<std::size_t>((100 + i) * 32)] =
                std::numeric_limits<float>::quiet_NaN();
        const std::vector<float> queries = randomRows(7, 256, 32);
        const MatchedHead matched = match(spanOf(head, queries, kScale), 100);
        EXPECT_EQ(matched.badSlots, bad);
        for (int i = 0; i < bad; ++i)
            EXPECT_EQ(std::ranges::find(matched.keep, 100 + i), matched.keep.end());
    }
}

TEST(Degenerate, queriesWithoutKeptMass_areIgnoredInTheValueFit) {
    // Half of the queries attend only to keys that are dropped.
    PlainHead head;
    head.keyDim = 2;
    head.valueDim = 1;
    for (int j = 0; j < 128; ++j) {
        const bool left = j < 64;
        head.keys.insert(head.keys.end(), {left ? 40.0F : -40.0F, 0.01F * static_cast<float>(j)});
        head.values.push_back(left ? 1.0F : -1.0F);
        head.bias.push_back(0.0F);
    }
    std::vector<float> queries;
    for (int i = 0; i < 128; ++i) queries.insert(queries.end(), {i % 2 == 0 ? 3.0F : -3.0F, 0.0F});
    const MatchedHead matched = match(spanOf(head, queries, 1.0F), 1);
    ASSERT_EQ(matched.values.size(), 1U);
    EXPECT_TRUE(std::isfinite(matched.values[0]));
    EXPECT_LE(std::abs(matched.values[0]), 4.0F);
    EXPECT_TRUE(std::isfinite(matched.bias[0]));
}

// --- soft-capping --------------------------------------------------------------------------------

TEST(SoftCap, softCap_isPartOfTheFit) {
    // Scores far beyond the cap: without it one key would get all attention, with it many get equal
    // shares.
    PlainHead head = clusteredHead(11, 200, 30, 0.1);
    const std::vector<float> queries = randomRows(12, 256, 32, 6.0);
    HeadSpan span = spanOf(head, queries, 1.0F);
    const MatchedHead sharp = match(span, 40);
    span.softCap = 2.0F;
    const MatchedHead capped = match(span, 40);
    double whole = 0;
    double error = 0;
    double without = 0;
    for (int i = 0; i < 50; ++i) {
        const std::vector<float> query =
            randomRows(100 + static_cast<std::uint64_t>(i), 1, 32, 6.0);
        const auto answer = [&](const PlainHead& of) {
            std::vector<double> sum(16, 0.0);
            double mass = 0;
            for (std::size_t j = 0; j < of.bias.size(); ++j) {
                double dot = 0;
                for (std::size_t d = 0; d < 32; ++d)
                    dot += static_cast<double>(query[d]) * static_cast<double>(of.keys[j * 32 + d]);
                const double w =
                    std::exp(2.0 * std::tanh(dot / 2.0) + static_cast<double>(of.bias[j]));
                mass += w;
                for (std::size_t d = 0; d < 16; ++d)
                    sum[d] += w * static_cast<double>(of.values[j * 16 + d]);
            }
            for (double& x : sum) x /= mass;
            return sum;
        };
        const auto all = answer(head);
        const auto with = answer(compacted(head, capped));
        const auto sharply = answer(compacted(head, sharp));
        for (std::size_t d = 0; d < 16; ++d) {
            whole += all[d] * all[d];
            error += (with[d] - all[d]) * (with[d] - all[d]);
            without += (sharply[d] - all[d]) * (sharply[d] - all[d]);
        }
    }
    EXPECT_LT(std::sqrt(error / whole), 0.5 * std::sqrt(without / whole));
}

// --- the defect list -----------------------------------------------------------------------------

TEST(DefectList, D12_01_compaction_doesNotRunOnEveryToken) {
    Bench bench;
    const KvOptions options = matching(4);
    int compactions = 0;
    for (int i = 0; i < 1000; ++i) {
        bench.append(1, options);
        if (const auto report = bench.compactor().afterStep(bench.cache(), options))
            compactions += report->result == CompactionResult::Done ? 1 : 0;
    }
    EXPECT_GT(compactions, 0);
    EXPECT_LT(compactions, 60);
}

TEST(DefectList, D12_05_keepRecentZero_keepsSinksAndCompactsTheRest) {
    Bench bench;
    KvOptions options = matching(4);
    options.keepRecent = 0;
    bench.append(400, options);
    const auto report = bench.compactor().afterStep(bench.cache(), options);
    ASSERT_TRUE(report);
    ASSERT_EQ(report->result, CompactionResult::Done) << report->notes;
    EXPECT_EQ(bench.cache().stats().slotsTotal, 4 * 100);
    for (int head = 0; head < 2; ++head)
        for (int slot = 0; slot < 4; ++slot)
            EXPECT_EQ(tokensOf(bench.cache(), 0, head)[static_cast<std::size_t>(slot)], slot);
}

TEST(DefectList, D12_09_mismatchedPlans_areRefusedEntirely) {
    Bench bench;
    bench.append(100, KvOptions{});
    const std::string before = bench.cache().save().value();
    RandomStream random(5, 0);
    for (int round = 0; round < 200; ++round) {
        CompactionPlan plan = keepEverywhere(bench.cache(), range(0, 60));
        HeadCompaction& head = plan.heads[random.below(4)];
        switch (random.below(6)) {
            case 0:
                head.keep = {101, range(0, 101)};
                break;
            case 1:
                head.keep = {99, range(0, 60)};
                break;
            case 2:
                head.keep = SlotMarks(100);
                break;
            case 3:
                head.bias.assign(59, 0.0F);
                break;
            case 4:
                head.values.assign(60 * 8 + 1, 0.0F);
                break;
            default:
                plan.heads.pop_back();
                break;
        }
        EXPECT_FALSE(bench.cache().compactable()->apply(plan));
    }
    EXPECT_EQ(bench.cache().save().value(), before);
}

TEST(DefectList, D12_10_allLayers_compactTogether) {
    Bench bench;
    KvOptions options = matching(4);
    options.headBudgets = HeadBudgets::Uniform;
    bench.append(399, options);
    for (int i = 0; i < 200; ++i) {
        bench.append(1, options);
        static_cast<void>(bench.compactor().afterStep(bench.cache(), options));
        const int first = bench.cache().slots(LayerIndex(0), HeadIndex(0));
        for (int layer = 0; layer < 2; ++layer)
            for (int head = 0; head < 2; ++head)
                ASSERT_EQ(bench.cache().slots(LayerIndex(layer), HeadIndex(head)), first);
    }
    EXPECT_GT(bench.cache().stats().compactions, 0);
}

TEST(DefectList, D12_11_trigger_isExact) {
    KvOptions options = matching(1);
    options.budget = 200;
    options.margin = 40;
    for (const int tokens : {199, 200, 201, 240, 241, 242}) {
        Bench bench;
        bench.append(tokens, options);
        const auto report = bench.compactor().afterStep(bench.cache(), options);
        EXPECT_EQ(report.has_value(), tokens > 240) << tokens;
        if (report) {
            EXPECT_EQ(bench.cache().stats().slotsTotal, 4 * 200) << tokens;
        }
    }
}

TEST(DefectList, D12_17_endOfPrompt_compactsOnce) {
    Bench bench;
    const KvOptions options = matching(4);
    bench.append(900, options);
    int done = 0;
    for (int i = 0; i < 8; ++i) {
        if (const auto report = bench.compactor().afterStep(bench.cache(), options))
            done += report->result == CompactionResult::Done ? 1 : 0;
        bench.append(1, options);
    }
    EXPECT_EQ(done, 1);
}

TEST(DefectList, D12_24_ratiosThatDoNotCompress_skipCompaction) {
    const double none = std::numeric_limits<double>::quiet_NaN();
    for (const double ratio : {0.0, -1.0, none, 1.0}) {
        EXPECT_FALSE(compactionLimits(matching(ratio), 100000)) << ratio;
        Bench bench;
        bench.append(300, matching(4));
        EXPECT_EQ(bench.compactor().compact(bench.cache(), matching(ratio)).result,
                  CompactionResult::Skipped);
        EXPECT_EQ(bench.cache().stats().slotsTotal, 4 * 300);
    }
}

TEST(DefectList, D12_25_bias_isFitted_andReducesTheMassError) {
    const PlainHead head = clusteredHead(6, 400, 60, 0.2);
    const std::vector<float> queries = randomRows(7, 512, 32);
    const std::vector<float> unseen = randomRows(8, 200, 32);
    MatchingOptions with;
    MatchingOptions without;
    without.mass = MassFit::None;
    const HeadSpan span = spanOf(head, queries, kScale);
    const MatchedHead fitted = match(span, 60, with);
    ASSERT_EQ(fitted.keep.size(), 60U);
    EXPECT_TRUE(std::ranges::any_of(fitted.bias, [](float b) { return b > 0.1F; }));
    EXPECT_LT(
        compare(head, compacted(head, fitted), unseen, 0.25).logMassError,
        0.5 * compare(head, compacted(head, match(span, 60, without)), unseen, 0.25).logMassError);
}

TEST(DefectList, D12_26_raggedHeads_areNotPadded) {
    Bench bench;
    const KvOptions options = matching(4);  // by coverage: heads of different sizes
    bench.append(800, options);
    ASSERT_EQ(bench.compactor().afterStep(bench.cache(), options)->result, CompactionResult::Done);
    const KvStats stats = bench.cache().stats();
    ASSERT_GT(stats.slotsLargestHead * 4, stats.slotsTotal) << "they differ";
    EXPECT_EQ(stats.liveBytes, stats.slotsTotal * (2 * 8 * 2 + 4 + 4));
    for (int layer = 0; layer < 2; ++layer)
        for (int head = 0; head < 2; ++head) {
            const KvHeadView view = bench.cache().head(LayerIndex(layer), HeadIndex(head));
            EXPECT_EQ(view.slots, bench.cache().slots(LayerIndex(layer), HeadIndex(head)));
        }
}

TEST(DefectList, D12_27_querySource_isInTheReport) {
    Bench bench;
    bench.append(400, matching(4));
    EXPECT_GT(bench.compactor().afterStep(bench.cache(), matching(4))->referenceQueries, 100);
}

TEST(DefectList, D12_28_fewerQueriesThanSlots_doesNotOverfit) {
    const PlainHead head = clusteredHead(6, 400, 60, 0.2);
    const std::vector<float> queries = randomRows(7, 64, 32);
    const MatchedHead matched = match(spanOf(head, queries, kScale), 100);
    ASSERT_EQ(matched.keep.size(), 100U);
    EXPECT_LT(compare(head, compacted(head, matched), randomRows(8, 200, 32), 0.25).outputError,
              0.5);
}

TEST(DefectList, D12_31_protectedTokens_followLogicalPositions) {
    Bench bench;
    const KvOptions options = matching(4);
    bench.append(800, options);
    ASSERT_TRUE(bench.compactor().afterStep(bench.cache(), options));
    bench.append(400, options);
    ASSERT_TRUE(bench.compactor().afterStep(bench.cache(), options));
    ASSERT_EQ(bench.cache().stats().compactions, 2);
    for (int head = 0; head < 2; ++head) {
        const auto tokens = tokensOf(bench.cache(), 1, head);
        const std::size_t end = tokens.size();
        for (int i = 0; i < 32; ++i)
            EXPECT_EQ(tokens[end - 1 - static_cast<std::size_t>(i)], 1199 - i);
        for (int i = 0; i < 4; ++i) EXPECT_EQ(tokens[static_cast<std::size_t>(i)], i);
    }
}

TEST(DefectList, D12_32_scoresBeyondHalfPrecision_stayFinite) {
    PlainHead head = clusteredHead(6, 300, 40, 0.2);
    for (float& x : head.keys) x *= 100.0F;
    const std::vector<float> queries = randomRows(7, 256, 32, 100.0);
    const MatchedHead matched = match(spanOf(head, queries, kScale), 60);
    ASSERT_LE(matched.keep.size(), 60U);
    for (const float x : matched.values) ASSERT_TRUE(std::isfinite(x));
    for (const float b : matched.bias) ASSERT_TRUE(std::isfinite(b));
    EXPECT_TRUE(std::isfinite(matched.heldOutError));
}

TEST(DefectList, D12_33_missingProfile_isReported) {
    Bench bench;
    KvOptions options = matching(4);
    options.headBudgets = HeadBudgets::Questions;
    bench.append(800, options);
    const auto report = bench.compactor().afterStep(bench.cache(), options);
    ASSERT_TRUE(report);
    EXPECT_EQ(report->result, CompactionResult::Failed);
    EXPECT_TRUE(tellsError(report->notes, "calibrate-kv")) << report->notes;
}

TEST(Degenerate, missingProfile_dividesByCopyScores_andReportsIt) {
    for (const HeadBudgets budgets : {HeadBudgets::Auto, HeadBudgets::TaskFree}) {
        Bench bench;
        HeadProfiles profiles;
        profiles.add(
            {.kind = ProfileKind::CopyScores, .layers = 2, .kvHeads = 2, .loss = {0, 0, 0, 0.25F}});
        bench.compactor().use(profiles);
        KvOptions options = matching(4);
        options.headBudgets = budgets;
        bench.append(800, options);
        const auto report = bench.compactor().afterStep(bench.cache(), options);
        ASSERT_TRUE(report);
        EXPECT_EQ(report->result, CompactionResult::Done) << report->notes;
        EXPECT_TRUE(mentions(report->notes, CompactionReason::UnmeasuredByCopyScores))
            << report->notes;
        EXPECT_GT(bench.cache().slots(LayerIndex(1), HeadIndex(1)),
                  4 * bench.cache().slots(LayerIndex(0), HeadIndex(0)));
        // Once the heads are measured there is no warning.
        profiles.add({.layers = 2, .kvHeads = 2, .loss = {1, 0, 0, 0}});
        bench.compactor().use(profiles);
        bench.append(2000, options);
        const auto next = bench.compactor().afterStep(bench.cache(), options);
        ASSERT_TRUE(next);
        EXPECT_EQ(next->result, CompactionResult::Done) << next->notes;
        EXPECT_FALSE(mentions(next->notes, CompactionReason::UnmeasuredByCopyScores))
            << next->notes;
        EXPECT_GT(bench.cache().slots(LayerIndex(0), HeadIndex(0)),
                  bench.cache().slots(LayerIndex(1), HeadIndex(1)));
    }
}

TEST(Degenerate, missingProfile_dividesByCoverage_andReportsIt) {
    Bench bench;
    KvOptions options = matching(4);
    options.headBudgets = HeadBudgets::TaskFree;
    bench.append(800, options);
    const auto report = bench.compactor().afterStep(bench.cache(), options);
    ASSERT_TRUE(report);
    EXPECT_EQ(report->result, CompactionResult::Done) << report->notes;
    EXPECT_TRUE(mentions(report->notes, CompactionReason::UnmeasuredByCoverage)) << report->notes;
}

}  // namespace
}  // namespace lacuna::test
