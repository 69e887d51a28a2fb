#include "app/state/sweep_settings.h"

#include <QCoreApplication>
#include <cmath>
#include <limits>

#include "app/state/view_rows.h"
#include "engine/base/string_format.h"
#include "engine/session/measured_settings.h"
#include "engine/settings/knob_spec.h"

namespace lacuna::app {

namespace {

using Values = QVector<std::pair<QString, QString>>;

QString sweepText(const char* text) {
    return QCoreApplication::translate("SweepSettings", text);
}

/// "2, 4 8" -> 2, 4, 8.
Result<std::vector<double>> numbersOf(const QString& written, const char* what) {
    std::vector<double> numbers;
    QString list = written;
    list.replace(QLatin1Char(','), QLatin1Char(' '));
    for (const QString& part : list.split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
        bool number = false;
        numbers.push_back(part.toDouble(&number));
        if (!number || !std::isfinite(numbers.back()))
            return fail(ErrorCode::InvalidArgument,
                        format("{}: {} is no number; write them with commas, as in 2, 4, 8", what,
                               fromQt(part)));
    }
    return numbers;
}

Result<MeasuredSizes> sizesOf(const SweepAsk& ask) {
    MeasuredSizes sizes;
    LACUNA_TRY(sizes.ratios, numbersOf(ask.ratios, "ratios"));
    LACUNA_TRY(const auto budgets, numbersOf(ask.budgets, "budgets"));
    for (const double budget : budgets) {
        if (budget != std::floor(budget) || budget < 1 || budget > std::numeric_limits<int>::max())
            return fail(ErrorCode::InvalidArgument,
                        format("budgets: {} is no whole number of slots above 0", budget));
        sizes.budgets.push_back(static_cast<int>(budget));
    }
    return sizes;
}

/// What is in force next to method and size.
std::vector<std::string> baseAssignments(const EngineConfig& inForce) {
    EngineConfig base = inForce;
    base.kv.method = CompactionMethod::None;
    base.kv.budget.reset();
    base.kv.amRatio = EngineConfig{}.kv.amRatio;
    std::vector<std::string> assignments;
    const QMap<QString, QString> chosen = settingsChosen(base);
    for (auto value = chosen.begin(); value != chosen.end(); ++value)
        assignments.push_back(fromQt(value.key()) + "=" + fromQt(value.value()));
    return assignments;
}

/// What a method sets itself counts, not what is in force.
std::vector<std::string> baseFor(const MeasuredMethod& method,
                                 const std::vector<std::string>& base) {
    std::vector<std::string> rest;
    for (const std::string& one : base) {
        const std::string key = one.substr(0, one.find('=') + 1);
        bool own = false;
        for (const std::string& set : method.assignments) own = own || set.starts_with(key);
        if (!own) rest.push_back(one);
    }
    return rest;
}

Values valuesOf(const MeasuredMethod& method) {
    Values values;
    for (const std::string& one : method.assignments) {
        const std::size_t sign = one.find('=');
        values.push_back({toQt(one.substr(0, sign)), toQt(one.substr(sign + 1))});
    }
    return values;
}

bool matches(const GridSetting& setting) {
    return setting.setting.kv.method == CompactionMethod::AttentionMatching;
}

/// How a setting of the sweep is brought into force, or why it cannot be.
void addSize(const GridSetting& setting, qint64 contextTokens, SweptSetting& row) {
    const auto set = [&row](const char* key, const QString& text) {
        row.values.push_back({QString::fromLatin1(key), text});
    };
    if (!setting.setting.budgetShare) {
        set("budget", QString::number(setting.setting.kv.budget.value_or(0)));
        if (matches(setting)) set("am_ratio", QStringLiteral("1"));
        return;
    }
    const double share = *setting.setting.budgetShare;
    const KnobSpec* ratio = findKnob("am_ratio");
    if (matches(setting) && ratio != nullptr && 1 / share <= ratio->maximum) {
        set("am_ratio", QString::number(1 / share, 'g', 6));
        set("budget", QStringLiteral("off"));
        return;
    }
    if (contextTokens > 0) {
        const auto slotsKept =
            static_cast<qint64>(std::ceil(static_cast<double>(contextTokens) * share));
        set("budget", QString::number(slotsKept));
        if (matches(setting)) set("am_ratio", QStringLiteral("1"));
        return;
    }
    row.values.clear();
    row.whyNoValues = sweepText(
        "This ratio becomes a budget in slots, and the length of the conversation is not known "
        "before its next answer.");
}

}  // namespace

Result<SweepPlan> sweepPlan(const SweepAsk& ask, const EngineConfig& inForce,
                            const ModelFacts& facts, const MachineFacts& machine,
                            qint64 contextTokens) {
    std::vector<std::string> names;
    for (const QString& name : ask.methods) names.push_back(fromQt(name));
    LACUNA_TRY(const auto methods, methodsNamed(names));
    LACUNA_TRY(const MeasuredSizes sizes, sizesOf(ask));
    const std::vector<std::string> base = baseAssignments(inForce);
    SweepPlan plan;
    for (const MeasuredMethod& method : methods) {
        LACUNA_TRY(const auto settings,
                   gridSettings({&method, 1}, sizes, baseFor(method, base), facts, machine));
        for (const GridSetting& setting : settings) {
            SweptSetting row;
            row.method = toQt(setting.method);
            row.asked = toQt(setting.asked);
            row.values = valuesOf(method);
            addSize(setting, contextTokens, row);
            plan.rows.push_back(std::move(row));
            plan.settings.push_back(setting);
        }
    }
    return plan;
}

}  // namespace lacuna::app
