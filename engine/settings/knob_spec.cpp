#include "engine/settings/knob_spec.h"

#include <algorithm>
#include <unordered_map>

#include "engine/base/check.h"
#include "engine/base/string_format.h"
#include "engine/settings/knob_rows.h"

namespace lacuna {
namespace {

void append(std::vector<KnobSpec>& all, std::vector<KnobSpec> rows, KnobGroup group) {
    for (KnobSpec& row : rows) {
        row.group = group;
        if (group == KnobGroup::Compression) row.scope = KnobScope::Conversation;
        all.push_back(std::move(row));
    }
}

const std::vector<KnobSpec>& table() {
    static const std::vector<KnobSpec> specs = [] {
        std::vector<KnobSpec> all;
        append(all, compressionKnobs(), KnobGroup::Compression);
        append(all, cacheKnobs(), KnobGroup::Cache);
        append(all, runKnobs(), KnobGroup::Run);
        append(all, samplingKnobs(), KnobGroup::Sampling);
        return all;
    }();
    return specs;
}

}  // namespace

std::span<const KnobSpec> knobSpecs() {
    return table();
}

const KnobSpec* findKnob(std::string_view key) {
    static const std::unordered_map<std::string_view, const KnobSpec*> byKey = [] {
        std::unordered_map<std::string_view, const KnobSpec*> all;
        for (const KnobSpec& spec : table()) all.emplace(spec.key, &spec);
        return all;
    }();
    const auto at = byKey.find(key);
    return at == byKey.end() ? nullptr : at->second;
}

bool fits(const KnobSpec& spec, const SettingValue& value) {
    switch (spec.field.kind) {
        case KnobKind::Real:
            return std::holds_alternative<double>(value);
        case KnobKind::Integer:
            return std::holds_alternative<int>(value);
        case KnobKind::OptionalInteger:
            return std::holds_alternative<SettingOff>(value) ||
                   (spec.field.wide ? std::holds_alternative<std::uint64_t>(value)
                                    : std::holds_alternative<int>(value));
        case KnobKind::Choice: {
            if (spec.field.orNumber && std::holds_alternative<double>(value)) return true;
            const auto* choice = std::get_if<SettingChoice>(&value);
            return choice != nullptr && choice->place < spec.field.choices.size();
        }
        case KnobKind::IntegerList:
            return std::holds_alternative<std::vector<int>>(value);
    }
    return false;
}

void setSetting(EngineConfig& config, const KnobSpec& spec, const SettingValue& value) {
    LACUNA_REQUIRE(fits(spec, value), "a setting is given a value of its own type");
    spec.field.set(config, value);
}

bool RuleScene::broken(std::string_view key) const {
    return std::ranges::any_of(found, [&](const RuleViolation& v) { return v.field == key; });
}

bool RuleScene::idle(std::string_view key) const {
    const KnobSpec* spec = findKnob(key);
    return spec != nullptr && idleCondition(*spec, config, model) != nullptr;
}

const IdleWhen* idleCondition(const KnobSpec& spec, const EngineConfig& config,
                              const ModelFacts* model) {
    for (const IdleWhen& idle : spec.idleWhen)
        if (idle.holds(config, model)) return &idle;
    return nullptr;
}

std::string_view idleReason(const KnobSpec& spec, const EngineConfig& config,
                            const ModelFacts* model) {
    const IdleWhen* const idle = idleCondition(spec, config, model);
    return idle != nullptr ? idle->sentence : std::string_view();
}

std::string idleText(const KnobSpec& spec) {
    std::vector<std::string_view> reasons;
    for (const IdleWhen& idle : spec.idleWhen) reasons.push_back(idle.sentence);
    return format("{}", fmt::join(reasons, ", or while "));
}

std::optional<CompactionMethod> methodBrought(const KnobSpec& spec, const EngineConfig& config,
                                              const SettingValue& value) {
    if (config.kv.method != CompactionMethod::None || std::holds_alternative<SettingOff>(value))
        return std::nullopt;
    return spec.brings;
}

std::optional<int> budgetBrought(const EngineConfig& config, const ModelFacts* model) {
    const KvOptions& kv = config.kv;
    if (kv.method != CompactionMethod::Eviction || kv.budget || config.cacheLimitMiB > 0)
        return std::nullopt;
    const int most = contextLimit(config, model).value_or(kBroughtBudget);
    return std::max(std::min(kBroughtBudget, most), kv.nSink + kv.keepRecent + 1);
}

double mostNow(const KnobSpec& spec, const EngineConfig& config, const ModelFacts* model) {
    return spec.mostNow == nullptr ? spec.maximum
                                   : std::min(spec.maximum, spec.mostNow(config, model));
}

std::string meaningNow(const KnobSpec& spec, const EngineConfig& config, const ModelFacts* model) {
    return spec.meaning == nullptr ? std::string() : spec.meaning(config, model);
}

std::string knobRange(const KnobSpec& spec) {
    switch (spec.field.kind) {
        case KnobKind::Choice:
            if (spec.field.orNumber)
                return format("{}, or a number from {} to {}", fmt::join(spec.field.choices, ", "),
                              spec.minimum, spec.maximum);
            return format("{}", fmt::join(spec.field.choices, ", "));
        case KnobKind::Real:
        case KnobKind::Integer:
            if (spec.leastButZero > 0)
                return format("0, or {} to {}", spec.leastButZero, spec.maximum);
            if (spec.openMinimum) return format("above {}, up to {}", spec.minimum, spec.maximum);
            return format("{} to {}", spec.minimum, spec.maximum);
        case KnobKind::OptionalInteger:
            if (spec.field.wide) return "off, or 0 to 18446744073709551615";
            return format("off, or {} to {}", spec.minimum, spec.maximum);
        case KnobKind::IntegerList:
            return format("off, or a list of {} to {}", spec.minimum, spec.maximum);
    }
    return {};
}

}  // namespace lacuna
