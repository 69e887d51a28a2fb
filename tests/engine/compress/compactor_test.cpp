// The compactor: triggers of the contract, both methods on complete caches, and failures that leave
// the cache unchanged.

#include "engine/compress/driver/compactor.h"
#include "engine/compress/retention.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "compactor_fixture.h"
#include "tests/support/compaction_notes.h"

namespace lacuna::test {
namespace {

/// The vectors of the contract use a margin of max(keep_recent, 64); the default here is an eighth
/// of the budget.
KvOptions contract(int budget, int keepRecent) {
    return l2(budget, keepRecent, std::max(keepRecent, 64));
}

TEST(Compactor, singleAppends_compactAtTheContractOffsets) {
    const KvShape shape{.layers = 1, .kvHeads = 1, .keyDim = 2, .valueDim = 2, .type = DType::F16};
    Bench bench(shape);
    const KvOptions options = contract(2048, 32);
    std::vector<int> at;
    const auto step = [&](int tokens) {
        bench.append(tokens, options);
        if (const auto report = bench.compactor().afterStep(bench.cache(), options)) {
            EXPECT_EQ(report->result, CompactionResult::Done) << report->notes;
            EXPECT_EQ(report->cause, CompactionCause::Budget);
            at.push_back(static_cast<int>(report->tokens));
        }
    };
    step(2047);
    for (int i = 0; i < 513; ++i) step(1);
    EXPECT_EQ(at, (std::vector<int>{2113, 2178, 2243, 2308, 2373, 2438, 2503}));
    EXPECT_EQ(bench.cache().slots(LayerIndex(0), HeadIndex(0)), 2105);
    EXPECT_EQ(bench.cache().offset(), Position(2560));
}

TEST(Compactor, unevenPrefill_compactsAtTheContractOffsets) {
    const KvShape shape{.layers = 1, .kvHeads = 1, .keyDim = 2, .valueDim = 2, .type = DType::F16};
    Bench bench(shape);
    const KvOptions options = contract(256, 32);
    std::vector<std::pair<int, int>> at;  // offset, slots before
    int peak = 0;
    const auto step = [&](int tokens) {
        bench.append(tokens, options);
        peak = std::max(peak, bench.cache().slots(LayerIndex(0), HeadIndex(0)));
        if (const auto report = bench.compactor().afterStep(bench.cache(), options))
            at.emplace_back(report->tokens, report->slotsBefore);
    };
    step(512);
    step(487);
    for (int i = 0; i < 200; ++i) step(1);
    ASSERT_EQ(at.size(), 5U);
    EXPECT_EQ(at[0], (std::pair{512, 512}));
    EXPECT_EQ(at[1], (std::pair{999, 743}));
    EXPECT_EQ(at[2].first, 1064);
    EXPECT_EQ(at[3].first, 1129);
    EXPECT_EQ(at[4].first, 1194);
    EXPECT_LE(peak, 256 + 64 + 512);
}

TEST(Compactor, belowTrigger_doesNoWork) {
    Bench bench;
    bench.append(300, KvOptions{});
    EXPECT_FALSE(bench.compactor().afterStep(bench.cache(), KvOptions{}));
    EXPECT_FALSE(bench.compactor().afterStep(bench.cache(), l2(256, 32, 44)));
    EXPECT_EQ(bench.cache().stats().compactions, 0);
    EXPECT_TRUE(bench.compactor().afterStep(bench.cache(), l2(256, 32, 43)));
    EXPECT_EQ(bench.cache().stats().compactions, 1);
    EXPECT_EQ(bench.compactor().observer(bench.cache(), l2(256, 32)), nullptr);
    EXPECT_EQ(bench.compactor().observer(bench.cache(), KvOptions{}), nullptr);
}

TEST(Compactor, manualCompaction_ignoresTheMargin_andReportsNothingToDo) {
    Bench bench;
    bench.append(11, KvOptions{});
    CompactionReport report = bench.compactor().compact(bench.cache(), l2(10, 2));
    EXPECT_EQ(report.result, CompactionResult::Done) << report.notes;
    EXPECT_EQ(bench.cache().slots(LayerIndex(1), HeadIndex(1)), 10);
    EXPECT_EQ(bench.cache().offset(), Position(11));
    report = bench.compactor().compact(bench.cache(), l2(10, 2));
    EXPECT_EQ(report.result, CompactionResult::Skipped);
    EXPECT_EQ(report.notes, CompactionNotes{noteOf(CompactionReason::NothingToGain, 10, 10)});
    report = bench.compactor().compact(bench.cache(), KvOptions{});
    EXPECT_EQ(report.notes, CompactionNotes{{CompactionReason::NoMethod}});
}

TEST(Compactor, emptyCache_isSkipped) {
    Bench bench;
    EXPECT_EQ(bench.compactor().compact(bench.cache(), l2(64, 8)).result,
              CompactionResult::Skipped);
    EXPECT_EQ(bench.compactor().compact(bench.cache(), matching(4)).result,
              CompactionResult::Skipped);
}

TEST(Compactor, eviction_reportsBytesAndSlots) {
    Bench bench;
    bench.append(500, KvOptions{});
    const KvStats before = bench.cache().stats();
    const CompactionReport report = bench.compactor().compact(
        bench.cache(), l2(100, 32), {.cause = CompactionCause::ConfigChange});
    ASSERT_EQ(report.result, CompactionResult::Done) << report.notes;
    EXPECT_EQ(report.slotsBefore, 2000);
    EXPECT_EQ(report.slotsAfter, 400);
    EXPECT_EQ(report.liveBytesBefore, before.liveBytes);
    EXPECT_EQ(report.liveBytesAfter, bench.cache().stats().liveBytes);
    EXPECT_EQ(report.liveBytesAfter, 4 * 100 * (2 * 8 * 2 + 4 + 4 + 4))
        << "with positions, norms, and the marks of freed slots";
    EXPECT_FALSE(report.heldOutError);
    EXPECT_GE(report.totalMs, report.scoreMs);
}

TEST(Compactor, impossibleBudget_failsAndChangesNothing) {
    Bench bench;
    bench.append(500, KvOptions{});
    const std::string before = bench.cache().save().value();
    const KvOptions options = l2(36, 32, 16);
    const auto report = bench.compactor().afterStep(bench.cache(), options);
    ASSERT_TRUE(report);
    EXPECT_EQ(report->result, CompactionResult::Failed);
    EXPECT_TRUE(tellsError(report->notes, "budget of 36")) << report->notes;
    EXPECT_EQ(bench.cache().save().value(), before);
    // A failed compaction is not retried for every token.
    bench.append(1, options);
    EXPECT_FALSE(bench.compactor().afterStep(bench.cache(), options));
    bench.append(63, options);
    EXPECT_TRUE(bench.compactor().afterStep(bench.cache(), options)) << "64 tokens later";
    EXPECT_TRUE(bench.compactor().afterStep(bench.cache(), l2(40, 32, 16)))
        << "other options at once";
}

TEST(Compactor, skippedLayers_stayUncompacted) {
    Bench bench;
    bench.append(500, KvOptions{});
    KvOptions options = l2(100, 32);
    options.skipLayers = {0};
    ASSERT_TRUE(bench.compactor().afterStep(bench.cache(), options));
    EXPECT_EQ(bench.cache().slots(LayerIndex(0), HeadIndex(1)), 500);
    EXPECT_EQ(bench.cache().slots(LayerIndex(1), HeadIndex(1)), 100);
    EXPECT_FALSE(bench.compactor().afterStep(bench.cache(), options))
        << "whole layers do not fire the trigger";
}

/// A cache of 300 tokens whose keys all have the same length.
void fillWithUnitKeys(KvCache& cache) {
    const KvShape& shape = cache.shape();
    ASSERT_TRUE(cache.beginAppend(300));
    for (int layer = 0; layer < shape.layers; ++layer) {
        std::vector<float> keys;
        for (int row = 0; row < 300 * shape.kvHeads; ++row) {
            auto key = keyRow(shape, layer, 0, row);
            const float length = norm(key);
            for (float& x : key) x /= length;
            keys.insert(keys.end(), key.begin(), key.end());
        }
        const std::vector<float> values(
            static_cast<std::size_t>(300 * shape.kvHeads * shape.valueDim), 1.0F);
        cache.writeLayer(LayerIndex(layer), {keys.data(), {300, shape.kvHeads, shape.keyDim}},
                         {values.data(), {300, shape.kvHeads, shape.valueDim}});
    }
    cache.commitAppend();
}

TEST(Compactor, constantNorms_fallBackToKeyDiff_andReportIt) {
    Bench plain;
    fillWithUnitKeys(plain.cache());
    KvOptions options = l2(100, 32);
    options.evictionPolicy = EvictionPolicy::KeepLowNorm;
    const CompactionReport replaced = plain.compactor().compact(plain.cache(), options);
    ASSERT_EQ(replaced.result, CompactionResult::Done);
    EXPECT_TRUE(mentions(replaced.notes, CompactionReason::NormsConstant)) << replaced.notes;
    Bench keyDiff;
    fillWithUnitKeys(keyDiff.cache());
    options.evictionPolicy = EvictionPolicy::KeyDiff;
    EXPECT_TRUE(keyDiff.compactor().compact(keyDiff.cache(), options).notes.empty());
    EXPECT_EQ(plain.cache().save().value(), keyDiff.cache().save().value());
    // Distinct norms are used as requested.
    Bench varied;
    varied.append(300, KvOptions{});
    options.evictionPolicy = EvictionPolicy::KeepLowNorm;
    EXPECT_TRUE(varied.compactor().compact(varied.cache(), options).notes.empty());
}

TEST(Compactor, matching_reachesItsRatio_andKeepsProtectedTokens) {
    Bench bench;
    KvOptions options = matching(4);
    options.headBudgets = HeadBudgets::Uniform;
    bench.append(800, options);
    const auto report = bench.compactor().afterStep(bench.cache(), options);
    ASSERT_TRUE(report);
    ASSERT_EQ(report->result, CompactionResult::Done) << report->notes;
    EXPECT_EQ(report->method, CompactionMethod::AttentionMatching);
    EXPECT_EQ(report->slotsAfter, 4 * 200);
    EXPECT_GT(report->referenceQueries, 100);
    ASSERT_TRUE(report->heldOutError);
    EXPECT_GT(*report->heldOutError, 0.0);
    EXPECT_LT(*report->heldOutError, 1.0);
    EXPECT_EQ(bench.cache().offset(), Position(800));
    bench.cache().checkInvariants();
    const KvHeadView head = bench.cache().head(LayerIndex(1), HeadIndex(0));
    ASSERT_EQ(head.slots, 200);
    for (int slot = 0; slot < 4; ++slot) {
        EXPECT_EQ(head.positions[slot], slot);
        EXPECT_EQ(head.bias[slot], 0.0F);
        EXPECT_TRUE(holds(bench.cache(), 1, 0, slot, slot));
    }
    for (int slot = 200 - 32; slot < 200; ++slot) {
        EXPECT_EQ(head.positions[slot], 600 + slot);
        EXPECT_TRUE(holds(bench.cache(), 1, 0, slot, 600 + slot)) << "the newest stay verbatim";
    }
    EXPECT_EQ(report->liveBytesAfter, 4 * 200 * (2 * 8 * 2 + 4 + 4));
}

// The budget of a high ratio always includes all first and newest tokens, however slots are
// divided.
TEST(Compactor, highRatios_keepProtectedTokens_andReportTheAchievedRatio) {
    const HeadProfile profile{.layers = 2, .kvHeads = 2, .loss = {0, 0.001F, 5, 0}};
    CompactorModel model = kModel;
    model.profiles.add(profile);
    for (const HeadBudgets budgets :
         {HeadBudgets::Uniform, HeadBudgets::Coverage, HeadBudgets::TaskFree}) {
        for (const auto& [ratio, share] : {std::pair(16.0, 125), {32.0, 63}, {50.0, 52}}) {
            Bench bench(kShape, 1, model);
            KvOptions options = matching(ratio);
            options.headBudgets = budgets;
            bench.append(2000, options);
            const auto report = bench.compactor().afterStep(bench.cache(), options);
            ASSERT_TRUE(report);
            ASSERT_EQ(report->result, CompactionResult::Done) << report->notes;
            EXPECT_EQ(report->slotsAfter, 4 * share) << ratio;
            EXPECT_EQ(report->requestedRatio, ratio);
            EXPECT_DOUBLE_EQ(report->achievedRatio, 2000.0 / share);
            EXPECT_EQ(mentions(report->notes, CompactionReason::LimitedByProtected), ratio == 50)
                << report->notes;
            for (int i = 0; i < 4; ++i) {
                const KvHeadView head = bench.cache().head(LayerIndex(i / 2), HeadIndex(i % 2));
                EXPECT_GE(head.slots, 4 + 32 + 8);
                for (int slot = 0; slot < 4; ++slot) EXPECT_EQ(head.positions[slot], slot);
                for (int back = 1; back <= 32; ++back)
                    EXPECT_EQ(head.positions[head.slots - back], 2000 - back);
            }
            if (budgets == HeadBudgets::TaskFree) {
                EXPECT_GT(bench.cache().slots(LayerIndex(1), HeadIndex(0)), share);
            }
        }
    }
}

/// Returns whether every head holds all tokens of [first, last).
bool holdsAll(const KvCache& cache, int first, int last) {
    for (int i = 0; i < 4; ++i) {
        const KvHeadView head = cache.head(LayerIndex(i / 2), HeadIndex(i % 2));
        std::set<int> held;
        for (int slot = 0; slot < head.slots; ++slot)
            if (head.bias == nullptr || !std::isinf(head.bias[slot]))
                held.insert(head.positions == nullptr ? slot : head.positions[slot]);
        for (int position = first; position < last; ++position)
            if (!held.contains(position)) return false;
    }
    return true;
}

// A question of 150 tokens after 600. Automatic and requested compactions run within it, after it
// and within its answer, with every division of slots.
TEST(Compactor, unansweredQuestion_isNeverCompacted) {
    std::vector<KvOptions> all{matching(8), matching(50), l2(64, 32), l2(300, 32)};
    all.push_back(l2(64, 8));
    all.back().evictionBudgets = EvictionBudgets::Adaptive;
    all.back().evictionPolicy = EvictionPolicy::KeyDiff;
    all.push_back(l2(64, 8));
    all.back().coherence = LayerCoherence::CrossLayer;
    for (KvOptions options : all) {
        options.background = false;
        Bench bench;
        int compacted = 0;
        const auto check = [&](const std::optional<CompactionReport>& report, int end) {
            if (report && report->result != CompactionResult::Skipped) {
                EXPECT_EQ(report->result, CompactionResult::Done) << report->notes;
                ++compacted;
            }
            EXPECT_TRUE(holdsAll(bench.cache(), 600, end)) << end;
            EXPECT_TRUE(holdsAll(bench.cache(), 0, options.nSink));
        };
        bench.append(600, options);
        bench.compactor().beginTurn(Position(600), Position(750), Position(600));
        for (int read = 50; read <= 150; read += 50) {
            bench.append(50, options);
            check(bench.compactor().afterStep(bench.cache(), options,
                                              {.pace = CompactionPace::Immediate}),
                  600 + read);
            check(bench.compactor().compact(bench.cache(), options), 600 + read);
        }
        for (int answered = 0; answered < 400; ++answered) {
            bench.append(1, options);
            check(bench.compactor().afterStep(bench.cache(), options), 750);
            if (answered % 100 == 50) check(bench.compactor().compact(bench.cache(), options), 750);
        }
        EXPECT_GT(compacted, 2);
        const int before = compacted;
        bench.compactor().endTurn();
        check(bench.compactor().compact(bench.cache(), options), 600);
        EXPECT_EQ(compacted, before + 1) << "answered, it is text like any other";
        EXPECT_FALSE(holdsAll(bench.cache(), 600, 750));
    }
}

TEST(Compactor, firstQuestion_isCompactedAfterItsAnswer) {
    KvOptions options = l2(64, 32);
    Bench bench;
    bench.compactor().beginTurn(Position(0), Position(500), Position(0));
    bench.append(500, options);
    EXPECT_FALSE(bench.compactor().afterStep(bench.cache(), options))
        << "all of it is the question";
    bench.append(20, options);
    bench.compactor().endTurn();
    const auto report = bench.compactor().afterStep(bench.cache(), options);
    ASSERT_TRUE(report);
    EXPECT_EQ(report->slotsAfter, 4 * 64);
}

TEST(Compactor, raggedHeads_triggerByTheirMean) {
    // Under coverage one head may keep far more than the target, which alone must not trigger a
    // compaction.
    Bench bench;
    const KvOptions options = matching(4);
    bench.append(800, options);
    ASSERT_TRUE(bench.compactor().afterStep(bench.cache(), options));
    EXPECT_EQ(bench.cache().stats().slotsTotal, 4 * 200);
    EXPECT_GT(bench.cache().stats().slotsLargestHead, 200);
    EXPECT_EQ(bench.compactor().state(bench.cache(), options).slots, 200);
    EXPECT_FALSE(bench.compactor().afterStep(bench.cache(), options));
}

TEST(Compactor, matching_leavesSlidingLayersUncompacted) {
    CompactorModel model = kModel;
    model.slidingLayers = {1};
    Bench bench(kShape, 1, model);
    const KvOptions options = matching(4);
    bench.append(800, options);
    ASSERT_TRUE(bench.compactor().afterStep(bench.cache(), options));
    for (int head = 0; head < 2; ++head)
        EXPECT_EQ(bench.cache().slots(LayerIndex(1), HeadIndex(head)), 800);
    EXPECT_EQ(bench.cache().slots(LayerIndex(0), HeadIndex(0)) +
                  bench.cache().slots(LayerIndex(0), HeadIndex(1)),
              400);
    EXPECT_FALSE(bench.compactor().afterStep(bench.cache(), options));
}

TEST(Compactor, repeatedMatching_continues) {
    Bench bench;
    const KvOptions options = matching(3);
    bench.append(400, options);
    int compactions = 0;
    for (int i = 0; i < 400; ++i) {
        if (const auto report = bench.compactor().afterStep(bench.cache(), options)) {
            ASSERT_EQ(report->result, CompactionResult::Done) << report->notes;
            ++compactions;
            bench.cache().checkInvariants();
        }
        bench.append(1, options);
    }
    EXPECT_GT(compactions, 3);
    EXPECT_LT(compactions, 40) << "not with every token";
    EXPECT_EQ(bench.cache().stats().compactions, compactions);
}

TEST(Compactor, matchingWithoutQueries_fallsBack_andReportsIt) {
    Bench bench;
    bench.append(400, KvOptions{});  // these options capture no queries
    const CompactionReport report = bench.compactor().compact(
        bench.cache(), matching(4), {.cause = CompactionCause::ConfigChange});
    ASSERT_EQ(report.result, CompactionResult::Done);
    EXPECT_TRUE(mentions(report.notes, CompactionReason::TooFewQueriesToMatch)) << report.notes;
    EXPECT_EQ(report.referenceQueries, 0);
    EXPECT_EQ(bench.cache().slots(LayerIndex(0), HeadIndex(0)), 100);
}

TEST(Compactor, threadCount_changesNoBit) {
    std::string first;
    for (const int threads : {1, 2, 3}) {
        Bench bench(kShape, threads);
        const KvOptions options = matching(4);
        bench.append(500, options);
        ASSERT_TRUE(bench.compactor().afterStep(bench.cache(), options));
        const std::string state = bench.cache().save().value();
        if (first.empty()) first = state;
        EXPECT_EQ(state, first) << threads << " threads";
    }
}

TEST(Compactor, matchingOfNonFiniteSlots_failsAndChangesNothing) {
    Bench bench;
    const KvOptions options = matching(4);
    bench.append(300, options);
    // The values of the next token are NaN, and it is one of the newest.
    ASSERT_TRUE(bench.cache().beginAppend(1));
    const std::vector<float> keys(16, 1.0F);
    const std::vector<float> values(16, std::numeric_limits<float>::quiet_NaN());
    for (int layer = 0; layer < 2; ++layer)
        bench.cache().writeLayer(LayerIndex(layer), {keys.data(), {1, 2, 8}},
                                 {values.data(), {1, 2, 8}});
    bench.cache().commitAppend();
    const std::string before = bench.cache().save().value();
    const CompactionReport report = bench.compactor().compact(bench.cache(), options);
    EXPECT_EQ(report.result, CompactionResult::Failed);
    EXPECT_TRUE(tellsError(report.notes, "layer 0 head 0")) << report.notes;
    EXPECT_EQ(bench.cache().save().value(), before);
}

TEST(Retention, retention_isTheShareOfHeadsHoldingAToken) {
    Bench bench;
    bench.append(10, KvOptions{});
    CompactionPlan plan = keepEverywhere(bench.cache(), {0, 1, 9});
    plan.heads[2].keep = {10, std::vector<std::int32_t>{1, 5, 9}};
    ASSERT_TRUE(bench.cache().compactable()->apply(plan));
    const RetentionRow row = retention(bench.cache());
    EXPECT_EQ(row.tokens, 10);
    EXPECT_EQ(row.share, (std::vector<float>{0.75F, 1, 0, 0, 0, 0.25F, 0, 0, 0, 1}));
    EXPECT_TRUE(retention(*makeSlotCache(kShape).value()).share.empty());
    // No head of layer 0 holds token 5, and one of two heads of layer 1 does.
    EXPECT_EQ(row.holders[5], 0);
    EXPECT_EQ(row.holders[10 + 5], 1);
    EXPECT_EQ(row.slots, (std::vector<std::int32_t>{3, 3, 3, 3}));
    EXPECT_EQ(row.liveBytes, bench.cache().stats().liveBytes);
    EXPECT_TRUE(row.weight.empty()) << "no slot carries a bias";
}

TEST(Retention, retention_includesBiasesAndKeyLengths) {
    Bench bench;
    bench.append(4, KvOptions{});
    CompactionPlan plan = keepEverywhere(bench.cache(), {1, 3});
    for (HeadCompaction& head : plan.heads) head.bias = {std::log(3.0F), 0.0F};
    ASSERT_TRUE(bench.cache().compactable()->apply(plan));
    EXPECT_TRUE(retention(bench.cache()).keyLength.empty()) << "nobody asked for lengths";
    ASSERT_FALSE(bench.cache().keyNorms(LayerIndex(0), HeadIndex(0)).empty());
    const RetentionRow row = retention(bench.cache());
    ASSERT_EQ(row.weight.size(), 4U);
    EXPECT_FLOAT_EQ(row.weight[1], 3);
    EXPECT_FLOAT_EQ(row.weight[3], 1);
    EXPECT_EQ(row.weight[0], 0) << "evicted";
    ASSERT_EQ(row.keyLength.size(), 4U);
    EXPECT_NEAR(row.keyLength[1] + row.keyLength[3], 2, 1e-5)
        << "two slots a head, their mean is 1";
}

// Two questions. A compaction at the budget happens during the second answer.
TEST(Compactor, compactionDuringAnAnswer_keepsItsTurnOpen) {
    KvOptions adaptive = l2(240, 8, 16);
    adaptive.evictionPolicy = EvictionPolicy::H2O;
    adaptive.evictionBudgets = EvictionBudgets::Adaptive;
    KvOptions fitted = matching(1);
    fitted.budget = 240;
    fitted.margin = 16;
    fitted.keepRecent = 8;
    for (KvOptions options : {l2(240, 8, 16), adaptive, fitted}) {
        for (const bool background : {false, true}) {
            options.background = background;
            CompactorModel model = kModel;
            model.backgroundThreads = 1;
            Bench bench(kShape, 1, model);
            bench.append(250, options);
            bench.compactor().beginTurn(bench.cache().offset(), Position(270));
            bench.append(60, options);
            auto report = bench.compactor().afterStep(bench.cache(), options);
            ASSERT_TRUE(report);
            if (report->result == CompactionResult::Started)
                report = bench.compactor().afterStep(bench.cache(), options,
                                                     {.policy = BackgroundPolicy::Wait});
            ASSERT_EQ(report->result, CompactionResult::Done) << report->notes;
            EXPECT_EQ(report->slotsAfter, 4 * 240) << "the budget holds";
            EXPECT_EQ(bench.cache().capabilities().rollbackLimit, 60);
            for (int i = 0; i < 4; ++i) {
                const KvHeadView head = bench.cache().head(LayerIndex(i / 2), HeadIndex(i % 2));
                std::set<int> found;
                for (int slot = 0; slot < head.slots; ++slot)
                    if (head.bias == nullptr || std::isfinite(head.bias[slot]))
                        found.insert(head.positions[slot]);
                for (int position = 250; position < 310; ++position)
                    EXPECT_TRUE(found.contains(position)) << position;
            }
            EXPECT_FALSE(bench.cache().rollback(61));
            ASSERT_TRUE(bench.cache().rollback(60)) << "the question may be another one";
            bench.compactor().dropFrom(bench.cache().offset());
            bench.append(30, options);
            bench.cache().checkInvariants();
        }
    }
}

// The same older slots are preferred; open tokens only replace the worst of them.
TEST(Compactor, openTokens_doNotChangeScores) {
    const auto kept = [](bool open) {
        Bench bench;
        const KvOptions options = l2(240, 8, 16);
        bench.append(250, options);
        if (open) bench.compactor().beginTurn(Position(250), Position(270));
        bench.append(60, options);
        EXPECT_TRUE(bench.compactor().afterStep(bench.cache(), options));
        const KvHeadView head = bench.cache().head(LayerIndex(1), HeadIndex(1));
        std::set<int> older;
        for (int slot = 0; slot < head.slots; ++slot)
            if (head.positions[slot] < 250 && std::isfinite(head.bias[slot]))
                older.insert(head.positions[slot]);
        return older;
    };
    const std::set<int> without = kept(false);
    const std::set<int> with = kept(true);
    EXPECT_EQ(with.size(), 240U - 60);
    EXPECT_TRUE(std::ranges::includes(without, with)) << "none that had gone without";
}

// Without the template's role markers the model would read one long message.
TEST(Compactor, templateTokens_areKeptByEveryMethod) {
    CompactorModel model = kModel;
    model.form = [](TokenId token) { return TokenForm{.word = token == 0, .control = token == 1}; };
    for (const KvOptions& options : {l2(80, 8), matching(5)}) {
        for (const bool marked : {true, false}) {
            Bench bench(kShape, 1, model);
            std::vector<TokenId> text(400, 0);
            for (const std::size_t at : {50U, 120U, 121U, 250U, 300U}) text[at] = marked ? 1 : 2;
            bench.compactor().reads(text);
            bench.append(400, options);
            const CompactionReport report = bench.compactor().compact(bench.cache(), options);
            ASSERT_EQ(report.result, CompactionResult::Done) << report.notes;
            ASSERT_LT(report.slotsAfter, report.slotsBefore);
            int found = 0;
            for (int layer = 0; layer < kShape.layers; ++layer)
                for (int head = 0; head < kShape.kvHeads; ++head) {
                    const KvHeadView view = bench.cache().head(LayerIndex(layer), HeadIndex(head));
                    for (int slot = 0; slot < view.slots; ++slot)
                        if (view.bias == nullptr || std::isfinite(view.bias[slot]))
                            found += text[static_cast<std::size_t>(view.positions[slot])] != 0;
                }
            if (marked)
                EXPECT_EQ(found, 5 * kShape.layers * kShape.kvHeads);
            else
                EXPECT_LT(found, 5 * kShape.layers * kShape.kvHeads);
        }
    }
}

TEST(CompactionTrigger, withRatio_keepsTheOtherLimits) {
    Bench bench;
    bench.append(1000, KvOptions{});
    for (const KvOptions& settings : {l2(125, 8), matching(8)}) {
        const TriggerDecision asked = decideRequested(bench.cache(), settings, {});
        ASSERT_EQ(asked.trigger, Trigger::Due);
        const TriggerDecision other = withRatio(asked, bench.cache(), settings, {}, 2.5);
        EXPECT_EQ(other.limits.target, 400);
        EXPECT_EQ(other.limits.requestedRatio, 8);
        EXPECT_EQ(other.limits.keepRecent, settings.keepRecent);
        ASSERT_TRUE(other.late);
        EXPECT_EQ(other.late->method, settings.method);
    }
    const FailedCompaction limited = limitedAt(1000, l2(125, 8));
    EXPECT_EQ(decideAfterStep(bench.cache(), l2(125, 8), {}, limited).trigger, Trigger::TooEarly);
    bench.append(256, KvOptions{});
    EXPECT_EQ(decideAfterStep(bench.cache(), l2(125, 8), {}, limited).trigger, Trigger::Due);
}

}  // namespace
}  // namespace lacuna::test
