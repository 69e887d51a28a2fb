// The measurement of a loss that is interrupted by the next turn of its conversation: it resumes
// with the tokens of its start, and the compaction changes only these.

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "../kv/cache_kinds.h"
#include "compactor_fixture.h"
#include "tests/support/compaction_notes.h"

namespace lacuna::test {
namespace {

constexpr int kPrefix = 400;  // tokens that are measured
constexpr int kLater = 60;    // tokens of the next turn

CompactorModel measuring(int threads = 0) {
    CompactorModel model = kModel;
    model.lossInPauses = true;
    model.backgroundThreads = threads;
    return model;
}

KvOptions limited(KvOptions options) {
    options.keepRecent = 8;
    options.margin = 8;
    options.headBudgets = HeadBudgets::Coverage;
    options.lossLimit = {.level = LossLimit::Level::Share, .share = 0.9};
    return options;
}
KvOptions evicting(EvictionPolicy policy) {
    KvOptions options = l2(100, 8);
    options.evictionPolicy = policy;
    return limited(options);
}

constexpr int kChunk = 20;

void appendChunks(Bench& bench, int tokens, const KvOptions& options) {
    for (int done = 0; done < tokens; done += kChunk) bench.append(kChunk, options);
}

/// Begins a turn and reads it up to its end; nothing may be compacted before.
std::optional<CompactionReport> turn(Bench& bench, int tokens, const KvOptions& options) {
    const Position first = bench.cache().offset();
    bench.compactor().beginTurn(first, first + (tokens - kChunk));
    for (int done = 0; done < tokens; done += kChunk) {
        bench.append(kChunk, options);
        EXPECT_FALSE(bench.compactor().afterStep(bench.cache(), options));
    }
    return bench.compactor().afterTurn(bench.cache(), options);
}

/// A conversation whose compaction waits for its measurement.
struct Measured : Bench {
    explicit Measured(const KvOptions& of, int threads = 0, const KvShape& shape = kShape)
        : Measured(of, makeSlotCache(shape).value(), threads) {}
    Measured(const KvOptions& of, std::unique_ptr<KvCache> cache, int threads = 0)
        : Bench(std::move(cache), 1, measuring(threads)), options(of) {
        KvOptions later = of;
        later.compactionFloor = kPrefix;
        EXPECT_FALSE(turn(*this, 300, later));
        const auto begun = turn(*this, kPrefix - 300, options);
        EXPECT_TRUE(begun && begun->result == CompactionResult::Started);
        EXPECT_GT(compactor().measures(), 0);
    }
    /// Measures up to `most` candidates as the owner of the model does, with a loss of a twentieth
    /// of their ratio.
    std::optional<CompactionReport> measure(int most = 100) {
        for (; most > 0 && compactor().measures() != 0; --most) {
            auto copy = compactor().measuredCache(cache()).clone().value();
            const std::int64_t all = copy->stats().slotsTotal;
            const CompactionReport tried = compactor().tryCandidate(*copy, {});
            if (compactor().request() != nullptr) return std::nullopt;
            EXPECT_EQ(tried.result, CompactionResult::Done) << tried.notes;
            EXPECT_EQ(copy->offset(), Position(kPrefix));
            ++candidates;
            const double ratio =
                static_cast<double>(all) / static_cast<double>(copy->stats().slotsTotal);
            if (auto report = compactor().measured(cache(), KeptInformation{.all = 1 - ratio / 20}))
                return report;
        }
        return compactor().settle(cache(), BackgroundPolicy::Wait);
    }
    void expectContinues(const KvOptions& with) {
        const std::int64_t number = compactor().measures();
        ASSERT_TRUE(compactor().pauseMeasuring(cache()));
        EXPECT_FALSE(turn(*this, kLater, with));
        EXPECT_EQ(compactor().measures(), number);
    }

