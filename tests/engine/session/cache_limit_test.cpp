// The limit for all caches together: compaction instead of failure, then idle caches, then a
// refusal before the forward pass.

#include "engine/session/cache_limit.h"

#include <gtest/gtest.h>

#include "tests/engine/kv/kv_fixture.h"
#include "tests/support/compaction_notes.h"
#include "tests/support/engine_runner.h"

namespace lacuna {
namespace {

using test::EngineRunner;
using test::lettersOf;

// Keys and values of one token of the fake model: 2 layers, 2 heads, 8 numbers, 2 bytes.
constexpr std::int64_t kBytesPerToken = 2 * 2 * 2 * 8 * 2;
constexpr double kMiB = 1024.0 * 1024.0;

EngineConfig limited(std::int64_t bytes, CompactionMethod method, int maxTokens) {
    EngineConfig config;
    config.sampling.temperature = 0;
    config.maxTokens = maxTokens;
    config.prefillChunk = 16;
    config.kv.method = method;
    config.kv.keepRecent = 8;
    config.kv.nSink = 2;
    config.kv.background = false;
    config.kv.amRatio = 1;
    config.cacheLimitMiB = static_cast<double>(bytes) / kMiB;
    return config;
}

std::int64_t mostLiveBytes(const EngineRunner& run) {
    std::int64_t most = 0;
    for (const StepSample& sample : run.all<StepSample>())
        most = std::max(most, sample.liveBytesAll);
    return most;
}

TEST(CacheLimit, limitReached_duringDecode_compactsInsteadOfFailing) {
    for (const CompactionMethod method :
         {CompactionMethod::Eviction, CompactionMethod::AttentionMatching}) {
        const std::int64_t limit = 120 * kBytesPerToken;
        EngineRunner run(limited(limit, method, 200));
        run.start();
        ASSERT_TRUE(run.load());
        run.submit(1, lettersOf(60));
        ASSERT_TRUE(run.waitFor<TurnFinished>());
        run.finish();
        const auto finished = run.all<TurnFinished>();
        EXPECT_FALSE(finished[0].error.has_value()) << describe(*finished[0].error);
        EXPECT_EQ(finished[0].reason, FinishReason::Length);
        EXPECT_EQ(finished[0].tokens.size(), 200U);
        const auto compactions = run.all<CompactionHappened>();
        ASSERT_GE(compactions.size(), 2U);
        for (const CompactionHappened& one : compactions) {
            EXPECT_EQ(one.report.cause, CompactionCause::MemoryLimit);
            EXPECT_EQ(one.report.result, CompactionResult::Done) << one.report.notes;
            EXPECT_LT(one.report.slotsAfter, one.report.slotsBefore);
            EXPECT_TRUE(mentions(one.report.notes, CompactionReason::CacheLimitReached))
                << one.report.notes;
        }
        EXPECT_LT(compactions.size(), 60U) << "not with every token";
        EXPECT_EQ(finished[0].stats.compactions, static_cast<std::int64_t>(compactions.size()))
            << "the answer counts those that the limit caused";
        EXPECT_GT(mostLiveBytes(run), limit / 2);
        EXPECT_LE(mostLiveBytes(run), limit);
    }
}

// A prompt larger than the limit is read in chunks and compacted between them.
TEST(CacheLimit, limitReached_duringPrefill_compactsBetweenChunks) {
    const std::int64_t limit = 120 * kBytesPerToken;
    EngineRunner run(limited(limit, CompactionMethod::Eviction, 20));
    run.start();
    ASSERT_TRUE(run.load());
    run.submit(1, lettersOf(300));
    ASSERT_TRUE(run.waitFor<TurnFinished>());
    run.finish();
    EXPECT_FALSE(run.all<TurnFinished>()[0].error.has_value());
    EXPECT_GE(run.all<CompactionHappened>().size(), 2U);
    EXPECT_LE(mostLiveBytes(run), limit);
}

TEST(CacheLimit, limitReached_withoutMethod_refusesBeforeTheForwardPass) {
    const std::int64_t limit = 120 * kBytesPerToken;
    EngineRunner run(limited(limit, CompactionMethod::None, 200));
    std::atomic<std::int64_t> passes{0};
    run.models.before = [&](std::int64_t) -> Status {
        ++passes;
        return {};
    };
    run.start();
    ASSERT_TRUE(run.load());
    run.submit(1, lettersOf(60));
    ASSERT_TRUE(run.waitFor<TurnFinished>());
    const TurnFinished refused = run.all<TurnFinished>()[0];
    const auto steps = static_cast<std::int64_t>(run.all<StepSample>().size());
    EXPECT_EQ(passes, steps) << "every pass was of a step that came to its end";
    ASSERT_TRUE(refused.error.has_value());
    EXPECT_EQ(refused.reason, FinishReason::Error);
    EXPECT_EQ(refused.error->code, ErrorCode::NoMemory);
    for (const char* part :
         {"the limit of", "the next step needs", "choose a compaction method", "cache_limit"})
        EXPECT_NE(refused.error->what.find(part), std::string::npos) << refused.error->what;
    EXPECT_GT(refused.tokens.size(), 20U) << "what was written before stays";
    EXPECT_EQ(mostLiveBytes(run), limit) << "full to the last token";
    // With a higher limit the conversation continues from its cache.
    run.queue.push(SetConfig{Revision(1), limited(4 * limit, CompactionMethod::None, 10)});
    run.submit(1, {{"user", lettersOf(60)}, {"assistant", refused.text}, {"user", "on"}});
    ASSERT_TRUE(run.waitFor<TurnFinished>(2));
    run.finish();
    EXPECT_FALSE(run.all<TurnFinished>()[1].error.has_value());
    EXPECT_GT(run.all<TurnStarted>()[1].reusedTokens, 60);
}

TEST(CacheLimit, insufficientCompaction_isRefused_namingSettingsToChange) {
    EngineConfig config = limited(40 * kBytesPerToken, CompactionMethod::Eviction, 50);
    config.kv.skipLayers = {0};
    EngineRunner run(config);
    run.start();
    ASSERT_TRUE(run.load());
    run.submit(1, lettersOf(100));
    ASSERT_TRUE(run.waitFor<TurnFinished>());
    run.finish();
    const TurnFinished refused = run.all<TurnFinished>()[0];
    ASSERT_TRUE(refused.error.has_value());
    EXPECT_EQ(refused.error->code, ErrorCode::NoMemory);
    EXPECT_NE(refused.error->what.find("keeps at least 11 slots per head"), std::string::npos)
        << refused.error->what;
    EXPECT_LE(mostLiveBytes(run), 40 * kBytesPerToken);
}

TEST(CacheLimit, severalConversations_largestIsCompacted_evenWhileIdle) {
    EngineRunner run(limited(320 * kBytesPerToken, CompactionMethod::Eviction, 60));
    run.start();
    ASSERT_TRUE(run.load());
    run.submit(1, lettersOf(200));
    ASSERT_TRUE(run.waitFor<TurnFinished>());
    EXPECT_TRUE(run.all<CompactionHappened>().empty());
    run.submit(2, lettersOf(20));
    ASSERT_TRUE(run.waitFor<TurnFinished>(2));
    run.finish();
    EXPECT_FALSE(run.all<TurnFinished>()[1].error.has_value());
    const auto compactions = run.all<CompactionHappened>();
    ASSERT_FALSE(compactions.empty());
    for (const CompactionHappened& one : compactions) {
        EXPECT_EQ(one.conversation, ConversationId(1));
        EXPECT_EQ(one.report.cause, CompactionCause::MemoryLimit);
    }
    EXPECT_LE(mostLiveBytes(run), 320 * kBytesPerToken);
}

TEST(CacheLimit, nothingToCompact_releasesIdleCaches_andReportsThem) {
    EngineRunner run(limited(160 * kBytesPerToken, CompactionMethod::None, 20));
    run.start();
    ASSERT_TRUE(run.load());
    run.submit(1, lettersOf(60));
    ASSERT_TRUE(run.waitFor<TurnFinished>());
    run.submit(2, lettersOf(80));
    ASSERT_TRUE(run.waitFor<TurnFinished>(2));
    EXPECT_FALSE(run.all<TurnFinished>()[1].error.has_value());
    const auto notices = run.all<Notice>();
    ASSERT_EQ(notices.size(), 1U);
    EXPECT_NE(notices[0].sentence.find("released: the caches reached the limit"), std::string::npos)
        << notices[0].sentence;
    run.submit(1, lettersOf(60));
    ASSERT_TRUE(run.waitFor<TurnStarted>(3));
    run.finish();
    EXPECT_EQ(run.all<TurnStarted>()[2].reusedTokens, 0);
    EXPECT_NE(run.all<TurnStarted>()[2].reuseNote.find("released"), std::string::npos);
}

// Concurrent answers share the limit; the youngest ends if there is no memory for all.
TEST(CacheLimit, severalTurns_newestEnds_andTheOthersContinue) {
    EngineRunner run(limited(170 * kBytesPerToken, CompactionMethod::None, 60));
    run.queue.push(LoadModel{"fake"});
    run.submit(1, lettersOf(60));
    run.submit(2, lettersOf(60));
    run.start();
    ASSERT_TRUE(run.waitFor<TurnFinished>(2));
    run.finish();
    const auto finished = run.all<TurnFinished>();
    EXPECT_EQ(finished[0].conversation, ConversationId(2));
    ASSERT_TRUE(finished[0].error.has_value());
    EXPECT_EQ(finished[0].error->code, ErrorCode::NoMemory);
    EXPECT_EQ(finished[1].conversation, ConversationId(1));
    EXPECT_EQ(finished[1].reason, FinishReason::Length);
    EXPECT_LE(mostLiveBytes(run), 170 * kBytesPerToken);
}

const KvShape kWide{.layers = 2, .kvHeads = 2, .keyDim = 64, .valueDim = 64, .type = DType::F16};
constexpr std::int64_t kWideToken = 2 * 2 * 2 * 64 * 2;

/// A conversation with a filled cache, and the limit that applies to it.
struct OneConversation {
    explicit OneConversation(int tokens) {
        auto made = store.use(
            ConversationId(1),
            [this] {
                return Sequence::create(
                    [] { return makeSlotCache(kWide); },
                    [this](const KvShape& shape) {
                        return std::make_unique<Compactor>(
                            CompactorModel{.heads = 4, .scale = 0.125F, .seed = 1}, shape, pool,
                            clock);
                    });
            },
            [](ConversationId) { return true; });
        EXPECT_TRUE(made);
        sequence = *made;
        sequence->compactor().beforeStep(sequence->cache(), config().kv);
        EXPECT_TRUE(test::append(sequence->cache(), tokens));
        sequence->appended(std::vector<TokenId>(static_cast<std::size_t>(tokens), 1));
    }
    [[nodiscard]] EngineConfig config() const {
        EngineConfig config = limited(limit, CompactionMethod::Eviction, 10);
        config.kv.evictionPolicy = EvictionPolicy::KeepLowNorm;
        return config;
    }
    /// Enforces the limit for a step that appends `tokens`.
    [[nodiscard]] Status keep(int tokens) {
        const EngineConfig now = config();
        const std::vector<CacheGrowth> growth{{ConversationId(1), tokens}};
        return enforceCacheLimit(
            {.conversations = store,
             .limitMiB = now.cacheLimitMiB,
             .configOf = [&now](ConversationId) -> const EngineConfig& { return now; },
             .model = {.layers = 2, .kvHeads = 2, .headDim = 64},
             .growth = growth,
             .onCompacted = [this](ConversationId, CompactionReport r) { reports.push_back(r); },
             .notice = [](const Notice&) {},
             .pool = pool});
    }

