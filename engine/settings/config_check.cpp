// Every rule is a comparison written so that NaN fails it: !(x >= lo && x <= hi). Rules of one
// setting are part of its record: its range, and its relations to others and the model. The rules
// here belong to no single setting: the exclusions and the memory of the machine.

#include "engine/settings/config_check.h"

#include <algorithm>
#include <cmath>

#include "engine/base/string_format.h"
#include "engine/kv/kv_factory.h"
#include "engine/settings/exclusions.h"
#include "engine/settings/setting_spec_rows.h"

namespace lacuna {

namespace {

/// Builds complete sentences, so that each can be translated.
std::string brokenSentence(const RuleViolation& broken, const std::string& why) {
    const auto& [rule, field, found, allowed, nearest, sentence] = broken;
    if (why.empty() && nearest.empty())
        return format("{} is {}; allowed is {}.", field, found, allowed);
    if (why.empty())
        return format("{} is {}; allowed is {}; the nearest valid value is {}.", field, found,
                      allowed, nearest);
    if (nearest.empty())
        return format("{} is {}; allowed is {}, because {}.", field, found, allowed, why);
    return format("{} is {}; allowed is {}, because {}; the nearest valid value is {}.", field,
                  found, allowed, why, nearest);
}

}  // namespace

RuleViolation refused(const EngineConfig& config, Refusal parts) {
    RuleViolation violation{.rule = std::string(parts.rule),
                            .field = std::string(parts.key),
                            .found = settingValueText(config, parts.key),
                            .allowed = std::move(parts.allowed),
                            .nearest = std::move(parts.nearest),
                            .sentence = ""};
    violation.sentence = brokenSentence(violation, parts.reason);
    return violation;
}

std::optional<int> contextLimit(const EngineConfig& config, const ModelFacts* model) {
    if (config.context >= kMinContext) return config.context;
    if (model != nullptr && model->context > 0) return model->context;
    return std::nullopt;
}

namespace {

CacheRequest requestOf(const EngineConfig& config, const ModelFacts* model) {
    return {.method = config.kv.method,
            .budget = config.kv.budget,
            .window = config.kv.window,
            .windowKeep = config.kv.nSink,
            .keyQuant = config.kv.quant,
            .valueQuant = config.kv.values ? config.kv.values->quant : config.kv.quant,
            .draftModel = model != nullptr && !model->draftPath.empty(),
            .contextShift = config.contextShift.has_value(),
            .slidingLayers = model != nullptr && hasSlidingLayers(cacheModelOf(*model))};
}

/// Checks the setting's own range.
std::optional<RuleViolation> outsideRange(const SettingSpec& spec, const EngineConfig& config) {
    // Lists are checked by relations, and 64-bit integers have no limit.
    if (spec.field.kind == SettingKind::IntegerList || spec.field.wide) return std::nullopt;
    const SettingValue value = settingOf(config, spec);
    if (spec.field.kind == SettingKind::Choice && !std::holds_alternative<double>(value)) {
        if (fits(spec, value)) return std::nullopt;
        return refused(config, {.rule = spec.ruleId,
                                .key = spec.key,
                                .allowed = settingRange(spec),
                                .nearest = std::string(spec.field.choices.front())});
    }
    const std::optional<double> number = numberOf(value);
    if (!number) return std::nullopt;  // off
    const bool aboveMinimum = spec.openMinimum ? *number > spec.minimum : *number >= spec.minimum;
    if (aboveMinimum && *number <= spec.maximum) return std::nullopt;
    const bool over = *number > spec.maximum;
    const double lowest = spec.openMinimum ? spec.minimum + spec.step : spec.minimum;
    // NaN has no nearest valid value; the default is offered instead.
    return refused(config,
                   {.rule = over && !spec.ruleIdAbove.empty() ? spec.ruleIdAbove : spec.ruleId,
                    .key = spec.key,
                    .allowed = settingRange(spec),
                    .nearest = std::isnan(*number) ? settingValueText(EngineConfig{}, spec.key)
                                                   : format("{}", over ? spec.maximum : lowest)});
}

/// Reports settings that exclude each other or conflict with the model.
std::optional<RuleViolation> excluded(const RuleScene& scene, const Exclusion& hit) {
    const bool isSetting = findSetting(hit.second) != nullptr;
    const std::string_view field = isSetting ? hit.second : hit.first;
    if (scene.broken(field)) return std::nullopt;
    return RuleViolation{.rule = std::string(hit.id),
                         .field = std::string(field),
                         .found = settingValueText(scene.config, field),
                         .allowed = format("off with {}", isSetting ? hit.first : hit.second),
                         .nearest = "",
                         .sentence = exclusionText(hit)};
}

/// Refuses only what cannot fit at all: a manually set context whose cache and weights together
/// exceed the total memory. A context of 0 adapts to the memory instead (effectiveContext).
std::optional<RuleViolation> passesMemory(const RuleScene& scene, const MachineFacts& machine) {
    const auto& [config, model, found] = scene;
    if (model == nullptr || machine.memoryBytes <= 0 || scene.broken("context") ||
        scene.broken("kv_type"))
        return std::nullopt;
    const CacheModel cache = cacheModelOf(*model);
    const int tokens = config.context == 0 ? kMinContext : config.context;
    const std::int64_t needed = model->weightBytes + cacheBytes(cache, config.kv, tokens);
    if (needed <= machine.memoryBytes) return std::nullopt;
    const std::int64_t most =
        tokensThatFit(cache, config.kv, machine.memoryBytes - model->weightBytes, tokens);
    const bool some = most >= kMinContext;
    return refused(
        config,
        {.rule = "MEM-PLAN",
         .key = "context",
         .allowed = some ? format("{} to {}", kMinContext, most) : "none",
         .nearest = some ? format("{}", most) : "",
         .reason = format("weights of {} MiB and a cache of {} MiB exceed the memory of {} MiB",
                          model->weightBytes >> 20, (needed - model->weightBytes) >> 20,
                          machine.memoryBytes >> 20)});
}

ErrorCode codeOf(std::string_view rule) {
    if (rule == "KEY-UNKNOWN") return ErrorCode::UnknownKey;
    if (rule == "CHOICE" || rule == "NUMBER") return ErrorCode::InvalidArgument;
    if (rule == "BUD-REQ" || rule.starts_with("EX-")) return ErrorCode::Conflict;
    if (rule == "HEADS-PROFILE" || rule == "SHIFT-MODEL" || rule == "METHOD-LAYERS")
        return ErrorCode::Unsupported;
    if (rule == "MEM-PLAN") return ErrorCode::NoMemory;
    return ErrorCode::Range;
}

}  // namespace

std::vector<RuleViolation> violationsOf(const EngineConfig& config, const ModelFacts* model,
                                        const MachineFacts& machine) {
    std::vector<RuleViolation> found;
    const RuleScene scene{config, model, found};
    const auto note = [&](std::optional<RuleViolation> violation) {
        if (violation) found.push_back(std::move(*violation));
    };
    for (const SettingSpec& spec : settingSpecs()) {
        note(outsideRange(spec, config));
        for (const Relation relation : spec.relations) {
            if (scene.broken(spec.key)) break;
            note(relation(scene));
        }
    }
    for (const Exclusion* hit : excludedBy(requestOf(config, model))) note(excluded(scene, *hit));
    note(passesMemory(scene, machine));
    return found;
}

tl::expected<ValidConfig, std::vector<RuleViolation>> check(const EngineConfig& config,
                                                            const ModelFacts* model,
                                                            const MachineFacts& machine) {
    std::vector<RuleViolation> violations = violationsOf(config, model, machine);
    if (!violations.empty())
        return tl::unexpected<std::vector<RuleViolation>>(std::move(violations));
    return ValidConfig(config);
}

Status checkWithDraft(const EngineConfig& config) {
    CacheRequest requests = requestOf(config, nullptr);
    const std::size_t without = excludedBy(requests).size();
    requests.draftModel = true;
    const std::vector<const Exclusion*> hits = excludedBy(requests);
    if (hits.size() == without) return {};
    const auto hit = std::ranges::find_if(
        hits, [](const Exclusion* one) { return one->second == "draft model"; });
    return fail(ErrorCode::Conflict, exclusionText(hit == hits.end() ? *hits.front() : **hit));
}

int effectiveContext(const EngineConfig& config, const ModelFacts& model,
                     const MachineFacts& machine) {
    if (config.context > 0) return config.context;
    if (machine.memoryBytes <= 0) return model.context;
    // A quarter of the memory is left for the rest of the system.
    const std::int64_t fits =
        tokensThatFit(cacheModelOf(model), config.kv,
                      machine.memoryBytes / 4 * 3 - model.weightBytes, model.context);
    return static_cast<int>(
        std::clamp<std::int64_t>(fits, std::min(kMinContext, model.context), model.context));
}

Error violationsError(std::span<const RuleViolation> violations) {
    std::string what;
    for (const RuleViolation& violation : violations)
        what += format("{}{}: {}", what.empty() ? "" : " ", violation.rule, violation.sentence);
    const ErrorCode code =
        violations.empty() ? ErrorCode::Internal : codeOf(violations.front().rule);
    return fail(code, std::move(what)).value();
}

}  // namespace lacuna
