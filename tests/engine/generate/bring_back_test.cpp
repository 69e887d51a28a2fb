// Restored tokens: their rows are bit-identical to those of a cache that was never compacted, and
// stay so under later compactions.

#include "engine/generate/bring_back.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "engine/base/random.h"
#include "engine/compress/driver/compaction_trigger.h"
#include "tests/support/generation_stage.h"

namespace lacuna::test {
namespace {

constexpr int kTokens = 400;

struct Settings {
    std::string name;
    KvOptions kv;
};

KvOptions evicting(EvictionPolicy policy) {
    KvOptions kv;
    kv.method = CompactionMethod::Eviction;
    kv.lossLimit.level = LossLimit::Level::Off;
    kv.compactionFloor = 0;
    kv.evictionPolicy = policy;
    kv.budget = 64;
    kv.keepRecent = 8;
    kv.nSink = 2;
    return kv;
}

std::vector<Settings> all() {
    KvOptions shared = evicting(EvictionPolicy::KeyDiff);
    shared.coherence = LayerCoherence::PerLayer;
    KvOptions matching;
    matching.method = CompactionMethod::AttentionMatching;
    matching.lossLimit.level = LossLimit::Level::Off;
    matching.compactionFloor = 0;
    matching.amRatio = 6;
    matching.background = false;
    KvOptions pinning = matching;
    pinning.pinPercent = 2;
    return {{"l2", evicting(EvictionPolicy::KeepLowNorm)},
            {"keydiff", evicting(EvictionPolicy::KeyDiff)},
            {"random", evicting(EvictionPolicy::Random)},
            {"keydiff_per_layer", shared},
            {"am", matching},
            {"am_pinned", pinning}};
}

/// A conversation whose text was read and compacted under given settings.
struct Talk {
    explicit Talk(const KvOptions& kv) : stage(modelOptions()) {
        stage.settings.kv = kv;
        stage.settings.kv.method = CompactionMethod::None;
        stage.settings.prefillChunk = 64;
        stage.settings.maxTokens = 1;
        EXPECT_EQ(read(kv, 0).result, CompactionResult::Done);
    }
    static FakeModelOptions modelOptions() {
        FakeModelOptions options;
        options.context = 4096;
        return options;
    }
    /// Appends the text from `from` on, notifies the observer and compacts the cache.
    CompactionReport read(const KvOptions& kv, int from, int count = kTokens) {
        const std::vector<TokenId> text = prompt(from + count);
        for (int at = from; at < from + count; at += 50) {
            const auto chunk =
                std::span(text).subspan(static_cast<std::size_t>(at),
                                        static_cast<std::size_t>(std::min(50, from + count - at)));
            Sequence& sequence = *stage.sequence;
            const BatchRun run{.tokens = chunk,
                               .cache = &sequence.cache(),
                               .logits = LogitsFor::None,
                               .observer = sequence.compactor().observer(sequence.cache(), kv)};
            EXPECT_TRUE(stage.model.forward({&run, 1}, {}));
            sequence.appended(chunk);
        }
        if (whole == nullptr) whole = stage.sequence->cache().share().value();
        return stage.sequence->compactor().compact(stage.sequence->cache(), kv);
    }
    /// Returns a prefix of `tokens` tokens, as a store would return it.
    [[nodiscard]] std::unique_ptr<KvCache> start(int tokens) const {
        auto cache = whole->share().value();
        EXPECT_TRUE(cache->rollback(kTokens - tokens));
        return cache;
    }
    [[nodiscard]] Result<RestoredSpans> bring(const TokenSpan& span, const KvOptions& kv,
                                              int from = kTokens - 1) {
        return bringBack(*stage.sequence, {span}, start(from),
                         {.model = stage.model, .kv = kv, .chunk = 64});
    }
    Stage stage;
    std::unique_ptr<KvCache> whole;  ///< copy from before the first compaction
};

/// Returns the slot of a position in a head, or -1.
int slotOf(const KvHeadView& head, std::int64_t position) {
    for (int slot = 0; slot < head.slots; ++slot) {
        const bool hole = head.bias != nullptr && std::isinf(head.bias[slot]);
        const std::int64_t at = head.positions == nullptr ? slot : head.positions[slot];
        if (!hole && at == position) return slot;
    }
    return -1;
}

/// Returns the number of heads whose rows at these positions differ from the full cache.
int headsThatDiffer(const KvCache& cache, const KvCache& whole, const TokenSpan& span) {
    const KvShape& shape = cache.shape();
    const std::size_t bytes = static_cast<std::size_t>(shape.keyDim) * 2;
    int differ = 0;
    for (int i = 0; i < shape.layers * shape.kvHeads; ++i) {
        const LayerIndex layer(i / shape.kvHeads);
        const HeadIndex number(i % shape.kvHeads);
        const KvHeadView mine = cache.head(layer, number);
        const KvHeadView other = whole.head(layer, number);
        bool same = true;
        for (std::int64_t position = span.first; same && position < span.last; ++position) {
            const int slot = slotOf(mine, position);
            same = slot >= 0 && (mine.bias == nullptr || mine.bias[slot] == 0.0F);
            if (!same) break;
            const auto at = static_cast<std::size_t>(slot) * bytes;
            const auto from = static_cast<std::size_t>(position) * bytes;
            same = std::memcmp(mine.keys + at, other.keys + from, bytes) == 0 &&
                   std::memcmp(mine.values + at, other.values + from, bytes) == 0;
        }
        differ += same ? 0 : 1;
    }
    return differ;
}

class RestoredRows : public testing::TestWithParam<Settings> {};

TEST_P(RestoredRows, restoredRows_equalUncompactedRows) {
    const KvOptions& kv = GetParam().kv;
    RandomStream random(7, 1);
    int evicted = 0;
    for (int round = 0; round < 6; ++round) {
        Talk talk(kv);
        const auto first = static_cast<std::int64_t>(10 + random.below(350));
        const TokenSpan span{first, first + 4 + static_cast<std::int64_t>(random.below(12))};
        evicted += headsThatDiffer(talk.stage.sequence->cache(), *talk.whole, span);
        const int from = 130 + static_cast<int>(random.below(269));
        const auto back = talk.bring(span, kv, from);
        ASSERT_TRUE(back) << back.error().what;
        EXPECT_EQ(back->restored, from);
        EXPECT_EQ(back->reread, kTokens - from);
        EXPECT_EQ(back->compaction.result, CompactionResult::Done);
        const KvCache& cache = talk.stage.sequence->cache();
        EXPECT_EQ(headsThatDiffer(cache, *talk.whole, span), 0) << span.first;
        EXPECT_EQ(cache.offset().value, kTokens);
        cache.checkInvariants();
    }
    EXPECT_GT(evicted, 6) << "most had been forgotten before";
}

TEST_P(RestoredRows, restoredRows_stayThroughLaterCompactions) {
    const KvOptions& kv = GetParam().kv;
    Talk talk(kv);
    const TokenSpan one{100, 112};
    const TokenSpan other{300, 310};
    ASSERT_TRUE(talk.bring(one, kv));
    ASSERT_TRUE(talk.bring(other, kv));
    for (int at = kTokens; at < kTokens + 900; at += 300)
        ASSERT_EQ(talk.read(kv, at, 300).result, CompactionResult::Done);
    const KvCache& cache = talk.stage.sequence->cache();
    EXPECT_EQ(headsThatDiffer(cache, *talk.whole, one), 0);
    EXPECT_EQ(headsThatDiffer(cache, *talk.whole, other), 0);
    const auto limits = compactionLimits(kv, kTokens + 900);
    const std::int64_t heads = cache.shape().layers * cache.shape().kvHeads;
    EXPECT_LE(cache.stats().slotsTotal, heads * limits->target) << "within the target";
}

TEST_P(RestoredRows, tooManyTokens_changeNothing) {
    const KvOptions& kv = GetParam().kv;
    Talk talk(kv);
    const std::string before = talk.stage.sequence->cache().save().value();
    const auto back = talk.bring({20, 200}, kv);
    ASSERT_FALSE(back);
    EXPECT_EQ(back.error().code, ErrorCode::Range);
    EXPECT_NE(back.error().what.find("180 tokens"), std::string::npos) << back.error().what;
    EXPECT_EQ(talk.stage.sequence->cache().save().value(), before);
    EXPECT_TRUE(talk.stage.sequence->keptSpans().empty());
}

INSTANTIATE_TEST_SUITE_P(Methods, RestoredRows, testing::ValuesIn(all()),
                         [](const auto& one) { return one.param.name; });

TEST(RestoreSpan, cancelledDuringReread_changesNothing) {
    const KvOptions kv = evicting(EvictionPolicy::KeyDiff);
    Talk talk(kv);
    const std::string before = talk.stage.sequence->cache().save().value();
    int asked = 0;
    const auto back =
        bringBack(*talk.stage.sequence, {{100, 110}}, talk.start(140),
                  {.model = talk.stage.model, .kv = kv, .chunk = 32, .cancelled = [&asked] {
                       return ++asked > 3;
                   }});
    ASSERT_FALSE(back);
    EXPECT_EQ(back.error().code, ErrorCode::Cancelled);
    EXPECT_EQ(talk.stage.sequence->cache().save().value(), before);
    EXPECT_TRUE(talk.stage.sequence->keptSpans().empty());
}

TEST(RestoreSpan, spanOutsideTheText_orWithoutMemory_isRefused) {
    const KvOptions kv = evicting(EvictionPolicy::KeyDiff);
    Talk talk(kv);
    for (const TokenSpan span : {TokenSpan{-1, 4}, {10, 10}, {390, 401}, {500, 510}})
        EXPECT_EQ(talk.bring(span, kv).error().code, ErrorCode::Range) << span.first;
    const auto back = bringBack(*talk.stage.sequence, {{100, 110}}, talk.start(399),
                                {.model = talk.stage.model, .kv = kv, .maxBytes = 1000});
    EXPECT_EQ(back.error().code, ErrorCode::NoMemory);
}

TEST(RestoreSpan, rolledBackTokens_areNoLongerKept) {
    const KvOptions kv = evicting(EvictionPolicy::KeyDiff);
    Talk talk(kv);
    ASSERT_TRUE(talk.bring({100, 110}, kv));
    ASSERT_TRUE(talk.bring({380, 390}, kv));
    Sequence& sequence = *talk.stage.sequence;
    std::vector<TokenId> edited = prompt(kTokens);
    edited[385] ^= 1;
    ASSERT_TRUE(sequence.prepare(edited));
    EXPECT_EQ(sequence.keptSpans(), (KeptSpans{{100, 110}, {380, 385}}));
    edited[0] ^= 1;
    ASSERT_TRUE(sequence.prepare(edited));
    EXPECT_TRUE(sequence.keptSpans().empty());
}

}  // namespace
}  // namespace lacuna::test
