// Sources of the queries that a compaction is fitted to: the reading requested from the engine, its
// replacement if it is unavailable, and that every replacement is reported.

#include "engine/compress/driver/query_source.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <tuple>
#include <utility>

#include "compactor_fixture.h"
#include "tests/support/compaction_notes.h"

namespace lacuna {
namespace {

using test::Bench;
using test::kModel;
using test::kShape;
using test::l2;
using test::matching;

constexpr QueryShape kQueries{.layers = 2, .heads = 4, .kvHeads = 2, .keyDim = 8};

/// Returns options with slots divided by coverage; auto would request a repetition of the text.
KvOptions judgedBy(QuerySource source) {
    KvOptions options = matching(4);
    options.querySource = source;
    options.headBudgets = HeadBudgets::Coverage;
    return options;
}

/// Returns the queries of the bench for tokens at `first` and after.
ReferenceQueries queriesLike(std::uint64_t seed, int tokens, int newest = 0, int first = 0) {
    ReferenceQueries queries(kQueries, kModel.seed, newest);
    for (int layer = 0; layer < kQueries.layers; ++layer) {
        std::vector<float> rows;
        for (int i = 0; i < tokens; ++i) {
            RandomStream random(seed, static_cast<std::uint64_t>(first + i));
            for (int n = 0; n < kQueries.heads * kQueries.keyDim; ++n)
                rows.push_back(static_cast<float>(random.normal()));
        }
        queries.observeQueries(LayerIndex(layer),
                               {rows.data(), {tokens, kQueries.heads, kQueries.keyDim}},
                               Position(first));
    }
    return queries;
}

/// A requested compaction of 300 tokens whose own queries have seed 77.
struct Compacted {
    CompactionReport report;
    std::string state;
    std::vector<QueryRequest> requests;
};

Compacted compactWith(const KvOptions& options,
                      const std::function<Result<ReferenceQueries>(const QueryRequest&)>& read,
                      int threads = 1, const KvOptions& whileReading = matching(4)) {
    Bench bench(kShape, threads);
    bench.append(300, whileReading);
    Compacted out;
    QueryReader reader;
    if (read)
        reader = [&](const QueryRequest& request) {
            out.requests.push_back(request);
            return read(request);
        };
    out.report = bench.compactor().compact(bench.cache(), options, {.reader = reader});
    bench.cache().checkInvariants();
    out.state = bench.cache().save().value();
    return out;
}

TEST(QuerySource, captured_makesNoPass_andReportsNothing) {
    const Compacted found = compactWith(judgedBy(QuerySource::Captured), [](const QueryRequest&) {
        return Result<ReferenceQueries>(queriesLike(1, 300));
    });
    ASSERT_EQ(found.report.result, CompactionResult::Done) << found.report.notes;
    EXPECT_GT(found.report.slotsBefore, found.report.slotsAfter);
    EXPECT_TRUE(found.requests.empty());
    EXPECT_EQ(found.report.queriesMs, 0);
    EXPECT_TRUE(found.report.notes.empty());
}

TEST(QuerySource, unobservedRows_areReread) {
    const auto unseen = judgedBy(QuerySource::Context);
    const Compacted found = compactWith(
        judgedBy(QuerySource::Captured),
        [](const QueryRequest&) {
            return Result<ReferenceQueries>(queriesLike(77, 300, ReferenceQueries::kNewest));
        },
        1, unseen);
    ASSERT_EQ(found.report.result, CompactionResult::Done) << found.report.notes;
    ASSERT_EQ(found.requests.size(), 1U);
    EXPECT_EQ(found.requests[0].source, QuerySource::Context);
    EXPECT_TRUE(mentions(found.report.notes, CompactionReason::CapturedFewQueries))
        << found.report.notes;
    EXPECT_TRUE(mentions(found.report.notes, CompactionReason::QueriesFromReading))
        << found.report.notes;
    EXPECT_GT(found.report.referenceQueries, 0);
    EXPECT_GT(found.report.queriesMs, 0);
    // The result is that of captured queries.
    EXPECT_EQ(found.state, compactWith(matching(4), {}).state);
    const Compacted refused = compactWith(
        judgedBy(QuerySource::Captured),
        [](const QueryRequest&) {
            return Result<ReferenceQueries>(fail(ErrorCode::NoMemory, "no room for its cache"));
        },
        1, unseen);
    ASSERT_EQ(refused.report.result, CompactionResult::Done);
    EXPECT_TRUE(tellsError(refused.report.notes, "no room for its cache")) << refused.report.notes;
    EXPECT_TRUE(mentions(refused.report.notes, CompactionReason::TooFewQueriesToMatch))
        << refused.report.notes;
}

TEST(QuerySource, rereadQueries_serveTheNextCompaction) {
    const KvOptions options = judgedBy(QuerySource::Captured);
    Bench bench;
    bench.append(300, judgedBy(QuerySource::Context));
    EXPECT_TRUE(bench.compactor().readsText(bench.cache(), options));
    int readings = 0;
    const QueryReader reader = [&](const QueryRequest& request) -> Result<TextReading> {
        ++readings;
        return queriesLike(77, request.end.value);
    };
    ASSERT_EQ(bench.compactor().compact(bench.cache(), options, {.reader = reader}).result,
              CompactionResult::Done);
    EXPECT_FALSE(bench.compactor().readsText(bench.cache(), options));
    bench.append(40, options);
    const CompactionReport next =
        bench.compactor().compact(bench.cache(), options, {.reader = reader});
    ASSERT_EQ(next.result, CompactionResult::Done) << next.notes;
    EXPECT_EQ(readings, 1);
    EXPECT_TRUE(next.notes.empty());
    // Removed tokens are forgotten.
    bench.compactor().dropFrom(Position(20));
    EXPECT_TRUE(bench.compactor().readsText(bench.cache(), options));
}

TEST(QuerySource, context_fitsToTheQueriesOfThePass) {
    for (const QuerySource source : {QuerySource::Context, QuerySource::Repeat}) {
        const Compacted found = compactWith(judgedBy(source), [](const QueryRequest&) {
            return Result<ReferenceQueries>(queriesLike(77, 300, ReferenceQueries::kNewest));
        });
        ASSERT_EQ(found.report.result, CompactionResult::Done) << found.report.notes;
        ASSERT_EQ(found.requests.size(), 1U);
        EXPECT_EQ(found.requests[0].source, source);
        EXPECT_EQ(found.requests[0].end, Position(300));
        EXPECT_EQ(found.requests[0].turn, Position(0));
        EXPECT_EQ(found.requests[0].shape, kQueries);
        EXPECT_GT(found.report.queriesMs, 0);
        EXPECT_LE(found.report.queriesMs, found.report.totalMs);
        EXPECT_TRUE(mentions(found.report.notes, source == QuerySource::Repeat
                                                     ? CompactionReason::QueriesFromRepetition
                                                     : CompactionReason::QueriesFromReading))
            << found.report.notes;
        // Equal queries give an equal cache, whatever their source.
        EXPECT_EQ(found.state, compactWith(matching(4), {}).state);
        const Compacted other = compactWith(judgedBy(source), [](const QueryRequest&) {
            return Result<ReferenceQueries>(queriesLike(5, 300, ReferenceQueries::kNewest));
        });
        EXPECT_NE(other.state, found.state);
    }
}

TEST(QuerySource, otherSources_observeNothing) {
    Bench bench;
    EXPECT_NE(bench.compactor().observer(bench.cache(), judgedBy(QuerySource::Captured)), nullptr);
    for (const QuerySource source :
         {QuerySource::Context, QuerySource::Repeat, QuerySource::Random})
        EXPECT_EQ(bench.compactor().observer(bench.cache(), judgedBy(source)), nullptr);
}

TEST(QuerySource, failedRepeat_fallsBackToContext_andReportsIt) {
    const Compacted found =
        compactWith(judgedBy(QuerySource::Repeat), [](const QueryRequest& request) {
            if (request.source == QuerySource::Context)
                return Result<ReferenceQueries>(queriesLike(9, 300));
            return Result<ReferenceQueries>(
                fail(ErrorCode::ContextFull, "the context is too short"));
        });
    ASSERT_EQ(found.report.result, CompactionResult::Done) << found.report.notes;
    ASSERT_EQ(found.requests.size(), 2U);
    EXPECT_EQ(found.requests[0].source, QuerySource::Repeat);
    EXPECT_EQ(found.requests[1].source, QuerySource::Context);
    EXPECT_TRUE(mentions(found.report.notes, CompactionReason::NoQueriesByRepetition))
        << found.report.notes;
    EXPECT_TRUE(tellsError(found.report.notes, "the context is too short")) << found.report.notes;
    EXPECT_TRUE(mentions(found.report.notes, CompactionReason::QueriesFromReading))
        << found.report.notes;
}

TEST(QuerySource, noPass_fallsBackToCaptured_andReportsIt) {
    const auto refuse = [](const QueryRequest&) {
        return Result<ReferenceQueries>(fail(ErrorCode::NoMemory, "no room for its cache"));
    };
    for (const QuerySource source : {QuerySource::Context, QuerySource::Repeat}) {
        const Compacted refused = compactWith(judgedBy(source), refuse);
        ASSERT_EQ(refused.report.result, CompactionResult::Done);
        EXPECT_TRUE(tellsError(refused.report.notes, "no room for its cache"))
            << refused.report.notes;
        EXPECT_EQ(refused.state, compactWith(matching(4), {}).state);
        const Compacted nobody = compactWith(judgedBy(source), {});
        EXPECT_TRUE(tellsError(nobody.report.notes, "no forward pass is possible now"));
        EXPECT_EQ(nobody.state, refused.state);
    }
    // There are no captured queries either. The ratio still holds.
    const Compacted bare =
        compactWith(judgedBy(QuerySource::Context), refuse, 1, judgedBy(QuerySource::Context));
    ASSERT_EQ(bare.report.result, CompactionResult::Done);
    EXPECT_GT(bare.report.slotsBefore, bare.report.slotsAfter);
    EXPECT_TRUE(mentions(bare.report.notes, CompactionReason::TooFewQueriesToMatch))
        << bare.report.notes;
}

TEST(QuerySource, tooFewQueries_failThePass) {
    const Compacted found = compactWith(judgedBy(QuerySource::Context), [](const QueryRequest&) {
        return Result<ReferenceQueries>(queriesLike(1, kMinQueryTokens - 1));
    });
    EXPECT_TRUE(mentions(found.report.notes, CompactionReason::NoQueriesByReading));
    EXPECT_TRUE(tellsError(found.report.notes, "at least 16 are needed")) << found.report.notes;
    EXPECT_EQ(found.state, compactWith(matching(4), {}).state);
}

TEST(QuerySource, cancelledPass_changesNothing) {
    Bench bench;
    bench.append(300, matching(4));
    const std::string before = bench.cache().save().value();
    const QueryReader cancelled = [](const QueryRequest&) {
        return Result<ReferenceQueries>(fail(ErrorCode::Cancelled, "stopped"));
    };
    KvOptions options = judgedBy(QuerySource::Repeat);
    options.background = false;
    const auto report = bench.compactor().afterStep(bench.cache(), options, {.reader = cancelled});
    ASSERT_TRUE(report);
    EXPECT_EQ(report->result, CompactionResult::Aborted);
    EXPECT_EQ(report->slotsAfter, report->slotsBefore);
    EXPECT_TRUE(mentions(report->notes, CompactionReason::QueriesCancelled)) << report->notes;
    EXPECT_EQ(bench.cache().save().value(), before);
    // It is still due.
    const auto again =
        bench.compactor().afterStep(bench.cache(), options, {.reader = [](const QueryRequest&) {
                                        return Result<ReferenceQueries>(queriesLike(9, 300));
                                    }});
    ASSERT_TRUE(again);
    EXPECT_EQ(again->result, CompactionResult::Done) << again->notes;
}

TEST(QuerySource, recordedAbort_isAppliedOnce_andOnlyToAPass) {
    Bench bench;
    bench.append(300, matching(4));
    int passes = 0;
    const QueryReader reader = [&](const QueryRequest&) {
        ++passes;
        return Result<ReferenceQueries>(queriesLike(9, 300));
    };
    const KvOptions options = judgedBy(QuerySource::Context);
    const auto first = bench.compactor().compact(
        bench.cache(), options, {.policy = BackgroundPolicy::Cancel, .reader = reader});
    EXPECT_EQ(first.result, CompactionResult::Aborted);
    EXPECT_EQ(passes, 0);
    const auto second = bench.compactor().compact(bench.cache(), options, {.reader = reader});
    EXPECT_EQ(second.result, CompactionResult::Done);
    EXPECT_EQ(passes, 1);
}

/// Returns scores of a repetition of `tokens` tokens: every third token gets attention, most of it
/// in head (1, 1).
TextReading repeated(int tokens) {
    ReconstructionScores scores{
        .layers = 2, .kvHeads = 2, .tokens = tokens, .shares = {}, .pieces = 3};
    for (int head = 0; head < 4; ++head)
        for (int j = 0; j < tokens; ++j)
            scores.shares.push_back(j % 3 == 0 ? (head == 3 ? 0.9F : 0.2F)
                                               : (head == 3 ? 0.3F : 0.01F));
    TextReading reading(queriesLike(77, 300));
    reading.scores = std::make_shared<const ReconstructionScores>(std::move(scores));
    return reading;
}

KvOptions reconstructing(int budget) {
    KvOptions options = l2(budget, 8);
    options.evictionPolicy = EvictionPolicy::Reconstruct;
    return options;
}

TEST(Repetition, eviction_keepsTokensAttendedToByAnyHead) {
    Bench bench;
    KvOptions options = reconstructing(60);
    bench.append(300, options);
    EXPECT_EQ(bench.compactor().observer(bench.cache(), options), nullptr) << "nothing is watched";
    QueryRequest asked;
    const QueryReader reader = [&](const QueryRequest& request) -> Result<TextReading> {
        asked = request;
        return repeated(300);
    };
    const CompactionReport report =
        bench.compactor().compact(bench.cache(), options, {.reader = reader});
    ASSERT_EQ(report.result, CompactionResult::Done) << report.notes;
    EXPECT_TRUE(mentions(report.notes, CompactionReason::ScoredByRepetition)) << report.notes;
    EXPECT_GT(report.queriesMs, 0);
    EXPECT_EQ(asked.source, QuerySource::Repeat);
    EXPECT_NE(asked.scoredOn, nullptr);
    EXPECT_EQ(asked.end, Position(300));
    EXPECT_EQ(report.slotsAfter, 4 * 60);
    // 12 slots of every head are protected. Head (1, 1) has the 96 best competing tokens and the
    // next best ones, so it gets all remaining 192.
    EXPECT_EQ(bench.cache().slots(LayerIndex(1), HeadIndex(1)), 12 + 192);
    EXPECT_EQ(bench.cache().slots(LayerIndex(0), HeadIndex(0)), 12);
    // With equal heads on request, each keeps every third token.
    Bench other;
    options.evictionBudgets = EvictionBudgets::Equal;
    other.append(300, options);
    ASSERT_EQ(other.compactor().compact(other.cache(), options, {.reader = reader}).result,
              CompactionResult::Done);
    for (int head = 0; head < 4; ++head) {
        const KvHeadView view = other.cache().head(LayerIndex(head / 2), HeadIndex(head % 2));
        EXPECT_EQ(other.cache().slots(LayerIndex(head / 2), HeadIndex(head % 2)), 60);
        for (int j = 0; j < view.slots; ++j) {
            if (view.bias != nullptr && std::isinf(view.bias[j])) continue;
            const std::int32_t position = view.positions[j];
            EXPECT_TRUE(position % 3 == 0 || position < 4 || position >= 292) << position;
        }
    }
}

TEST(Repetition, unavailableRepetition_fallsBackToKeyDiff_andReportsIt) {
    const QueryReader none;
    const QueryReader noRoom = [](const QueryRequest&) -> Result<TextReading> {
        return fail(ErrorCode::NoMemory, "its cache would take 9 MiB");
    };
    const QueryReader tooLong = [](const QueryRequest&) -> Result<TextReading> {
        return fail(ErrorCode::ContextFull, "the context of the model has room for 7");
    };
    std::string state;
    for (const auto& [reader, why] :
         {std::pair<const QueryReader*, const char*>{&none, "no forward pass"},
          {&noRoom, "would take 9 MiB"},
          {&tooLong, "has room for 7"}}) {
        Bench bench;
        bench.append(300, reconstructing(60));
        const CompactionReport report =
            bench.compactor().compact(bench.cache(), reconstructing(60), {.reader = *reader});
        ASSERT_EQ(report.result, CompactionResult::Done) << report.notes;
        EXPECT_TRUE(mentions(report.notes, CompactionReason::NoRepetitionScores)) << report.notes;
        EXPECT_TRUE(tellsError(report.notes, why)) << report.notes;
        EXPECT_TRUE(mentions(report.notes, CompactionReason::KeyDiffInstead)) << report.notes;
        EXPECT_TRUE(mentions(report.notes, CompactionReason::EqualSlots)) << report.notes;
        EXPECT_EQ(bench.cache().slots(LayerIndex(1), HeadIndex(1)), 60);

        KvOptions am = matching(4);
        am.headBudgets = HeadBudgets::Reconstruction;
        am.background = false;
        Bench fitted;
        fitted.append(300, am);
        const CompactionReport other =
            fitted.compactor().compact(fitted.cache(), am, {.reader = *reader});
        ASSERT_EQ(other.result, CompactionResult::Done) << other.notes;
        EXPECT_TRUE(tellsError(other.notes, why)) << other.notes;
        EXPECT_TRUE(mentions(other.notes, CompactionReason::DividedByCoverage)) << other.notes;
        KvOptions coverage = am;
        coverage.headBudgets = HeadBudgets::Coverage;
        Bench plain;
        plain.append(300, coverage);
        ASSERT_EQ(plain.compactor().compact(plain.cache(), coverage).result,
                  CompactionResult::Done);
        EXPECT_EQ(fitted.cache().save().value(), plain.cache().save().value());
    }
}

TEST(Repetition, cancelledRepetition_changesNothing) {
    const QueryReader cancelled = [](const QueryRequest&) -> Result<TextReading> {
        return fail(ErrorCode::Cancelled, "stopped");
    };
    KvOptions am = matching(4);
    am.headBudgets = HeadBudgets::Reconstruction;
    for (const KvOptions& options : {reconstructing(60), am}) {
        Bench bench;
        bench.append(300, options);
        const std::string before = bench.cache().save().value();
        const CompactionReport report =
            bench.compactor().compact(bench.cache(), options, {.reader = cancelled});
        EXPECT_EQ(report.result, CompactionResult::Aborted) << report.notes;
        EXPECT_EQ(bench.cache().save().value(), before);
    }
}

TEST(Repetition, matching_dividesByShares_andUsesItsQueriesOnRequest) {
    int readings = 0;
    const QueryReader reader = [&](const QueryRequest&) -> Result<TextReading> {
        ++readings;
        return repeated(300);
    };
    for (const QuerySource source : {QuerySource::Captured, QuerySource::Repeat}) {
        KvOptions options = judgedBy(source);
        options.headBudgets = HeadBudgets::Reconstruction;
        options.background = false;
        Bench bench;
        bench.append(300, options);
        readings = 0;
        const CompactionReport report =
            bench.compactor().compact(bench.cache(), options, {.reader = reader});
        ASSERT_EQ(report.result, CompactionResult::Done) << report.notes;
        EXPECT_EQ(readings, 1) << "one repetition serves both";
        EXPECT_TRUE(mentions(report.notes, CompactionReason::ScoredByRepetition)) << report.notes;
        EXPECT_EQ(mentions(report.notes, CompactionReason::QueriesFromCapture),
                  source == QuerySource::Repeat);
        EXPECT_EQ(report.slotsAfter, 4 * 75);
        EXPECT_GT(bench.cache().slots(LayerIndex(1), HeadIndex(1)),
                  2 * bench.cache().slots(LayerIndex(0), HeadIndex(0)));
    }
}

// --- what auto divides by ----------------------------------------------------------------------

/// Returns a model whose profile gives the first head a high loss and whose surrogate the last one.
CompactorModel predictedModel() {
    auto map = std::make_shared<ReconstructionSurrogate>();
    map->layers = 2;
    map->kvHeads = 2;
    map->hidden = test::kHidden;
    map->weights.assign(std::size_t{4} * test::kHidden, 0.0F);
    map->bias = {-6.0F, -6.0F, -6.0F, -0.1F};
    HeadProfile measured{.layers = 2, .kvHeads = 2, .loss = {1.0F, 0.0F, 0.0F, 0.0F}};
    CompactorModel model = kModel;
    model.profiles.add(std::move(measured));
    model.profiles.surrogate = std::move(map);
    return model;
}

constexpr int kFirstHead = 0, kLastHead = 3;

/// Returns the index of the head with the most slots after a requested compaction.
int largestHead(Bench& bench, const KvOptions& options, CompactionReport& report) {
    report = bench.compactor().compact(bench.cache(), options, {});
    EXPECT_EQ(report.result, CompactionResult::Done) << report.notes;
    EXPECT_LT(report.slotsAfter, report.slotsBefore);
    int largest = 0;
    for (int head = 0; head < 4; ++head)
        if (bench.cache().slots(LayerIndex(head / 2), HeadIndex(head % 2)) >
            bench.cache().slots(LayerIndex(largest / 2), HeadIndex(largest % 2)))
            largest = head;
    return largest;
}

// The profile of this model prefers the first head, the surrogate the last.
TEST(AutomaticBudgets, predictedText_averagesItsScoresAndTheProfile) {
    for (const double ratio : {2.0, 4.0, 16.0}) {
        Bench bench(kShape, 1, predictedModel());
        const KvOptions options = matching(ratio);
        bench.append(640, options);
        CompactionReport report;
        largestHead(bench, options, report);
        EXPECT_TRUE(mentions(report.notes, CompactionReason::ScoresPredicted)) << report.notes;
        const auto slots = [&](int head) {
            return bench.cache().slots(LayerIndex(head / 2), HeadIndex(head % 2));
        };
        for (const int other : {1, 2}) {
            EXPECT_GT(slots(kFirstHead), slots(other)) << ratio;
            EXPECT_GT(slots(kLastHead), slots(other)) << ratio;
        }
    }
}

TEST(AutomaticBudgets, partlyReadText_usesTheProfile_andReportsIt) {
    Bench bench(kShape, 1, predictedModel());
    ASSERT_TRUE(test::append(bench.cache(), 100));
    const KvOptions options = matching(4);
    bench.append(300, options);
    CompactionReport report;
    EXPECT_EQ(largestHead(bench, options, report), kFirstHead);
    EXPECT_TRUE(mentions(report.notes, CompactionReason::SurrogateBehind)) << report.notes;
    EXPECT_TRUE(mentions(report.notes, CompactionReason::DividedByTaskFree)) << report.notes;
}

TEST(AutomaticBudgets, missingProfile_usesPredictedScoresOnly_withoutRepetition) {
    CompactorModel unmeasured = predictedModel();
    unmeasured.profiles.taskFree = nullptr;
    KvOptions repeated = matching(4);
    repeated.scoreSource = ScoreSource::Repetition;
    for (const auto& [model, options, predicted] :
         {std::tuple(unmeasured, matching(4), true),
          std::tuple(predictedModel(), repeated, false)}) {
        Bench bench(kShape, 1, model);
        bench.append(300, options);
        CompactionReport report;
        largestHead(bench, options, report);
        EXPECT_EQ(mentions(report.notes, CompactionReason::ScoresPredicted), predicted)
            << report.notes;
    }
}

/// Returns a bench with compactions in the background.
Bench besideBench() {
    CompactorModel model = kModel;
    model.backgroundThreads = 1;
    return Bench(kShape, 1, model);
}

CompactionReport askedFor(Bench& bench, const KvOptions& options) {
    return bench.compactor().compact(bench.cache(), options,
                                     {.mode = CompactionCall::Mode::Background});
}

TEST(RereadInBackground, reread_isRequested_andTheFitFollowsIt) {
    Bench bench = besideBench();
    const KvOptions options = judgedBy(QuerySource::Context);
    bench.append(300, options);
    const CompactionReport started = askedFor(bench, options);
    ASSERT_EQ(started.result, CompactionResult::Started) << started.notes;
    EXPECT_EQ(started.queriesMs, 0) << "nothing was read yet";
    Compactor& compactor = bench.compactor();
    const auto request = compactor.request();
    ASSERT_NE(request, nullptr);
    EXPECT_EQ(request, compactor.request());
    EXPECT_EQ(request->source, QuerySource::Context);
    EXPECT_EQ(request->end, Position(300));
    EXPECT_TRUE(compactor.busy());
    compactor.reportReading(0.43, 70);
    CompactionState state = compactor.state(bench.cache(), options);
    EXPECT_TRUE(state.background);
    EXPECT_DOUBLE_EQ(state.progress, 0.43);
    EXPECT_EQ(state.phase, CompactionPhase::Reading);
    compactor.reportReading(1, 5e6);
    EXPECT_FALSE(compactor.read(bench.cache(), queriesLike(77, 300, ReferenceQueries::kNewest)));
    EXPECT_EQ(compactor.request(), nullptr);
    state = compactor.state(bench.cache(), options);
    EXPECT_EQ(state.phase, CompactionPhase::Compacting);
    const auto done = compactor.settle(bench.cache(), BackgroundPolicy::Wait);
    ASSERT_TRUE(done);
    EXPECT_EQ(done->result, CompactionResult::Done) << done->notes;
    EXPECT_TRUE(done->background);
    EXPECT_EQ(done->queriesMs, 5e6 + 70);
    EXPECT_GT(done->backgroundMs, 5e6 + 70);
    EXPECT_LT(done->stallMs, 5e6) << "nobody waited for the reading";
    EXPECT_EQ(bench.cache().save().value(), compactWith(matching(4), {}).state);
}

KvOptions automatic(CompactionMethod method) {
    KvOptions options = reconstructing(60);
    options.evictionPolicy = EvictionPolicy::Auto;
    if (method == CompactionMethod::AttentionMatching) options = matching(4);
    return options;
}

TEST(AutomaticScores, noSurrogate_whileIdle_usesARepetition) {
    for (const auto method : {CompactionMethod::Eviction, CompactionMethod::AttentionMatching}) {
        const KvOptions options = automatic(method);
        Bench bench = besideBench();
        bench.append(300, options);
        const auto started = bench.compactor().afterTurn(bench.cache(), options);
        ASSERT_TRUE(started);
        ASSERT_EQ(started->result, CompactionResult::Started) << started->notes;
        ASSERT_NE(bench.compactor().request(), nullptr);
        EXPECT_NE(bench.compactor().request()->scoredOn, nullptr);
        auto done = bench.compactor().read(bench.cache(), repeated(300));
        if (!done) done = bench.compactor().settle(bench.cache(), BackgroundPolicy::Wait);
        ASSERT_TRUE(done);
        ASSERT_EQ(done->result, CompactionResult::Done) << done->notes;
        EXPECT_TRUE(mentions(done->notes, CompactionReason::ScoredByRepetition)) << done->notes;
        // The result equals that of the named policy.
        KvOptions named = options;
        named.evictionPolicy = EvictionPolicy::Reconstruct;
        named.headBudgets = HeadBudgets::Reconstruction;
        Bench other;
        other.append(300, named);
        const QueryReader reader = [](const QueryRequest&) -> Result<TextReading> {
            return repeated(300);
        };
        ASSERT_EQ(other.compactor().compact(other.cache(), named, {.reader = reader}).result,
                  CompactionResult::Done);
        EXPECT_EQ(bench.cache().save().value(), other.cache().save().value());
        // Heads that differ in size on purpose do not exceed the budget.
        EXPECT_FALSE(bench.compactor().state(bench.cache(), options).due);
    }
}

TEST(AutomaticScores, compactionDuringAnAnswer_makesNoRepetition) {
    for (const auto method : {CompactionMethod::Eviction, CompactionMethod::AttentionMatching}) {
        const KvOptions options = automatic(method);
        Bench bench = besideBench();
        bench.append(300, options);
        int readings = 0;
        const QueryReader reader = [&](const QueryRequest&) -> Result<TextReading> {
            ++readings;
            return repeated(300);
        };
        auto done = bench.compactor().afterStep(bench.cache(), options, {.reader = reader});
        ASSERT_TRUE(done);
        if (done->result == CompactionResult::Started)
            done = bench.compactor().settle(bench.cache(), BackgroundPolicy::Wait);
        ASSERT_TRUE(done);
        EXPECT_EQ(done->result, CompactionResult::Done) << done->notes;
        EXPECT_EQ(readings, 0);
        EXPECT_FALSE(mentions(done->notes, CompactionReason::ScoredByRepetition)) << done->notes;
    }
}

TEST(AutomaticScores, immediateRequest_repeatsUnlessMemoryIsShort) {
    for (const auto cause : {CompactionCause::Manual, CompactionCause::MemoryLimit}) {
        const KvOptions options = automatic(CompactionMethod::AttentionMatching);
        Bench bench;
        bench.append(300, options);
        int readings = 0;
        const QueryReader reader = [&](const QueryRequest&) -> Result<TextReading> {
            ++readings;
            return fail(ErrorCode::NoMemory, "its cache would take 9 MiB");
        };
        const CompactionReport report =
            bench.compactor().compact(bench.cache(), options, {.cause = cause, .reader = reader});
        ASSERT_EQ(report.result, CompactionResult::Done) << report.notes;
        const bool reads = cause == CompactionCause::Manual;
        EXPECT_EQ(readings, reads ? 1 : 0);
        EXPECT_EQ(tellsError(report.notes, "its cache would take 9 MiB"), reads) << report.notes;
        EXPECT_EQ(mentions(report.notes, CompactionReason::DividedByCoverage), reads)
            << report.notes;
    }
}

TEST(RereadInBackground, eviction_runsWithTheLastReading) {
    const KvOptions options = reconstructing(60);
    Bench bench = besideBench();
    bench.append(300, options);
    ASSERT_EQ(askedFor(bench, options).result, CompactionResult::Started);
    ASSERT_NE(bench.compactor().request(), nullptr);
    EXPECT_NE(bench.compactor().request()->scoredOn, nullptr);
    const auto done = bench.compactor().read(bench.cache(), repeated(300));
    ASSERT_TRUE(done);
    EXPECT_EQ(done->result, CompactionResult::Done) << done->notes;
    EXPECT_TRUE(done->background);
    EXPECT_FALSE(bench.compactor().busy());
    Bench atOnce;
    atOnce.append(300, options);
    const QueryReader reader = [](const QueryRequest&) -> Result<TextReading> {
        return repeated(300);
    };
    const CompactionReport plain =
        atOnce.compactor().compact(atOnce.cache(), options, {.reader = reader});
    EXPECT_EQ(done->notes, plain.notes);
    EXPECT_EQ(bench.cache().save().value(), atOnce.cache().save().value());
}

TEST(RereadInBackground, twoReadings_areRequestedInOrder) {
    KvOptions options = judgedBy(QuerySource::Context);
    options.headBudgets = HeadBudgets::Reconstruction;
    Bench bench = besideBench();
    bench.append(300, options);
    ASSERT_EQ(askedFor(bench, options).result, CompactionResult::Started);
    const auto first = bench.compactor().request();
    EXPECT_EQ(first->source, QuerySource::Repeat);
    bench.compactor().reportReading(1, 5);
    ASSERT_FALSE(bench.compactor().read(bench.cache(), repeated(300)));
    const auto second = bench.compactor().request();
    ASSERT_NE(second, nullptr);
    EXPECT_NE(second, first);
    EXPECT_EQ(second->source, QuerySource::Context);
    EXPECT_EQ(bench.compactor().state(bench.cache(), options).progress, 0);
    ASSERT_FALSE(bench.compactor().read(bench.cache(), queriesLike(5, 300)));
    EXPECT_EQ(bench.compactor().request(), nullptr);
    const auto done = bench.compactor().settle(bench.cache(), BackgroundPolicy::Wait);
    ASSERT_TRUE(done);
    EXPECT_EQ(done->result, CompactionResult::Done) << done->notes;
    Bench atOnce;
    atOnce.append(300, options);
    const QueryReader reader = [](const QueryRequest& request) -> Result<TextReading> {
        if (request.scoredOn != nullptr) return repeated(300);
        return TextReading(queriesLike(5, 300));
    };
    const CompactionReport plain =
        atOnce.compactor().compact(atOnce.cache(), options, {.reader = reader});
    EXPECT_EQ(done->notes, plain.notes);
    EXPECT_EQ(bench.cache().save().value(), atOnce.cache().save().value());
}

TEST(RereadInBackground, failedReread_fallsBackToTheNextSource_withTheSameNote) {
    const auto noRoom = [] {
        return Result<TextReading>(fail(ErrorCode::NoMemory, "its cache would take 9 MiB"));
    };
    Bench bench = besideBench();
    bench.append(300, reconstructing(60));
    ASSERT_EQ(askedFor(bench, reconstructing(60)).result, CompactionResult::Started);
    const auto done = bench.compactor().read(bench.cache(), noRoom());
    ASSERT_TRUE(done);
    Bench atOnce;
    atOnce.append(300, reconstructing(60));
    const QueryReader reader = [&](const QueryRequest&) { return noRoom(); };
    const CompactionReport plain =
        atOnce.compactor().compact(atOnce.cache(), reconstructing(60), {.reader = reader});
    EXPECT_EQ(done->result, CompactionResult::Done);
    EXPECT_EQ(done->notes, plain.notes);
    EXPECT_EQ(bench.cache().save().value(), atOnce.cache().save().value());
}

TEST(RereadInBackground, cancelledReread_leavesTheCache_andIsRequestedAgain) {
    const KvOptions options = reconstructing(60);
    const std::vector<std::function<std::optional<CompactionReport>(Bench&)>> ends{
        [](Bench& bench) { return bench.compactor().abort(CompactionReason::Stopped); },
        [](Bench& bench) {
            return bench.compactor().read(bench.cache(), fail(ErrorCode::Cancelled, "stopped"));
        },
        [&](Bench& bench) {
            bench.append(1, options);
            return bench.compactor().afterStep(bench.cache(), options);
        },
        [&](Bench& bench) {
            EXPECT_TRUE(bench.cache().rollback(1));
            bench.compactor().dropFrom(bench.cache().offset());
            return bench.compactor().settle(bench.cache());
        },
    };
    for (const auto& end : ends) {
        Bench bench = besideBench();
        bench.append(300, options);
        EXPECT_FALSE(bench.compactor().afterStep(bench.cache(), options)) << "it waits for a pause";
        EXPECT_TRUE(bench.compactor().waitsForPause(bench.cache(), options));
        EXPECT_TRUE(bench.compactor().state(bench.cache(), options).due);
        auto started = bench.compactor().afterTurn(bench.cache(), options);
        ASSERT_TRUE(started);
        EXPECT_EQ(started->result, CompactionResult::Started);
        const auto ended = end(bench);
        ASSERT_TRUE(ended);
        EXPECT_EQ(ended->result, CompactionResult::Aborted) << ended->notes;
        EXPECT_EQ(ended->slotsAfter, ended->slotsBefore);
        EXPECT_EQ(bench.compactor().request(), nullptr);
        EXPECT_FALSE(bench.compactor().busy());
        EXPECT_EQ(bench.cache().stats().compactions, 0);
        started = bench.compactor().afterTurn(bench.cache(), options);
        ASSERT_TRUE(started);
        EXPECT_EQ(started->result, CompactionResult::Started) << started->notes;
        const int tokens = bench.cache().offset().value;
        const auto done = bench.compactor().read(bench.cache(), repeated(tokens));
        ASSERT_TRUE(done);
        EXPECT_EQ(done->result, CompactionResult::Done) << done->notes;
    }
}

TEST(RereadInBackground, rollbackOfNewerTokens_keepsTheReread) {
    Bench bench = besideBench();
    bench.append(300, reconstructing(60));
    ASSERT_EQ(askedFor(bench, reconstructing(60)).result, CompactionResult::Started);
    bench.compactor().dropFrom(Position(300));
    EXPECT_NE(bench.compactor().request(), nullptr);
    EXPECT_EQ(askedFor(bench, reconstructing(60)).result, CompactionResult::Skipped)
        << "one is under way";
    EXPECT_NE(bench.compactor().request(), nullptr);
}

TEST(RereadInBackground, memoryLimit_cancelsTheReread_andFallsBack) {
    Bench bench = besideBench();
    bench.append(300, reconstructing(60));
    ASSERT_EQ(askedFor(bench, reconstructing(60)).result, CompactionResult::Started);
    const CompactionReport forced = bench.compactor().compact(
        bench.cache(), reconstructing(60), {.cause = CompactionCause::MemoryLimit});
    EXPECT_EQ(forced.result, CompactionResult::Done);
    EXPECT_TRUE(tellsError(forced.notes, "no forward pass is possible now")) << forced.notes;
    const auto ended = bench.compactor().settle(bench.cache());
    ASSERT_TRUE(ended);
    EXPECT_EQ(ended->result, CompactionResult::Aborted);
    EXPECT_EQ(bench.compactor().request(), nullptr);
}

TEST(RereadInBackground, profileMeasuredMeanwhile_appliesToLaterCompactions) {
    KvOptions options = judgedBy(QuerySource::Context);
    options.headBudgets = HeadBudgets::TaskFree;
    const auto state = [&](bool meanwhile) {
        Bench bench = besideBench();
        bench.append(300, options);
        EXPECT_EQ(askedFor(bench, options).result, CompactionResult::Started);
        HeadProfile profile;
        profile.layers = 2;
        profile.kvHeads = 2;
        profile.loss = {1.0F, 0.0F, 0.0F, 0.0F};
        HeadProfiles measured;
        measured.taskFree = std::make_shared<const HeadProfile>(profile);
        if (meanwhile) bench.compactor().use(measured);
        EXPECT_FALSE(bench.compactor().read(bench.cache(), queriesLike(5, 300)));
        if (!meanwhile) bench.compactor().use(measured);
        const auto done = bench.compactor().settle(bench.cache(), BackgroundPolicy::Wait);
        EXPECT_TRUE(done && done->result == CompactionResult::Done);
        return bench.cache().save().value();
    };
    EXPECT_EQ(state(true), state(false));
}

TEST(RereadInBackground, immediateOrCopyCompaction_doesNotWaitForTheReread) {
    int readings = 0;
    const QueryReader reader = [&](const QueryRequest&) -> Result<TextReading> {
        ++readings;
        return repeated(300);
    };
    const KvOptions options = reconstructing(60);
    Bench bench = besideBench();
    bench.append(300, options);
    const auto copy = bench.cache().clone().value();
    EXPECT_EQ(bench.compactor()
                  .compact(*copy, options, {.mode = CompactionCall::Mode::Trial, .reader = reader})
                  .result,
              CompactionResult::Done);
    const auto between = bench.compactor().afterStep(
        bench.cache(), options, {.pace = CompactionPace::Immediate, .reader = reader});
    ASSERT_TRUE(between);
    EXPECT_EQ(between->result, CompactionResult::Done) << between->notes;
    EXPECT_FALSE(between->background);
    EXPECT_EQ(readings, 2);
}

TEST(QuerySource, random_isIndependentOfThreadCount_andMakesNoPass) {
    const Compacted one = compactWith(judgedBy(QuerySource::Random), {});
    ASSERT_EQ(one.report.result, CompactionResult::Done);
    EXPECT_GT(one.report.slotsBefore, one.report.slotsAfter);
    EXPECT_EQ(one.report.notes, CompactionNotes{{CompactionReason::QueriesFromRandom}});
    EXPECT_GT(one.report.referenceQueries, 0);
    EXPECT_EQ(compactWith(judgedBy(QuerySource::Random), {}, 3).state, one.state);
    EXPECT_NE(compactWith(matching(4), {}).state, one.state);
}

TEST(QuerySource, contextFit_isIndependentOfThreadCount) {
    const auto read = [](const QueryRequest&) {
        return Result<ReferenceQueries>(queriesLike(21, 300));
    };
    EXPECT_EQ(compactWith(judgedBy(QuerySource::Context), read, 1).state,
              compactWith(judgedBy(QuerySource::Context), read, 3).state);
}

TEST(RandomQueries, randomQueries_haveUnitVarianceInEveryDirection) {
    const ReferenceQueries queries = randomQueries(kQueries, 11);
    EXPECT_EQ(queries.tokens(), queries.capacityTokens());
    const auto rows = queries.gather(LayerIndex(1), HeadIndex(1), 1 << 20);
    const auto count = static_cast<double>(rows.size()) / kQueries.keyDim;
    for (int d = 0; d < kQueries.keyDim; ++d) {
        double mean = 0;
        double square = 0;
        for (std::size_t at = static_cast<std::size_t>(d); at < rows.size();
             at += static_cast<std::size_t>(kQueries.keyDim)) {
            mean += static_cast<double>(rows[at]) / count;
            square += static_cast<double>(rows[at]) * static_cast<double>(rows[at]) / count;
        }
        EXPECT_NEAR(mean, 0, 0.1);
        EXPECT_NEAR(square, 1, 0.1);
    }
}

}  // namespace
}  // namespace lacuna
