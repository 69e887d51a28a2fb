// Information kept by a compacted cache: against plain forward passes and sums in double, and at
// both ends of its scale.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "engine/compress/driver/ratio_search.h"
#include "engine/generate/compaction_inputs.h"
#include "engine/generate/kept_information.h"
#include "engine/generate/text_pass.h"
#include "engine/model/model_cache.h"
#include "tests/support/compaction_notes.h"
#include "tests/support/random_model.h"

namespace lacuna::test {
namespace {

/// A model with random weights that has read a text of random printable bytes.
struct ReadStage {
    explicit ReadStage(int tokens, int context = 4096) {
        spec = smallSpec();
        spec.context = context;
        model = Transformer::create(makeRandomModel(spec, DType::F32).value(), pool,
                                    {.precision = Precision::Exact, .maxTokens = 512})
                    .value();
        for (int i = 0; i < tokens; ++i) text.push_back(3 + 32 + (i * i * 31 + i * 7) % 90);
        cache = makeFullCache(spec, DType::F32).value();
        feed(*cache, text);
        options.nSink = 2;
        options.keepRecent = 8;
        options.type = DType::F32;
        options.compactionFloor = 0;
    }
    void feed(KvCache& into, std::span<const TokenId> tokens) {
        for (std::size_t at = 0; at < tokens.size(); at += 256) {
            const BatchRun run{
                .tokens = tokens.subspan(at, std::min<std::size_t>(256, tokens.size() - at)),
                .cache = &into,
                .logits = LogitsFor::None};
            ASSERT_TRUE(model->forward({&run, 1}, {}));
        }
    }
    /// Returns a copy with at most `budget` slots per head.
    std::unique_ptr<KvCache> evicted(int budget, EvictionPolicy policy) {
        auto copy = cache->clone().value();
        const SteadyClock clock;
        Compactor compactor(compactorModel(spec, 1, {}), copy->shape(), pool, clock);
        KvOptions evicting = options;
        evicting.method = CompactionMethod::Eviction;
        evicting.budget = budget;
        evicting.evictionPolicy = policy;
        evicting.lossLimit.level = LossLimit::Level::Off;
        const CompactionReport report = compactor.compact(*copy, evicting);
        EXPECT_EQ(report.result, CompactionResult::Done) << report.notes;
        EXPECT_LT(report.slotsAfter, report.slotsBefore);
        return copy;
    }
    std::unique_ptr<RepetitionGauge> gauge(KvCache& of, int chunk = 64,
                                           std::function<bool()> cancelled = {}) {
        return RepetitionGauge::begin(measuredText(text, options), of,
                                      {.model = model.get(),
                                       .pool = &pool,
                                       .chunk = chunk,
                                       .cancelled = std::move(cancelled)})
            .value();
    }

