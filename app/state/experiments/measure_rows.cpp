#include "app/state/experiments/measure_rows.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>
#include <limits>

#include "app/state/engine/compaction_text.h"
#include "app/state/engine/engine_text.h"
#include "app/state/view_rows.h"
#include "engine/base/string_format.h"
#include "engine/session/measured_settings.h"
#include "engine/settings/setting_spec.h"

namespace lacuna::app {

namespace {

ComparedSide sideOf(const ComparedRun& run, const EngineConfig& config) {
    ComparedSide side;
    side.settings = app::settingsText(config);
    side.text = toQt(run.text);
    side.finish = engineText(finishText(run.finish));
    side.tokens = static_cast<qint64>(run.tokens.size());
    side.compactions = run.compactions;
    side.evictions = run.evictions;
    side.compactionMs = run.compactionMs;
    side.liveBytes = run.kv.liveBytes;
    side.logicalBytes = run.kv.logicalBytes;
    side.allocatedBytes = run.kv.allocatedBytes;
    side.ratio = run.ratio();
    side.prefillSeconds = run.prefillSeconds;
    side.decodeSeconds = run.decodeSeconds;
    side.decodeRate = run.decodeTokensPerSecond();
    side.divergenceBlocker = engineText(run.divergenceBlocker);
    if (!run.divergence) return side;
    side.klMean = run.divergence->klMean;
    side.klP99 = run.divergence->klP99;
    side.top1 = run.divergence->top1;
    side.positions = run.divergence->positions;
    return side;
}

}  // namespace

std::optional<PreviewView::Kept> keptOf(const std::optional<KeptInformation>& kept) {
    if (!kept) return std::nullopt;
    return PreviewView::Kept{kept->all, kept->worst};
}

PreviewView viewOf(const CompactionPreviewed& event) {
    const CompactionPreview& preview = event.preview;
    PreviewView view;
    view.stage = PreviewStage::Estimated;
    view.conversation = event.conversation.value;
    if (event.error) {
        view.problem = engineText(event.error->what);
        return view;
    }
    view.compacts = preview.compacts;
    view.reason = compactionText(preview.notes);
    view.heads = preview.heads;
    view.headsFitted = preview.headsFitted;
    view.seconds = preview.seconds;
    view.slotsNow = preview.slotsNow;
    view.slotsEstimated = preview.slotsAfter;
    view.liveBytesNow = preview.liveBytesNow;
    view.liveBytesEstimated = preview.liveBytesAfter;
    view.errorEstimated = preview.outputError;
    view.errorSpread = preview.outputErrorSpread;
    view.keptEstimated = keptOf(preview.kept);
    view.keptFollows = preview.keptFollows;
    return view;
}

PreviewView::Outcome outcomeOf(const PreviewOutcome& event) {
    return {.slots = event.report.slotsAfter,
            .liveBytes = event.report.liveBytesAfter,
            .error = event.report.heldOutError,
            .kept = keptOf(event.report.kept),
            .seconds = event.report.totalMs / 1e3};
}

std::optional<PredictedLossView::Figure> PredictedLossView::figureAt(double ratio) const {
    const auto usable = [](const RatioLoss& point) {
        return point.error.has_value() && point.refusal.isEmpty();
    };
    if (const RatioLoss* exact = at(ratio); exact != nullptr && usable(*exact))
        return Figure{*exact->error, ratio, ratio, exact->spread, exact->kept};
    const RatioLoss* below = nullptr;
    for (const RatioLoss& point : points) {
        if (!usable(point)) continue;
        if (point.ratio > ratio) {
            // The full cache has no error.
            const double from = below != nullptr ? below->ratio : 1;
            const double start = below != nullptr ? *below->error : 0;
            const double part = std::log(ratio / from) / std::log(point.ratio / from);
            return Figure{start + part * (*point.error - start), from, point.ratio, 0};
        }
        below = &point;
    }
    if (below == nullptr) return std::nullopt;
    return Figure{*below->error, below->ratio, 0, 0};
}

const RatioLoss* PredictedLossView::refusedAt(double ratio) const {
    // If a ratio gains nothing, neither does any smaller one.
    for (const RatioLoss& point : points)
        if (!point.refusal.isEmpty() && ratio <= point.ratio) return &point;
    return nullptr;
}

const RatioLoss* PredictedLossView::at(double ratio) const {
    const qsizetype index = indexOf(ratio);
    return index < 0 ? nullptr : &points[index];
}

RatioLoss* PredictedLossView::at(double ratio) {
    const qsizetype index = indexOf(ratio);
    return index < 0 ? nullptr : &points[index];
}

qsizetype PredictedLossView::indexOf(double ratio) const {
    constexpr double kSame = 1e-9;
    const auto found = std::ranges::find_if(
        points, [ratio](const RatioLoss& point) { return std::abs(point.ratio - ratio) < kSame; });
    return found == points.end() ? -1 : found - points.begin();
}

ComparisonView viewOf(const SettingsCompared& event) {
    ComparisonView view;
    if (event.error) {
        view.problem = engineText(event.error->what);
        view.cancelled = event.error->code == ErrorCode::Cancelled;
        return view;
    }
    view.promptTokens = event.comparison.promptTokens;
    for (std::size_t i = 0; i < view.sides.size(); ++i)
        view.sides[i] = sideOf(event.comparison.runs[i], event.sides[i]);
    if (const auto& parted = event.comparison.divergence) {
        view.divergence = ComparisonView::AnswerDivergence{
            parted->index, {toQt(parted->pieces[0]), toQt(parted->pieces[1])}};
    }
    return view;
}

SweptSetting rowOf(const GridRow& row) {
    SweptSetting setting;
    setting.method = toQt(row.method);
    setting.asked = toQt(row.asked);
    setting.answers = row.items;
    setting.refused = row.refused;
    setting.liveShare = row.liveShare;
    setting.klMean = row.divergence.klMean;
    setting.klP99 = row.divergence.klP99;
    setting.top1 = row.divergence.top1;
    setting.perplexityChange = row.perplexityChange;
    setting.outputError = row.outputError;
    setting.compactionMs = row.compactionMs;
    setting.onFront = row.onFront;
    return setting;
}

namespace {

using Values = QVector<std::pair<QString, QString>>;

struct SweepTexts {
    Q_DECLARE_TR_FUNCTIONS(SweepSettings)
};

/// Parses numbers separated by commas or blanks, such as "2, 4 8".
Result<std::vector<double>> numbersOf(const QString& written, const char* what) {
    std::vector<double> numbers;
    QString list = written;
    list.replace(QLatin1Char(','), QLatin1Char(' '));
    for (const QString& part : list.split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
        bool number = false;
        numbers.push_back(part.toDouble(&number));
        if (!number || !std::isfinite(numbers.back()))
            return fail(
                ErrorCode::InvalidArgument,
                format("{}: {} is not a number; separate numbers with commas, as in 2, 4, 8", what,
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
                        format("budgets: {} is not a whole number of slots above 0", budget));
        sizes.budgets.push_back(static_cast<int>(budget));
    }
    return sizes;
}

/// Returns the active settings other than method and size.
std::vector<std::string> baseAssignments(const EngineConfig& inEffect) {
    EngineConfig base = inEffect;
    base.kv.method = CompactionMethod::None;
    base.kv.budget.reset();
    base.kv.amRatio = EngineConfig{}.kv.amRatio;
    std::vector<std::string> assignments;
    const QMap<QString, QString> chosen = settingsChosen(base);
    for (auto value = chosen.begin(); value != chosen.end(); ++value)
        assignments.push_back(fromQt(value.key()) + "=" + fromQt(value.value()));
    return assignments;
}

/// Settings fixed by a method take precedence over the active ones.
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

/// Fills in the values that apply a setting of the sweep, or the reason why it cannot be applied.
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
    const SettingSpec* ratio = findSetting("am_ratio");
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
    row.valuesBlocker = SweepTexts::tr(
        "This ratio is converted to a budget in slots, which needs the length of the conversation, "
        "known only after its next answer.");
}

}  // namespace

Result<SweepPlan> sweepPlan(const SweepAsk& ask, const EngineConfig& inEffect,
                            const ModelFacts& facts, const MachineFacts& machine,
                            qint64 contextTokens) {
    std::vector<std::string> names;
    for (const QString& name : ask.methods) names.push_back(fromQt(name));
    LACUNA_TRY(const auto methods, methodsNamed(names));
    LACUNA_TRY(const MeasuredSizes sizes, sizesOf(ask));
    const std::vector<std::string> base = baseAssignments(inEffect);
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
