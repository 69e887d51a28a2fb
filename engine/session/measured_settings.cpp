#include "engine/session/measured_settings.h"

#include <algorithm>
#include <array>

#include "engine/base/string_format.h"
#include "engine/compress/matching/matching_budgets.h"
#include "engine/settings/choice_names.h"
#include "engine/settings/compaction_reach.h"
#include "engine/settings/config_check.h"
#include "engine/settings/setting_spec.h"
#include "engine/settings/settings_diff.h"

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
        {"expected_attention", {"method=l2", "norm_policy=expected_attention"}},
        {"tri_attention", {"method=l2", "norm_policy=tri_attention"}}};
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
            format("unknown method {}; known methods are {}and NAME:key=value:...", name, names));
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

/// Measured texts are compacted regardless of their length and as far as requested, unless a floor
/// or a limit is set.
KvOptions measuredOptions(const EngineConfig& config, std::span<const std::string> assignments) {
    KvOptions kv = config.kv;
    const auto sets = [&](std::string_view key) {
        return std::ranges::any_of(assignments,
                                   [&](const std::string& one) { return one.starts_with(key); });
    };
    if (!sets("compaction_floor=")) kv.compactionFloor = 0;
    if (!sets("loss_limit=")) kv.lossLimit.level = LossLimit::Level::Off;
    return kv;
}

/// Returns `assignments` with a size in slots, checked against the model.
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

GridSetting settingOf(const MeasuredMethod& method, const EngineConfig& config,
                      std::span<const std::string> assignments) {
    GridSetting setting;
    setting.method = method.name;
    setting.setting.kv = measuredOptions(config, assignments);
    return setting;
}

constexpr std::array kTableRatios{2.0, 4.0, 8.0, 16.0, 32.0};
constexpr std::string_view kAuto = "auto";

std::string matchingName(std::string_view budgets) {
    return format("am {}", budgets);
}

std::string matchingBy(HeadBudgets budgets) {
    return matchingName(choiceName(budgets));
}

/// Returns all rows of a table that differ in more than their ratio.
std::vector<MeasuredMethod> tableMethods() {
    std::vector<MeasuredMethod> methods;
    for (const std::string_view budgets : findSetting("head_budgets")->field.choices)
        if (budgets != kAuto)
            methods.push_back(
                {matchingName(budgets), {"method=am", format("head_budgets={}", budgets)}});
    for (const std::string_view policy : findSetting("norm_policy")->field.choices)
        if (policy != kAuto)
            methods.push_back(
                {std::string(policy), {"method=l2", format("norm_policy={}", policy)}});
    return methods;
}

Result<std::vector<MeasuredMethod>> chosenTableMethods(std::span<const std::string> names) {
    const std::vector<MeasuredMethod> all = tableMethods();
    if (names.empty()) return all;
    std::vector<MeasuredMethod> chosen;
    for (const std::string& name : names) {
        const auto at = std::ranges::find(all, name, &MeasuredMethod::name);
        if (at == all.end()) {
            std::string known;
            for (const MeasuredMethod& one : all)
                known += format("{}{}", known.empty() ? "" : ", ", one.name);
            return fail(ErrorCode::InvalidArgument,
                        format("the quality table has no method {}; it has {}", name, known));
        }
        chosen.push_back(*at);
    }
    return chosen;
}

/// Sets the ratio as the method takes it: attention matching by its setting, eviction by the
/// fraction of its budget.
Result<TableSetting> tableSetting(const MeasuredMethod& method, double ratio,
                                  std::span<const std::string> base, const TableModel& model,
                                  const MachineFacts& machine) {
    const ModelFacts& facts = model.facts;
    std::vector<std::string> assignments(base.begin(), base.end());
    assignments.insert(assignments.end(), method.assignments.begin(), method.assignments.end());
    const bool matching = method.assignments.front() == "method=am";
    assignments.push_back(matching ? format("am_ratio={:g}", ratio)
                                   : format("budget={}", facts.context));
    TableSetting made{.grid = {.method = method.name,
                               .asked = format("{:g}x", ratio),
                               .settings = {},
                               .setting = {}},
                      .ratio = ratio};
    auto config = withSettings(EngineConfig{}, assignments);
    std::vector<RuleViolation> refused;
    if (!config) {
        refused = config.error();
    } else if (const auto valid = check(*config, &facts, machine); !valid) {
        refused = valid.error();
    }
    if (!refused.empty()) {
        made.grid.refused = violationsError(refused).what;
        return made;
    }
    const HeadBudgets budgets = config->kv.headBudgets;
    if (matching && resolvedBudgets(budgets, model.profiles.of(budgets).get()) != budgets) {
        made.grid.refused = format("the heads of this model were not measured, which {} needs",
                                   choiceName(budgets));
        return made;
    }
    made.grid.setting.kv = measuredOptions(*config, assignments);
    if (!matching) {
        config->kv.budget.reset();  // the ratio replaces the budget
        made.grid.setting.budgetShare = 1 / ratio;
    }
    made.grid.settings = settingsText(*config);
    return made;
}

}  // namespace