    ThreadPool pool{2};
    ModelSpec spec;
    std::unique_ptr<Transformer> model;
    std::vector<TokenId> text;
    std::unique_ptr<KvCache> cache;
    KvOptions options;
};

/// Log-probabilities of the first `count` tokens of a repetition of the text, in double, and the
/// rows of logits behind them.
struct NaiveRepetition {
    NaiveRepetition(ReadStage& stage, const KvCache& of, std::size_t count) {
        auto cache = of.clone().value();
        std::vector<TokenId> all = repeatInstruction(stage.model->model()).value();
        const std::size_t asked = all.size();
        all.insert(all.end(), stage.text.begin(),
                   stage.text.begin() + static_cast<std::ptrdiff_t>(count));
        for (std::size_t i = 0; i + 1 < all.size(); ++i) {
            const BatchRun run{
                .tokens = {&all[i], 1}, .cache = cache.get(), .logits = LogitsFor::AllTokens};
            const auto row = stage.model->forward({&run, 1}, {}).value().row(0);
            if (i + 1 < asked) continue;
            double sum = 0;
            for (const float logit : row) sum += std::exp(static_cast<double>(logit));
            rows.emplace_back();
            for (const float logit : row)
                rows.back().push_back(static_cast<double>(logit) - std::log(sum));
            logProbs.push_back(rows.back()[static_cast<std::size_t>(all[i + 1])]);
        }
    }
    std::vector<double> logProbs;
    std::vector<std::vector<double>> rows;
};

TEST(KeptInformation, sums_followTheDefinition) {
    std::vector<RepeatedToken> tokens;
    for (int i = 0; i < 64; ++i) {
        RepeatedToken token{.position = i};
        token.full = -0.1 * (i % 7);
        token.near =
            token.full - 0.25 * (i % 5) + (i % 11 == 0 ? 1 : 0) - (i >= 32 && i < 48 ? 1 : 0);
        token.compacted = token.full - 0.2 * (i % 3) + (i >= 32 && i < 48 ? -1 : 0);
        token.kl = 0.01 * i;
        token.sameTop = i % 4 != 0;
        tokens.push_back(token);
    }
    const auto kept = [&](int first, int end) {
        double gain = 0;
        double lost = 0;
        for (int i = first; i < end; ++i) {
            const RepeatedToken& t = tokens[static_cast<std::size_t>(i)];
            const double known = std::exp(t.full);
            const double one = known * std::max(0.0, t.full - t.near);
            gain += one;
            lost += std::min(known * std::max(0.0, t.full - t.compacted), one);
        }
        return 1 - lost / gain;
    };
    const KeptInformation found = keptInformation(tokens, 1, tokens.size());
    EXPECT_NEAR(found.all, kept(0, 64), 1e-12);
    EXPECT_EQ(found.error, 0) << "nothing was sampled";
    EXPECT_EQ(found.worstFirst, 32);
    EXPECT_EQ(found.worstEnd, 48);
    EXPECT_NEAR(found.worst, kept(32, 48), 1e-12);
    EXPECT_LT(found.worst, found.all);
    EXPECT_NEAR(found.klMean, 0.315, 1e-12);
    EXPECT_NEAR(found.klP99, 0.63, 1e-12);
    EXPECT_EQ(found.sameTop, 0.75);
    EXPECT_EQ(found.tokens, 64);
}

TEST(KeptInformation, textWithoutGain_isKept) {
    std::vector<RepeatedToken> tokens(20);
    for (RepeatedToken& token : tokens) token.compacted = -3;
    EXPECT_EQ(keptInformation(tokens, 1, tokens.size()).all, 1);
    EXPECT_EQ(keptInformation({}, 1, 0), KeptInformation{});
}

TEST(KeptInformation, exceededLimit_isDetectedEarly_andExactAtTheEnd) {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> unit(0, 1);
    int early = 0;
    for (int round = 0; round < 200; ++round) {
        std::vector<RepeatedToken> tokens(static_cast<std::size_t>(100 + round));
        const double loss = 0.4 * unit(random);
        for (std::size_t i = 0; i < tokens.size(); ++i) {
            RepeatedToken& token = tokens[i];
            token.position = static_cast<std::int64_t>(i);
            token.full = -unit(random);
            token.near = token.full - 5 * unit(random);
            token.compacted = token.full - 5 * loss * unit(random);
        }
        const LossThresholds limit{.all = 0.9, .worst = 0.8};
        const KeptInformation whole = keptInformation(tokens, 1, tokens.size());
        const bool exceeded = whole.all < limit.all || whole.worst < limit.worst;
        EXPECT_EQ(exceeds(limit, tokens, tokens.size()), exceeded) << round;
        for (std::size_t measured = 0; measured < tokens.size(); measured += 16) {
            if (!exceeds(limit, tokens, measured)) continue;
            EXPECT_TRUE(exceeded) << round << ", after " << measured;
            ++early;
        }
    }
    EXPECT_GT(early, 200);
}

TEST(RepetitionGauge, unchangedCache_keepsEverything) {
    ReadStage stage(300);
    const auto gauge = stage.gauge(*stage.cache);
    const KeptInformation kept = gauge->keptBy(*stage.cache, {}).value();
    EXPECT_EQ(kept.all, 1);
    EXPECT_EQ(kept.worst, 1);
    EXPECT_EQ(kept.sameTop, 1);
    EXPECT_NEAR(kept.klMean, 0, 1e-9);
    EXPECT_EQ(kept.tokens, 292) << "the newest eight stay in any case";
    EXPECT_EQ(stage.cache->offset(), Position(300)) << "it is as it was";
}

TEST(RepetitionGauge, firstAndNewestTokensOnly_keepNothing) {
    ReadStage stage(300);
    const auto near = stage.evicted(11, EvictionPolicy::StreamingLLM);
    const KeptInformation kept = stage.gauge(*stage.cache)->keptBy(*near, {}).value();
    // One slot more than the protected ones.
    EXPECT_LT(kept.all, 0.2);
    EXPECT_LT(kept.worst, kept.all);
    EXPECT_GT(kept.klMean, 0);
}

TEST(RepetitionGauge, exceededLimit_endsTheMeasurementOnly) {
    ReadStage stage(300);
    const auto near = stage.evicted(11, EvictionPolicy::StreamingLLM);
    const auto gauge = stage.gauge(*stage.cache, 32);
    const LossThresholds limit{.all = 0.99, .worst = 0.92};
    const KeptInformation partly = gauge->keptBy(*near, limit).value();
    EXPECT_LT(partly.tokens, 150);
    EXPECT_EQ(gauge->tokens().size(), static_cast<std::size_t>(partly.tokens));
    EXPECT_TRUE(partly.all < limit.all || partly.worst < limit.worst);
    EXPECT_EQ(gauge->keptBy(*near, {})->tokens, 292) << "without a limit everything is measured";
    const KeptInformation same = gauge->keptBy(*stage.cache, limit).value();
    EXPECT_EQ(same.tokens, 292) << "what keeps the limit is measured to the end";
    EXPECT_EQ(same.all, 1);
}

TEST(RepetitionGauge, tokens_equalThoseOfPlainForwardPasses) {
    ReadStage stage(120);
    const auto compacted = stage.evicted(40, EvictionPolicy::KeyDiff);
    const auto gauge = stage.gauge(*stage.cache, 20);
    const KeptInformation kept = gauge->keptBy(*compacted, {}).value();
    const NaiveRepetition full(stage, *stage.cache, 112);
    const NaiveRepetition less(stage, *compacted, 112);
    ASSERT_EQ(gauge->tokens().size(), 112U);
    double gain = 0;
    double lost = 0;
    double kl = 0;
    for (std::size_t i = 0; i < 112; ++i) {
        const RepeatedToken& token = gauge->tokens()[i];
        EXPECT_EQ(token.position, static_cast<std::int64_t>(i));
        EXPECT_NEAR(token.full, full.logProbs[i], 2e-4) << i;
        EXPECT_NEAR(token.compacted, less.logProbs[i], 2e-4) << i;
        double exact = 0;
        for (std::size_t v = 0; v < full.rows[i].size(); ++v)
            exact += std::exp(full.rows[i][v]) * (full.rows[i][v] - less.rows[i][v]);
        EXPECT_NEAR(token.kl, exact, 1e-3 + 0.02 * exact) << i;
        gain += token.gain();
        lost += token.lost();
        kl += token.kl / 112;
    }
    EXPECT_GT(gain, 0);
    EXPECT_NEAR(kept.all, 1 - lost / gain, 1e-12);
    EXPECT_NEAR(kept.klMean, kl, 1e-12);
    EXPECT_LT(kept.all, 1);
}

TEST(RepetitionGauge, longText_isSampledInEveryPart) {
    ReadStage stage(3000);
    const auto compacted = stage.evicted(1000, EvictionPolicy::Random);
    const auto gauge = stage.gauge(*stage.cache, 256);
    const KeptInformation kept = gauge->keptBy(*compacted, {}).value();
    EXPECT_EQ(kept.tokens, 62 * 32) << "2,992 tokens have room for as many samples with their lead";
    EXPECT_GT(kept.error, 0);
    EXPECT_LT(kept.error, 0.1);
    std::vector<bool> parts(62);
    for (const RepeatedToken& token : gauge->tokens())
        parts[static_cast<std::size_t>(token.position * 62 / 2992)] = true;
    EXPECT_EQ(std::ranges::count(parts, false), 0);
    EXPECT_EQ(stage.gauge(*stage.cache, 100)->keptBy(*compacted, {})->tokens, kept.tokens);
}

TEST(RepetitionGauge, compactedCache_isMeasuredAgainstTheFullText) {
    ReadStage stage(300);
    const auto once = stage.evicted(150, EvictionPolicy::KeyDiff);
    const KeptInformation direct = stage.gauge(*stage.cache)->keptBy(*once, {}).value();
    const auto gauge = stage.gauge(*once);
    const KeptInformation again = gauge->keptBy(*once, {}).value();
    EXPECT_LT(direct.all, 1) << "what an earlier compaction lost counts";
    EXPECT_NEAR(again.all, direct.all, 1e-3);
    EXPECT_NEAR(again.worst, direct.worst, 1e-2);
}

TEST(RepetitionGauge, logitsOfTheScoresPass_replaceItsOwnRepetition) {
    ReadStage stage(300);
    const auto compacted = stage.evicted(100, EvictionPolicy::KeyDiff);
    const KeptInformation own = stage.gauge(*stage.cache)->keptBy(*compacted, {}).value();
    const QueryRequest request{
        .source = QuerySource::Repeat,
        .shape = {stage.spec.layers, stage.spec.heads, stage.spec.kvHeads, stage.spec.headDim},
        .seed = 1,
        .end = Position(300),
        .scoredOn = &stage.pool};
    const auto gauge = stage.gauge(*stage.cache);
    QueryPass pass{.model = stage.model.get(), .tokens = stage.text, .type = DType::F32};
    pass.rows = gauge.get();
    pass.full = stage.cache.get();
    const auto read = readText(request, pass);
    ASSERT_TRUE(read) << read.error().what;
    EXPECT_EQ(gauge->share(), 0.5) << "the repetition with the full cache is complete";
    const KeptInformation shared = gauge->keptBy(*compacted, {}).value();
    EXPECT_NEAR(shared.all, own.all, 1e-4);
    EXPECT_NEAR(shared.worst, own.worst, 1e-4);
    EXPECT_NEAR(shared.klMean, own.klMean, 1e-4);
    EXPECT_LT(shared.all, 1);

    ReadStage sampled(3000);
    EXPECT_EQ(sampled.gauge(*sampled.cache)->rowsNeeded(sampled.text), 0U)
        << "a text that is sampled needs a pass of its own";
}

TEST(RepetitionGauge, interruptedSlices_areRepeated_withTheSameFigures) {
    ReadStage stage(300);
    const auto compacted = stage.evicted(100, EvictionPolicy::KeyDiff);
    const KeptInformation whole = stage.gauge(*stage.cache, 32)->keptBy(*compacted, {}).value();
    int asked = 0;
    const auto gauge = stage.gauge(*stage.cache, 32, [&] { return ++asked % 97 == 0; });
    int cancelled = 0;
    double share = 0;
    const auto step = [&] {
        const Status status = gauge->step();
        if (!status) {
            EXPECT_EQ(status.error().code, ErrorCode::Cancelled);
            ++cancelled;
        }
        EXPECT_GE(gauge->share(), share);
        share = gauge->share();
    };
    while (!gauge->ready()) step();
    share = 0;
    ASSERT_TRUE(gauge->begin(*compacted, {}));
    while (!gauge->done()) step();
    EXPECT_GT(cancelled, 0);
    EXPECT_EQ(gauge->kept(), whole);
}

TEST(RepetitionGauge, fullContext_andShortTexts_returnErrors) {
    ReadStage full(300, 310);
    const auto none = RepetitionGauge::begin(measuredText(full.text, full.options), *full.cache,
                                             {.model = full.model.get(), .pool = &full.pool});
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().code, ErrorCode::ContextFull);
    ReadStage few(20);
    const auto tooFew = RepetitionGauge::begin(measuredText(few.text, few.options), *few.cache,
                                               {.model = few.model.get(), .pool = &few.pool});
    ASSERT_FALSE(tooFew);
    EXPECT_EQ(tooFew.error().code, ErrorCode::InvalidArgument);
}

/// Runs a requested compaction with a loss gauge.
CompactionReport limited(ReadStage& stage, KvCache& cache, double ratio, LossLimit limit) {
    const SteadyClock clock;
    Compactor compactor(compactorModel(stage.spec, 1, {}), cache.shape(), stage.pool, clock);
    KvOptions options = stage.options;
    options.method = CompactionMethod::Eviction;
    options.budget = static_cast<int>(300 / ratio);
    options.evictionPolicy = EvictionPolicy::KeyDiff;
    options.lossLimit = limit;
    LateGauge gauge(measuredText(stage.text, options), cache,
                    {.model = stage.model.get(), .pool = &stage.pool, .chunk = 64});
    return compactor.compact(cache, options, {.gauge = &gauge});
}

TEST(LimitedCompaction, requestedRatioWithinTheLimit_isUsed) {
    ReadStage stage(300);
    const CompactionReport report =
        limited(stage, *stage.cache, 4, {.level = LossLimit::Level::Share, .share = 0});
    EXPECT_EQ(report.result, CompactionResult::Done) << report.notes;
    EXPECT_FALSE(report.limited);
    ASSERT_TRUE(report.kept);
    EXPECT_LT(report.kept->all, 1);
    EXPECT_NEAR(report.achievedRatio, 4, 0.01);
    EXPECT_GT(report.measureMs, 0);
}

TEST(LimitedCompaction, requestedRatioBeyondTheLimit_isReducedToTheLargestWithin) {
    ReadStage stage(300);
    ReadStage other(300);
    const CompactionReport asked =
        limited(other, *other.cache, 8, {.level = LossLimit::Level::Share, .share = 0});
    ASSERT_TRUE(asked.kept);
    const double share = (1 + asked.kept->all) / 2;
    const CompactionReport report =
        limited(stage, *stage.cache, 8, {.level = LossLimit::Level::Share, .share = share});
    ASSERT_EQ(report.result, CompactionResult::Done) << report.notes;
    EXPECT_TRUE(report.limited);
    EXPECT_LT(report.slotsAfter, report.slotsBefore);
    EXPECT_NEAR(report.requestedRatio, 300.0 / 37, 1e-9);
    EXPECT_LT(report.achievedRatio, 8);
    EXPECT_GE(report.achievedRatio, kMinRatio * 0.99);
    ASSERT_TRUE(report.kept);
    EXPECT_GE(report.kept->all, share);
    EXPECT_TRUE(mentions(report.notes, CompactionReason::LimitedByLoss)) << report.notes;
}

TEST(LimitedCompaction, unreachableLimit_leavesTheCacheUnchanged) {
    ReadStage stage(300);
    const CompactionReport report =
        limited(stage, *stage.cache, 8, {.level = LossLimit::Level::Share, .share = 1});
    EXPECT_EQ(report.result, CompactionResult::Skipped);
    EXPECT_TRUE(report.limited);
    EXPECT_EQ(report.slotsAfter, report.slotsBefore);
    EXPECT_EQ(report.achievedRatio, 1);
    EXPECT_TRUE(mentions(report.notes, CompactionReason::LimitNotReached)) << report.notes;
    EXPECT_EQ(stage.cache->stats().compactions, 0);
}

TEST(LimitedCompaction, limitOff_orWithoutAGauge_usesTheRequestedRatio) {
    ReadStage stage(300);
    const CompactionReport report =
        limited(stage, *stage.cache, 8, {.level = LossLimit::Level::Off});
    EXPECT_EQ(report.result, CompactionResult::Done);
    EXPECT_FALSE(report.limited);
    EXPECT_FALSE(report.kept);
    EXPECT_EQ(report.measureMs, 0);
}

}  // namespace
}  // namespace lacuna::test
