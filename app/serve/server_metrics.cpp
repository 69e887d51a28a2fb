#include "app/serve/server_metrics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "engine/base/string_format.h"
#include "engine/settings/setting_value.h"

namespace lacuna::app {
namespace {

// Bounds as vLLM's server has them, so that its charts read them.
constexpr std::array kFirstTokenBounds{0.001, 0.005, 0.01, 0.02,  0.04,  0.06,  0.08, 0.1,
                                       0.25,  0.5,   0.75, 1.0,   2.5,   5.0,   7.5,  10.0,
                                       20.0,  40.0,  80.0, 160.0, 640.0, 2560.0};
constexpr std::array kTokenBounds{0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2,  0.3,  0.4, 0.5,
                                  0.75, 1.0,   2.5,  5.0,   7.5, 10.0, 20.0, 40.0, 80.0};
constexpr std::array kRequestBounds{0.3,  0.5,   0.8,   1.0,   1.5,   2.0,    2.5,
                                    5.0,  10.0,  15.0,  20.0,  30.0,  40.0,   50.0,
                                    60.0, 120.0, 240.0, 480.0, 960.0, 1920.0, 7680.0};
constexpr std::array kSizeBounds{1.0,     2.0,     5.0,     10.0,     20.0,    50.0,
                                 100.0,   200.0,   500.0,   1000.0,   2000.0,  5000.0,
                                 10000.0, 20000.0, 50000.0, 100000.0, 200000.0};
constexpr std::array kCompactionBounds{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25,
                                       0.5,   1.0,    2.5,   5.0,  10.0,  30.0, 60.0};

constexpr std::chrono::minutes kHistory{15};
constexpr std::chrono::seconds kHistoryStep{1};

double seconds(ServerMetrics::Clock::duration span) {
    return std::chrono::duration<double>(span).count();
}

std::string_view vllmReason(FinishReason reason) {
    switch (reason) {
        case FinishReason::Stop:
        case FinishReason::StopString:
            return "stop";
        case FinishReason::Length:
        case FinishReason::ContextFull:
            return "length";
        case FinishReason::Cancelled:
            return "abort";
        case FinishReason::Error:
            return "error";
    }
    return "error";
}

/// Lines of the format: HELP and TYPE before the samples of a family.
class Exposition {
  public:
    using Labels = std::vector<std::pair<std::string_view, std::string>>;

