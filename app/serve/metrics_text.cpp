#include "app/serve/metrics_text.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "app/serve/cache_kinds.h"
#include "app/serve/metrics_writer.h"
#include "engine/base/units.h"
#include "engine/settings/setting_value.h"

namespace lacuna::app {
namespace {

using Labels = MetricsWriter::Labels;

double limitBytes(const ServingNow& now) {
    return now.config.cacheLimitMiB * kMiB;
}

/// Usage relative to the memory limit; without a limit, relative to the context positions of all
/// slots.
std::optional<double> cacheUsage(const ServerCounts& counts, const ServingNow& now,
                                 const RequestScheduler& scheduler) {
    double live = 0;
    std::int64_t fullest = 0;
    for (const auto& [id, kv] : counts.caches) {
        live += static_cast<double>(kv.contentBytes());
        fullest += kv.slotsLargestHead;
    }
    if (limitBytes(now) > 0) return std::min(live / limitBytes(now), 1.0);
    if (now.context <= 0) return std::nullopt;
    const auto places = static_cast<double>(scheduler.slots().size()) * now.context;
    return std::min(static_cast<double>(fullest) / places, 1.0);
}

/// Metrics under the names of llama.cpp's server, without labels.
void addLlamaFamily(MetricsWriter& out, const ServerCounts& counts, const ServingNow& now,
                    const RequestScheduler& scheduler) {
    out.counter(
        "llamacpp:prompt_tokens_total",
        "Prompt tokens computed, without those found in a cache; includes embedding requests.",
        counts.readTokens);
    out.counter("llamacpp:prompt_tokens_cached_total", "Prompt tokens found in a cache.",
                counts.lookups.found);
    out.counter("llamacpp:prompt_seconds_total", "Time spent computing prompt tokens.",
                counts.readSeconds);
    out.counter("llamacpp:tokens_predicted_total", "Tokens generated in finished answers.",
                counts.writtenTokens);
    out.counter("llamacpp:tokens_predicted_seconds_total", "Time spent generating tokens.",
                counts.writtenSeconds);
    out.counter("llamacpp:n_decode_total",
                "Steps of the engine, including one for each embedded text.",
                counts.steps + counts.embeddedTexts);
    out.gauge("llamacpp:n_tokens_max", "Largest number of tokens in a conversation.",
              counts.maxTokens);
    if (counts.readSeconds > 0)
        out.gauge("llamacpp:prompt_tokens_seconds", "Mean prompt tokens computed per second.",
                  static_cast<double>(counts.readTokens) / counts.readSeconds);
    if (counts.writtenSeconds > 0)
        out.gauge("llamacpp:predicted_tokens_seconds",
                  "Mean tokens generated per second of an answer.",
                  static_cast<double>(counts.writtenTokens) / counts.writtenSeconds);
    out.gauge("llamacpp:requests_processing", "Answers being generated.", scheduler.running());
    out.gauge("llamacpp:requests_deferred", "Answers waiting for a slot.", scheduler.waiting());
    if (counts.steps > 0)
        out.gauge("llamacpp:n_busy_slots_per_decode", "Mean number of answers per step.",
                  static_cast<double>(counts.partsOfSteps) / static_cast<double>(counts.steps));
    if (const auto usage = cacheUsage(counts, now, scheduler))
        out.gauge("llamacpp:kv_cache_usage_ratio", "Same as vllm:kv_cache_usage_perc.", *usage);
    std::int64_t tokens = 0;
    for (const auto& [id, kv] : counts.caches) tokens += kv.tokens;
    out.gauge("llamacpp:kv_cache_tokens", "Tokens represented by the caches of all slots.", tokens);
    out.counter("llamacpp:spec_decode_num_drafts_total", "Steps that verified draft tokens.",
                counts.draftRounds);
    out.counter("llamacpp:spec_decode_num_draft_tokens_total", "Draft tokens that were verified.",
                counts.drafted);
    out.counter("llamacpp:spec_decode_num_accepted_tokens_total",
                "Draft tokens that were accepted.", counts.accepted);
}

/// Metrics under the names of vLLM's server, with a model label.
void addVllmFamily(MetricsWriter& out, const ServerCounts& counts, const ServingNow& now,
                   const RequestScheduler& scheduler) {
    const Labels model{{"model_name", now.model}};
    out.gauge("vllm:num_requests_running", "Answers being generated.", scheduler.running(), model);
    out.gauge("vllm:num_requests_waiting", "Answers waiting for a slot.", scheduler.waiting(),
              model);
    if (const auto usage = cacheUsage(counts, now, scheduler)) {
        out.gauge("vllm:kv_cache_usage_perc",
                  "Share of the cache in use, 0 to 1: of cache_limit or, without a limit, of the "
                  "context of all slots.",
                  *usage, model);
        out.gauge("vllm:gpu_cache_usage_perc", "Former name of vllm:kv_cache_usage_perc.", *usage,
                  model);
    }
    out.gauge("vllm:cache_config_info", "Cache settings, as labels.", 1,
              {{"model_name", now.model},
               {"cache_dtype", settingValueText(now.config, "kv_type")},
               {"value_dtype", settingValueText(now.config, "v_type")},
               {"method", settingValueText(now.config, "method")},
               {"num_slots", format("{}", scheduler.slots().size())}});
    out.counter("vllm:prefix_cache_queries_total", "Prompt tokens looked up in caches.",
                counts.lookups.asked, model);
    out.counter("vllm:prefix_cache_hits_total", "Prompt tokens found in caches.",
                counts.lookups.found, model);
    out.counter("vllm:prompt_tokens_total", "Prompt tokens of started answers.",
                counts.promptTokens, model);
    out.counter("vllm:generation_tokens_total", "Tokens generated.", counts.generatedTokens, model);
    out.family("vllm:request_success_total", "counter", "Finished answers by reason.");
    for (const char* reason : {"stop", "length", "abort", "error"}) {
        const auto found = counts.ends.find(reason);
        out.sample(found == counts.ends.end() ? 0 : found->second,
                   {{"model_name", now.model}, {"finished_reason", reason}});
    }
    out.counter("vllm:num_preemptions_total", "Answers put back into the queue; always 0.", 0,
                model);
    out.counter("vllm:spec_decode_num_drafts_total", "Steps that verified draft tokens.",
                counts.draftRounds, model);
    out.counter("vllm:spec_decode_num_draft_tokens_total", "Draft tokens that were verified.",
                counts.drafted, model);
    out.counter("vllm:spec_decode_num_accepted_tokens_total", "Draft tokens that were accepted.",
                counts.accepted, model);
    out.histogram("vllm:time_to_first_token_seconds", "Time from the request to the first token.",
                  counts.timeToFirstToken, model);
    out.histogram("vllm:inter_token_latency_seconds",
                  "Time from one token of an answer to the next.", counts.betweenTokens, model);
    out.histogram("vllm:time_per_output_token_seconds",
                  "Former name of vllm:inter_token_latency_seconds.", counts.betweenTokens, model);
    out.histogram("vllm:e2e_request_latency_seconds",
                  "Time from the request to the end of its answer.", counts.wholeRequest, model);
    out.histogram("vllm:request_queue_time_seconds",
                  "Time from the request to the start of its answer.", counts.queued, model);
    out.histogram("vllm:request_prefill_time_seconds", "Time spent computing the prompt.",
                  counts.prefill, model);
    out.histogram("vllm:request_decode_time_seconds", "Time spent generating the answer.",
                  counts.decode, model);
    out.histogram("vllm:request_inference_time_seconds",
                  "Time from the start of an answer to its end.", counts.inference, model);
    out.histogram("vllm:request_prompt_tokens", "Tokens per prompt.", counts.promptSizes, model);
    out.histogram("vllm:request_generation_tokens", "Tokens per answer.", counts.answerSizes,
                  model);
}

void addProgram(MetricsWriter& out, const ServerCounts& counts, const ServingNow& now) {
    out.gauge("lacuna_build_info", "Version of the program, as a label.", 1,
              {{"version", now.version}});
    out.gauge("process_start_time_seconds", "Start time of the server, in seconds since 1970.",
              now.created);
    if (counts.residentBytes)
        out.gauge("process_resident_memory_bytes", "Resident memory after the last step.",
                  *counts.residentBytes);
    out.counter("lacuna_embedded_texts_total", "Texts that were embedded.", counts.embeddedTexts);
}

/// Bytes and entries of all tiers: caches of the slots, prefixes in memory, pages on disk.
void addTiers(MetricsWriter& out, const ServerCounts& counts, const RequestScheduler& scheduler) {
    struct Bytes {
        std::int64_t used = 0, allocated = 0;
    };
    std::map<std::string, Bytes> kinds;
    std::int64_t caches = 0, states = 0, checkpoints = 0;
    for (const RequestScheduler::Slot& slot : scheduler.slots()) {
        const auto kv = counts.caches.find(slot.conversation);
        if (kv == counts.caches.end()) continue;
        ++caches;
        const auto kind = counts.kinds.find(slot.conversation);
        Bytes& bytes = kinds[kind == counts.kinds.end() ? "plain" : kind->second];
        bytes.used += kv->second.liveBytes;
        bytes.allocated += kv->second.allocatedBytes;
        states += kv->second.stateBytes;
        checkpoints += kv->second.checkpointBytes;
    }
    const auto sample = [&](const char* tier, const std::string& kind, const char* state,
                            std::int64_t bytes) {
        out.sample(bytes, {{"tier", tier}, {"kind", kind}, {"state", state}});
    };
    if (!kinds.empty() || counts.prefixes)
        out.family("lacuna_cache_bytes", "gauge",
                   "Bytes by tier and kind: caches of slots, states of recurrent layers and their "
                   "checkpoints, prefix entries (without rows shared with a slot), pages on disk.");
    for (const auto& [kind, bytes] : kinds) {
        sample("ram", kind, "used", bytes.used);
        sample("ram", kind, "allocated", bytes.allocated);
    }
    if (states > 0) {
        sample("ram", "states", "used", states);
        sample("ram", "checkpoints", "used", checkpoints);
    }
    if (counts.prefixes) {
        sample("ram", "prefix", "used", counts.prefixes->bytesAlone);
        sample("ssd", "pages", "used", counts.disk.bytes);
    }
    out.family("lacuna_cache_entries", "gauge",
               "Entries by tier: caches of slots and prefix entries in memory, pages on disk.");
    out.sample(caches + (counts.prefixes ? counts.prefixes->entries : 0), {{"tier", "ram"}});
    if (counts.prefixes) out.sample(counts.disk.files, {{"tier", "ssd"}});
}

void addCaches(MetricsWriter& out, const ServerCounts& counts, const ServingNow& now,
               const RequestScheduler& scheduler) {
    if (limitBytes(now) > 0)
        out.gauge("lacuna_cache_limit_bytes", "Setting cache_limit.", limitBytes(now));
    const auto ofSlots = [&](std::string_view name, std::string_view help, auto KvStats::*figure) {
        if (counts.caches.empty()) return;
        out.family(name, "gauge", help);
        for (std::size_t i = 0; i < scheduler.slots().size(); ++i)
            if (const auto kv = counts.caches.find(scheduler.slots()[i].conversation);
                kv != counts.caches.end())
                out.sample(kv->second.*figure, {{"slot", format("{}", i)}});
    };
    ofSlots("lacuna_cache_tokens", "Tokens represented by the cache of a slot after its last step.",
            &KvStats::tokens);
    ofSlots("lacuna_cache_head_slots", "Slots of the largest head.", &KvStats::slotsLargestHead);
    ofSlots("lacuna_cache_logical_bytes", "Bytes of the full cache in the unquantised format.",
            &KvStats::logicalBytes);
    ofSlots("lacuna_cache_live_bytes", "Bytes of the slots that are kept.", &KvStats::liveBytes);
    ofSlots("lacuna_cache_allocated_bytes", "Bytes that are allocated.", &KvStats::allocatedBytes);
    ofSlots("lacuna_state_bytes", "Bytes of the states of recurrent layers.", &KvStats::stateBytes);
    ofSlots("lacuna_checkpoint_bytes", "Bytes of the checkpoints of these states.",
            &KvStats::checkpointBytes);
    addTiers(out, counts, scheduler);
    const auto layers = layerKinds(now.config.kv, now.facts);
    if (!layers.empty())
        out.family("lacuna_kv_layers", "gauge",
                   "Layers by kind of cache under the current settings.");
    for (const auto& [kind, count] : layers) out.sample(count, {{"kind", kind}});
    out.family("lacuna_cache_lookups_total", "counter",
               "Prompts that found some of their tokens in a cache.");
    out.sample(counts.hits, {{"result", "hit"}});
    out.sample(counts.misses, {{"result", "miss"}});
    out.counter("lacuna_cache_tokens_reused_total", "Prompt tokens found in a cache.",
                counts.lookups.found);
}

void addPrefixes(MetricsWriter& out, const PrefixStats& kept) {
    out.gauge("lacuna_prefix_cache_limit_bytes", "Setting prefix_cache.", kept.limitBytes);
    out.gauge("lacuna_prefix_cache_bytes", "Bytes of the prefix cache; shared rows count once.",
              kept.bytes);
    out.gauge("lacuna_prefix_cache_own_bytes", "Bytes of the prefix cache that no slot shares.",
              kept.bytesAlone);
    out.gauge("lacuna_prefix_cache_entries", "Prefix entries.", kept.entries);
    out.family("lacuna_prefix_cache_lookups_total", "counter",
               "Prompts looked up in the prefix cache, by result.");
    for (std::size_t i = 0; i < kept.matches.size(); ++i)
        out.sample(kept.matches[i], {{"result", std::string(keyOf(static_cast<PrefixMatch>(i)))}});
    out.counter("lacuna_prefix_cache_tokens_queried_total",
                "Prompt tokens looked up in the prefix cache.", kept.tokensQueried);
    out.counter("lacuna_prefix_cache_tokens_reused_total",
                "Prompt tokens found in the prefix cache.", kept.tokensReused);
    out.counter("lacuna_prefix_cache_saved_seconds_total",
                "Prefill time saved by the prefix cache, as measured.", kept.savedSeconds);
    out.counter("lacuna_prefix_cache_inserts_total", "Prefix entries stored.", kept.inserts);
    out.family("lacuna_prefix_cache_rejects_total", "counter",
               "Texts that were not stored as prefix entries, by reason.");
    out.sample(kept.rejectedShort, {{"reason", "short"}});
    out.sample(kept.rejectedLarge, {{"reason", "large"}});
    out.sample(kept.rejectedDifferent, {{"reason", "different"}});
}

/// Writes to and reads from the disk tier, by result.
void addTransfers(MetricsWriter& out, const PrefixDiskStats& disk) {
    out.family("lacuna_ssd_spill_total", "counter",
               "Pages written to disk, and pages not written, by reason.");
    out.sample(disk.pagesWritten, {{"result", "done"}});
    out.sample(disk.notStorable, {{"result", "unsupported"}});
    out.sample(disk.dropped, {{"result", "queue"}});
    out.sample(disk.rejectedLarge, {{"result", "large"}});
    out.sample(disk.skippedInPause, {{"result", "resting"}});
    out.sample(disk.writeFailures, {{"result", "failure"}});
    out.family("lacuna_ssd_promote_total", "counter",
               "Prompts continued from pages on disk, and those that were not, by reason; slower: "
               "computing was predicted to be faster.");
    out.sample(disk.hits, {{"result", "done"}});
    for (std::size_t i = 0; i < disk.misses.size(); ++i)
        out.sample(disk.misses[i], {{"result", std::string(keyOf(static_cast<PrefixMiss>(i)))}});
    const auto coding = [&](const char* op, const PageCoding& work) {
        out.sample(work.seconds, {{"op", op}}, "_sum");
        out.sample(work.done + work.failed, {{"op", op}}, "_count");
    };
    out.family("lacuna_codec_seconds", "summary",
               "Time spent encoding rows to pages on disk and decoding them.");
    coding("encode", disk.encoded);
    coding("decode", disk.decoded);
    out.family("lacuna_codec_failures_total", "counter",
               "Failed encodings and decodings of pages.");
    out.sample(disk.encoded.failed, {{"op", "encode"}});
    out.sample(disk.decoded.failed, {{"op", "decode"}});
}

void addDisk(MetricsWriter& out, const PrefixDiskStats& disk) {
    out.gauge("lacuna_ssd_limit_bytes", "Setting prefix_disk; 0 is off.", disk.limitBytes);
    out.gauge("lacuna_ssd_bytes", "Bytes in the folder of the prefix cache on disk.", disk.bytes);
    out.gauge("lacuna_ssd_tokens", "Tokens of the pages on disk.", disk.tokens);
    out.gauge("lacuna_ssd_queue_depth", "Queued reads and writes of pages.", disk.queued);
    out.gauge("lacuna_ssd_queue_bytes", "Bytes of queued rows.", disk.queuedBytes);
    out.gauge("lacuna_ssd_full", "1 while pages cannot be written to disk.",
              disk.problem.empty() ? 0 : 1);
    addTransfers(out, disk);
    out.counter("lacuna_ssd_tokens_reused_total", "Tokens read from pages on disk.",
                disk.tokensReused);
    out.counter(
        "lacuna_ssd_saved_seconds_total",
        "Predicted prefill time of tokens read from disk, less the time taken to read them.",
        disk.savedSeconds);
    out.counter("lacuna_ssd_read_bytes_total", "Bytes of pages read.", disk.bytesRead);
    out.counter("lacuna_ssd_read_seconds_total", "Time spent reading and decoding pages.",
                disk.readSeconds);
    out.counter("lacuna_ssd_written_bytes_total", "Bytes of pages written.", disk.bytesWritten);
    out.counter("lacuna_ssd_quarantined_total", "Damaged pages moved to quarantine.",
                disk.quarantined);
    const auto predicted = [&](const char* name, const char* help, double milliseconds) {
        if (milliseconds > 0) out.gauge(name, help, milliseconds / 1000);
    };
    predicted("lacuna_ssd_predicted_load_seconds",
              "Predicted time of the newest decision to read pages from disk.", disk.last.loadMs);
    predicted("lacuna_ssd_predicted_compute_seconds",
              "Predicted time of the newest decision to compute the tokens again.",
              disk.last.computeMs);
}

void addEvictions(MetricsWriter& out, const ServerCounts& counts) {
    out.family("lacuna_cache_evictions_total", "counter",
               "Prefix entries and pages evicted: because of the limit of their tier, or because "
               "caches in use needed the memory.");
    out.sample(counts.prefixes->evictedForLimit, {{"tier", "ram"}, {"reason", "limit"}});
    out.sample(counts.prefixes->evictedForCaches, {{"tier", "ram"}, {"reason", "caches"}});
    out.sample(counts.disk.evicted, {{"tier", "ssd"}, {"reason", "limit"}});
}

void addCompactions(MetricsWriter& out, const ServerCounts& counts) {
    if (!counts.compactions.empty())
        out.family("lacuna_compaction_total", "counter",
                   "Compactions by method, result and cause.");
    for (const auto& [one, count] : counts.compactions)
        out.sample(count, {{"kind", std::string(keyOf(one.kind))},
                           {"result", std::string(keyOf(one.result))},
                           {"cause", std::string(keyOf(one.cause))}});
    out.histogram("lacuna_compaction_seconds", "Wall time of completed compactions.",
                  counts.compactionSeconds);
    out.counter("lacuna_compaction_limited_total",
                "Compactions that loss_limit reduced to a smaller ratio, or skipped.",
                counts.compactionsLimited);
    if (counts.kept) {
        out.gauge("lacuna_kept_information_ratio",
                  "Share of the text's information that the newest measured compaction kept.",
                  counts.kept->all);
        out.gauge("lacuna_kept_worst_ratio",
                  "Share of the information of the weakest passage that the newest measured "
                  "compaction kept.",
                  counts.kept->worst);
    }
    out.counter("lacuna_compaction_stall_seconds_total",
                "Time that answers waited for compactions.", counts.stallSeconds);
    out.counter("lacuna_compaction_tokens_dropped_total",
                "Tokens dropped by compactions, mean over the heads.", counts.droppedTokens);
    out.counter("lacuna_compaction_dropped_slots_total",
                "Slots dropped by compactions, over all heads.", counts.droppedSlots);
    out.counter("lacuna_compaction_freed_bytes_total", "Live bytes freed by compactions.",
                counts.freedBytes);
    out.family("lacuna_restores_total", "counter",
               "Requests to restore evicted tokens, by result.");
    out.sample(counts.restores, {{"result", "done"}});
    out.sample(counts.restoresFailed, {{"result", "failed"}});
    out.counter("lacuna_restored_tokens_total", "Tokens that were restored.",
                counts.restoredTokens);
    out.family("lacuna_questions_looked_back_total", "counter",
               "Questions read over the full text to find evicted tokens they need (bring_back), "
               "by result.");
    for (const auto& [result, count] : counts.questionsLookedBack)
        out.sample(count, {{"result", result}});
    out.counter("lacuna_look_back_seconds_total", "Time that answers waited for it.",
                counts.lookBackSeconds);
}

void addQuality(MetricsWriter& out, const ServerCounts& counts) {
    out.counter("lacuna_decode_passes_total",
                "Forward passes that produced a token, counted for each answer.",
                counts.decodePasses);
    out.counter("lacuna_context_shifted_tokens_total",
                "Older tokens dropped because a context was full.", counts.shifted);
    if (counts.precisionKl && counts.precision)
        out.gauge("lacuna_precision_kl_nats",
                  "Measured mean KL of the kernels' precision from exact.", *counts.precisionKl,
                  {{"precision", std::string(keyOf(*counts.precision))}});
    out.counter("lacuna_quality_samples_total", "Samples of live quality.", counts.qualitySamples);
    if (counts.qualityCount > 0)
        out.gauge("lacuna_quality_kl_nats",
                  "KL of the next token from the full cache, mean of the samples under the current "
                  "settings.",
                  counts.qualityKl / static_cast<double>(counts.qualityCount));
}

}  // namespace

std::string metricsText(const ServerCounts& counts, const ServingNow& now,
                        const RequestScheduler& scheduler) {
    MetricsWriter out;
    addLlamaFamily(out, counts, now, scheduler);
    addVllmFamily(out, counts, now, scheduler);
    addProgram(out, counts, now);
    addCaches(out, counts, now, scheduler);
    if (counts.prefixes) {
        addPrefixes(out, *counts.prefixes);
        addDisk(out, counts.disk);
        addEvictions(out, counts);
    }
    addCompactions(out, counts);
    addQuality(out, counts);
    return out.take();
}

}  // namespace lacuna::app
