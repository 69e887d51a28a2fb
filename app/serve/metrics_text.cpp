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

/// Of the limit where there is one, else of the places that the contexts of all slots have.
std::optional<double> cacheUsage(const ServerCounts& counts, const ServingNow& now,
                                 const AnswerDesk& desk) {
    double live = 0;
    std::int64_t fullest = 0;
    for (const auto& [id, kv] : counts.caches) {
        live += static_cast<double>(kv.liveBytes);
        fullest += kv.slotsLargestHead;
    }
    if (limitBytes(now) > 0) return std::min(live / limitBytes(now), 1.0);
    if (now.context <= 0) return std::nullopt;
    const auto places = static_cast<double>(desk.slots().size()) * now.context;
    return std::min(static_cast<double>(fullest) / places, 1.0);
}

/// Names as llama.cpp's server has them, without labels.
void addLlamaFamily(MetricsWriter& out, const ServerCounts& counts, const ServingNow& now,
                    const AnswerDesk& desk) {
    out.counter("llamacpp:prompt_tokens_total",
                "Prompt tokens read, without those found in a cache; texts of vectors as well.",
                counts.readTokens);
    out.counter("llamacpp:prompt_tokens_cached_total", "Prompt tokens found in a cache.",
                counts.lookups.found);
    out.counter("llamacpp:prompt_seconds_total", "Time of reading them.", counts.readSeconds);
    out.counter("llamacpp:tokens_predicted_total", "Tokens written, of answers that have ended.",
                counts.writtenTokens);
    out.counter("llamacpp:tokens_predicted_seconds_total", "Time of writing them.",
                counts.writtenSeconds);
    out.counter("llamacpp:n_decode_total", "Steps of the engine, and texts of vectors.",
                counts.steps + counts.embeddedTexts);
    out.gauge("llamacpp:n_tokens_max", "Most tokens that a conversation had.", counts.mostTokens);
    if (counts.readSeconds > 0)
        out.gauge("llamacpp:prompt_tokens_seconds", "Prompt tokens read each second, mean.",
                  static_cast<double>(counts.readTokens) / counts.readSeconds);
    if (counts.writtenSeconds > 0)
        out.gauge("llamacpp:predicted_tokens_seconds",
                  "Tokens written each second of an answer, mean.",
                  static_cast<double>(counts.writtenTokens) / counts.writtenSeconds);
    out.gauge("llamacpp:requests_processing", "Answers being written.", desk.running());
    out.gauge("llamacpp:requests_deferred", "Answers that wait for a slot.", desk.waiting());
    if (counts.steps > 0)
        out.gauge("llamacpp:n_busy_slots_per_decode", "Answers that take part in a step, mean.",
                  static_cast<double>(counts.partsOfSteps) / static_cast<double>(counts.steps));
    if (const auto usage = cacheUsage(counts, now, desk))
        out.gauge("llamacpp:kv_cache_usage_ratio", "As vllm:kv_cache_usage_perc.", *usage);
    std::int64_t tokens = 0;
    for (const auto& [id, kv] : counts.caches) tokens += kv.tokens;
    out.gauge("llamacpp:kv_cache_tokens", "Tokens that the caches of all slots stand for.", tokens);
    out.counter("llamacpp:spec_decode_num_drafts_total", "Steps that checked proposed tokens.",
                counts.draftRounds);
    out.counter("llamacpp:spec_decode_num_draft_tokens_total", "Proposed tokens that were checked.",
                counts.drafted);
    out.counter("llamacpp:spec_decode_num_accepted_tokens_total", "Of those, the ones drawn.",
                counts.accepted);
}