    void family(std::string_view name, std::string_view type, std::string_view help) {
        m_name = name;
        m_text += format("# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
    }
    template <class Number>
    void sample(Number value, const Labels& labels = {}, std::string_view suffix = {}) {
        m_text += m_name;
        m_text += suffix;
        if (!labels.empty()) {
            std::string_view before = "{";
            for (const auto& [name, text] : labels) {
                m_text += format("{}{}=\"{}\"", std::exchange(before, ","), name, escaped(text));
            }
            m_text += '}';
        }
        m_text += format(" {}\n", value);
    }
    template <class Number>
    void one(std::string_view name, std::string_view type, std::string_view help, Number value,
             const Labels& labels = {}) {
        family(name, type, help);
        sample(value, labels);
    }
    void histogram(std::string_view name, std::string_view help, const Histogram& values,
                   const Labels& labels) {
        family(name, "histogram", help);
        std::int64_t below = 0;
        for (std::size_t i = 0; i < values.counts().size(); ++i) {
            below += values.counts()[i];
            Labels bucket = labels;
            bucket.emplace_back("le", i < values.bounds().size() ? format("{}", values.bounds()[i])
                                                                 : std::string("+Inf"));
            sample(below, bucket, "_bucket");
        }
        sample(values.sum(), labels, "_sum");
        sample(values.count(), labels, "_count");
    }
    [[nodiscard]] std::string take() { return std::move(m_text); }

  private:
    static std::string escaped(std::string_view text) {
        std::string safe;
        for (const char c : text) {
            if (c == '\\' || c == '"') safe += '\\';
            if (c == '\n')
                safe += "\\n";
            else
                safe += c;
        }
        return safe;
    }
    std::string m_text;
    std::string m_name;
};

void addPrefixDisk(Exposition& out, const PrefixDiskStats& disk) {
    const auto gauge = [&out](std::string_view name, std::string_view help, auto value) {
        out.one(name, "gauge", help, value);
    };
    const auto counter = [&out](std::string_view name, std::string_view help, auto value) {
        out.one(name, "counter", help, value);
    };
    gauge("lacuna_prefix_disk_limit_bytes", "Setting prefix_disk; 0: off.", disk.limitBytes);
    gauge("lacuna_prefix_disk_bytes", "Bytes of everything in its folder.", disk.bytes);
    gauge("lacuna_prefix_disk_entries", "Pages and whole caches there.", disk.files);
    gauge("lacuna_prefix_disk_tokens", "Tokens in them.", disk.tokens);
    gauge("lacuna_prefix_disk_queue_depth", "Pieces of work that wait.", disk.queued);
    gauge("lacuna_prefix_disk_queue_bytes", "Bytes of rows that wait.", disk.queuedBytes);
    gauge("lacuna_prefix_disk_full", "1 while nothing can be written there.",
          disk.trouble.empty() ? 0 : 1);
    counter("lacuna_prefix_disk_hits_total", "Prompts that went on from there.", disk.hits);
    out.family("lacuna_prefix_disk_misses_total", "counter",
               "Prompts that did not, by the reason; slower: computing was predicted faster.");
    for (std::size_t i = 0; i < disk.misses.size(); ++i)
        out.sample(disk.misses[i], {{"reason", std::string(keyOf(static_cast<PrefixMiss>(i)))}});
    counter("lacuna_prefix_disk_tokens_reused_total", "Tokens that were read there.",
            disk.tokensReused);
    counter("lacuna_prefix_disk_saved_seconds_total",
            "What computing them would have taken, as predicted, less what reading took.",
            disk.savedSeconds);
    counter("lacuna_prefix_disk_read_bytes_total", "Bytes of pages that were read.",
            disk.bytesRead);
    counter("lacuna_prefix_disk_read_seconds_total", "Reading and decoding them.",
            disk.readSeconds);
    counter("lacuna_prefix_disk_written_pages_total", "Pages that were written.",
            disk.pagesWritten);
    counter("lacuna_prefix_disk_written_bytes_total", "Bytes of them.", disk.bytesWritten);
    out.family("lacuna_prefix_disk_rejects_total", "counter",
               "What was not written, by the reason.");
    out.sample(disk.notStorable, {{"reason", "unsupported"}});
    out.sample(disk.dropped, {{"reason", "queue"}});
    out.sample(disk.rejectedLarge, {{"reason", "large"}});
    out.sample(disk.rested, {{"reason", "resting"}});
    out.sample(disk.writeFailures, {{"reason", "failure"}});
    counter("lacuna_prefix_disk_evictions_total", "Files that made room for others.", disk.evicted);
    counter("lacuna_prefix_disk_quarantined_total", "Damaged pages that were put aside.",
            disk.quarantined);
    const auto predicted = [&](const char* name, const char* help, double milliseconds) {
        if (milliseconds > 0) gauge(name, help, milliseconds / 1000);
    };
    predicted("lacuna_prefix_disk_predicted_load_seconds",
              "Time to read from disk what the newest decision was about.", disk.last.loadMs);
    predicted("lacuna_prefix_disk_predicted_compute_seconds", "Time to compute it anew.",
              disk.last.computeMs);
}

}  // namespace

void Histogram::add(double value) {
    const auto bucket = std::ranges::lower_bound(m_bounds, value) - m_bounds.begin();
    ++m_counts[static_cast<std::size_t>(bucket)];
    ++m_count;
    m_sum += value;
}

std::optional<double> Histogram::boundOf(double share) const {
    const auto wanted = static_cast<std::int64_t>(std::ceil(share * static_cast<double>(m_count)));
    std::int64_t below = 0;
    for (std::size_t i = 0; i < m_bounds.size() && m_count > 0; ++i) {
        below += m_counts[i];
        if (below >= wanted) return m_bounds[i];
    }
    return std::nullopt;
}

ServerMetrics::ServerMetrics()
    : m_timeToFirstToken(kFirstTokenBounds),
      m_betweenTokens(kTokenBounds),
      m_wholeRequest(kRequestBounds),
      m_queued(kRequestBounds),
      m_prefill(kRequestBounds),
      m_decode(kRequestBounds),
      m_inference(kRequestBounds),
      m_promptSizes(kSizeBounds),
      m_answerSizes(kSizeBounds),
      m_compactionSeconds(kCompactionBounds) {}

void ServerMetrics::take(const Event& event, const Slots& slots, Clock::time_point now) {
    if (const auto* token = std::get_if<TokenText>(&event)) {
        on(*token, now);
    } else if (const auto* sample = std::get_if<StepSample>(&event)) {
        on(*sample);
    } else if (const auto* started = std::get_if<TurnStarted>(&event)) {
        on(*started, slots, now);
    } else if (const auto* finished = std::get_if<TurnFinished>(&event)) {
        on(*finished, now);
    } else if (const auto* compaction = std::get_if<CompactionHappened>(&event)) {
        on(compaction->report);
    } else if (const auto* span = std::get_if<SpanBroughtBack>(&event)) {
        on(*span);
    } else if (const auto* quality = std::get_if<QualitySampled>(&event)) {
        ++m_qualitySamples;
        ++m_qualityCount;
        m_qualityKl += quality->sample.kl;
    } else if (std::holds_alternative<ConfigApplied>(event)) {
        m_qualityCount = 0;  // what was measured, was measured of other settings
        m_qualityKl = 0;
    } else if (const auto* loaded = std::get_if<ModelLoaded>(&event)) {
        m_precision = loaded->facts.precision;
        m_precisionKl = loaded->facts.precisionKl;
    } else if (const auto* chosen = std::get_if<PrecisionChosen>(&event)) {
        m_precision = chosen->precision;
        m_precisionKl = chosen->klMean;
    } else if (const auto* prefixes = std::get_if<PrefixCacheChanged>(&event)) {
        m_prefixes = prefixes->stats;
        m_prefixDisk = prefixes->disk;
    } else if (const auto* moved = std::get_if<PromptCacheMoved>(&event)) {
        // What a restored cache takes is known after its first step.
        if (moved->loaded && !moved->error) forget(moved->conversation);
    }
}

void ServerMetrics::on(const TurnStarted& turn, const Slots& slots, Clock::time_point now) {
    const auto slot = std::ranges::find(slots, turn.conversation, &AnswerDesk::Slot::conversation);
    const bool known = slot != slots.end() && slot->asked != Clock::time_point();
    Answer answer{
        .asked = known ? slot->asked : now, .started = now, .promptTokens = turn.promptTokens};
    m_queued.add(seconds(now - answer.asked));
    m_answers[turn.conversation] = answer;
    if (m_history.empty() || now - m_history.back().at >= kHistoryStep)
        m_history.push_back({now, m_lookups});
    // One that is older than the longest span stays, as the count that the span begins with.
    while (m_history.size() > 1 && now - m_history[1].at > kHistory) m_history.pop_front();
    m_lookups.asked += turn.promptTokens;
    m_lookups.found += turn.reusedTokens;
    ++(turn.reusedTokens > 0 ? m_hits : m_misses);
}

void ServerMetrics::on(const TokenText& token, Clock::time_point now) {
    const auto found = m_answers.find(token.conversation);
    if (found == m_answers.end()) return;
    Answer& answer = found->second;
    if (token.index < answer.tokens) return;  // text that was held back, under the same token
    if (answer.tokens == 0) {
        m_timeToFirstToken.add(seconds(now - answer.asked));
        m_promptTokens += answer.promptTokens;
    } else {
        m_betweenTokens.add(seconds(now - answer.last));
    }
    answer.last = now;
    answer.tokens = token.index + 1;
    ++m_generatedTokens;
}

void ServerMetrics::on(const TurnFinished& turn, Clock::time_point now) {
    const auto found = m_answers.find(turn.conversation);
    if (found == m_answers.end()) return;
    const Answer answer = found->second;
    m_answers.erase(found);
    const TurnStats& stats = turn.stats;
    ++m_ends[std::string(vllmReason(turn.reason))];
    m_wholeRequest.add(seconds(now - answer.asked));
    m_inference.add(seconds(now - answer.started));
    m_prefill.add(stats.prefillSeconds);
    m_decode.add(stats.decodeSeconds);
    m_promptSizes.add(static_cast<double>(answer.promptTokens));
    m_answerSizes.add(static_cast<double>(stats.generatedTokens));
    // A prompt that was not read to its end has no first token.
    if (answer.tokens > 0) m_readTokens += stats.promptTokens - stats.reusedTokens;
    if (answer.tokens > 0) m_readSeconds += stats.prefillSeconds;
    m_writtenTokens += stats.generatedTokens;
    m_writtenSeconds += stats.decodeSeconds;
    m_decodeSteps += stats.decodeSteps;
    m_drafted += stats.draftedTokens;
    m_accepted += stats.acceptedTokens;
    m_shifted += stats.shiftedTokens;
}

void ServerMetrics::on(const StepSample& sample) {
    m_caches[sample.conversation] = sample.kv;
    m_mostTokens = std::max(m_mostTokens, sample.kv.tokens);
    if (sample.rssBytes > 0) m_residentBytes = sample.rssBytes;
    if (sample.tokens <= 0) return;
    if (m_lastStep != sample.at) ++m_steps;
    m_lastStep = sample.at;
    ++m_partsOfSteps;
}

void ServerMetrics::on(const SpanBroughtBack& span) {
    if (!span.ended) return;
    const bool came = !span.error && !span.offered;
    if (came) m_restoredTokens += span.count;
    if (!span.forQuestion) return static_cast<void>(++(span.error ? m_restoresFailed : m_restores));
    const char* result = "restored";
    if (span.error)
        result = "skipped";
    else if (span.offered)
        result = "offered";
    else if (span.count == 0)
        result = "nothing";
    ++m_questionsLookedBack[result];
    m_lookBackSeconds += span.seconds;
}

void ServerMetrics::on(const CompactionReport& report) {
    ++m_compactionCounts[{report.method, report.result, report.cause}];
    if (report.result == CompactionResult::Started) return;
    m_stallSeconds += report.pauseMs() / 1e3;
    if (report.result == CompactionResult::Failed) {
        ++m_compactions.failed;
        m_compactions.lastError = report.reason;
    }
    if (report.result != CompactionResult::Done) return;
    ++m_compactions.done;
    m_compactionSeconds.add(report.totalMs / 1e3);
    m_droppedSlots += std::max<std::int64_t>(report.slotsBefore - report.slotsAfter, 0);
    m_freedBytes += std::max<std::int64_t>(report.liveBytesBefore - report.liveBytesAfter, 0);
}

const KvStats* ServerMetrics::cacheOf(ConversationId conversation) const {
    const auto found = m_caches.find(conversation);
    return found == m_caches.end() ? nullptr : &found->second;
}

ServerMetrics::Lookups ServerMetrics::lookupsSince(std::chrono::minutes span,
                                                   Clock::time_point now) const {
    // The first moment within the span says what there was before it.
    const auto first =
        std::ranges::find_if(m_history, [&](const Moment& one) { return now - one.at <= span; });
    if (first == m_history.end()) return {};
    return {m_lookups.asked - first->before.asked, m_lookups.found - first->before.found};
}

std::string ServerMetrics::text(const ServingNow& now, const AnswerDesk& desk) const {
    Exposition out;
    const auto counter = [&](std::string_view name, std::string_view help, auto value,
                             const Exposition::Labels& labels = {}) {
        out.one(name, "counter", help, value, labels);
    };
    const auto gauge = [&](std::string_view name, std::string_view help, auto value,
                           const Exposition::Labels& labels = {}) {
        out.one(name, "gauge", help, value, labels);
    };
    const auto slots = static_cast<std::int64_t>(desk.slots().size());
    std::int64_t tokens = 0, fullest = 0;
    double live = 0;
    for (const auto& [id, kv] : m_caches) {
        tokens += kv.tokens;
        fullest += kv.slotsLargestHead;
        live += static_cast<double>(kv.liveBytes);
    }
    // Of the limit where there is one, else of the places that the contexts of all slots have.
    std::optional<double> usage;
    const double limit = now.config.cacheLimitMiB * 1024 * 1024;
    if (limit > 0)
        usage = std::min(live / limit, 1.0);
    else if (now.context > 0)
        usage =
            std::min(static_cast<double>(fullest) / static_cast<double>(slots * now.context), 1.0);
    const bool drafts = now.config.draftTokens > 0 || m_drafted > 0;

    // --- llama.cpp's family ---
    counter("llamacpp:prompt_tokens_total", "Prompt tokens read, without those found in a cache.",
            m_readTokens);
    counter("llamacpp:prompt_tokens_cached_total", "Prompt tokens found in a cache.",
            m_lookups.found);
    counter("llamacpp:prompt_seconds_total", "Time of reading prompts.", m_readSeconds);
    counter("llamacpp:tokens_predicted_total", "Tokens written, of answers that have ended.",
            m_writtenTokens);
    counter("llamacpp:tokens_predicted_seconds_total", "Time of writing them.", m_writtenSeconds);
    counter("llamacpp:n_decode_total", "Steps of the engine.", m_steps);
    gauge("llamacpp:n_tokens_max", "Most tokens that a conversation had.", m_mostTokens);
    if (m_readSeconds > 0)
        gauge("llamacpp:prompt_tokens_seconds", "Prompt tokens read each second, mean.",
              static_cast<double>(m_readTokens) / m_readSeconds);
    if (m_writtenSeconds > 0)
        gauge("llamacpp:predicted_tokens_seconds", "Tokens written each second of an answer, mean.",
              static_cast<double>(m_writtenTokens) / m_writtenSeconds);
    gauge("llamacpp:requests_processing", "Answers being written.", desk.running());
    gauge("llamacpp:requests_deferred", "Answers that wait for a slot.", desk.waiting());
    if (m_steps > 0)
        gauge("llamacpp:n_busy_slots_per_decode", "Answers that take part in a step, mean.",
              static_cast<double>(m_partsOfSteps) / static_cast<double>(m_steps));
    if (usage) gauge("llamacpp:kv_cache_usage_ratio", "As vllm:kv_cache_usage_perc.", *usage);
    gauge("llamacpp:kv_cache_tokens", "Tokens that the caches of all slots stand for.", tokens);
    if (drafts) {
        counter("llamacpp:spec_decode_num_draft_tokens_total", "Proposed tokens that were checked.",
                m_drafted);
        counter("llamacpp:spec_decode_num_accepted_tokens_total", "Of those, the ones drawn.",
                m_accepted);
    } else {
        // Rounds of guessing are not counted: while nothing guesses, there were none.
        counter("llamacpp:spec_decode_num_drafts_total", "Rounds of guessing.", 0);
    }

    // --- vLLM's family ---
    const Exposition::Labels model{{"model_name", now.model}};
    gauge("vllm:num_requests_running", "Answers being written.", desk.running(), model);
    gauge("vllm:num_requests_waiting", "Answers that wait for a slot.", desk.waiting(), model);
    if (usage) {
        gauge("vllm:kv_cache_usage_perc",
              "Share of the cache in use, 0 to 1: of cache_limit, or of the places that the "
              "contexts of all "
              "slots have.",
              *usage, model);
        gauge("vllm:gpu_cache_usage_perc", "Former name of vllm:kv_cache_usage_perc.", *usage,
              model);
    }
    gauge("vllm:cache_config_info", "Settings of the cache, as labels.", 1,
          {{"model_name", now.model},
           {"cache_dtype", knobText(now.config, "kv_type")},
           {"value_dtype", knobText(now.config, "v_type")},
           {"method", knobText(now.config, "method")},
           {"num_slots", format("{}", slots)}});
    counter("vllm:prefix_cache_queries_total", "Prompt tokens looked up in caches.",
            m_lookups.asked, model);
    counter("vllm:prefix_cache_hits_total", "Prompt tokens found there.", m_lookups.found, model);
    counter("vllm:prompt_tokens_total", "Prompt tokens of answers that have begun.", m_promptTokens,
            model);
    counter("vllm:generation_tokens_total", "Tokens written.", m_generatedTokens, model);
    out.family("vllm:request_success_total", "counter", "Answers that have ended, by how.");
    for (const char* reason : {"stop", "length", "abort", "error"}) {
        const auto found = m_ends.find(reason);
        out.sample(found == m_ends.end() ? 0 : found->second,
                   {{"model_name", now.model}, {"finished_reason", reason}});
    }
    counter("vllm:num_preemptions_total", "Answers put back in the queue; none ever is.", 0, model);
    if (drafts) {
        counter("vllm:spec_decode_num_draft_tokens_total", "Proposed tokens that were checked.",
                m_drafted, model);
        counter("vllm:spec_decode_num_accepted_tokens_total", "Of those, the ones drawn.",
                m_accepted, model);
    }
    const auto histogram = [&](std::string_view name, std::string_view help,
                               const Histogram& values) {
        out.histogram(name, help, values, model);
    };
    histogram("vllm:time_to_first_token_seconds", "From the request to its first token.",
              m_timeToFirstToken);
    histogram("vllm:inter_token_latency_seconds", "From one token of an answer to the next.",
              m_betweenTokens);
    histogram("vllm:time_per_output_token_seconds",
              "Former name of vllm:inter_token_latency_seconds.", m_betweenTokens);
    histogram("vllm:e2e_request_latency_seconds", "From the request to its end.", m_wholeRequest);
    histogram("vllm:request_queue_time_seconds", "From the request to the beginning of its answer.",
              m_queued);
    histogram("vllm:request_prefill_time_seconds", "Reading the prompt.", m_prefill);
    histogram("vllm:request_decode_time_seconds", "Writing the answer.", m_decode);
    histogram("vllm:request_inference_time_seconds", "From the beginning of an answer to its end.",
              m_inference);
    histogram("vllm:request_prompt_tokens", "Tokens of a prompt.", m_promptSizes);
    histogram("vllm:request_generation_tokens", "Tokens of an answer.", m_answerSizes);

    // --- what others do not show ---
    gauge("lacuna_build_info", "Version of the program, as a label.", 1,
          {{"version", now.version}});
    gauge("process_start_time_seconds", "When the server began, in seconds since 1970.",
          now.created);
    if (m_residentBytes)
        gauge("process_resident_memory_bytes", "Resident memory after the last step.",
              *m_residentBytes);
    if (limit > 0) gauge("lacuna_cache_limit_bytes", "Setting cache_limit.", limit);
    const auto ofCaches = [&](std::string_view name, std::string_view help, auto KvStats::*figure) {
        if (m_caches.empty()) return;
        out.family(name, "gauge", help);
        for (std::size_t i = 0; i < desk.slots().size(); ++i)
            if (const KvStats* kv = cacheOf(desk.slots()[i].conversation))
                out.sample(kv->*figure, {{"slot", format("{}", i)}});
    };
    ofCaches("lacuna_cache_tokens",
             "Tokens that the cache of a slot stands for, after its last step.", &KvStats::tokens);
    ofCaches("lacuna_cache_head_slots", "Rows of the largest head.", &KvStats::slotsLargestHead);
    ofCaches("lacuna_cache_logical_bytes",
             "Bytes of all its tokens as plain numbers, nothing dropped.", &KvStats::logicalBytes);
    ofCaches("lacuna_cache_live_bytes", "Bytes of the rows that are kept.", &KvStats::liveBytes);
    ofCaches("lacuna_cache_allocated_bytes", "Bytes that are reserved.", &KvStats::allocatedBytes);
    out.family("lacuna_cache_lookups_total", "counter",
               "Prompts that found some of their tokens in a cache.");
    out.sample(m_hits, {{"result", "hit"}});
    out.sample(m_misses, {{"result", "miss"}});
    if (m_prefixes) {
        const PrefixStats& kept = *m_prefixes;
        gauge("lacuna_prefix_cache_limit_bytes", "Setting prefix_cache.", kept.limitBytes);
        gauge("lacuna_prefix_cache_bytes", "Bytes of the prefix cache, shared rows once.",
              kept.bytes);
        gauge("lacuna_prefix_cache_own_bytes",
              "Of them, those that the cache of no slot holds as well.", kept.bytesAlone);
        gauge("lacuna_prefix_cache_entries", "Texts that are kept.", kept.entries);
        out.family("lacuna_prefix_cache_lookups_total", "counter",
                   "Prompts that were looked up in the prefix cache, by what was found.");
        for (std::size_t i = 0; i < kept.matches.size(); ++i)
            out.sample(kept.matches[i],
                       {{"result", std::string(keyOf(static_cast<PrefixMatch>(i)))}});
        counter("lacuna_prefix_cache_tokens_queried_total", "Tokens of these prompts.",
                kept.tokensQueried);
        counter("lacuna_prefix_cache_tokens_reused_total", "Of them, those found there.",
                kept.tokensReused);
        counter("lacuna_prefix_cache_saved_seconds_total",
                "What reading them would have taken, as measured.", kept.savedSeconds);
        counter("lacuna_prefix_cache_inserts_total", "Texts that were stored.", kept.inserts);
        out.family("lacuna_prefix_cache_rejects_total", "counter",
                   "Texts that were not stored, by the reason.");
        out.sample(kept.rejectedShort, {{"reason", "short"}});
        out.sample(kept.rejectedLarge, {{"reason", "large"}});
        out.sample(kept.rejectedDifferent, {{"reason", "different"}});
        out.family("lacuna_prefix_cache_evictions_total", "counter",
                   "Texts that left for want of room, by whose.");
        out.sample(kept.evictedForLimit, {{"reason", "limit"}});
        out.sample(kept.evictedForCaches, {{"reason", "caches"}});
        addPrefixDisk(out, m_prefixDisk);
    }
    counter("lacuna_cache_tokens_reused_total", "Prompt tokens found in a cache.", m_lookups.found);
    if (!m_compactionCounts.empty())
        out.family("lacuna_compactions_total", "counter",
                   "Compactions by method, result and cause.");
    for (const auto& [kind, count] : m_compactionCounts)
        out.sample(count, {{"method", std::string(keyOf(std::get<0>(kind)))},
                           {"result", std::string(keyOf(std::get<1>(kind)))},
                           {"cause", std::string(keyOf(std::get<2>(kind)))}});
    out.histogram("lacuna_compaction_seconds", "Wall time of a compaction that was done.",
                  m_compactionSeconds, {});
    counter("lacuna_compaction_stall_seconds_total", "What answers waited for compactions.",
            m_stallSeconds);
    out.family("lacuna_restores_total", "counter",
               "Requests to bring forgotten tokens back, by their result.");
    out.sample(m_restores, {{"result", "done"}});
    out.sample(m_restoresFailed, {{"result", "failed"}});
    counter("lacuna_restored_tokens_total", "Tokens that were brought back.", m_restoredTokens);
    out.family(
        "lacuna_questions_looked_back_total", "counter",
        "Questions that were read over the whole text for what they look for among forgotten "
        "tokens (bring_back), by what came of it.");
    for (const auto& [result, count] : m_questionsLookedBack)
        out.sample(count, {{"result", result}});
    counter("lacuna_look_back_seconds_total", "What answers waited for that.", m_lookBackSeconds);
    counter("lacuna_compaction_dropped_slots_total", "Rows of heads that compactions dropped.",
            m_droppedSlots);
    counter("lacuna_compaction_freed_bytes_total", "Live bytes that compactions gave up.",
            m_freedBytes);
    counter("lacuna_decode_passes_total",
            "Forward passes that drew a token, counted for each answer.", m_decodeSteps);
    counter("lacuna_context_shifted_tokens_total",
            "Older tokens given up because a context was full.", m_shifted);
    if (m_precisionKl && m_precision)
        gauge("lacuna_precision_kl_nats",
              "Mean KL of the kernels' precision against the exact one, as measured.",
              *m_precisionKl, {{"precision", std::string(keyOf(*m_precision))}});
    counter("lacuna_quality_samples_total", "Samples of live quality (setting quality_every).",
            m_qualitySamples);
    if (m_qualityCount > 0)
        gauge("lacuna_quality_kl_nats",
              "KL of the next token against the whole cache, mean of the samples under the "
              "settings in force.",
              m_qualityKl / static_cast<double>(m_qualityCount));
    return out.take();
}

}  // namespace lacuna::app
