#include "engine/settings/setting_spec.h"

#include <algorithm>
#include <unordered_map>

#include "engine/base/check.h"
#include "engine/base/string_format.h"
#include "engine/settings/setting_spec_rows.h"

namespace lacuna {
namespace {

void append(std::vector<SettingSpec>& all, std::vector<SettingSpec> rows, SettingGroup group) {
    for (SettingSpec& row : rows) {
        row.group = group;
        if (group == SettingGroup::Compression) row.scope = SettingScope::Conversation;
        all.push_back(std::move(row));
    }
}

const std::vector<SettingSpec>& table() {
    static const std::vector<SettingSpec> specs = [] {
        std::vector<SettingSpec> all;
        append(all, compressionSettingSpecs(), SettingGroup::Compression);
        append(all, cacheSettingSpecs(), SettingGroup::Cache);
        append(all, runSettingSpecs(), SettingGroup::Run);
        append(all, samplingSettingSpecs(), SettingGroup::Sampling);
        return all;
    }();
    return specs;
}

}  // namespace

std::span<const SettingSpec> settingSpecs() {
    return table();
}

const SettingSpec* findSetting(std::string_view key) {
    static const std::unordered_map<std::string_view, const SettingSpec*> byKey = [] {
        std::unordered_map<std::string_view, const SettingSpec*> all;
        for (const SettingSpec& spec : table()) all.emplace(spec.key, &spec);
        return all;
    }();
    const auto at = byKey.find(key);
    return at == byKey.end() ? nullptr : at->second;
}

bool fits(const SettingSpec& spec, const SettingValue& value) {
    switch (spec.field.kind) {
        case SettingKind::Real:
            return std::holds_alternative<double>(value);
        case SettingKind::Integer:
            return std::holds_alternative<int>(value);
        case SettingKind::OptionalInteger:
            return std::holds_alternative<SettingOff>(value) ||
                   (spec.field.wide ? std::holds_alternative<std::uint64_t>(value)
                                    : std::holds_alternative<int>(value));
        case SettingKind::Choice: {
            if (spec.field.orNumber && std::holds_alternative<double>(value)) return true;
            const auto* choice = std::get_if<SettingChoice>(&value);
            return choice != nullptr && choice->place < spec.field.choices.size();
        }
        case SettingKind::IntegerList:
            return std::holds_alternative<std::vector<int>>(value);
    }
    return false;
}

void setSetting(EngineConfig& config, const SettingSpec& spec, const SettingValue& value) {
    LACUNA_REQUIRE(fits(spec, value), "a setting is given a value of its own type");
    spec.field.set(config, value);
}

bool RuleScene::broken(std::string_view key) const {
    return std::ranges::any_of(found, [&](const RuleViolation& v) { return v.field == key; });
}

bool RuleScene::idle(std::string_view key) const {
    const SettingSpec* spec = findSetting(key);
    return spec != nullptr && idleCondition(*spec, config, model) != nullptr;
}

const IdleWhen* idleCondition(const SettingSpec& spec, const EngineConfig& config,
                              const ModelFacts* model) {
    for (const IdleWhen& idle : spec.idleWhen)
        if (idle.holds(config, model)) return &idle;
    return nullptr;
}

std::string_view idleReason(const SettingSpec& spec, const EngineConfig& config,
                            const ModelFacts* model) {
    const IdleWhen* const idle = idleCondition(spec, config, model);
    return idle != nullptr ? idle->sentence : std::string_view();
}

std::string idleText(const SettingSpec& spec) {
    std::vector<std::string_view> reasons;
    for (const IdleWhen& idle : spec.idleWhen) reasons.push_back(idle.sentence);
    return format("{}", fmt::join(reasons, ", or while "));
}

std::optional<CompactionMethod> impliedMethod(const SettingSpec& spec, const EngineConfig& config,
                                              const SettingValue& value) {
    if (config.kv.method != CompactionMethod::None || std::holds_alternative<SettingOff>(value))
        return std::nullopt;
    return spec.impliedMethod;
}

std::optional<int> impliedBudget(const EngineConfig& config, const ModelFacts* model) {
    const KvOptions& kv = config.kv;
    if (kv.method != CompactionMethod::Eviction || kv.budget || config.cacheLimitMiB > 0)
        return std::nullopt;
    const int most = contextLimit(config, model).value_or(kImpliedBudget);
    return std::max(std::min(kImpliedBudget, most), kv.nSink + kv.keepRecent + 1);
}

double effectiveMaximum(const SettingSpec& spec, const EngineConfig& config,
                        const ModelFacts* model) {
    return spec.effectiveMaximum == nullptr
               ? spec.maximum
               : std::min(spec.maximum, spec.effectiveMaximum(config, model));
}

std::string resolvedMeaning(const SettingSpec& spec, const EngineConfig& config,
                            const ModelFacts* model) {
    return spec.meaning == nullptr ? std::string() : spec.meaning(config, model);
}

std::string settingRange(const SettingSpec& spec) {
    switch (spec.field.kind) {
        case SettingKind::Choice:
            if (spec.field.orNumber)
                return format("{}, or a number from {} to {}", fmt::join(spec.field.choices, ", "),
                              spec.minimum, spec.maximum);
            return format("{}", fmt::join(spec.field.choices, ", "));
        case SettingKind::Real:
        case SettingKind::Integer:
            if (spec.minimumNonZero > 0)
                return format("0, or {} to {}", spec.minimumNonZero, spec.maximum);
            if (spec.openMinimum) return format("above {}, up to {}", spec.minimum, spec.maximum);
            return format("{} to {}", spec.minimum, spec.maximum);
        case SettingKind::OptionalInteger:
            if (spec.field.wide) return "off, or 0 to 18446744073709551615";
            return format("off, or {} to {}", spec.minimum, spec.maximum);
        case SettingKind::IntegerList:
            return format("off, or a list of {} to {}", spec.minimum, spec.maximum);
    }
    return {};
}

}  // namespace lacuna