/// Names as vLLM's server has them, with the model's.
void addVllmFamily(MetricsWriter& out, const ServerCounts& counts, const ServingNow& now,
                   const AnswerDesk& desk) {
    const Labels model{{"model_name", now.model}};
    out.gauge("vllm:num_requests_running", "Answers being written.", desk.running(), model);
    out.gauge("vllm:num_requests_waiting", "Answers that wait for a slot.", desk.waiting(), model);
    if (const auto usage = cacheUsage(counts, now, desk)) {
        out.gauge("vllm:kv_cache_usage_perc",
                  "Share of the cache in use, 0 to 1: of cache_limit, or of the places that the "
                  "contexts of all slots have.",
                  *usage, model);
        out.gauge("vllm:gpu_cache_usage_perc", "Former name of vllm:kv_cache_usage_perc.", *usage,
                  model);
    }
    out.gauge("vllm:cache_config_info", "Settings of the cache, as labels.", 1,
              {{"model_name", now.model},
               {"cache_dtype", knobText(now.config, "kv_type")},
               {"value_dtype", knobText(now.config, "v_type")},
               {"method", knobText(now.config, "method")},
               {"num_slots", format("{}", desk.slots().size())}});
    out.counter("vllm:prefix_cache_queries_total", "Prompt tokens looked up in caches.",
                counts.lookups.asked, model);
    out.counter("vllm:prefix_cache_hits_total", "Prompt tokens found there.", counts.lookups.found,
                model);
    out.counter("vllm:prompt_tokens_total", "Prompt tokens of answers that have begun.",
                counts.promptTokens, model);
    out.counter("vllm:generation_tokens_total", "Tokens written.", counts.generatedTokens, model);
    out.family("vllm:request_success_total", "counter", "Answers that have ended, by how.");
    for (const char* reason : {"stop", "length", "abort", "error"}) {
        const auto found = counts.ends.find(reason);
        out.sample(found == counts.ends.end() ? 0 : found->second,
                   {{"model_name", now.model}, {"finished_reason", reason}});
    }
    out.counter("vllm:num_preemptions_total", "Answers put back in the queue; none ever is.", 0,
                model);
    out.counter("vllm:spec_decode_num_drafts_total", "Steps that checked proposed tokens.",
                counts.draftRounds, model);
    out.counter("vllm:spec_decode_num_draft_tokens_total", "Proposed tokens that were checked.",
                counts.drafted, model);
    out.counter("vllm:spec_decode_num_accepted_tokens_total", "Of those, the ones drawn.",
                counts.accepted, model);
    out.histogram("vllm:time_to_first_token_seconds", "From the request to its first token.",
                  counts.timeToFirstToken, model);
    out.histogram("vllm:inter_token_latency_seconds", "From one token of an answer to the next.",
                  counts.betweenTokens, model);
    out.histogram("vllm:time_per_output_token_seconds",
                  "Former name of vllm:inter_token_latency_seconds.", counts.betweenTokens, model);
    out.histogram("vllm:e2e_request_latency_seconds", "From the request to its end.",
                  counts.wholeRequest, model);
    out.histogram("vllm:request_queue_time_seconds",
                  "From the request to the beginning of its answer.", counts.queued, model);
    out.histogram("vllm:request_prefill_time_seconds", "Reading the prompt.", counts.prefill,
                  model);
    out.histogram("vllm:request_decode_time_seconds", "Writing the answer.", counts.decode, model);
    out.histogram("vllm:request_inference_time_seconds",
                  "From the beginning of an answer to its end.", counts.inference, model);
    out.histogram("vllm:request_prompt_tokens", "Tokens of a prompt.", counts.promptSizes, model);
    out.histogram("vllm:request_generation_tokens", "Tokens of an answer.", counts.answerSizes,
                  model);
}

void addProgram(MetricsWriter& out, const ServerCounts& counts, const ServingNow& now) {
    out.gauge("lacuna_build_info", "Version of the program, as a label.", 1,
              {{"version", now.version}});
    out.gauge("process_start_time_seconds", "When the server began, in seconds since 1970.",
              now.created);
    if (counts.residentBytes)
        out.gauge("process_resident_memory_bytes", "Resident memory after the last step.",
                  *counts.residentBytes);
    out.counter("lacuna_embedded_texts_total", "Texts that vectors were made of.",
                counts.embeddedTexts);
}