    SteadyClock clock;
    ThreadPool pool{1};
    SequencePool store{4};
    Sequence* sequence = nullptr;
    std::int64_t limit = 0;
    std::vector<CompactionReport> reports;
};

// Dropped rows take memory until the cache is defragmented, and count until then.
TEST(CacheLimit, evictedSlots_countAsHeldBytes_untilDefragmented) {
    OneConversation one(2000);
    KvCache& cache = one.sequence->cache();
    const std::int64_t full = cache.stats().liveBytes;
    EXPECT_EQ(heldBytes(cache), full);
    KvOptions options = one.config().kv;
    options.budget = 1000;
    const auto report = one.sequence->compactor().compact(cache, options);
    ASSERT_EQ(report.result, CompactionResult::Done) << report.notes;
    EXPECT_LT(cache.stats().liveBytes, full * 6 / 10);
    EXPECT_GT(heldBytes(cache), full * 9 / 10) << "the rows lie where they were";
    while (defragmentCache(cache, 1 << 20, one.pool, true)) {
    }
    EXPECT_EQ(heldBytes(cache), cache.stats().liveBytes);
}

TEST(CacheLimit, chunkBeyondLimit_compactsAndDefragmentsAsMuchAsNeeded) {
    OneConversation one(2000);
    KvCache& cache = one.sequence->cache();
    one.limit = heldBytes(cache) + 10 * kWideToken;
    ASSERT_TRUE(one.keep(1));
    EXPECT_TRUE(one.reports.empty()) << "there is room for one";
    const int chunk = 256;
    ASSERT_TRUE(one.keep(chunk));
    ASSERT_EQ(one.reports.size(), 1U);
    EXPECT_EQ(one.reports[0].result, CompactionResult::Done);
    EXPECT_EQ(one.reports[0].cause, CompactionCause::MemoryLimit);
    EXPECT_LE(heldBytes(cache) + chunk * kWideToken, one.limit);
    one.sequence->compactor().beforeStep(cache, one.config().kv);
    ASSERT_TRUE(test::append(cache, chunk));
    EXPECT_LE(heldBytes(cache), one.limit) << "the chunk stands behind all rows";
    EXPECT_TRUE(test::holdsItsTokens(cache));
    cache.checkInvariants();
}

TEST(CacheLimit, growthBytes_ofAFullWindow_areZero) {
    const CacheModel model{.layers = 2, .kvHeads = 2, .headDim = 8};
    KvOptions options;
    EXPECT_EQ(growthBytes(model, options, 1000, 3), 3 * kBytesPerToken);
    options.window = 64;
    EXPECT_EQ(growthBytes(model, options, 1000, 3), 0);
}

TEST(CacheLimit, growthBytes_ofLayersThatDiffer_countTheRowsOfEach) {
    const CacheModel model{.layers = 3, .extents = {{2, 8, 8}, {1, 16, 16}, {}}};
    const std::int64_t rows = (2 * (8 + 8) + 1 * (16 + 16)) * 2;
    KvOptions options;
    EXPECT_EQ(growthBytes(model, options, 1000, 3), 3 * rows);
    options.method = CompactionMethod::Eviction;
    EXPECT_EQ(growthBytes(model, options, 1000, 3), 3 * (rows + 3 * 12))
        << "position, bias and length of a slot of each of the three heads";
}

TEST(SequencePool, cacheReleasedForOthers_isReported_explicitReleaseIsNot) {
    ThreadPool pool{1};
    SteadyClock clock;
    std::vector<ConversationId> released;
    SequencePool store(2, [&released](ConversationId id) { released.push_back(id); });
    const auto use = [&](std::int64_t id) {
        const auto made = store.use(
            ConversationId(id),
            [&] {
                return Sequence::create(
                    [] { return makeSlotCache(kWide); },
                    [&](const KvShape& shape) {
                        return std::make_unique<Compactor>(
                            CompactorModel{.heads = 4, .scale = 0.125F, .seed = 1}, shape, pool,
                            clock);
                    });
            },
            [](ConversationId) { return false; });
        EXPECT_TRUE(made);
    };
    use(1);
    use(2);
    EXPECT_TRUE(released.empty());
    use(3);
    ASSERT_EQ(released.size(), 1U);
    EXPECT_EQ(released[0], ConversationId(1)) << "the least recently used";
    store.remove(ConversationId(2));
    EXPECT_EQ(released.size(), 1U);
    store.release(ConversationId(3));
    EXPECT_EQ(released.back(), ConversationId(3));
}

}  // namespace
}  // namespace lacuna
