// The server's counters, fed with synthetic events, and their text parsed by Prometheus' own rules.

#include "app/serve/metrics_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "app/serve/cache_admin.h"
#include "tests/app/serve/exposition_text.h"

namespace lacuna::app {
namespace {

using namespace std::chrono_literals;
using test::Exposition;
using test::readExposition;

/// Two slots and their published states.
class Counted {
  public:
    void take(const Event& event, std::chrono::milliseconds at) {
        metrics.take(event, scheduler.slots(), start + at);
        scheduler.take(event);
    }
    void answer(int conversation, int prompt, int reused, int written,
                std::chrono::milliseconds at) {
        const ConversationId id(conversation);
        TurnStarted started;
        started.conversation = id;
        started.promptTokens = prompt;
        started.reusedTokens = reused;
        take(started, at);
        for (int i = 0; i < written; ++i) {
            take(TokenText{.conversation = id, .index = i, .text = "a"}, at + 30ms + i * 20ms);
            StepSample sample;
            sample.at = {.turn = ++turns, .index = i};
            sample.conversation = id;
            sample.tokens = 1;
            sample.kv.tokens = prompt + i;
            sample.kv.liveBytes = 1000;
            sample.kv.allocatedBytes = 2000;
            sample.kv.logicalBytes = 4000;
            sample.kv.stateBytes = 300;
            sample.kv.checkpointBytes = 70;
            take(sample, at + 30ms + i * 20ms);
        }
        // Held-back text is published again with the index of the last token.
        if (written > 0)
            take(TokenText{.conversation = id, .index = written - 1, .text = "b"}, at + 500ms);
        TurnFinished finished;
        finished.conversation = id;
        finished.reason = FinishReason::Length;
        finished.stats = {
            .promptTokens = prompt, .reusedTokens = reused, .generatedTokens = written};
        finished.stats.prefillSeconds = 0.5;
        finished.stats.decodeSeconds = 2;
        take(finished, at + 600ms);
    }
    [[nodiscard]] Exposition read(const ServingNow& now = {.model = "pilot",
                                                           .context = 1000}) const {
        const Exposition text = readExposition(metricsText(metrics.counts(), now, scheduler));
        EXPECT_EQ(text.problems, std::vector<std::string>{});
        return text;
    }
    ServerMetrics metrics;
    RequestScheduler scheduler{2, [](Command) {}};
    std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
    std::int64_t turns = 0;
};

TEST(ServerMetrics, partlyCachedPrompt_isCountedInBothFamilies) {
    Counted counted;
    counted.answer(1, 100, 64, 5, 0ms);
    const Exposition text = counted.read();
    EXPECT_EQ(text.of("vllm:prefix_cache_queries_total{model_name=\"pilot\"}"), 100);
    EXPECT_EQ(text.of("vllm:prefix_cache_hits_total{model_name=\"pilot\"}"), 64);
    EXPECT_EQ(text.of("vllm:prompt_tokens_total{model_name=\"pilot\"}"), 100);
    EXPECT_EQ(text.of("llamacpp:prompt_tokens_total"), 36);
    EXPECT_EQ(text.of("llamacpp:prompt_tokens_cached_total"), 64);
    EXPECT_EQ(text.of("llamacpp:tokens_predicted_total"), 5);
    EXPECT_EQ(text.of("vllm:generation_tokens_total{model_name=\"pilot\"}"), 5);
    EXPECT_EQ(text.of("llamacpp:n_decode_total"), 5);
    EXPECT_EQ(text.of("llamacpp:predicted_tokens_seconds"), 2.5);
    EXPECT_EQ(text.of("vllm:time_to_first_token_seconds_bucket{model_name=\"pilot\",le=\"0.02\"}"),
              0);
    EXPECT_EQ(text.of("vllm:time_to_first_token_seconds_bucket{model_name=\"pilot\",le=\"0.04\"}"),
              1);
    EXPECT_EQ(text.of("vllm:time_to_first_token_seconds_bucket{model_name=\"pilot\",le=\"+Inf\"}"),
              1);
    EXPECT_EQ(text.of("vllm:inter_token_latency_seconds_count{model_name=\"pilot\"}"), 4);
    EXPECT_EQ(
        text.of("vllm:request_success_total{model_name=\"pilot\",finished_reason=\"length\"}"), 1);
    EXPECT_EQ(text.of("lacuna_cache_logical_bytes{slot=\"0\"}"), 4000);
    EXPECT_EQ(text.of("lacuna_cache_live_bytes{slot=\"0\"}"), 1000);
    EXPECT_EQ(text.of("lacuna_cache_allocated_bytes{slot=\"0\"}"), 2000);
    EXPECT_EQ(text.of("lacuna_state_bytes{slot=\"0\"}"), 300);
    EXPECT_EQ(text.of("lacuna_checkpoint_bytes{slot=\"0\"}"), 70);
    EXPECT_EQ(text.of("lacuna_cache_bytes{tier=\"ram\",kind=\"checkpoints\",state=\"used\"}"), 70);
    EXPECT_FALSE(text.has("lacuna_cache_live_bytes{slot=\"1\"}")) << "it has no cache";
}

TEST(ServerMetrics, prefixCache_reportsBytesAndHitsByKind) {
    Counted counted;
    EXPECT_FALSE(counted.read().has("lacuna_prefix_cache_bytes")) << "nothing was said of it";
    PrefixStats stats;
    stats.lookups = 5;
    stats.matches = {2, 0, 1, 2, 0};
    stats.tokensReused = 700;
    stats.evictedForCaches = 3;
    stats.entries = 4;
    stats.bytes = 9000;
    stats.bytesAlone = 1000;
    stats.limitBytes = 10'000;
    counted.take(PrefixCacheChanged{stats}, 0ms);
    const Exposition text = counted.read();
    EXPECT_EQ(text.of("lacuna_prefix_cache_bytes"), 9000);
    EXPECT_EQ(text.of("lacuna_prefix_cache_own_bytes"), 1000);
    EXPECT_EQ(text.of("lacuna_prefix_cache_limit_bytes"), 10'000);
    EXPECT_EQ(text.of("lacuna_prefix_cache_entries"), 4);
    EXPECT_EQ(text.of("lacuna_prefix_cache_lookups_total{result=\"none\"}"), 2);
    EXPECT_EQ(text.of("lacuna_prefix_cache_lookups_total{result=\"diverging\"}"), 2);
    EXPECT_EQ(text.of("lacuna_prefix_cache_tokens_reused_total"), 700);
    EXPECT_EQ(text.of("lacuna_cache_evictions_total{tier=\"ram\",reason=\"caches\"}"), 3);
}

TEST(ServerMetrics, diskTier_reportsBytesHitsAndMissReasons) {
    Counted counted;
    PrefixDiskStats disk;
    disk.limitBytes = 10'000;
    disk.bytes = 9000;
    disk.files = 12;
    disk.hits = 3;
    disk.misses[static_cast<std::size_t>(PrefixMiss::Slower)] = 2;
    disk.quarantined = 1;
    disk.writeFailures = 4;
    disk.problem = "the disk is full";
    disk.encoded = {.done = 6, .seconds = 1.5, .failed = 2};
    disk.decoded = {.done = 1, .seconds = 0.25, .failed = 0};
    disk.evicted = 5;
    disk.last = {.reason = LoadReason::Slower, .loadMs = 80, .computeMs = 20};
    counted.take(PrefixCacheChanged{{}, disk}, 0ms);
    const Exposition text = counted.read();
    EXPECT_EQ(text.of("lacuna_ssd_bytes"), 9000);
    EXPECT_EQ(text.of("lacuna_ssd_limit_bytes"), 10'000);
    EXPECT_EQ(text.of("lacuna_cache_entries{tier=\"ssd\"}"), 12);
    EXPECT_EQ(text.of("lacuna_ssd_promote_total{result=\"done\"}"), 3);
    EXPECT_EQ(text.of("lacuna_ssd_promote_total{result=\"slower\"}"), 2);
    EXPECT_EQ(text.of("lacuna_ssd_quarantined_total"), 1);
    EXPECT_EQ(text.of("lacuna_ssd_spill_total{result=\"failure\"}"), 4);
    EXPECT_EQ(text.of("lacuna_ssd_full"), 1);
    EXPECT_EQ(text.of("lacuna_cache_bytes{tier=\"ssd\",kind=\"pages\",state=\"used\"}"), 9000);
    EXPECT_EQ(text.of("lacuna_cache_evictions_total{tier=\"ssd\",reason=\"limit\"}"), 5);
    EXPECT_EQ(text.of("lacuna_codec_seconds_sum{op=\"encode\"}"), 1.5);
    EXPECT_EQ(text.of("lacuna_codec_seconds_count{op=\"encode\"}"), 8);
    EXPECT_EQ(text.of("lacuna_codec_seconds_count{op=\"decode\"}"), 1);
    EXPECT_EQ(text.of("lacuna_codec_failures_total{op=\"encode\"}"), 2);
    EXPECT_DOUBLE_EQ(text.of("lacuna_ssd_predicted_load_seconds"), 0.08);
    EXPECT_DOUBLE_EQ(text.of("lacuna_ssd_predicted_compute_seconds"), 0.02);
    disk.last = {};
    counted.take(PrefixCacheChanged{{}, disk}, 0ms);
    EXPECT_FALSE(counted.read().has("lacuna_ssd_predicted_load_seconds"))
        << "not known is absent, not zero";
}

TEST(ServerMetrics, unknownFigures_areAbsent) {
    Counted counted;
    const Exposition none = counted.read();
    for (const char* series :
         {"llamacpp:predicted_tokens_seconds", "llamacpp:prompt_tokens_seconds",
          "llamacpp:n_busy_slots_per_decode", "lacuna_quality_kl_nats", "lacuna_cache_limit_bytes",
          "process_resident_memory_bytes", "lacuna_cache_bytes", "lacuna_kv_layers",
          "lacuna_codec_seconds_count{op=\"decode\"}"})
        EXPECT_FALSE(none.has(series)) << series;
    for (const auto& [series, value] : none.values)
        EXPECT_EQ(series.find("precision_kl"), std::string::npos);
    EXPECT_FALSE(counted.read({}).has("llamacpp:kv_cache_usage_ratio")) << "no model, no context";

    QualitySampled sampled;
    sampled.sample.kl = 0.25;
    counted.take(sampled, 0ms);
    sampled.sample.kl = 0.75;
    counted.take(sampled, 0ms);
    EXPECT_EQ(counted.read().of("lacuna_quality_kl_nats"), 0.5);
    counted.take(ConfigApplied{}, 0ms);
    EXPECT_FALSE(counted.read().has("lacuna_quality_kl_nats")) << "measured under other settings";
    EXPECT_EQ(counted.read().of("lacuna_quality_samples_total"), 2);
}

TEST(ServerMetrics, slotCaches_areSummedByKind) {
    Counted counted;
    counted.answer(1, 100, 0, 1, 0ms);
    TurnStarted coded;
    coded.conversation = ConversationId(2);
    coded.config.kv.method = CompactionMethod::AttentionMatching;
    coded.config.kv.quant = {.bits = 4, .group = 0};
    counted.take(coded, 1s);
    StepSample sample;
    sample.conversation = ConversationId(2);
    sample.kv.liveBytes = 30;
    sample.kv.allocatedBytes = 40;
    counted.take(sample, 1s);
    const Exposition text = counted.read();
    const auto bytes = [&](const std::string& kind, const std::string& state) {
        return text.of("lacuna_cache_bytes{tier=\"ram\",kind=\"" + kind + "\",state=\"" + state +
                       "\"}");
    };
    EXPECT_EQ(bytes("plain", "used"), 1000);
    EXPECT_EQ(bytes("plain", "allocated"), 2000);
    EXPECT_EQ(bytes("am_rotated", "used"), 30);
    EXPECT_EQ(bytes("am_rotated", "allocated"), 40);
    EXPECT_EQ(text.of("lacuna_cache_entries{tier=\"ram\"}"), 2);
}

TEST(ServerMetrics, layers_areCountedByTheirCacheKind) {
    ServingNow now{.model = "pilot", .context = 1000};
    now.facts.layers = 4;
    now.facts.windows = {0, 512, 0, 512};
    now.config.kv.method = CompactionMethod::Eviction;
    now.config.kv.skipLayers = {2};
    const Exposition text = Counted().read(now);
    EXPECT_EQ(text.of("lacuna_kv_layers{kind=\"l2\"}"), 1);
    EXPECT_EQ(text.of("lacuna_kv_layers{kind=\"window\"}"), 2);
    EXPECT_EQ(text.of("lacuna_kv_layers{kind=\"plain\"}"), 1);
}

TEST(ServerMetrics, embeddingTexts_countAsPromptTokensOnly) {
    Counted counted;
    counted.metrics.embedded(2, 11, 0.5);
    const Exposition text = counted.read();
    EXPECT_EQ(text.of("llamacpp:prompt_tokens_total"), 11);
    EXPECT_EQ(text.of("llamacpp:prompt_tokens_seconds"), 22);
    EXPECT_EQ(text.of("llamacpp:n_decode_total"), 2);
    EXPECT_EQ(text.of("lacuna_embedded_texts_total"), 2);
    EXPECT_EQ(text.of("vllm:prompt_tokens_total{model_name=\"pilot\"}"), 0);
    EXPECT_FALSE(text.has("llamacpp:n_busy_slots_per_decode")) << "no slot took part";
}

TEST(ServerMetrics, draftRounds_areCountedInBothFamilies) {
    Counted counted;
    TurnStarted started;
    started.conversation = ConversationId(1);
    counted.take(started, 0ms);
    TurnFinished finished;
    finished.conversation = ConversationId(1);
    finished.stats.draftedTokens = 12;
    finished.stats.acceptedTokens = 7;
    finished.stats.draftRounds = 3;
    counted.take(finished, 1s);
    const Exposition text = counted.read();
    EXPECT_EQ(text.of("llamacpp:spec_decode_num_drafts_total"), 3);
    EXPECT_EQ(text.of("llamacpp:spec_decode_num_draft_tokens_total"), 12);
    EXPECT_EQ(text.of("vllm:spec_decode_num_drafts_total{model_name=\"pilot\"}"), 3);
    EXPECT_EQ(text.of("vllm:spec_decode_num_accepted_tokens_total{model_name=\"pilot\"}"), 7);
}

TEST(ServerMetrics, compactions_areCountedByKindAndResult) {
    Counted counted;
    ModelLoaded loaded;
    loaded.facts.layers = 5;
    loaded.facts.kvHeads = 6;
    counted.take(loaded, 0ms);
    CompactionHappened one;
    one.report.result = CompactionResult::Done;
    one.report.method = CompactionMethod::Eviction;
    one.report.slotsBefore = 500;
    one.report.slotsAfter = 200;
    one.report.liveBytesBefore = 9000;
    one.report.liveBytesAfter = 4000;
    one.report.totalMs = 20;
    counted.take(one, 0ms);
    one.report.background = true;
    one.report.stallMs = 5;
    counted.take(one, 0ms);
    one.report.result = CompactionResult::Started;
    counted.take(one, 0ms);
    one.report.result = CompactionResult::Failed;
    one.report.notes = {noteOf(CompactionReason::Failed, "a norm is not finite")};
    counted.take(one, 0ms);
    const Exposition text = counted.read();
    const auto count = [&](const std::string& result) {
        return text.of("lacuna_compaction_total{kind=\"l2\",result=\"" + result +
                       "\",cause=\"budget\"}");
    };
    EXPECT_EQ(count("done"), 2);
    EXPECT_EQ(count("started"), 1);
    EXPECT_EQ(count("failed"), 1);
    EXPECT_NEAR(text.of("lacuna_compaction_stall_seconds_total"), 0.020 + 0.005 + 0.005, 1e-9);
    EXPECT_EQ(text.of("lacuna_compaction_dropped_slots_total"), 600);
    EXPECT_EQ(text.of("lacuna_compaction_tokens_dropped_total"), 20) << "of 30 heads";
    EXPECT_EQ(text.of("lacuna_compaction_freed_bytes_total"), 10000);
    EXPECT_EQ(text.of("lacuna_compaction_seconds_count"), 2);
    EXPECT_EQ(counted.metrics.counts().lastCompactionError, "a norm is not finite");
    EXPECT_EQ(counted.metrics.counts().compactionSeconds.boundOf(0.95), 0.025);
}

TEST(ServerMetrics, restoredTokens_areCountedOnceByResult) {
    Counted counted;
    SpanRestored span;
    span.conversation = ConversationId(1);
    span.count = 12;
    counted.take(span, 0ms);  // it starts
    span.ended = true;
    counted.take(span, 0ms);
    span.error = fail(ErrorCode::Unsupported, "nothing is kept").value();
    counted.take(span, 0ms);
    const Exposition text = counted.read();
    EXPECT_EQ(text.of("lacuna_restores_total{result=\"done\"}"), 1);
    EXPECT_EQ(text.of("lacuna_restores_total{result=\"failed\"}"), 1);
    EXPECT_EQ(text.of("lacuna_restored_tokens_total"), 12);
}

TEST(ServerMetrics, autoRestoreTurns_areCountedSeparately) {
    Counted counted;
    SpanRestored span;
    span.conversation = ConversationId(1);
    span.forQuestion = span.ended = true;
    span.count = 9;
    span.seconds = 0.5;
    counted.take(span, 0ms);
    span.offered = true;
    counted.take(span, 0ms);
    span.offered = false;
    span.count = 0;
    counted.take(span, 0ms);
    span.error = fail(ErrorCode::Unsupported, "nothing is kept").value();
    counted.take(span, 0ms);
    const Exposition text = counted.read();
    for (const char* result : {"restored", "offered", "nothing", "skipped"})
        EXPECT_EQ(
            text.of(std::string("lacuna_questions_looked_back_total{result=\"") + result + "\"}"),
            1)
            << result;
    EXPECT_EQ(text.of("lacuna_look_back_seconds_total"), 2);
    EXPECT_EQ(text.of("lacuna_restored_tokens_total"), 9);
    EXPECT_EQ(text.of("lacuna_restores_total{result=\"done\"}"), 0);
}

TEST(ServerMetrics, labels_areEscaped) {
    Counted counted;
    counted.answer(1, 10, 0, 1, 0ms);
    const Exposition text = counted.read({.model = "a\"b\\c\nd", .context = 1000});
    EXPECT_EQ(text.of("vllm:generation_tokens_total{model_name=\"a\\\"b\\\\c\\nd\"}"), 1);
}

TEST(ServerMetrics, releasedCache_isNoLongerReported) {
    Counted counted;
    counted.answer(1, 100, 0, 5, 0ms);
    counted.answer(2, 10, 0, 5, 1s);
    EXPECT_EQ(counted.read().of("llamacpp:kv_cache_tokens"), 104 + 14);
    counted.metrics.remove(ConversationId(1));
    const Exposition text = counted.read();
    EXPECT_EQ(text.of("llamacpp:kv_cache_tokens"), 14);
    EXPECT_FALSE(text.has("lacuna_cache_live_bytes{slot=\"0\"}"));
    EXPECT_EQ(text.of("llamacpp:n_tokens_max"), 104);
}

TEST(ServerMetrics, eventsOfAReleasedCache_areIgnoredUntilItsNextTurn) {
    Counted counted;
    counted.answer(1, 100, 0, 5, 0ms);
    counted.metrics.remove(ConversationId(1));
    StepSample late;
    late.conversation = ConversationId(1);
    late.kv.tokens = 104;
    counted.take(late, 1s);
    EXPECT_TRUE(counted.metrics.counts().caches.empty());
    counted.answer(1, 10, 0, 5, 2s);
    EXPECT_EQ(counted.metrics.counts().caches.size(), 1U);
}

TEST(ServerMetrics, backgroundCompaction_isPendingUntilItEnds) {
    Counted counted;
    const EngineConfig config;
    const std::map<ConversationId, EngineConfig> turns;
    const ModelFacts model;
    const SettingsShown shown{
        .requested = config, .effective = config, .turns = turns, .model = model};
    const auto pending = [&] {
        return compressionJson(shown, counted.metrics, counted.scheduler)["pending"].get<bool>();
    };
    const auto latency = [&] {
        return compressionJson(shown, counted.metrics,
                               counted.scheduler)["avg_compression_latency_ms"];
    };
    EXPECT_FALSE(pending());
    EXPECT_TRUE(latency().is_null()) << "no compaction was measured yet";
    const auto happened = [&](CompactionResult result, bool background) {
        CompactionHappened event;
        event.conversation = ConversationId(1);
        event.report.result = result;
        event.report.background = background;
        event.report.totalMs = 20;
        counted.take(event, 0ms);
    };
    for (const CompactionResult end :
         {CompactionResult::Done, CompactionResult::Failed, CompactionResult::Aborted}) {
        happened(CompactionResult::Started, true);
        EXPECT_TRUE(pending());
        happened(end, true);
        EXPECT_FALSE(pending());
    }
    EXPECT_EQ(latency(), 20.0);
    happened(CompactionResult::Started, true);
    counted.metrics.remove(ConversationId(1));
    EXPECT_FALSE(pending()) << "it went with its cache";
    happened(CompactionResult::Done, false);
    EXPECT_FALSE(pending());
}

TEST(ServerMetrics, timeToFirstToken_hasTheBucketBoundsOfVllm) {
    Counted counted;
    counted.answer(1, 10, 0, 1, 0ms);
    const Exposition text = counted.read();
    std::vector<std::string> bounds;
    const std::string begin = "vllm:time_to_first_token_seconds_bucket{model_name=\"pilot\",le=\"";
    for (const auto& [series, value] : text.values)
        if (series.starts_with(begin))
            bounds.push_back(series.substr(begin.size(), series.size() - begin.size() - 2));
    std::ranges::sort(bounds, {}, [](const std::string& bound) {
        return bound == "+Inf" ? std::numeric_limits<double>::infinity() : std::stod(bound);
    });
    EXPECT_EQ(bounds, (std::vector<std::string>{"0.001", "0.005", "0.01", "0.02", "0.04", "0.06",
                                                "0.08",  "0.1",   "0.25", "0.5",  "0.75", "1",
                                                "2.5",   "5",     "7.5",  "10",   "20",   "40",
                                                "80",    "160",   "640",  "2560", "+Inf"}));
}

TEST(ServerMetrics, counters_continueAfterAModelChange) {
    Counted counted;
    counted.answer(1, 100, 0, 5, 0ms);
    counted.take(ModelUnloaded{}, 2s);
    const Exposition none = counted.read({});
    EXPECT_EQ(none.of("llamacpp:tokens_predicted_total"), 5);
    counted.take(ModelLoaded{}, 3s);
    counted.answer(1, 100, 0, 5, 4s);
    const Exposition text = counted.read();
    EXPECT_EQ(text.of("llamacpp:tokens_predicted_total"), 10);
    EXPECT_EQ(text.of("llamacpp:prompt_tokens_total"), 200);
}

TEST(ServerMetrics, lookups_coverTheLastMinutes) {
    Counted counted;
    counted.answer(1, 100, 0, 1, 0min);
    counted.answer(1, 100, 60, 1, 3min);
    counted.answer(1, 100, 80, 1, 7min);
    const auto since = [&](std::chrono::minutes span, std::chrono::minutes now) {
        const auto lookups = counted.metrics.lookupsSince(span, counted.start + now);
        return std::pair(lookups.asked, lookups.found);
    };
    using Pair = std::pair<std::int64_t, std::int64_t>;
    EXPECT_EQ(since(1min, 7min), Pair(100, 80));
    EXPECT_EQ(since(5min, 7min), Pair(200, 140));
    EXPECT_EQ(since(15min, 7min), Pair(300, 140));
    EXPECT_EQ(since(1min, 9min), Pair(0, 0));
    EXPECT_EQ(counted.metrics.counts().hits, 2);
    EXPECT_EQ(counted.metrics.counts().misses, 1);
}

}  // namespace
}  // namespace lacuna::app
