#include "app/serve/cache_admin.h"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/base/string_format.h"
#include "engine/settings/config_check.h"
#include "engine/settings/setting_spec.h"
#include "engine/settings/setting_value.h"
#include "engine/settings/settings_diff.h"

namespace lacuna::app {
namespace {

/// Aliases of setting keys.
constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kOtherNames{
    {{"mode", "method"}, {"policy", "norm_policy"}}};
/// Members that give the number of bits; each stands for a cache type.
constexpr std::string_view kGroupBits = "kv_bits", kRotatedBits = "turbo_bits";

bool isCacheSetting(const SettingSpec& spec) {
    return spec.group == SettingGroup::Compression || spec.group == SettingGroup::Cache;
}

ApiError refusal(std::string_view member, std::string message, std::string code,
                 std::string_view allowed = {}) {
    ApiError error{
        .message = std::move(message), .param = std::string(member), .code = std::move(code)};
    if (!allowed.empty()) error.more["allowed"] = allowed;
    return error;
}

/// Returns the cache type with this number of bits.
ApiResult<std::string> typeOfBits(std::string_view member, const OrderedJson& value) {
    const bool rotated = member == kRotatedBits;
    const std::string_view allowed = rotated ? "whole numbers 1 to 8" : "4, 8, 16";
    if (value.is_number_integer()) {
        const auto bits = value.is_number_unsigned()
                              ? std::min<std::uint64_t>(value.get<std::uint64_t>(), 99)
                              : std::uint64_t{0};
        if (rotated && bits >= 1 && bits <= 8) return format("t{}", bits);
        if (!rotated && (bits == 4 || bits == 8)) return format("q{}_0", bits);
        if (!rotated && bits == 16) return std::string("f16");
    }
    return tl::unexpected<ApiError>(
        refusal(member, format("{} is {}; allowed: {}", member, dumpJson(value), allowed),
                "KV-TYPE", allowed));
}

/// Converts a member to a key and value of the settings table.
ApiResult<std::pair<std::string, Json>> settingOfMember(const std::string& member,
                                                        const OrderedJson& value) {
    if (member == kGroupBits || member == kRotatedBits) {
        auto type = typeOfBits(member, value);
        if (!type) return tl::unexpected<ApiError>(type.error());
        return std::pair(std::string("kv_type"), Json(*type));
    }
    std::string key = member;
    for (const auto& [other, meant] : kOtherNames)
        if (member == other) key = meant;
    const SettingSpec* const spec = findSetting(key);
    if (spec == nullptr || !isCacheSetting(*spec))
        return tl::unexpected<ApiError>(refusal(
            member, format("{} is not a compression or cache setting", member), "KEY-UNKNOWN"));
    return std::pair(std::move(key), Json(value));
}

OrderedJson violationJson(const RuleViolation& violation) {
    return {{"rule", violation.rule},
            {"field", violation.field},
            {"found", violation.found},
            {"allowed", violation.allowed},
            {"nearest",
             violation.nearest.empty() ? OrderedJson(nullptr) : OrderedJson(violation.nearest)},
            {"sentence", violation.sentence}};
}

std::string_view wordOf(SettingTiming when) {
    switch (when) {
        case SettingTiming::Live:
            return "live";
        case SettingTiming::NextTurn:
            return "next_request";
        case SettingTiming::NewCache:
            return "new_cache";
    }
    return "live";
}

/// Bits of a stored element, without scales.
int bitsOf(const KvRowType& type) {
    if (!type.quant.plain()) return type.quant.bits;
    return type.type == DType::F32 ? 32 : 16;
}

struct Totals {
    std::int64_t caches = 0, tokens = 0, numbers = 0, logical = 0, live = 0, allocated = 0;
    std::int64_t states = 0, checkpoints = 0;
};

Totals totalsOf(const ServerMetrics& metrics, const RequestScheduler& scheduler) {
    Totals all;
    for (const RequestScheduler::Slot& slot : scheduler.slots()) {
        const KvStats* const kv = metrics.cacheOf(slot.conversation);
        if (kv == nullptr) continue;
        ++all.caches;
        all.tokens += kv->tokens;
        all.numbers += kv->numbers;
        all.logical += kv->logicalBytes;
        all.live += kv->liveBytes;
        all.allocated += kv->allocatedBytes;
        all.states += kv->stateBytes;
        all.checkpoints += kv->checkpointBytes;
    }
    return all;
}

/// Settings in which a running answer or an existing cache still differs from those in effect.
OrderedJson oldSettings(const SettingsShown& shown, const RequestScheduler& scheduler) {
    OrderedJson slots = OrderedJson::array();
    for (std::size_t i = 0; i < scheduler.slots().size(); ++i) {
        const RequestScheduler::Slot& slot = scheduler.slots()[i];
        const auto turn = shown.turns.find(slot.conversation);
        if (turn == shown.turns.end()) continue;
        OrderedJson values = OrderedJson::object();
        for (const SettingChange& change : settingsDiff(shown.effective, turn->second)) {
            const SettingSpec& spec = *change.spec;
            const bool kept = spec.when == SettingTiming::NewCache ||
                              (spec.when == SettingTiming::NextTurn && slot.busy);
            if (isCacheSetting(spec) && kept)
                values[std::string(spec.key)] = settingJson(spec, change.after);
        }
        if (!values.empty())
            slots.push_back({{"id", i}, {"is_processing", slot.busy}, {"settings", values}});
    }
    return slots;
}

OrderedJson lookupsJson(ServerMetrics::Lookups lookups) {
    return {{"tokens", lookups.asked},
            {"found", lookups.found},
            {"hit_rate", lookups.asked > 0 ? OrderedJson(static_cast<double>(lookups.found) /
                                                         static_cast<double>(lookups.asked))
                                           : OrderedJson(nullptr)}};
}

}  // namespace

ApiError apiErrorOf(const std::vector<RuleViolation>& violations) {
    const RuleViolation& first = violations.front();
    ApiError error = apiErrorOf(first);
    error.more["found"] = first.found;
    error.more["allowed"] = first.allowed;
    error.more["nearest"] =
        first.nearest.empty() ? OrderedJson(nullptr) : OrderedJson(first.nearest);
    error.more["violations"] = OrderedJson::array();
    for (const RuleViolation& one : violations)
        error.more["violations"].push_back(violationJson(one));
    return error;
}

ApiResult<EngineConfig> changedCacheSettings(const OrderedJson& change, const EngineConfig& base,
                                             const ModelFacts& model, const MachineFacts& machine) {
    EngineConfig config = base;
    std::map<std::string, std::string> members;  // members by the setting key they stand for
    std::vector<RuleViolation> violations;
    for (const auto& [member, value] : change.items()) {
        const auto setting = settingOfMember(member, value);
        if (!setting) return tl::unexpected<ApiError>(setting.error());
        const auto& [key, wanted] = *setting;
        const auto [before, fresh] = members.emplace(key, member);
        if (!fresh)
            return tl::unexpected<ApiError>(refusal(
                member,
                format("{} and {} both set {}; leave one of them out", before->second, member, key),
                "EX-TWICE"));
        if (auto broken = changeSettingValue(config, key, wanted))
            violations.push_back(std::move(*broken));
    }
    if (violations.empty() && !members.contains("method"))
        for (const SettingSpec& spec : settingSpecs()) {
            if (!members.contains(std::string(spec.key))) continue;
            const auto implied = impliedMethod(spec, config, settingOf(config, spec));
            if (implied) config.kv.method = *implied;
        }
    if (violations.empty() && members.contains("method") && !members.contains("budget") &&
        !config.kv.budget)
        config.kv.budget = impliedBudget(config, &model);
    if (violations.empty()) violations = violationsOf(config, &model, machine);
    if (!violations.empty()) return tl::unexpected<ApiError>(apiErrorOf(violations));
    if (config.context != base.context)
        return tl::unexpected<ApiError>(
            ApiError{.status = 409,
                     .message = "the context cannot change while the server runs; restart it with "
                                "lacuna serve --set context=N",
                     .param = "context",
                     .code = "NEEDS_RESTART"});
    return config;
}

OrderedJson settingsJson(const SettingsShown& shown) {
    OrderedJson all = OrderedJson::object();
    for (const SettingSpec& spec : settingSpecs()) {
        if (!isCacheSetting(spec)) continue;
        all[std::string(spec.key)] = {
            {"requested", settingValueFrom(shown.requested, spec.key)},
            {"effective", settingValueFrom(shown.effective, spec.key)},
            {"when", wordOf(spec.when)},
            {"allowed", settingRange(spec)},
            {"idle", idleReason(spec, shown.effective, &shown.model)},
            {"meaning", resolvedMeaning(spec, shown.effective, &shown.model)}};
    }
    return all;
}

OrderedJson compressionJson(const SettingsShown& shown, const ServerMetrics& metrics,
                            const RequestScheduler& scheduler) {
    const KvOptions& kv = shown.effective.kv;
    const KvRowType keys{kv.type, kv.quant};
    const KvRowType values = kv.values.value_or(keys);
    const bool compacts = kv.method != CompactionMethod::None;
    const bool codes = !keys.quant.plain() || !values.quant.plain();
    const Totals all = totalsOf(metrics, scheduler);
    const Histogram& times = metrics.counts().compactionSeconds;
    const auto p95 = times.boundOf(0.95);
    const PageCoding& decoded = metrics.counts().disk.decoded;
    const auto skipped = compacts && !codes ? static_cast<int>(kv.skipLayers.size()) : 0;
    return {
        {"enabled", compacts || codes || kv.window.has_value()},
        {"mode", settingValueText(shown.effective, "method")},
        {"am_ratio", kv.amRatio},
        {"budget", settingValueFrom(shown.effective, "budget")},
        {"keep_recent", kv.keepRecent},
        {"policy", settingValueText(shown.effective, "norm_policy")},
        {"kv_bits_k", bitsOf(keys)},
        {"kv_bits_v", bitsOf(values)},
        {"turbo_bits", keys.quant.rotated() ? keys.quant.bits : 0},
        {"avg_bits", all.numbers > 0 ? OrderedJson(static_cast<double>(all.live) * 8 /
                                                   static_cast<double>(all.numbers))
                                     : OrderedJson(bitsOf(keys) / 2.0 + bitsOf(values) / 2.0)},
        {"layers_total", shown.model.layers},
        {"layers_compressed", compacts || codes ? shown.model.layers - skipped : 0},
        {"bytes_before", all.logical},
        {"bytes_after", all.live},
        {"compression_ratio",
         all.live > 0 ? static_cast<double>(all.logical) / static_cast<double>(all.live) : 1.0},
        {"success_count", metrics.counts().compacted},
        {"failure_count", metrics.counts().compactionsFailed},
        {"limited_count", metrics.counts().compactionsLimited},
        {"kept_information",
         metrics.counts().kept ? OrderedJson(metrics.counts().kept->all) : OrderedJson(nullptr)},
        {"kept_worst",
         metrics.counts().kept ? OrderedJson(metrics.counts().kept->worst) : OrderedJson(nullptr)},
        {"cache_hits", metrics.counts().hits},
        {"cache_misses", metrics.counts().misses},
        {"avg_compression_latency_ms",
         times.count() > 0 ? OrderedJson(times.sum() * 1e3 / static_cast<double>(times.count()))
                           : OrderedJson(nullptr)},
        {"p95_compression_latency_ms", p95 ? OrderedJson(*p95 * 1e3) : OrderedJson(nullptr)},
        // The codes of an active cache are read in place, without a decoding step; only pages from
        // disk are decoded.
        {"avg_decompression_latency_ms",
         decoded.done > 0 ? OrderedJson(decoded.seconds * 1e3 /
                                        static_cast<double>(decoded.done + decoded.failed))
                          : OrderedJson(nullptr)},
        {"p95_decompression_latency_ms", nullptr},
        {"n_components", nullptr},
        {"last_error", metrics.counts().lastCompactionError.empty()
                           ? OrderedJson(nullptr)
                           : OrderedJson(metrics.counts().lastCompactionError)},
        {"bundle",
         {{"name", "rotations"},
          {"fingerprint", shown.model.rotationsHash},
          {"ok", shown.model.rotations != nullptr},
          {"note", shown.model.rotationsNote}}},
        {"effective_since", shown.since},
        {"pending", !(shown.requested == shown.effective) || !metrics.counts().compacting.empty()},
        {"settings", settingsJson(shown)},
        {"older_settings", oldSettings(shown, scheduler)}};
}

namespace {

/// Null before the first lookup or store.
OrderedJson prefixJson(const std::optional<PrefixStats>& kept) {
    if (!kept) return nullptr;
    OrderedJson matches = OrderedJson::object();
    for (std::size_t i = 0; i < kept->matches.size(); ++i)
        matches[std::string(keyOf(static_cast<PrefixMatch>(i)))] = kept->matches[i];
    return {{"entries", kept->entries},
            {"bytes", kept->bytes},
            {"own_bytes", kept->bytesAlone},
            {"limit_bytes", kept->limitBytes},
            {"lookups", kept->lookups},
            {"matches", std::move(matches)},
            {"tokens_queried", kept->tokensQueried},
            {"tokens_reused", kept->tokensReused},
            {"saved_seconds", kept->savedSeconds}};
}

/// Null if the disk tier is off.
OrderedJson prefixDiskJson(const PrefixDiskStats& disk) {
    if (disk.limitBytes <= 0) return nullptr;
    OrderedJson misses = OrderedJson::object();
    for (std::size_t i = 0; i < disk.misses.size(); ++i)
        misses[std::string(keyOf(static_cast<PrefixMiss>(i)))] = disk.misses[i];
    return {{"entries", disk.files},
            {"tokens", disk.tokens},
            {"bytes", disk.bytes},
            {"limit_bytes", disk.limitBytes},
            {"lookups", disk.lookups},
            {"hits", disk.hits},
            {"misses", std::move(misses)},
            {"tokens_reused", disk.tokensReused},
            {"saved_seconds", disk.savedSeconds},
            {"queued", disk.queued},
            {"bytes_written_today", disk.bytesWrittenToday},
            {"quarantined", disk.quarantined},
            {"trouble", disk.problem.empty() ? OrderedJson(nullptr) : OrderedJson(disk.problem)},
            {"last_decision",
             {{"reason", keyOf(disk.last.reason)},
              {"tokens", disk.last.tokens},
              {"load_ms", disk.last.loadMs},
              {"compute_ms", disk.last.computeMs},
              {"took_ms", disk.last.tookMs}}}};
}

}  // namespace

OrderedJson cachesJson(const SettingsShown& shown, const std::string& model,
                       const ServerMetrics& metrics, const RequestScheduler& scheduler) {
    OrderedJson slots = OrderedJson::array();
    for (std::size_t i = 0; i < scheduler.slots().size(); ++i) {
        const RequestScheduler::Slot& slot = scheduler.slots()[i];
        OrderedJson one{{"id", i}, {"is_processing", slot.busy || slot.moving}};
        if (const KvStats* const kv = metrics.cacheOf(slot.conversation)) {
            one["tokens"] = kv->tokens;
            one["logical_bytes"] = kv->logicalBytes;
            one["live_bytes"] = kv->liveBytes;
            one["allocated_bytes"] = kv->allocatedBytes;
            one["state_bytes"] = kv->stateBytes;
            one["checkpoint_bytes"] = kv->checkpointBytes;
        }
        slots.push_back(std::move(one));
    }
    using std::chrono::minutes;
    const Totals all = totalsOf(metrics, scheduler);
    const double limit = shown.effective.cacheLimitMiB * 1024 * 1024;
    return {{"model", model},
            {"entries", all.caches},
            {"tokens", all.tokens},
            {"logical_bytes", all.logical},
            {"live_bytes", all.live},
            {"allocated_bytes", all.allocated},
            {"state_bytes", all.states},
            {"checkpoint_bytes", all.checkpoints},
            {"limit_bytes", limit > 0 ? OrderedJson(limit) : OrderedJson(nullptr)},
            {"lookups",
             {{"1m", lookupsJson(metrics.lookupsSince(minutes(1)))},
              {"5m", lookupsJson(metrics.lookupsSince(minutes(5)))},
              {"15m", lookupsJson(metrics.lookupsSince(minutes(15)))},
              {"lifetime", lookupsJson(metrics.counts().lookups)}}},
            {"prefix_cache", prefixJson(metrics.counts().prefixes)},
            {"prefix_disk", prefixDiskJson(metrics.counts().disk)},
            {"slots", std::move(slots)}};
}

}  // namespace lacuna::app
