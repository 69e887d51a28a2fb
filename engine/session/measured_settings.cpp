#include "engine/session/measured_settings.h"

#include <algorithm>

#include "engine/base/string_format.h"
#include "engine/settings/config_check.h"
#include "engine/settings/knob_spec.h"

namespace lacuna {
namespace {

constexpr double kMaxRatio = 1024;

const std::vector<MeasuredMethod>& knownMethods() {
    static const std::vector<MeasuredMethod> methods{
        {"am", {"method=am"}},
        {"am-uniform", {"method=am", "head_budgets=uniform"}},
        {"am-reconstruction", {"method=am", "head_budgets=reconstruction"}},
        {"keydiff", {"method=l2", "norm_policy=keydiff"}},
        {"keydiff-adaptive", {"method=l2", "norm_policy=keydiff", "eviction_budgets=adaptive"}},
        {"keep_low", {"method=l2", "norm_policy=keep_low"}},
        {"keep_high", {"method=l2", "norm_policy=keep_high"}},
        {"recent", {"method=l2", "norm_policy=recent_only"}},
        {"random", {"method=l2", "norm_policy=random"}},
        {"observation_window", {"method=l2", "norm_policy=observation_window"}},
        {"observation_window-adaptive",
         {"method=l2", "norm_policy=observation_window", "eviction_budgets=adaptive"}},
        {"reconstruct", {"method=l2", "norm_policy=reconstruct"}},
        {"accumulated_attention", {"method=l2", "norm_policy=accumulated_attention"}},
        {"expected_attention", {"method=l2", "norm_policy=expected_attention"}}};
    return methods;
}

Result<MeasuredMethod> methodNamed(const std::string& name) {
    const auto& known = knownMethods();
    const auto at = std::ranges::find(known, name, &MeasuredMethod::name);
    if (at != known.end()) return *at;
    if (name.find(':') == std::string::npos || name.front() == ':') {
        std::string names;
        for (const MeasuredMethod& one : known) names += one.name + ", ";
        return fail(
            ErrorCode::InvalidArgument,
            format("the method {} is not known; known are {}and NAME:key=value:...", name, names));
    }
    MeasuredMethod method;
    std::size_t from = name.find(':');
    method.name = name.substr(0, from);
    while (from != std::string::npos) {
        const std::size_t next = name.find(':', from + 1);
        method.assignments.push_back(name.substr(from + 1, next - from - 1));
        from = next;
    }
    return method;
}

bool setsSize(const std::string& assignment) {
    return assignment.starts_with("budget=") || assignment.starts_with("am_ratio=");
}

/// `assignments` with a size in slots, checked against the model.
Result<EngineConfig> checkedConfig(std::vector<std::string> assignments, int slots,
                                   const ModelFacts& facts, const MachineFacts& machine) {
    assignments.push_back(format("budget={}", slots));
    auto config = withSettings(EngineConfig{}, assignments);
    if (!config) return tl::unexpected<Error>(violationsError(config.error()));
    if (config->kv.method == CompactionMethod::AttentionMatching) config->kv.amRatio = 1;
    if (const auto valid = check(*config, &facts, machine); !valid)
        return tl::unexpected<Error>(violationsError(valid.error()));
    return std::move(*config);
}

GridSetting settingOf(const MeasuredMethod& method, const EngineConfig& config) {
    GridSetting setting;
    setting.method = method.name;
    setting.setting.kv = config.kv;
    return setting;
}

}  // namespace

Result<std::vector<MeasuredMethod>> methodsNamed(std::span<const std::string> names) {
    std::vector<MeasuredMethod> methods;
    for (const std::string& name : names) {
        LACUNA_TRY(auto method, methodNamed(name));
        if (std::ranges::find(methods, method.name, &MeasuredMethod::name) != methods.end())
            return fail(ErrorCode::InvalidArgument, format("the method {} is named twice", name));
        methods.push_back(std::move(method));
    }
    if (methods.empty()) return fail(ErrorCode::InvalidArgument, "no method is named");
    return methods;
}

std::vector<std::string> splitAssignments(const std::string& list) {
    std::vector<std::string> parts;
    for (std::size_t from = 0; from <= list.size();) {
        const std::size_t comma = std::min(list.find(',', from), list.size());
        std::string part = list.substr(from, comma - from);
        if (parts.empty() || part.find('=') != std::string::npos)
            parts.push_back(std::move(part));
        else
            parts.back() += "," + part;
        from = comma + 1;
    }
    return parts;
}

std::string settingsText(const EngineConfig& config) {
    const EngineConfig defaults;
    std::string text;
    for (const KnobSpec& spec : knobSpecs()) {
        const std::string value = knobText(config, spec.key);
        if (value == knobText(defaults, spec.key)) continue;
        text += format("{}{}={}", text.empty() ? "" : " ", spec.key, value);
    }
    return text;
}

Result<std::vector<GridSetting>> gridSettings(std::span<const MeasuredMethod> methods,
                                              const MeasuredSizes& sizes,
                                              std::span<const std::string> base,
                                              const ModelFacts& facts,
                                              const MachineFacts& machine) {
    if (sizes.ratios.empty() && sizes.budgets.empty())
        return fail(ErrorCode::Conflict, "neither a ratio nor a budget is asked for");
    std::vector<GridSetting> settings;
    for (const MeasuredMethod& method : methods) {
        std::vector<std::string> all(base.begin(), base.end());
        all.insert(all.end(), method.assignments.begin(), method.assignments.end());
        if (std::ranges::any_of(all, setsSize))
            return fail(ErrorCode::Conflict,
                        format("{}: budget and am_ratio are what is measured; give them as ratios "
                               "and budgets",
                               method.name));
        for (const double ratio : sizes.ratios) {
            if (!(ratio > 1 && ratio <= kMaxRatio))
                return fail(ErrorCode::Range, format("a ratio of {}; allowed is above 1, up to {}",
                                                     ratio, kMaxRatio));
            LACUNA_TRY(EngineConfig config, checkedConfig(all, facts.context, facts, machine));
            GridSetting setting = settingOf(method, config);
            config.kv.budget.reset();  // the share takes its place
            setting.settings = settingsText(config);
            setting.asked = format("{}x", ratio);
            setting.setting.budgetShare = 1 / ratio;
            settings.push_back(std::move(setting));
        }
        for (const int budget : sizes.budgets) {
            LACUNA_TRY(const EngineConfig config, checkedConfig(all, budget, facts, machine));
            GridSetting setting = settingOf(method, config);
            setting.settings = settingsText(config);
            setting.asked = format("{} slots", budget);
            settings.push_back(std::move(setting));
        }
    }
    return settings;
}

}  // namespace lacuna
