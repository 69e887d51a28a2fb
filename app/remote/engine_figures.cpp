#include "app/remote/engine_figures.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

namespace lacuna::app {

namespace {

using F = Figure;
using K = FigureKind;
using S = FigureSum;

struct FamilyPrefix {
    EngineFamily family;
    std::string_view prefix;  ///< metric name prefix; a trailing colon also matches an underscore
    std::string_view words;
};
/// Intermediate exporters may replace ':' by '_'.
constexpr FamilyPrefix kFamilies[] = {{EngineFamily::Lacuna, "lacuna_", "Lacuna"},
                                      {EngineFamily::Vllm, "vllm:", "vLLM"},
                                      {EngineFamily::Sglang, "sglang:", "SGLang"},
                                      {EngineFamily::LlamaServer, "llamacpp:", "llama-server"},
                                      {EngineFamily::LmCache, "lmcache:", "LMCache"}};

// Sources: vLLM, v1/metrics/loggers.py and "Production metrics"; SGLang, metrics_collector.py and
// "Production metrics"; llama.cpp, tools/server/README.md, "GET /metrics"; LMCache, "Metrics by
// vLLM API"; for lacuna_ docs/server.md. Deprecated names follow the names that replaced them.
constexpr FigureName kNames[] = {
    {"lacuna_cache_tokens", F::CacheTokens, K::Gauge},
    {"lacuna_cache_logical_bytes", F::LogicalBytes, K::Gauge},
    {"lacuna_cache_live_bytes", F::LiveBytes, K::Gauge},
    {"lacuna_cache_allocated_bytes", F::AllocatedBytes, K::Gauge},
    {"lacuna_quality_kl_nats", F::QualityKl, K::Gauge},
    {"lacuna_compaction", F::Compactions, K::Counter, S::Add, "result", "done"},
    {"lacuna_compactions", F::Compactions, K::Counter, S::Add, "result", "done"},
    {"lacuna_compaction_stall_seconds", F::CompactionStall, K::Counter},

    {"vllm:num_requests_running", F::Running, K::Gauge},
    {"vllm:num_requests_waiting", F::Waiting, K::Gauge},
    {"vllm:kv_cache_usage_perc", F::CacheShare, K::Gauge, S::Mean},
    {"vllm:gpu_cache_usage_perc", F::CacheShare, K::Gauge, S::Mean},
    {"vllm:prefix_cache_queries", F::PrefixQueried, K::Counter},
    {"vllm:prefix_cache_hits", F::PrefixHit, K::Counter},
    {"vllm:gpu_prefix_cache_queries", F::PrefixQueried, K::Counter},
    {"vllm:gpu_prefix_cache_hits", F::PrefixHit, K::Counter},
    {"vllm:prompt_tokens", F::PromptTokens, K::Counter},
    {"vllm:generation_tokens", F::AnswerTokens, K::Counter},
    {"vllm:request_success", F::Answered, K::Counter},
    {"vllm:num_preemptions", F::Preempted, K::Counter},
    {"vllm:spec_decode_num_draft_tokens", F::Drafted, K::Counter},
    {"vllm:spec_decode_num_accepted_tokens", F::Accepted, K::Counter},
    {"vllm:time_to_first_token_seconds", F::FirstToken, K::Mean},
    {"vllm:inter_token_latency_seconds", F::BetweenTokens, K::Mean},
    {"vllm:time_per_output_token_seconds", F::BetweenTokens, K::Mean},
    {"vllm:e2e_request_latency_seconds", F::WholeRequest, K::Mean},
    {"vllm:request_queue_time_seconds", F::Queued, K::Mean},
    {"vllm:request_prefill_time_seconds", F::Prefill, K::Mean},
    {"vllm:request_decode_time_seconds", F::Decode, K::Mean},
    {"vllm:request_prompt_tokens", F::PromptSize, K::Mean},
    {"vllm:request_generation_tokens", F::AnswerSize, K::Mean},

    {"sglang:num_running_reqs", F::Running, K::Gauge},
    {"sglang:num_queue_reqs", F::Waiting, K::Gauge},
    {"sglang:token_usage", F::CacheShare, K::Gauge, S::Mean},
    {"sglang:num_used_tokens", F::CacheTokens, K::Gauge},
    {"sglang:kv_used_tokens", F::CacheTokens, K::Gauge},
    {"sglang:max_total_num_tokens", F::CacheCapacity, K::Gauge},
    {"sglang:gen_throughput", F::AnswerRate, K::Gauge},
    {"sglang:cache_hit_rate", F::PrefixHitShare, K::Gauge, S::Mean},
    {"sglang:prompt_tokens", F::PromptTokens, K::EndCounter},
    {"sglang:prompt_tokens", F::PrefixQueried, K::Counter},
    {"sglang:cached_tokens", F::PrefixHit, K::Counter},
    {"sglang:generation_tokens", F::AnswerTokens, K::EndCounter},
    {"sglang:num_requests", F::Answered, K::Counter},
    {"sglang:num_retracted_requests", F::Preempted, K::Counter},
    {"sglang:spec_accept_rate", F::AcceptedShare, K::Gauge, S::Mean},
    {"sglang:time_to_first_token_seconds", F::FirstToken, K::Mean},
    {"sglang:inter_token_latency_seconds", F::BetweenTokens, K::Mean},
    {"sglang:time_per_output_token_seconds", F::BetweenTokens, K::Mean},
    {"sglang:e2e_request_latency_seconds", F::WholeRequest, K::Mean},
    {"sglang:queue_time_seconds", F::Queued, K::Mean},

    {"llamacpp:requests_processing", F::Running, K::Gauge},
    {"llamacpp:requests_deferred", F::Waiting, K::Gauge},
    {"llamacpp:kv_cache_usage_ratio", F::CacheShare, K::Gauge},
    {"llamacpp:kv_cache_tokens", F::CacheTokens, K::Gauge},
    {"llamacpp:predicted_tokens_seconds", F::AnswerRate, K::Gauge},
    {"llamacpp:prompt_tokens_seconds", F::PromptRate, K::Gauge},
    {"llamacpp:tokens_predicted", F::AnswerTokens, K::EndCounter},
    {"llamacpp:prompt_tokens", F::PromptTokens, K::EndCounter},
    {"llamacpp:prompt_tokens_cached", F::PrefixHit, K::Counter},
    {"llamacpp:spec_decode_num_draft_tokens", F::Drafted, K::EndCounter},
    {"llamacpp:spec_decode_num_accepted_tokens", F::Accepted, K::EndCounter},

    {"lmcache:local_cache_usage", F::OffloadBytes, K::Gauge},
    {"lmcache:local_storage_usage", F::OffloadDiskBytes, K::Gauge},
    {"lmcache:remote_cache_usage", F::OffloadRemoteBytes, K::Gauge},
    {"lmcache:num_store_stored_tokens", F::OffloadStored, K::Counter},
    {"lmcache:num_stored_tokens", F::OffloadStored, K::Counter},
    {"lmcache:num_retrieve_retrieved_tokens", F::OffloadFetched, K::Counter},
    {"lmcache:num_hit_tokens", F::OffloadFetched, K::Counter},
    {"lmcache:lookup_hit_rate", F::OffloadHitShare, K::Gauge, S::Mean},
    {"lmcache:retrieve_hit_rate", F::OffloadHitShare, K::Gauge, S::Mean},
    {"lmcache:time_to_retrieve", F::OffloadFetchTime, K::Mean},
    {"lmcache:local_cpu_evict_count", F::OffloadEvictions, K::Counter},

    {"process_resident_memory_bytes", F::ResidentBytes, K::Gauge, S::Greatest},
};

/// Restores the colon after the family prefix if an exporter replaced it by '_'.
std::string canonical(std::string_view name) {
    std::string text(name);
    for (const FamilyPrefix& one : kFamilies) {
        if (!one.prefix.ends_with(':')) continue;
        const std::string_view bare = one.prefix.substr(0, one.prefix.size() - 1);
        if (name.starts_with(bare) && name.size() > bare.size() && name[bare.size()] == '_')
            text[bare.size()] = ':';
    }
    return text;
}

bool speaksFor(const MetricScrape& scrape, const FamilyPrefix& family) {
    return std::ranges::any_of(scrape.samples, [&](const MetricSample& sample) {
        return canonical(sample.name).starts_with(family.prefix);
    });
}

struct Sums {
    double added = 0, greatest = 0;
    int samples = 0;
    void take(double value) {
        greatest = samples == 0 ? value : std::max(greatest, value);
        added += value;
        ++samples;
    }
    [[nodiscard]] std::optional<double> by(FigureSum sum) const {
        if (samples == 0) return std::nullopt;
        switch (sum) {
            case FigureSum::Add:
                return added;
            case FigureSum::Mean:
                return added / samples;
            case FigureSum::Greatest:
                return greatest;
        }
        return added;
    }
};

bool fits(const FigureName& name, const MetricSample& sample) {
    if (name.label.empty()) return true;
    return std::ranges::any_of(sample.labels, [&](const auto& label) {
        return label.first == name.label && label.second == name.text;
    });
}

using SamplesByName = std::multimap<std::string, const MetricSample*, std::less<>>;

std::optional<double> sumOf(const SamplesByName& samples, const FigureName& name,
                            std::string_view suffix) {
    std::string wanted(name.name);
    wanted += suffix;
    Sums sums;
    const auto [first, last] = samples.equal_range(wanted);
    for (auto at = first; at != last; ++at)
        if (fits(name, *at->second) && std::isfinite(at->second->value))
            sums.take(at->second->value);
    return sums.by(name.sum);
}

/// Sums a counter. Its name ends in "_total" in this format; older exporters omit the suffix.
std::optional<double> counterOf(const SamplesByName& samples, const FigureName& name) {
    const auto whole = sumOf(samples, name, "_total");
    return whole ? whole : sumOf(samples, name, "");
}

std::optional<FigureReading> readingOf(const SamplesByName& samples, const FigureName& name) {
    if (name.kind == FigureKind::Mean) {
        const auto sum = sumOf(samples, name, "_sum");
        const auto count = sumOf(samples, name, "_count");
        if (!sum || !count) return std::nullopt;
        return FigureReading{&name, *sum, *count};
    }
    const auto value =
        name.kind == FigureKind::Gauge ? sumOf(samples, name, "") : counterOf(samples, name);
    if (!value) return std::nullopt;
    return FigureReading{&name, *value, 0};
}

/// Returns the rate or mean between two readings; nullopt if it is undefined.
std::optional<double> stepOf(const FigureReading& before, const FigureReading& now,
                             double seconds) {
    if (before.name != now.name || seconds <= 0) return std::nullopt;
    const double grown = now.value - before.value;
    if (now.name->kind == FigureKind::Counter)
        return grown >= 0 ? std::optional(grown / seconds) : std::nullopt;
    const double more = now.count - before.count;
    if (now.name->kind == FigureKind::Mean && more > 0 && grown >= 0) return grown / more;
    return std::nullopt;
}

std::optional<double> shareOf(const std::optional<double>& part,
                              const std::optional<double>& whole) {
    if (!part || !whole || *whole <= 0) return std::nullopt;
    return std::clamp(*part / *whole, 0.0, 1.0);
}

std::optional<double> nowOf(const FigureValues& values, Figure figure) {
    return valueOf(values, figure).now;
}

}  // namespace

EngineFamily familyOf(const MetricScrape& scrape) {
    for (const FamilyPrefix& family : kFamilies)
        if (speaksFor(scrape, family)) return family.family;
    return EngineFamily::Unknown;
}

bool hasLmCache(const MetricScrape& scrape) {
    return speaksFor(scrape, std::end(kFamilies)[-1]);
}

std::string_view familyName(EngineFamily family) {
    for (const FamilyPrefix& one : kFamilies)
        if (one.family == family) return one.words;
    return {};
}

std::span<const FigureName> figureNames() {
    return kNames;
}

FigureReadings readingsOf(const MetricScrape& scrape) {
    SamplesByName samples;
    for (const MetricSample& sample : scrape.samples)
        samples.emplace(canonical(sample.name), &sample);
    FigureReadings readings;
    for (const FigureName& name : kNames) {
        FigureReading& reading = readings[static_cast<std::size_t>(name.figure)];
        if (reading.name != nullptr) continue;
        if (const auto found = readingOf(samples, name)) reading = *found;
    }
    return readings;
}

FigureValues FigureMeter::next(const FigureReadings& readings, std::int64_t timeNs) {
    FigureValues values;
    const double seconds = m_before ? static_cast<double>(timeNs - m_before->timeNs) / 1e9 : 0;
    for (std::size_t i = 0; i < kFigureCount; ++i) {
        const FigureReading& reading = readings[i];
        if (reading.name == nullptr) continue;
        FigureValue& value = values[i];
        value.reported = true;
        if (reading.name->kind == FigureKind::Gauge) {
            value.now = reading.value;
            continue;
        }
        if (reading.name->kind != FigureKind::Mean)
            value.total = reading.value;
        else if (reading.count > 0)
            value.total = reading.value / reading.count;
        if (m_before) value.now = stepOf(m_before->readings[i], reading, seconds);
    }
    m_before = Before{readings, timeNs};
    return values;
}

/// llama-server reports the mean over all answers so far, which is a current rate only while an
/// answer is being written.
std::optional<double> answerRate(const FigureValues& values) {
    const auto counted = nowOf(values, F::AnswerTokens);
    if (counted) return *counted > 0 ? counted : std::nullopt;
    const auto said = nowOf(values, F::AnswerRate);
    const bool idle = nowOf(values, F::Running).value_or(1) <= 0;
    return said && *said > 0 && !idle ? said : std::nullopt;
}

std::optional<double> promptRate(const FigureValues& values) {
    const auto counted = nowOf(values, F::PromptTokens);
    if (counted) return *counted > 0 ? counted : std::nullopt;
    const auto said = nowOf(values, F::PromptRate);
    const bool idle = nowOf(values, F::Running).value_or(1) <= 0;
    return said && *said > 0 && !idle ? said : std::nullopt;
}

std::optional<double> prefixHitShare(const FigureValues& values) {
    const auto counted = shareOf(nowOf(values, F::PrefixHit), nowOf(values, F::PrefixQueried));
    return counted ? counted : nowOf(values, F::PrefixHitShare);
}

std::optional<double> cacheShare(const FigureValues& values) {
    const auto said = nowOf(values, F::CacheShare);
    return said ? said : shareOf(nowOf(values, F::CacheTokens), nowOf(values, F::CacheCapacity));
}

}  // namespace lacuna::app