std::span<const double> tableRatios() {
    return kTableRatios;
}

Result<std::vector<TableSetting>> tableSettings(std::span<const std::string> methods,
                                                std::span<const double> ratios,
                                                std::span<const std::string> base,
                                                const TableModel& model,
                                                const MachineFacts& machine) {
    if (const auto valid = withSettings(EngineConfig{}, base); !valid)
        return tl::unexpected<Error>(violationsError(valid.error()));
    for (const std::string& one : base)
        if (setsSize(one) || one.starts_with("method=") || one.starts_with("head_budgets=") ||
            one.starts_with("norm_policy="))
            return fail(ErrorCode::Conflict,
                        format("{} cannot be set for a quality table, which measures it; choose "
                               "methods and ratios instead",
                               one));
    LACUNA_TRY(const auto chosen, chosenTableMethods(methods));
    std::vector<TableSetting> settings;
    for (const MeasuredMethod& method : chosen)
        for (const double ratio : ratios) {
            if (!(ratio > 1 && ratio <= kMaxRatio))
                return fail(
                    ErrorCode::Range,
                    format("the ratio is {}; allowed is above 1, up to {}", ratio, kMaxRatio));
            LACUNA_TRY(auto made, tableSetting(method, ratio, base, model, machine));
            settings.push_back(std::move(made));
        }
    return settings;
}

std::string tableMethodOf(const KvOptions& kv, const QualityTable& table) {
    switch (kv.method) {
        case CompactionMethod::AttentionMatching:
            return kv.headBudgets == HeadBudgets::Auto ? table.autoBudgets
                                                       : matchingBy(kv.headBudgets);
        case CompactionMethod::Eviction:
            return kv.evictionPolicy == EvictionPolicy::Auto
                       ? table.autoPolicy
                       : std::string(choiceName(kv.evictionPolicy));
        case CompactionMethod::None:
            break;
    }
    return {};
}

QualityTable tableHead(const TableModel& model, const MachineFacts& machine) {
    const ModelFacts& facts = model.facts;
    QualityTable head;
    head.model = facts.name;
    head.fingerprint = facts.fingerprint;
    head.machine = format("{}, {}, {} cores", machine.cpu, machine.isa, machine.cores);
    head.precision = keyOf(facts.precision);
    head.autoBudgets = matchingBy(HeadBudgets::Reconstruction);
    head.autoPolicy = choiceName(policyInEffect(KvOptions{}));
    return head;
}

Result<std::vector<MeasuredMethod>> methodsNamed(std::span<const std::string> names) {
    std::vector<MeasuredMethod> methods;
    for (const std::string& name : names) {
        LACUNA_TRY(auto method, methodNamed(name));
        if (std::ranges::find(methods, method.name, &MeasuredMethod::name) != methods.end())
            return fail(ErrorCode::InvalidArgument, format("the method {} is named twice", name));
        methods.push_back(std::move(method));
    }
    if (methods.empty()) return fail(ErrorCode::InvalidArgument, "no method was given");
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
    std::string text;
    for (const SettingChange& change : settingsDiff(EngineConfig{}, config))
        text += format("{}{}={}", text.empty() ? "" : " ", change.spec->key,
                       settingText(*change.spec, change.after));
    return text;
}

Result<std::vector<GridSetting>> gridSettings(std::span<const MeasuredMethod> methods,
                                              const MeasuredSizes& sizes,
                                              std::span<const std::string> base,
                                              const ModelFacts& facts,
                                              const MachineFacts& machine) {
    if (sizes.ratios.empty() && sizes.budgets.empty())
        return fail(ErrorCode::Conflict, "neither a ratio nor a budget was given");
    std::vector<GridSetting> settings;
    for (const MeasuredMethod& method : methods) {
        std::vector<std::string> all(base.begin(), base.end());
        all.insert(all.end(), method.assignments.begin(), method.assignments.end());
        if (std::ranges::any_of(all, setsSize))
            return fail(ErrorCode::Conflict,
                        format("{}: budget and am_ratio cannot be set, because they are measured; "
                               "use ratios and budgets instead",
                               method.name));
        for (const double ratio : sizes.ratios) {
            if (!(ratio > 1 && ratio <= kMaxRatio))
                return fail(
                    ErrorCode::Range,
                    format("the ratio is {}; allowed is above 1, up to {}", ratio, kMaxRatio));
            LACUNA_TRY(EngineConfig config, checkedConfig(all, facts.context, facts, machine));
            GridSetting setting = settingOf(method, config, all);
            config.kv.budget.reset();  // the ratio replaces the budget
            setting.settings = settingsText(config);
            setting.asked = format("{}x", ratio);
            setting.setting.budgetShare = 1 / ratio;
            settings.push_back(std::move(setting));
        }
        for (const int budget : sizes.budgets) {
            LACUNA_TRY(const EngineConfig config, checkedConfig(all, budget, facts, machine));
            GridSetting setting = settingOf(method, config, all);
            setting.settings = settingsText(config);
            setting.asked = format("{} slots", budget);
            settings.push_back(std::move(setting));
        }
    }
    return settings;
}

}  // namespace lacuna