/// Bytes and entries of all tiers: caches of the slots and texts that are kept in memory, pages on
/// disk.
void addTiers(MetricsWriter& out, const ServerCounts& counts, const AnswerDesk& desk) {
    struct Bytes {
        std::int64_t used = 0, allocated = 0;
    };
    std::map<std::string, Bytes> kinds;
    std::int64_t caches = 0;
    for (const AnswerDesk::Slot& slot : desk.slots()) {
        const auto kv = counts.caches.find(slot.conversation);
        if (kv == counts.caches.end()) continue;
        ++caches;
        const auto kind = counts.kinds.find(slot.conversation);
        Bytes& bytes = kinds[kind == counts.kinds.end() ? "plain" : kind->second];
        bytes.used += kv->second.liveBytes;
        bytes.allocated += kv->second.allocatedBytes;
    }
    const auto sample = [&](const char* tier, const std::string& kind, const char* state,
                            std::int64_t bytes) {
        out.sample(bytes, {{"tier", tier}, {"kind", kind}, {"state", state}});
    };
    if (!kinds.empty() || counts.prefixes)
        out.family("lacuna_cache_bytes", "gauge",
                   "Bytes by tier and kind: caches of slots, texts that are kept (prefix, without "
                   "rows that a slot holds as well), pages on disk.");
    for (const auto& [kind, bytes] : kinds) {
        sample("ram", kind, "used", bytes.used);
        sample("ram", kind, "allocated", bytes.allocated);
    }
    if (counts.prefixes) {
        sample("ram", "prefix", "used", counts.prefixes->bytesAlone);
        sample("ssd", "pages", "used", counts.disk.bytes);
    }
    out.family("lacuna_cache_entries", "gauge", "Caches of slots and texts that are kept; pages.");
    out.sample(caches + (counts.prefixes ? counts.prefixes->entries : 0), {{"tier", "ram"}});
    if (counts.prefixes) out.sample(counts.disk.files, {{"tier", "ssd"}});
}

void addCaches(MetricsWriter& out, const ServerCounts& counts, const ServingNow& now,
               const AnswerDesk& desk) {
    if (limitBytes(now) > 0)
        out.gauge("lacuna_cache_limit_bytes", "Setting cache_limit.", limitBytes(now));
    const auto ofSlots = [&](std::string_view name, std::string_view help, auto KvStats::*figure) {
        if (counts.caches.empty()) return;
        out.family(name, "gauge", help);
        for (std::size_t i = 0; i < desk.slots().size(); ++i)
            if (const auto kv = counts.caches.find(desk.slots()[i].conversation);
                kv != counts.caches.end())
                out.sample(kv->second.*figure, {{"slot", format("{}", i)}});
    };
    ofSlots("lacuna_cache_tokens",
            "Tokens that the cache of a slot stands for, after its last step.", &KvStats::tokens);
    ofSlots("lacuna_cache_head_slots", "Rows of the largest head.", &KvStats::slotsLargestHead);
    ofSlots("lacuna_cache_logical_bytes",
            "Bytes of all its tokens as plain numbers, nothing dropped.", &KvStats::logicalBytes);
    ofSlots("lacuna_cache_live_bytes", "Bytes of the rows that are kept.", &KvStats::liveBytes);
    ofSlots("lacuna_cache_allocated_bytes", "Bytes that are reserved.", &KvStats::allocatedBytes);
    addTiers(out, counts, desk);
    const auto layers = layerKinds(now.config.kv, now.facts);
    if (!layers.empty())
        out.family("lacuna_kv_layers", "gauge",
                   "Layers by the kind of cache that the settings in force give them.");
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
    out.gauge("lacuna_prefix_cache_bytes", "Bytes of the prefix cache, shared rows once.",
              kept.bytes);
    out.gauge("lacuna_prefix_cache_own_bytes",
              "Of them, those that the cache of no slot holds as well.", kept.bytesAlone);
    out.gauge("lacuna_prefix_cache_entries", "Texts that are kept.", kept.entries);
    out.family("lacuna_prefix_cache_lookups_total", "counter",
               "Prompts that were looked up in the prefix cache, by what was found.");
    for (std::size_t i = 0; i < kept.matches.size(); ++i)
        out.sample(kept.matches[i], {{"result", std::string(keyOf(static_cast<PrefixMatch>(i)))}});
    out.counter("lacuna_prefix_cache_tokens_queried_total", "Tokens of these prompts.",
                kept.tokensQueried);
    out.counter("lacuna_prefix_cache_tokens_reused_total", "Of them, those found there.",
                kept.tokensReused);
    out.counter("lacuna_prefix_cache_saved_seconds_total",
                "What reading them would have taken, as measured.", kept.savedSeconds);
    out.counter("lacuna_prefix_cache_inserts_total", "Texts that were stored.", kept.inserts);
    out.family("lacuna_prefix_cache_rejects_total", "counter",
               "Texts that were not stored, by the reason.");
    out.sample(kept.rejectedShort, {{"reason", "short"}});
    out.sample(kept.rejectedLarge, {{"reason", "large"}});
    out.sample(kept.rejectedDifferent, {{"reason", "different"}});
}

