// Cache settings made by a user, end to end over a small random model: their effect, their bytes
// and their combinations.

#include <gtest/gtest.h>

#include "tests/support/compaction_notes.h"
#include "tests/support/engine_runner.h"
#include "tests/support/random_model.h"

namespace lacuna::test {
namespace {

constexpr int kAnswer = 60;

/// Every second layer has a window of 16 tokens.
ModelSpec hybridSpec() {
    ModelSpec spec = smallSpec();
    spec.window = 16;
    spec.layerSpecs.resize(static_cast<std::size_t>(spec.layers));
    spec.layerSpecs[0].sliding = spec.layerSpecs[2].sliding = true;
    return spec;
}

EngineConfig settings(const std::vector<std::string>& assignments) {
    EngineConfig config;
    config.sampling.temperature = 0;
    config.maxTokens = kAnswer;
    config.prefillChunk = 16;
    config.kv.compactionFloor = 0;
    config.kv.lossLimit.level = LossLimit::Level::Off;
    const auto made = withSettings(config, assignments);
    EXPECT_TRUE(made.has_value());
    return made.value_or(config);
}

/// One question answered under these settings.
struct Answer {
    TurnFinished finished;
    std::vector<StepSample> samples;
    std::vector<CompactionHappened> compactions;
    std::vector<QualitySampled> judged;
    [[nodiscard]] const KvStats& kv() const { return samples.back().kv; }
};

Answer ask(const std::vector<std::string>& assignments, const ModelSpec& spec = smallSpec()) {
    EngineRunner run(settings(assignments));
    ModelMakers makers;
    makers.load = [spec](const std::filesystem::path&, const LoadOptions&) {
        return makeRandomModel(spec, DType::F32);
    };
    run.makers = makers;
    run.start();
    EXPECT_TRUE(run.load());
    // Repeated words let n-gram drafts propose tokens.
    run.submit(1, "one two three four one two three four one two three four one two three");
    EXPECT_TRUE(run.waitFor<TurnFinished>());
    run.finish();
    Answer answer;
    answer.samples = run.all<StepSample>();
    answer.compactions = run.all<CompactionHappened>();
    answer.judged = run.all<QualitySampled>();
    const auto finished = run.all<TurnFinished>();
    EXPECT_EQ(finished.size(), 1U);
    if (!finished.empty()) answer.finished = finished[0];
    EXPECT_FALSE(answer.finished.error.has_value())
        << (answer.finished.error ? describe(*answer.finished.error) : "");
    EXPECT_FALSE(answer.samples.empty());
    return answer;
}

TEST(CacheSettings, matchingOnAHybridModel_runsInTheBackground) {
    const Answer answer = ask({"am_ratio=2", "keep_recent=8", "n_sink=2"}, hybridSpec());
    ASSERT_FALSE(answer.compactions.empty());
    const CompactionReport& begun = answer.compactions.front().report;
    EXPECT_EQ(begun.result, CompactionResult::Started) << begun.notes;
    EXPECT_TRUE(begun.background);
    // The time at which it is applied depends on the machine, and so may the further text of a
    // random model.
    EXPECT_FALSE(answer.finished.error.has_value());
    EXPECT_FALSE(answer.finished.tokens.empty());
}

TEST(CacheSettings, kvType_quantised_usesItsShareOfTheBytes) {
    const Answer plain = ask({});
    EXPECT_EQ(plain.kv().liveBytes, plain.kv().logicalBytes);
    for (const auto& [type, bytes] :
         {std::pair{"q8_0", 36}, {"q4_0", 20}, {"t8", 34}, {"t5", 22}, {"t3", 14}, {"t1", 6}}) {
        const Answer coded = ask({std::string("kv_type=") + type, "exact_window=0"});
        EXPECT_EQ(coded.kv().logicalBytes, coded.kv().tokens * 3 * 2 * 2 * 32 * 2);
        EXPECT_EQ(coded.kv().liveBytes * 64, coded.kv().logicalBytes * bytes) << type;
        EXPECT_GE(coded.kv().allocatedBytes, coded.kv().liveBytes);
        EXPECT_FALSE(coded.finished.tokens.empty());
    }
}

// Keys and values differ in format: the bytes of 32 numbers of a key and of a value.
TEST(CacheSettings, vType_quantisesValuesOnly) {
    for (const auto& [settings, bytes] :
         {std::pair{std::vector<std::string>{"v_type=q8_0"}, 64 + 36},
          {{"v_type=q4_0"}, 64 + 20},
          {{"kv_type=q8_0", "v_type=q4_0"}, 36 + 20},
          {{"kv_type=q8_0", "v_type=f16"}, 36 + 64},
          {{"kv_type=q8_0", "v_type=f32"}, 36 + 128},
          {{"kv_type=t8", "v_type=t4", "exact_window=0"}, 34 + 18},
          {{"kv_type=t8", "v_type=q4_0", "exact_window=0"}, 34 + 20},
          {{"v_type=t3", "exact_window=0"}, 64 + 14},
          {{"v_type=same"}, 128},
          {{"v_type=q8_0", "window=32"}, 64 + 36}}) {
        const Answer apart = ask(settings);
        const std::int64_t slots = apart.kv().slotsTotal;
        std::int64_t live = apart.kv().liveBytes;
        if (settings.size() > 1 && settings[1] == "window=32")
            live -= 32 * 4;  // positions of the ring buffer
        EXPECT_EQ(live, slots * bytes) << settings[0];
        EXPECT_FALSE(apart.finished.tokens.empty());
    }
    const Answer compacted =
        ask({"v_type=q4_0", "budget=48", "norm_policy=keydiff", "margin=8", "keep_recent=8"});
    ASSERT_FALSE(compacted.compactions.empty());
    EXPECT_EQ(compacted.compactions[0].report.result, CompactionResult::Done);
}

// 20 newest and 3 first tokens, as 2 x 32 f16 with 8 bytes for each position; only keys or only
// values if the others are not rotated codes.
TEST(CacheSettings, exactWindow_usesConstantBytes_atAnyLength) {
    for (const auto& [settings, bytes, exact] :
         {std::tuple{std::vector<std::string>{"kv_type=t3"}, 14 + 14, 128 + 8},
          {{"kv_type=q8_0", "v_type=t2"}, 36 + 10, 64 + 8}}) {
        auto all = settings;
        all.insert(all.end(), {"exact_window=20", "n_sink=3"});
        const Answer answer = ask(all);
        const KvStats& kv = answer.kv();
        ASSERT_GT(kv.tokens, 60);
        EXPECT_EQ(kv.liveBytes, kv.slotsTotal * bytes + 3 * 2 * 23 * exact) << settings[0];
    }
    const Answer compacted = ask({"kv_type=t4", "exact_window=20", "budget=48", "margin=8",
                                  "keep_recent=8", "norm_policy=keep_low"});
    ASSERT_FALSE(compacted.compactions.empty());
    const KvStats& kv = compacted.kv();
    EXPECT_GT(kv.liveBytes, kv.slotsTotal * (18 + 18));
}

TEST(CacheSettings, budget_compactsQuantisedRows) {
    for (const char* type : {"kv_type=q8_0", "kv_type=t4"})
        for (const char* policy :
             {"norm_policy=keep_low", "norm_policy=keydiff", "norm_policy=accumulated_attention",
              "norm_policy=expected_attention", "norm_policy=tri_attention",
              "norm_policy=reconstruct"}) {
            // A policy that reads its text again would wait for the pause after the answer.
            const Answer answer = ask({type, policy, "budget=48", "margin=8", "keep_recent=8",
                                       "exact_window=16", "background=off"});
            ASSERT_FALSE(answer.compactions.empty()) << type << " " << policy;
            for (const CompactionHappened& one : answer.compactions)
                EXPECT_EQ(one.report.result, CompactionResult::Done) << one.report.notes;
            EXPECT_LT(answer.kv().liveBytes, answer.kv().logicalBytes / 2) << type << " " << policy;
        }
}

TEST(CacheSettings, matching_mergesRotatedCodes) {
    for (const char* background : {"background=off", "background=on"}) {
        const Answer answer =
            ask({"kv_type=t4", "v_type=t3", "am_ratio=3", "keep_recent=8", "n_sink=2", background});
        ASSERT_FALSE(answer.compactions.empty()) << background;
        const CompactionReport& first = answer.compactions[0].report;
        // The time at which a background compaction is applied depends on the machine.
        if (first.background) {
            EXPECT_EQ(first.result, CompactionResult::Started) << first.notes;
            continue;
        }
        EXPECT_EQ(first.result, CompactionResult::Done) << first.notes;
        EXPECT_LT(first.slotsAfter, first.slotsBefore / 2);
    }
}

// Other features that use a cache work with rotated codes.
TEST(CacheSettings, rotatedCodes_workWithWindowsDraftsAndLiveQuality) {
    const Answer window = ask({"kv_type=t4", "window=32"});
    EXPECT_EQ(window.kv().slotsLargestHead, 32);
    const Answer hybrid = ask({"kv_type=t4", "v_type=t2", "exact_window=8"}, hybridSpec());
    EXPECT_FALSE(hybrid.finished.tokens.empty());
    EXPECT_LT(hybrid.kv().liveBytes, hybrid.kv().logicalBytes / 4);
    // Drafts are only proposals: the answer equals that without them.
    for (const char* exact : {"exact_window=0", "exact_window=8", "exact_window=128"}) {
        const Answer drafted = ask({"kv_type=t8", exact, "draft_tokens=4"});
        EXPECT_GT(drafted.finished.stats.draftedTokens, 0);
        EXPECT_EQ(drafted.finished.tokens, ask({"kv_type=t8", exact}).finished.tokens) << exact;
    }
    std::size_t judged = 0;
    for (const char* type : {"kv_type=t8", "kv_type=t4", "kv_type=t3"})
        for (const QualitySampled& one : ask({type, "quality_every=4", "exact_window=8"}).judged) {
            ++judged;
            EXPECT_GT(one.sample.kl, 0) << type;
        }
    EXPECT_GT(judged, 0U) << "coded rows are held against whole ones";
}

TEST(CacheSettings, window_longerThanTheText_changesNothing) {
    EXPECT_EQ(ask({"window=1000"}).finished.tokens, ask({}).finished.tokens);
}

TEST(CacheSettings, GL_11_window_boundsTheSlots_andTheAnswerContinues) {
    const Answer answer = ask({"window=32"});
    EXPECT_GT(answer.kv().tokens, 100);
    EXPECT_EQ(answer.kv().slotsLargestHead, 32);
    EXPECT_EQ(answer.finished.reason, FinishReason::Length);
}

// Rejected drafts are removed from a cache that has overwritten older tokens by then.
TEST(CacheSettings, SP_05_draftsOverAWindow_giveTheSameAnswer) {
    for (const std::string window : {"window=32", "window=1000"}) {
        const Answer plain = ask({window});
        const Answer drafted = ask({window, "draft_tokens=4"});
        EXPECT_GT(drafted.finished.stats.draftedTokens, 0) << window;
        EXPECT_LT(drafted.finished.stats.acceptedTokens, drafted.finished.stats.draftedTokens);
        EXPECT_EQ(drafted.finished.tokens, plain.finished.tokens) << window;
    }
}

TEST(CacheSettings, hybridModel_givesTheSameAnswer_inFewerBytes) {
    const Answer uniform = ask({"kv_type=f32", "layer_caches=uniform"}, hybridSpec());
    const Answer list = ask({"kv_type=f32"}, hybridSpec());
    EXPECT_EQ(list.finished.tokens, uniform.finished.tokens);
    EXPECT_LT(list.kv().liveBytes, uniform.kv().liveBytes / 2);
    EXPECT_EQ(list.kv().logicalBytes, uniform.kv().logicalBytes);
    const Answer drafted = ask({"kv_type=f32", "draft_tokens=4"}, hybridSpec());
    EXPECT_EQ(drafted.finished.tokens, uniform.finished.tokens);
    EXPECT_GT(drafted.finished.stats.draftedTokens, 0);
}

// A budget applies to full layers; the others are bounded by their windows.
TEST(CacheSettings, S1_09_budgetOfAHybridModel_compactsTheFullLayers) {
    for (const std::string method : {"method=l2", "method=am"}) {
        const Answer answer = ask({method, "budget=48", "margin=8", "keep_recent=8",
                                   "head_budgets=uniform", "background=off"},
                                  hybridSpec());
        ASSERT_FALSE(answer.compactions.empty()) << method;
        for (const CompactionHappened& one : answer.compactions)
            EXPECT_EQ(one.report.result, CompactionResult::Done) << one.report.notes;
        // Attention matching skips heads with fewer than 64 slots.
        const int most = method == "method=am" ? 64 : 48 + 8 + 1;
        EXPECT_LE(answer.kv().slotsLargestHead, most) << method;
    }
}

}  // namespace
}  // namespace lacuna::test
