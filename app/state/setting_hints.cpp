#include "app/state/setting_hints.h"

#include <QCoreApplication>

#include "app/state/view_rows.h"
#include "engine/session/knob_spec.h"

namespace lacuna::app {

namespace {

QString hint(const char* text) {
    return QCoreApplication::translate("SettingHints", text);
}

}  // namespace

QString noEffectReason(const EngineConfig& config, const QString& key) {
    const CompactionMethod method = config.kv.method;
    // What brings its method with it says so before it is moved.
    if (const QString brought = methodNeeded(config, key, QStringLiteral("1")); !brought.isEmpty())
        return hint("method is none; moving it sets %1").arg(brought);
    const bool amOnly = key == QLatin1String("am_ratio") || key == QLatin1String("query_source");
    if (amOnly && method != CompactionMethod::AttentionMatching) {
        return hint("no effect while method is %1").arg(toQt(knobText(config, "method")));
    }
    const bool l2Only = key == QLatin1String("norm_policy") || key == QLatin1String("coherence") ||
                        key == QLatin1String("skip_layers");
    if (l2Only && method != CompactionMethod::L2) {
        return hint("no effect while method is %1").arg(toQt(knobText(config, "method")));
    }
    const bool anyMethod = key == QLatin1String("budget") || key == QLatin1String("keep_recent") ||
                           key == QLatin1String("n_sink") || key == QLatin1String("margin") ||
                           key == QLatin1String("prefill_policy") ||
                           key == QLatin1String("compact_when");
    if (anyMethod && method == CompactionMethod::None) {
        return hint("no effect while method is none");
    }
    const bool draws = key == QLatin1String("top_k") || key == QLatin1String("top_p") ||
                       key == QLatin1String("min_p");
    if (draws && config.sampling.temperature <= 0) {
        return hint("no effect while temperature is 0");
    }
    return {};
}

QString meaningOf(const EngineConfig& config, const ModelFacts* model, const QString& key) {
    if (key == QLatin1String("cache_limit") && config.cacheLimitMiB <= 0) return hint("no limit");
    const bool policy = key == QLatin1String("norm_policy");
    if (!policy || model == nullptr || config.kv.normPolicy != NormPolicy::Auto) return {};
    return toQt(automaticPolicy(*model));
}

QString deferredSentence(KnobWhenView when) {
    switch (when) {
        case KnobWhenView::Live:
            return hint("Takes effect at the next token.");
        case KnobWhenView::NextTurn:
            return hint("Takes effect with the next answer.");
        case KnobWhenView::NewCache:
            return hint("Takes effect when a conversation's cache is built anew.");
    }
    return {};
}

QString methodNeeded(const EngineConfig& config, const QString& key, const QString& text) {
    if (config.kv.method != CompactionMethod::None) return {};
    if (key == QLatin1String("am_ratio")) return QStringLiteral("am");
    const bool off =
        text.isEmpty() || text == QLatin1String("off") || text == QLatin1String("none");
    return key == QLatin1String("budget") && !off ? QStringLiteral("l2") : QString();
}

}  // namespace lacuna::app
