// The spans of forgotten tokens that a question attends to: runs around the tokens that heads
// without them would have attended to, within their limit, most attended last.

#include "engine/generate/look_back.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/base/random.h"
#include "engine/generate/bring_back.h"
#include "engine/kv/eviction/eviction_plan.h"
#include "tests/support/generation_stage.h"

namespace lacuna::test {
namespace {

constexpr std::int64_t kTokens = 300;

KvOptions evicting() {
    KvOptions kv;
    kv.method = CompactionMethod::Eviction;
    kv.lossLimit.level = LossLimit::Level::Off;
    kv.compactionFloor = 0;
    kv.evictionPolicy = EvictionPolicy::KeyDiff;
    kv.budget = 64;
    kv.keepRecent = 8;
    kv.nSink = 2;
    return kv;
}

/// A text that was read, with a copy from before its compaction.
struct Talk {
    Talk() : stage(modelOptions()) {
        const std::vector<TokenId> text = prompt(kTokens);
        Sequence& sequence = *stage.sequence;
        for (std::size_t at = 0; at < text.size(); at += 50) {
            const auto chunk = std::span(text).subspan(at, 50);
            const BatchRun run{
                .tokens = chunk, .cache = &sequence.cache(), .logits = LogitsFor::None};
            EXPECT_TRUE(stage.model.forward({&run, 1}, {}));
            sequence.appended(chunk);
        }
        whole = sequence.cache().share().value();
        EXPECT_EQ(sequence.compactor().compact(sequence.cache(), evicting()).result,
                  CompactionResult::Done);
    }
    static FakeModelOptions modelOptions() {
        FakeModelOptions options;
        options.context = 4096;
        return options;
    }
    [[nodiscard]] const KvCache& cache() const { return stage.sequence->cache(); }
    /// Returns scores without any attention.
    [[nodiscard]] ReconstructionScores nothingLooked() const {
        const KvShape& shape = cache().shape();
        ReconstructionScores looked;
        looked.layers = shape.layers;
        looked.kvHeads = shape.kvHeads;
        looked.tokens = kTokens;
        looked.shares.assign(static_cast<std::size_t>(shape.layers * shape.kvHeads * kTokens), 0);
        return looked;
    }
    [[nodiscard]] LookBackQuestion asks(std::span<const TokenId> question) const {
        return {.text = stage.sequence->tokens(), .question = question, .cache = cache()};
    }
    [[nodiscard]] bool holds(int head, std::int64_t position) const {
        const KvHeadView view = cache().head(LayerIndex(head / cache().shape().kvHeads),
                                             HeadIndex(head % cache().shape().kvHeads));
        const SlotPositions slots{view.positions, view.slots, kTokens, view.bias};
        for (int slot = 0; slot < slots.slots; ++slot)
            if (!slots.isHole(slot) && slots.at(slot) == position) return true;
        return false;
    }
    /// Returns the first token at or after `position` that the first head has forgotten.
    [[nodiscard]] std::int64_t forgottenFrom(std::int64_t position) const {
        while (holds(0, position)) ++position;
        return position;
    }
    Stage stage;
    std::unique_ptr<KvCache> whole;
};

constexpr LookBackLimits kLimits{.least = 0.1F, .before = 3, .after = 5, .spans = 2, .room = 100};

TEST(SoughtSpans, nothingAttended_givesNoSpans) {
    const Talk talk;
    EXPECT_TRUE(neededSpans(talk.nothingLooked(), talk.cache(), kLimits).empty());
}

TEST(SoughtSpans, evictedTokens_includeNeighbours_strongestLast) {
    const Talk talk;
    const std::int64_t weak = talk.forgottenFrom(60);
    const std::int64_t strong = talk.forgottenFrom(150);
    const std::int64_t least = talk.forgottenFrom(220);
    ReconstructionScores looked = talk.nothingLooked();
    looked.shares[static_cast<std::size_t>(weak)] = 0.3F;
    looked.shares[static_cast<std::size_t>(strong)] = 0.9F;
    looked.shares[static_cast<std::size_t>(least)] = 0.05F;
    EXPECT_EQ(neededSpans(looked, talk.cache(), kLimits),
              (KeptSpans{{weak - 3, weak + 6}, {strong - 3, strong + 6}}));
}

TEST(SoughtSpans, heldTokens_areNotSought) {
    const Talk talk;
    std::int64_t held = 20;
    while (!talk.holds(0, held)) ++held;
    ReconstructionScores looked = talk.nothingLooked();
    looked.shares[static_cast<std::size_t>(held)] = 0.9F;
    EXPECT_TRUE(neededSpans(looked, talk.cache(), kLimits).empty());
}

// A compaction is due, so a held token may be gone before the answer.
TEST(SoughtSpans, tokensDueForEviction_areSought) {
    const Talk talk;
    std::int64_t held = 20;
    while (!talk.holds(0, held)) ++held;
    ReconstructionScores looked = talk.nothingLooked();
    looked.shares[static_cast<std::size_t>(held)] = 0.9F;
    LookBackLimits limits = kLimits;
    limits.due = {2, held};
    EXPECT_TRUE(neededSpans(looked, talk.cache(), limits).empty());
    limits.due.last = held + 1;
    EXPECT_EQ(neededSpans(looked, talk.cache(), limits).size(), 1U);
}

TEST(SoughtSpans, anyScores_stayWithinTheLimits) {
    const Talk talk;
    RandomStream random(11, 1);
    for (int round = 0; round < 200; ++round) {
        ReconstructionScores looked = talk.nothingLooked();
        for (int i = 0; i < 40; ++i)
            looked.shares[random.below(looked.shares.size())] =
                static_cast<float>(random.below(1000)) / 1000.0F;
        LookBackLimits limits = kLimits;
        limits.before = static_cast<int>(random.below(20));
        limits.after = static_cast<int>(random.below(20));
        limits.spans = 1 + random.below(5);
        limits.room = static_cast<std::int64_t>(random.below(120));
        const KeptSpans spans = neededSpans(looked, talk.cache(), limits);
        EXPECT_LE(spans.size(), limits.spans);
        EXPECT_LE(tokensOf(spans), limits.room);
        for (const TokenSpan& one : spans) {
            EXPECT_GE(one.first, 0);
            EXPECT_LE(one.last, kTokens);
            bool sought = false;
            for (std::int64_t at = one.first; at < one.last; ++at)
                for (int head = 0; head < looked.layers * looked.kvHeads; ++head)
                    sought |= looked.shares[static_cast<std::size_t>(head * kTokens + at)] >=
                                  limits.least &&
                              !talk.holds(head, at);
            EXPECT_TRUE(sought) << one.first;
        }
    }
}

TEST(SoughtBy, question_isReadOverTheFullText_leavingTheConversation) {
    Talk talk;
    const std::string before = talk.cache().save().value();
    auto start = talk.whole->share().value();
    ASSERT_TRUE(start->rollback(20));
    const std::vector<TokenId> question = prompt(10);
    const CompactorModel facts{.heads = talk.stage.options.heads, .scale = 0.5F, .seed = 1};
    const AutoRestoreDependencies dependencies{
        .model = talk.stage.model, .pool = talk.stage.pool, .facts = facts, .chunk = 7};
    LookBackLimits limits = kLimits;
    limits.least = 0;
    const auto spans = neededBy(talk.asks(question), *start, dependencies, limits);
    ASSERT_TRUE(spans) << spans.error().what;
    EXPECT_FALSE(spans->empty()) << "every forgotten token gets some attention";
    EXPECT_EQ(start->offset().value, kTokens + 9) << "the last one is fed with the answer";
    EXPECT_EQ(talk.cache().save().value(), before);
    EXPECT_TRUE(checkRestore(*talk.stage.sequence, *spans, evicting()));
}

TEST(SoughtBy, cancelled_isReported) {
    Talk talk;
    auto start = talk.whole->share().value();
    const CompactorModel facts{.heads = talk.stage.options.heads, .scale = 0.5F, .seed = 1};
    const std::vector<TokenId> question = prompt(10);
    const auto spans = neededBy(talk.asks(question), *start,
                                {.model = talk.stage.model,
                                 .pool = talk.stage.pool,
                                 .facts = facts,
                                 .cancelled = [] { return true; }},
                                kLimits);
    ASSERT_FALSE(spans);
    EXPECT_EQ(spans.error().code, ErrorCode::Cancelled);
}

}  // namespace
}  // namespace lacuna::test