    KvOptions options;
    int candidates = 0;
};

/// Returns the rows and the bias of every token that a head holds.
std::map<std::int32_t, std::string> contentOf(const KvCache& cache, int layer, int head) {
    const KvExtent extent = cache.shape().extent(LayerIndex(layer));
    const KvHeadView view = cache.head(LayerIndex(layer), HeadIndex(head));
    const std::size_t key = formatBytes(keyFormat(view, extent.keyDim));
    const std::size_t value = formatBytes(valueFormat(view, extent.valueDim));
    std::map<std::int32_t, std::string> content;
    for (int slot = 0; slot < view.slots; ++slot) {
        const float bias = view.bias == nullptr ? 0 : view.bias[slot];
        if (bias == -std::numeric_limits<float>::infinity()) continue;
        const auto at = static_cast<std::size_t>(slot);
        std::string rows(reinterpret_cast<const char*>(view.keys + at * key), key);
        rows.append(
            reinterpret_cast<const char*>(
                view.values + (view.valueStride > 0 ? slot * view.valueStride
                                                    : static_cast<std::int64_t>(at * value))),
            value);
        rows += std::to_string(bias);
        content[view.positions == nullptr ? slot : view.positions[slot]] = std::move(rows);
    }
    return content;
}

void expectSameContent(const KvCache& found, const KvCache& wanted) {
    ASSERT_EQ(found.offset(), wanted.offset());
    EXPECT_EQ(found.stats().compactions, wanted.stats().compactions);
    EXPECT_EQ(found.stats().slotsTotal, wanted.stats().slotsTotal);
    EXPECT_EQ(found.capabilities().rollbackLimit, wanted.capabilities().rollbackLimit);
    for (int i = 0; i < wanted.shape().headCount(); ++i) {
        const KvHeadLocation at = wanted.shape().placeOf(i);
        EXPECT_EQ(contentOf(found, at.layer.value, at.head.value),
                  contentOf(wanted, at.layer.value, at.head.value))
            << "layer " << at.layer.value << " head " << at.head.value;
    }
    found.checkInvariants();
}

/// Expects that a measurement interrupted after `before` candidates gives the same cache as one
/// that ended before the next turn.
void expectSameAsWithoutPause(const std::function<Measured()>& make, int before) {
    Measured plain = make();
    const auto wanted = plain.measure();
    ASSERT_TRUE(wanted);
    ASSERT_EQ(wanted->result, CompactionResult::Done) << wanted->notes;
    ASSERT_TRUE(wanted->limited);
    ASSERT_GT(plain.candidates, before) << "the pause lies within the search";
    appendChunks(plain, kLater, plain.options);

    Measured paused = make();
    ASSERT_FALSE(paused.measure(before));
    paused.expectContinues(paused.options);
    const auto found = paused.measure();
    ASSERT_TRUE(found);
    EXPECT_EQ(found->result, CompactionResult::Done) << found->notes;
    EXPECT_EQ(found->notes, wanted->notes);
    EXPECT_EQ(found->tokens, kPrefix) << "of the measured text";
    EXPECT_EQ(found->kept, wanted->kept);
    EXPECT_EQ(found->limited, wanted->limited);
    EXPECT_TRUE(found->background);
    EXPECT_GT(found->id, 0);
    EXPECT_LT(found->slotsAfter, found->slotsBefore);
    EXPECT_EQ(paused.candidates, plain.candidates) << "no candidate is measured twice";
    EXPECT_EQ(paused.compactor().measures(), 0);
    expectSameContent(paused.cache(), plain.cache());
}

TEST(PausedMeasurement, eviction_equalsCompactionBeforeTheTurn) {
    for (const EvictionPolicy policy :
         {EvictionPolicy::KeyDiff, EvictionPolicy::KeepLowNorm, EvictionPolicy::SnapKV,
          EvictionPolicy::H2O, EvictionPolicy::ExpectedAttention}) {
        SCOPED_TRACE(static_cast<int>(policy));
        for (const int before : {0, 2})
            expectSameAsWithoutPause([&] { return Measured(evicting(policy)); }, before);
    }
}

TEST(PausedMeasurement, matching_equalsCompactionBeforeTheTurn) {
    for (const int threads : {0, 2})
        for (const int before : {0, 2})
            expectSameAsWithoutPause([&] { return Measured(limited(matching(4)), threads); },
                                     before);
}

TEST(PausedMeasurement, turnLate_equalsCompactionBeforeTheTurn) {
    KvOptions late = limited(matching(4));
    late.compactWhen = CompactWhen::TurnLate;
    expectSameAsWithoutPause([&] { return Measured(late); }, 1);
}

TEST(PausedMeasurement, codesAndLatentRows_equalCompactionBeforeTheTurn) {
    KvShape coded = kindShape(Rows::Rotated);
    KvShape latent = kShape;
    latent.kvHeads = 1;
    latent.valueDim = 4;
    latent.valuesInKeys = true;
    for (const KvShape& shape : {coded, latent}) {
        SCOPED_TRACE(shape.keyDim);
        expectSameAsWithoutPause(
            [&] { return Measured(evicting(EvictionPolicy::KeyDiff), 0, shape); }, 1);
    }
}

TEST(PausedMeasurement, layersWithWindow_stayThoseOfTheConversation) {
    const auto list = [] { return makeCacheList(kindShape(), kindPlans()).value(); };
    expectSameAsWithoutPause([&] { return Measured(evicting(EvictionPolicy::KeyDiff), list()); },
                             1);
}

TEST(PausedMeasurement, secondTurn_onlyDelaysIt) {
    Measured plain(evicting(EvictionPolicy::KeyDiff));
    ASSERT_TRUE(plain.measure());
    appendChunks(plain, 2 * kLater, plain.options);
    Measured paused(evicting(EvictionPolicy::KeyDiff));
    for (int i = 0; i < 2; ++i) {
        ASSERT_FALSE(paused.measure(1));
        paused.expectContinues(paused.options);
    }
    ASSERT_TRUE(paused.measure());
    expectSameContent(paused.cache(), plain.cache());
}

TEST(PausedMeasurement, tokensLeftOpen_mayBeReplaced) {
    constexpr int kReplaced = 15;
    Measured plain(evicting(EvictionPolicy::KeyDiff));
    ASSERT_TRUE(plain.measure());
    ASSERT_GE(plain.cache().capabilities().rollbackLimit, kReplaced);
    ASSERT_TRUE(plain.cache().rollback(kReplaced));
    plain.append(kReplaced, plain.options);
    appendChunks(plain, kLater, plain.options);
    Measured paused(evicting(EvictionPolicy::KeyDiff));
    ASSERT_FALSE(paused.measure(1));
    ASSERT_TRUE(paused.compactor().pauseMeasuring(paused.cache()));
    ASSERT_TRUE(paused.cache().rollback(kReplaced));
    paused.compactor().dropFrom(paused.cache().offset());
    paused.append(kReplaced, paused.options);
    paused.expectContinues(paused.options);
    ASSERT_TRUE(paused.measure());
    EXPECT_EQ(paused.cache().offset(), plain.cache().offset());
    for (int layer = 0; layer < kShape.layers; ++layer)
        EXPECT_EQ(contentOf(paused.cache(), layer, 0), contentOf(plain.cache(), layer, 0));
}

TEST(PausedMeasurement, rollbackIntoMeasuredTokens_cancelsIt) {
    Measured paused(evicting(EvictionPolicy::KeyDiff));
    ASSERT_TRUE(paused.compactor().pauseMeasuring(paused.cache()));
    ASSERT_TRUE(paused.cache().rollback(100));
    paused.compactor().dropFrom(paused.cache().offset());
    EXPECT_EQ(paused.compactor().measures(), 0);
    const auto report = paused.compactor().afterStep(paused.cache(), paused.options);
    ASSERT_TRUE(report);
    EXPECT_EQ(report->result, CompactionResult::Aborted);
    EXPECT_EQ(report->notes, CompactionNotes{{CompactionReason::ConversationRolledBack}});
}

TEST(PausedMeasurement, continuedWithoutPause_orWithOtherSettings_isCancelled) {
    for (const bool pauses : {false, true}) {
        Measured bench(evicting(EvictionPolicy::KeyDiff));
        if (pauses) {
            ASSERT_TRUE(bench.compactor().pauseMeasuring(bench.cache()));
        }
        bench.append(1, bench.options);
        KvOptions options = bench.options;
        if (pauses) options.budget = 90;
        const auto report = bench.compactor().afterStep(bench.cache(), options);
        ASSERT_TRUE(report);
        EXPECT_EQ(report->result, CompactionResult::Aborted);
        EXPECT_EQ(report->notes,
                  CompactionNotes{{pauses ? CompactionReason::SettingsChanged
                                          : CompactionReason::ConversationContinued}});
        EXPECT_EQ(bench.compactor().measures(), 0);
        EXPECT_EQ(bench.cache().stats().slotsTotal, 4 * (kPrefix + 1)) << "nothing has changed";
    }
}

TEST(PausedMeasurement, cacheThatHasGrown_cannotBePaused) {
    Measured bench(evicting(EvictionPolicy::KeyDiff));
    bench.append(1, bench.options);
    const Status paused = bench.compactor().pauseMeasuring(bench.cache());
    ASSERT_FALSE(paused);
    EXPECT_EQ(paused.error().code, ErrorCode::Incompatible);
}

TEST(PausedMeasurement, requestDuringIt_isRefused_andChunkThatCannotWait_replacesIt) {
    Measured bench(evicting(EvictionPolicy::KeyDiff));
    ASSERT_TRUE(bench.compactor().pauseMeasuring(bench.cache()));
    bench.compactor().beginTurn(bench.cache().offset(), bench.cache().offset() + kLater);
    bench.append(20, bench.options);
    const CompactionReport refused = bench.compactor().compact(
        bench.cache(), bench.options, {.mode = CompactionCall::Mode::Background});
    EXPECT_EQ(refused.notes, CompactionNotes{{CompactionReason::AlreadyRunning}});
    EXPECT_GT(bench.compactor().measures(), 0);
    const auto done = bench.compactor().afterStep(bench.cache(), bench.options,
                                                  {.pace = CompactionPace::Immediate});
    ASSERT_TRUE(done);
    EXPECT_EQ(done->result, CompactionResult::Done) << done->notes;
    const auto replaced = bench.compactor().afterStep(bench.cache(), bench.options);
    ASSERT_TRUE(replaced);
    EXPECT_EQ(replaced->notes, CompactionNotes{{CompactionReason::OtherCompaction}});
}

TEST(PausedMeasurement, state_namesWhatItWaitsFor) {
    Measured bench(evicting(EvictionPolicy::KeyDiff));
    const auto phase = [&] {
        const CompactionState state = bench.compactor().state(bench.cache(), bench.options);
        EXPECT_TRUE(state.background);
        EXPECT_EQ(state.progress, 0.25);
        return state.phase;
    };
    bench.compactor().measuredSoFar(0.25, 1);
    EXPECT_EQ(phase(), CompactionPhase::Measuring);
    ASSERT_TRUE(bench.compactor().pauseMeasuring(bench.cache()));
    bench.compactor().beginTurn(bench.cache().offset(), bench.cache().offset() + 1);
    bench.append(20, bench.options);
    EXPECT_EQ(phase(), CompactionPhase::MeasuredAfterThisAnswer);
    EXPECT_FALSE(bench.compactor().afterTurn(bench.cache(), bench.options));
    EXPECT_EQ(phase(), CompactionPhase::Measuring);
}

TEST(PausedMeasurement, limitThatCannotBeKept_leavesTheCache) {
    KvOptions strict = evicting(EvictionPolicy::KeyDiff);
    strict.lossLimit.share = 1;
    Measured bench(strict);
    ASSERT_FALSE(bench.measure(1));
    bench.expectContinues(strict);
    const auto report = bench.measure();
    ASSERT_TRUE(report);
    EXPECT_EQ(report->result, CompactionResult::Skipped);
    EXPECT_TRUE(report->limited);
    EXPECT_EQ(report->slotsAfter, report->slotsBefore);
    EXPECT_EQ(bench.cache().stats().slotsTotal, 4 * (kPrefix + kLater));
}

TEST(PausedMeasurement, readingInProgress_isContinuedForTheSameTokens) {
    KvOptions options = limited(matching(4));
    options.querySource = QuerySource::Context;
    const auto reading = [](const QueryRequest& request) {
        ReferenceQueries queries(request.shape, request.seed, 0);
        const int tokens = request.end.value;
        for (int layer = 0; layer < request.shape.layers; ++layer) {
            std::vector<float> rows;
            RandomStream random(31, static_cast<std::uint64_t>(layer));
            for (int i = 0; i < tokens * request.shape.heads * request.shape.keyDim; ++i)
                rows.push_back(static_cast<float>(random.normal()));
            queries.observeQueries(
                LayerIndex(layer),
                {rows.data(), {tokens, request.shape.heads, request.shape.keyDim}}, Position(0));
        }
        return TextReading(std::move(queries));
    };
    const auto compacted = [&](Measured& bench, bool pauses) {
        EXPECT_FALSE(bench.measure());
        const auto request = bench.compactor().request();
        EXPECT_EQ(request->end, Position(kPrefix));
        if (pauses) {
            bench.expectContinues(options);
            EXPECT_EQ(bench.compactor().request(), request) << "the same reading";
        }
        EXPECT_FALSE(bench.compactor().read(bench.cache(), reading(*request)));
        const auto report = bench.measure();
        EXPECT_TRUE(report && report->result == CompactionResult::Done);
        if (!pauses) appendChunks(bench, kLater, options);
    };
    Measured plain(options), paused(options);
    compacted(plain, false);
    compacted(paused, true);
    expectSameContent(paused.cache(), plain.cache());
}

TEST(PausedMeasurement, keptTokens_shareTheirRows) {
    Measured bench(evicting(EvictionPolicy::KeyDiff));
    EXPECT_EQ(bench.compactor().pausedBytes(bench.cache()), 0);
    ASSERT_TRUE(bench.compactor().pauseMeasuring(bench.cache()));
    EXPECT_EQ(bench.compactor().pausedBytes(bench.cache()), 0) << "until a head grows";
    bench.append(4 * kPrefix, bench.options);
    EXPECT_EQ(bench.compactor().measuredCache(bench.cache()).offset(), Position(kPrefix));
    EXPECT_GT(bench.compactor().pausedBytes(bench.cache()), 0);
    ASSERT_TRUE(bench.compactor().abort(CompactionReason::MemoryRanOut));
    EXPECT_EQ(bench.compactor().pausedBytes(bench.cache()), 0);
}

}  // namespace
}  // namespace lacuna::test
