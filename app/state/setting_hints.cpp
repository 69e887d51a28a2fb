#include "app/state/setting_hints.h"

#include <algorithm>
#include <cmath>

#include "engine/base/string_format.h"
#include "engine/settings/compaction_reach.h"

namespace lacuna::app {

namespace {

std::string meaningOf(const KnobSpec& spec, const EngineConfig& config, const ModelFacts* model) {
    if (spec.key == "cache_limit" && config.cacheLimitMiB <= 0) return "no limit";
    if (model == nullptr) return {};
    if (spec.key == "method") return reachNote(config, *model);
    const bool automatic = spec.key == "norm_policy" && config.kv.normPolicy == NormPolicy::Auto;
    return automatic ? automaticPolicy(*model) : std::string();
}

double maximumOf(const KnobSpec& spec, int context, const ModelFacts* model) {
    if (spec.key == "budget" || spec.key == "keep_recent")
        return std::min<double>(spec.maximum, context);
    if (spec.key == "context" && model != nullptr)
        return std::min<double>(spec.maximum, model->context);
    return spec.maximum;
}

}  // namespace

std::string askedText(const KnobSpec& spec, const AskedValue& value) {
    if (const auto* text = std::get_if<std::string>(&value)) return *text;
    const double number = std::get<double>(value);
    if (spec.kind == KnobKind::OptionalInteger && number <= 0) return "off";
    if (spec.kind != KnobKind::Real) return format("{}", std::llround(number));
    return format("{:.10g}", number);
}

std::string_view methodNeeded(const EngineConfig& config, const KnobSpec& spec,
                              const AskedValue& value) {
    if (config.kv.method != CompactionMethod::None) return {};
    if (spec.key == "am_ratio") return "am";
    if (spec.key != "budget") return {};
    const std::string text = askedText(spec, value);
    return text.empty() || text == "off" || text == "none" ? "" : "l2";
}

SettingHints hintsOf(const KnobSpec& spec, const EngineConfig& config, int context,
                     const ModelFacts* model) {
    return {.brings = methodNeeded(config, spec, 1.0),
            .idle = idleReason(spec, config, model),
            .meaning = meaningOf(spec, config, model),
            .maximum = maximumOf(spec, context, model)};
}

}  // namespace lacuna::app