/// Of the disk tier what went there and what came back, each by its result.
void addTransfers(MetricsWriter& out, const PrefixDiskStats& disk) {
    out.family("lacuna_ssd_spill_total", "counter",
               "Pages for the disk: those written, and what was not, by the reason.");
    out.sample(disk.pagesWritten, {{"result", "done"}});
    out.sample(disk.notStorable, {{"result", "unsupported"}});
    out.sample(disk.dropped, {{"result", "queue"}});
    out.sample(disk.rejectedLarge, {{"result", "large"}});
    out.sample(disk.rested, {{"result", "resting"}});
    out.sample(disk.writeFailures, {{"result", "failure"}});
    out.family("lacuna_ssd_promote_total", "counter",
               "Prompts that went on from the disk, and those that did not, by the reason; slower: "
               "computing was predicted faster.");
    out.sample(disk.hits, {{"result", "done"}});
    for (std::size_t i = 0; i < disk.misses.size(); ++i)
        out.sample(disk.misses[i], {{"result", std::string(keyOf(static_cast<PrefixMiss>(i)))}});
    const auto coding = [&](const char* op, const PageCoding& work) {
        out.sample(work.seconds, {{"op", op}}, "_sum");
        out.sample(work.done + work.failed, {{"op", op}}, "_count");
    };
    out.family("lacuna_codec_seconds", "summary",
               "Turning rows into the bytes of a page on disk, and back.");
    coding("encode", disk.encoded);
    coding("decode", disk.decoded);
    out.family("lacuna_codec_failures_total", "counter", "Of these, those that failed.");
    out.sample(disk.encoded.failed, {{"op", "encode"}});
    out.sample(disk.decoded.failed, {{"op", "decode"}});
}

void addDisk(MetricsWriter& out, const PrefixDiskStats& disk) {
    out.gauge("lacuna_ssd_limit_bytes", "Setting prefix_disk; 0: off.", disk.limitBytes);
    out.gauge("lacuna_ssd_bytes", "Bytes of everything in its folder.", disk.bytes);
    out.gauge("lacuna_ssd_tokens", "Tokens of the pages there.", disk.tokens);
    out.gauge("lacuna_ssd_queue_depth", "Pieces of work that wait.", disk.queued);
    out.gauge("lacuna_ssd_queue_bytes", "Bytes of rows that wait.", disk.queuedBytes);
    out.gauge("lacuna_ssd_full", "1 while nothing can be written there.",
              disk.trouble.empty() ? 0 : 1);
    addTransfers(out, disk);
    out.counter("lacuna_ssd_tokens_reused_total", "Tokens that were read there.",
                disk.tokensReused);
    out.counter("lacuna_ssd_saved_seconds_total",
                "What computing them would have taken, as predicted, less what reading took.",
                disk.savedSeconds);
    out.counter("lacuna_ssd_read_bytes_total", "Bytes of pages that were read.", disk.bytesRead);
    out.counter("lacuna_ssd_read_seconds_total", "Reading and decoding them.", disk.readSeconds);
    out.counter("lacuna_ssd_written_bytes_total", "Bytes of pages that were written.",
                disk.bytesWritten);
    out.counter("lacuna_ssd_quarantined_total", "Damaged pages that were put aside.",
                disk.quarantined);
    const auto predicted = [&](const char* name, const char* help, double milliseconds) {
        if (milliseconds > 0) out.gauge(name, help, milliseconds / 1000);
    };
    predicted("lacuna_ssd_predicted_load_seconds",
              "Time to read from disk what the newest decision was about.", disk.last.loadMs);
    predicted("lacuna_ssd_predicted_compute_seconds", "Time to compute it anew.",
              disk.last.computeMs);
}

void addEvictions(MetricsWriter& out, const ServerCounts& counts) {
    out.family("lacuna_cache_evictions_total", "counter",
               "Texts and pages that left for want of room: by the limit of their tier, or because "
               "caches in use needed the memory.");
    out.sample(counts.prefixes->evictedForLimit, {{"tier", "ram"}, {"reason", "limit"}});
    out.sample(counts.prefixes->evictedForCaches, {{"tier", "ram"}, {"reason", "caches"}});
    out.sample(counts.disk.evicted, {{"tier", "ssd"}, {"reason", "limit"}});
}

void addCompactions(MetricsWriter& out, const ServerCounts& counts) {
    if (!counts.compactions.empty())
        out.family("lacuna_compaction_total", "counter",
                   "Compactions by their method, result and cause.");
    for (const auto& [one, count] : counts.compactions)
        out.sample(count, {{"kind", std::string(keyOf(one.kind))},
                           {"result", std::string(keyOf(one.result))},
                           {"cause", std::string(keyOf(one.cause))}});
    out.histogram("lacuna_compaction_seconds", "Work: wall time of a compaction that was done.",
                  counts.compactionSeconds);
    out.counter("lacuna_compaction_limited_total",
                "Compactions that loss_limit left a smaller ratio than asked for, or none.",
                counts.compactionsLimited);
    if (counts.kept) {
        out.gauge("lacuna_kept_information_ratio",
                  "Share of the text's information that the newest measured compaction kept.",
                  counts.kept->all);
        out.gauge("lacuna_kept_worst_ratio", "The same of its weakest passage.",
                  counts.kept->worst);
    }
    out.counter("lacuna_compaction_stall_seconds_total",
                "Pauses: time that answers waited for compactions.", counts.stallSeconds);
    out.counter("lacuna_compaction_tokens_dropped_total",
                "Tokens that compactions dropped, mean over the heads.", counts.droppedTokens);
    out.counter("lacuna_compaction_dropped_slots_total", "Rows of heads that compactions dropped.",
                counts.droppedSlots);
    out.counter("lacuna_compaction_freed_bytes_total", "Live bytes that compactions gave up.",
                counts.freedBytes);
    out.family("lacuna_restores_total", "counter",
               "Requests to bring forgotten tokens back, by their result.");
    out.sample(counts.restores, {{"result", "done"}});
    out.sample(counts.restoresFailed, {{"result", "failed"}});
    out.counter("lacuna_restored_tokens_total", "Tokens that were brought back.",
                counts.restoredTokens);
    out.family(
        "lacuna_questions_looked_back_total", "counter",
        "Questions that were read over the whole text for what they look for among forgotten "
        "tokens (bring_back), by what came of it.");
    for (const auto& [result, count] : counts.questionsLookedBack)
        out.sample(count, {{"result", result}});
    out.counter("lacuna_look_back_seconds_total", "What answers waited for that.",
                counts.lookBackSeconds);
}

void addQuality(MetricsWriter& out, const ServerCounts& counts) {
    out.counter("lacuna_decode_passes_total",
                "Forward passes that drew a token, counted for each answer.", counts.decodePasses);
    out.counter("lacuna_context_shifted_tokens_total",
                "Older tokens given up because a context was full.", counts.shifted);
    if (counts.precisionKl && counts.precision)
        out.gauge("lacuna_precision_kl_nats",
                  "Mean KL of the kernels' precision against the exact one, as measured.",
                  *counts.precisionKl, {{"precision", std::string(keyOf(*counts.precision))}});
    out.counter("lacuna_quality_samples_total", "Samples of live quality.", counts.qualitySamples);
    if (counts.qualityCount > 0)
        out.gauge("lacuna_quality_kl_nats",
                  "KL of the next token against the whole cache, mean of the samples under the "
                  "settings in force.",
                  counts.qualityKl / static_cast<double>(counts.qualityCount));
}

}  // namespace

std::string metricsText(const ServerCounts& counts, const ServingNow& now, const AnswerDesk& desk) {
    MetricsWriter out;
    addLlamaFamily(out, counts, now, desk);
    addVllmFamily(out, counts, now, desk);
    addProgram(out, counts, now);
    addCaches(out, counts, now, desk);
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
